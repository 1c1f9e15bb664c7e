//===- Spaces.h - Which spaces carry a body ---------------------*- C++ -*-===//
//
// Proposes the spaces in which a body can run, from the shape of the body
// alone: which dims are reduced, which are kept, what is read more than once.
// The order of the list is the order in which the tiling function tries them;
// the last fits every call. docs/schedule.md describes them.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_SPACES_H
#define LOSSGRAD_PASSES_SPACES_H

#include "passes/Passes.h"

namespace lossgrad {

/// The dims of a body, in the order of the operator. A dim that the body looks
/// something up along stands with the reduced ones.
struct BodyShape {
  llvm::SmallVector<mlir::StringAttr> kept, reduced;
  /// Which axes are reduced only the call tells: a sum onto a part of a pack.
  bool ontoPart = false;
  bool hasRowSums = false;   // reductions that leave kept dims
  bool hasLaunch = false;    // reductions that leave none: once per launch
  bool hasLookUps = false;   // elements taken by an index
  bool looksUpTiles = false; // in what varies from row to row
  bool hasOneHot = false;    // something is compared with a class
  bool hasPoints = false;    // what is one-hot can be said as points
  bool needsLanes = false;   // ints, or what varies along reduced dims alone

  /// Takes what a further body of the operator has more.
  void add(const BodyShape &other);

  bool isReduced(mlir::StringAttr dim) const {
    return llvm::is_contained(reduced, dim);
  }
  bool hasReduced(ValueType type) const {
    return llvm::any_of(type.getDims(),
                        [&](mlir::StringAttr dim) { return isReduced(dim); });
  }
  bool hasKept(ValueType type) const {
    return llvm::any_of(type.getDims(),
                        [&](mlir::StringAttr dim) { return !isReduced(dim); });
  }
};

/// Whether a reduction leaves no dims: it is done once per launch.
bool isPerLaunch(ReduceOp reduce);

/// Whether the host computes a value. A result that is the same everywhere is
/// still rounded by the kernel.
bool isOfHost(mlir::Value value);

/// The shape of a variant's body; an error at the op that no space carries.
mlir::FailureOr<BodyShape> getBodyShape(VariantOp variant);

/// Whether the lanes of a tile are what the body keeps, and what it looks up
/// along passes while they stay: planes of one class each.
inline bool takesPlanes(SpaceAttr space) {
  return space.takesSingleRows() && !*space.areLanesReduced();
}
/// Whether what rows have once is computed for groups of them.
inline bool takesGroups(SpaceAttr space) {
  return space.takesSingleRows() && *space.areLanesReduced();
}

/// What becomes of a row that several sweeps read: it is loaded again, or stays
/// in UB in its own element type or in float32, so that it is widened once.
enum class Residency { None, Loaded, Widened };

/// A space with what its kernels are called and when they run.
struct Schedule {
  llvm::StringRef name, when;
  SpaceAttr space;
  bool anyLayout = false; // any strides and element types
  Residency residency = Residency::None;
  /// Where there are more kernels than keys: schedules that others cover are
  /// left out in this order, from 1. Those with 0 never are.
  unsigned spare = 0;

  /// Whether one-hot conditions are points: a call per row or, where rows are
  /// short, one comparison and one choice per element.
  bool takesPoints() const { return space.takesSingleRows(); }
  /// Whether there are kernels for these element types.
  bool takes(ElementAttr element) const {
    return residency != Residency::Widened ||
           element.getBinding() == Binding::Template;
  }
};

llvm::SmallVector<Schedule> proposeSchedules(mlir::MLIRContext *context,
                                             const BodyShape &shape);

/// Fills the kernel with the sweeps of a typed variant, which store `results`.
/// `uniforms` are the values of the variant that the kernel's arguments stand
/// for.
void buildSweeps(lossgrad::KernelOp kernel, VariantOp variant,
                 llvm::ArrayRef<mlir::Value> results, const Schedule &schedule,
                 const BodyShape &shape, llvm::ArrayRef<mlir::Value> uniforms);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_SPACES_H
