//===- AscendCOps.td - all ops of the ascendc dialect ---------------------===//
//
// The file that mlir-tblgen reads; it only collects the parts.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_OPS_TD
#define LOSSGRAD_DIALECT_ASCENDC_OPS_TD

include "AscendCByType.td"
include "AscendCIndex.td"
include "AscendCMemory.td"
include "AscendCRow.td"
include "AscendCStructure.td"
include "AscendCSync.td"
include "AscendCTile.td"
include "AscendCVector.td"

#endif // LOSSGRAD_DIALECT_ASCENDC_OPS_TD
