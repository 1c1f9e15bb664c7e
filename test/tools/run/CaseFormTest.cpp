// What is wrong with a case is said before anything runs, with the place and
// with what was expected.
#include "CaseForm.h"
#include "CaseFile.h"
#include "CaseRunner.h"
#include "Records.h"
#include <gtest/gtest.h>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

/// The message about a case; empty if it is right.
std::string mistake(const std::string &text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  auto test = parseCase(std::move(*value.getAsObject()), "here");
  return test ? "" : llvm::toString(test.takeError());
}

/// About a tensor `x` with these keys besides its name, dtype and shape [4].
std::string ofTensor(const std::string &keys) {
  return mistake(R"({"op": "f", "inputs": [{"name": "x", "dtype": "float32", )"
                 R"("shape": [4], )" +
                 keys + "}]}");
}

TEST(CaseForm, ValuesOfTheWrongKind) {
  EXPECT_EQ(mistake(R"({"op": 3})"), "here: 'op' must be a string");
  EXPECT_EQ(mistake(R"({"op": "f", "id": 7})"), "here: 'id' must be a string");
  EXPECT_EQ(mistake(R"({"op": "f", "id": ""})"),
            "here: 'id' must not be empty");
  EXPECT_EQ(mistake(R"({"op": "f", "note": 3})"),
            "here: 'note' must be a string");
  EXPECT_EQ(mistake(R"({"op": "f", "attrs": [1]})"),
            "here: 'attrs' must be an object of attributes");
  EXPECT_EQ(mistake(R"({"op": "f", "inputs": {}})"),
            "here: 'inputs' must be a list of tensors");
  EXPECT_EQ(mistake(R"({"op": "f", "inputs": [3]})"),
            "here: each of 'inputs' needs a \"name\"");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": 3})"),
            "here: 'expect' must be an object");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"status": "0"}})"),
            "here: 'expect.status' must be an int");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"divisor": []}})"),
            "here: 'expect.divisor' must be a number");
  EXPECT_EQ(mistake(R"({"op": "f", "soc": "ascend910c"})"),
            "here: 'soc' names 'ascend910c', which is no compute unit "
            "(ascend910b)");
  EXPECT_EQ(mistake(R"({"op": "f", "null_pointers": ["self"]})"),
            "here: 'null_pointers' may list 'workspaceSize' and 'executor', "
            "not 'self'");
  EXPECT_EQ(mistake(R"({"op": "f", "soc": "ascend910b|other", "note": "n"})"),
            "");
}

// An output in the memory of an input.
TEST(CaseForm, Places) {
  auto ofOutput = [](const std::string &keys) {
    return mistake(
        R"({"op": "f", "inputs": [{"name": "x", "dtype": "float32", )"
        R"("shape": [4]}], "outputs": [{"name": "y", "dtype": "float32", )" +
        keys + "}]}");
  };
  EXPECT_EQ(ofOutput(R"("shape": [4], "over": "x")"), "");
  EXPECT_EQ(ofOutput(R"("shape": [3], "offset": 1, "over": "x")"), "");
  EXPECT_EQ(ofOutput(R"("shape": [4], "offset": 1, "over": "x")"),
            "here: tensor 'y': the storage of 'x' is too short for it");
  EXPECT_EQ(ofOutput(R"("shape": [4], "over": "z")"),
            "here: tensor 'y': lies over 'z'; an output may lie over an input");
  EXPECT_EQ(ofTensor(R"("over": "x")"),
            "here: tensor 'x': lies over 'x'; an output may lie over an input");
}

