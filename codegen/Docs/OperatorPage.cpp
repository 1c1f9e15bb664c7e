//===- OperatorPage.cpp - The page of an operator -------------------------===//
//
// Everything that a caller needs to know, from the record: products, formula,
// parameters, status codes in order, constraints, a complete program.
//
//===----------------------------------------------------------------------===//

#include "codegen/Docs/Docs.h"
#include "codegen/Docs/FormulaLatex.h"
#include "codegen/Docs/PageTemplates.h"
#include "lossgrad/Targets.h"
#include "passes/FormulaText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::docs;

namespace {
class PagePrinter {
public:
  PagePrinter(host::HostModel &model, raw_ostream &os) : model(model), os(os) {}

  void printOpening();
  void printProducts(ArrayRef<std::string> kernelUnits);
  void printFormula();
  void printPrototypes();
  void printParameters();
  void printDims();
  void printStatus();
  void printExample(const ExampleCall &example);

private:
  host::HostModel &model;
  raw_ostream &os;
};
} // namespace

static StringRef titleOf(StringAttr product) {
  const targets::Family *family =
      targets::findFamily({product.data(), product.size()});
  return family ? StringRef(family->title) : product.getValue();
}

/// Text inside a table: a bar would end the cell.
static std::string cell(StringRef text) {
  std::string result;
  for (char letter : text)
    result += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return result;
}

void PagePrinter::printOpening() {
  os << "# " << model.api << "\n\n" << model.op.getSummary() << "\n";
  if (model.op.getDescription())
    os << "\n" << *model.op.getDescription() << "\n";
}

void PagePrinter::printProducts(ArrayRef<std::string> kernelUnits) {
  os << "\n## Products\n\n| product | supported | kernels in this project |\n"
        "|---|---|---|\n";
  for (auto *family = targets::familiesBegin();
       family != targets::familiesEnd(); ++family) {
    bool declared = llvm::any_of(
        model.op.getProducts().getAsRange<StringAttr>(),
        [&](StringAttr name) { return name.getValue() == family->key; });
    os << "| " << family->title << " | " << (declared ? "yes" : "no") << " | "
       << (llvm::is_contained(kernelUnits, family->computeUnit) ? "yes" : "no")
       << " |\n";
  }
  os << "\nA call on a product without kernels ends with 561003.\n";
}

void PagePrinter::printFormula() {
  os << "\n## Formula\n\n```\n";
  for (const std::string &line : getFormula(model.op))
    os << line << "\n";
  os << "```\n\nThe same as LaTeX:\n\n```math\n\\begin{aligned}\n"
     << llvm::join(getLatex(model.op), " \\\\\n") << "\n\\end{aligned}\n```\n";
}

/// `const aclTensor *self`
static std::string declare(ParamAttr param) {
  StringRef type = param.getCType();
  return (type + (type.ends_with("*") ? "" : " ") + param.getName().getValue())
      .str();
}

