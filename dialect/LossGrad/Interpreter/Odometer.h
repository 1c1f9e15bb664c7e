//===- Odometer.h - One index space, several operands -----------*- C++ -*-===//
//
// How the interpreter walks over operands that broadcast against each other. It
// knows offsets only, no values.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_ODOMETER_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_ODOMETER_H

#include "dialect/LossGrad/Interpreter/DimBinding.h"

namespace lossgrad {

/// Steps through a row-major index space and keeps the offsets of several
/// operands, each with its own strides (0 where it broadcasts).
class Odometer {
public:
  Odometer(llvm::ArrayRef<int64_t> extents,
           llvm::ArrayRef<Extents> operandStrides)
      : extents(extents), index(extents.size(), 0),
        offsets(operandStrides.size(), 0) {
    // By axis, since a step needs those of one axis together.
    for (size_t axis = 0; axis < extents.size(); ++axis)
      for (const Extents &operand : operandStrides)
        strides.push_back(operand[axis]);
  }

  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }
  llvm::ArrayRef<int64_t> getIndex() const { return index; }

  void step() {
    const size_t count = offsets.size();
    for (size_t axis = extents.size(); axis-- > 0;) {
      const int64_t *stride = strides.data() + axis * count;
      for (size_t i = 0; i < count; ++i)
        offsets[i] += stride[i];
      if (++index[axis] < extents[axis])
        return;
      for (size_t i = 0; i < count; ++i)
        offsets[i] -= stride[i] * extents[axis];
      index[axis] = 0;
    }
  }

private:
  llvm::ArrayRef<int64_t> extents;
  llvm::SmallVector<int64_t, 12> strides;
  Extents index, offsets;
};

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_ODOMETER_H
