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

def LossGrad_AxisRole : I32BitEnumAttr<"AxisRole", "what the index of a dim is in a kernel", [
    I32BitEnumAttrCaseBit<"Core", 0, "core">, I32BitEnumAttrCaseBit<"Outer", 1, "outer">,
    I32BitEnumAttrCaseBit<"Row", 2, "row">, I32BitEnumAttrCaseBit<"Lane", 3, "lane">]> {
  let cppNamespace = "::lossgrad";
  let genSpecializedAttr = 0;
  let separator = ", ";
}

def LossGrad_SpaceAxisAttr : AttrDef<LossGrad_Dialect, "SpaceAxis"> {
  let mnemonic = "axis";
  let summary = "dims of a space that have the same roles";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$dims, "::lossgrad::AxisRole":$roles, "bool":$isReduced);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool is(AxisRole role) const { return bitEnumContainsAny(getRoles(), role); }
    bool has(::mlir::StringAttr dim) const { return ::llvm::is_contained(getDims(), dim); }
  }];
}

def LossGrad_SpaceAttr : AttrDef<LossGrad_Dialect, "Space"> {
  let mnemonic = "space";
  let summary = "the dims of a kernel with their roles, outermost first";
  let description = [{
    | role | the index of the dim is |
    |---|---|
    | `core` | dealt to the cores |
    | `outer` | a loop of the core, tile by tile |
    | `row` | the second axis of a tile |
    | `lane` | the axis along the vector unit |

    Dims that a kernel reduces stand in an axis of their own, after `reduces`.
    `<[a1, a0: core, outer, row], reduces [r: lane]>`: tiles of many rows, each
    of which holds all of r. `<[a1, a0: core, outer], reduces [r: outer, lane]>`:
    one row at a time, walked over in tiles. Where only reduced dims are dealt to
    the cores, these exchange what they reduce; where both are, tiles are dealt
    whatever row they belong to, and there is nothing to exchange:
    `<[n: core, outer, row], reduces [c: core, outer, lane]>`. Where both lie
    along the lanes, a tile is one run of memory in which rows are packed:
    `<[a1, a0: core, row, lane], reduces [r: lane]>`.
  }];
  let parameters = (ins ArrayRefParameter<"::lossgrad::SpaceAxisAttr">:$axes);
  let assemblyFormat = "`<` $axes `>`";
  let extraClassDeclaration = [{
    /// The dims that are kept or reduced; null if there are none.
    ::lossgrad::SpaceAxisAttr getKept() const;
    ::lossgrad::SpaceAxisAttr getReduced() const;
    /// Whether reduced dims are walked over in several tiles.
    bool walks() const;
    /// Whether they alone are dealt to the cores, which exchange their results.
    bool isSplit() const;
    /// Whether tiles are dealt to the cores whatever row they belong to: rows
    /// are taken one by one, and what a row has once is a scalar.
    bool takesSingleRows() const;
    /// Whether a tile is one run of memory, with as many rows as it holds.
    bool isPacked() const;
    /// Whether the axis along the lanes, or the rows, is reduced; empty if there
    /// is no such axis.
    std::optional<bool> areLanesReduced() const;
    std::optional<bool> areRowsReduced() const;
    /// One run of adjacent elements, without rows.
    bool isFlat() const;
  }];
  let genVerifyDecl = 1;
}

def LossGrad_Access : LossGrad_Enum<"Access", "how a sweep reads a tensor", [
  I32EnumAttrCase<"Stream", 0, "stream">, I32EnumAttrCase<"Resident", 1, "resident">,
  I32EnumAttrCase<"Element", 2, "element">, I32EnumAttrCase<"Table", 3, "table">,
  I32EnumAttrCase<"Keep", 4, "keep">, I32EnumAttrCase<"Kept", 5, "kept">]>;
def LossGrad_AccessAttr : EnumAttr<LossGrad_Dialect, LossGrad_Access, "access"> {
  let cppNamespace = "::lossgrad";
}
def LossGrad_AccessArrayAttr : TypedArrayAttrBase<LossGrad_AccessAttr, "list of accesses">;
def LossGrad_ReduceKindArrayAttr : TypedArrayAttrBase<LossGrad_ReduceKindAttr, "list of kinds">;

