//===- LossGradKernelOps.td - Level 2: variants and kernels -*- tablegen -*-===//
//
// What stands between a body and a kernel: variants of a body (specialize,
// legalize-dtypes) and kernels made of sweeps over tiles (schedule). Values
// keep the meaning that they have in a body; there are no buffers and no pipes
// here. The host side of a schedule is in LossGradTilingOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_KERNEL_OPS
#define LOSSGRAD_KERNEL_OPS

include "LossGradContractOps.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def LossGrad_Binding : LossGrad_Enum<"Binding", "when an element type is known", [
  I32EnumAttrCase<"Fixed", 0, "fixed">,
  I32EnumAttrCase<"Template", 1, "template">,
  I32EnumAttrCase<"RunTime", 2, "run_time">]>;

def LossGrad_ElementAttr : AttrDef<LossGrad_Dialect, "Element"> {
  let mnemonic = "element";
  let summary = "element type of a tensor in memory";
  let description = [{
    | text | meaning |
    |---|---|
    | `<fixed float32>` | always this type |
    | `<template float16, bfloat16>` | a C++ template parameter of the kernel, the same for all tensors that say so |
    | `<run_time float32, float16>` | one of these, told by a code in the tiling data, tensor by tensor |
  }];
  let parameters = (ins EnumParameter<LossGrad_Binding>:$binding,
                        ArrayRefParameter<"::lossgrad::DType">:$dtypes);
  let assemblyFormat = "`<` $binding $dtypes `>`";
}

def LossGrad_Scope : LossGrad_Enum<"Scope", "how often something is done", [
  I32EnumAttrCase<"Launch", 0, "launch">, I32EnumAttrCase<"Core", 1, "core">,
  I32EnumAttrCase<"Row", 2, "row">, I32EnumAttrCase<"Element", 3, "element">]>;

def LossGrad_ScheduleKind : LossGrad_Enum<"ScheduleKind", "shape of a schedule", [
  I32EnumAttrCase<"Flat", 0, "elementwise_flat">,
  I32EnumAttrCase<"Broadcast", 1, "elementwise_broadcast">]>;

def LossGrad_Combine : LossGrad_Enum<"Combine", "order in which partial results are combined", [
  I32EnumAttrCase<"None", 0, "none">]>;

def LossGrad_ScheduleAttr : AttrDef<LossGrad_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a sweep walks over its dims";
  let description = [{
    A point in the space that docs/schedule.md describes: which dim is split
    over the cores, which lies along the vector lanes, which operands are read
    once (`resident`: per launch) instead of tile by tile, the tiling members
    that size a tile, how often the body runs, and how partial results combine.
  }];
  let parameters = (ins
    EnumParameter<LossGrad_ScheduleKind>:$kind,
    "::mlir::StringAttr":$split, "::mlir::StringAttr":$lanes,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$resident,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$tile,
    EnumParameter<LossGrad_Scope>:$scope,
    EnumParameter<LossGrad_Combine>:$combine);
  let assemblyFormat = [{
    `<` $kind `split` $split `lanes` $lanes (`resident` `[` $resident^ `]`)? (`tile` `[` $tile^ `]`)?
    `scope` $scope `combine` $combine `>`
  }];
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

class LossGrad_RegionOp<string mnemonic, list<Trait> traits>
    : LossGrad_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames", "getDefaultDialect"]>])>;

def LossGrad_VariantOp : LossGrad_RegionOp<"variant", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a body for the calls that satisfy a condition";
  let description = [{
    The conditions of the variants of an operator exclude each other and cover
    every call that passed the contract: verified, as far as their literals
    tell (Conditions.h), until element types multiply the variants.
    `one_element` lists inputs that have one element in every such call; their
    values have no dims. A variant with element types (`families`) reads its
    inputs through `widen` and gives its outputs through `narrow`.

    ```mlir
    lossgrad.variant @L2Backward_1 of @L2Backward one_element [gradOut]
      when {
        %n = numel gradOut
        %one = constant 1
        %single = compare eq %n, %one : [] int
        holds %single
      }
      body(%gradOut: [] real, %self: [b] real, %target: [b] real) {
        %x = sub %self, %target : [b] real
        %d = mul %x, %gradOut : [b] real, [] real
        yield gradInput = %d : [b] real
      }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$operator_,
                       StrArrayAttr:$one_element, OptionalAttr<StrArrayAttr>:$families);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    OperatorOp getOperator();
    YieldOp getYield();
    HoldsOp getHolds();
  }];
  let hasRegionVerifier = 1;
}

def LossGrad_HoldsOp : LossGrad_Op<"holds", [Terminator, Pure, HasParent<"VariantOp">]> {
  let summary = "the condition of a variant";
  let arguments = (ins LossGrad_ScalarBool:$condition);
  let assemblyFormat = "$condition attr-dict";
}

class LossGrad_BorderOp<string mnemonic, string what>
    : LossGrad_Op<mnemonic, [Pure, AllTypesMatch<["operand", "result"]>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = what;
  let arguments = (ins LossGrad_Value:$operand, LossGrad_ElementAttr:$element);
  let results = (outs LossGrad_Value:$result);
  let assemblyFormat = "$operand $element attr-dict `:` type($result)";
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameFromLocation(getOperation(), setName);
    }
  }];
}

def LossGrad_WidenOp : LossGrad_BorderOp<"widen", "a tensor's elements in the compute type, exactly"> {
  let description = [{
    Stands directly at an input. The compute type (float32) holds every value
    of the element type, so nothing is rounded.

    ```mlir
    %x = lossgrad.widen %self <fixed float16> : !lossgrad.value<[b], real>
    ```
  }];
}

def LossGrad_NarrowOp : LossGrad_BorderOp<"narrow", "a result in the element type of its output, rounded to nearest even"> {
  let description = [{
    Stands directly at the yield: the one place where a result is rounded to
    fewer bits than the compute type has.

    ```mlir
    %y = lossgrad.narrow %d <fixed float16> : !lossgrad.value<[b], real>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def LossGrad_KernelOp : LossGrad_RegionOp<"kernel", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "a kernel: sweeps over tiles, with values";
  let description = [{
    One variant under one schedule. Block arguments are the uniform values that
    the host computes and hands over in the tiling data. `keys` has one tiling
    key, or one per candidate of the template parameter.

    ```mlir
    lossgrad.kernel @FlatF32 of @L2Backward families [A2, A3] keys [1] one_element [] (%scale: [] real) {
      sweep [gradOut, self, target] #lossgrad.schedule<...> (%gradOut: [b] real, ...) { ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$operator_, StrArrayAttr:$families,
                       I64ArrayAttr:$keys, StrArrayAttr:$one_element);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    OperatorOp getOperator();
  }];
  let hasRegionVerifier = 1;
}

def LossGrad_SweepOp : LossGrad_RegionOp<"sweep", [SingleBlock, NoTerminator, HasParent<"KernelOp">]> {
  let summary = "one pass over tiles";
  let description = [{
    Runs its body once per tile. Block arguments are the named input tensors;
    the body ends with the outputs that this sweep stores.
  }];
  let arguments = (ins StrArrayAttr:$inputs, LossGrad_ScheduleAttr:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
  }];
  let hasRegionVerifier = 1;
}

#endif // LOSSGRAD_KERNEL_OPS
