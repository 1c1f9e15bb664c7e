//===- Layouts.h - Where values lie in a tile -------------------*- C++ -*-===//
//
// What the conversion of a sweep's body makes of values: numbers, or tensors in
// UB along what their dims have in common with the rows and lanes of a tile.
// The layout of a value follows from its type and the space of the kernel; what
// a sweep is given from outside (loaded tiles, values of the host, results of
// earlier sweeps) is what it is given as.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_BODY_LAYOUTS_H
#define LOSSGRAD_PASSES_BODY_LAYOUTS_H

#include "mlir/Transforms/DialectConversion.h"
#include "passes/KernelBuilder.h"

namespace lossgrad {

/// A value of a body as its stage has it.
struct Held {
  mlir::Value value; // a tensor in UB, or a scalar
  Layout layout = Layout::Scalar;
  /// Of a condition that an earlier sweep handed on: 1 or 0 instead of bits.
  bool isIndicator = false;
  /// Where that guards rows: the bits of the least indicator of the group.
  mlir::Value lowest = {};

  bool isTensor() const {
    return value && llvm::isa<ascendc::LocalTensorType>(value.getType());
  }
};

/// Gives every value of a sweep its layout, and with it the type that it is
/// converted to:
///
///   | layout              | real      | int       | bool     |
///   |---------------------|-----------|-----------|----------|
///   | scalar              | f32       | i32       | i1       |
///   | rows, lanes or tile | local f32 | local i32 | local i1 |
///
/// Types alone do not tell what a sweep is given: each of its arguments is
/// bound to what stands for it. Nor do they tell that a value was rounded,
/// which is a question for the op that it comes from: the conversion is one of
/// values, not of types.
class LayoutConverter : public mlir::TypeConverter {
public:
  /// `rowsAreScalars`: reals that rows have once are numbers, because a tile
  /// has one row and an earlier sweep has read what was computed for it.
  LayoutConverter(KernelBuilder &kernel, bool rowsAreScalars);
  LayoutConverter(const LayoutConverter &) = delete;

  /// Says what stands for an argument of the sweep.
  void bind(mlir::Value argument, Held held) { bound[argument] = held; }
  Held getBound(mlir::Value argument) const { return bound.lookup(argument); }

  Layout getLayout(mlir::Value value) const;
  /// A value with what it was converted to.
  Held hold(mlir::Value value, mlir::Value converted) const;

private:
  mlir::Type convert(mlir::Value value) const;

  KernelBuilder &kernel;
  bool rowsAreScalars;
  llvm::DenseMap<mlir::Value, Held> bound;
};

/// Whether a rounded value goes into the tile of an output and nowhere else: it
/// is rounded where it is stored.
bool isRoundedAtStore(NarrowOp narrow);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_BODY_LAYOUTS_H
