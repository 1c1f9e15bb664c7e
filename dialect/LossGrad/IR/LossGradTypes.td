//===- LossGradTypes.td - The value type --------------------*- tablegen -*-===//
//
// The one type of level 1. Concrete element types are not here: they appear
// when dtypes are legalized.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TYPES
#define LOSSGRAD_TYPES

include "LossGradEnums.td"
include "mlir/IR/AttrTypeBase.td"

def LossGrad_Value : TypeDef<LossGrad_Dialect, "Value"> {
  let mnemonic = "value";
  let summary = "a value over a set of dims";
  let description = [{
    `!lossgrad.value<[n, c], real>`: one real number for every point of the
    dims `n` and `c`. Dims are names declared by the operator and stand in the
    order of their declaration. A value with fewer dims broadcasts implicitly
    over the others. Kinds: `real`, `int` (64 bits), `bool`, and without dims
    `string`, `dtype` and `shape`.

    Inside an operator the type is written `[n, c] real`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::mlir::StringAttr">:$dims,
    EnumParameter<LossGrad_Kind>:$kind);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilder<(ins "Kind":$kind), [{
    return $_get($_ctxt, ::llvm::ArrayRef<::mlir::StringAttr>(), kind);
  }]>];
  let extraClassDeclaration = [{
    bool hasDim(::mlir::StringAttr dim) const {
      return ::llvm::is_contained(getDims(), dim);
    }
    bool isNumeric() const {
      return getKind() == Kind::Real || getKind() == Kind::Int;
    }
    ValueType withKind(Kind kind) const {
      return get(getContext(), getDims(), kind);
    }
  }];
}

class LossGrad_KindOf<string predicate, string summary>
    : Type<And<[CPred<"::llvm::isa<::lossgrad::ValueType>($_self)">,
                CPred<"::llvm::cast<::lossgrad::ValueType>($_self)" # predicate>]>,
           summary, "::lossgrad::ValueType">;

def LossGrad_Real : LossGrad_KindOf<".getKind() == ::lossgrad::Kind::Real", "a real value">;
def LossGrad_Int : LossGrad_KindOf<".getKind() == ::lossgrad::Kind::Int", "an int value">;
def LossGrad_Bool : LossGrad_KindOf<".getKind() == ::lossgrad::Kind::Bool", "a bool value">;
def LossGrad_Numeric : LossGrad_KindOf<".isNumeric()", "a real or int value">;

class LossGrad_Scalar<string kind, string summary>
    : LossGrad_KindOf<" == ::lossgrad::ValueType::get($_self.getContext(), ::lossgrad::Kind::" # kind # ")",
                      summary>,
      BuildableType<"::lossgrad::ValueType::get($_builder.getContext(), ::lossgrad::Kind::" # kind # ")">;

def LossGrad_ScalarInt : LossGrad_Scalar<"Int", "an int without dims">;
def LossGrad_ScalarBool : LossGrad_Scalar<"Bool", "a bool without dims">;
def LossGrad_ScalarString : LossGrad_Scalar<"String", "a string">;
def LossGrad_ScalarDType : LossGrad_Scalar<"DType", "a dtype">;
def LossGrad_ScalarShape : LossGrad_Scalar<"Shape", "a shape">;

#endif // LOSSGRAD_TYPES
