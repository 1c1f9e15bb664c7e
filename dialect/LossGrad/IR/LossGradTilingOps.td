//===- LossGradTilingOps.td - The host side of a schedule ---*- tablegen -*-===//
//
// What a tiling function needs beyond func, arith, math and scf: questions about the
// call and the platform, and where the answers go. What all operators share
// (collapsing of axes, balanced splits) is called by symbol; the emitted helper
// header defines it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TILING_OPS
#define LOSSGRAD_TILING_OPS

include "LossGradKernelOps.td"

def LossGrad_Host : TypeDef<LossGrad_Dialect, "Host"> {
  let mnemonic = "host";
  let summary = "a C++ struct of the helper header, passed by reference";
  let parameters = (ins StringRefParameter<"name of the struct">:$name);
  let assemblyFormat = "`<` $name `>`";
}

class LossGrad_TilingOp<string mnemonic, list<Trait> traits = []>
    : LossGrad_Op<"tiling." # mnemonic, traits>;

def LossGrad_TilingQuestion : LossGrad_Enum<"TilingQuestion", "question about a call", [
  I32EnumAttrCase<"Attribute", 0, "attribute">, I32EnumAttrCase<"Numel", 1, "numel">,
  I32EnumAttrCase<"Rank", 2, "rank">, I32EnumAttrCase<"Extent", 3, "extent">,
  I32EnumAttrCase<"Present", 4, "present">, I32EnumAttrCase<"DType", 5, "dtype">]>;
def LossGrad_TilingQuestionAttr : EnumAttr<LossGrad_Dialect, LossGrad_TilingQuestion, "tiling_question"> {
  let cppNamespace = "::lossgrad";
  let assemblyFormat = "$value";
}

def LossGrad_TilingAskOp : LossGrad_TilingOp<"ask", [Pure]> {
  let summary = "something about the call";
  let description = [{
    Attributes are f64 (real), i64 (int), i1 (bool); counts are i64, dtypes the
    number of the type in the tiling data, an i32. `name` is a parameter or, for
    numel, rank and extent, a broadcast pack with the tensors that it is the
    common shape of. `axis` belongs to extent.

    ```mlir
    %beta = lossgrad.tiling.ask attribute "beta" : f64
    %count = lossgrad.tiling.ask numel "b" of ["self", "target"] : i64
    ```
  }];
  let arguments = (ins LossGrad_TilingQuestionAttr:$question, StrAttr:$name, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<StrArrayAttr>:$tensors);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::lossgrad::TilingQuestion":$question, "::llvm::StringRef":$name,
                                 "::mlir::IntegerAttr":$axis), [{
    build($_builder, $_state, result, question, name, axis, ::mlir::ArrayAttr());
  }]>];
  let results = (outs AnyTypeOf<[F64, I64, I32, I1]>:$result);
  let assemblyFormat = "$question $name (`of` $tensors^)? (`at` $axis^)? attr-dict `:` type($result)";
}

def LossGrad_PlatformFact : LossGrad_Enum<"PlatformFact", "number that the platform tells", [
  I32EnumAttrCase<"Cores", 0, "cores">, I32EnumAttrCase<"UbBytes", 1, "ub_bytes">,
  I32EnumAttrCase<"L2Bytes", 2, "l2_bytes">]>;
def LossGrad_PlatformFactAttr : EnumAttr<LossGrad_Dialect, LossGrad_PlatformFact, "platform_fact"> {
  let cppNamespace = "::lossgrad";
  let assemblyFormat = "$value";
}

def LossGrad_TilingPlatformOp : LossGrad_TilingOp<"platform", [Pure]> {
  let summary = "something about the platform: vector cores, bytes of UB, bytes of L2";
  let arguments = (ins LossGrad_PlatformFactAttr:$fact);
  let results = (outs I64:$result);
  let assemblyFormat = "$fact attr-dict `:` type($result)";
}

def LossGrad_TilingOnArchOp : LossGrad_TilingOp<"on_arch", [Pure]> {
  let summary = "whether the call runs on this architecture";
  let arguments = (ins I64Attr:$arch);
  let results = (outs I1:$result);
  let assemblyFormat = "$arch attr-dict `:` type($result)";
}

