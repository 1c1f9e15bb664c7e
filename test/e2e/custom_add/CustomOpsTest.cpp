//===- CustomOpsTest.cpp - custom operators through aclnn -----------------===//
//
// What the generated path promises: values, status codes, executors, strides,
// tiling without kernels. The operators are in add/ and scale/.
//
//===----------------------------------------------------------------------===//
#include "acl/acl.h"
#include "aclnn_add_broadcast.h"
#include "aclnn_scale_custom.h"
#include "lossgrad/op_test.h"
#include "lossgrad/sim/Modes.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

using Dims = std::vector<int64_t>;

int64_t product(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// A tensor with its own device memory.
struct Tensor {
  void *memory = nullptr;
  aclTensor *tensor = nullptr;
  size_t bytes = 0;

  template <typename T>
  Tensor(const Dims &dims, const std::vector<T> &values, aclDataType type,
         const Dims &strides = {}, int64_t offset = 0,
         aclFormat format = ACL_FORMAT_ND) {
    bytes = values.size() * sizeof(T);
    if (bytes) {
      EXPECT_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
      EXPECT_EQ(aclrtMemcpy(memory, bytes, values.data(), bytes,
                            ACL_MEMCPY_HOST_TO_DEVICE),
                0);
    }
    const int64_t storage = int64_t(values.size());
    tensor = aclCreateTensor(dims.data(), dims.size(), type,
                             strides.empty() ? nullptr : strides.data(), offset,
                             format, &storage, 1, memory);
  }
  Tensor(const Tensor &) = delete;
  ~Tensor() {
    aclDestroyTensor(tensor);
    if (memory)
      aclrtFree(memory);
  }
  template <typename T> std::vector<T> read() const {
    std::vector<T> values(bytes / sizeof(T));
    EXPECT_EQ(aclrtMemcpy(values.data(), bytes, memory, bytes,
                          ACL_MEMCPY_DEVICE_TO_HOST),
              0);
    return values;
  }
};

std::vector<float> ramp(int64_t count, float from = 0) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = from + float(i);
  return values;
}

std::string recentError() {
  const char *text = aclGetRecentErrMsg();
  return text ? text : "";
}

class CustomOps : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream), 0);
    aclGetRecentErrMsg();
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }

  /// Runs phase 2 with a workspace of the right size and waits.
  template <typename Phase2>
  aclnnStatus finish(Phase2 phase2, uint64_t size, aclOpExecutor *executor) {
    void *workspace = nullptr;
    if (size) {
      EXPECT_EQ(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    }
    aclnnStatus status = phase2(workspace, size, executor, stream);
    if (!status)
      status = aclrtSynchronizeStream(stream);
    if (workspace) {
      EXPECT_EQ(aclrtFree(workspace), 0);
    }
    return status;
  }

  void expectAdd(const Dims &a, const Dims &b, const Dims &out) {
    Tensor self(a, ramp(product(a)), ACL_FLOAT);
    Tensor other(b, ramp(product(b), 100), ACL_FLOAT);
    Tensor result(out, std::vector<float>(product(out), -1), ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    ASSERT_EQ(aclnnAddBroadcastGetWorkspaceSize(self.tensor, other.tensor, 0.5f,
                                                result.tensor, &size,
                                                &executor),
              0)
        << recentError();
    ASSERT_EQ(finish(aclnnAddBroadcast, size, executor), 0) << recentError();
    auto at = [&](const Dims &dims, int64_t index) {
      int64_t offset = 0, stride = 1;
      for (size_t i = 0; i < out.size(); ++i) {
        const int64_t digit = index % out[out.size() - 1 - i];
        index /= out[out.size() - 1 - i];
        if (i >= dims.size())
          continue;
        const int64_t dim = dims[dims.size() - 1 - i];
        offset += dim == 1 ? 0 : digit * stride;
        stride *= dim;
      }
      return float(offset);
    };
    const std::vector<float> values = result.read<float>();
    for (int64_t i = 0; i < product(out); ++i)
      ASSERT_EQ(values[i], at(a, i) + 0.5f * (100 + at(b, i))) << "at " << i;
  }

  aclrtStream stream = nullptr;
};

TEST_F(CustomOps, AddsEveryBroadcastAndTail) {
  for (int64_t n : {1, 7, 8, 31, 32, 33, 513, 8191}) {
    expectAdd({n}, {n}, {n});
    expectAdd({n}, {1}, {n});
    expectAdd({3, n}, {n}, {3, n});
  }
  expectAdd({}, {}, {});
  expectAdd({4, 1, 5}, {1, 3, 1}, {4, 3, 5});
  expectAdd({2, 3, 1, 7}, {5, 1}, {2, 3, 5, 7});
  expectAdd({100000}, {}, {100000});
  expectAdd({2, 2, 2, 2, 2, 2, 2, 3}, {2, 1, 3}, {2, 2, 2, 2, 2, 2, 2, 3});
}

TEST_F(CustomOps, HalfRowHasItsOwnKernel) {
  const std::vector<uint16_t> one(70, aclFloatToFloat16(1.5f));
  Tensor self({70}, one, ACL_FLOAT16), other({70}, one, ACL_FLOAT16),
      out({70}, one, ACL_FLOAT16);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnAddBroadcastGetWorkspaceSize(self.tensor, other.tensor, 2.0f,
                                              out.tensor, &size, &executor),
            0);
  ASSERT_EQ(finish(aclnnAddBroadcast, size, executor), 0) << recentError();
  for (uint16_t value : out.read<uint16_t>())
    ASSERT_EQ(aclFloat16ToFloat(value), 4.5f);
}

