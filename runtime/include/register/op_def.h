//===- op_def.h - what an operator takes and where it runs ------*- C++ -*-===//
//
// The classes with which a custom operator describes itself: inputs, outputs
// and attributes in order, the supported combinations of element types and
// formats, and one configuration per compute unit. They only collect;
// lossgrad-opbuild checks the description and generates from it.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_REGISTER_OP_DEF_H
#define LOSSGRAD_REGISTER_OP_DEF_H

#include "graph/operator.h"
#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

namespace optiling {

using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator &op,
                                          ge::AscendString &result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(
    const ge::Operator &op, const ge::AscendString &generalize_config,
    ge::AscendString &generalized_op_params);

} // namespace optiling

namespace lossgrad {
class OpDefReader;
}

namespace ops {

enum Option {
  IGNORE = 0,
  OPTIONAL = 1,
  REQUIRED = 2,
  DYNAMIC = 3,
  VIRTUAL = 4
};

enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t {
  ALL = 0,
  DTYPE = 1,
  FORMAT = 2,
  SHAPE = 3,
  INVALID_TYPE
};
enum class AttrDataType {
  ATTR_DT_BOOL = 0,
  ATTR_DT_FLOAT = 1,
  ATTR_DT_INT = 2,
  ATTR_DT_STR = 3,
  ATTR_DT_LIST_BOOL = 4,
  ATTR_DT_LIST_FLOAT = 5,
  ATTR_DT_LIST_INT = 6,
  ATTR_DT_LIST_LIST_INT = 7,
  ATTR_DT_MAX
};
enum class CommentSection : uint32_t {
  CATEGORY = 0,
  BRIEF = 1,
  CONSTRAINTS = 2,
  RESTRICTIONS = 3,
  SEE = 4,
  THIRDPARTYFWKCOMPAT = 5,
  SECTION_MAX
};

/// An input or output. The i-th entries of all lists of an operator together
/// are its i-th supported combination.
class OpParamDef {
public:
  explicit OpParamDef(const char *name) : name(name) {}

  OpParamDef &ParamType(Option param_type) {
    option = param_type;
    return *this;
  }
  OpParamDef &DataType(std::vector<ge::DataType> types) {
    dtypes = std::move(types);
    dtypesAreList = false;
    return *this;
  }
  OpParamDef &DataTypeList(std::vector<ge::DataType> types) {
    dtypes = std::move(types);
    dtypesAreList = true;
    return *this;
  }
  OpParamDef &Format(std::vector<ge::Format> list) {
    formats = std::move(list);
    formatsAreList = false;
    return *this;
  }
  OpParamDef &FormatList(std::vector<ge::Format> list) {
    formats = std::move(list);
    formatsAreList = true;
    return *this;
  }
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> list) {
    unknownShapeFormats = std::move(list);
    return *this;
  }
  OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> types) {
    binDtypes = std::move(types);
    return *this;
  }
  OpParamDef &FormatForBinQuery(std::vector<ge::Format> list) {
    binFormats = std::move(list);
    return *this;
  }
  OpParamDef &ValueDepend(Option value_depend) {
    return ValueDepend(value_depend, DependScope::ALL);
  }
  OpParamDef &ValueDepend(Option value_depend, DependScope) {
    valueDepend = value_depend;
    return *this;
  }
  OpParamDef &IgnoreContiguous(void) {
    ignoreContiguous = true;
    return *this;
  }
  OpParamDef &AutoContiguous() {
    autoContiguous = true;
    return *this;
  }
  OpParamDef &Scalar() {
    scalar = true;
    return *this;
  }
  OpParamDef &ScalarList() {
    scalarList = true;
    return *this;
  }
  OpParamDef &To(const ge::DataType type) {
    scalarType = type;
    return *this;
  }
  OpParamDef &To(const char *param) {
    scalarTypeOf = param;
    return *this;
  }
  OpParamDef &Follow(const char *param) {
    return Follow(param, FollowType::ALL);
  }
  OpParamDef &Follow(const char *param, FollowType type) {
    follow = param;
    followType = type;
    return *this;
  }
  OpParamDef &InitValue(uint64_t) {
    unsupported = "InitValue";
    return *this;
  }
  OpParamDef &OutputShapeDependOnCompute() {
    unsupported = "OutputShapeDependOnCompute";
    return *this;
  }
  OpParamDef &Version(uint32_t) { return *this; }
  OpParamDef &Comment(const char *) { return *this; }

private:
  friend class lossgrad::OpDefReader;
  friend class OpDef;
  friend class OpAICoreConfig;

  ge::AscendString name;
  Option option = REQUIRED;
  std::vector<ge::DataType> dtypes, binDtypes;
  std::vector<ge::Format> formats, unknownShapeFormats, binFormats;
  bool dtypesAreList = false, formatsAreList = false;
  Option valueDepend = IGNORE;
  bool ignoreContiguous = false, autoContiguous = false;
  bool scalar = false, scalarList = false;
  ge::DataType scalarType = ge::DT_UNDEFINED;
  ge::AscendString scalarTypeOf, follow;
  FollowType followType = FollowType::ALL;
  const char *unsupported = nullptr; // a property that generation refuses
};

