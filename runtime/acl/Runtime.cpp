//===- Runtime.cpp - devices, contexts and live handles -------------------===//
//
// Reference counts of devices, life of contexts and streams, and the settings
// from the environment. The C functions around it are in Acl*.cpp.
//
//===----------------------------------------------------------------------===//
#include "Runtime.h"

#include "lossgrad/sim/Modes.h"

#include <cstdlib>

namespace lossgrad::acl {
namespace {

thread_local void *currentHandle = nullptr;

/// Whether new streams wait for a synchronising call before they work.
bool streamsAreHeld() {
  return settings().check || sim::runMode() == sim::RunMode::Check;
}

/// Workers must not run into the destruction of the program's statics.
void stopWorkers() {
  for (auto &entry : Runtime::get().streams.all())
    entry.second->shutDown(/*finishQueue=*/false);
}

} // namespace

uint64_t numberFromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (*end || value == 0 || *text < '0' || *text > '9') {
    log(ACL_ERROR, std::string(name) + "='" + text +
                       "' is not a positive number; it is ignored");
    return otherwise;
  }
  return value;
}

const Settings &settings() {
  static const Settings *value = [] {
    auto *read = new Settings;
    const char *soc = std::getenv("LOSSGRAD_SOC");
    read->socName = soc && *soc ? soc : "Ascend910B1";
    read->soc = targets::findSoc(read->socName);
    read->deviceCount = numberFromEnvironment("LOSSGRAD_DEVICE_COUNT", 8);
    const size_t fromTable =
        read->soc ? size_t(read->soc->memoryMiB) << 20 : size_t(64) << 30;
    read->deviceMemory =
        numberFromEnvironment("LOSSGRAD_DEVICE_MEMORY", fromTable);
    const char *mode = std::getenv("LOSSGRAD_MODE");
    read->check = mode && std::string(mode) == "check";
    return read;
  }();
  return *value;
}

aclError failNoContext(const char *call) {
  return fail(call, ACL_ERROR_RT_CONTEXT_NULL,
              "no current device in this thread; call aclrtSetDevice or "
              "aclrtSetCurrentContext first");
}

aclError failNull(const char *call, const char *argument) {
  return fail(call, ACL_ERROR_INVALID_PARAM, "%s must not be null", argument);
}

Runtime::Runtime() {
  for (int i = 0; i < 2; ++i) {
    systemOptions[i] = 0;
    systemOptionSet[i] = false;
  }
}

Runtime &Runtime::get() {
  static Runtime *runtime = [] {
    AllocationTable::get();
    std::atexit(stopWorkers);
    return new Runtime; // worker threads may outlive main
  }();
  return *runtime;
}

bool Runtime::deviceIsValid(int32_t device) const {
  return device >= 0 && uint32_t(device) < settings().deviceCount;
}

std::shared_ptr<Context> Runtime::currentContext(void **handle) {
  if (handle)
    *handle = currentHandle;
  return currentHandle ? contexts.find(currentHandle) : nullptr;
}

void Runtime::setCurrentContext(void *handle) { currentHandle = handle; }

void *Runtime::createContext(int32_t device, bool primary) {
  auto context = std::make_shared<Context>();
  context->device = device;
  context->primary = primary;
  void *handle = contexts.insert(context);
  std::lock_guard<std::mutex> lock(mutex);
  context->defaultStream = streams.insert(std::make_shared<Stream>(
      nextStreamId++, device, handle, streamsAreHeld()));
  return handle;
}

void Runtime::destroyContext(void *handle) {
  contexts.remove(handle);
  for (auto &entry : streams.all()) {
    if (entry.second->context != handle)
      continue;
    streams.remove(entry.first);
    entry.second->shutDown(/*finishQueue=*/true);
  }
}

aclError Runtime::setDevice(const char *call, int32_t device) {
  if (!deviceIsValid(device))
    return fail(call, ACL_ERROR_RT_INVALID_DEVICEID,
                "device %d is not in [0, %u)", device, settings().deviceCount);
  if (!settings().soc)
    return fail(call, ACL_ERROR_RT_SOC_VERSION,
                "LOSSGRAD_SOC='%s' is no known product; use a long name such "
                "as Ascend910B1",
                settings().socName.c_str());
  void *primary;
  {
    std::unique_lock<std::mutex> lock(mutex);
    Device &entry = devices[device];
    if (!entry.primary) {
      lock.unlock();
      void *created = createContext(device, /*primary=*/true);
      lock.lock();
      if (devices[device].primary) { // another thread was faster
        lock.unlock();
        destroyContext(created);
        lock.lock();
      } else {
        devices[device].primary = created;
      }
    }
    ++devices[device].references;
    primary = devices[device].primary;
  }
  setCurrentContext(primary);
  return ACL_SUCCESS;
}

