//===- OpModel.cpp - reading and checking operator descriptions -----------===//
//
// Merges an OpDef with the overrides of each compute unit and expands its lists
// to rows: the i-th entries of plain lists belong together, DataTypeList and
// FormatList multiply, Follow copies from another parameter.
//
//===----------------------------------------------------------------------===//
#include "OpModel.h"

#include "register/op_def_factory.h"

#include <algorithm>
#include <set>

namespace lossgrad {

using opbuild::Attr;
using opbuild::Combination;
using opbuild::Op;
using opbuild::Param;
using opbuild::Row;
using opbuild::Unit;

/// The one class that looks into OpDef.
class OpDefReader {
public:
  OpDefReader(std::vector<std::string> &errors) : errors(errors) {}

  static auto &all() { return ops::OpDefFactory::all(); }

  bool read(const ops::OpDef &def, const std::vector<std::string> &onlyUnits,
            Op &op);

private:
  using Params = std::deque<ops::OpParamDef>;
  bool error(const std::string &text) {
    errors.push_back(type + ": " + text);
    return false;
  }
  bool readParams(const Params &from, std::vector<Param> &to, bool inputs);
  bool readAttrs(const ops::OpDef &def, std::vector<Attr> &to);
  bool readUnit(const ops::OpDef &def, const ops::OpAICoreConfig &config,
                const Op &op, Unit &unit);
  static Params merged(const Params &common, const Params &overrides);
  bool expand(const Params &params, std::vector<Row> &rows);
  bool follow(Params &params);
  bool checkNames(const Op &op);

