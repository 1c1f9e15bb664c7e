// Reading cases and deciding which of them run.
#include "CaseFile.h"
#include "lossgrad/Targets.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

Case parse(llvm::StringRef text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  return llvm::cantFail(parseCase(std::move(*value.getAsObject()), "here"));
}

std::string parseError(llvm::StringRef text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  auto test = parseCase(std::move(*value.getAsObject()), "here");
  return test ? "" : llvm::toString(test.takeError());
}

Selection on(llvm::StringRef family) {
  return {targets::findFamily(family.str()), KernelCases::Documented};
}

bool runs(const Case &test, const Selection &selection,
          const std::vector<Case> &all = {}) {
  return !whySkipped(test, selection, all);
}

TEST(CaseFile, DefaultsAndKeys) {
  Case test = parse(R"({"op": "aclnnX", "note": "weak: a; doc silent: b"})");
  EXPECT_EQ(test.id, "here");
  EXPECT_FALSE(test.validateOnly);
  EXPECT_EQ(test.notes.size(), 2u);
  EXPECT_EQ(
      parse(R"({"op": "aclnnX", "expect": {"status": 161002}})").expectedStatus,
      161002);
}

TEST(CaseFile, Mistakes) {
  EXPECT_EQ(parseError(R"({"op": "f", "kind": "numerical"})"),
            "here: \"kind\" must be \"numeric\" or \"validate\", not "
            "\"numerical\"");
  EXPECT_NE(parseError(R"({"op": "f", "attr": {}})").find("unknown key 'attr'"),
            std::string::npos);
  EXPECT_NE(
      parseError(R"({"op": "f", "inputs": [{"name": "x", "stride": []}]})")
          .find("tensor 'x' has an unknown key 'stride'"),
      std::string::npos);
}

TEST(CaseFile, Products) {
  Case plain = parse(R"({"op": "f"})");
  EXPECT_TRUE(runs(plain, on("A2")));
  EXPECT_TRUE(runs(plain, on("A950")));
  // Without a product, statuses are those of ascend910b.
  Case validate = parse(R"({"op": "f", "kind": "validate"})");
  EXPECT_TRUE(runs(validate, on("A2")));
  EXPECT_FALSE(runs(validate, on("A950")));
  Case both = parse(
      R"({"op": "f", "kind": "validate", "soc": "ascend910b|ascend950"})");
  EXPECT_TRUE(runs(both, on("A950")));
  EXPECT_FALSE(runs(both, on("A310P")));
}

TEST(CaseFile, OtherIsWhatSiblingsDoNotName) {
  std::vector<Case> all;
  all.push_back(parse(
      R"({"op": "f", "id": "t[0]", "kind": "validate", "soc": "ascend950"})"));
  all.push_back(parse(
      R"({"op": "f", "id": "t[1]", "kind": "validate", "soc": "other"})"));
  EXPECT_FALSE(runs(all[1], on("A950"), all));
  EXPECT_TRUE(runs(all[1], on("A2"), all));
  // Alone, it means all but the default product and its architecture.
  std::vector<Case> alone;
  alone.push_back(parse(
      R"({"op": "f", "id": "u[1]", "kind": "validate", "soc": "other"})"));
  EXPECT_FALSE(runs(alone[0], on("A2"), alone));
  EXPECT_FALSE(runs(alone[0], on("A3"), alone));
  EXPECT_TRUE(runs(alone[0], on("A950"), alone));
}

