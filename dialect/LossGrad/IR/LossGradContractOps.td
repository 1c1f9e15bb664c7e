//===- LossGradContractOps.td - Checks and what they ask ----*- tablegen -*-===//
//
// The vocabulary of contracts: two ordered statements, check and done_if, and
// the few questions about a call that arithmetic, comparison and logic do not
// answer already. Every other kind of check is composed of these.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CONTRACT_OPS
#define LOSSGRAD_CONTRACT_OPS

include "LossGradDeriveOps.td"

def LossGrad_CheckOp : LossGrad_Op<"check", [LossGrad_ContractOnly, AttrSizedOperandSegments]> {
  let summary = "a condition that a call must satisfy";
  let description = [{
    Checks and `done_if` take effect in the order in which they stand. The
    first check whose condition is false ends the first phase with its status
    and logs its message, in which `{0}`, `{1}`, ... stand for the listed
    values. With `when`, the check applies only where that condition holds;
    the condition of a check is not evaluated where it does not apply.

    ```mlir
    check %ok else 161002 "rank of self is {0}, at most 8 is supported"(%rank : [] int) when %given
    ```
  }];
  let arguments = (ins LossGrad_ScalarBool:$condition, I64Attr:$status,
                       StrAttr:$message, Variadic<LossGrad_Value>:$values,
                       Optional<LossGrad_ScalarBool>:$when);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def LossGrad_DoneIfOp : LossGrad_Op<"done_if", [LossGrad_ContractOnly]> {
  let summary = "end of a call that has nothing to do";
  let description = [{
    Where the condition holds, the first phase ends here with status 0 and
    workspace size 0, and the second does nothing.

    ```mlir
    done_if %empty when %notA950
    ```
  }];
  let arguments = (ins LossGrad_ScalarBool:$condition,
                       Optional<LossGrad_ScalarBool>:$when);
  let assemblyFormat = "$condition (`when` $when^)? attr-dict";
}

def LossGrad_DTypeOfOp : LossGrad_QueryOp<"dtype", "Query", [LossGrad_ContractOnly]> {
  let summary = "element type of a tensor parameter";
  let description = [{
    ```mlir
    %d = dtype self
    ```
  }];
}

def LossGrad_DTypeInOp : LossGrad_ValueOp<"dtype_in", "DTypeIn", [LossGrad_ContractOnly]> {
  let summary = "whether a dtype is one of a list";
  let description = [{
    ```mlir
    %ok = dtype_in %d, [float32, float16]
    ```
  }];
  let arguments = (ins LossGrad_ScalarDType:$operand, LossGrad_DTypeArrayAttr:$dtypes);
}

def LossGrad_DTypeDeclaredOp : LossGrad_ValueOp<"dtype_declared", "DTypeDeclared", [LossGrad_ContractOnly]> {
  let summary = "whether a dtype is declared for a parameter on the product at hand";
  let description = [{
    False on a product for which the parameter has no dtypes.

    ```mlir
    %ok = dtype_declared %d for self
    ```
  }];
  let arguments = (ins LossGrad_ScalarDType:$operand, StrAttr:$name);
}

def LossGrad_DTypePromoteOp : LossGrad_ValueOp<"dtype_promote", "DTypeBinary", [LossGrad_ContractOnly]> {
  let summary = "common dtype of two operands of an arithmetic operation";
  let description = [{
    The wider float wins, float16 with bfloat16 gives float32, floats win over
    ints; undefined where the two have no common type.

    ```mlir
    %p = dtype_promote %a, %b
    ```
  }];
  let arguments = (ins LossGrad_ScalarDType:$lhs, LossGrad_ScalarDType:$rhs);
}

def LossGrad_DTypeCastableOp : LossGrad_ValueOp<"dtype_castable", "DTypeBinary", [LossGrad_ContractOnly]> {
  let summary = "whether the first dtype may be cast to the second";
  let description = [{
    Not from complex to real, not from float to integer, and not from anything
    but bool to bool.

    ```mlir
    %ok = dtype_castable %computed, %out
    ```
  }];
  let arguments = (ins LossGrad_ScalarDType:$lhs, LossGrad_ScalarDType:$rhs);
}

def LossGrad_ShapeOfOp : LossGrad_ValueOp<"shape", "Shape", [LossGrad_ContractOnly]> {
  let summary = "shape of a tensor parameter, or the shape that dims make";
  let description = [{
    `shape self` is what the caller passed. `shape [n, c]` puts dims together;
    it is undefined where a dim cannot be found in the call (a required input
    has too few axes, operands of a broadcast pack do not fit).

    ```mlir
    %actual = shape target
    %wanted = shape [n]
    %ok = compare eq %actual, %wanted : [] shape
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, OptionalAttr<StrArrayAttr>:$dims);
  let hasVerifier = 1;
}

def LossGrad_ShapeBroadcastOp : LossGrad_ValueOp<"shape_broadcast", "ShapeBinary", [LossGrad_ContractOnly]> {
  let summary = "common shape of two operands";
  let description = [{
    Aligned at the right; extents are equal or one of them is 1. Undefined
    where the two do not fit.

    ```mlir
    %s = shape_broadcast %a, %b
    ```
  }];
  let arguments = (ins LossGrad_ScalarShape:$lhs, LossGrad_ScalarShape:$rhs);
}

def LossGrad_DefinedOp : LossGrad_ValueOp<"defined", "Elementwise", [LossGrad_ContractOnly]> {
  let summary = "whether a promotion or broadcast has a result";
  let description = [{
    ```mlir
    %ok = defined %s : [] shape
    ```
  }];
  let arguments = (ins LossGrad_Value:$operand);
  let hasVerifier = 1;
}

def LossGrad_FormatOp : LossGrad_QueryOp<"format", "Query", [LossGrad_ContractOnly]> {
  let summary = "format tag of a tensor parameter, as a string";
  let description = [{
    ```mlir
    %f = format self           // "ND", "NCHW", ...
    ```
  }];
}

def LossGrad_ContiguousOp : LossGrad_QueryOp<"contiguous", "Query", [LossGrad_ContractOnly]> {
  let summary = "whether a tensor parameter is dense in row-major order";
  let description = [{
    ```mlir
    %dense = contiguous out
    ```
  }];
}

def LossGrad_SameOrApartOp : LossGrad_ValueOp<"same_or_apart", "Pair", [LossGrad_ContractOnly]> {
  let summary = "whether two tensor parameters are the same elements, or share no memory";
  let description = [{
    True where both are the same memory with the same dtype, shape and strides,
    and where the bytes from the first to the last element of one lie before or
    after those of the other.

    ```mlir
    %ok = same_or_apart gradLogits, logits
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$other);
}

def LossGrad_ProductInOp : LossGrad_ValueOp<"product_in", "ProductIn", [LossGrad_ContractOnly]> {
  let summary = "whether the call runs on one of the listed product families";
  let description = [{
    ```mlir
    %ok = product_in [A2, A3]
    ```
  }];
  let arguments = (ins StrArrayAttr:$products);
}

#endif // LOSSGRAD_CONTRACT_OPS
