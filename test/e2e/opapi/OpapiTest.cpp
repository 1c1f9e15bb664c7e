//===- OpapiTest.cpp - libopapi.so as applications use it -----------------===//
//
// The two-phase contract on an emitted operator: executors, workspace, threads,
// streams, and when results are there. Values of all operators are the business
// of lossgrad-run.
//
//===----------------------------------------------------------------------===//
#include "acl/acl.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "lossgrad/sim/Modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using Dims = std::vector<int64_t>;
using Floats = std::vector<float>;

/// A dense float tensor with its own device memory.
struct Tensor {
  void *memory = nullptr;
  aclTensor *tensor = nullptr;
  size_t count = 0;

  Tensor(const Dims &dims, const Floats &values) : count(values.size()) {
    const size_t bytes = count * sizeof(float);
    if (count) {
      EXPECT_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
      write(values);
    }
    tensor = aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, nullptr, 0,
                             ACL_FORMAT_ND, dims.data(), dims.size(), memory);
  }
  Tensor(const Tensor &) = delete;
  ~Tensor() {
    aclDestroyTensor(tensor);
    if (memory)
      aclrtFree(memory);
  }
  void write(const Floats &values) {
    const size_t bytes = count * sizeof(float);
    EXPECT_EQ(aclrtMemcpy(memory, bytes, values.data(), bytes,
                          ACL_MEMCPY_HOST_TO_DEVICE),
              0);
  }
  Floats read() const {
    Floats values(count);
    const size_t bytes = count * sizeof(float);
    EXPECT_EQ(aclrtMemcpy(values.data(), bytes, memory, bytes,
                          ACL_MEMCPY_DEVICE_TO_HOST),
              0);
    return values;
  }
};

Floats ramp(size_t count, float start) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = start + 0.25f * float(i % 37);
  return values;
}

/// The formula, independent of any generated code (reduction sum).
Floats expectedResult(const Floats &gradOut, const Floats &self,
                      const Floats &target, float beta) {
  Floats result(self.size());
  for (size_t i = 0; i < self.size(); ++i) {
    const double x = double(self[i]) - target[i];
    const double d = std::fabs(x) < beta ? x / beta : (x > 0) - (x < 0);
    result[i] = float(d * gradOut[i]);
  }
  return result;
}

bool near(const Floats &values, const Floats &right) {
  for (size_t i = 0; i < right.size(); ++i)
    if (!(std::fabs(values[i] - right[i]) <= 1e-6f * std::fabs(right[i])))
      return false;
  return values.size() == right.size();
}

/// A call between its phases: operands, executor and workspace.
struct Call {
  Floats gradOutValues, selfValues, targetValues;
  Tensor gradOut, self, target, gradInput;
  uint64_t workspaceSize = ~uint64_t(0);
  aclOpExecutor *executor = nullptr;
  void *workspace = nullptr;
  float beta;

  Call(size_t count, float start, float beta = 2.0f)
      : gradOutValues(ramp(count, 1)), selfValues(ramp(count, start)),
        targetValues(count, start + 3),
        gradOut({int64_t(count)}, gradOutValues),
        self({int64_t(count)}, selfValues),
        target({int64_t(count)}, targetValues),
        gradInput({int64_t(count)}, Floats(count, -7)), beta(beta) {}
  ~Call() {
    if (workspace)
      aclrtFree(workspace);
  }
  aclnnStatus prepare() {
    const aclnnStatus status = aclnnSmoothL1LossBackwardGetWorkspaceSize(
        gradOut.tensor, self.tensor, target.tensor, 2, beta, gradInput.tensor,
        &workspaceSize, &executor);
    if (status == 0 && workspaceSize > 0) {
      EXPECT_EQ(
          aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    }
    return status;
  }
  aclnnStatus launch(aclrtStream stream) {
    return aclnnSmoothL1LossBackward(workspace, workspaceSize, executor,
                                     stream);
  }
  bool right() const {
    return near(gradInput.read(),
                expectedResult(gradOutValues, selfValues, targetValues, beta));
  }
};

class Opapi : public ::testing::Test {
protected:
  void SetUp() override {
    aclInit(nullptr);
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream), 0);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }
  aclrtStream stream = nullptr;
};

