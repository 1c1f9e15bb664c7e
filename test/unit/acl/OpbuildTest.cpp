//===- OpbuildTest.cpp - generation from operator descriptions ------------===//
//
// Names, signatures, rows, binaries and the errors of a wrong description. The
// operators below are registered in this program, as in a library that the tool
// loads.
//
//===----------------------------------------------------------------------===//
#include "opbuild/AclnnWriter.h"
#include "opbuild/KernelPlan.h"
#include "register/op_def_registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace lossgrad::opbuild;

namespace {

TEST(Names, SnakeCase) {
  EXPECT_EQ(snakeCase("NLLLossGrad"), "nll_loss_grad");
  EXPECT_EQ(snakeCase("SmoothL1LossGradV2"), "smooth_l1_loss_grad_v2");
  EXPECT_EQ(snakeCase("KlDivLossGrad"), "kl_div_loss_grad");
  EXPECT_EQ(snakeCase("NLLLoss2dGrad"), "nll_loss2d_grad");
  EXPECT_EQ(snakeCase("CTCLossV2Grad"), "ctc_loss_v2_grad");
  EXPECT_EQ(snakeCase("MSELoss2D"), "mse_loss2_d");
  EXPECT_EQ(snakeCase("Conv2DX"), "conv2_dx");
  EXPECT_EQ(snakeCase("AddCustom"), "add_custom");
}

TEST(Names, CamelCase) {
  EXPECT_EQ(camelCase("grad_loss"), "gradLoss");
  EXPECT_EQ(camelCase("lse_square_scale_for_zloss"), "lseSquareScaleForZloss");
  EXPECT_EQ(camelCase("x"), "x");
  EXPECT_EQ(camelCase("gradOut"), "gradOut");
}

} // namespace

