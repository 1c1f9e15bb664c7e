//===- KernelIndices.cpp - Ints and indices as vector calls ---------------===//
//
// The part of BodyConverter that works on ints, one per row or lane: compared,
// moved by a number, met with the classes of a tile, looked up with. A2
// compares ints for equality only, so the order of two is told by the larger of
// them.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Predicates.h"
#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"

using namespace mlir;
using namespace lossgrad;

/// Bits work 16 at a time.
Value BodyConverter::invert(Value bits, Layout layout) {
  Type words = builder.getIntegerType(16, /*isSigned=*/false);
  Value inverse = mask("condition", layout);
  ascendc::NotOp::create(builder, kernel.loc, kernel.view(inverse, words),
                         kernel.view(bits, words),
                         kernel.div(wholeCountOf(layout), kernel.i32(16)),
                         Value(), Value(), ValueRange(), DenseI64ArrayAttr());
  return inverse;
}

LogicalResult BodyConverter::convertIntCompare(CompareOp compare) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  Predicate predicate = compare.getPredicate();
  if (!isTensor(lhs)) {
    std::swap(lhs, rhs);
    predicate = mirrored(predicate);
  }
  Held a = values.lookup(lhs), b = values.lookup(rhs);
  bool isScalar = !isTensor(rhs);
  if (!isScalar && a.layout != b.layout)
    return compare.emitError("no schedule carries this yet: ints of rows "
                             "compared with ints of lanes");
  Layout layout = a.layout;
  StringRef name = getValueName(compare);
  bool isInverse = predicate == Predicate::ne || predicate == Predicate::lt ||
                   predicate == Predicate::gt;
  Value bits =
      mask(isInverse || name.empty() ? StringRef("condition") : name, layout);
  Value other = b.value;
  // a >= b where the larger of both is a; a < b where it is not.
  if (predicate != Predicate::eq && predicate != Predicate::ne) {
    bool isLarger = predicate == Predicate::ge || predicate == Predicate::lt;
    other = temporary("extreme", layout, builder.getI32Type());
    if (isLarger)
      commutative<ascendc::MaxOp, ascendc::MaxsOp>(other, a.value, b.value,
                                                   layout);
    else
      commutative<ascendc::MinOp, ascendc::MinsOp>(other, a.value, b.value,
                                                   layout);
    isScalar = false;
  }
  if (isScalar) { // products compare ints with tensors only
    other = temporary("other", layout, builder.getI32Type());
    ascendc::DuplicateOp::create(builder, kernel.loc, other, b.value,
                                 countOf(layout));
  }
  ascendc::CompareOp::create(builder, kernel.loc, bits, a.value, other,
                             ascendc::CompareMode::EQ, wholeCountOf(layout));
  values[compare] = {isInverse ? invert(bits, layout) : bits, layout};
  return success();
}

LogicalResult BodyConverter::convertIntSub(SubOp sub) {
  Held held = values.lookup(sub.getLhs());
  Value dst = temporary(getValueName(sub).empty() ? StringRef("moved")
                                                  : getValueName(sub),
                        held.layout, builder.getI32Type());
  ascendc::SubtractNumberOp::create(builder, kernel.loc, dst, held.value,
                                    get(sub.getRhs()), countOf(held.layout));
  values[sub] = {dst, held.layout};
  return success();
}

/// Where the class of a position is the index: their distance is 0.
Value BodyConverter::compareClasses(Held index, StringRef name) {
  Value distance = temporary("distance", Layout::Tile);
  if (index.layout == Layout::Rows) {
    Value blocks =
        kernel.fixedBuffer("rowBlocks", builder.getF32Type(), getMaxRows() * 8);
    ascendc::LaneDistanceOp::create(builder, kernel.loc, distance, index.value,
                                    tile.at,
                                    temporary("classes", Layout::Lanes),
                                    temporary("near", Layout::Rows), blocks);
  } else {
    ascendc::RowDistanceOp::create(builder, kernel.loc, distance, index.value,
                                   tile.at, temporary("near", Layout::Lanes));
  }
  Value bits = mask(name, Layout::Tile);
  ascendc::CompareScalarOp::create(builder, kernel.loc, bits, distance,
                                   kernel.f32(0), ascendc::CompareMode::EQ,
                                   wholeCountOf(Layout::Tile));
  return bits;
}

LogicalResult BodyConverter::convertOneHot(OneHotOp onehot) {
  StringRef name = getValueName(onehot);
  values[onehot] = {compareClasses(values.lookup(onehot.getIndex()),
                                   name.empty() ? StringRef("hit") : name),
                    Layout::Tile};
  return success();
}

LogicalResult BodyConverter::convertGather(GatherOp gather) {
  Held index = values.lookup(gather.getIndex());
  KernelTensor *whole = tables.lookup(gather.getTable());
  if (index.layout == Layout::Lanes && whole && whole->table)
    return convertPlaneGather(gather, *whole), success();
  if (index.layout != Layout::Rows)
    return gather.emitError(
        "no schedule carries this yet: a look-up with one index per lane");
  Value dst = fresh(gather, "taken", Layout::Rows);
  if (KernelTensor *table = tables.lookup(gather.getTable())) {
    Value wide = kernel.fixedBuffer("wide", builder.getF32Type(), kTableWide);
    ascendc::LookUpOp::create(builder, kernel.loc, dst, table->global,
                              table->strides, index.value, tile.at, table->tile,
                              wide);
  } else {
    Held lanes = values.lookup(gather.getTable());
    Value offsets = kernel.fixedBuffer("offsets", builder.getI32Type(),
                                       2 * kernel.rowCapacity);
    ascendc::TakeLanesOp::create(builder, kernel.loc, dst, lanes.value,
                                 index.value, tile.at, offsets,
                                 lanes.layout == Layout::Tile);
  }
  values[gather] = {dst, Layout::Rows};
  return success();
}
