//===- ComposedTest.cpp - Operators made of others ------------------------===//
//
// What is simplified as one body has the values of the parts one after the
// other, and costs less.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/Derive.h"
#include "test/unit/derive/Derivations.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace lossgrad;

TEST(Composed, HasTheValuesOfItsParts) {
  ImportOptions asWritten;
  asWritten.derive = false;
  Imported one = Imported::file("composed/CrossEntropy2dBackward"),
           parts = Imported::file("composed/CrossEntropy2dBackward", asWritten);
  ASSERT_TRUE(one && parts);
  OperatorOp composed = one.getBackward(), inlined = parts.getBackward();
  ASSERT_TRUE(inlined.getDerived());
  unsigned points = 0;
  for (unsigned index = 0; index < 120; ++index) {
    Call call = makeSampleCall(composed, index);
    InterpreterOptions tracking;
    tracking.trackTerms = true;
    auto found = interpret(composed, call, tracking),
         wanted = interpret(inlined, call, tracking);
    ASSERT_TRUE(found && wanted);
    for (auto [w, f] : llvm::zip_equal(*wanted, *found))
      for (size_t i = 0; i < w.elements.size(); ++i) {
        double x = w.elements[i].real, y = f.elements[i].real;
        double largest = std::max(w.largestTerms[i], f.largestTerms[i]);
        // What is ignored has no influence any more: no 0 * inf.
        if (!(largest < 1e37) || std::isnan(x))
          continue;
        ++points;
        ASSERT_LE(std::abs(x - y), 1e-12 * std::max(largest, 1e-30))
            << w.name << "[" << i << "] of call " << index;
      }
  }
  EXPECT_GT(points, 10000u);
}

/// Four vector ops in two passes over memory become two in one.
TEST(Composed, CostsLessThanItsParts) {
  Imported one = Imported::file("composed/CrossEntropy2dBackward"),
           nll = Imported::file("NLLLoss2dBackward"),
           logSoftmax = Imported::file("LogSoftmaxBackward");
  ASSERT_TRUE(one && nll && logSoftmax);
  EXPECT_EQ(countVectorOps(nll.getBackward()) +
                countVectorOps(logSoftmax.getBackward()),
            4u);
  EXPECT_EQ(countVectorOps(one.getBackward()), 2u);
}
