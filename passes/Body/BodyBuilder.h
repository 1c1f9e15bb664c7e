//===- BodyBuilder.h - Vector calls of a stage ------------------*- C++ -*-===//
//
// What the patterns of a body build with: calls in the form that a layout
// takes, in float32, and what they share within a stage (counts, values that
// were spread). A value lies along the rows, the lanes or both; ops between
// different layouts have forms of their own or bring their operands to whole
// tiles. Each result is a buffer of its own; planning makes them share storage.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_BODY_BODYBUILDER_H
#define LOSSGRAD_PASSES_BODY_BODYBUILDER_H

#include "passes/Body/Layouts.h"

namespace lossgrad {

class BodyBuilder {
public:
  BodyBuilder(KernelBuilder &kernel, TileContext tile)
      : kernel(kernel), builder(kernel.builder), tile(tile) {}

  /// The elements of a layout, and those of whole repeats.
  mlir::Value countOf(Layout layout);
  mlir::Value wholeCountOf(Layout layout);

  mlir::Value temporary(llvm::StringRef label, Layout layout,
                        mlir::Type element = {});
  /// A new buffer for a result, named like it.
  mlir::Value fresh(mlir::Value result, llvm::StringRef fallback,
                    Layout layout);
  /// The same for what is complete only once NaN is kept in it.
  mlir::Value beforeNaN(mlir::Value result, llvm::StringRef role,
                        Layout layout);
  mlir::Value mask(llvm::StringRef label, Layout layout);

  // Between layouts (BetweenLayouts.cpp).
  /// One block per row with the row's value, once per value and stage.
  mlir::Value spread(mlir::Value rows);
  /// A condition per row or lane as ones and zeros.
  mlir::Value indicator(Held held);
  /// A tensor of this layout for a value that may be a scalar.
  mlir::Value asTensor(Held held, llvm::StringRef label, Layout layout);
  mlir::Value asTile(Held held, llvm::StringRef label) {
    return asTensor(held, label, Layout::Tile);
  }
  /// An operand of an op whose result has this layout: scalars stay scalars.
  mlir::Value operand(Held held, Layout layout) {
    return held.isTensor() ? asTensor(held, "expanded", layout) : held.value;
  }
  /// A tile that an op may change: the value's own, or a copy where that is
  /// wanted as it is.
  mlir::Value ownTile(mlir::Value value, Held held, llvm::StringRef label);

  // Calls.
  template <typename OpTy>
  void binary(mlir::Value dst, mlir::Value a, mlir::Value b, Layout layout);
  template <typename OpTy>
  void unary(mlir::Value dst, mlir::Value src, Layout layout);
  /// Tensor op tensor, or tensor op scalar with the scalar form.
  template <typename TensorOp, typename ScalarOp>
  void commutative(mlir::Value dst, mlir::Value a, mlir::Value b,
                   Layout layout);
  /// `result` where `original` is a number, NaN where it is not: what the op
  /// computes.
  mlir::Value keepNaN(mlir::Value op, mlir::Value result, mlir::Value original,
                      Layout layout);
  /// Whether calls do so by themselves on every product.
  bool keepsNaN() const;
  mlir::Value invert(mlir::Value bits, Layout layout, llvm::StringRef label);
  /// What bits of a comparison are called, also of its opposite.
  std::string callComparison(CompareOp op, Predicate predicate);
  /// Where the class of a position is the index (Indices.cpp).
  mlir::Value compareClasses(Held index, llvm::StringRef name);
  /// The value of the row where the class of a position is the index, and
  /// another elsewhere.
  void spreadPoints(mlir::Value dst, Held index, Held value, mlir::Value other);

  KernelBuilder &kernel;
  mlir::OpBuilder &builder;
  TileContext tile;

private:
  mlir::Value expand(Held held, llvm::StringRef label);

  llvm::DenseMap<mlir::Value, mlir::Value> blocks; // of values per row
  mlir::Value counts[4], wholeCounts[4];           // by layout
};

template <typename OpTy>
void BodyBuilder::binary(mlir::Value dst, mlir::Value a, mlir::Value b,
                         Layout layout) {
  OpTy::create(builder, kernel.loc, dst, a, b, countOf(layout), mlir::Value(),
               mlir::Value(), mlir::ValueRange(), mlir::DenseI64ArrayAttr());
}

template <typename OpTy>
void BodyBuilder::unary(mlir::Value dst, mlir::Value src, Layout layout) {
  OpTy::create(builder, kernel.loc, dst, src, countOf(layout), mlir::Value(),
               mlir::Value(), mlir::ValueRange(), mlir::DenseI64ArrayAttr());
}

template <typename TensorOp, typename ScalarOp>
void BodyBuilder::commutative(mlir::Value dst, mlir::Value a, mlir::Value b,
                              Layout layout) {
  if (!llvm::isa<ascendc::LocalTensorType>(a.getType()))
    std::swap(a, b);
  if (llvm::isa<ascendc::LocalTensorType>(b.getType()))
    binary<TensorOp>(dst, a, b, layout);
  else
    binary<ScalarOp>(dst, a, b, layout);
}

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_BODY_BODYBUILDER_H
