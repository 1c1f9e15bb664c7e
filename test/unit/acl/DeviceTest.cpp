//===- DeviceTest.cpp - initialisation, devices and contexts --------------===//
//
// Life cycles and the errors around them.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"

#include <cstdio>
#include <fstream>
#include <thread>
#include <unistd.h>

TEST(Init, CountsAndFinalizesOnce) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclInit(nullptr), 100002, "aclInit: already initialised");
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_FAILS(aclFinalize(), 100037, "aclFinalize: already finalised");
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

namespace {
// One file per process: tests run side by side.
std::string configFile(const char *text) {
  const std::string path = testing::TempDir() + "lossgrad_acl_config_" +
                           std::to_string(getpid()) + ".json";
  std::ofstream(path) << text;
  return path;
}
} // namespace

TEST(Init, ReadsConfiguration) {
  EXPECT_FAILS(aclInit("/nonexistent/acl.json"), 100003,
               "cannot read '/nonexistent/acl.json'");
  EXPECT_FAILS(aclInit(configFile("{").c_str()), 100006, "is not valid JSON");
  EXPECT_FAILS(aclInit(configFile(R"({"err_msg_mode":"7"})").c_str()), 100000,
               "err_msg_mode '7'");
  EXPECT_FAILS(
      aclInit(
          configFile(R"({"defaultDevice":{"default_device":"x"}})").c_str()),
      100000, "default_device 'x'");
  ASSERT_EQ(
      aclInit(
          configFile(R"({"defaultDevice":{"default_device":"2"}})").c_str()),
      ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(aclrtResetDevice(2), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(Init, ProcessWideErrors) {
  ASSERT_EQ(aclInit(configFile(R"({"err_msg_mode":"1"})").c_str()), 0);
  std::thread([] { aclrtFree(nullptr); }).join();
  EXPECT_NE(recentError().find("aclrtFree"), std::string::npos);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  ASSERT_EQ(aclInit(configFile(R"({"err_msg_mode":"0"})").c_str()), 0);
  std::thread([] { aclrtFree(nullptr); }).join();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(Init, FinalizeReportsLeaks) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  void *memory = nullptr, *host = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtMallocHost(&host, 50), 0);
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  const std::string report = testing::internal::GetCapturedStderr();
  for (const char *line :
       {"aclFinalize: still alive:", "1 stream(s) not destroyed",
        "1 event(s) not destroyed", "100 bytes of device memory at",
        "50 bytes of pinned host memory at"})
    EXPECT_NE(report.find(line), std::string::npos) << line << "\n" << report;
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(aclrtFreeHost(host), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Process, Versions) {
  int32_t major = 0, minor = 0, patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 13);
  EXPECT_EQ(patch, 0);
  EXPECT_FAILS(aclrtGetVersion(&major, nullptr, &patch), 100000,
               "aclrtGetVersion");
  aclCANNPackageVersion version;
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), ACL_SUCCESS);
  EXPECT_STREQ(version.majorVersion, "8");
  EXPECT_FAILS(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), 100000,
               "version must not be null");
  EXPECT_FAILS(aclsysGetCANNVersion(aclCANNPackageName(99), &version), 100000,
               "package 99");
}

TEST(Process, RecentErrorIsNewestFirstAndCleared) {
  aclGetRecentErrMsg();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  aclrtFree(nullptr);
  aclrtFreeHost(nullptr);
  const std::string text = recentError();
  const size_t newer = text.find("aclrtFreeHost"),
               older = text.find("aclrtFree:");
  ASSERT_NE(newer, std::string::npos);
  ASSERT_NE(older, std::string::npos);
  EXPECT_LT(newer, older);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(Process, LastErrorOfTheThread) {
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  aclrtFree(nullptr);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 100000);
  std::thread([] {
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
  }).join();
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 100000);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
  EXPECT_FAILS(aclrtGetLastError(aclrtLastErrLevel(5)), 107000, "level 5");
  EXPECT_FAILS(aclrtPeekAtLastError(aclrtLastErrLevel(5)), 107000, "level 5");
}

TEST(Device, WithoutDeviceMostCallsFail) {
  // A thread of its own has no device, whatever other tests did.
  std::thread([] {
    void *memory = nullptr;
    int32_t device = 0;
    size_t free = 0, total = 0;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtContext context = nullptr;
    char bytes[8];
    const char *text = "no current device";
    EXPECT_FAILS(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002,
                 text);
    EXPECT_FAILS(aclrtMallocHost(&memory, 8), 107002, text);
    EXPECT_FAILS(aclrtMemcpy(bytes, 4, bytes + 4, 4, ACL_MEMCPY_HOST_TO_HOST),
                 107002, text);
    EXPECT_FAILS(aclrtMemset(bytes, 8, 0, 8), 107002, text);
    EXPECT_FAILS(aclrtCreateStream(&stream), 107002, text);
    EXPECT_FAILS(aclrtCreateEvent(&event), 107002, text);
    EXPECT_FAILS(aclrtSynchronizeStream(nullptr), 107002, text);
    EXPECT_FAILS(aclrtSynchronizeDevice(), 107002, text);
    EXPECT_FAILS(aclrtGetDevice(&device), 107002, text);
    EXPECT_FAILS(aclrtGetCurrentContext(&context), 107002, text);
    EXPECT_FAILS(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 107002, text);
    int64_t value = 0;
    EXPECT_FAILS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 107002,
                 text);
    EXPECT_FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107002,
                 text);
  }).join();
}

