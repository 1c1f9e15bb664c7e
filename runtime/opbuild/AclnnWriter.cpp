//===- AclnnWriter.cpp - printing generated aclnn functions ---------------===//
//
// See AclnnWriter.h. A value-dependent input gives a second phase-1 function,
// ...TensorGetWorkspaceSize, that takes it as a tensor.
//
//===----------------------------------------------------------------------===//
#include "AclnnWriter.h"

#include "graph/types.h"

#include <cstdio>
#include <map>
#include <sstream>

namespace lossgrad::opbuild {
namespace {

struct CParameter {
  std::string type, name;
};

std::string inputType(const Param &input, bool valuesAsTensors) {
  if (input.kind == Param::Kind::Dynamic)
    return input.isRef ? "aclTensorList *" : "const aclTensorList *";
  switch (input.form) {
  case Param::Form::Scalar:
    return "const aclScalar *";
  case Param::Form::ScalarList:
    return "const aclScalarList *";
  case Param::Form::Value:
    if (valuesAsTensors)
      break;
    return input.hostType == ge::DT_INT64   ? "const aclIntArray *"
           : input.hostType == ge::DT_FLOAT ? "const aclFloatArray *"
                                            : "const aclBoolArray *";
  case Param::Form::Tensor:
    break;
  }
  return input.isRef ? "aclTensor *" : "const aclTensor *";
}

std::string inputName(const Param &input) {
  return camelCase(input.name) + (input.isRef ? "Ref" : "") +
         (input.kind == Param::Kind::Optional ? "Optional" : "");
}

CParameter attrParameter(const Attr &attr) {
  const std::string name = camelCase(attr.name);
  const std::string optional = attr.required ? "" : "Optional";
  switch (attr.kind) {
  case Attr::Kind::Bool:
    return {"bool ", name};
  case Attr::Kind::Float:
    return {"double ", name};
  case Attr::Kind::Int:
    return {"int64_t ", name};
  case Attr::Kind::String:
    return {"char *", name + optional};
  case Attr::Kind::ListBool:
    return {"const aclBoolArray *", name + optional};
  case Attr::Kind::ListFloat:
    return {"const aclFloatArray *", name + optional};
  case Attr::Kind::ListInt:
    return {"const aclIntArray *", name + optional};
  }
  return {};
}

std::string outputName(const Op &op, const Param &output) {
  const std::string base =
      op.outputs.size() == 1 ? "out" : camelCase(output.name) + "Out";
  return base + (output.kind == Param::Kind::Optional ? "Optional" : "");
}

std::vector<CParameter> parameters(const Op &op, bool valuesAsTensors) {
  std::vector<CParameter> list;
  for (const Param &input : op.inputs)
    list.push_back({inputType(input, valuesAsTensors), inputName(input)});
  for (const Attr &attr : op.attrs)
    list.push_back(attrParameter(attr));
  for (const Param &output : op.outputs)
    if (!output.isRef)
      list.push_back({output.kind == Param::Kind::Dynamic
                          ? "const aclTensorList *"
                          : "const aclTensor *",
                      outputName(op, output)});
  list.push_back({"uint64_t *", "workspaceSize"});
  list.push_back({"aclOpExecutor **", "executor"});
  return list;
}

bool hasValueInputs(const Op &op) {
  for (const Param &input : op.inputs)
    if (input.form == Param::Form::Value)
      return true;
  return false;
}

std::string functionName(const Op &op, const AclnnOptions &options) {
  return options.prefix + op.type;
}

std::string phase1Signature(const Op &op, const AclnnOptions &options,
                            bool valuesAsTensors) {
  std::string text = "aclnnStatus " + functionName(op, options) +
                     (valuesAsTensors ? "Tensor" : "") + "GetWorkspaceSize(";
  const std::vector<CParameter> list = parameters(op, valuesAsTensors);
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ",\n    " : "\n    ") + list[i].type + list[i].name;
  return text + ")";
}

std::string phase2Signature(const Op &op, const AclnnOptions &options) {
  return "aclnnStatus " + functionName(op, options) +
         "(\n    void *workspace,\n    uint64_t workspaceSize,\n"
         "    aclOpExecutor *executor,\n    aclrtStream stream)";
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

/// A float that reads back as the same float.
std::string floatText(float value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", double(value));
  return text;
}

template <typename List, typename Print>
std::string braced(const List &list, Print print) {
  std::string text = "{";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + print(list[i]);
  return text + "}";
}

void writeParams(std::ostream &out, const char *table,
                 const std::vector<Param> &params) {
  if (params.empty())
    return;
  out << "const Param " << table << "[] = {\n";
  for (const Param &param : params) {
    const char *option = param.kind == Param::Kind::Required   ? "Required"
                         : param.kind == Param::Kind::Optional ? "Optional"
                                                               : "Dynamic";
    out << "    {" << quoted(param.name) << ", Option::" << option << ", "
        << (param.ignoreContiguous ? "true" : "false") << ", "
        << (param.autoContiguous ? "true" : "false") << ", " << param.hostType
        << "},\n";
  }
  out << "};\n";
}

void writeAttrs(std::ostream &out, const Op &op) {
  for (const Attr &attr : op.attrs) {
    const std::string name = camelCase(attr.name);
    if (!attr.ints.empty())
      out << "const int64_t " << name << "Ints[] = "
          << braced(attr.ints, [](int64_t v) { return std::to_string(v); })
          << ";\n";
    if (!attr.floats.empty())
      out << "const float " << name
          << "Floats[] = " << braced(attr.floats, floatText) << ";\n";
  }
  if (op.attrs.empty())
    return;
  static const char *const kinds[] = {
      "Bool", "Float", "Int", "String", "ListBool", "ListFloat", "ListInt"};
  out << "const Attr attrs[] = {\n";
  for (const Attr &attr : op.attrs) {
    const std::string name = camelCase(attr.name);
    out << "    {" << quoted(attr.name)
        << ", AttrKind::" << kinds[int(attr.kind)] << ", "
        << (attr.required ? "true" : "false") << ", " << quoted(attr.text)
        << ", " << (attr.ints.empty() ? "nullptr" : name + "Ints") << ", "
        << (attr.floats.empty() ? "nullptr" : name + "Floats") << ", "
        << std::max(attr.ints.size(), attr.floats.size()) << "},\n";
  }
  out << "};\n";
}

void writeUnits(std::ostream &out, const Op &op) {
  for (const Unit &unit : op.units) {
    const std::string name = unit.family->computeUnit;
    // Rows share their lists: as a rule all of them have the same formats.
    std::map<std::vector<int>, std::string> lists;
    auto listOf = [&](const std::vector<int> &values) {
      auto [entry, isNew] = lists.try_emplace(
          values, name + "List" + std::to_string(lists.size()));
      if (isNew)
        out << "const int16_t " << entry->second << "[] = "
            << braced(values, [](int v) { return std::to_string(v); }) << ";\n";
      return entry->second;
    };
    std::string rows;
    for (const Row &row : unit.rows) {
      const std::string dtypes = listOf(row.declared.dtypes);
      rows += "    {" + dtypes + ", " + listOf(row.declared.formats) + ", " +
              quoted(op.kernelName(unit, row.binary)) + "},\n";
    }
    out << "const Row " << name << "Rows[] = {\n" << rows;
    out << "};\n";
  }
  if (op.units.empty())
    return;
  out << "const Unit units[] = {\n";
  for (const Unit &unit : op.units)
    out << "    {" << quoted(unit.family->computeUnit) << ", "
        << quoted(unit.function) << ", " << unit.family->computeUnit << "Rows, "
        << unit.rows.size() << "},\n";
  out << "};\n";
}

void writePhase1(std::ostream &out, const Op &op, const AclnnOptions &options,
                 bool valuesAsTensors) {
  out << phase1Signature(op, options, valuesAsTensors) << "\n{\n"
      << "    using lossgrad::opapi::Argument;\n"
      << "    const Argument arguments[] = {\n";
  size_t count = 0;
  auto argument = [&](const std::string &value) {
    out << "        Argument(" << value << "),\n";
    ++count;
  };
  for (const Param &input : op.inputs)
    argument("static_cast<" +
             [&] {
               std::string type = inputType(input, valuesAsTensors);
               return type.compare(0, 6, "const ") == 0 ? type
                                                        : "const " + type;
             }() +
             ">(" + inputName(input) + ")");
  for (const Attr &attr : op.attrs) {
    const CParameter parameter = attrParameter(attr);
    argument(attr.kind == Attr::Kind::String
                 ? "static_cast<const char *>(" + parameter.name + ")"
                 : parameter.name);
  }
  for (const Param &output : op.outputs) {
    if (!output.isRef) {
      argument(outputName(op, output));
      continue;
    }
    for (const Param &input : op.inputs)
      if (input.name == output.name)
        argument(std::string("static_cast<const ") +
                 (input.kind == Param::Kind::Dynamic ? "aclTensorList"
                                                     : "aclTensor") +
                 " *>(" + inputName(input) + ")");
  }
  out << "    };\n    return lossgrad::opapi::prepare(lossgrad_" << op.snake
      << "::op, arguments, " << count << ", workspaceSize, executor);\n}\n";
}

} // namespace

std::string aclnnFileStem(const Op &op, const AclnnOptions &options) {
  return options.filePrefix + "_" + op.snake;
}

std::string aclnnHeader(const Op &op, const AclnnOptions &options) {
  std::string guard = aclnnFileStem(op, options) + "_H_";
  for (char &c : guard)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  const std::string visible =
      options.exported ? "__attribute__((visibility(\"default\")))\n" : "";
  std::ostringstream out;
  out << "/*\n * Generated from the OpDef of " << op.type
      << " by lossgrad-opbuild. Do not edit.\n */\n\n"
      << "#ifndef " << guard << "\n#define " << guard << "\n\n"
      << "#include \"aclnn/acl_meta.h\"\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      << visible << phase1Signature(op, options, false) << ";\n\n";
  if (hasValueInputs(op))
    out << visible << phase1Signature(op, options, true) << ";\n\n";
  out << visible << phase2Signature(op, options) << ";\n\n"
      << "#ifdef __cplusplus\n}\n#endif\n\n#endif // " << guard << "\n";
  return out.str();
}

std::string aclnnSource(const Op &op, const AclnnOptions &options) {
  std::ostringstream out;
  out << "/*\n * Generated from the OpDef of " << op.type
      << " by lossgrad-opbuild. Do not edit.\n */\n\n"
      << "#include \"" << aclnnFileStem(op, options) << ".h\"\n\n"
      << "#include \"lossgrad/opapi.h\"\n\n"
      << "namespace lossgrad_" << op.snake << " {\nnamespace {\n\n"
      << "using namespace lossgrad::opapi;\n\n";
  writeParams(out, "inputs", op.inputs);
  writeParams(out, "outputs", op.outputs);
  writeAttrs(out, op);
  writeUnits(out, op);
  auto table = [](bool empty, const char *name) {
    return empty ? "nullptr" : name;
  };
  out << "\nconst Operator op = {" << quoted(op.type) << ", "
      << quoted(functionName(op, options)) << ",\n    "
      << table(op.inputs.empty(), "inputs") << ", " << op.inputs.size() << ", "
      << table(op.outputs.empty(), "outputs") << ", " << op.outputs.size()
      << ", " << table(op.attrs.empty(), "attrs") << ", " << op.attrs.size()
      << ",\n    " << table(op.units.empty(), "units") << ", "
      << op.units.size() << ", " << (op.strictFormats ? "true" : "false")
      << "};\n\n} // namespace\n} // namespace lossgrad_" << op.snake << "\n\n"
      << "extern \"C\" {\n\n";
  writePhase1(out, op, options, false);
  if (hasValueInputs(op)) {
    out << "\n";
    writePhase1(out, op, options, true);
  }
  out << "\n"
      << phase2Signature(op, options)
      << "\n{\n    return lossgrad::opapi::run(lossgrad_" << op.snake
      << "::op, workspace, workspaceSize, executor, stream);\n}\n\n"
      << "} // extern \"C\"\n";
  return out.str();
}

} // namespace lossgrad::opbuild
