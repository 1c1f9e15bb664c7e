//===- targets_test.cpp - the product tables say what the records say -----===//
//
// Facts of the public product documents, written here a second time by hand, so
// that a slip in a record or in the table generator shows.
//
//===----------------------------------------------------------------------===//

#include "lossgrad/Targets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace lossgrad::targets;

namespace {

TEST(Targets, LongNamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const Soc *soc = socsBegin(); soc != socsEnd(); ++soc) {
    EXPECT_TRUE(names.insert(soc->name).second)
        << soc->name << " is listed twice";
    EXPECT_EQ(findSoc(soc->name), soc);
  }
  EXPECT_EQ(findSoc("Ascend910C"), nullptr);
  EXPECT_EQ(findSoc(""), nullptr);
}

// The chip Ascend910B is of the first generation; the short version Ascend910B
// is Atlas A2. Mixing them up by name is the classic mistake.
TEST(Targets, The910BTrap) {
  ASSERT_NE(findSoc("Ascend910B"), nullptr);
  EXPECT_STREQ(findSoc("Ascend910B")->family->key, "A910");
  EXPECT_STREQ(findComputeUnit("ascend910b")->key, "A2");
}

TEST(Targets, FamilyPointersCompare) {
  EXPECT_EQ(findSoc("Ascend910B1")->family, findFamily("A2"));
  EXPECT_EQ(findSoc("Ascend910_9391")->family, findFamily("A3"));
  EXPECT_EQ(findArchitecture(3510), findFamily("A950"));
  EXPECT_EQ(findArchitecture(9999), nullptr);
}

TEST(Targets, CoresAndUbAsThePlatformReports) {
  const Soc &b1 = *findSoc("Ascend910B1");
  EXPECT_EQ(b1.kernelCores(), 48u);
  EXPECT_EQ(b1.reportedUbBytes(), 196352u);
  EXPECT_EQ(findSoc("Ascend910B4")->kernelCores(), 40u);
  // Coupled cores: the AI cores run vector kernels, UB is reported in full.
  EXPECT_EQ(findSoc("Ascend310P3")->kernelCores(), 8u);
  EXPECT_EQ(findSoc("Ascend310P3")->reportedUbBytes(), 262144u);
  EXPECT_EQ(findSoc("Ascend910A")->kernelCores(), 32u);
  EXPECT_EQ(findSoc("Ascend950PR_9599")->kernelCores(), 72u);
}

TEST(Targets, CallsPerFamily) {
  const Family &a2 = *findFamily("A2"), &p310 = *findFamily("A310P"),
               &a910 = *findFamily("A910"), &a950 = *findFamily("A950");
  EXPECT_TRUE(a2.takes(Api::DataCopyPad, Dtype::Bfloat16));
  EXPECT_FALSE(p310.has(Api::DataCopyPad));
  EXPECT_FALSE(a910.has(Api::Maxs));
  EXPECT_TRUE(p310.takes(Api::Maxs, Dtype::Float16));
  EXPECT_FALSE(a2.takes(Api::Add, Dtype::Bfloat16));
  EXPECT_TRUE(a950.takes(Api::Add, Dtype::Bfloat16));
  EXPECT_FALSE(a950.takes(Api::Exp, Dtype::Bfloat16));
  EXPECT_FALSE(a950.takes(Api::Add, Dtype::Int64));
  EXPECT_TRUE(a950.takesCount(Api::Add, Dtype::Int64));
  // A call that does not depend on a type takes every type.
  EXPECT_TRUE(a2.takes(Api::SyncAll, Dtype::Double));
  EXPECT_FALSE(p310.has(Api::SyncAll));
}

TEST(Targets, CastTable) {
  const Family &a2 = *findFamily("A2"), &p310 = *findFamily("A310P");
  EXPECT_TRUE(a2.casts(Dtype::Float32, Dtype::Bfloat16, Round::RINT));
  EXPECT_FALSE(a2.casts(Dtype::Float32, Dtype::Bfloat16, Round::NONE));
  EXPECT_TRUE(a2.casts(Dtype::Float32, Dtype::Float16, Round::ODD));
  EXPECT_FALSE(p310.casts(Dtype::Float32, Dtype::Float16, Round::RINT));
  EXPECT_FALSE(p310.casts(Dtype::Float32, Dtype::Bfloat16, Round::RINT));
  EXPECT_FALSE(a2.casts(Dtype::Float16, Dtype::Bfloat16, Round::RINT));
}

TEST(Targets, Spellings) {
  EXPECT_STREQ(spelling(Dtype::Bfloat16), "bfloat16_t");
  EXPECT_STREQ(spelling(Round::RINT), "CAST_RINT");
  EXPECT_STREQ(spelling(Api::DataCopyPad), "DataCopyPad");
  EXPECT_STREQ(spelling(Open::MAX_MIN_KEEPS_NAN), "MAX_MIN_KEEPS_NAN");
  EXPECT_EQ(sizeInBytes(Dtype::Int64), 8u);
}

TEST(Targets, OverflowModeIsTheRuntimesDefault) {
  EXPECT_TRUE(findFamily("A2")->overflowToInfinity);
  EXPECT_TRUE(findFamily("A950")->overflowToInfinity);
  EXPECT_FALSE(findFamily("A310P")->overflowToInfinity);
  EXPECT_FALSE(findFamily("A910")->overflowToInfinity);
}

} // namespace