namespace ops {

#define NDS(n) std::vector<ge::Format>(n, ge::FORMAT_ND)

/// The shape of the shipped aclnnCrossEntropyLossGrad.
class EntropyGrad : public OpDef {
public:
  explicit EntropyGrad(const char *name) : OpDef(name) {
    Input("grad_loss").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(NDS(2));
    Input("target").DataType({ge::DT_INT64, ge::DT_INT64}).Format(NDS(2));
    Input("weight")
        .ParamType(OPTIONAL)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
        .Format(NDS(2));
    Output("x_grad").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(NDS(2));
    Attr("reduction").AttrType(OPTIONAL).String("mean");
    Attr("ignore_index").AttrType(OPTIONAL).Int(-100);
    Attr("label_smoothing").AttrType(OPTIONAL).Float(0.0);
    AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    AICore().AddConfig("ascend4711"); // a product that is not known here
  }
};
OP_ADD(EntropyGrad);

/// One of each kind of parameter.
class KitchenSink : public OpDef {
public:
  explicit KitchenSink(const char *name) : OpDef(name) {
    auto one = [](OpParamDef &param, ge::DataType type) -> OpParamDef & {
      return param.DataType({type}).Format({ge::FORMAT_ND});
    };
    one(Input("self"), ge::DT_FLOAT);
    one(Input("parts"), ge::DT_FLOAT).ParamType(DYNAMIC);
    one(Input("factor"), ge::DT_FLOAT).Scalar();
    one(Input("factors"), ge::DT_FLOAT).ScalarList();
    one(Input("dims"), ge::DT_INT64).ValueDepend(REQUIRED);
    one(Input("rates"), ge::DT_FLOAT).ValueDepend(OPTIONAL);
    one(Input("flags"), ge::DT_BOOL).ValueDepend(REQUIRED);
    one(Output("self"), ge::DT_FLOAT);
    one(Output("y"), ge::DT_FLOAT).ParamType(OPTIONAL);
    one(Output("many"), ge::DT_FLOAT).ParamType(DYNAMIC);
    Attr("on").Bool();
    Attr("sizes").ListInt();
    Attr("scales").AttrType(OPTIONAL).ListFloat({0.1f, 2});
    Attr("masks").AttrType(OPTIONAL).ListBool({true, false});
    Attr("mode").String();
    AICore().AddConfig("ascend910b");
  }
};
OP_ADD(KitchenSink);

/// Lists multiply; Follow copies.
class Multiplied : public OpDef {
public:
  explicit Multiplied(const char *name) : OpDef(name) {
    Input("a").DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format(NDS(2));
    Input("b")
        .DataTypeList({ge::DT_INT32, ge::DT_INT64})
        .FormatList({ge::FORMAT_ND});
    Output("y").Follow("a");
    OpAICoreConfig config;
    config.ExtendCfgInfo("opFile.value", "other_file");
    config.Input("a").DataType({ge::DT_FLOAT}).Format(NDS(1));
    AICore().AddConfig("ascend910b").AddConfig("ascend310p", config);
  }
};
OP_ADD(Multiplied);

/// Four rows, two binaries.
class Shared : public OpDef {
public:
  explicit Shared(const char *name) : OpDef(name) {
    Input("x")
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT32})
        .DataTypeForBinQuery(
            {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format(NDS(4));
    AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Shared);

#define BAD_OP(Name, ...)                                                      \
  class Name : public OpDef {                                                  \
  public:                                                                      \
    explicit Name(const char *name) : OpDef(name) {                            \
      __VA_ARGS__;                                                             \
      AICore().AddConfig("ascend910b");                                        \
    }                                                                          \
  };                                                                           \
  OP_ADD(Name)
BAD_OP(BadLength, Input("x").DataType({ge::DT_FLOAT, ge::DT_INT32});
       Input("y").DataType({ge::DT_FLOAT}));
BAD_OP(BadFormat,
       Input("x").DataType({ge::DT_FLOAT, ge::DT_INT32}).Format(NDS(1)));
BAD_OP(BadNoType, Input("x").ParamType(REQUIRED));
BAD_OP(
    BadBinary,
    Input("x").DataType({ge::DT_FLOAT}).DataTypeForBinQuery({ge::DT_FLOAT16}));
BAD_OP(BadDefault, Attr("a").AttrType(OPTIONAL).Int());
BAD_OP(BadListList, Attr("a").ListListInt());
BAD_OP(BadInit, Output("y").DataType({ge::DT_FLOAT}).InitValue(0));
BAD_OP(BadFollow, Output("y").Follow("nobody"));
BAD_OP(BadTwice, Input("a_b").DataType({ge::DT_FLOAT}); Attr("aB").Int());
BAD_OP(BadBoth,
       Input("x").DataType({ge::DT_FLOAT}).IgnoreContiguous().AutoContiguous());

} // namespace ops

namespace {

struct Read {
  std::vector<std::string> errors;
  std::vector<Op> ops = readOps({}, errors);
  const Op &operator[](const std::string &type) const {
    for (const Op &op : ops)
      if (op.type == type)
        return op;
    ADD_FAILURE() << type << " was not read";
    static const Op none;
    return none;
  }
};

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n"
                                                << text;
}

TEST(Generate, Signature) {
  const Read read;
  const std::string header = aclnnHeader(read["EntropyGrad"], {});
  expectContains(header, R"(aclnnStatus aclnnEntropyGradGetWorkspaceSize(
    const aclTensor *gradLoss,
    const aclTensor *target,
    const aclTensor *weightOptional,
    char *reductionOptional,
    int64_t ignoreIndex,
    double labelSmoothing,
    const aclTensor *out,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);)");
  expectContains(header, R"(aclnnStatus aclnnEntropyGrad(
    void *workspace,
    uint64_t workspaceSize,
    aclOpExecutor *executor,
    aclrtStream stream);)");
  expectContains(header, "#ifndef ACLNN_ENTROPY_GRAD_H_\n");
  expectContains(header, "visibility(\"default\")");
}

