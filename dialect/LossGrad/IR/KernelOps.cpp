//===- KernelOps.cpp - Text and verifiers of variants and kernels ---------===//
//
// Level 2 of the dialect: parsing and printing of ops with a body, and what
// can be verified about them. What schedules mean is in docs/schedule.md.
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
// Pieces
//===----------------------------------------------------------------------===//

/// `(%x: [b] real, %y: [] real) { ... }`. The name of an argument becomes the
/// name of its location.
static ParseResult parseNamedBody(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColon() ||
        parseShortType(parser, argument.type))
      return failure();
    StringRef name = argument.ssaName.name.drop_front();
    argument.sourceLoc =
        NameLoc::get(StringAttr::get(parser.getContext(), name),
                     parser.getEncodedSourceLoc(argument.ssaName.location));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseRegion(region, arguments))
    return failure();
  if (region.empty())
    region.emplaceBlock();
  return success();
}

static void printNamedBody(OpAsmPrinter &printer, Region &region) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer << argument << ": ";
                          printShortType(printer, argument.getType());
                        });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

static void nameArguments(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (StringRef name = getValueName(argument); !name.empty())
      setName(argument, name);
}

/// `keyword [a, b]`, left out where the list is empty.
static ParseResult parseOptionalNames(OpAsmParser &parser, StringRef keyword,
                                      ArrayAttr &names) {
  names = ArrayAttr::get(parser.getContext(), {});
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseNameArray(parser, names);
}

static void printOptionalNames(OpAsmPrinter &printer, StringRef keyword,
                               ArrayAttr names) {
  if (!names || names.empty())
    return;
  printer << ' ' << keyword << ' ';
  printNameArray(printer, names);
}

template <typename OpTy> static OperatorOp lookUpOperator(OpTy op) {
  return SymbolTable::lookupNearestSymbolFrom<OperatorOp>(
      op->getParentOp(), op.getOperator_Attr());
}

template <typename OpTy> static OpTy terminator(Region &region) {
  Block &block = region.front();
  return block.empty() ? OpTy() : dyn_cast<OpTy>(block.back());
}

static LogicalResult verifyEndsInYield(Operation *op, Region &body) {
  if (terminator<YieldOp>(body))
    return success();
  return op->emitOpError("ends its body without a lossgrad.yield");
}

//===----------------------------------------------------------------------===//
// VariantOp
//===----------------------------------------------------------------------===//

OperatorOp VariantOp::getOperator() { return lookUpOperator(*this); }
YieldOp VariantOp::getYield() { return terminator<YieldOp>(getBody()); }
HoldsOp VariantOp::getHolds() { return terminator<HoldsOp>(getCondition()); }
StringRef VariantOp::getDefaultDialect() { return "lossgrad"; }
void VariantOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

ParseResult VariantOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *condition = state.addRegion();
  Region *body = state.addRegion();
  ArrayAttr families;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseKeyword("of") ||
      parser.parseAttribute(properties.operator_) ||
      parseOptionalNames(parser, "one_element", properties.one_element) ||
      parseOptionalNames(parser, "families", families) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseKeyword("when") || parser.parseRegion(*condition) ||
      parser.parseKeyword("body") || parseNamedBody(parser, *body))
    return failure();
  if (!families.empty())
    properties.families = families;
  if (condition->empty())
    condition->emplaceBlock();
  return success();
}

void VariantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " of " << getOperator_Attr();
  printOptionalNames(printer, "one_element", getOneElement());
  printOptionalNames(printer, "families", getFamiliesAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer.increaseIndent();
  printer.printNewline();
  printer << "when ";
  printer.printRegion(getCondition(), /*printEntryBlockArgs=*/false);
  printer.printNewline();
  printer << "body";
  printNamedBody(printer, getBody());
  printer.decreaseIndent();
}

LogicalResult VariantOp::verifyRegions() {
  if (!getHolds())
    return emitOpError("ends its condition without a lossgrad.holds");
  return verifyEndsInYield(*this, getBody());
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

OperatorOp KernelOp::getOperator() { return lookUpOperator(*this); }
StringRef KernelOp::getDefaultDialect() { return "lossgrad"; }
void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *body = state.addRegion();
  SmallVector<int64_t> keys;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseKeyword("of") ||
      parser.parseAttribute(properties.operator_) ||
      parser.parseKeyword("families") ||
      parseNameArray(parser, properties.families) ||
      parser.parseKeyword("keys") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(keys.emplace_back()); }) ||
      parseOptionalNames(parser, "one_element", properties.one_element) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  properties.keys = parser.getBuilder().getI64ArrayAttr(keys);
  return parseNamedBody(parser, *body);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " of " << getOperator_Attr() << " families ";
  printNameArray(printer, getFamilies());
  printer << " keys [";
  llvm::interleaveComma(getKeys(), printer, [&](Attribute key) {
    printer << cast<IntegerAttr>(key).getInt();
  });
  printer << ']';
  printOptionalNames(printer, "one_element", getOneElement());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printNamedBody(printer, getBody());
}

LogicalResult KernelOp::verifyRegions() {
  if (getKeys().empty())
    return emitOpError("has no tiling key");
  for (BlockArgument argument : getBody().getArguments()) {
    auto type = dyn_cast<ValueType>(argument.getType());
    if (!type || !type.getDims().empty())
      return emitOpError() << "takes uniform values, found "
                           << argument.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SweepOp
//===----------------------------------------------------------------------===//

YieldOp SweepOp::getYield() { return terminator<YieldOp>(getBody()); }
StringRef SweepOp::getDefaultDialect() { return "lossgrad"; }
void SweepOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

ParseResult SweepOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *body = state.addRegion();
  return failure(parseNameArray(parser, properties.inputs) ||
                 parser.parseAttribute(properties.schedule) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parseNamedBody(parser, *body));
}

void SweepOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printNameArray(printer, getInputs());
  printer << ' ' << getScheduleAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printNamedBody(printer, getBody());
}

LogicalResult SweepOp::verifyRegions() {
  if (getInputs().size() != getBody().getNumArguments())
    return emitOpError() << "names " << getInputs().size()
                         << " input(s) but its body has "
                         << getBody().getNumArguments() << " argument(s)";
  return verifyEndsInYield(*this, getBody());
}
