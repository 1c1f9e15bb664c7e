//===- SweepLowering.h - Sweeps as stages and loops -------------*- C++ -*-===//
//
// One lowering for all spaces. A sweep becomes a stage that loads its inputs,
// one that computes (LowerBody.cpp), and one that stores, if it stores
// (LowerSweeps.cpp); a
// sweep whose reductions take several tiles also stages that finish them and
// exchange them between cores (LowerReductions.cpp). How inputs are loaded
// follows from the kernel (dense, or of any layout) and from the layout of each
// tensor; which loops run the stages from the space (LowerLoops.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_SWEEPLOWERING_H
#define LOSSGRAD_PASSES_SWEEPLOWERING_H

#include "passes/Body/BodyBuilder.h"

namespace lossgrad {

class SweepLowering {
public:
  explicit SweepLowering(KernelBuilder &kernel)
      : kernel(kernel), builder(kernel.builder), loc(kernel.loc),
        space(kernel.source.getSpace()) {}

  mlir::LogicalResult run();

private:
  /// A sweep with the stages that it became; empty names: none.
  struct Stages {
    SweepOp sweep;
    bool perUnit = false;   // runs once per unit of a kernel that walks
    bool perLaunch = false; // runs once, before the others
    bool perLanes = false;  // runs where the lanes of a tile change
    std::string title;
    std::string begin, copyIn, compute, copyOut, finish, storePartials,
        clearSlots, meet, loadPartials, combine, take, takeGuard, clear;
    llvm::SmallVector<mlir::Value>
        totals; // what steps accumulate, by reduction
    llvm::SmallVector<mlir::Value> partials; // sums of this core, by reduction
    mlir::Value guard; // !ascendc.var<i32>: whether the row at hand is computed
    mlir::Value lanes; // !ascendc.var<i32>: where those at hand begin
  };

  bool walks() const { return space.walks(); }
  /// Whether rows have groups, for which it is computed what they have once.
  bool hasGroups() const { return takesGroups(space); }
  /// Whether classes pass while the lanes of a tile stay.
  bool hasPlanes() const { return takesPlanes(space); }
  bool isOfTiles(const Stages &stages) const {
    return !stages.perLaunch && !stages.perLanes && !stages.perUnit;
  }
  mlir::Value makeVariable(llvm::StringRef name, mlir::Type type);
  bool isPerLanes(SweepOp sweep);
  std::string titleOf(const Stages &stages);
  /// What belongs to a reduction: as given, with its name in front where the
  /// kernel has others.
  std::string labelOf(SweepOp sweep, size_t reduction, llvm::StringRef role);
  std::string nameOf(const Stages &stages, llvm::StringRef verb) {
    return verb.str() + stages.title;
  }
  /// Whether a sum over everything goes along the lanes; else along the rows.
  bool isOverLanes(const Stages &stages) {
    SweepOp sweep = stages.sweep;
    mlir::Value operand = sweep.getEnd().getReduced().front();
    return kernel.layoutOf(llvm::cast<ValueType>(operand.getType())) ==
           Layout::Lanes;
  }
  llvm::SmallVector<std::pair<std::string, mlir::Type>> tileArguments();
  TileContext contextOf(mlir::ValueRange arguments);
  void buildCopyInRow();
  void buildOffsets();
  void buildCopyIn(Stages &stages);
  mlir::LogicalResult buildCompute(Stages &stages);
  void buildCopyOut(Stages &stages);
  void buildGuard(Stages &stages);
  void buildLaneBegin(Stages &stages);
  void buildTables();
  mlir::Value countSteps();
  bool isFoldedInTheEnd(const Stages &stages);
  void buildAccumulate(const Stages &stages, ascendc::Fold fold,
                       mlir::Value total, mlir::Value summands, mlir::Value at,
                       mlir::ValueRange given);
  void buildFinish(Stages &stages);
  void buildExchange(Stages &stages);
  void buildMeeting(Stages &stages, int64_t firstSlot);
  void buildBegin(Stages &stages);
  void buildLaunchFinish(Stages &stages);
  mlir::Value copyLanes(llvm::StringRef name, mlir::Value total,
                        mlir::Value at);
  /// `at` is the tile of a value per row that is handed on as it is.
  void handOn(mlir::Value result, mlir::Value buffer, Layout layout,
              mlir::Value at = {});
  void readScalar(HandedValue &handed);
  mlir::Value readLowest(mlir::Value indicators, mlir::Value rows,
                         mlir::Value at);
  mlir::Value buildClasses(mlir::Value result, mlir::Value index,
                           mlir::Value at);
  mlir::Value partOfGroup(mlir::Value vector, mlir::Value first);
  mlir::Value residentPart(mlir::Value row, mlir::Value at);
  mlir::Value buildWide(const KernelTensor &tensor, const TileContext &tile,
                        Access access);
  llvm::SmallVector<Held> buildInputs(SweepOp sweep, const TileContext &tile);
  llvm::SmallVector<std::pair<mlir::Value, Held>>
  buildOutside(const Stages &stages, const TileContext &tile,
               mlir::Value first);
  void storeResults(SweepOp sweep, BodyBuilder &body,
                    llvm::ArrayRef<Held> stored, llvm::ArrayRef<Held> inputs);

  void buildProcess();
  void runStage(llvm::StringRef stage, mlir::ValueRange arguments);
  void runOffsets(mlir::Value at);
  void runSweep(const Stages &stages, mlir::Value unit, mlir::Value share);
  void runSteps(const Stages &stages, mlir::Value unit, mlir::Value share);
  void runExchange(const Stages &stages);
  void runSingleRows();
  void runPlanes();
  void runLanes(const Stages &stages, mlir::Value at);
  void runGuarded(const Stages &stages, mlir::Value at, mlir::Value first);
  void runLaunch(const Stages &stages);

  KernelBuilder &kernel;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  SpaceAttr space;
  std::vector<Stages> sweeps;
  llvm::StringMap<unsigned> titles;
  std::string copyInRow;                   // the stage that loads resident rows
  std::string copyInTables, computeTables; // those of what is looked up in
  std::string offsets;    // the stage that makes the tables of packed tiles
  mlir::Value rowsAtHand; // !ascendc.var<i32>: those that the tables are for
  int64_t regions = 0;    // of the workspace, one per exchanged reduction
};

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_SWEEPLOWERING_H
