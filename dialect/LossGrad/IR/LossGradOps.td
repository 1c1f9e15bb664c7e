//===- LossGradOps.td - The operator and its yield ----------*- tablegen -*-===//
//
// The frame: an operator with its two regions, and the op that ends a body.
// Files of the inner ops: LossGradBodyOps.td, LossGradContractOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_OPS
#define LOSSGRAD_OPS

include "LossGradAttrs.td"
include "LossGradTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def LossGrad_OperatorOp : LossGrad_Op<"operator", [
    Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
        ["getAsmBlockArgumentNames", "getDefaultDialect"]>]> {
  let summary = "an operator: its interface, its contract and its body";
  let description = [{
    The *contract* lists, in order, what a call must satisfy; the *body*
    computes the outputs. Both speak of the same parameters: tensors by name
    (`shape self`), attributes through `attribute`, and in the body the
    contents of input tensors as block arguments, one per input in C order.

    ```mlir
    lossgrad.operator @L2Backward
        summary "Gradient of half the squared error."
        products [A2, A3]
        dims [b... = broadcast(gradOut, self, target)]
        params [
          in gradOut : [b] real "const aclTensor *" dtypes {[float32]} doc "upstream gradient",
          in self : [b] real "const aclTensor *" dtypes {[float32]} doc "prediction",
          in target : [b] real "const aclTensor *" dtypes {[float32]} doc "label",
          out gradInput : [b] real "aclTensor *" dtypes {[float32]} doc "gradient for self"
        ]
        contract {
          %given = present self
          check %given else 161001 "self must not be null"
        }
        body(%gradOut: [b] real, %self: [b] real, %target: [b] real) {
          %x = sub %self, %target : [b] real
          %d = mul %x, %gradOut : [b] real
          yield gradInput = %d : [b] real
        }
    ```

    What few operators have stands in `attributes {...}` after the parameters:

    | attribute | says |
    |---|---|
    | `formula` | the lines of the formula as it was written, before it was optimized |
    | `header` | what the header of the aclnn function is called, where the vendor's name differs |
    | `forward` | the operator is a loss, not a gradient |
    | `derived` | the body was derived and is yet to be simplified |
    | `gradients` | of the forward of a gradient: by output of that, the input that it is the gradient of |
    | `upstream` | of the same: the inputs that are no inputs of the loss itself |
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$summary,
    OptionalAttr<StrAttr>:$description,
    StrArrayAttr:$products,
    LossGrad_DimArrayAttr:$dims,
    LossGrad_ParamArrayAttr:$params,
    OptionalAttr<StrArrayAttr>:$formula,
    OptionalAttr<StrAttr>:$header,
    UnitAttr:$forward,
    UnitAttr:$derived,
    OptionalAttr<DictionaryAttr>:$gradients,
    OptionalAttr<StrArrayAttr>:$upstream);
  let regions = (region SizedRegion<1>:$contract, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The declaration of a parameter or dim; null if there is none.
    ParamAttr findParam(::llvm::StringRef name);
    DimAttr findDim(::llvm::StringRef name);
    /// The position of a dim in the declaration, or -1.
    int64_t getDimIndex(::mlir::StringAttr name);
    /// Input tensors (the body's block arguments) and outputs (the yield's
    /// operands), each in C order.
    ::llvm::SmallVector<ParamAttr> getInputs();
    ::llvm::SmallVector<ParamAttr> getOutputs();
    bool hasProduct(::llvm::StringRef name);
    /// Sorts dims into the order of their declaration.
    void sortDims(::llvm::SmallVectorImpl<::mlir::StringAttr> &dims);
    YieldOp getYield();
  }];
}

def LossGrad_YieldOp : LossGrad_Op<"yield", [Terminator, Pure]> {
  let summary = "the outputs of a body";
  let description = [{
    One value per output parameter, in C order. A value with fewer dims than
    its output broadcasts.

    ```mlir
    yield gradInput = %d : [b] real, gradVar = %v : [b] real
    ```
  }];
  let arguments = (ins Variadic<LossGrad_Value>:$values, StrArrayAttr:$outputs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // LOSSGRAD_OPS
