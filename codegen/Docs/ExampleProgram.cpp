//===- ExampleProgram.cpp - A complete program that calls an operator -----===//
//
// Prints the example call as C++11 against the public headers alone.
//
//===----------------------------------------------------------------------===//

#include "codegen/Docs/Docs.h"
#include "codegen/Docs/ExampleTemplates.h"
#include "codegen/Host/ContractPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::docs;

/// The host type that holds elements as they lie on the device, or nothing for
/// a type that C++ lacks.
static StringRef hostType(DType dtype) {
  switch (dtype) {
  case DType::Float32:
    return "float";
  case DType::Float64:
    return "double";
  case DType::Int64:
    return "int64_t";
  case DType::Int32:
    return "int32_t";
  case DType::Int16:
    return "int16_t";
  case DType::Int8:
    return "int8_t";
  case DType::UInt8:
  case DType::Bool:
    return "uint8_t";
  default:
    llvm_unreachable("example calls have elements that C++ has a type for");
  }
}

static std::string join(ArrayRef<int64_t> extents) {
  return llvm::join(
      llvm::map_range(extents,
                      [](int64_t extent) { return std::to_string(extent); }),
      ", ");
}

static std::string spell(Element element, DType dtype, Kind kind) {
  if (kind != Kind::Real)
    return std::to_string(element.integer);
  if (std::isnan(element.real))
    return "NAN";
  if (std::isinf(element.real))
    return element.real < 0 ? "-INFINITY" : "INFINITY";
  if (dtype != DType::Float32)
    return host::spellReal(element.real);
  // The shortest text that reads back as the nearest float.
  float value = static_cast<float>(element.real);
  char digits[32];
  for (int precision = 1; precision <= 9; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (std::strtof(digits, nullptr) == value)
      break;
  }
  std::string text = digits;
  return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

static std::vector<std::string> spell(ArrayRef<Element> elements, DType dtype,
                                      Kind kind) {
  std::vector<std::string> result;
  for (Element element : elements)
    result.push_back(spell(element, dtype, kind));
  return result;
}

static std::string spell(const AttributeValue &value, ParamAttr param) {
  if (auto *whole = std::get_if<int64_t>(&value))
    return std::to_string(*whole);
  if (auto *real = std::get_if<double>(&value))
    return host::spellReal(*real) +
           (param.getCType().getValue() == "float" ? "f" : "");
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  return "const_cast<char *>(" + host::quoted(std::get<std::string>(value)) +
         ")";
}

/// One tensor on the device, with its values or, for outputs, filled with 0.
static void printTensor(raw_ostream &os, ParamAttr param,
                        const Tensor &tensor) {
  os << llvm::formatv("    DeviceTensor {0};\n", param.getName().getValue());
  std::string head = llvm::formatv("    CHECK(CreateTensor(std::vector<{0}>",
                                   hostType(tensor.dtype));
  std::string tail = llvm::formatv(
      ", {{{0}}, ACL_{1}, {2}));", join(tensor.shape),
      host::dtypeSuffix(tensor.dtype), param.getName().getValue());
  if (tensor.elements.empty())
    os << head << '(' << getNumElements(tensor.shape) << ')' << tail << '\n';
  else
    os << host::fitLine(head + "{",
                        spell(tensor.elements, tensor.dtype, param.getKind()),
                        ",", "}" + tail, "        ")
       << '\n';
}

std::string docs::emitExampleProgram(host::HostModel &model,
                                     const ExampleCall &example) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(templates::programOpening, model.api, model.header);
  std::vector<std::string> arguments, addresses;
  for (auto param : model.op.getParams().getAsRange<ParamAttr>()) {
    StringRef name = param.getName();
    if (!param.isTensor()) {
      arguments.push_back(
          spell(example.call.attributes.find(name)->second, param));
      continue;
    }
    const Tensor *tensor = example.call.find(name);
    if (!tensor) {
      arguments.push_back("nullptr");
      continue;
    }
    printTensor(os, param, *tensor);
    arguments.push_back((name + ".tensor").str());
    addresses.push_back(("&" + name).str());
  }
  arguments.push_back("&workspaceSize");
  arguments.push_back("&executor");
  os << llvm::formatv(
      templates::programCalls, model.api,
      host::fitLine("    CHECK(" + model.api + "GetWorkspaceSize(", arguments,
                    ",", "));", "        "));
  for (const OutputTensor &output : example.results) {
    DType dtype = example.call.find(output.name)->dtype;
    std::string head =
        llvm::formatv("    wrong += Compare(\"{0}\", {0}, std::vector<{1}>{{",
                      output.name, hostType(dtype));
    os << host::fitLine(head, spell(output.elements, dtype, output.kind), ",",
                        "});", "        ")
       << '\n';
  }
  os << llvm::formatv(templates::programEnd,
                      host::fitLine("    for (DeviceTensor *each : {",
                                    addresses, ",", "}) {", "        "));
  return text;
}
