//===- CostTables.h - the cost model's part of the product tables ---------===//
//
// Called by TargetTables.cpp; prints structs and tables of the CostModel and
// ChipCost records.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_TOOLS_COSTTABLES_H
#define LOSSGRAD_TOOLS_COSTTABLES_H

namespace llvm {
class raw_ostream;
class RecordKeeper;
} // namespace llvm

namespace lossgrad {

void emitCostHeader(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitCostSource(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

} // namespace lossgrad

#endif // LOSSGRAD_TOOLS_COSTTABLES_H
