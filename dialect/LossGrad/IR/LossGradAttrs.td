//===- LossGradAttrs.td - Dims and parameters as attributes -*- tablegen -*-===//
//
// What an operator declares before its regions: its dims and its parameters
// with shape, dtypes and documentation. Attributes only describe; whether the
// descriptions fit together is verified by the operator.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_ATTRS
#define LOSSGRAD_ATTRS

include "LossGradEnums.td"
include "mlir/IR/AttrTypeBase.td"

class LossGrad_Attr<string name, string attrMnemonic>
    : AttrDef<LossGrad_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def LossGrad_DimAttr : LossGrad_Attr<"Dim", "dim"> {
  let summary = "declaration of a dim";
  let description = [{
    | text | kind | meaning |
    |---|---|---|
    | `n` | axis | exactly one axis |
    | `s...` | pack | zero or more adjacent axes, their number known at run time |
    | `b... = broadcast(x, y)` | broadcast | the broadcast of what `x` and `y` have there; an operand may lack an axis or have extent 1 |
    | `r at dim` | split | the one axis that the int attribute `dim` selects (negative counts from the end; rank 0 counts as rank 1) |
    | `v... = b of x` | part | broadcast pack `b` as parameter `x` has it: extent 1 where `x` was broadcast |
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    EnumParameter<LossGrad_DimKind>:$kind,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$refs);
  let extraClassDeclaration = [{
    /// True for a dim of any number of axes.
    bool isPack() const;
  }];
}

def LossGrad_ShapeAttr : LossGrad_Attr<"Shape", "shape"> {
  let summary = "declared shape of a tensor parameter";
  let description = [{
    A list of dims, `[n, c, s]`. `flat [c]` asks only for the element count, at
    any rank (`flat []`: one element). `[n] if reduction is "none"` (or `is
    not`) has these dims under the condition and one element otherwise.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::mlir::StringAttr">:$dims,
    "bool":$flat,
    OptionalParameter<"::mlir::StringAttr">:$conditionName,
    OptionalParameter<"::mlir::Attribute">:$conditionValue,
    "bool":$conditionNegated);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::mlir::StringAttr>":$dims), [{
    return $_get($_ctxt, dims, false, nullptr, nullptr, false);
  }]>];
}

def LossGrad_DTypeRowAttr : LossGrad_Attr<"DTypeRow", "dtype_row"> {
  let summary = "dtypes of a parameter on some product families";
  let description = [{
    `[float32, float16] on [A310P, A910]`; without `on`: on every product of the
    operator.
  }];
  let parameters = (ins
    ArrayRefParameter<"DType">:$dtypes,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$products);
}

def LossGrad_ParamAttr : LossGrad_Attr<"Param", "param"> {
  let summary = "declaration of a parameter";
  let description = [{
    One parameter of the C interface, in its C order:

    ```
    in self : [b] real "const aclTensor *" dtypes {[float32, float16]} doc "prediction"
    optional weight : [c] real "const aclTensor *" dtypes {[float32]} doc "class weights"
    attr reduction : string "char *" default "mean" choices ["none", "mean", "sum"] doc "reduction of the loss"
    out gradInput : [b] real "aclTensor *" dtypes {[float32, float16]} doc "gradient"
    out gradLogits : [n, c] real "aclTensor *" in_place_of logits dtypes {[float32]} doc "gradient"
    ```

    `default` is the value of an attribute that the caller may leave out (a
    null string). `choices` names the values of an attribute: for a string the
    values themselves, for an int what 0, 1, 2, ... mean. An output `in_place_of`
    an input may lie over it, element by element: no kernel reads an element
    of the input after it has stored to it.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    EnumParameter<LossGrad_Role>:$role,
    EnumParameter<LossGrad_Kind>:$kind,
    "::mlir::StringAttr":$cType,
    OptionalParameter<"::lossgrad::ShapeAttr">:$shape,
    OptionalArrayRefParameter<"::lossgrad::DTypeRowAttr">:$dtypes,
    OptionalParameter<"::mlir::Attribute">:$defaultValue,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$choices,
    "::mlir::StringAttr":$doc,
    OptionalParameter<"::mlir::StringAttr">:$inPlaceOf);
  let builders = [AttrBuilder<(ins
      "::mlir::StringAttr":$name, "Role":$role, "Kind":$kind,
      "::mlir::StringAttr":$cType, "::lossgrad::ShapeAttr":$shape,
      "::llvm::ArrayRef<::lossgrad::DTypeRowAttr>":$dtypes,
      "::mlir::Attribute":$defaultValue,
      "::llvm::ArrayRef<::mlir::StringAttr>":$choices,
      "::mlir::StringAttr":$doc), [{
    return $_get($_ctxt, name, role, kind, cType, shape, dtypes, defaultValue, choices, doc, nullptr);
  }]>];
  let extraClassDeclaration = [{
    bool isTensor() const { return getRole() != Role::Attr; }
    bool isInput() const {
      return getRole() == Role::In || getRole() == Role::Optional;
    }
    /// The dtypes declared for a product; empty where it is not supported.
    ::llvm::ArrayRef<DType> getDTypesOn(::llvm::StringRef product) const;
  }];
}

def LossGrad_DTypeArrayAttr
    : TypedArrayAttrBase<LossGrad_DTypeAttr, "list of dtypes">;
def LossGrad_DimArrayAttr
    : TypedArrayAttrBase<LossGrad_DimAttr, "list of dim declarations">;
def LossGrad_ParamArrayAttr
    : TypedArrayAttrBase<LossGrad_ParamAttr, "list of parameter declarations">;

#endif // LOSSGRAD_ATTRS