def LossGrad_HostDimAttr : AttrDef<LossGrad_Dialect, "HostDim"> {
  let mnemonic = "host_dim";
  let summary = "a dim as the host lays out axes";
  let description = [{
    `tensors` has one bit per tensor that has the dim. The axes of a broadcast
    dim lie to the right of each tensor; those of others follow each other in
    the order of the dims. A reduced dim is never merged with one that is kept.
    `part` has one bit per tensor that has only a part of the dim: the axes along
    which the tensor `param` was not broadcast. The others are reduced.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$tensors, "bool":$isBroadcast, "bool":$isReduced,
                        DefaultValuedParameter<"int64_t", "0">:$part, DefaultValuedParameter<"int64_t", "-1">:$param);
  let assemblyFormat = "`<` struct(params) `>`";
}
def LossGrad_HostDimArrayAttr : TypedArrayAttrBase<LossGrad_HostDimAttr, "list of dims of the host">;

def LossGrad_TilingRunsOp : LossGrad_TilingOp<"runs", [Pure, AttrSizedOperandSegments]> {
  let summary = "the axes of all dims, merged over all tensors";
  let description = [{
    Neighbouring axes are merged into the fewest runs; per run an extent and one
    stride per tensor in elements (0: broadcast, or a dim that it lacks). Runs
    stand from the outermost to the innermost, ordered by the strides of the last
    of the largest tensors. `ranks` are the numbers of axes of the dims in this
    call, 0 for a broadcast dim, whose tensors tell. `optional` has one bit per
    tensor that a call may leave out, `left_out` one per tensor that this call
    does not need.

    ```mlir
    %runs = lossgrad.tiling.runs ["self", "out"] dims [#lossgrad.host_dim<name = "n", tensors = 3, isBroadcast = false, isReduced = false>]
        ranks(%one) optional 1 : !lossgrad.host<"Runs">
    ```
  }];
  let arguments = (ins StrArrayAttr:$tensors, LossGrad_HostDimArrayAttr:$dims, Variadic<I64>:$ranks,
                       DefaultValuedAttr<I64Attr, "0">:$optional, Optional<I64>:$left_out);
  let results = (outs LossGrad_Host:$result);
  let assemblyFormat = "$tensors `dims` $dims `ranks` `(` $ranks `)` (`optional` $optional^)? (`left_out` $left_out^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def LossGrad_PlanRowAttr : AttrDef<LossGrad_Dialect, "PlanRow"> {
  let mnemonic = "plan_row";
  let summary = "a kernel in the list that a tiling function tries";
  let description = [{
    Key, variant and element type (-1: any) of the calls that it is for, the
    kernel and its space; whether a row stays in UB, and whether sums over
    everything come first.
  }];
  let parameters = (ins "int64_t":$key, "int64_t":$variant, "int64_t":$dtype, "::mlir::FlatSymbolRefAttr":$kernel,
                        "::lossgrad::SpaceAttr":$space, "bool":$anyLayout, "bool":$resident, "bool":$launch);
  let assemblyFormat = "`<` struct(params) `>`";
}
def LossGrad_PlanRowArrayAttr : TypedArrayAttrBase<LossGrad_PlanRowAttr, "list of kernels to try">;

def LossGrad_TilingPlanOp : LossGrad_TilingOp<"plan", [Pure]> {
  let summary = "the first kernel of a list that is for this call and whose tiles fit UB";
  let description = [{
    The list is the table of tiling keys: which key runs which kernel for which
    variant and element type, in the order in which they are tried. `used` has
    one bit per tensor that is moved tile by tile, `typed` one per tensor that
    must have the kernel's element type. The UB of a kernel is known when its
    buffers are: conversion adds four `terms` per row, its bytes whatever the
    tile, per granule of a tile and per granule of a resident row, and its calls
    for each row of a tile, where rows are taken one by one. With
    `whole_blocks` copies of the kernels take whole blocks only, so that what is
    shorter is one core's.

    ```mlir
    %plan = lossgrad.tiling.plan %runs, used %used, typed %used, outputs 1, variant %variant on 2201
        rows [#lossgrad.plan_row<key = 1, variant = 0, dtype = 0, kernel = @FlatF32, ...>] terms() : !lossgrad.host<"TilePlan">
    ```
  }];
  let arguments = (ins LossGrad_Host:$runs, I64:$used, I64:$typed, I64Attr:$outputs, I64:$variant, I64Attr:$arch,
                       UnitAttr:$whole_blocks, LossGrad_PlanRowArrayAttr:$rows, Variadic<I64>:$terms);
  let results = (outs LossGrad_Host:$result);
  let assemblyFormat = [{
    $runs `,` `used` $used `,` `typed` $typed `,` `outputs` $outputs `,` `variant` $variant `on` $arch
    (`whole_blocks` $whole_blocks^)? `rows` $rows `terms` `(` $terms `)` attr-dict `:` type($runs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def LossGrad_TilingStoreOp : LossGrad_TilingOp<"store"> {
  let summary = "set a member of the tiling struct";
  let arguments = (ins FlatSymbolRefAttr:$member, AnyTypeOf<[F32, F64, I64, I32]>:$value);
  let assemblyFormat = "$member `,` $value attr-dict `:` type($value)";
}

def LossGrad_TilingStoreArrayOp : LossGrad_TilingOp<"store_array"> {
  let summary = "copy an array of a helper struct to a member of the tiling struct";
  let arguments = (ins FlatSymbolRefAttr:$member, LossGrad_Host:$source, StrAttr:$field, I64Attr:$count);
  let assemblyFormat = "$member `,` $source $field `[` $count `]` attr-dict `:` type($source)";
}

def LossGrad_TilingReadOp : LossGrad_TilingOp<"read", [Pure]> {
  let summary = "a member of a helper struct";
  let arguments = (ins LossGrad_Host:$source, StrAttr:$field);
  let results = (outs AnyTypeOf<[F64, I64, I32, I1]>:$result);
  let assemblyFormat = "$source $field attr-dict `:` type($source) `->` type($result)";
}

def LossGrad_TilingRequireOp : LossGrad_TilingOp<"require"> {
  let summary = "end tiling with a failure unless a condition holds";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def LossGrad_TilingLaunchOp : LossGrad_TilingOp<"launch"> {
  let summary = "tiling key, number of blocks and bytes of workspace (none if left out)";
  let arguments = (ins I64:$key, I64:$blocks, Optional<I64>:$workspace);
  let assemblyFormat = "`key` $key `blocks` $blocks (`workspace` $workspace^)? attr-dict";
}

#endif // LOSSGRAD_TILING_OPS