TEST(Generate, InnerPrefixIsHidden) {
  const Read read;
  const AclnnOptions inner{"aclnnInner", "aclnnInner", false};
  EXPECT_EQ(aclnnFileStem(read["EntropyGrad"], inner),
            "aclnnInner_entropy_grad");
  const std::string header = aclnnHeader(read["EntropyGrad"], inner);
  expectContains(header, "aclnnStatus aclnnInnerEntropyGradGetWorkspaceSize(");
  EXPECT_EQ(header.find("visibility"), std::string::npos);
}

TEST(Generate, EveryKindOfParameter) {
  const Read read;
  const std::string header = aclnnHeader(read["KitchenSink"], {});
  expectContains(header, R"(aclnnKitchenSinkGetWorkspaceSize(
    aclTensor *selfRef,
    const aclTensorList *parts,
    const aclScalar *factor,
    const aclScalarList *factors,
    const aclIntArray *dims,
    const aclFloatArray *rates,
    const aclBoolArray *flags,
    bool on,
    const aclIntArray *sizes,
    const aclFloatArray *scalesOptional,
    const aclBoolArray *masksOptional,
    char *mode,
    const aclTensor *yOutOptional,
    const aclTensorList *manyOut,
    uint64_t *workspaceSize,)");
  expectContains(header, R"(aclnnKitchenSinkTensorGetWorkspaceSize(
    aclTensor *selfRef,
    const aclTensorList *parts,
    const aclScalar *factor,
    const aclScalarList *factors,
    const aclTensor *dims,
    const aclTensor *rates,
    const aclTensor *flags,)");
  // Defaults survive exactly.
  expectContains(aclnnSource(read["KitchenSink"], {}),
                 "scalesFloats[] = {0x1.99999ap-4, 0x1p+1}");
}

TEST(Generate, RowsPerUnit) {
  const Read read;
  const Op &entropy = read["EntropyGrad"];
  ASSERT_EQ(entropy.units.size(), 2u); // the unknown unit is left out
  EXPECT_STREQ(entropy.units[0].family->computeUnit, "ascend910b");
  EXPECT_EQ(entropy.units[0].rows[1].declared.dtypes,
            (std::vector<int>{ge::DT_FLOAT16, ge::DT_INT64, ge::DT_FLOAT,
                              ge::DT_FLOAT16}));
  const Op &multiplied = read["Multiplied"];
  ASSERT_EQ(multiplied.units.size(), 2u);
  std::vector<std::vector<int>> rows;
  for (const Row &row : multiplied.units[0].rows)
    rows.push_back(row.declared.dtypes);
  EXPECT_EQ(rows, (std::vector<std::vector<int>>{
                      {ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT},
                      {ge::DT_FLOAT, ge::DT_INT64, ge::DT_FLOAT},
                      {ge::DT_FLOAT16, ge::DT_INT32, ge::DT_FLOAT16},
                      {ge::DT_FLOAT16, ge::DT_INT64, ge::DT_FLOAT16}}));
  EXPECT_EQ(multiplied.units[1].rows.size(), 2u); // overridden for this unit
  EXPECT_EQ(multiplied.units[1].file, "other_file");
}

TEST(Generate, BinariesAreDistinctRows) {
  const Read read;
  std::vector<KernelJob> jobs = planKernels({read["Shared"]});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].architecture, "dav_c220");
  EXPECT_EQ(jobs[0].defines,
            (std::vector<std::string>{"__CCE_AICORE__=220", "__NPU_ARCH__=2201",
                                      "DTYPE_X=float", "ORIG_DTYPE_X=DT_FLOAT",
                                      "FORMAT_X=FORMAT_ND"}));
  EXPECT_EQ(jobs[1].what, "x half");
  // A2 and A3 share an architecture and therefore the binaries.
  EXPECT_EQ(planKernels({read["EntropyGrad"]}).size(), 2u);
}