/// An attribute: one kind, and a default value if it is optional.
class OpAttrDef {
public:
  explicit OpAttrDef(const char *name) : name(name) {}

  OpAttrDef &AttrType(Option attr_type) {
    option = attr_type;
    return *this;
  }
  OpAttrDef &Bool(void) { return kindOnly(AttrDataType::ATTR_DT_BOOL); }
  OpAttrDef &Bool(bool value) {
    ints.assign(1, value);
    return withDefault(AttrDataType::ATTR_DT_BOOL);
  }
  OpAttrDef &Float(void) { return kindOnly(AttrDataType::ATTR_DT_FLOAT); }
  OpAttrDef &Float(float value) {
    floats.assign(1, value);
    return withDefault(AttrDataType::ATTR_DT_FLOAT);
  }
  OpAttrDef &Int(void) { return kindOnly(AttrDataType::ATTR_DT_INT); }
  OpAttrDef &Int(int64_t value) {
    ints.assign(1, value);
    return withDefault(AttrDataType::ATTR_DT_INT);
  }
  OpAttrDef &String(void) { return kindOnly(AttrDataType::ATTR_DT_STR); }
  OpAttrDef &String(const char *value) {
    text = value;
    return withDefault(AttrDataType::ATTR_DT_STR);
  }
  OpAttrDef &ListBool(void) {
    return kindOnly(AttrDataType::ATTR_DT_LIST_BOOL);
  }
  OpAttrDef &ListBool(std::vector<bool> value) {
    ints.assign(value.begin(), value.end());
    return withDefault(AttrDataType::ATTR_DT_LIST_BOOL);
  }
  OpAttrDef &ListFloat(void) {
    return kindOnly(AttrDataType::ATTR_DT_LIST_FLOAT);
  }
  OpAttrDef &ListFloat(std::vector<float> value) {
    floats = std::move(value);
    return withDefault(AttrDataType::ATTR_DT_LIST_FLOAT);
  }
  OpAttrDef &ListInt(void) { return kindOnly(AttrDataType::ATTR_DT_LIST_INT); }
  OpAttrDef &ListInt(std::vector<int64_t> value) {
    ints = std::move(value);
    return withDefault(AttrDataType::ATTR_DT_LIST_INT);
  }
  OpAttrDef &ListListInt(void) {
    return kindOnly(AttrDataType::ATTR_DT_LIST_LIST_INT);
  }
  OpAttrDef &ListListInt(std::vector<std::vector<int64_t>>) {
    return withDefault(AttrDataType::ATTR_DT_LIST_LIST_INT);
  }
  OpAttrDef &Version(uint32_t) { return *this; }
  OpAttrDef &Comment(const char *) { return *this; }

private:
  friend class lossgrad::OpDefReader;
  friend class OpDef;
  OpAttrDef &kindOnly(AttrDataType type) {
    kind = type;
    hasDefault = false;
    return *this;
  }
  OpAttrDef &withDefault(AttrDataType type) {
    kind = type;
    hasDefault = true;
    return *this;
  }

  ge::AscendString name;
  Option option = REQUIRED;
  AttrDataType kind = AttrDataType::ATTR_DT_MAX;
  bool hasDefault = false;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  ge::AscendString text;
};

/// What one compute unit overrides, and its flags. A default-constructed one
/// sets no flag at all.
class OpAICoreConfig {
public:
  OpParamDef &Input(const char *name) { return find(inputs, name); }
  OpParamDef &Output(const char *name) { return find(outputs, name); }
  OpAICoreConfig &DynamicCompileStaticFlag(bool flag) {
    return set("dynamicCompileStatic.flag", flag);
  }
  OpAICoreConfig &DynamicFormatFlag(bool flag) {
    return set("dynamicFormat.flag", flag);
  }
  OpAICoreConfig &DynamicRankSupportFlag(bool flag) {
    return set("dynamicRankSupport.flag", flag);
  }
  OpAICoreConfig &DynamicShapeSupportFlag(bool flag) {
    return set("dynamicShapeSupport.flag", flag);
  }
  OpAICoreConfig &NeedCheckSupportFlag(bool flag) {
    return set("needCheckSupport.flag", flag);
  }
  OpAICoreConfig &PrecisionReduceFlag(bool flag) {
    return set("precision_reduce.flag", flag);
  }
  OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value) {
    info[key] = value;
    return *this;
  }

private:
  friend class lossgrad::OpDefReader;
  friend class OpDef;
  friend class OpAICoreDef;
  OpAICoreConfig &set(const char *key, bool flag) {
    return ExtendCfgInfo(key, flag ? "true" : "false");
  }
  static OpParamDef &find(std::deque<OpParamDef> &list, const char *name) {
    for (OpParamDef &param : list)
      if (param.name == name)
        return param;
    list.emplace_back(name);
    return list.back();
  }

  std::deque<OpParamDef> inputs, outputs;
  std::map<ge::AscendString, ge::AscendString> info;
};