  std::vector<std::string> &errors;
  std::string type;
};

bool OpDefReader::readParams(const Params &from, std::vector<Param> &to,
                             bool inputs) {
  for (const ops::OpParamDef &def : from) {
    Param param;
    param.name = def.name.GetString();
    const std::string where =
        (inputs ? "input '" : "output '") + param.name + "'";
    switch (def.option) {
    case ops::REQUIRED:
      param.kind = Param::Kind::Required;
      break;
    case ops::OPTIONAL:
      param.kind = Param::Kind::Optional;
      break;
    case ops::DYNAMIC:
      param.kind = Param::Kind::Dynamic;
      break;
    default:
      return error(where + " must be REQUIRED, OPTIONAL or DYNAMIC");
    }
    if (def.unsupported)
      return error(where + " uses " + def.unsupported +
                   ", which the stand-in does not support");
    param.ignoreContiguous = def.ignoreContiguous;
    param.autoContiguous = def.autoContiguous;
    if (def.ignoreContiguous && def.autoContiguous)
      return error(where + " is both IgnoreContiguous and AutoContiguous");
    if (def.scalar || def.scalarList) {
      param.form = def.scalar ? Param::Form::Scalar : Param::Form::ScalarList;
      param.hostType = def.scalarType != ge::DT_UNDEFINED ? int(def.scalarType)
                       : !def.dtypes.empty()              ? int(def.dtypes[0])
                                                          : -1;
      if (def.scalarTypeOf.GetLength())
        return error(where + " uses To(\"" + def.scalarTypeOf.GetString() +
                     "\"); only To(type) is supported");
    } else if (def.valueDepend != ops::IGNORE) {
      param.form = Param::Form::Value;
      param.hostType = def.dtypes.empty() ? -1 : int(def.dtypes[0]);
      if (param.hostType != ge::DT_INT64 && param.hostType != ge::DT_FLOAT &&
          param.hostType != ge::DT_BOOL)
        return error(where + " is value-dependent; its type must be int64, "
                             "float or bool");
    }
    to.push_back(param);
  }
  return true;
}

bool OpDefReader::readAttrs(const ops::OpDef &def, std::vector<Attr> &to) {
  using K = ops::AttrDataType;
  static const std::map<K, Attr::Kind> kinds = {
      {K::ATTR_DT_BOOL, Attr::Kind::Bool},
      {K::ATTR_DT_FLOAT, Attr::Kind::Float},
      {K::ATTR_DT_INT, Attr::Kind::Int},
      {K::ATTR_DT_STR, Attr::Kind::String},
      {K::ATTR_DT_LIST_BOOL, Attr::Kind::ListBool},
      {K::ATTR_DT_LIST_FLOAT, Attr::Kind::ListFloat},
      {K::ATTR_DT_LIST_INT, Attr::Kind::ListInt}};
  for (const ops::OpAttrDef &from : def.attrs) {
    const std::string where =
        std::string("attribute '") + from.name.GetString() + "'";
    auto kind = kinds.find(from.kind);
    if (kind == kinds.end())
      return error(where + (from.kind == K::ATTR_DT_LIST_LIST_INT
                                ? " is a ListListInt, which has no C type"
                                : " has no type"));
    Attr attr;
    attr.name = from.name.GetString();
    attr.kind = kind->second;
    attr.required = from.option == ops::REQUIRED;
    if (!attr.required && !from.hasDefault)
      return error(where + " is optional and needs a default value");
    attr.text = from.text.GetString();
    attr.ints = from.ints;
    attr.floats = from.floats;
    to.push_back(attr);
  }
  return true;
}

OpDefReader::Params OpDefReader::merged(const Params &common,
                                        const Params &overrides) {
  Params result = common;
  for (ops::OpParamDef &param : result)
    for (const ops::OpParamDef &by : overrides) {
      if (by.name != param.name)
        continue;
      if (!by.dtypes.empty()) {
        param.dtypes = by.dtypes;
        param.dtypesAreList = by.dtypesAreList;
        param.binDtypes = by.binDtypes;
      }
      if (!by.formats.empty()) {
        param.formats = by.formats;
        param.formatsAreList = by.formatsAreList;
        param.binFormats = by.binFormats;
      }
      if (!by.binDtypes.empty())
        param.binDtypes = by.binDtypes;
      if (!by.binFormats.empty())
        param.binFormats = by.binFormats;
    }
  return result;
}

/// Copies the lists of the parameter that another one follows.
bool OpDefReader::follow(Params &params) {
  for (ops::OpParamDef &param : params) {
    if (!param.follow.GetLength())
      continue;
    auto source = std::find_if(
        params.begin(), params.end(),
        [&](const ops::OpParamDef &p) { return p.name == param.follow; });
    if (source == params.end() || source->follow.GetLength())
      return error(std::string("'") + param.name.GetString() + "' follows '" +
                   param.follow.GetString() +
                   "', which is no parameter with lists of its own");
    using F = ops::FollowType;
    if (param.followType == F::ALL || param.followType == F::DTYPE) {
      param.dtypes = source->dtypes;
      param.binDtypes = source->binDtypes;
      param.dtypesAreList = source->dtypesAreList;
    }
    if (param.followType == F::ALL || param.followType == F::FORMAT) {
      param.formats = source->formats;
      param.binFormats = source->binFormats;
      param.formatsAreList = source->formatsAreList;
    }
  }
  return true;
}

bool OpDefReader::expand(const Params &params, std::vector<Row> &rows) {
  size_t length = 0;
  for (const ops::OpParamDef &param : params)
    if (!param.dtypesAreList && !param.dtypes.empty())
      length = std::max(length, param.dtypes.size());
  length = std::max<size_t>(length, 1);
  std::vector<Row> result(length);
  auto name = [](const ops::OpParamDef &p) {
    return std::string("'") + p.name.GetString() + "'";
  };
  auto sizeError = [&](const ops::OpParamDef &param, const char *list,
                       size_t size) {
    return error(name(param) + " has " + std::to_string(size) + " entries in " +
                 list + " where other parameters have " +
                 std::to_string(length));
  };
  for (const ops::OpParamDef &param : params) {
    if (param.dtypes.empty())
      return error(name(param) + " has no DataType");
    if (!param.dtypesAreList && param.dtypes.size() != length)
      return sizeError(param, "DataType", param.dtypes.size());
    if (!param.formats.empty() && !param.formatsAreList &&
        param.formats.size() != length)
      return sizeError(param, "Format", param.formats.size());
    if (!param.binDtypes.empty() && param.binDtypes.size() != length)
      return sizeError(param, "DataTypeForBinQuery", param.binDtypes.size());
    if (!param.binFormats.empty() && param.binFormats.size() != length)
      return sizeError(param, "FormatForBinQuery", param.binFormats.size());
    // A list of either kind multiplies what there is.
    const size_t types = param.dtypesAreList ? param.dtypes.size() : 1;
    const size_t formats = param.formatsAreList ? param.formats.size() : 1;
    std::vector<Row> wider;
    const size_t repeats = result.size() / length;
    for (size_t r = 0; r < result.size(); ++r)
      for (size_t t = 0; t < types; ++t)
        for (size_t f = 0; f < formats; ++f) {
          const size_t i = r / repeats; // index in plain lists
          Row row = result[r];
          const int dtype = param.dtypes[param.dtypesAreList ? t : i];
          const int format =
              param.formats.empty()
                  ? int(ge::FORMAT_ND)
                  : int(param.formats[param.formatsAreList ? f : i]);
          row.declared.dtypes.push_back(dtype);
          row.declared.formats.push_back(format);
          row.binary.dtypes.push_back(
              param.binDtypes.empty() ? dtype : int(param.binDtypes[i]));
          row.binary.formats.push_back(
              param.binFormats.empty() ? format : int(param.binFormats[i]));
          wider.push_back(std::move(row));
        }
    result = std::move(wider);
  }
  std::set<Combination> declared;
  for (const Row &row : result)
    declared.insert(row.declared);
  for (size_t i = 0; i < result.size(); ++i) {
    const Combination &wanted = result[i].binary;
    if (!declared.count(wanted))
      return error("row " + std::to_string(i) +
                   " asks for a binary (DataTypeForBinQuery) that is none of "
                   "the declared rows");
    for (size_t p = 0; p < params.size(); ++p) {
      if (!opbuild::dtypeSpelling(wanted.dtypes[p]))
        return error(name(params[p]) + ": element type " +
                     std::to_string(wanted.dtypes[p]) +
                     " has no AscendC spelling");
      if (!opbuild::formatMacro(wanted.formats[p]))
        return error(name(params[p]) + ": format " +
                     std::to_string(wanted.formats[p]) + " is not supported");
    }
  }
  rows = std::move(result);
  return true;
}

bool OpDefReader::readUnit(const ops::OpDef &def,
                           const ops::OpAICoreConfig &config, const Op &op,
                           Unit &unit) {
  Params params = merged(def.inputs, config.inputs);
  for (ops::OpParamDef &output : merged(def.outputs, config.outputs))
    params.push_back(output);
  if (!follow(params) || !expand(params, unit.rows))
    return false;
  auto info = [&](const char *key, const std::string &otherwise) {
    auto found = config.info.find(key);
    return found == config.info.end() ? otherwise
                                      : std::string(found->second.GetString());
  };
  unit.file = info("opFile.value", op.snake);
  unit.function = info("opInterface.value", unit.file);
  return true;
}

/// Generated C parameters must not collide.
bool OpDefReader::checkNames(const Op &op) {
  if (op.type.empty() ||
      !std::isupper(static_cast<unsigned char>(op.type[0])) ||
      !std::all_of(op.type.begin(), op.type.end(), ::isalnum))
    return error("the operator type must be alphanumeric and begin with a "
                 "capital letter");
  std::set<std::string> seen;
  auto add = [&](const std::string &name) {
    return seen.insert(opbuild::camelCase(name)).second;
  };
  for (const Param &param : op.inputs)
    if (!add(param.name))
      return error("two parameters are called '" + param.name + "'");
  for (const Attr &attr : op.attrs)
    if (!add(attr.name))
      return error("two parameters are called '" + attr.name + "'");
  return true;
}

bool OpDefReader::read(const ops::OpDef &def,
                       const std::vector<std::string> &onlyUnits, Op &op) {
  op.type = type = def.type.GetString();
  op.snake = opbuild::snakeCase(op.type);
  op.strictFormats = def.formatCheck == ops::FormatCheckOption::STRICT;
  if (def.usesMc2)
    return error("communication operators (MC2) are not supported");
  if (!readParams(def.inputs, op.inputs, true) ||
      !readParams(def.outputs, op.outputs, false) ||
      !readAttrs(def, op.attrs) || !checkNames(op))
    return false;
  for (Param &input : op.inputs)
    for (const Param &output : op.outputs)
      input.isRef |= input.name == output.name;
  for (Param &output : op.outputs)
    for (const Param &input : op.inputs)
      output.isRef |= input.name == output.name;
  for (auto &entry : def.aicore.configs) {
    std::string unitName = entry.first.GetString();
    std::transform(unitName.begin(), unitName.end(), unitName.begin(),
                   ::tolower);
    const auto *family = targets::findComputeUnit(unitName);
    // A unit that the tables do not know belongs to a product without kernels
    // here; the project may still serve it elsewhere.
    if (!family)
      continue;
    if (!onlyUnits.empty() && std::find(onlyUnits.begin(), onlyUnits.end(),
                                        unitName) == onlyUnits.end())
      continue;
    Unit unit;
    unit.family = family;
    if (!readUnit(def, entry.second, op, unit))
      return false;
    op.units.push_back(std::move(unit));
  }
  return true;
}

namespace opbuild {

std::string Op::kernelName(const Unit &unit, const Combination &row) const {
  // FNV-1a over the combination: short, stable, and the same on every machine.
  uint32_t hash = 2166136261u;
  auto mix = [&](int value) { hash = (hash ^ uint32_t(value)) * 16777619u; };
  for (int dtype : row.dtypes)
    mix(dtype);
  for (int format : row.formats)
    mix(format + 1000);
  char text[16];
  std::snprintf(text, sizeof text, "_%08x", hash);
  return unit.file + (unit.function == unit.file ? "" : "_" + unit.function) +
         text;
}

std::vector<Op> readOps(const std::vector<std::string> &onlyUnits,
                        std::vector<std::string> &errors) {
  std::vector<Op> result;
  std::set<std::string> seen;
  for (auto &entry : OpDefReader::all()) {
    const std::string type = entry.first.GetString();
    if (!seen.insert(type).second) {
      errors.push_back(type + ": OP_ADD appears twice");
      continue;
    }
    Op op;
    if (OpDefReader(errors).read(entry.second(type.c_str()), onlyUnits, op))
      result.push_back(std::move(op));
  }
  std::sort(result.begin(), result.end(),
            [](const Op &a, const Op &b) { return a.type < b.type; });
  return result;
}

} // namespace opbuild
} // namespace lossgrad