def LossGrad_KeyAttr : AttrDef<LossGrad_Dialect, "Key"> {
  let mnemonic = "key";
  let summary = "a tiling key and the element type that it stands for";
  let description = [{
    `3 bfloat16`: the key runs the kernel with this type for its type parameter.
    A kernel without a parameter has one key without a type (`undefined` in the
    attribute, left out in the text).
  }];
  let parameters = (ins "int64_t":$key, "::lossgrad::DType":$dtype);
  let hasCustomAssemblyFormat = 1;
}
def LossGrad_KeyArrayAttr : TypedArrayAttrBase<LossGrad_KeyAttr, "list of tiling keys">;

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

    Which axes of a broadcast pack a part of it lacks only the call tells. `whole`
    lists parts that lack none in every such call: the part is the pack. `split`
    lists parts that lack some: there, the name of the pack stands for the axes
    that the part lacks, so that what has the axes of both has both dims, and a
    sum onto the part is a reduction over the pack.

    `title` is what sets the variant apart in the names of its kernels
    (`SingleGradOut`, empty for the ordinary case) and `occasion` says in words
    when it runs. The forms of one variant for several element types have the
    same `base`, which is what it was called.

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
                       StrArrayAttr:$one_element, StrArrayAttr:$whole, StrArrayAttr:$split,
                       OptionalAttr<StrArrayAttr>:$families, OptionalAttr<StrAttr>:$base,
                       OptionalAttr<StrAttr>:$title, OptionalAttr<StrAttr>:$occasion);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    OperatorOp getOperator();
    YieldOp getYield();
    HoldsOp getHolds();
    /// The dims that a tensor of the operator has in these calls.
    ::llvm::SmallVector<::mlir::StringAttr> getDimsOf(ParamAttr param);
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
    One variant in one space. Block arguments are the uniform values that the
    host computes and hands over in the tiling data. `keys` has one tiling key,
    or one per candidate of the type parameter. A kernel with `any_layout` takes
    tensors of any strides and element types and brings them to dense tiles
    itself; without it, lanes are adjacent in memory.

    ```mlir
    lossgrad.kernel @RowsTwiceF32 of @LogSoftmaxBackward families [A2, A3] keys [7]
        space <[a1, a0: core, outer], reduces [r: outer, lane]> when "rows that do not fit UB, float" () {
      %total = sweep reads [gradOutput stream] (%gradOutput: [a1, r, a0] real) {
        %0 = lossgrad.widen %gradOutput <fixed float32> : !lossgrad.value<[a1, r, a0], real>
        lossgrad.end reduce [sum] (%0) : !lossgrad.value<[a1, r, a0], real>
      } -> !lossgrad.value<[a1, a0], real>
      sweep reads [gradOutput stream, output stream] (%gradOutput: [a1, r, a0] real, %output: [a1, r, a0] real) { ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$operator_, StrArrayAttr:$families,
                       LossGrad_KeyArrayAttr:$keys, LossGrad_SpaceAttr:$space, UnitAttr:$any_layout, StrAttr:$when);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    OperatorOp getOperator();
  }];
  let hasRegionVerifier = 1;
}

def LossGrad_SweepOp : LossGrad_RegionOp<"sweep", [SingleBlock, HasParent<"KernelOp">]> {
  let summary = "one walk over the tiles of a kernel's space";
  let description = [{
    Runs its body once per tile. Block arguments are the named input tensors,
    each with its access; further operands are uniform values of the kernel and
    results of earlier sweeps, which stand around it. A sweep walks over reduced
    dims only if something that it reads has them; otherwise it runs once per
    unit. Results are the reductions that its terminator names, over the dims
    that the space reduces: there is one sweep for each step of dependence
    between reductions that do not fit a tile.

    A sweep whose reductions leave no dims runs once per launch, before all
    others, over all kept or all reduced dims; with `if`, only where the host
    says so, and otherwise gives what no elements give.

    ```mlir
    %count = sweep if %mean reads [target stream] (%target: [n] int) { ... end reduce [sum](%0 : ...) } -> !lossgrad.value<[], real>
    ```
  }];
  let arguments = (ins StrArrayAttr:$inputs, LossGrad_AccessArrayAttr:$accesses, Optional<LossGrad_ScalarBool>:$guard);
  let results = (outs Variadic<LossGrad_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    EndOp getEnd();
    /// Whether it reads, stores or sums up something that has reduced dims.
    bool walksReduced();
    /// Whether it sums over everything, once per launch.
    bool isPerLaunch();
  }];
  let hasRegionVerifier = 1;
}

def LossGrad_PointKind : LossGrad_Enum<"PointKind", "what happens at a point", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Set", 1, "set">]>;
def LossGrad_PointKindAttr : EnumAttr<LossGrad_Dialect, LossGrad_PointKind, "point_kind"> {
  let cppNamespace = "::lossgrad";
}

def LossGrad_PointOp : LossGrad_Op<"point", [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a value that differs in one place per row";
  let description = [{
    The result is `dense`, but where the position along `over` is the index: there
    `value` is added to it, or stands in its place. An index outside of the dim
    changes nothing. What costs a comparison per element where one-hot is written
    out costs a call per row.

    ```mlir
    %y = lossgrad.point add %dense[%target] by %nll over "c" : !lossgrad.value<[n, c], real>, !lossgrad.value<[n], int>,
        !lossgrad.value<[n], real> -> !lossgrad.value<[n, c], real>
    ```
  }];
  let arguments = (ins LossGrad_PointKindAttr:$kind, LossGrad_Real:$dense, LossGrad_Int:$index, LossGrad_Real:$value, StrAttr:$over);
  let results = (outs LossGrad_Real:$result);
  let assemblyFormat = [{
    $kind $dense `[` $index `]` `by` $value `over` $over attr-dict `:` type($dense) `,` type($index) `,` type($value) `->` type($result)
  }];
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameFromLocation(getOperation(), setName);
    }
  }];
}

def LossGrad_EndOp : LossGrad_Op<"end", [Terminator, AttrSizedOperandSegments, HasParent<"SweepOp">]> {
  let summary = "what a sweep stores and what it hands on";
  let description = [{
    Stored values are the tensors' elements; reduced ones become results of the
    sweep, folded over the dims that its space reduces. What is kept becomes a
    result as it is: one value per unit or row, or per lane, for the sweeps
    that follow in the same tile or group.

    ```mlir
    lossgrad.end store [out] (%d) : !lossgrad.value<[b], real>
    lossgrad.end reduce [sum] (%g) : !lossgrad.value<[a1, r, a0], real>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<StrArrayAttr, "{}">:$outputs, Variadic<LossGrad_Value>:$stored,
                       DefaultValuedAttr<LossGrad_ReduceKindArrayAttr, "{}">:$kinds, Variadic<LossGrad_Value>:$reduced,
                       Variadic<LossGrad_Value>:$kept);
  let assemblyFormat = [{
    (`store` $outputs^ `(` $stored `:` type($stored) `)`)? (`reduce` $kinds^ `(` $reduced `:` type($reduced) `)`)?
    (`keep` `(` $kept^ `:` type($kept) `)`)? attr-dict
  }];
}

#endif // LOSSGRAD_KERNEL_OPS