// What would not be used must not be there.
TEST(CaseForm, Tolerances) {
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"rtol": 1e-3, "atol": 1e-5,)"
                    R"( "ptol": 0.01}})"),
            "");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"atol": 1e-5}})"),
            "here: 'expect.atol' and 'expect.ptol' need 'expect.rtol'");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"rtol": -1}})"),
            "here: 'expect.rtol' must not be negative");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"rtol": 1, "ptol": 2}})"),
            "here: 'expect.ptol' is a share of the elements and must be at "
            "most 1");
  EXPECT_EQ(mistake(R"({"op": "f", "expect": {"standard": "default"}})"),
            "here: 'expect.standard' names a rule of the source of a case, "
            "which is not applied here; only cases with a 'source' may have "
            "it");
  EXPECT_EQ(mistake(R"({"op": "f", "source": "s",)"
                    R"( "expect": {"standard": "default", "atol": 1}})"),
            "");
  EXPECT_EQ(mistake(R"({"op": "f", "outputs": [{"name": "y", "dtype":)"
                    R"( "float32", "shape": [1], "range": [0, 1]}]})"),
            "here: tensor 'y': an output takes 'values', which are compared, "
            "not 'range'");
}

TEST(CaseForm, Tensors) {
  EXPECT_EQ(ofTensor(R"("strides": [1])"), "");
  EXPECT_EQ(ofTensor(R"("null": 1)"),
            "here: tensor 'x': 'null' must be true or false");
  EXPECT_EQ(ofTensor(R"("strides": 4)"),
            "here: tensor 'x': 'strides' must be a list of ints of 64 bits");
  EXPECT_EQ(ofTensor(R"("strides": [1, 1])"),
            "here: tensor 'x': has 2 strides for 1 axes");
  EXPECT_EQ(ofTensor(R"("offset": 1.5)"),
            "here: tensor 'x': 'offset' must be an int");
  EXPECT_EQ(ofTensor(R"("storage_shape": [3])"),
            "here: tensor 'x': its view reaches from element 0 to 3 of a "
            "storage of 3");
  EXPECT_EQ(ofTensor(R"("storage_shape": [-3])"),
            "here: tensor 'x': 'storage_shape' has a negative extent");
  EXPECT_EQ(ofTensor(R"("strides": [9223372036854775807])"),
            "here: tensor 'x': its view reaches further than 64 bits count");
  EXPECT_EQ(ofTensor(R"("format": "NWHC")"),
            "here: tensor 'x': unknown format 'NWHC'");
  EXPECT_EQ(mistake(R"({"op": "f", "outputs": [{"name": "y", "shape": "4",
                        "dtype": "float32"}]})"),
            "here: tensor 'y': 'shape' must be a list of ints of 64 bits");
  EXPECT_EQ(mistake(R"({"op": "f", "outputs": [{"name": "y", "shape": [4.5],
                        "dtype": "float32"}]})"),
            "here: tensor 'y': 'shape' must be a list of ints of 64 bits");
  EXPECT_EQ(mistake(R"({"op": "f", "outputs": [{"name": "y", "shape": [-4],
                        "dtype": "float32"}]})"),
            "here: tensor 'y': has a negative extent");
  EXPECT_EQ(mistake(R"({"op": "f", "outputs": [{"name": "y", "shape": [4],
                        "dtype": "float31"}]})")
                .substr(0, 71),
            "here: tensor 'y': unknown dtype 'float31'; known are float32, "
            "float16, ");
  EXPECT_EQ(mistake(R"({"op": "f", "inputs": [{"name": "y", "null": true}],
                        "outputs": [{"name": "y", "null": true}]})"),
            "here: tensor 'y': is given twice");
}

TEST(CaseForm, Contents) {
  EXPECT_EQ(ofTensor(R"("range": ["-inf", "inf"])"), "");
  EXPECT_EQ(ofTensor(R"("values": [1, "nan", -0.5, "-inf"])"), "");
  EXPECT_EQ(ofTensor(R"("range": ["low", 1])"),
            "here: tensor 'x': 'range' must be two numbers (or \"inf\", "
            "\"-inf\", \"nan\")");
  EXPECT_EQ(ofTensor(R"("range": [1])"),
            "here: tensor 'x': 'range' must be two numbers (or \"inf\", "
            "\"-inf\", \"nan\")");
  EXPECT_EQ(ofTensor(R"("range": [2, 1])"),
            "here: tensor 'x': 'range' must not end below its beginning");
  EXPECT_EQ(ofTensor(R"("range": [0, 1], "values": [1, 2, 3, 4])"),
            "here: tensor 'x': takes one of 'range', 'values' and 'normal', "
            "not several");
  EXPECT_EQ(ofTensor(R"("values": [1, 2, 3])"),
            "here: tensor 'x': has 3 values, but its shape [4] wants 4");
  EXPECT_EQ(ofTensor(R"("values": [1, 2, 3, "x"])"),
            "here: tensor 'x': value 3 must be a number, \"inf\", \"-inf\" or "
            "\"nan\"");
  EXPECT_EQ(ofTensor(R"("normal": {"mean": [0, 1]})"),
            "here: tensor 'x': 'normal' needs 'std', two numbers");
  EXPECT_EQ(ofTensor(R"("normal": {"sigma": [0, 1]})"),
            "here: tensor 'x': 'normal' has an unknown key 'sigma'; known are "
            "mean, std");
  EXPECT_EQ(mistake(R"({"op": "f", "inputs": [{"name": "t", "shape": [1],
                        "dtype": "int64", "range": ["-inf", 3]}]})"),
            "here: tensor 't': the 'range' of integers must be finite");
}

