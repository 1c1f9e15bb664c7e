//===- AclDevice.cpp - process, device and context functions --------------===//
//
// aclInit to aclFinalize, device selection, contexts, options and capabilities.
//
//===----------------------------------------------------------------------===//
#include "Runtime.h"
#include "acl/acl.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace lossgrad::acl;

namespace {

struct InitState {
  std::mutex mutex;
  uint64_t references = 0;
  bool finalized = false;
};
InitState &initState() {
  static auto *state = new InitState;
  return *state;
}

/// The part of a configuration file that means something here.
aclError readConfig(const char *path) {
  std::ifstream file(path);
  if (!file)
    return fail("aclInit", ACL_ERROR_INVALID_FILE, "cannot read '%s'", path);
  const auto config = nlohmann::json::parse(file, nullptr, false);
  if (config.is_discarded())
    return fail("aclInit", ACL_ERROR_PARSE_FILE, "'%s' is not valid JSON",
                path);
  auto text = [](const nlohmann::json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  if (config.is_object() && config.contains("err_msg_mode")) {
    const std::string mode = text(config["err_msg_mode"]);
    if (mode != "0" && mode != "1")
      return fail("aclInit", ACL_ERROR_INVALID_PARAM,
                  "err_msg_mode '%s' in '%s' is neither 0 nor 1", mode.c_str(),
                  path);
    shareErrorsAcrossThreads(mode == "1");
  }
  const auto device =
      nlohmann::json::json_pointer("/defaultDevice/default_device");
  if (config.is_object() && config.contains(device)) {
    const std::string id = text(config[device]);
    if (id.empty() || id.size() > 4 ||
        !std::all_of(id.begin(), id.end(), ::isdigit))
      return fail("aclInit", ACL_ERROR_INVALID_PARAM,
                  "default_device '%s' in '%s' is not a device number",
                  id.c_str(), path);
    return Runtime::get().setDevice("aclInit", std::stoi(id));
  }
  return ACL_SUCCESS;
}

} // namespace

aclError aclInit(const char *configPath) {
  InitState &state = initState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.references > 0) {
    ++state.references;
    return fail("aclInit", ACL_ERROR_REPEAT_INITIALIZE,
                "already initialised (call number %zu); may be ignored",
                size_t(state.references));
  }
  Runtime::get();
  if (configPath && *configPath)
    if (aclError error = readConfig(configPath))
      return error;
  state.references = 1;
  state.finalized = false;
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  InitState &state = initState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.finalized)
    return fail("aclFinalize", ACL_ERROR_REPEAT_FINALIZE,
                "already finalised; no aclInit since");
  state.references = 0;
  state.finalized = true;
  const std::string leaks = Runtime::get().leakReport();
  if (!leaks.empty())
    std::fprintf(stderr, "aclFinalize: still alive:\n%s", leaks.c_str());
  return ACL_SUCCESS;
}

aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch) {
  if (!major || !minor || !patch)
    return failNull("aclrtGetVersion", "each version pointer");
  *major = ACL_MAJOR_VERSION;
  *minor = ACL_MINOR_VERSION;
  *patch = ACL_PATCH_VERSION;
  return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name,
                              aclCANNPackageVersion *version) {
  if (!version)
    return failNull("aclsysGetCANNVersion", "version");
  if (name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER)
    return fail("aclsysGetCANNVersion", ACL_ERROR_INVALID_PARAM,
                "package %d is unknown", int(name));
  *version = aclCANNPackageVersion();
  std::strcpy(version->version, "8.1.0");
  std::strcpy(version->majorVersion, "8");
  std::strcpy(version->minorVersion, "1");
  std::strcpy(version->releaseVersion, "0");
  std::strcpy(version->patchVersion, "0");
  return ACL_SUCCESS;
}

const char *aclGetRecentErrMsg() { return takeRecentError(); }

static aclError checkLevel(const char *call, aclrtLastErrLevel level) {
  if (level == ACL_RT_THREAD_LEVEL)
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID, "level %d is not 0",
              int(level));
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (aclError error = checkLevel("aclrtPeekAtLastError", level))
    return error;
  return peekLastError();
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  if (aclError error = checkLevel("aclrtGetLastError", level))
    return error;
  return takeLastError();
}