TEST_F(CustomOps, StridedInputsAreMadeDense) {
  // A transposed view of a 3 x 4 matrix, from element 1 on.
  Tensor self({4, 3}, ramp(13), ACL_FLOAT, {1, 4}, 1);
  Tensor other({1}, ramp(1), ACL_FLOAT);
  Tensor out({4, 3}, ramp(12), ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnAddBroadcastGetWorkspaceSize(self.tensor, other.tensor, 1.0f,
                                              out.tensor, &size, &executor),
            0);
  EXPECT_EQ(size, 512u);
  ASSERT_EQ(finish(aclnnAddBroadcast, size, executor), 0) << recentError();
  const std::vector<float> values = out.read<float>();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(values[i * 3 + j], float(1 + i + 4 * j));
}

TEST_F(CustomOps, GeneratedChecks) {
  Tensor x({8}, ramp(8), ACL_FLOAT), y({8}, ramp(8), ACL_FLOAT);
  Tensor doubles({8}, std::vector<double>(8), ACL_DOUBLE);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  auto phase1 = [&](const aclTensor *in, const aclTensor *out,
                    uint64_t *sizeOut, aclOpExecutor **executorOut) {
    aclGetRecentErrMsg();
    return aclnnScaleCustomGetWorkspaceSize(in, nullptr, 2.0, nullptr, nullptr,
                                            out, sizeOut, executorOut);
  };
  EXPECT_EQ(phase1(nullptr, y.tensor, &size, &executor), 161001);
  EXPECT_NE(recentError().find("EZ1001: aclnnScaleCustom: required input x is "
                               "null (161001)"),
            std::string::npos);
  EXPECT_EQ(phase1(x.tensor, nullptr, &size, &executor), 161001);
  EXPECT_NE(recentError().find("output y is null"), std::string::npos);
  EXPECT_EQ(phase1(x.tensor, y.tensor, nullptr, &executor), 161001);
  EXPECT_EQ(phase1(x.tensor, y.tensor, &size, nullptr), 161001);
  EXPECT_EQ(phase1(doubles.tensor, y.tensor, &size, &executor), 161002);
  EXPECT_NE(recentError().find("x DOUBLE (format 2), y FLOAT (format 2)"),
            std::string::npos);
  EXPECT_EQ(
      phase1(reinterpret_cast<aclTensor *>(&size), y.tensor, &size, &executor),
      161002);
  EXPECT_NE(recentError().find("is not a live aclTensor"), std::string::npos);
}