bool checkMode() {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  return mode && std::string(mode) == "check";
}

//===----------------------------------------------------------------------===//
// Executors
//===----------------------------------------------------------------------===//

TEST_F(Opapi, ExecutorRunsOnce) {
  Call call(1000, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(call.launch(stream), 0);
  EXPECT_EQ(call.launch(stream), 561000);
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_TRUE(call.right());
}

TEST_F(Opapi, ManyCallsAreInFlightAtOnce) {
  std::vector<std::unique_ptr<Call>> calls;
  for (size_t i = 0; i < 64; ++i) {
    calls.emplace_back(new Call(100 + i, float(i)));
    ASSERT_EQ(calls.back()->prepare(), 0);
  }
  // Not in the order of their first phases.
  for (size_t i = 0; i < 64; ++i)
    ASSERT_EQ(calls[(i * 37) % 64]->launch(stream), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  for (const auto &call : calls)
    EXPECT_TRUE(call->right());
}

TEST_F(Opapi, RepeatableExecutorRunsOftenAndTakesNewAddresses) {
  Call call(5000, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), 0);
  for (int i = 0; i < 5; ++i) {
    // Contents are read when the work runs, not when it was prepared.
    call.selfValues = ramp(5000, float(i));
    call.self.write(call.selfValues);
    ASSERT_EQ(call.launch(stream), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_TRUE(call.right()) << "run " << i;
  }
  Call other(5000, 9);
  ASSERT_EQ(aclSetInputTensorAddr(call.executor, 1, call.self.tensor,
                                  other.self.memory),
            0);
  ASSERT_EQ(call.launch(stream), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  call.selfValues = other.selfValues;
  EXPECT_TRUE(call.right());
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
  EXPECT_EQ(call.launch(stream), 561000);
}

TEST_F(Opapi, UnusedExecutorIsDestroyed) {
  Call call(10, 1);
  ASSERT_EQ(call.prepare(), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
  EXPECT_EQ(call.launch(stream), 561000);
}

//===----------------------------------------------------------------------===//
// Arguments of the phases
//===----------------------------------------------------------------------===//

TEST_F(Opapi, NullArguments) {
  Call call(10, 1);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  auto first = [&](const aclTensor *self, uint64_t *bytes,
                   aclOpExecutor **out) {
    return aclnnSmoothL1LossBackwardGetWorkspaceSize(
        call.gradOut.tensor, self, call.target.tensor, 0, 1.0f,
        call.gradInput.tensor, bytes, out);
  };
  EXPECT_EQ(first(nullptr, &size, &executor), 161001);
  EXPECT_EQ(first(call.self.tensor, nullptr, &executor), 161001);
  EXPECT_EQ(first(call.self.tensor, &size, nullptr), 161001);
  EXPECT_EQ(aclnnSmoothL1LossBackward(nullptr, 0, nullptr, stream), 161001);
}

TEST_F(Opapi, WorkspaceIsWhatTheFirstPhaseSaid) {
  Call call(100000, 1);
  ASSERT_EQ(call.prepare(), 0);
  if (call.workspaceSize == 0) {
    // Nothing is needed: a null workspace is right, a larger one is no harm.
    void *more = nullptr;
    ASSERT_EQ(aclrtMalloc(&more, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    ASSERT_EQ(aclnnSmoothL1LossBackward(more, 64, call.executor, stream), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(aclrtFree(more), 0);
    EXPECT_TRUE(call.right());
    return;
  }
  EXPECT_EQ(aclnnSmoothL1LossBackward(nullptr, call.workspaceSize,
                                      call.executor, stream),
            161001);
  ASSERT_EQ(call.prepare(), 0);
  EXPECT_EQ(aclnnSmoothL1LossBackward(call.workspace, call.workspaceSize - 1,
                                      call.executor, stream),
            161002);
}

TEST_F(Opapi, EmptyTensorsAreNoWork) {
  Call call(0, 1);
  ASSERT_EQ(call.prepare(), 0);
  EXPECT_EQ(call.workspaceSize, 0u);
  EXPECT_EQ(call.launch(stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

TEST_F(Opapi, DefaultStream) {
  Call call(333, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(call.launch(nullptr), 0);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), 0);
  EXPECT_TRUE(call.right());
}

//===----------------------------------------------------------------------===//
// Streams and threads
//===----------------------------------------------------------------------===//

// Results are there after a synchronise and not before. Only check mode holds
// work back until then, so that a program that forgets it fails every time.
TEST_F(Opapi, ResultsComeWithTheSynchronise) {
  if (!checkMode())
    GTEST_SKIP() << "needs LOSSGRAD_MODE=check";
  Call call(50, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(call.launch(stream), 0);
  EXPECT_EQ(call.gradInput.read(), Floats(50, -7));
  const auto findings = lossgrad::sim::takeFindings();
  ASSERT_EQ(findings.size(), 1u); // and the reader is told
  EXPECT_EQ(findings[0].rule, "pending-device-write");
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_TRUE(call.right());
}

TEST_F(Opapi, PhasesInDifferentThreads) {
  Call call(12345, 2);
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    EXPECT_EQ(call.prepare(), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }).join();
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    EXPECT_EQ(call.launch(stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }).join();
  EXPECT_TRUE(call.right());
}

TEST_F(Opapi, AnEventOrdersStreams) {
  aclrtStream second = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&second), 0);
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  // The second call reads what the first one writes.
  Call first(2000, 1), next(2000, 1);
  ASSERT_EQ(first.prepare(), 0);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  ASSERT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(
                next.gradOut.tensor, first.gradInput.tensor, next.target.tensor,
                2, 2.0f, next.gradInput.tensor, &size, &executor),
            0);
  ASSERT_EQ(size, 0u);
  ASSERT_EQ(first.launch(stream), 0);
  ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
  ASSERT_EQ(aclrtStreamWaitEvent(second, event), 0);
  ASSERT_EQ(aclnnSmoothL1LossBackward(nullptr, 0, executor, second), 0);
  ASSERT_EQ(aclrtSynchronizeStream(second), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  next.selfValues = first.gradInput.read();
  EXPECT_TRUE(first.right());
  EXPECT_TRUE(next.right());
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
  EXPECT_EQ(aclrtDestroyStream(second), 0);
}

TEST_F(Opapi, ManyThreadsAndStreams) {
  constexpr int threads = 8, rounds = 25;
  std::atomic<int> right{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([t, &right] {
      if (aclrtSetDevice(0) != 0)
        return;
      aclrtStream own = nullptr;
      if (aclrtCreateStream(&own) == 0) {
        for (int i = 0; i < rounds; ++i) {
          // Tails, different attributes, several calls on the stream at once.
          Call a(1 + t * 997 + i, float(t)), b(4096 + i, float(i), 0.5f + t);
          const bool done = a.prepare() == 0 && b.prepare() == 0 &&
                            b.launch(own) == 0 && a.launch(own) == 0 &&
                            aclrtSynchronizeStream(own) == 0;
          right += done && a.right() && b.right();
        }
        aclrtDestroyStream(own);
      }
      aclrtResetDevice(0);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(right, threads * rounds);
}

// Of many threads with one executor, one runs it; the others are told.
TEST_F(Opapi, AnExecutorRunsOnce) {
  constexpr int threads = 4, rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    Call call(100 + round, 1.0f);
    ASSERT_EQ(call.prepare(), 0);
    std::atomic<int> waiting{threads}, ran{0}, refused{0};
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&] {
        aclrtSetDevice(0);
        for (--waiting; waiting > 0;)
          std::this_thread::yield();
        const aclnnStatus status = call.launch(stream);
        ran += status == 0;
        refused += status == 561000;
        aclrtResetDevice(0);
      });
    for (std::thread &worker : workers)
      worker.join();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(refused, threads - 1);
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_TRUE(call.right());
  }
}

//===----------------------------------------------------------------------===//
// What callers get wrong
//===----------------------------------------------------------------------===//

// The second phase reads addresses out of the descriptors, so they live until
// it returns. One that does not is recognised and not followed.
TEST_F(Opapi, DescriptorsDestroyedBetweenThePhases) {
  Call call(100, 1);
  const int64_t dims[] = {100};
  aclTensor *self = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0,
                                    ACL_FORMAT_ND, dims, 1, call.self.memory);
  ASSERT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(
                call.gradOut.tensor, self, call.target.tensor, 2, call.beta,
                call.gradInput.tensor, &call.workspaceSize, &call.executor),
            0);
  ASSERT_EQ(aclDestroyTensor(self), 0);
  EXPECT_EQ(call.launch(stream), 161002);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.gradInput.read(), Floats(100, -7)); // nothing ran
}

// After the second phase descriptors may go; the work has what it needs.
TEST_F(Opapi, DescriptorsDestroyedAfterTheSecondPhase) {
  Call call(100, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(call.launch(stream), 0);
  for (Tensor *each : {&call.gradOut, &call.self, &call.target}) {
    ASSERT_EQ(aclDestroyTensor(each->tensor), 0);
    each->tensor = nullptr;
  }
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_TRUE(call.right());
}

TEST_F(Opapi, EveryPointerMayBeNull) {
  Call call(10, 1);
  const aclTensor *all[] = {call.gradOut.tensor, call.self.tensor,
                            call.target.tensor, call.gradInput.tensor};
  for (size_t absent = 0; absent < 4; ++absent) {
    const aclTensor *given[4];
    for (size_t i = 0; i < 4; ++i)
      given[i] = i == absent ? nullptr : all[i];
    uint64_t size = 1;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(
                  given[0], given[1], given[2], 0, 1.0f,
                  const_cast<aclTensor *>(given[3]), &size, &executor),
              161001);
    EXPECT_EQ(executor, nullptr);
    const char *text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("must not be null"), std::string::npos);
  }
  EXPECT_EQ(aclnnSmoothL1LossBackwardGetWorkspaceSize(
                nullptr, nullptr, nullptr, 9, NAN, nullptr, nullptr, nullptr),
            161001);
}

// Tensors of another dtype or shape than a repeatable executor was made for
// are not what is swapped; only addresses are.
TEST_F(Opapi, AddressesOfARepeatableExecutor) {
  Call call(64, 1);
  ASSERT_EQ(call.prepare(), 0);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), 0);
  EXPECT_EQ(aclSetInputTensorAddr(call.executor, 3, call.self.tensor,
                                  call.self.memory),
            161002);
  EXPECT_EQ(
      aclSetInputTensorAddr(nullptr, 0, call.self.tensor, call.self.memory),
      561103);
  EXPECT_EQ(aclSetOutputTensorAddr(call.executor, 1, call.gradInput.tensor,
                                   call.gradInput.memory),
            161002);
  EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), 0);
}

// A repeatable executor per thread: each second phase is the whole work.
TEST_F(Opapi, RepeatableExecutorsInManyThreads) {
  constexpr int threads = 6, rounds = 20;
  std::atomic<int> right{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([t, &right] {
      if (aclrtSetDevice(0) != 0)
        return;
      aclrtStream own = nullptr;
      Call call(513 + t, float(t));
      if (aclrtCreateStream(&own) == 0 && call.prepare() == 0 &&
          aclSetAclOpExecutorRepeatable(call.executor) == 0) {
        for (int i = 0; i < rounds; ++i) {
          call.selfValues = ramp(513 + t, float(i));
          call.self.write(call.selfValues);
          right += call.launch(own) == 0 && aclrtSynchronizeStream(own) == 0 &&
                   call.right();
        }
        aclDestroyAclOpExecutor(call.executor);
        aclrtDestroyStream(own);
      }
      aclrtResetDevice(0);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(right, threads * rounds);
}

} // namespace
