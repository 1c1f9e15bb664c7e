//===- StageLiveness.h - when a virtual buffer is alive ---------*- C++ -*-===//
//
// Positions of the ops of one stage and, for each virtual buffer it touches,
// the interval of positions in which its storage must not be shared.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_STAGELIVENESS_H
#define LOSSGRAD_PASSES_ASCENDC_STAGELIVENESS_H

#include "dialect/AscendC/IR/AscendC.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace lossgrad::ascendc {

/// The virtual buffer behind a tensor, looking through views; null if none.
BufferOp rootBuffer(mlir::Value tensor);

/// Reads and writes of one op on tensors, from its memory effects.
struct TensorAccess {
  mlir::OpOperand *operand;
  bool reads = false;
  bool writes = false;
};
llvm::SmallVector<TensorAccess> tensorAccesses(mlir::Operation *op);

/// Both ends are positions of ops; the interval includes them.
struct Interval {
  unsigned begin = ~0u;
  unsigned end = 0;

  bool meets(const Interval &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

struct BufferLife {
  Interval interval;
  mlir::Operation *firstOp = nullptr; ///< at interval.begin
  bool readFirst = false;             ///< its first access reads it
  bool begunByLoop = false; ///< the interval begins with a loop, not an op
  bool endedByLoop = false; ///< and ends with one
  bool read = false;
  bool written = false;
};

class StageLiveness {
public:
  explicit StageLiveness(StageOp stage);

  const llvm::MapVector<BufferOp, BufferLife> &getLives() const {
    return lives;
  }
  BufferLife *find(BufferOp buffer) {
    auto it = lives.find(buffer);
    return it == lives.end() ? nullptr : &it->second;
  }
  unsigned getEnd() const { return next; }

private:
  void number(mlir::Region &region);
  void extendOverLoops(BufferOp buffer, BufferLife &life);

  StageOp stage;
  unsigned next = 1; // 0 is the stage's start
  llvm::DenseMap<mlir::Operation *, Interval> positions;
  llvm::MapVector<BufferOp, BufferLife> lives;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> users;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_STAGELIVENESS_H
