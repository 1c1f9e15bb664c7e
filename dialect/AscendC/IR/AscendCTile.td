//===- AscendCTile.td - calls of the shared tile header -------------------===//
//
// Calls of `lossgrad_tile.h`, the emitted device header: a core's share of the
// work, and tiles of tensors that are dense, broadcast, strided or of an element
// type that only the call tells. To planning and synchronisation each is one
// call on one pipe, with the tensors that it reads and writes and its scratch;
// the barriers inside are its own.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_TILE_TD
#define LOSSGRAD_DIALECT_ASCENDC_TILE_TD

include "AscendCCall.td"

//===----------------------------------------------------------------------===//
// A core's share of the work
//===----------------------------------------------------------------------===//

/// A question to the header or to one of its structs, answered on the scalar
/// unit.
class AscendC_TileFunction<string mnemonic, string cpp, list<Trait> traits = []>
    : AscendC_Call<mnemonic, cpp, "S", "Scalar", traits # [Pure, AscendC_OfTileHeader]> {
  string functionDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
  }];
  let extraClassDeclaration = functionDeclaration;
}
class AscendC_TileQuestion<string mnemonic, string cpp> : AscendC_TileFunction<mnemonic, cpp> {
  string questionDeclaration = functionDeclaration # [{
    ::mlir::Value getReceiver() { return getOperation()->getOperand(0); }
  }];
}

class AscendC_Share<string mnemonic, string cpp>
    : AscendC_TileFunction<mnemonic, cpp, [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let results = (outs AscendC_CoreShare:$result);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = functionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.tiling(); }
  }];
}

def AscendC_FlatShareOp : AscendC_Share<"flat_share", "FlatShare"> {
  let summary = "the elements of flat tensors that this core works on";
  let description = [{
    It is read from the members `elements`, `coreLength`, `extraCores` and
    `tileLength` of the tiling data; a step is one tile.

    ```mlir
    %share = ascendc.flat_share
    ```
  }];
}

def AscendC_TileShareOp : AscendC_Share<"tile_share", "TileShare"> {
  let summary = "the tiles of a grid that this core works on, by their numbers";
  let description = [{
    It is read from the members `coreLength` and `extraCores` of the tiling
    data.

    ```mlir
    %share = ascendc.tile_share
    ```
  }];
}

def AscendC_ShareBoundOp : AscendC_Op<"share_bound", [Pure, AscendC_OfTileHeader]> {
  let summary = "where a share begins or ends, or from tile to tile";
  let description = [{
    ```mlir
    %begin = ascendc.share_bound %share begin
    ```
  }];
  let arguments = (ins AscendC_CoreShare:$share, AscendC_BoundAttr:$bound);
  let results = (outs I64:$result);
  let assemblyFormat = "$share $bound attr-dict";
}

def AscendC_ShareCountOp : AscendC_TileQuestion<"share_count", "CountAt"> {
  let summary = "elements of the tile at an offset; the last tile may be shorter";
  let description = [{
    ```mlir
    %count = ascendc.share_count %share at %offset
    ```
  }];
  let arguments = (ins AscendC_CoreShare:$share, I64:$offset);
  let results = (outs I32:$result);
  let assemblyFormat = "$share `at` $offset attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getOffset()); }
  }];
}

