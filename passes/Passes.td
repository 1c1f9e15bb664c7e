//===- Passes.td - all passes ---------------------------------------------===//
//
// Declarations of the passes of derivation (DerivePasses.td), of levels 1 and 2
// (LossGradPasses.td) and of
// level 3.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_TD
#define LOSSGRAD_PASSES_TD

include "AscendCPasses.td"
include "DerivePasses.td"
include "LossGradPasses.td"

#endif // LOSSGRAD_PASSES_TD