TEST(Device, ReferenceCount) {
  EXPECT_FAILS(aclrtResetDevice(5), 507007,
               "device 5 was never set or is already reset");
  EXPECT_EQ(aclrtSetDevice(5), 0);
  EXPECT_EQ(aclrtSetDevice(5), 0);
  EXPECT_EQ(aclrtResetDevice(5), 0);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), 0);
  EXPECT_EQ(device, 5);
  EXPECT_EQ(aclrtResetDevice(5), 0);
  EXPECT_EQ(aclrtGetDevice(&device), 107002);
  EXPECT_EQ(aclrtResetDevice(5), 507007);
  EXPECT_EQ(aclrtSetDevice(5), 0);
  EXPECT_EQ(aclrtSetDevice(5), 0);
  EXPECT_EQ(aclrtResetDeviceForce(5), 0);
  EXPECT_EQ(aclrtGetDevice(&device), 107002);
}

TEST(Device, BadNumbers) {
  EXPECT_FAILS(aclrtSetDevice(-1), 107001, "device -1 is not in [0, 8)");
  EXPECT_FAILS(aclrtSetDevice(8), 107001, "aclrtSetDevice: device 8");
  EXPECT_FAILS(aclrtResetDevice(99), 107001, "device 99");
  EXPECT_FAILS(aclrtResetDeviceForce(99), 107001, "device 99");
  EXPECT_FAILS(aclrtGetDevice(nullptr), 100000, "deviceId");
  EXPECT_FAILS(aclrtGetDeviceCount(nullptr), 100000, "count");
  EXPECT_FAILS(aclrtGetRunMode(nullptr), 100000, "runMode");
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), 0);
  EXPECT_EQ(count, 8u);
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), 0);
  EXPECT_EQ(mode, ACL_HOST);
}

TEST(Device, Capabilities) {
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1");
  int64_t value = 0;
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value), 0);
  EXPECT_EQ(value, 24);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value),
            0);
  EXPECT_EQ(value, 48);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value), 0);
  EXPECT_EQ(value, 192ll << 20);
  EXPECT_FAILS(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value),
               100000, "device info -1");
  EXPECT_FAILS(aclGetDeviceCapability(64, ACL_DEVICE_INFO_L2_SIZE, &value),
               107001, "device 64");
  EXPECT_FAILS(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, nullptr),
               100000, "value");
}

TEST_F(OnDevice, Contexts) {
  aclrtContext primary = nullptr, own = nullptr, current = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), 0);
  ASSERT_EQ(aclrtCreateContext(&own, 1), 0);
  EXPECT_EQ(aclrtGetCurrentContext(&current), 0);
  EXPECT_EQ(current, own);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(aclrtSetCurrentContext(primary), 0);
  EXPECT_EQ(aclrtDestroyContext(own), 0);
  EXPECT_FAILS(aclrtSetCurrentContext(own), 107017, "a destroyed context");
  EXPECT_FAILS(aclrtDestroyContext(own), 107017, "a destroyed context");
  EXPECT_FAILS(aclrtDestroyContext(primary), 107000, "aclrtResetDevice");
  EXPECT_FAILS(aclrtDestroyContext(nullptr), 100000, "context");
  EXPECT_FAILS(aclrtSetCurrentContext(&device), 107017, "not a context");
  EXPECT_FAILS(aclrtSetCurrentContext(nullptr), 100000, "context");
  EXPECT_FAILS(aclrtGetCurrentContext(nullptr), 100000, "context");
  EXPECT_FAILS(aclrtCreateContext(nullptr, 0), 100000, "context");
  EXPECT_FAILS(aclrtCreateContext(&own, 100), 107001, "device 100");
}

TEST_F(OnDevice, ThreadsShareTheContextOfADevice) {
  aclrtContext here = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&here), 0);
  std::thread([here] {
    aclrtContext there = nullptr;
    EXPECT_EQ(aclrtSetDevice(0), 0);
    EXPECT_EQ(aclrtGetCurrentContext(&there), 0);
    EXPECT_EQ(here, there);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }).join();
}

TEST_F(OnDevice, SystemOptions) {
  int64_t value = -1;
  EXPECT_FAILS(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value), 107021,
               "was never set");
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 1), 0);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value), 0);
  EXPECT_EQ(value, 1);
  EXPECT_FAILS(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, nullptr),
               100000, "value");
  EXPECT_FAILS(aclrtSetSysParamOpt(aclSysParamOpt(9), 1), 100000, "option 9");
  EXPECT_FAILS(aclrtGetSysParamOpt(aclSysParamOpt(9), &value), 100000,
               "option 9");
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021,
               "in this context");
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3), 0);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
  EXPECT_EQ(value, 3);
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), 100000,
               "value");
  EXPECT_FAILS(aclrtCtxSetSysParamOpt(aclSysParamOpt(9), 1), 100000,
               "option 9");
  EXPECT_FAILS(aclrtCtxGetSysParamOpt(aclSysParamOpt(9), &value), 100000,
               "option 9");
}