aclError aclrtSetDevice(int32_t deviceId) {
  return Runtime::get().setDevice("aclrtSetDevice", deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
  return Runtime::get().resetDevice("aclrtResetDevice", deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return Runtime::get().resetDevice("aclrtResetDeviceForce", deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId) {
  if (!deviceId)
    return failNull("aclrtGetDevice", "deviceId");
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext("aclrtGetDevice");
  *deviceId = context->device;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count) {
  if (!count)
    return failNull("aclrtGetDeviceCount", "count");
  *count = settings().deviceCount;
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode) {
  if (!runMode)
    return failNull("aclrtGetRunMode", "runMode");
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

static aclError synchronizeDevice(const char *call, int32_t timeout) {
  Runtime &runtime = Runtime::get();
  auto context = runtime.currentContext();
  if (!context)
    return failNoContext(call);
  const Deadline deadline(timeout);
  aclError first = ACL_SUCCESS;
  for (auto &entry : runtime.streams.all()) {
    if (entry.second->device != context->device)
      continue;
    aclError error = runtime.synchronize(call, entry.second, deadline);
    if (first == ACL_SUCCESS)
      first = error;
  }
  return first;
}

aclError aclrtSynchronizeDevice(void) {
  return synchronizeDevice("aclrtSynchronizeDevice", -1);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  const char *call = "aclrtSynchronizeDeviceWithTimeout";
  if (timeout < -1 || timeout == 0)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "timeout %d must be -1 or positive", timeout);
  return synchronizeDevice(call, timeout);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) {
  Runtime &runtime = Runtime::get();
  if (!context)
    return failNull("aclrtCreateContext", "context");
  if (!runtime.deviceIsValid(deviceId))
    return fail("aclrtCreateContext", ACL_ERROR_RT_INVALID_DEVICEID,
                "device %d is not in [0, %u)", deviceId,
                settings().deviceCount);
  *context = runtime.createContext(deviceId, /*primary=*/false);
  runtime.setCurrentContext(*context);
  return ACL_SUCCESS;
}

static aclError findContext(const char *call, aclrtContext handle,
                            std::shared_ptr<Context> &context) {
  if (!handle)
    return failNull(call, "context");
  context = Runtime::get().contexts.find(handle);
  if (context)
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_INVALID_HANDLE, "%p is %s", handle,
              Runtime::get().contexts.wasIssued(handle) ? "a destroyed context"
                                                        : "not a context");
}

aclError aclrtDestroyContext(aclrtContext handle) {
  std::shared_ptr<Context> context;
  if (aclError error = findContext("aclrtDestroyContext", handle, context))
    return error;
  if (context->primary)
    return fail("aclrtDestroyContext", ACL_ERROR_RT_PARAM_INVALID,
                "the default context of device %d ends with aclrtResetDevice",
                context->device);
  Runtime::get().destroyContext(handle);
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext handle) {
  std::shared_ptr<Context> context;
  if (aclError error = findContext("aclrtSetCurrentContext", handle, context))
    return error;
  Runtime::get().setCurrentContext(handle);
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context) {
  if (!context)
    return failNull("aclrtGetCurrentContext", "context");
  void *handle = nullptr;
  if (!Runtime::get().currentContext(&handle))
    return failNoContext("aclrtGetCurrentContext");
  *context = handle;
  return ACL_SUCCESS;
}

static bool validOption(aclSysParamOpt opt) {
  return opt == ACL_OPT_DETERMINISTIC || opt == ACL_OPT_ENABLE_DEBUG_KERNEL;
}

static aclError checkOption(const char *call, aclSysParamOpt opt) {
  if (validOption(opt))
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_INVALID_PARAM, "option %d is unknown", int(opt));
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  if (aclError error = checkOption("aclrtSetSysParamOpt", opt))
    return error;
  Runtime::get().systemOptions[opt] = value;
  Runtime::get().systemOptionSet[opt] = true;
  return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value) {
  if (aclError error = checkOption("aclrtGetSysParamOpt", opt))
    return error;
  if (!value)
    return failNull("aclrtGetSysParamOpt", "value");
  if (!Runtime::get().systemOptionSet[opt])
    return fail("aclrtGetSysParamOpt", ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                "option %d was never set", int(opt));
  *value = Runtime::get().systemOptions[opt];
  return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  if (aclError error = checkOption("aclrtCtxSetSysParamOpt", opt))
    return error;
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext("aclrtCtxSetSysParamOpt");
  std::lock_guard<std::mutex> lock(context->mutex);
  context->options[opt] = value;
  return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value) {
  if (aclError error = checkOption("aclrtCtxGetSysParamOpt", opt))
    return error;
  if (!value)
    return failNull("aclrtCtxGetSysParamOpt", "value");
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext("aclrtCtxGetSysParamOpt");
  std::lock_guard<std::mutex> lock(context->mutex);
  auto found = context->options.find(opt);
  if (found == context->options.end())
    return fail("aclrtCtxGetSysParamOpt", ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                "option %d was never set in this context", int(opt));
  *value = found->second;
  return ACL_SUCCESS;
}

const char *aclrtGetSocName() {
  return settings().soc ? settings().soc->name : nullptr;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                int64_t *value) {
  const char *call = "aclGetDeviceCapability";
  if (!value)
    return failNull(call, "value");
  if (!Runtime::get().deviceIsValid(int32_t(deviceId)))
    return fail(call, ACL_ERROR_RT_INVALID_DEVICEID,
                "device %u is not in [0, %u)", deviceId,
                settings().deviceCount);
  const lossgrad::targets::Soc *soc = settings().soc;
  if (!soc)
    return fail(call, ACL_ERROR_RT_SOC_VERSION,
                "LOSSGRAD_SOC='%s' is no known product",
                settings().socName.c_str());
  switch (deviceInfo) {
  case ACL_DEVICE_INFO_AI_CORE_NUM:
    *value = soc->cubeCores;
    return ACL_SUCCESS;
  case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
    *value = soc->vectorCores;
    return ACL_SUCCESS;
  case ACL_DEVICE_INFO_L2_SIZE:
    *value = int64_t(soc->l2MiB) << 20;
    return ACL_SUCCESS;
  default:
    return fail(call, ACL_ERROR_INVALID_PARAM, "device info %d is unknown",
                int(deviceInfo));
  }
}

void aclAppLog(aclLogLevel level, const char *func, const char *file,
               uint32_t line, const char *fmt, ...) {
  if (!func || !file || !fmt)
    return;
  char text[4096];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  const char *slash = std::strrchr(file, '/');
  const std::string where = lossgrad::acl::format(
      "%s:%u: %s: ", slash ? slash + 1 : file, line, func);
  log(level, where + text);
  if (level == ACL_ERROR)
    noteApplicationError(func, text);
}
