//===- TilingTest.cpp - What emitted tiling functions say -----------------===//
//
// A tiling function logs why it refuses a call, with the values. Called past
// all checks of the public function, as a graph could. A program of its own,
// because it loads the tiling library itself, which otherwise belongs to
// libopapi.so.
//
//===----------------------------------------------------------------------===//
#include "acl/acl.h"
#include "lossgrad/op_test.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

/// A call of the tiling function as a graph makes it, past all checks.
class Tiling : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_NE(dlopen(TILING_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr)
        << dlerror();
  }
  void SetUp() override { aclGetRecentErrMsg(); }
  lossgrad::OpCall make(const std::vector<int64_t> &dims, ge::DataType dtype) {
    lossgrad::OpCall call("LossgradSmoothL1LossBackward");
    call.platform("Ascend910B1").input(dims, dtype).input(dims, dtype);
    call.input(dims, dtype).output(dims, dtype);
    return call;
  }
  /// The log of a call that must be refused.
  std::string refusal(lossgrad::OpCall &call) {
    EXPECT_EQ(call.tile(), ge::GRAPH_FAILED);
    const char *text = aclGetRecentErrMsg();
    return text ? text : "";
  }
  void expectRefusal(lossgrad::OpCall call, const std::string &why) {
    const std::string log = refusal(call);
    const size_t at = log.find("LossgradSmoothL1LossBackward: " + why);
    EXPECT_NE(at, std::string::npos) << log;
    // The first reason is enough.
    EXPECT_EQ(log.find("EZ", log.find("EZ") + 1), std::string::npos) << log;
  }
  const std::vector<int64_t> dense;
};

TEST_F(Tiling, SaysWhatIsWrong) {
  using ge::DT_FLOAT;
  lossgrad::OpCall good = make({8, 8}, DT_FLOAT);
  good.attr(int64_t(1)).attr(1.0f).attr(dense);
  EXPECT_EQ(good.tile(), ge::GRAPH_SUCCESS);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);

  lossgrad::OpCall one = make({8}, DT_FLOAT);
  one.attr(int64_t(1));
  expectRefusal(std::move(one), "the call has no attribute beta");
  lossgrad::OpCall deep = make(std::vector<int64_t>(9, 1), DT_FLOAT);
  deep.attr(int64_t(1)).attr(1.0f).attr(dense);
  expectRefusal(std::move(deep), "rank of gradOut is 9, must be at most 8");
  lossgrad::OpCall whole = make({8}, ge::DT_INT32);
  whole.attr(int64_t(1)).attr(1.0f).attr(dense);
  expectRefusal(std::move(whole),
                "dtype of gradOut is 3, must be float (0), float16 (1) or "
                "bfloat16 (27)");
  lossgrad::OpCall few = make({8, 8}, DT_FLOAT);
  few.attr(int64_t(1)).attr(1.0f).attr(std::vector<int64_t>{8, 1, 8});
  expectRefusal(std::move(few), "attribute strides has 3 numbers, too few for "
                                "the 2 axes of self");
  lossgrad::OpCall small = make({4096}, DT_FLOAT);
  small.platform("Ascend910B1", 1, 1024);
  small.attr(int64_t(1)).attr(1.0f).attr(dense);
  expectRefusal(std::move(small), "UB is too small for the smallest tile (768 "
                                  "bytes of UB)");
  lossgrad::OpCall room = make({8}, DT_FLOAT);
  room.tilingCapacity(16);
  room.attr(int64_t(1)).attr(1.0f).attr(dense);
  expectRefusal(std::move(room), "the tiling data take ");
}

} // namespace
