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
    numel, rank and extent, a pack. `axis` belongs to extent.

    ```mlir
    %beta = lossgrad.tiling.ask attribute "beta" : f64
    ```
  }];
  let arguments = (ins LossGrad_TilingQuestionAttr:$question, StrAttr:$name, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyTypeOf<[F64, I64, I32, I1]>:$result);
  let assemblyFormat = "$question $name (`at` $axis^)? attr-dict `:` type($result)";
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

def LossGrad_TilingRunsOp : LossGrad_TilingOp<"runs", [Pure]> {
  let summary = "the axes of a pack, merged over all operands";
  let description = [{
    Neighbouring axes are merged into the fewest runs; per run an extent and one
    stride per operand in elements (0: broadcast). Runs stand from the outermost
    to the innermost, ordered by the strides of the last operand, the output.

    ```mlir
    %runs = lossgrad.tiling.runs ["self", "target", "gradInput"] : !lossgrad.host<"Runs">
    ```
  }];
  let arguments = (ins StrArrayAttr:$operands);
  let results = (outs LossGrad_Host:$result);
  let assemblyFormat = "$operands attr-dict `:` type($result)";
}

def LossGrad_TilingMaxTileOp : LossGrad_TilingOp<"max_tile", [Pure]> {
  let summary = "the largest tile of a kernel that fits UB, in elements; 0 or less if none does";
  let description = [{
    Only buffers know the answer: conversion turns the question into
    `ascendc.ub_solve`, which `ascendc-plan-buffers` replaces by arithmetic.

    ```mlir
    %tile = lossgrad.tiling.max_tile @FlatF32 in %ub
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$arch, I64:$ub);
  let results = (outs I64:$result);
  let assemblyFormat = "$kernel `on` $arch `in` $ub attr-dict";
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
  let summary = "tiling key and number of blocks";
  let arguments = (ins I64:$key, I64:$blocks);
  let assemblyFormat = "`key` $key `blocks` $blocks attr-dict";
}

#endif // LOSSGRAD_TILING_OPS