// What a product has no type for is not its case, unless it should be refused.
TEST(CaseFile, TypesThatTheProductDoesNotHave) {
  Case result = parse(
      R"({"op": "f", "inputs": [{"name": "x", "dtype": "float16", "shape": [1]}], "outputs": [{"name": "y", "dtype": "bfloat16", "shape": [1]}]})");
  Case refused = parse(
      R"({"op": "f", "inputs": [{"name": "x", "dtype": "bfloat16", "shape": [1]}], "expect": {"status": 161002}})");
  Case kernel = parse(
      R"({"op": "f", "level": "kernel", "inputs": [{"name": "x", "dtype": "bfloat16", "shape": [1]}]})");
  Case half = parse(
      R"({"op": "f", "inputs": [{"name": "x", "dtype": "float16", "shape": [1]}]})");
  for (llvm::StringRef family : {"A2", "A3", "A950"})
    for (const Case *test : {&result, &refused, &kernel, &half})
      EXPECT_TRUE(runs(*test, on(family))) << family.str();
  for (llvm::StringRef family : {"A310P", "A910"}) {
    EXPECT_FALSE(runs(result, on(family)));
    EXPECT_FALSE(runs(kernel, on(family)));
    EXPECT_TRUE(runs(refused, on(family)));
    EXPECT_TRUE(runs(half, on(family)));
  }
}

TEST(CaseFile, KernelCasesAndNotes) {
  Selection selection = on("A2");
  Case plain = parse(R"({"op": "f", "level": "kernel", "soc": "ascend950"})");
  Case weak = parse(R"({"op": "f", "level": "kernel", "note": "weak: zero"})");
  Case beyond = parse(
      R"({"op": "f", "level": "kernel", "note": "the document admits int64 only"})");
  Case never = parse(
      R"({"op": "f", "level": "kernel", "note": "kernel only: larger than self"})");
  EXPECT_TRUE(runs(plain, selection));
  EXPECT_TRUE(runs(weak, selection));
  EXPECT_FALSE(runs(beyond, selection));
  EXPECT_FALSE(runs(never, selection));
  selection.kernelCases = KernelCases::Accepted;
  EXPECT_TRUE(runs(beyond, selection));
  EXPECT_FALSE(runs(never, selection));
  selection.kernelCases = KernelCases::None;
  EXPECT_FALSE(runs(plain, selection));
}

TEST(CaseFile, DeviationsReplaceStatusesAndMayNotBeStale) {
  std::vector<Case> cases;
  cases.push_back(parse(R"({"op": "f", "id": "a"})"));
  llvm::StringMap<Deviation> table;
  table["a"] = {161002, "why"};
  EXPECT_FALSE(llvm::errorToBool(applyDeviations(cases, table)));
  EXPECT_EQ(cases[0].expectedStatus, 161002);
  EXPECT_EQ(cases[0].deviation, "why");
  EXPECT_EQ(llvm::toString(applyDeviations(cases, table)),
            "here: the deviation of 'a' to status 161002 is stale: that is "
            "what the case expects");
}

std::string tableError(llvm::StringRef text) {
  llvm::SmallString<128> path;
  int file;
  EXPECT_FALSE(
      llvm::sys::fs::createTemporaryFile("deviations", "json", file, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  auto table = readDeviations(path);
  if (!table)
    return llvm::StringRef(llvm::toString(table.takeError()))
        .drop_front(path.size())
        .str();
  EXPECT_EQ(table->size(), 2u);
  EXPECT_EQ((*table)["a"].status, 0);
  EXPECT_EQ((*table)["a"].reason, "why");
  EXPECT_FALSE((*table)["a"].isByLibrary);
  EXPECT_TRUE((*table)["b"].isByLibrary);
  return "";
}

TEST(CaseFile, RowsOfDeviationsAreWholeAndDifferent) {
  EXPECT_EQ(tableError(R"([{"id": "a", "status": 0, "reason": "why"},
      {"id": "b", "status": 1, "reason": "x", "by": "library"}])"),
            "");
  EXPECT_EQ(tableError(R"([{"id": "a", "status": 0, "reason": "why"},
      {"id": "a", "status": 1, "reason": "x", "by": "library"}])"),
            ": 'a' is given twice");
  EXPECT_EQ(tableError(R"([{"id": "a", "status": 0, "reason": ""}])"),
            ": each row needs \"id\", \"status\" and \"reason\"");
  EXPECT_EQ(tableError("{}"),
            ": must be a list of {\"id\", \"status\", \"reason\"}");
}

} // namespace
