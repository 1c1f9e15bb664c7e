//===- Layouts.cpp - Where values lie in a tile ---------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/Body/Layouts.h"

using namespace mlir;
using namespace lossgrad;

static Kind kindOf(Value value) {
  return cast<ValueType>(value.getType()).getKind();
}

bool lossgrad::isRoundedAtStore(NarrowOp narrow) {
  return llvm::any_of(narrow->getUsers(), [&](Operation *user) {
    auto end = dyn_cast<EndOp>(user);
    return end && llvm::is_contained(end.getStored(), narrow.getResult());
  });
}

LayoutConverter::LayoutConverter(KernelBuilder &kernel, bool rowsAreScalars)
    : kernel(kernel), rowsAreScalars(rowsAreScalars) {
  addConversion([](Type type) -> std::optional<Type> {
    if (isa<ValueType>(type))
      return std::nullopt;
    return type;
  });
  addConversion([this](Value value) -> std::optional<Type> {
    if (!isa<ValueType>(value.getType()))
      return std::nullopt;
    return convert(value);
  });
}

Layout LayoutConverter::getLayout(Value value) const {
  if (auto it = bound.find(value); it != bound.end())
    return it->second.layout;
  // At the border a value is what it is on the other side.
  if (Operation *op = value.getDefiningOp();
      isa_and_nonnull<WidenOp, NarrowOp>(op))
    return getLayout(op->getOperand(0));
  Layout layout = kernel.layoutOf(cast<ValueType>(value.getType()));
  if (layout == Layout::Rows && rowsAreScalars && kindOf(value) == Kind::Real)
    return Layout::Scalar;
  return layout;
}

Type LayoutConverter::convert(Value value) const {
  if (auto it = bound.find(value); it != bound.end())
    return it->second.value.getType();
  if (auto widen = value.getDefiningOp<WidenOp>())
    return convert(widen.getOperand());
  if (auto narrow = value.getDefiningOp<NarrowOp>()) {
    Type held = convert(narrow.getOperand());
    Type element = kernel.elementType(narrow.getElement());
    bool isRounded = isa<ascendc::LocalTensorType>(held) && !element.isF32() &&
                     !isRoundedAtStore(narrow);
    return isRounded ? kernel.local(element) : held;
  }
  // What is put into zeros, rounded, leaves them rounded.
  if (auto point = value.getDefiningOp<PointOp>()) {
    auto put = dyn_cast<ascendc::LocalTensorType>(convert(point.getValue()));
    if (put && !put.getElementType().isF32())
      return put;
  }
  MLIRContext *context = value.getContext();
  Type element = Float32Type::get(context);
  if (kindOf(value) == Kind::Int)
    element = IntegerType::get(context, 32);
  else if (kindOf(value) == Kind::Bool)
    element = IntegerType::get(context, 1);
  return getLayout(value) == Layout::Scalar ? element : kernel.local(element);
}

Held LayoutConverter::hold(Value value, Value converted) const {
  auto it = bound.find(value);
  Held held{converted, getLayout(value)};
  if (it != bound.end()) {
    held.isIndicator = it->second.isIndicator;
    held.lowest = it->second.lowest;
  }
  return held;
}
