//===- AclRuntime.cpp - An operator library and its runtime ---------------===//

#include "AclRuntime.h"
#include "lossgrad/sim/Modes.h"
#include "llvm/ADT/Twine.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

void *AclRuntime::findSymbol(const std::string &name) const {
  return dlsym(handle, name.c_str());
}

Error AclRuntime::resolve(const std::string &library) {
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError("cannot load the operator library: " +
                             Twine(dlerror()));
#define LOSSGRAD_RESOLVE(name)                                                 \
  name = reinterpret_cast<decltype(name)>(findSymbol(#name));                  \
  if (!name)                                                                   \
    return createStringError("'" + library +                                   \
                             "' is not linked to an ACL runtime: it has no "   \
                             "function " #name);
  LOSSGRAD_ACL_FUNCTIONS(LOSSGRAD_RESOLVE)
#undef LOSSGRAD_RESOLVE
  // A real runtime has no checker; then check mode would find nothing, whatever
  // a kernel does.
  takeChecked = reinterpret_cast<decltype(takeChecked)>(
      findSymbol("lossgradTakeFindings"));
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (!takeChecked && mode && StringRef(mode) == "check")
    return createStringError("'" + library +
                             "' is linked to a runtime without check mode: it "
                             "has no function lossgradTakeFindings");
  return Error::success();
}

Error AclRuntime::start() {
  auto check = [&](aclError status, StringRef call) -> Error {
    if (status == ACL_SUCCESS)
      return Error::success();
    return createStringError(call + " returns " + Twine(status) + ": " +
                             takeErrorText());
  };
  if (Error error = check(aclInit(nullptr), "aclInit"))
    return error;
  initialised = true;
  if (Error error = check(aclrtSetDevice(0), "aclrtSetDevice"))
    return error;
  return check(aclrtCreateStream(&stream), "aclrtCreateStream");
}

Expected<std::unique_ptr<AclRuntime>>
AclRuntime::open(const std::string &library) {
  std::unique_ptr<AclRuntime> runtime(new AclRuntime);
  if (Error error = runtime->resolve(library))
    return error;
  if (Error error = runtime->start())
    return error;
  return runtime;
}

AclRuntime::~AclRuntime() {
  if (stream)
    aclrtDestroyStream(stream);
  if (initialised) {
    aclrtResetDevice(0);
    aclFinalize();
  }
  // The library stays loaded: the runtime has work to do at the end of the
  // process.
}

std::string AclRuntime::takeErrorText() const {
  const char *text = aclGetRecentErrMsg();
  return text ? StringRef(text).rtrim().str() : "";
}

std::vector<std::string> AclRuntime::takeFindings() const {
  std::vector<sim::Finding> findings;
  if (takeChecked)
    takeChecked(&findings);
  std::vector<std::string> texts;
  for (const sim::Finding &finding : findings)
    texts.push_back((Twine("[") + finding.rule + "] " + finding.call + " at " +
                     finding.file + ":" + Twine(finding.line) + ", block " +
                     Twine(finding.block) + ": " + finding.what)
                        .str());
  return texts;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Error failure(const AclRuntime &runtime, StringRef call,
                     aclError status) {
  return createStringError(call + " returns " + Twine(status) + ": " +
                           runtime.takeErrorText());
}

Expected<DeviceMemory> DeviceMemory::allocate(const AclRuntime &runtime,
                                              size_t bytes) {
  void *pointer = nullptr;
  if (aclError status = runtime.aclrtMalloc(
          &pointer, std::max<size_t>(bytes, 1), ACL_MEM_MALLOC_HUGE_FIRST))
    return failure(runtime, "aclrtMalloc", status);
  return DeviceMemory(runtime, static_cast<uint8_t *>(pointer), bytes);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other)
    : runtime(other.runtime), pointer(other.pointer), size(other.size) {
  other.pointer = nullptr;
}

DeviceMemory::~DeviceMemory() { consumeError(release()); }

Error DeviceMemory::release() {
  if (!pointer)
    return Error::success();
  aclError status = runtime->aclrtFree(pointer);
  pointer = nullptr;
  return status ? failure(*runtime, "aclrtFree", status) : Error::success();
}

Error DeviceMemory::upload(size_t offset, const std::vector<uint8_t> &from) {
  if (from.empty())
    return Error::success();
  aclError status =
      runtime->aclrtMemcpy(pointer + offset, size - offset, from.data(),
                           from.size(), ACL_MEMCPY_HOST_TO_DEVICE);
  return status ? failure(*runtime, "aclrtMemcpy", status) : Error::success();
}

Error DeviceMemory::download(size_t offset, std::vector<uint8_t> &to) const {
  if (to.empty())
    return Error::success();
  aclError status = runtime->aclrtMemcpy(to.data(), to.size(), pointer + offset,
                                         to.size(), ACL_MEMCPY_DEVICE_TO_HOST);
  return status ? failure(*runtime, "aclrtMemcpy", status) : Error::success();
}
