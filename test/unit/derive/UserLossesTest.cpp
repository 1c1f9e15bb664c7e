//===- UserLossesTest.cpp - Losses from their forwards only ---------------===//
//
// UserLosses.td says what each loss is; every gradient that is derived for one
// is compared with differences of the forward.
//
//===----------------------------------------------------------------------===//

#include "test/unit/derive/Derivations.h"
#include "gtest/gtest.h"

using namespace lossgrad;
using llvm::StringRef;

TEST(UserLosses, AgreeWithDifferences) {
  ImportOptions options;
  options.forwards = true;
  Imported losses = Imported::file("UserLosses.td", options);
  ASSERT_TRUE(losses);
  unsigned gradients = 0;
  for (auto forward : losses.getModule().getOps<OperatorOp>()) {
    if (!forward->hasAttr(kForwardAttr))
      continue;
    OperatorOp backward = losses.get((forward.getSymName() + "Backward").str());
    ASSERT_TRUE(backward);
    SCOPED_TRACE(forward.getSymName().str());
    for (ParamAttr output : backward.getOutputs()) {
      // gradSelf is the gradient for self.
      StringRef rest = output.getName().getValue().drop_front(4);
      std::string input = rest.take_front().lower() + rest.drop_front().str();
      compareWithDifferences(forward, backward, input, output.getName(), 0);
      ++gradients;
    }
  }
  EXPECT_GE(gradients, 16u);
}