def AscendC_WholeRepeatsOp : AscendC_TileFunction<"whole_repeats", "WholeRepeats"> {
  let summary = "a count of floats rounded up to whole repeats, as Compare needs it";
  let description = [{
    ```mlir
    %whole = ascendc.whole_repeats %count
    ```
  }];
  let arguments = (ins I32:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$count attr-dict";
}

//===----------------------------------------------------------------------===//
// Grid, layouts, positions
//===----------------------------------------------------------------------===//

def AscendC_TileGridOp : AscendC_Op<"tile_grid", [HasParent<"KernelOp">, Pure, AscendC_OfTileHeader, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a TileGrid member: how the output is cut into tiles";
  let description = [{
    It is read from the members `extents`, `rowBlocks`, `laneBlocks`, `rowTile`,
    `laneTile` and `firstAxis` of the tiling data.

    ```mlir
    %grid = ascendc.tile_grid "grid"
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let results = (outs AscendC_TileGrid:$result);
  let assemblyFormat = "$label attr-dict";
}

def AscendC_TileLayoutOp : AscendC_Op<"tile_layout", [HasParent<"KernelOp">, Pure, AscendC_OfTileHeader, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a TileLayout member: how a tensor lies in memory and in a tile";
  let description = [{
    It is read from the members `strides` and `forms` of the tiling data, at the
    position of the tensor; `dtype` is the number of the element type.

    ```mlir
    %selfLayout = ascendc.tile_layout "selfLayout" of 1 dtype %selfDtype
    ```
  }];
  let arguments = (ins StrAttr:$label, I64Attr:$tensor, I32:$dtype);
  let results = (outs AscendC_TileLayout:$result);
  let assemblyFormat = "$label `of` $tensor `dtype` $dtype attr-dict";
}

def AscendC_TileAtOp : AscendC_TileQuestion<"tile_at", "At"> {
  let summary = "the position and size of a tile, by its number";
  let description = [{
    ```mlir
    %at = ascendc.tile_at %grid, %tile
    ```
  }];
  let arguments = (ins AscendC_TileGrid:$grid, I64:$tile);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $tile attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getTile()); }
  }];
}

def AscendC_TileCountOp : AscendC_TileQuestion<"tile_count", "Count"> {
  let summary = "elements of a tile in UB, with padding";
  let arguments = (ins AscendC_TilePosition:$position);
  let results = (outs I32:$result);
  let assemblyFormat = "$position attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Raw bytes, because the element type may be known only at run time.
class AscendC_BytesType<Type tensor, string className> : Type<
    And<[tensor.predicate,
         CPred<"::llvm::cast<::lossgrad::ascendc::" # className # ">($_self).getElementType().isUnsignedInteger(8)">]>,
    "tensor of bytes (ui8)", "::lossgrad::ascendc::" # className>;
def AscendC_LocalBytes : AscendC_BytesType<AscendC_LocalTensor, "LocalTensorType">;
def AscendC_GlobalBytes : AscendC_BytesType<AscendC_GlobalTensor, "GlobalTensorType">;
class AscendC_FloatsType : Type<
    And<[AscendC_LocalTensor.predicate,
         CPred<"::llvm::cast<::lossgrad::ascendc::LocalTensorType>($_self).getElementType().isF32()">]>,
    "tensor of float", "::lossgrad::ascendc::LocalTensorType">,
    BuildableType<"::lossgrad::ascendc::LocalTensorType::get($_builder.getContext(), $_builder.getF32Type())">;
def AscendC_LocalFloats : AscendC_FloatsType;

/// `apis` are the calls that its text has for every product, by their rows in
/// the product tables: what a product lacks beside them, the text that is
/// composed for it does without (codegen/Kernel/DeviceHeader.h).
class AscendC_TileCall<string mnemonic, string cpp, string pipe, string cost, list<string> apis, list<Trait> traits = []>
    : AscendC_Call<mnemonic, cpp, pipe, cost, traits # [AscendC_OfTileHeader]> {
  string tileDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    ::llvm::LogicalResult verifyOnFamily(const ::lossgrad::targets::Family &family) {
      return ::lossgrad::ascendc::detail::verifyHas(*this, family, {}] # !interleave(!foreach(api, apis, "\"" # api # "\""), ", ") # [{});
    }
  }];
  let extraClassDeclaration = tileDeclaration;
}

/// `count` adjacent elements from `offset` on. `dtype` is the number of the
/// element type, given exactly where the tensors are bytes.
class AscendC_DenseCopy<string mnemonic, string cpp, string pipe>
    : AscendC_TileCall<mnemonic, cpp, pipe, "Transfer", ["DataCopy"]> {
  let extraClassDeclaration = tileDeclaration # [{
    ::mlir::Value getCoveredCount() { return getDtype() ? ::mlir::Value() : getCount(); }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments);
  }];
  let hasVerifier = 1;
}

def AscendC_LoadDenseOp : AscendC_DenseCopy<"load_dense", "LoadDense", "MTE2"> {
  let summary = "load adjacent elements; a tail need not fill a block";
  let description = [{
    ```mlir
    ascendc.load_dense %self, %selfGm[%offset], %count : !ascendc.local<f32>, !ascendc.global<f32>
    ascendc.load_dense %self, %selfGm[%offset], %count dtype %selfDtype : !ascendc.local<ui8>, !ascendc.global<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$local, Reads<AscendC_GlobalTensor>:$global, I64:$offset, I32:$count,
                       Optional<I32>:$dtype);
  let assemblyFormat = "$local `,` $global `[` $offset `]` `,` $count (`dtype` $dtype^)? attr-dict `:` type($local) `,` type($global)";
}

def AscendC_StoreDenseOp : AscendC_DenseCopy<"store_dense", "StoreDense", "MTE3"> {
  let summary = "store adjacent elements and nothing behind them";
  let description = [{
    ```mlir
    ascendc.store_dense %outGm[%offset], %out, %count : !ascendc.global<f32>, !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_GlobalTensor>:$global, I64:$offset, Reads<AscendC_LocalTensor>:$local, I32:$count,
                       Optional<I32>:$dtype);
  let assemblyFormat = "$global `[` $offset `]` `,` $local `,` $count (`dtype` $dtype^)? attr-dict `:` type($global) `,` type($local)";
}

def AscendC_ReadElementOp : AscendC_TileCall<"read_element", "ReadElement", "S", "Scalar", ["DataCopy"]> {
  let summary = "the value of a tensor of one element, in float";
  let description = [{
    For 16-bit floats, which the scalar unit does not compute with, and for
    bytes with the number of their element type. It loads, widens and reads, and
    waits for each itself; `scratch` are two blocks of 32 bytes.

    ```mlir
    %gradOut = ascendc.read_element %gradOutGm scratch %element : !ascendc.global<f16>, !ascendc.local<f16>
    ```
  }];
  let arguments = (ins Reads<AscendC_GlobalTensor>:$global, Writes<AscendC_LocalTensor>:$local, Optional<I32>:$dtype);
  let results = (outs F32:$result);
  let assemblyFormat = "$global `scratch` $local (`dtype` $dtype^)? attr-dict `:` type($global) `,` type($local)";
  let hasVerifier = 1;
}

def AscendC_BypassL2Op : AscendC_TileCall<"bypass_l2", "BypassL2", "S", "Scalar", ["SetL2CacheHint"],
                                          [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let loads of these tensors pass by L2";
  let description = [{
    ```mlir
    ascendc.bypass_l2 %selfGm, %targetGm : !ascendc.global<f32>, !ascendc.global<f32>
    ```
  }];
  let arguments = (ins Variadic<AscendC_GlobalTensor>:$tensors);
  let assemblyFormat = "$tensors attr-dict `:` type($tensors)";
}

def AscendC_LoadTileOp : AscendC_TileCall<"load_tile", "LoadTile", "MTE2", "Transfer", ["DataCopy"]> {
  let summary = "load what a tile needs of a tensor, as it lies in memory";
  let description = [{
    ```mlir
    ascendc.load_tile %self, %selfGm, %selfLayout, %at : !ascendc.local<ui8>, !ascendc.global<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$tile, Reads<AscendC_GlobalTensor>:$tensor, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$tile `,` $tensor `,` $layout `,` $position attr-dict `:` type($tile) `,` type($tensor)";
}

def AscendC_StoreTileOp : AscendC_TileCall<"store_tile", "StoreTile", "MTE3", "Transfer", ["DataCopy"]> {
  let summary = "store the rows of a tile without their padding";
  let description = [{
    ```mlir
    ascendc.store_tile %outGm, %out, %outLayout, %at : !ascendc.global<ui8>, !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_GlobalTensor>:$tensor, Reads<AscendC_LocalTensor>:$tile, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$tensor `,` $tile `,` $layout `,` $position attr-dict `:` type($tensor) `,` type($tile)";
}

def AscendC_ExpandTileOp : AscendC_TileCall<"expand_tile", "ExpandTile", "V", "Fill",
                                            ["DataCopy", "Duplicate", "Or"]> {
  let summary = "dst = the tile as dense rows of float";
  let description = [{
    Padding of the loaded tile is cleared, so `tile` is written too. `wide` has
    room for as many floats as dst, `blocks` for 8 floats per row of the largest
    tile.

    ```mlir
    ascendc.expand_tile %selfF32, %self, %selfLayout, %at scratch %wide, %blocks : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Updates<AscendC_LocalBytes>:$tile, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$wide, Writes<AscendC_LocalFloats>:$blocks);
  let assemblyFormat = "$dst `,` $tile `,` $layout `,` $position `scratch` $wide `,` $blocks attr-dict `:` type($tile)";
}

def AscendC_WidenTileOp : AscendC_TileCall<"widen_tile", "WidenTile", "V", "Conversion", ["DataCopy"]> {
  let summary = "dst = src in float, exactly; `dtype` is the number of the element type";
  let description = [{
    ```mlir
    ascendc.widen_tile %selfF32, %self, %selfDtype, %count : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalBytes>:$src, I32:$dtype, I32:$count);
  let assemblyFormat = "$dst `,` $src `,` $dtype `,` $count attr-dict `:` type($src)";
}

def AscendC_NarrowTileOp : AscendC_TileCall<"narrow_tile", "NarrowTile", "V", "Conversion", ["DataCopy"]> {
  let summary = "dst = src in the element type, to nearest even";
  let description = [{
    ```mlir
    ascendc.narrow_tile %out, %outF32, %outDtype, %count : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalBytes>:$dst, Reads<AscendC_LocalFloats>:$src, I32:$dtype, I32:$count);
  let assemblyFormat = "$dst `,` $src `,` $dtype `,` $count attr-dict `:` type($dst)";
}

//===----------------------------------------------------------------------===//
// Choices where bits of one repeat decide at a time
//===----------------------------------------------------------------------===//

/// For products whose Select takes the same bits in every repeat: those of each
/// repeat of 64 floats lie in a block of their own, four bits of room per float.
class AscendC_RepeatsCall<string mnemonic, string cpp, string cost, list<string> apis>
    : AscendC_TileCall<mnemonic, cpp, "V", cost, apis>;

def AscendC_CompareRepeatsOp : AscendC_RepeatsCall<"compare_repeats", "CompareRepeats", "Comparison", ["Compare"]> {
  let summary = "mask = src0 mode src1, the bits of each repeat in a block of their own";
  let description = [{
    The count must be a multiple of 256 bytes of the sources.

    ```mlir
    ascendc.compare_repeats %mask, %x, %zeros, gt, %roundedCount : !ascendc.local<i1>
    ```
  }];
  let arguments = (ins Writes<AscendC_Mask>:$dst, Reads<AscendC_LocalFloats>:$src0, Reads<AscendC_LocalFloats>:$src1,
                       AscendC_CompareAttr:$mode, I32:$count);
  let assemblyFormat = "$dst `,` $src0 `,` $src1 `,` $mode `,` $count attr-dict `:` type($dst)";
  let extraClassDeclaration = tileDeclaration # [{
    unsigned getGranule(::mlir::OpOperand &operand) { return operand.get() == getDst() ? 32 : 256; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc0()).value(getSrc1())
          .text("CMPMODE::" + ::lossgrad::ascendc::upperCase(stringifyCompareMode(getMode()))).value(getCount());
    }
  }];
}

def AscendC_SelectRepeatsOp : AscendC_RepeatsCall<"select_repeats", "SelectRepeats", "Selection", ["Select"]> {
  let summary = "dst = mask ? src0 : src1, with the bits of compare_repeats";
  let description = [{
    ```mlir
    ascendc.select_repeats %dst, %mask, %a, %b, %count : !ascendc.local<i1>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_Mask>:$mask, Reads<AscendC_LocalFloats>:$src0,
                       Reads<AscendC_LocalFloats>:$src1, I32:$count);
  let assemblyFormat = "$dst `,` $mask `,` $src0 `,` $src1 `,` $count attr-dict `:` type($mask)";
  let extraClassDeclaration = tileDeclaration # [{
    bool mayOverwrite(::mlir::OpOperand &source) { return source.getOperandNumber() >= 2; }
  }];
}

#endif // LOSSGRAD_DIALECT_ASCENDC_TILE_TD