class CaseFits : public testing::Test {
protected:
  void SetUp() override {
    llvm::cantFail(records.load());
    op = llvm::cantFail(records.find("aclnnSmoothL1LossBackward"));
    ASSERT_TRUE(op);
  }
  std::string check(llvm::StringRef text) {
    llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
    Case test =
        llvm::cantFail(parseCase(std::move(*value.getAsObject()), "here"));
    return llvm::toString(checkFits(op, test));
  }
  Records records{{LOSSGRAD_SOURCE_DIR "/ops_td"}, {}};
  OperatorOp op;
};

TEST_F(CaseFits, NamesAndAttributes) {
  EXPECT_EQ(check(R"({"op": "f", "attrs": {"reduction": 1, "beta": 1}})"), "");
  EXPECT_EQ(check(R"({"op": "f", "attrs": {"bta": 1}})"),
            "SmoothL1LossBackward has no attribute 'bta'; its attributes are "
            "reduction, beta");
  EXPECT_EQ(check(R"({"op": "f", "inputs": [{"name": "tgt", "null": true}]})"),
            "SmoothL1LossBackward has no tensor 'tgt'; its tensors are "
            "gradOut, self, target, gradInput");
  EXPECT_EQ(check(R"({"op": "f", "inputs": [{"name": "beta", "null": true}]})"),
            "SmoothL1LossBackward has no tensor 'beta'; its tensors are "
            "gradOut, self, target, gradInput");
  EXPECT_EQ(check(R"({"op": "f", "attrs": {"beta": "x"}})"),
            "the attribute 'beta' is declared as real; the call gives \"x\"");
  EXPECT_EQ(check(R"({"op": "f", "attrs": {"reduction": "avg"}})"),
            "the attribute 'reduction' is declared as int or one of none, "
            "mean, sum; the call gives \"avg\"");
  EXPECT_EQ(check(R"({"op": "f", "attrs": {"reduction": 1.5}})"),
            "the attribute 'reduction' is declared as int or one of none, "
            "mean, sum; the call gives a value of another kind");
}

TEST(CaseMemory, WhatDoesNotFitIsNotTried) {
  llvm::StringMap<View> views;
  View view;
  view.shape = view.storageShape = {1 << 20};
  views["x"] = view;
  EXPECT_EQ(whyTooLarge(views, 1 << 20, UINT64_MAX), std::nullopt);
  EXPECT_EQ(whyTooLarge(views, (1 << 20) - 1, UINT64_MAX),
            "a tensor has more elements than --max-elements");
  EXPECT_EQ(whyTooLarge(views, 1 << 20, 1 << 20),
            "needs about 1 GiB of memory, 0 GiB are free");
  // A small storage that a view shows many times counts as often.
  view.shape = {1 << 30, 1 << 30};
  view.storageShape = {1};
  views["x"] = view;
  EXPECT_EQ(whyTooLarge(views, 1 << 20, UINT64_MAX),
            "a tensor has more elements than --max-elements");
  EXPECT_EQ(whyTooLarge(views, INT64_MAX, uint64_t(64) << 30),
            "needs about 107374182401 GiB of memory, 64 GiB are free");
}

} // namespace
