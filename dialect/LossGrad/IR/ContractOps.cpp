//===- ContractOps.cpp - Text and verifiers of contract ops ---------------===//
//
// The statements of a contract and the questions that need more than a type
// constraint. Evaluating a contract is not done here.
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
// CheckOp: check %ok else 161002 "text {0}"(%x : [] int) when %applies
//===----------------------------------------------------------------------===//

ParseResult CheckOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand condition, when;
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SmallVector<Type> types;
  int64_t status = 0;
  std::string message;
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(condition) || parser.parseKeyword("else") ||
      parser.parseInteger(status) || parser.parseString(&message) ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
            return failure(parser.parseOperand(values.emplace_back()) ||
                           parser.parseColon() ||
                           parseShortType(parser, types.emplace_back()));
          }))
    return failure();
  bool hasWhen = succeeded(parser.parseOptionalKeyword("when"));
  if ((hasWhen && parser.parseOperand(when)) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      resolveScalars(parser, state, condition, Kind::Bool) ||
      parser.resolveOperands(values, types, loc, state.operands) ||
      (hasWhen && resolveScalars(parser, state, when, Kind::Bool)))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.status = builder.getI64IntegerAttr(status);
  properties.message = builder.getStringAttr(message);
  properties.operandSegmentSizes = {1, static_cast<int32_t>(values.size()),
                                    hasWhen ? 1 : 0};
  return success();
}

void CheckOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << " else " << getStatus() << ' '
          << getMessageAttr();
  if (!getValues().empty()) {
    printer << '(';
    llvm::interleaveComma(getValues(), printer, [&](Value value) {
      printer << value << " : ";
      printShortType(printer, value.getType());
    });
    printer << ')';
  }
  if (getWhen())
    printer << " when " << getWhen();
  printer.printOptionalAttrDict(
      (*this)->getDiscardableAttrDictionary().getValue());
}

/// Every `{i}` of the message has a value, and the other way round. `{{` stands
/// for a brace.
LogicalResult CheckOp::verify() {
  if (getStatus() == 0)
    return emitOpError() << "has status 0, which means success; write done_if";
  StringRef rest = getMessage();
  SmallVector<bool> used(getValues().size(), false);
  for (size_t at; (at = rest.find('{')) != StringRef::npos;) {
    rest = rest.drop_front(at + 1);
    if (rest.consume_front("{"))
      continue;
    unsigned index;
    if (rest.consumeInteger(10, index) || !rest.consume_front("}"))
      return emitOpError() << "has a brace in its message that is not of the "
                              "form {0}; write {{ for a brace";
    if (index >= used.size())
      return emitOpError() << "has {" << index << "} in its message, but only "
                           << used.size() << " value(s)";
    used[index] = true;
  }
  auto *unused = llvm::find(used, false);
  if (unused != used.end())
    return emitOpError() << "has a value that its message does not mention: {"
                         << (unused - used.begin()) << "}";
  return success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::verify() {
  if (bool(getNameAttr()) == bool(getDimsAttr()))
    return emitOpError() << "names either a parameter or a list of dims";
  return success();
}

LogicalResult DefinedOp::verify() {
  Kind kind = cast<ValueType>(getOperand().getType()).getKind();
  if (kind != Kind::DType && kind != Kind::Shape)
    return emitOpError() << "asks about a dtype or a shape, not about a value "
                            "of kind "
                         << stringifyKind(kind);
  return success();
}