TEST_F(CustomOps, AttributesDefaultsAndOptionalInput) {
  Tensor x({1000}, ramp(1000), ACL_FLOAT), y({1000}, ramp(1000), ACL_FLOAT);
  Tensor bias({1000}, ramp(1000, 5), ACL_FLOAT);
  auto run = [&](const aclTensor *biasOptional, char *mode,
                 const aclIntArray *offsets) {
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, biasOptional, 3.0,
                                               mode, offsets, y.tensor, &size,
                                               &executor),
              0)
        << recentError();
    EXPECT_EQ(size, 1024u); // 1000 bytes of tiling's own
    EXPECT_EQ(finish(aclnnScaleCustom, size, executor), 0) << recentError();
    return y.read<float>();
  };
  char add[] = "add";
  const int64_t minusOne[] = {-1};
  aclIntArray *offsets = aclCreateIntArray(minusOne, 1);
  EXPECT_EQ(run(nullptr, nullptr, nullptr)[10], 37.0f); // default offset 7
  EXPECT_EQ(run(nullptr, nullptr, offsets)[10], 29.0f);
  EXPECT_EQ(run(nullptr, add, offsets)[10], 12.0f);
  EXPECT_EQ(run(bias.tensor, add, offsets)[999], 999.0f + 2 + 1004);
  aclDestroyIntArray(offsets);
}

TEST_F(CustomOps, RowsShareOneBinary) {
  Tensor x({3000}, std::vector<int32_t>(3000, 4), ACL_INT32);
  Tensor y({3000}, ramp(3000), ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, nullptr, 0.5, nullptr,
                                             nullptr, y.tensor, &size,
                                             &executor),
            0)
      << recentError();
  ASSERT_EQ(finish(aclnnScaleCustom, size, executor), 0) << recentError();
  for (float value : y.read<float>())
    ASSERT_EQ(value, 9.0f);
}

TEST_F(CustomOps, FormatsOfPlainTensorsMeanNd) {
  Tensor x({1, 2, 3, 4}, ramp(24), ACL_FLOAT, {}, 0, ACL_FORMAT_NCHW);
  Tensor y({1, 2, 3, 4}, ramp(24), ACL_FLOAT, {}, 0, ACL_FORMAT_NCDHW);
  Tensor nz({1, 2, 3, 4}, ramp(24), ACL_FLOAT, {}, 0, ACL_FORMAT_FRACTAL_NZ);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  auto phase1 = [&](const Tensor &in) {
    return aclnnScaleCustomGetWorkspaceSize(
        in.tensor, nullptr, 1.0, nullptr, nullptr, y.tensor, &size, &executor);
  };
  EXPECT_EQ(phase1(x), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(phase1(nz), 161002);
}

TEST_F(CustomOps, StridedInputWithoutLeaveFailsInPhase2) {
  Tensor x({4, 3}, ramp(12), ACL_FLOAT, {1, 4});
  Tensor y({4, 3}, ramp(12), ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, nullptr, 1.0, nullptr,
                                             nullptr, y.tensor, &size,
                                             &executor),
            0);
  EXPECT_EQ(finish(aclnnScaleCustom, size, executor), 561000);
  EXPECT_NE(recentError().find("input x with shape [4, 3] and strides [1, 4] "
                               "is not contiguous"),
            std::string::npos);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_F(CustomOps, TilingFailureIs561002) {
  Tensor x({8}, ramp(8), ACL_FLOAT), y({8}, ramp(8), ACL_FLOAT);
  char bad[] = "divide";
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  EXPECT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, nullptr, 1.0, bad,
                                             nullptr, y.tensor, &size,
                                             &executor),
            561002);
  EXPECT_NE(recentError().find("the tiling function of ScaleCustom returned "
                               "4294967295"),
            std::string::npos);
}