/// The AI Core part of an operator.
class OpAICoreDef {
public:
  OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc func) {
    tiling = func;
    return *this;
  }
  OpAICoreDef &SetCheckSupport(optiling::OP_CHECK_FUNC func) {
    checkSupport = func;
    return *this;
  }
  OpAICoreDef &SetOpSelectFormat(optiling::OP_CHECK_FUNC func) {
    selectFormat = func;
    return *this;
  }
  OpAICoreDef &SetOpSupportInfo(optiling::OP_CHECK_FUNC func) {
    supportInfo = func;
    return *this;
  }
  OpAICoreDef &SetOpSpecInfo(optiling::OP_CHECK_FUNC func) {
    specInfo = func;
    return *this;
  }
  OpAICoreDef &SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC func) {
    generalize = func;
    return *this;
  }
  gert::OpImplRegisterV2::TilingKernelFunc &GetTiling(void) { return tiling; }
  optiling::OP_CHECK_FUNC &GetCheckSupport(void) { return checkSupport; }
  optiling::OP_CHECK_FUNC &GetOpSelectFormat(void) { return selectFormat; }
  optiling::OP_CHECK_FUNC &GetOpSupportInfo(void) { return supportInfo; }
  optiling::OP_CHECK_FUNC &GetOpSpecInfo(void) { return specInfo; }
  optiling::PARAM_GENERALIZE_FUNC &GetParamGeneralize(void) {
    return generalize;
  }

  /// The flags of a unit that is added by name alone.
  OpAICoreDef &AddConfig(const char *soc) {
    OpAICoreConfig usual;
    usual.DynamicCompileStaticFlag(true)
        .DynamicFormatFlag(true)
        .DynamicRankSupportFlag(true)
        .DynamicShapeSupportFlag(true)
        .NeedCheckSupportFlag(false)
        .PrecisionReduceFlag(true);
    return AddConfig(soc, usual);
  }
  OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &aicore_config) {
    for (auto &entry : configs)
      if (entry.first == soc) {
        entry.second = aicore_config;
        return *this;
      }
    configs.emplace_back(soc, aicore_config);
    return *this;
  }

private:
  friend class lossgrad::OpDefReader;
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  optiling::OP_CHECK_FUNC checkSupport = nullptr, selectFormat = nullptr,
                          supportInfo = nullptr, specInfo = nullptr;
  optiling::PARAM_GENERALIZE_FUNC generalize = nullptr;
  std::deque<std::pair<ge::AscendString, OpAICoreConfig>> configs;
};

/// Communication operators: accepted by the compiler, refused by generation.
class OpMC2Def {
public:
  OpMC2Def &HcclGroup(const char *) { return *this; }
  OpMC2Def &HcclGroup(std::vector<const char *>) { return *this; }
};

class OpDef {
public:
  explicit OpDef(const char *type) : type(type) {}

  OpParamDef &Input(const char *name) {
    return OpAICoreConfig::find(inputs, name);
  }
  OpParamDef &Output(const char *name) {
    return OpAICoreConfig::find(outputs, name);
  }
  OpAttrDef &Attr(const char *name) {
    for (OpAttrDef &attr : attrs)
      if (attr.name == name)
        return attr;
    attrs.emplace_back(name);
    return attrs.back();
  }
  OpDef &Comment(CommentSection, const char *) { return *this; }
  OpDef &SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc func) {
    inferShape = func;
    return *this;
  }
  OpDef &
  SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc func) {
    inferShapeRange = func;
    return *this;
  }
  OpDef &
  SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc func) {
    inferDataType = func;
    return *this;
  }
  gert::OpImplRegisterV2::InferShapeKernelFunc &GetInferShape(void) {
    return inferShape;
  }
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc &GetInferShapeRange(void) {
    return inferShapeRange;
  }
  gert::OpImplRegisterV2::InferDataTypeKernelFunc &GetInferDataType(void) {
    return inferDataType;
  }
  OpAICoreDef &AICore(void) { return aicore; }
  OpMC2Def &MC2(void) {
    usesMc2 = true;
    return mc2;
  }
  OpDef &FormatMatchMode(FormatCheckOption option) {
    formatCheck = option;
    return *this;
  }
  OpDef &EnableFallBack(void) { return *this; }

private:
  friend class lossgrad::OpDefReader;
  ge::AscendString type;
  std::deque<OpParamDef> inputs, outputs;
  std::deque<OpAttrDef> attrs;
  gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
  gert::OpImplRegisterV2::InferShapeRangeKernelFunc inferShapeRange = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
  OpAICoreDef aicore;
  OpMC2Def mc2;
  bool usesMc2 = false;
  FormatCheckOption formatCheck = FormatCheckOption::DEFAULT;
};

} // namespace ops

#endif // LOSSGRAD_REGISTER_OP_DEF_H
