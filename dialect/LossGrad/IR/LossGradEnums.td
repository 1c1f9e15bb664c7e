//===- LossGradEnums.td - Enumerations of lossgrad ----------*- tablegen -*-===//
//
// The closed sets of the dialect. Product families are deliberately not here:
// they are data (one record per target), so the IR carries them as names.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_ENUMS
#define LOSSGRAD_ENUMS

include "LossGradDialect.td"
include "mlir/IR/EnumAttr.td"

class LossGrad_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::lossgrad";
  let genSpecializedAttr = 0;
}

/// The kind of a value. The first three may have dims; the others exist once
/// per call.
def LossGrad_Kind : LossGrad_Enum<"Kind", "kind of a value", [
  I32EnumAttrCase<"Real", 0, "real">,
  I32EnumAttrCase<"Int", 1, "int">,
  I32EnumAttrCase<"Bool", 2, "bool">,
  I32EnumAttrCase<"String", 3, "string">,
  I32EnumAttrCase<"DType", 4, "dtype">,
  I32EnumAttrCase<"Shape", 5, "shape">]>;

/// Element types of a call's tensors. The numbers are those of aclDataType, but
/// for `undefined`: what promotion gives where there is no common type.
def LossGrad_DType : LossGrad_Enum<"DType", "element type of a tensor", [
  I32EnumAttrCase<"Undefined", 255, "undefined">,
  I32EnumAttrCase<"Float32", 0, "float32">,
  I32EnumAttrCase<"Float16", 1, "float16">,
  I32EnumAttrCase<"Int8", 2, "int8">,
  I32EnumAttrCase<"Int32", 3, "int32">,
  I32EnumAttrCase<"UInt8", 4, "uint8">,
  I32EnumAttrCase<"Int16", 6, "int16">,
  I32EnumAttrCase<"UInt16", 7, "uint16">,
  I32EnumAttrCase<"UInt32", 8, "uint32">,
  I32EnumAttrCase<"Int64", 9, "int64">,
  I32EnumAttrCase<"UInt64", 10, "uint64">,
  I32EnumAttrCase<"Float64", 11, "float64">,
  I32EnumAttrCase<"Bool", 12, "bool">,
  I32EnumAttrCase<"String", 13, "string">,
  I32EnumAttrCase<"Complex64", 16, "complex64">,
  I32EnumAttrCase<"Complex128", 17, "complex128">,
  I32EnumAttrCase<"BFloat16", 27, "bfloat16">]>;

def LossGrad_DTypeAttr
    : EnumAttr<LossGrad_Dialect, LossGrad_DType, "dtype"> {
  let cppNamespace = "::lossgrad";
}

def LossGrad_Role : LossGrad_Enum<"Role", "role of a parameter", [
  I32EnumAttrCase<"In", 0, "in">,
  I32EnumAttrCase<"Optional", 1, "optional">,
  I32EnumAttrCase<"Out", 2, "out">,
  I32EnumAttrCase<"Attr", 3, "attr">]>;

def LossGrad_DimKind : LossGrad_Enum<"DimKind", "kind of a dim", [
  I32EnumAttrCase<"Axis", 0, "axis">,
  I32EnumAttrCase<"Pack", 1, "pack">,
  I32EnumAttrCase<"Broadcast", 2, "broadcast">,
  I32EnumAttrCase<"Split", 3, "split">,
  I32EnumAttrCase<"Part", 4, "part">]>;

def LossGrad_Predicate : LossGrad_Enum<"Predicate", "comparison", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>,
  I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
  I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;

def LossGrad_PredicateAttr
    : EnumAttr<LossGrad_Dialect, LossGrad_Predicate, "predicate"> {
  let cppNamespace = "::lossgrad";
}

def LossGrad_ReduceKind : LossGrad_Enum<"ReduceKind", "kind of a reduction", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>,
  I32EnumAttrCase<"min", 2>]>;

def LossGrad_ReduceKindAttr
    : EnumAttr<LossGrad_Dialect, LossGrad_ReduceKind, "reduce_kind"> {
  let cppNamespace = "::lossgrad";
}

#endif // LOSSGRAD_ENUMS