void PagePrinter::printPrototypes() {
  std::vector<std::string> parameters;
  for (auto param : model.op.getParams().getAsRange<ParamAttr>())
    parameters.push_back(declare(param));
  parameters.push_back("uint64_t *workspaceSize");
  parameters.push_back("aclOpExecutor **executor");
  os << llvm::formatv(templates::prototypes, model.api,
                      llvm::join(parameters, ",\n    "), model.header);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static std::string describeDTypes(ParamAttr param) {
  std::vector<std::string> rows;
  for (DTypeRowAttr row : param.getDtypes()) {
    auto names = llvm::map_range(row.getDtypes(), [](DType dtype) {
      return host::dtypeSuffix(dtype).str();
    });
    std::string text = llvm::join(names, ", ");
    if (param.getDtypes().size() > 1 && !row.getProducts().empty())
      text += " (" +
              llvm::join(llvm::map_range(row.getProducts(), titleOf), ", ") +
              ")";
    rows.push_back(text);
  }
  return llvm::join(rows, "; ");
}

static std::string spellAttribute(Attribute value) {
  if (auto text = dyn_cast<StringAttr>(value))
    return text.str();
  if (auto real = dyn_cast<FloatAttr>(value))
    return host::spellReal(real.getValueAsDouble());
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  return text;
}

/// `[n, c, s...]`
static std::string describeDims(OperatorOp op, ArrayRef<StringAttr> dims) {
  auto names = llvm::map_range(dims, [&](StringAttr name) {
    DimAttr dim = op.findDim(name);
    return name.str() + (dim && dim.isPack() ? "..." : "");
  });
  return "[" + llvm::join(names, ", ") + "]";
}

static std::string describeShape(OperatorOp op, ParamAttr param) {
  ShapeAttr shape = param.getShape();
  if (shape.getFlat() && shape.getDims().empty())
    return "one element, any rank";
  std::string text = describeDims(op, shape.getDims());
  bool broadcast = llvm::any_of(shape.getDims(), [&](StringAttr name) {
    DimAttr dim = op.findDim(name);
    return dim && dim.getKind() == DimKind::Broadcast;
  });
  if (broadcast && param.isInput())
    text = "broadcasts to " + text;
  if (shape.getFlat())
    text = "as many elements as " + text + ", any rank";
  if (!shape.getConditionName())
    return text;
  return text + " if " + shape.getConditionName().str() +
         (shape.getConditionNegated() ? " is not " : " is ") +
         spellAttribute(shape.getConditionValue()) + ", else one element";
}

/// What tiling functions can take (op_host/lossgrad_tiling.h).
static constexpr unsigned maxRank = 8;

/// `2`, or `2-8` where a pack may have any number of axes. Checks may ask for
/// more.
static std::string describeRank(OperatorOp op, ParamAttr param) {
  ShapeAttr shape = param.getShape();
  unsigned axes = 0;
  bool open = shape.getFlat();
  for (StringAttr name : shape.getDims()) {
    DimAttr dim = op.findDim(name);
    bool single = dim && !dim.isPack();
    axes += single;
    open |= !single;
  }
  if (shape.getFlat())
    axes = 0;
  if (!open && !shape.getConditionName())
    return std::to_string(axes);
  return (Twine(shape.getConditionName() ? 0 : axes) + "-" +
          Twine(open ? maxRank : std::max(axes, 1u)))
      .str();
}

static std::string describeAttribute(ParamAttr param) {
  std::string text = param.getDoc().str();
  if (!param.getDefaultValue())
    return text;
  return text + "; usual value " + spellAttribute(param.getDefaultValue());
}

static std::string describeTensor(ParamAttr param) {
  std::string text = param.getDoc().str();
  if (!param.getInPlaceOf())
    return text;
  return text + "; may be the same tensor as `" + param.getInPlaceOf().str() +
         "`, which is then overwritten";
}

void PagePrinter::printParameters() {
  os << templates::parametersOpening;
  for (auto param : model.op.getParams().getAsRange<ParamAttr>()) {
    bool text = param.getCType().getValue().contains("char");
    bool tensor = param.isTensor();
    os << llvm::formatv(
        "| `{0}` | {1} | `{2}` | {3} | {4} | {5} | {6} |\n",
        param.getName().getValue(), param.getRole() == Role::Out ? "out" : "in",
        param.getCType().getValue(),
        cell(tensor ? describeTensor(param) : describeAttribute(param)),
        tensor ? describeDTypes(param) : "",
        tensor ? "ND | " + describeRank(model.op, param) + " | " +
                     describeShape(model.op, param) + " | any"
               : "| | |",
        param.getRole() == Role::Optional || text ? "yes"
        : tensor                                  ? "no"
                                                  : "");
  }
  os << templates::parametersEnd;
}

void PagePrinter::printDims() {
  os << "\nIn the shapes:\n\n";
  for (auto dim : model.op.getDims().getAsRange<DimAttr>()) {
    std::string refs = llvm::join(
        llvm::map_range(dim.getRefs(),
                        [](StringAttr name) { return "`" + name.str() + "`"; }),
        ", ");
    os << "- `" << dim.getName().getValue() << (dim.isPack() ? "..." : "")
       << "`: ";
    switch (dim.getKind()) {
    case DimKind::Axis:
      os << "one axis\n";
      break;
    case DimKind::Pack:
      os << "any number of axes, also none\n";
      break;
    case DimKind::Broadcast:
      os << "the common shape of " << refs
         << ": aligned at the last axis, each axis equal or 1\n";
      break;
    case DimKind::Split:
      os << "the axis that " << refs
         << " selects; a negative value counts from the end\n";
      break;
    case DimKind::Part:
      os << "the broadcast dims as the parameter has them: " << refs << "\n";
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Status codes
//===----------------------------------------------------------------------===//

/// The message, with a mark where the log has a value of the call.
static std::string describeMessage(CheckOp check) {
  std::string text = check.getMessage().str();
  for (size_t i = 0; i < check.getValues().size(); ++i) {
    std::string mark = "{" + std::to_string(i) + "}";
    for (size_t at; (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), "…");
  }
  return text;
}

/// A condition of the contract in words: `present(weight)`, `rank(self) == 2`.
static std::string describeCondition(Value value) {
  return getDefinition(value, /*names=*/{});
}

void PagePrinter::printStatus() {
  os << llvm::formatv(templates::statusOpening, model.api);
  unsigned number = 0;
  for (Operation &op : model.op.getContract().front()) {
    if (auto check = dyn_cast<CheckOp>(op)) {
      os << "| " << ++number << " | " << check.getStatus() << " | "
         << cell(describeMessage(check));
      if (check.getWhen())
        os << " (where " << cell(describeCondition(check.getWhen())) << ")";
      os << " |\n";
    } else if (auto done = dyn_cast<DoneIfOp>(op)) {
      os << "| " << ++number << " | 0 | nothing to do where "
         << cell(describeCondition(done.getCondition()))
         << ": `workspaceSize` is 0 and the second phase does nothing |\n";
    }
  }
  os << templates::statusEnd;
  bool promotes = false;
  model.op.getContract().walk([&](DTypePromoteOp) { promotes = true; });
  if (promotes)
    os << templates::promotion;
}

//===----------------------------------------------------------------------===//
// Example
//===----------------------------------------------------------------------===//

void PagePrinter::printExample(const ExampleCall &example) {
  std::string printed;
  llvm::raw_string_ostream lines(printed);
  for (const OutputTensor &output : example.results)
    for (auto [i, element] : llvm::enumerate(output.elements)) {
      double value =
          output.kind == Kind::Real ? element.real : double(element.integer);
      char text[32];
      snprintf(text, sizeof text, "%g", value);
      lines << output.name << "[" << i << "] = " << text << " (" << text
            << ")\n";
    }
  os << llvm::formatv(templates::example, model.header,
                      emitExampleProgram(model, example), printed);
}

std::string docs::emitOperatorPage(host::HostModel &model,
                                   const ExampleCall &example,
                                   ArrayRef<std::string> kernelUnits) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PagePrinter page(model, os);
  page.printOpening();
  page.printProducts(kernelUnits);
  page.printFormula();
  page.printPrototypes();
  page.printParameters();
  page.printDims();
  page.printStatus();
  os << llvm::formatv(templates::secondPhase, model.api);
  page.printExample(example);
  return text;
}
