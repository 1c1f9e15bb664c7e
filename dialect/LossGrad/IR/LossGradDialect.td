//===- LossGradDialect.td - The lossgrad dialect ------------*- tablegen -*-===//
//
// The dialect itself and the base class of its operations. What the dialect
// contains is in the sibling files: enums, attributes, types, and three files
// of operations (operator, body, contract).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT
#define LOSSGRAD_DIALECT

include "mlir/IR/OpBase.td"

def LossGrad_Dialect : Dialect {
  let name = "lossgrad";
  let summary = "What a loss-gradient operator computes and what it accepts";
  let description = [{
    Level 1 of lossgrad: an operator is a symbol with a *contract* (which calls
    are accepted, in which order they are refused and with which status) and a
    *body* (dataflow over values with named dims). There are no loops, no
    buffers and no hardware words; shapes and ranks are dynamic everywhere.

    Inside `lossgrad.operator` the prefix `lossgrad.` may be left out, and the
    type `!lossgrad.value<[n, c], real>` is written `[n, c] real`.
  }];
  let cppNamespace = "::lossgrad";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class LossGrad_Op<string mnemonic, list<Trait> traits = []>
    : Op<LossGrad_Dialect, mnemonic, traits>;

#endif // LOSSGRAD_DIALECT
