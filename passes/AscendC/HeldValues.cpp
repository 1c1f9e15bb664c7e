//===- HeldValues.cpp - which value a tensor holds where it is used -------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/HeldValues.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

KnownNames::KnownNames(KernelOp kernel) {
  auto program = kernel->getParentOfType<ProgramOp>();
  if (std::optional<ArrayAttr> formula = program.getFormula())
    for (StringAttr line : formula->getAsRange<StringAttr>())
      values.insert(line.getValue().split(" = ").first);
  for (BlockArgument argument : kernel.getBlock().getArguments()) {
    StringAttr name = getNameAttr(argument);
    if (!name)
      continue;
    parameters.insert(name.getValue());
    for (StringRef form : {"", "F32", "Ints", "Table"})
      values.insert((name.getValue() + form).str());
  }
}

StringAttr ascendc::getTensorName(Value tensor) {
  while (auto instance = tensor.getDefiningOp<InstanceOp>())
    tensor = instance.getValue();
  auto byType = tensor.getDefiningOp<ByTypeOp>();
  if (!byType)
    return getNameAttr(tensor);
  return cast<StringAttr>(
      byType.getNames()[cast<OpResult>(tensor).getResultNumber()]);
}

/// What the user says about the operand; null if nothing.
static StringAttr statedValue(OpOperand &operand) {
  auto held = operand.getOwner()->getAttrOfType<ArrayAttr>(kHeldAttr);
  unsigned number = operand.getOperandNumber();
  if (!held || number >= held.size())
    return {};
  auto value = cast<StringAttr>(held[number]);
  return value.empty() ? StringAttr() : value;
}

bool ascendc::saysHeldValue(OpOperand &operand) {
  return static_cast<bool>(statedValue(operand));
}

StringAttr ascendc::getHeldValue(OpOperand &operand) {
  StringAttr value = statedValue(operand);
  return value ? value : getTensorName(operand.get());
}

void ascendc::setHeldValue(OpOperand &operand, StringAttr value) {
  Operation *op = operand.getOwner();
  bool isSaid =
      value && (isa<ViewOp>(op) || getTensorName(operand.get()) != value);
  if (!isSaid && !saysHeldValue(operand))
    return;
  auto none = StringAttr::get(op->getContext(), "");
  SmallVector<Attribute> values(op->getNumOperands(), none);
  if (auto held = op->getAttrOfType<ArrayAttr>(kHeldAttr))
    for (auto [to, from] : llvm::zip(values, held))
      to = from;
  values[operand.getOperandNumber()] = isSaid ? value : none;
  bool saysAny =
      llvm::any_of(values, [&](Attribute each) { return each != none; });
  if (saysAny)
    op->setDiscardableAttr(kHeldAttr, ArrayAttr::get(op->getContext(), values));
  else
    op->removeDiscardableAttr(kHeldAttr);
}
