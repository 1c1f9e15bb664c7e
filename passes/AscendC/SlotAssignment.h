//===- SlotAssignment.h - which value lives where in UB ---------*- C++ -*-===//
//
// The plan of one kernel: queues with their slots, scratch slots, and for each
// virtual buffer in each stage the slot it lives in. It changes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_SLOTASSIGNMENT_H
#define LOSSGRAD_PASSES_ASCENDC_SLOTASSIGNMENT_H

#include "passes/AscendC/BufferSizes.h"
#include "passes/AscendC/StageLiveness.h"

namespace lossgrad::ascendc {

/// A piece of UB that holds one value at a time.
struct Slot {
  BufferOp owner;     ///< gives the name and the element type
  SizeExpr size = {}; ///< bytes, rounded
  /// Others that are loaded there, never beside each other.
  llvm::SmallVector<BufferOp> sharers = {};
  int queue = -1;     ///< index of its queue; -1: a TBuf of its own
  bool fixed = false; ///< never shared
  bool wide = false;  ///< a whole number of bank periods: takes part in phases
  int phase = 0;      ///< 0 or 1: starts 0 or half a bank period into one
};

/// A queue: the buffers that a copy stage loads or stores, or several that
/// never have blocks in flight at once.
struct QueuePlan {
  Position position;
  llvm::SmallVector<StageOp, 2> copyStages;
  llvm::SmallVector<unsigned> slots; ///< in the order of their offsets
};

class KernelPlan {
public:
  /// Plans the kernel or reports why it cannot be done.
  static mlir::FailureOr<KernelPlan> make(KernelOp kernel);

  llvm::ArrayRef<Slot> getSlots() const { return slots; }
  llvm::ArrayRef<QueuePlan> getQueues() const { return queues; }
  /// TBufs in the order of InitBuffer.
  llvm::ArrayRef<unsigned> getScratch() const { return scratch; }
  /// The slot of a buffer in a stage (null: in init), if it is used there.
  std::optional<unsigned> find(mlir::Operation *stage, BufferOp buffer) const;
  /// Does the stage take blocks of this queue?
  bool uses(StageOp stage, unsigned queue) const;
  int64_t getBankPeriod() const { return bankPeriod; }

private:
  explicit KernelPlan(KernelOp kernel);
  mlir::LogicalResult makeQueues();
  int findSharedQueue(StageOp copyStage) const;
  std::optional<unsigned> findSharedSlot(BufferOp buffer, int queue) const;
  bool meet(BufferOp a, BufferOp b) const;
  bool isTouched(const Slot &slot, const StageLiveness &liveness) const;
  void makeFixedSlots();
  mlir::LogicalResult place(StageOp stage);
  void assignPhases();
  void turn(llvm::ArrayRef<unsigned> component);
  void orderSlots();
  unsigned addSlot(BufferOp owner, int queue, bool fixed);
  bool isFree(unsigned slot, const BufferLife &life, BufferOp buffer) const;
  std::optional<unsigned> wantedSlot(BufferOp buffer);
  bool mayFollow(BufferOp before, const BufferLife &beforeLife,
                 const BufferLife &afterLife) const;

  struct Occupant {
    BufferOp buffer;
    BufferLife life;
  };

  KernelOp kernel;
  int64_t blockBytes = 32, bankPeriod = 512;
  bool hasPhases = true; // whether places in a period meet different banks
  llvm::SmallVector<Slot> slots;
  llvm::SmallVector<QueuePlan> queues;
  llvm::SmallVector<unsigned> scratch;
  llvm::DenseMap<std::pair<mlir::Operation *, BufferOp>, unsigned> placement;
  llvm::MapVector<StageOp, StageLiveness> lives;
  // While one stage is planned: who is in each slot.
  llvm::DenseMap<unsigned, llvm::SmallVector<Occupant>> occupants;
  StageLiveness *current = nullptr;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_SLOTASSIGNMENT_H
