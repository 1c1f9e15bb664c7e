//===- UserLossesTest.cpp - Losses from their forwards only ---------------===//
//
// ops_td/losses says what losses that users ask for are; every gradient that is
// derived for one is compared with differences of the forward.
//
//===----------------------------------------------------------------------===//

#include "test/unit/derive/Derivations.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace lossgrad;
using llvm::StringRef;

static std::vector<std::string> getLosses() {
  std::vector<std::string> names;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           it(LOSSGRAD_SOURCE_DIR "/ops_td/losses", code),
       end;
       it != end && !code; it.increment(code))
    names.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

class UserLosses : public testing::TestWithParam<std::string> {};

TEST_P(UserLosses, AgreeWithDifferences) {
  ImportOptions options;
  options.objectives = true;
  Imported loss = Imported::file("losses/" + GetParam(), options);
  ASSERT_TRUE(loss);
  ASSERT_TRUE(loss.getObjective());
  // Ordinary values, values in [0, 1] and wide ones, under every choice.
  std::vector<unsigned> calls;
  for (unsigned index = 0; index < 96; ++index)
    if (index % 4 != 1)
      calls.push_back(index);
  // Of a few losses only a quadrant is defined.
  EXPECT_GT(expectGradients(loss.getBackward(), loss.getObjective(), calls),
            50u);
}

TEST(UserLossesFolder, HasThemAll) { EXPECT_GE(getLosses().size(), 14u); }

INSTANTIATE_TEST_SUITE_P(Forwards, UserLosses, testing::ValuesIn(getLosses()),
                         [](const auto &info) { return info.param; });
