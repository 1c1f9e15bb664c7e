//===- OpDefEmitter.cpp - The operator definition -------------------------===//
//
// The OpDef class: parameters with their rows of dtypes, attributes, compute
// units, and which functions infer and tile. Which rows there are and which
// binary serves them is HostModel's rule (docs/host-emitters.md).
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/Version.h"
#include "codegen/Host/ContractPrinter.h"
#include "codegen/Host/HostEmitters.h"
#include "codegen/Host/Templates.h"

#include "lossgrad/Targets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::host;

void host::emitOpDefHelpers(raw_ostream &os) {
  os << fillVersion(templates::opDefHelpers);
}

static size_t tieOf(const HostModel &model, size_t tensor) {
  for (auto [i, tie] : llvm::enumerate(model.ties))
    if (llvm::is_contained(tie, tensor))
      return i;
  llvm_unreachable("ties are a partition of all tensors");
}

/// `const DtypeRows rows({{...}, {...}});`, one list per tie.
static LogicalResult printRows(HostModel &model, StringRef name,
                               StringRef product, raw_ostream &os) {
  os << "        const lossgrad::definition::"
     << (model.asBytes ? "AlignedRows " : "DtypeRows ") << name << "({\n";
  for (const DTypeTie &tie : model.ties) {
    SmallVector<DType> dtypes = model.dtypesOf(tie, product);
    if (dtypes.empty())
      return model.op.emitError("the dtypes of ")
             << model.tensors[tie[0]].getName() << " and "
             << model.tensors[tie[1]].getName()
             << " must be equal, but they have none in common on " << product;
    auto names = llvm::map_range(dtypes, [](DType dtype) {
      return ("ge::DT_" + dtypeSuffix(dtype)).str();
    });
    auto tensors = llvm::map_range(
        tie, [&](size_t i) { return model.tensors[i].getName().str(); });
    os << "            {" << llvm::join(names, ", ") << "}, // "
       << llvm::join(tensors, ", ") << "\n";
  }
  os << "        });\n";
  return success();
}

/// All tensors, of the definition itself or as overrides of one configuration.
static void printTensors(HostModel &model, StringRef object, StringRef rows,
                         raw_ostream &os) {
  for (auto [i, tensor] : llvm::enumerate(model.tensors)) {
    bool input = tensor.isInput();
    os << llvm::formatv(
        "        {0}{1}(\"{2}\")\n"
        "            .ParamType({3})\n"
        "            .DataType({4}.Column({5}))\n"
        "            .DataTypeForBinQuery({4}.Binary({5}))\n"
        "            .Format({4}.Formats())\n"
        "            .IgnoreContiguous();\n",
        object, input ? "Input" : "Output", HostModel::definitionName(tensor),
        tensor.getRole() == Role::Optional ? "OPTIONAL" : "REQUIRED", rows,
        tieOf(model, i));
  }
}

/// `Float(1.0)`, or `Float()` for an attribute without default.
static std::string spellAttribute(ParamAttr attribute) {
  Attribute value = attribute.getDefaultValue();
  StringRef type = attribute.getCType();
  if (type == "bool")
    return llvm::formatv("Bool({0})", !value ? ""
                                      : cast<BoolAttr>(value).getValue()
                                          ? "true"
                                          : "false");
  if (type == "int64_t")
    return llvm::formatv(
        "Int({0})",
        value ? std::to_string(cast<IntegerAttr>(value).getInt()) : "");
  if (type == "float" || type == "double") {
    auto real = dyn_cast_or_null<FloatAttr>(value);
    return llvm::formatv("Float({0})",
                         real ? spellReal(real.getValueAsDouble()) : "");
  }
  return llvm::formatv("String({0})",
                       value ? quoted(cast<StringAttr>(value)) : "");
}

static void printAttributes(HostModel &model, raw_ostream &os) {
  for (ParamAttr attribute : model.attributes)
    os << llvm::formatv("        this->Attr(\"{0}\").AttrType({1}).{2};\n",
                        HostModel::definitionName(attribute),
                        attribute.getDefaultValue() ? "OPTIONAL" : "REQUIRED",
                        spellAttribute(attribute));
  os << "        // One stride per axis, inputs first; empty for dense "
        "tensors.\n"
        "        this->Attr(\"strides\").AttrType(OPTIONAL).ListInt({});\n";
  if (model.asBytes)
    os << "        // Dtype, rank and extents of each tensor, inputs first, "
          "where "
          "tensors are bytes.\n"
          "        this->Attr(\"shapes\").AttrType(OPTIONAL).ListInt({});\n";
}

LogicalResult host::emitOpDef(HostModel &model, raw_ostream &os) {
  os << fillVersion(
      llvm::formatv(templates::opDefOpening, model.type, model.op.getSummary())
          .str());
  if (failed(printRows(model, "rows", model.groups[0].anyProduct(), os)))
    return failure();
  printTensors(model, "this->", "rows", os);
  printAttributes(model, os);
  os << llvm::formatv(
      "        this->SetInferShape(ge::InferShape{0});\n"
      "        this->SetInferDataType(ge::InferDataType{0});\n"
      "        this->AICore().SetTiling(optiling::{0}TilingFunc);\n",
      model.type);
  for (const targets::Family *family : model.groups[0].families)
    os << "        this->AICore().AddConfig(\"" << family->computeUnit
       << "\");\n";
  for (size_t i = 1; i < model.groups.size(); ++i) {
    std::string rows = "rows" + std::to_string(i + 1);
    std::string config = "config" + std::to_string(i + 1);
    os << "\n        // Other dtypes.\n";
    if (failed(printRows(model, rows, model.groups[i].anyProduct(), os)))
      return failure();
    os << "        OpAICoreConfig " << config << ";\n        " << config
       << ".DynamicCompileStaticFlag(true)\n"
          "            .DynamicFormatFlag(true)\n"
          "            .DynamicRankSupportFlag(true)\n"
          "            .DynamicShapeSupportFlag(true)\n"
          "            .NeedCheckSupportFlag(false)\n"
          "            .PrecisionReduceFlag(true);\n";
    printTensors(model, config + ".", rows, os);
    for (const targets::Family *family : model.groups[i].families)
      os << "        this->AICore().AddConfig(\"" << family->computeUnit
         << "\", " << config << ");\n";
  }
  os << llvm::formatv(templates::opDefEnd, model.type);
  return success();
}
