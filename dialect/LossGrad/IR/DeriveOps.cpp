//===- DeriveOps.cpp - Verifiers and text of derivation -------------------===//
//
// Ops of forwards and rules. What a rule means is the business of
// lossgrad-differentiate; here is only what can be said of one op alone.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Syntax.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

static ValueType typeOf(Value value) {
  return cast<ValueType>(value.getType());
}

LogicalResult ReducedOp::verify() {
  if (typeOf(getCount()).getDims().empty())
    return success();
  return emitOpError() << "divides by a count of type "
                       << toString(typeOf(getCount())) << "; expected [] real";
}

LogicalResult GradientOp::verify() {
  if (getOutputs().size() != getUpstream().size())
    return emitOpError() << "has " << getOutputs().size() << " output(s) and "
                         << getUpstream().size() << " upstream gradient(s)";
  if (getType() != getInput().getType())
    return emitOpError() << "has type " << toString(typeOf(getResult()))
                         << "; expected that of its input, "
                         << toString(typeOf(getInput()));
  for (auto [output, upstream] : llvm::zip(getOutputs(), getUpstream()))
    for (StringAttr dim : typeOf(upstream).getDims())
      if (!typeOf(output).hasDim(dim))
        return emitOpError() << "has an upstream gradient over '"
                             << dim.getValue() << "', which its output of type "
                             << toString(typeOf(output)) << " lacks";
  return success();
}

/// The dims of the operands, without those that the function works over.
LogicalResult ApplyOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  OperatorOp op;
  for (Value operand : adaptor.getOperands()) {
    if (!isa<ValueType>(operand.getType()))
      return failure();
    if (Region *region = operand.getParentRegion())
      op = dyn_cast_or_null<OperatorOp>(region->getParentOp());
  }
  SmallVector<StringAttr> dims =
      unionOfDims(adaptor.getOperands().getTypes(), op);
  if (ArrayAttr over = adaptor.getOverAttr())
    llvm::erase_if(dims, [&](StringAttr dim) {
      return llvm::is_contained(over.getValue(), dim);
    });
  types.push_back(ValueType::get(context, dims, Kind::Real));
  return success();
}

//===----------------------------------------------------------------------===//
// RuleOp
//===----------------------------------------------------------------------===//

StringRef RuleOp::getDefaultDialect() { return "lossgrad"; }

void RuleOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  SmallVector<StringRef> names;
  if (&region == &getDerivative())
    names.append({"g", "r"});
  // Those of arguments are lost where a module is printed without locations.
  for (auto name : getOperandNames().getAsRange<StringAttr>())
    names.push_back(name);
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

YieldOp RuleOp::getDerivativeYield() {
  return cast<YieldOp>(getDerivative().front().back());
}

ParseResult RuleOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *definition = state.addRegion();
  Region *derivative = state.addRegion();
  ArrayAttr over;
  if (parser.parseAttribute(properties.name) ||
      lossgrad::detail::parseOptionalNames(parser, "over", over) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  if (!over.empty())
    properties.over = over;
  if (succeeded(parser.parseOptionalKeyword("definition")) &&
      lossgrad::detail::parseNamedBody(parser, *definition))
    return failure();
  if (parser.parseKeyword("derivative") ||
      lossgrad::detail::parseNamedBody(parser, *derivative))
    return failure();
  SmallVector<StringRef> names;
  for (BlockArgument argument : derivative->getArguments())
    names.push_back(getValueName(argument));
  properties.operand_names = parser.getBuilder().getStrArrayAttr(
      ArrayRef(names).drop_front(std::min<size_t>(names.size(), 2)));
  return success();
}

void RuleOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr();
  lossgrad::detail::printOptionalNames(printer, "over", getOverAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  if (isFunction()) {
    printer << " definition";
    lossgrad::detail::printNamedBody(printer, getDefinition());
  }
  printer << " derivative";
  lossgrad::detail::printNamedBody(printer, getDerivative());
}

LogicalResult RuleOp::verifyRegions() {
  auto endsInYield = [](Region &region) {
    return !region.front().empty() && isa<YieldOp>(region.front().back());
  };
  if (!endsInYield(getDerivative()) ||
      (isFunction() && !endsInYield(getDefinition())))
    return emitOpError() << "has a region that does not end with yield";
  unsigned count = getDerivative().getNumArguments();
  if (count < 3)
    return emitOpError() << "has a derivative of " << count
                         << " argument(s); expected the adjoint, the result "
                            "and the operands";
  if (isFunction() &&
      (getDefinition().getNumArguments() + 2 != count ||
       cast<YieldOp>(getDefinition().front().back()).getValues().size() != 1))
    return emitOpError() << "defines a function of other operands than its "
                            "derivative has, or of other than one result";
  ArrayAttr operands = getOperandNames();
  if (operands.size() + 2 != count)
    return emitOpError() << "names " << operands.size() << " of its "
                         << count - 2 << " operand(s)";
  for (auto name : getDerivativeYield().getOutputs().getAsRange<StringAttr>())
    if (!llvm::is_contained(operands, name))
      return emitOpError() << "yields an adjoint of '" << name.getValue()
                           << "', which is no operand";
  return success();
}
