//===- OperatorOp.cpp - The operator and its yield ------------------------===//
//
// Text of operators, and queries about their declarations. Whether the
// declarations and the two regions fit together is checked in
// VerifyDeclarations.cpp and VerifyRegions.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::detail;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

ParamAttr OperatorOp::findParam(StringRef name) {
  for (auto param : getParams().getAsRange<ParamAttr>())
    if (param.getName() == name)
      return param;
  return {};
}

DimAttr OperatorOp::findDim(StringRef name) {
  for (auto dim : getDims().getAsRange<DimAttr>())
    if (dim.getName() == name)
      return dim;
  return {};
}

int64_t OperatorOp::getDimIndex(StringAttr name) {
  for (auto [i, dim] : llvm::enumerate(getDims().getAsRange<DimAttr>()))
    if (dim.getName() == name)
      return i;
  return -1;
}

static SmallVector<ParamAttr> filterParams(OperatorOp op,
                                           function_ref<bool(ParamAttr)> keep) {
  return llvm::filter_to_vector(op.getParams().getAsRange<ParamAttr>(), keep);
}

SmallVector<ParamAttr> OperatorOp::getInputs() {
  return filterParams(*this, [](ParamAttr param) { return param.isInput(); });
}

SmallVector<ParamAttr> OperatorOp::getOutputs() {
  return filterParams(
      *this, [](ParamAttr param) { return param.getRole() == Role::Out; });
}

bool OperatorOp::hasProduct(StringRef name) {
  return llvm::any_of(getProducts().getAsRange<StringAttr>(),
                      [&](StringAttr product) { return product == name; });
}

void OperatorOp::sortDims(SmallVectorImpl<StringAttr> &dims) {
  llvm::stable_sort(dims, [&](StringAttr l, StringAttr r) {
    return getDimIndex(l) < getDimIndex(r);
  });
}

YieldOp OperatorOp::getYield() {
  Block &block = getBody().front();
  return block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
}

void OperatorOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  if (&region != &getBody())
    return;
  for (BlockArgument argument : region.getArguments())
    if (StringRef name = getValueName(argument); !name.empty())
      setName(argument, name);
}

StringRef OperatorOp::getDefaultDialect() { return "lossgrad"; }

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// `[decl, decl]`, where a declaration is an attribute without its brackets.
template <typename AttrTy>
static ParseResult parseDeclarations(OpAsmParser &parser, ArrayAttr &result) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return success(bool(list.emplace_back(AttrTy::parse(parser, Type()))));
      }))
    return failure();
  result = ArrayAttr::get(parser.getContext(), list);
  return success();
}

static ParseResult parseBody(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&]() -> ParseResult {
            OpAsmParser::Argument &argument = arguments.emplace_back();
            return failure(parser.parseArgument(argument) ||
                           parser.parseColon() ||
                           parseShortType(parser, argument.type));
          }) ||
      parser.parseRegion(region, arguments))
    return failure();
  if (region.empty())
    region.emplaceBlock();
  return success();
}

/// What few operators have: `attributes {header = "..."}`
static ParseResult parseAttributes(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  return failure(
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      failed(OperatorOp::verifyInherentAttrs(state.name, state.attributes, [&] {
        return parser.emitError(loc)
               << "'" << state.name.getStringRef() << "' op ";
      })));
}

ParseResult OperatorOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *contract = state.addRegion();
  Region *body = state.addRegion();
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseKeyword("summary") ||
      parser.parseAttribute(properties.summary))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("description")) &&
      parser.parseAttribute(properties.description))
    return failure();
  if (parser.parseKeyword("products") ||
      parseNameArray(parser, properties.products) ||
      parser.parseKeyword("dims") ||
      parseDeclarations<DimAttr>(parser, properties.dims) ||
      parser.parseKeyword("params") ||
      parseDeclarations<ParamAttr>(parser, properties.params) ||
      parseAttributes(parser, state) || parser.parseKeyword("contract") ||
      parser.parseRegion(*contract))
    return failure();
  if (contract->empty())
    contract->emplaceBlock();
  return failure(parser.parseKeyword("body") || parseBody(parser, *body));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `[`, one declaration per line, `]`
static void printParams(OpAsmPrinter &printer, ArrayAttr params) {
  printer << '[';
  printer.increaseIndent();
  llvm::interleave(
      params, printer,
      [&](Attribute param) {
        printer.printNewline();
        printBare(printer, param);
      },
      ",");
  printer.decreaseIndent();
  printer.printNewline();
  printer << ']';
}

void OperatorOp::print(OpAsmPrinter &printer) {
  auto line = [&](StringRef keyword) -> OpAsmPrinter & {
    printer.printNewline();
    return printer << keyword;
  };
  printer << ' ';
  printer.printSymbolName(getSymName());
  // Continuation lines stand two levels in.
  printer.increaseIndent();
  printer.increaseIndent();
  line("summary ") << getSummaryAttr();
  if (getDescriptionAttr())
    line("description ") << getDescriptionAttr();
  line("products ");
  printNameArray(printer, getProducts());
  line("dims [");
  llvm::interleaveComma(getDims(), printer,
                        [&](Attribute dim) { printBare(printer, dim); });
  printer << ']';
  line("params ");
  printParams(printer, getParams());
  std::array spelled{getSymNameAttrName(),     getSummaryAttrName(),
                     getDescriptionAttrName(), getProductsAttrName(),
                     getDimsAttrName(),        getParamsAttrName()};
  SmallVector<NamedAttribute> extra = llvm::filter_to_vector(
      (*this)->getAttrDictionary(), [&](NamedAttribute attribute) {
        return !llvm::is_contained(spelled, attribute.getName());
      });
  if (!extra.empty()) {
    line("");
    printer.printOptionalAttrDictWithKeyword(extra);
  }
  line("contract ");
  printer.printRegion(getContract(), /*printEntryBlockArgs=*/false);
  line("body(");
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer << argument << ": ";
                          printShortType(printer, argument.getType());
                        });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.decreaseIndent();
  printer.decreaseIndent();
}

//===----------------------------------------------------------------------===//
// YieldOp: yield gradInput = %d : [b] real
//===----------------------------------------------------------------------===//

ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList([&]() -> ParseResult {
        StringAttr name;
        if (parseName(parser, name) || parser.parseEqual() ||
            parser.parseOperand(values.emplace_back()) || parser.parseColon() ||
            parseShortType(parser, types.emplace_back()))
          return failure();
        names.push_back(name);
        return success();
      }) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.resolveOperands(values, types, loc, state.operands))
    return failure();
  state.getOrAddProperties<Properties>().outputs =
      ArrayAttr::get(parser.getContext(), names);
  return success();
}

void YieldOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  llvm::interleaveComma(
      llvm::zip(getOutputs().getAsRange<StringAttr>(), getValues()), printer,
      [&](auto pair) {
        auto [name, value] = pair;
        printName(printer, name.getValue());
        printer << " = " << value << " : ";
        printShortType(printer, value.getType());
      });
  printer.printOptionalAttrDict(
      (*this)->getDiscardableAttrDictionary().getValue());
}

#define GET_OP_CLASSES
#include "dialect/LossGrad/IR/LossGradOps.cpp.inc"
