//===- Base.td - what every operator record shares ------------------------===//
//
// Include this file and define one record of class LossBackward per operator;
// docs/records.md explains every class. The ideas are kept apart: element types
// (Dtypes.td), dims (Dims.td), parameters (Params.td), formulas (Formula.td) and
// checks (Checks.td). Forwards and operators derived from them are in Loss.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_BASE_TD
#define LOSSGRAD_BASE_TD

include "Checks.td"
include "Dims.td"
include "Params.td"

/// An operator. Every further field of type dag is an intermediate result, which
/// formulas call `$field`.
class LossBackward<string functionName> {
  string function = functionName;  // exported as aclnn<function>
  string header = "";              // aclnnop/<header>.h where the default does not fit
  string summary;                  // one sentence
  string description = "";         // what a page on the operator says beyond it
  list<Family> products;
  list<Dim> dims;
  list<Parameter> params;
  list<Check> checks = [];
  dag results;                     // (outs (formula):$output, ...)
}

include "Loss.td"
#endif