TEST_F(CustomOps, EmptyOutputsLaunchNothing) {
  Tensor x({0, 3}, std::vector<float>(), ACL_FLOAT);
  Tensor y({0, 3}, std::vector<float>(), ACL_FLOAT);
  uint64_t size = 99;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, nullptr, 1.0, nullptr,
                                             nullptr, y.tensor, &size,
                                             &executor),
            0);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(aclnnScaleCustom(nullptr, 0, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

/// Two vectors of 64 floats and a planned ScaleCustom call.
struct Planned {
  Tensor x{{64}, ramp(64), ACL_FLOAT}, y{{64}, ramp(64), ACL_FLOAT};
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  void *workspace = nullptr;
  Planned() {
    EXPECT_EQ(aclnnScaleCustomGetWorkspaceSize(x.tensor, nullptr, 2.0, nullptr,
                                               nullptr, y.tensor, &size,
                                               &executor),
              0);
    EXPECT_EQ(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  }
  ~Planned() { aclrtFree(workspace); }
};

TEST_F(CustomOps, ExecutorRunsOnce) {
  Planned call;
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, nullptr, stream),
            161001);
  EXPECT_EQ(aclnnScaleCustom(nullptr, call.size, call.executor, stream),
            161001);
  EXPECT_EQ(
      aclnnScaleCustom(call.workspace, call.size - 1, call.executor, stream),
      161002);
  EXPECT_NE(recentError().find("a workspace of 1023 bytes is smaller than the "
                               "1024 that phase 1 asked for"),
            std::string::npos);
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            0);
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            561000);
  EXPECT_NE(recentError().find("an executor that has already run"),
            std::string::npos);
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor),
            0); // harmless, as documented
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor), 561000);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.y.read<float>()[63], 133.0f);
}

TEST_F(CustomOps, RepeatableExecutorTakesNewAddresses) {
  Planned call;
  Tensor other({64}, ramp(64, 1000), ACL_FLOAT);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), 0);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(
        aclnnScaleCustom(call.workspace, call.size, call.executor, stream), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.y.read<float>()[1], 9.0f);
  EXPECT_EQ(aclSetInputTensorAddr(call.executor, 0, other.tensor, other.memory),
            0);
  ASSERT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.y.read<float>()[1], 2009.0f);

  EXPECT_EQ(aclSetInputTensorAddr(nullptr, 0, other.tensor, other.memory),
            561103);
  EXPECT_EQ(aclSetInputTensorAddr(call.executor, 0, nullptr, other.memory),
            561103);
  EXPECT_EQ(aclSetInputTensorAddr(call.executor, 2, other.tensor, other.memory),
            161002);
  EXPECT_EQ(aclSetInputTensorAddr(call.executor, 1, other.tensor, other.memory),
            161002); // bias was null in phase 1
  EXPECT_EQ(
      aclSetOutputTensorAddr(call.executor, 1, other.tensor, other.memory),
      161002);
  EXPECT_EQ(aclSetTensorAddr(call.executor, 2, call.y.tensor, call.y.memory),
            0);
  EXPECT_EQ(AclSetTensorAddr(call.executor, 3, call.y.tensor, call.y.memory),
            161002);
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            561000);
}

TEST_F(CustomOps, ExecutorOfAnotherOperator) {
  Planned call;
  EXPECT_EQ(aclnnAddBroadcast(call.workspace, call.size, call.executor, stream),
            161002);
  EXPECT_NE(recentError().find("the executor was made by aclnnScaleCustom"),
            std::string::npos);
  aclDestroyAclOpExecutor(call.executor);
}

TEST_F(CustomOps, DestroyedTensorIsSeenInPhase2) {
  Planned call;
  aclDestroyTensor(call.x.tensor);
  call.x.tensor = nullptr;
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            161002);
  aclDestroyAclOpExecutor(call.executor);
}

