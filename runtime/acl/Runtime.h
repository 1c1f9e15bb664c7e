//===- Runtime.h - devices, contexts and live handles -----------*- C++ -*-===//
//
// The one object behind the ACL functions: which devices are set, which
// contexts, streams and events are alive, and what the calling thread has
// selected. Handles are numbers in pointer clothing that are never reused or
// followed, so a stale or foreign one is recognised and answered with a status.
// libnnopbase uses this header too; applications do not.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACL_RUNTIME_H
#define LOSSGRAD_RUNTIME_ACL_RUNTIME_H

#include "Allocations.h"
#include "Stream.h"
#include "lossgrad/Targets.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace lossgrad::acl {

/// Live objects of one kind by handle.
template <typename T> class HandleTable {
public:
  explicit HandleTable(uint64_t kind) : kind(kind) {}

  void *insert(std::shared_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex);
    void *handle = nextLocked();
    objects[handle] = std::move(object);
    return handle;
  }
  /// For objects that must know their own handle.
  template <typename Make> void *emplace(Make make) {
    std::lock_guard<std::mutex> lock(mutex);
    void *handle = nextLocked();
    objects[handle] = make(handle);
    return handle;
  }
  std::shared_ptr<T> find(const void *handle) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(const_cast<void *>(handle));
    return found == objects.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> remove(const void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = objects.find(const_cast<void *>(handle));
    if (found == objects.end())
      return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects.erase(found);
    return object;
  }
  /// Whether this table ever handed out the handle.
  bool wasIssued(const void *handle) const {
    const auto value = reinterpret_cast<uint64_t>(handle);
    std::lock_guard<std::mutex> lock(mutex);
    return value >> 48 == kind && (value & 0xffffffffffffu) % 64 == 0 &&
           (value & 0xffffffffffffu) / 64 - 1 < issued;
  }
  std::vector<std::pair<void *, std::shared_ptr<T>>> all() const {
    std::lock_guard<std::mutex> lock(mutex);
    return {objects.begin(), objects.end()};
  }
  size_t size() const {
    std::lock_guard<std::mutex> lock(mutex);
    return objects.size();
  }

private:
  void *nextLocked() {
    return reinterpret_cast<void *>(kind << 48 | ++issued * 64);
  }
  const uint64_t kind;
  mutable std::mutex mutex;
  uint64_t issued = 0;
  std::map<void *, std::shared_ptr<T>> objects;
};

struct Context {
  int32_t device = 0;
  bool primary = false;
  void *defaultStream = nullptr;
  std::mutex mutex; // guards the options
  std::map<int, int64_t> options;
};

/// Settings read from the environment once.
struct Settings {
  std::string socName;     // LOSSGRAD_SOC
  const targets::Soc *soc; // null: unknown name
  uint32_t deviceCount;    // LOSSGRAD_DEVICE_COUNT
  size_t deviceMemory;     // LOSSGRAD_DEVICE_MEMORY (bytes)
  bool check;              // LOSSGRAD_MODE=check
};
LOSSGRAD_EXPORT const Settings &settings();

/// A positive number of the environment; another text is logged and ignored.
LOSSGRAD_EXPORT uint64_t numberFromEnvironment(const char *name,
                                               uint64_t otherwise);

class LOSSGRAD_EXPORT Runtime {
public:
  static Runtime &get();

  HandleTable<Context> contexts{0x51};
  HandleTable<Stream> streams{0x52};
  HandleTable<Event> events{0x53};

  /// The context of the calling thread, or null.
  std::shared_ptr<Context> currentContext(void **handle = nullptr);
  void setCurrentContext(void *handle);

  aclError setDevice(const char *call, int32_t device);
  aclError resetDevice(const char *call, int32_t device, bool force);
  void *createContext(int32_t device, bool primary);
  void destroyContext(void *handle);

  /// Null (and the call has failed) when the limit is reached.
  aclError createStream(const char *call, int32_t device, void *context,
                        void **handle);

  /// The stream that a call means: null is the default stream of the current
  /// context. Fails with 107002, 107003 or 107017.
  aclError resolveStream(const char *call, aclrtStream handle,
                         std::shared_ptr<Stream> &stream);

  /// Waits for a stream and hands its failure over.
  aclError synchronize(const char *call, const std::shared_ptr<Stream> &stream,
                       const Deadline &deadline);

  /// Puts work on a stream in the name of `call`.
  aclError enqueue(const char *call, aclrtStream stream, Task task);

  bool deviceIsValid(int32_t device) const;

  /// Other libraries count their own objects at aclFinalize.
  void addLeakReporter(std::string (*reporter)());
  std::string leakReport();

  std::atomic<int64_t> systemOptions[2]; // by aclSysParamOpt
  std::atomic<bool> systemOptionSet[2];

private:
  Runtime();
  struct Device {
    int references = 0;
    void *primary = nullptr;
  };
  std::mutex mutex;
  std::map<int32_t, Device> devices;
  std::vector<std::string (*)()> leakReporters;
  int32_t nextStreamId = 0;
};

/// 107002 with the usual text.
LOSSGRAD_EXPORT aclError failNoContext(const char *call);
LOSSGRAD_EXPORT aclError failNull(const char *call, const char *argument);

} // namespace lossgrad::acl

#endif // LOSSGRAD_RUNTIME_ACL_RUNTIME_H
