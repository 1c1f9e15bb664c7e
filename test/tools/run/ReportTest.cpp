// Results as text and JSON, and the comparison of two runs.
#include "Report.h"
#include "Compare.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <limits>

using namespace lossgrad::run;

namespace {

CaseResult result(std::string id, Outcome outcome, double error = 0) {
  CaseResult made;
  made.id = std::move(id);
  made.op = "aclnnX";
  made.outcome = outcome;
  made.status = 0;
  made.maxError = error;
  if (outcome != Outcome::Passed)
    made.reasons.push_back("because");
  return made;
}

std::string print(const std::vector<CaseResult> &results, unsigned most = 20) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printReport(os, results, most);
  return text;
}

std::string writeTemporary(const std::vector<CaseResult> &results) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("report", "json", path));
  EXPECT_FALSE(llvm::errorToBool(
      writeReport(path, {"lib.so", "Ascend910B1", "fast", ""}, results)));
  return path.str().str();
}

TEST(Report, CountsStandLast) {
  std::string text =
      print({result("a", Outcome::Passed), result("b", Outcome::Failed),
             result("c", Outcome::Skipped)});
  EXPECT_NE(text.find("FAILED b\n    because\n"), std::string::npos);
  EXPECT_NE(text.find("    1 skipped: because\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 30), "1 passed, 1 failed, 1 skipped\n");
}

TEST(Report, TheFirstWrongElementIsShown) {
  CaseResult failed = result("b", Outcome::Failed, 0.5);
  failed.wrong = WrongElement{"out", {1, 2}, 1.5, 1.0, 0.5};
  EXPECT_NE(print({failed}).find("out[1, 2]: got 1.5, expected 1, error 0.5"),
            std::string::npos);
}

TEST(Report, AllowancesAndExactnessAreSaid) {
  CaseResult loose = result("a", Outcome::Passed),
             exact = result("b", Outcome::Passed);
  loose.allowance = "anything";
  loose.lessExact = WrongElement{"out", {3}, 1.5, 1.0, 0.5};
  exact.lessExact = WrongElement{"out", {0}, 1, 1, 1e-7};
  EXPECT_NE(print({loose, exact})
                .find("    1 judged with an allowance of their own: anything\n"
                      "warning: aclnnX: worst relative error of float32 0.5, "
                      "more than half of the digits are lost: a, out[3]: got "
                      "1.5, expected 1\n"),
            std::string::npos);
  EXPECT_NE(
      print({exact}).find("\naclnnX: worst relative error of float32 1e-07\n"),
      0u);
  EXPECT_EQ(print({exact}).find("warning"), std::string::npos);
}

TEST(Report, ComputedTensors) {
  CaseResult ran = result("a", Outcome::Passed);
  ran.outputs = {{"out", "float32", {3}, {1, 2.5, -3}},
                 {"big", "float16", {9}, {}}};
  std::string text;
  llvm::raw_string_ostream os(text);
  printOutputs(os, {ran}, 2);
  EXPECT_EQ(text, "a: out float32 [3]: 1 2.5 ...\na: big float16 [9]: ...\n");
  CaseResult after = llvm::cantFail(resultFromJson(toJson(ran)));
  ASSERT_EQ(after.outputs.size(), 2u);
  EXPECT_EQ(after.outputs[0].values, ran.outputs[0].values);
  EXPECT_EQ(after.outputs[1].shape, ran.outputs[1].shape);
}

TEST(Report, NoMoreFailuresThanAskedFor) {
  std::string text =
      print({result("a", Outcome::Failed), result("b", Outcome::Failed)}, 1);
  EXPECT_EQ(text.find("FAILED b"), std::string::npos);
  EXPECT_NE(text.find("... and 1 more failures"), std::string::npos);
}

TEST(Report, JsonKeepsEverything) {
  CaseResult before = result("b", Outcome::Failed, 0.5);
  before.wrong = WrongElement{"out",
                              {3},
                              std::numeric_limits<double>::infinity(),
                              1.0,
                              std::numeric_limits<double>::infinity()};
  before.log = "line";
  CaseResult after = llvm::cantFail(resultFromJson(toJson(before)));
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.outcome, before.outcome);
  EXPECT_EQ(after.reasons, before.reasons);
  EXPECT_EQ(after.status, before.status);
  EXPECT_EQ(after.maxError, before.maxError);
  EXPECT_EQ(after.wrong->index, before.wrong->index);
  EXPECT_EQ(after.wrong->got, before.wrong->got);
  EXPECT_EQ(after.log, before.log);
}

TEST(Report, ComparisonFindsWhatBroke) {
  std::string before = writeTemporary({result("a", Outcome::Passed),
                                       result("b", Outcome::Failed),
                                       result("c", Outcome::Passed, 1e-4)});
  std::string after = writeTemporary(
      {result("a", Outcome::Failed), result("b", Outcome::Passed),
       result("c", Outcome::Passed, 1e-3), result("d", Outcome::Passed)});
  std::string text;
  llvm::raw_string_ostream os(text);
  EXPECT_FALSE(llvm::cantFail(compareFiles(os, before, after, "none")));
  EXPECT_NE(text.find("broken    a: because"), std::string::npos);
  EXPECT_NE(text.find("repaired  b"), std::string::npos);
  EXPECT_NE(text.find("less exact c"), std::string::npos);
  EXPECT_NE(text.find("1 broken, 1 repaired, 1 same, 1 new, 0 gone"),
            std::string::npos);
  llvm::sys::fs::remove(before);
  llvm::sys::fs::remove(after);
}

TEST(Report, ComparisonTakesTwoFilesOfOneKind) {
  std::string results = writeTemporary({result("a", Outcome::Passed)});
  llvm::SmallString<128> other;
  int file = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("profile", "json", file, other));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << "{}";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto problem = [&](llvm::StringRef before, llvm::StringRef after) {
    return llvm::toString(compareFiles(os, before, after, "none").takeError());
  };
  EXPECT_EQ(problem(results, other),
            ("'" + other + "' holds no results of lossgrad-run, but '" +
             results + "' does")
                .str());
  EXPECT_EQ(problem(results, "nowhere.json"),
            "nowhere.json: No such file or directory");
  llvm::sys::fs::remove(results);
  llvm::sys::fs::remove(other);
}

TEST(Report, WhatCannotBeWrittenIsSaidBefore) {
  EXPECT_EQ(llvm::toString(checkWritable("no/such/folder/x.json")),
            "cannot write 'no/such/folder/x.json': No such file or directory");
  EXPECT_EQ(llvm::toString(checkWritable("/")),
            "cannot write '/': Is a directory");
  EXPECT_FALSE(llvm::errorToBool(checkWritable("-")));
  EXPECT_FALSE(llvm::errorToBool(checkWritable("/dev/null")));
  // Nothing stays behind, and what is there stays.
  std::string results = writeTemporary({result("a", Outcome::Passed)});
  EXPECT_FALSE(llvm::errorToBool(checkWritable(results)));
  uint64_t size = 0;
  EXPECT_FALSE(llvm::sys::fs::file_size(results, size));
  EXPECT_GT(size, 0u);
  llvm::sys::fs::remove(results);
  EXPECT_FALSE(llvm::errorToBool(checkWritable(results)));
  EXPECT_FALSE(llvm::sys::fs::exists(results));
}

} // namespace