TEST(Generate, OnlyTheUnitsAskedFor) {
  std::vector<std::string> errors;
  for (const Op &op : readOps({"ascend310p"}, errors))
    EXPECT_EQ(op.units.size(), op.type == "Multiplied" ? 1u : 0u) << op.type;
}

TEST(Generate, WrongDescriptions) {
  const Read read;
  std::string all;
  for (const std::string &error : read.errors)
    all += error + "\n";
  for (const char *text :
       {"BadLength: 'y' has 1 entries in DataType where other parameters have "
        "2",
        "BadFormat: 'x' has 1 entries in Format",
        "BadNoType: 'x' has no DataType",
        "BadBinary: row 0 asks for a binary (DataTypeForBinQuery) that is none",
        "BadDefault: attribute 'a' is optional and needs a default value",
        "BadListList: attribute 'a' is a ListListInt, which has no C type",
        "BadInit: output 'y' uses InitValue", "BadFollow: 'y' follows 'nobody'",
        "BadTwice: two parameters are called 'aB'",
        "BadBoth: input 'x' is both IgnoreContiguous and AutoContiguous"})
    expectContains(all, text);
  EXPECT_EQ(read.errors.size(), 10u);
}

// A compiler that makes nothing is enough: what counts is what is left.
TEST(Kernels, BinariesOfRemovedOperatorsGo) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / "opbuild_kernels";
  const fs::path out = root / "kernels";
  fs::remove_all(root);
  fs::create_directories(out / "dav_c220");
  fs::create_directories(out / "dav_m200");
  for (const char *name : {"dav_c220/gone.so", "dav_c220/here.so",
                           "dav_c220/notes.txt", "dav_m200/here.so"})
    std::ofstream(out / name) << name;
  KernelJob job;
  job.op = "Here";
  job.file = job.name = "here";
  job.architecture = "dav_c220";
  BuildOptions options;
  options.kernelDir = root.string();
  options.outDir = out.string();
  options.preludeDir = (root / "generated").string();
  // A failed build leaves all as it was.
  options.compiler = {"false"};
  EXPECT_EQ(buildKernels({job}, options), 1);
  EXPECT_TRUE(fs::exists(out / "dav_c220/gone.so"));
  // So does a linker that is stopped half way: what is there stays complete.
  const fs::path compiler = root / "compiler";
  auto compileBy = [&](const char *script) {
    std::ofstream(compiler) << "#!/bin/sh\n"
                               "for word; do [ \"$before\" = -o ] && "
                               "to=$word; before=$word; done\n"
                            << script;
    fs::permissions(compiler, fs::perms::owner_all);
    options.compiler = {compiler.string()};
    return buildKernels({job}, options);
  };
  auto contents = [&] {
    std::string text;
    std::ifstream(out / "dav_c220/here.so") >> text;
    return text;
  };
  EXPECT_EQ(compileBy("echo half > $to; case $to in *.so*) exit 1;; esac"), 1);
  EXPECT_EQ(contents(), "dav_c220/here.so");
  EXPECT_EQ(compileBy("echo half > $to; case $to in *.so*) kill -9 $$;; esac"),
            1);
  EXPECT_EQ(contents(), "dav_c220/here.so");
  EXPECT_FALSE(fs::exists(out / "dav_c220/here.so.new"));
  EXPECT_EQ(compileBy("echo whole > $to"), 0);
  EXPECT_EQ(contents(), "whole");
  EXPECT_FALSE(fs::exists(out / "dav_c220/gone.so"));
  EXPECT_FALSE(fs::exists(out / "dav_m200/here.so"));
  EXPECT_TRUE(fs::exists(out / "dav_c220/here.so"));
  EXPECT_TRUE(fs::exists(out / "dav_c220/notes.txt"));
  fs::remove_all(root);
}

} // namespace