aclError Runtime::resetDevice(const char *call, int32_t device, bool force) {
  if (!deviceIsValid(device))
    return fail(call, ACL_ERROR_RT_INVALID_DEVICEID,
                "device %d is not in [0, %u)", device, settings().deviceCount);
  void *released = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Device &entry = devices[device];
    if (entry.references == 0)
      return fail(call, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                  "device %d was never set or is already reset", device);
    entry.references = force ? 0 : entry.references - 1;
    if (entry.references == 0)
      std::swap(released, entry.primary);
  }
  if (released)
    destroyContext(released);
  return ACL_SUCCESS;
}

aclError Runtime::createStream(const char *call, int32_t device, void *context,
                               void **handle) {
  const uint32_t limit =
      settings().soc ? settings().soc->family->maxStreams : 1024;
  // Counted and created at once: two threads must not both get the last.
  std::lock_guard<std::mutex> lock(mutex);
  size_t onDevice = 0;
  for (auto &entry : streams.all())
    onDevice += entry.second->device == device;
  // Default streams belong to the contexts and do not count.
  for (auto &entry : contexts.all())
    onDevice -= entry.second->device == device && entry.second->defaultStream;
  if (onDevice >= limit)
    return fail(call, ACL_ERROR_RT_NO_STREAM_RESOURCE,
                "device %d already has %u streams, the limit of %s", device,
                limit, settings().socName.c_str());
  *handle = streams.insert(std::make_shared<Stream>(nextStreamId++, device,
                                                    context, streamsAreHeld()));
  return ACL_SUCCESS;
}

aclError Runtime::resolveStream(const char *call, aclrtStream handle,
                                std::shared_ptr<Stream> &stream) {
  void *contextHandle = nullptr;
  std::shared_ptr<Context> context = currentContext(&contextHandle);
  if (!context)
    return failNoContext(call);
  if (!handle)
    handle = context->defaultStream;
  stream = streams.find(handle);
  if (!stream)
    return fail(call, ACL_ERROR_RT_INVALID_HANDLE, "%p is %s", handle,
                streams.wasIssued(handle) ? "a destroyed stream"
                                          : "not a stream");
  if (stream->context != contextHandle)
    return fail(call, ACL_ERROR_RT_STREAM_CONTEXT,
                "stream %d of device %d does not belong to the current context "
                "of device %d",
                stream->id, stream->device, context->device);
  return ACL_SUCCESS;
}

aclError Runtime::synchronize(const char *call,
                              const std::shared_ptr<Stream> &stream,
                              const Deadline &deadline) {
  if (!stream->waitFor(stream->tail(), deadline))
    return fail(call, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                "stream %d has not finished in time", stream->id);
  TaskResult failure = stream->takeFailure();
  if (failure.code == ACL_SUCCESS)
    return ACL_SUCCESS;
  return fail(call, failure.code, "stream %d: %s", stream->id,
              failure.text.c_str());
}

aclError Runtime::enqueue(const char *call, aclrtStream handle, Task task) {
  std::shared_ptr<Stream> stream;
  if (aclError error = resolveStream(call, handle, stream))
    return error;
  if (!stream->enqueue(std::move(task)))
    return fail(call, ACL_ERROR_RT_INVALID_HANDLE,
                "stream %d is being destroyed", stream->id);
  return ACL_SUCCESS;
}

void Runtime::addLeakReporter(std::string (*reporter)()) {
  std::lock_guard<std::mutex> lock(mutex);
  leakReporters.push_back(reporter);
}

std::string Runtime::leakReport() {
  std::string report;
  size_t defaultStreams = 0, ownContexts = 0;
  for (auto &entry : contexts.all()) {
    ++defaultStreams;
    ownContexts += !entry.second->primary;
  }
  auto count = [&](size_t number, const char *what) {
    if (number)
      report += format("  %zu %s\n", number, what);
  };
  count(ownContexts, "context(s) not destroyed");
  count(streams.size() - defaultStreams, "stream(s) not destroyed");
  count(events.size(), "event(s) not destroyed");
  for (const AllocationRef &leak : AllocationTable::get().live())
    report += leak->place == Place::Device
                  ? format("  %zu bytes of device memory at %#zx (device %d)\n",
                           leak->size, size_t(leak->base), leak->device)
                  : format("  %zu bytes of pinned host memory at %#zx\n",
                           leak->size, size_t(leak->base));
  std::vector<std::string (*)()> others;
  {
    std::lock_guard<std::mutex> lock(mutex);
    others = leakReporters;
  }
  for (auto *reporter : others)
    report += reporter();
  return report;
}

} // namespace lossgrad::acl