TEST_F(CustomOps, MissingAddressIsSeenInPhase2) {
  Planned call;
  aclSetRawTensorAddr(call.x.tensor, nullptr);
  EXPECT_EQ(aclnnScaleCustom(call.workspace, call.size, call.executor, stream),
            161001);
  EXPECT_NE(recentError().find("x has no device address"), std::string::npos);
  aclDestroyAclOpExecutor(call.executor);
}

TEST_F(CustomOps, BadMemoryIsADeviceFaultAtSynchronise) {
  std::vector<float> host(64);
  {
    Planned call;
    aclSetRawTensorAddr(call.x.tensor, host.data());
    ASSERT_EQ(
        aclnnScaleCustom(call.workspace, call.size, call.executor, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507035);
    EXPECT_NE(recentError().find("x at"), std::string::npos);
  }
  {
    // 64 floats, of which only 32 are there.
    Planned call;
    Tensor small({32}, ramp(32), ACL_FLOAT);
    aclSetRawTensorAddr(call.x.tensor, small.memory);
    ASSERT_EQ(
        aclnnScaleCustom(call.workspace, call.size, call.executor, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 507035);
    EXPECT_NE(recentError().find("x needs 256 bytes"), std::string::npos);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0); // reported once
}

TEST_F(CustomOps, CheckModeKnowsDeviceMemory) {
  lossgrad::sim::CheckOptions options;
  options.print = false;
  lossgrad::sim::useCheckMode(options);
  lossgrad::sim::takeFindings();
  {
    Planned written; // inputs from the host: nothing to report
    ASSERT_EQ(finish(aclnnScaleCustom, written.size, written.executor), 0)
        << recentError();
    EXPECT_TRUE(lossgrad::sim::takeFindings().empty());
  }
  void *fresh = nullptr;
  ASSERT_EQ(aclrtMalloc(&fresh, 256, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  Planned call;
  aclSetRawTensorAddr(call.x.tensor, fresh); // nobody has written it
  finish(aclnnScaleCustom, call.size, call.executor);
  bool found = false;
  for (const auto &finding : lossgrad::sim::takeFindings())
    found |= finding.rule == "undefined-data";
  EXPECT_TRUE(found);
  lossgrad::sim::useFastMode();
  EXPECT_EQ(aclrtFree(fresh), 0);
}

TEST_F(CustomOps, PublicFunctionChecksShapes) {
  Tensor a({2, 3}, ramp(6), ACL_FLOAT), b({4}, ramp(4), ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  EXPECT_EQ(aclnnAddBroadcastGetWorkspaceSize(a.tensor, b.tensor, 1, a.tensor,
                                              &size, &executor),
            161002);
  EXPECT_NE(recentError().find("self and other cannot be broadcast"),
            std::string::npos);
  EXPECT_EQ(aclnnAddBroadcastGetWorkspaceSize(a.tensor, a.tensor, 1, b.tensor,
                                              &size, &executor),
            161002);
  EXPECT_EQ(aclnnAddBroadcastGetWorkspaceSize(a.tensor, nullptr, 1, a.tensor,
                                              &size, &executor),
            161001);
}

TEST_F(CustomOps, LibraryExportsOnlyItsOwnFunctions) {
  void *library = dlopen("libcust_opapi.so", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  EXPECT_NE(dlsym(library, "aclnnAddBroadcast"), nullptr);
  Dl_info own, meta;
  ASSERT_TRUE(dladdr(dlsym(library, "aclnnAddBroadcast"), &own));
  // The inner API is hidden; meta functions come from libnnopbase.
  EXPECT_EQ(dlsym(library, "aclnnInnerAddCustom"), nullptr);
  ASSERT_TRUE(dladdr(dlsym(library, "aclCreateTensor"), &meta));
  EXPECT_STRNE(own.dli_fname, meta.dli_fname);
  dlclose(library);
}

} // namespace
