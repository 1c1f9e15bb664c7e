//===- AscendCIndex.td - ints, indices and sums over everything -----------===//
//
// Calls of `lossgrad_index.h`, the emitted device header of kernels with index
// data: ints in UB, tiles compared with an index, tables looked up by one, and
// the steps of sums over all rows or lanes. Barriers inside a call are its own.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_INDEX_TD
#define LOSSGRAD_DIALECT_ASCENDC_INDEX_TD

include "AscendCRow.td"

def AscendC_OfIndexHeader : NativeOpTrait<"OfIndexHeader"> {
  let cppNamespace = "::lossgrad::ascendc";
}

class AscendC_IntsType : Type<
    And<[AscendC_LocalTensor.predicate,
         CPred<"::llvm::cast<::lossgrad::ascendc::LocalTensorType>($_self).getElementType().isSignlessInteger(32)">]>,
    "tensor of int32_t", "::lossgrad::ascendc::LocalTensorType">,
    BuildableType<"::lossgrad::ascendc::LocalTensorType::get($_builder.getContext(), $_builder.getI32Type())">;
def AscendC_LocalInts : AscendC_IntsType;

/// A call of the header on the vector pipe.
class AscendC_IndexCall<string mnemonic, string cpp, string cost, list<string> apis>
    : AscendC_TileCall<mnemonic, cpp, "V", cost, apis, [AscendC_OfRowHeader, AscendC_OfIndexHeader]>;

/// A question to the header on the scalar unit.
class AscendC_IndexFunction<string mnemonic, string cpp, list<Trait> traits = []>
    : AscendC_TileFunction<mnemonic, cpp, traits # [AscendC_OfRowHeader, AscendC_OfIndexHeader]>;

//===----------------------------------------------------------------------===//
// Ints
//===----------------------------------------------------------------------===//

def AscendC_ToNumberOp : AscendC_IndexFunction<"to_number", "ToNumber"> {
  let summary = "a number of the host as an int of the kernel, cut to its range";
  let description = [{
    ```mlir
    %ignored = ascendc.to_number %ignoreIndex
    ```
  }];
  let arguments = (ins I64:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$value attr-dict";
}

def AscendC_ExpandIntsOp : AscendC_IndexCall<"expand_ints", "ExpandInts", "Fill", ["DataCopy", "Duplicate"]> {
  let summary = "one int per row or lane, from a tensor that has one each or one for all";
  let description = [{
    What int32_t does not hold is cut to its range. `wide` has room for 17
    floats for each element that may stand alone in memory.

    ```mlir
    ascendc.expand_ints %targetInts, %target, %targetLayout, %at scratch %wide : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalInts>:$values, Updates<AscendC_LocalBytes>:$tile, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$wide, UnitAttr:$along_lanes);
  let assemblyFormat = "$values `,` $tile `,` $layout `,` $position (`along_lanes` $along_lanes^)? `scratch` $wide attr-dict `:` type($tile)";
  let extraClassDeclaration = tileDeclaration # [{
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.text(getAlongLanes() ? "true" : "false"); }
  }];
}

def AscendC_SubtractNumberOp : AscendC_IndexCall<"subtract_number", "SubtractNumber", "Elementwise", []> {
  let summary = "dst = values - number, without leaving the range";
  let description = [{
    ```mlir
    ascendc.subtract_number %local, %target, %vocabStart, %count
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalInts>:$dst, Reads<AscendC_LocalInts>:$values, I32:$number, I32:$count);
  let assemblyFormat = "$dst `,` $values `,` $number `,` $count attr-dict";
}

//===----------------------------------------------------------------------===//
// Tiles and an index
//===----------------------------------------------------------------------===//

def AscendC_LaneDistanceOp : AscendC_IndexCall<"lane_distance", "LaneDistance", "Elementwise", ["Duplicate", "Sub"]> {
  let summary = "dst = the class of each lane minus the index of the row, or something else than 0 where that is far";
  let description = [{
    `numbers` has room for the lanes of a tile, `near` for its rows, `blocks`
    for a block per row.

    ```mlir
    ascendc.lane_distance %distance, %target, %at scratch %numbers, %near, %blocks
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalInts>:$index, AscendC_TilePosition:$position,
                       Writes<AscendC_LocalFloats>:$numbers, Writes<AscendC_LocalFloats>:$near, Writes<AscendC_LocalFloats>:$blocks);
  let assemblyFormat = "$dst `,` $index `,` $position `scratch` $numbers `,` $near `,` $blocks attr-dict";
}

def AscendC_LaneHitsOp : AscendC_IndexCall<"lane_hits", "LaneHits", "Comparison", ["Compare", "CompareScalar", "Duplicate", "Sub"]> {
  let summary = "a bit per element: whether the class of the lane is the index of the row";
  let description = [{
    Where rows begin on whole bytes of a mask the classes are compared with the
    index of the row at once, otherwise their distance with 0, for which
    `distance` has room for the tile. `numbers` has room for its lanes, `near`
    for its rows, `blocks` for a block per row.

    ```mlir
    ascendc.lane_hits %hit, %target, %at scratch %distance, %numbers, %near, %blocks
    ```
  }];
  let arguments = (ins Writes<AscendC_Mask>:$dst, Reads<AscendC_LocalInts>:$index, AscendC_TilePosition:$position,
                       Writes<AscendC_LocalFloats>:$distance, Writes<AscendC_LocalFloats>:$numbers, Writes<AscendC_LocalFloats>:$near,
                       Writes<AscendC_LocalFloats>:$blocks);
  let assemblyFormat = "$dst `,` $index `,` $position `scratch` $distance `,` $numbers `,` $near `,` $blocks attr-dict `:` type($dst)";
}

def AscendC_SpreadPointsOp : AscendC_IndexCall<"spread_points", "SpreadPoints", "Selection", ["Compare", "CompareScalar", "SelectScalar", "Duplicate", "Sub"]> {
  let summary = "dst = the value of the row where the class of the lane is its index, and `other` elsewhere";
  let description = [{
    `values` are the blocks of spread_rows: where rows are whole repeats they are chosen from without being spread over a
    tile. `hits` has room for a bit per element, the rest as for lane_hits.

    ```mlir
    ascendc.spread_points %points, %target, %blocks, %other, %at scratch %hits, %numbers, %near, %rowBlocks
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalInts>:$index, Reads<AscendC_LocalFloats>:$values, F32:$other,
                       AscendC_TilePosition:$position, Writes<AscendC_Mask>:$hits, Writes<AscendC_LocalFloats>:$numbers,
                       Writes<AscendC_LocalFloats>:$near, Writes<AscendC_LocalFloats>:$blocks);
  let assemblyFormat = "$dst `,` $index `,` $values `,` $other `,` $position `scratch` $hits `,` $numbers `,` $near `,` $blocks attr-dict `:` type($hits)";
  let extraClassDeclaration = tileDeclaration # [{
    bool usesReservedUb() { return true; }
  }];
}

def AscendC_RowDistanceOp : AscendC_IndexCall<"row_distance", "RowDistance", "Elementwise", []> {
  let summary = "dst = the index of each lane minus the class of the row, or something else than 0 where that is far";
  let description = [{
    `near` has room for the lanes of a tile.

    ```mlir
    ascendc.row_distance %distance, %target, %at scratch %near
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalInts>:$index, AscendC_TilePosition:$position,
                       Writes<AscendC_LocalFloats>:$near);
  let assemblyFormat = "$dst `,` $index `,` $position `scratch` $near attr-dict";
}

def AscendC_MaskRowsOp : AscendC_IndexCall<"mask_rows", "MaskRows", "Elementwise", ["And", "Duplicate"]> {
  let summary = "rows whose indicator is 0 become exact zeros, whatever they hold; many rows at a time";
  let description = [{
    The indicator is 1 or 0 per row and is lost. `blocks` has room for a block
    per row.

    ```mlir
    ascendc.mask_rows %dst, %tile, %kept, %at scratch %blocks
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$tile, Updates<AscendC_LocalFloats>:$kept,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$blocks);
  let assemblyFormat = "$dst `,` $tile `,` $kept `,` $position `scratch` $blocks attr-dict";
  let extraClassDeclaration = tileDeclaration # [{
    bool mayOverwrite(::mlir::OpOperand &source) { return source.get() == getTile(); }
  }];
}

def AscendC_TakeLanesOp : AscendC_IndexCall<"take_lanes", "TakeLanes", "Fill", []> {
  let summary = "one float per row: the lane with the row's index, of the row or of one row for all";
  let description = [{
    An index outside of the lanes takes the nearest. `offsets` has room for two
    ints per row.

    ```mlir
    ascendc.take_lanes %weightAt, %weight, %target, %at scratch %offsets
    ascendc.take_lanes %scoreAt, %self, %target, %at of_tile scratch %offsets
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$values, Reads<AscendC_LocalFloats>:$lanes, Reads<AscendC_LocalInts>:$index,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalInts>:$offsets, UnitAttr:$of_tile);
  let assemblyFormat = "$values `,` $lanes `,` $index `,` $position (`of_tile` $of_tile^)? `scratch` $offsets attr-dict";
  let extraClassDeclaration = tileDeclaration # [{
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.text(getOfTile() ? "true" : "false"); }
  }];
}

def AscendC_LookUpOp : AscendC_IndexCall<"look_up", "LookUp", "Transfer", ["DataCopy", "Duplicate"]> {
  let summary = "one float per row: the element of a table in global memory with the row's index";
  let description = [{
    One copy for each, which it waits for itself. An index outside of the table
    takes the nearest. It reads `reducedAxis` and `extents` of the tiling data.
    `tile` has room for a block for each of the rows that are looked up at a time,
    `wide` for 17 floats each.

    ```mlir
    ascendc.look_up %weightAt, %weightGm, %weightLayout, %target, %at scratch %weight, %wide
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$values, Reads<AscendC_GlobalBytes>:$table, AscendC_TileLayout:$layout,
                       Reads<AscendC_LocalInts>:$index, AscendC_TilePosition:$position, Writes<AscendC_LocalBytes>:$tile,
                       Writes<AscendC_LocalFloats>:$wide);
  let assemblyFormat = "$values `,` $table `,` $layout `,` $index `,` $position `scratch` $tile `,` $wide attr-dict `:` type($table) `,` type($tile)";
  let extraClassDeclaration = tileDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getValues()).value(getTable()).value(getLayout()).value(getIndex()).value(getPosition())
          .tiling().value(getTile()).value(getWide());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Sums over everything
//===----------------------------------------------------------------------===//

def AscendC_RowStepsOp : AscendC_IndexFunction<"row_steps", "RowSteps"> {
  let summary = "steps that take all rows of a call";
  let description = [{
    ```mlir
    %steps = ascendc.row_steps
    ```
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = functionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.tiling(); }
  }];
}

def AscendC_RowsAtOp : AscendC_IndexFunction<"rows_at", "RowsAt"> {
  let summary = "the rows of such a step";
  let description = [{
    ```mlir
    %at = ascendc.rows_at %step
    ```
  }];
  let arguments = (ins I64:$step);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$step attr-dict";
  let extraClassDeclaration = functionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.tiling().value(getStep()); }
  }];
}

def AscendC_LaunchShareOp : AscendC_IndexFunction<"launch_share", "LaunchShare"> {
  let summary = "the steps of a sum over everything that this core takes";
  let description = [{
    All of them, or its part where the cores meet afterwards.

    ```mlir
    %share = ascendc.launch_share %steps
    ```
  }];
  let arguments = (ins I64:$steps);
  let results = (outs AscendC_CoreShare:$result);
  let assemblyFormat = "$steps attr-dict";
  let extraClassDeclaration = functionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.tiling().value(getSteps()); }
  }];
}

def AscendC_FoldCountsOp : AscendC_IndexCall<"fold_counts", "FoldCounts", "WholeReduction", ["Add", "Duplicate"]> {
  let summary = "whole numbers in float, one per lane, as eight ints that add up to all of them";
  let description = [{
    Floats add whole numbers exactly up to 2^24 only. The tile is lost; the ints
    lie at the beginning of `values`, with zeros up to `size`.

    ```mlir
    ascendc.fold_counts %values, %tile, %at, %size
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$tile, AscendC_TilePosition:$position, I32:$size);
  let assemblyFormat = "$values `,` $tile `,` $position `,` $size attr-dict";
}

def AscendC_CombineCountsOp : AscendC_IndexCall<"combine_counts", "CombineCounts", "WholeReduction", ["Add", "DataCopy"]> {
  let summary = "values = the sum of what fold_counts gave on each core; the partial results are lost";
  let description = [{
    ```mlir
    ascendc.combine_counts %values, %partials, %cores, %pitch
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$partials, I32:$cores, I32:$pitch);
  let assemblyFormat = "$values `,` $partials `,` $cores `,` $pitch attr-dict";
}

def AscendC_TakeCountOp : AscendC_Call<"take_count", "TakeCount", "S", "Scalar", [AscendC_OfTileHeader, AscendC_OfRowHeader, AscendC_OfIndexHeader]> {
  let summary = "the sum of the eight ints of fold_counts, rounded once";
  let description = [{
    ```mlir
    %count = ascendc.take_count %values
    ```
  }];
  let arguments = (ins Reads<AscendC_LocalFloats>:$values);
  let results = (outs F32:$result);
  let assemblyFormat = "$values attr-dict";
  let extraClassDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
  }];
}

def AscendC_AsLanesOp : AscendC_TileQuestion<"as_lanes", "AsLanes"> {
  let summary = "one value per row as lanes of one row";
  let arguments = (ins AscendC_TilePosition:$position);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$position attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

//===----------------------------------------------------------------------===//
// Rows one by one
//===----------------------------------------------------------------------===//

/// A question to a grid whose tiles are dealt to the cores whatever row they
/// belong to. What rows have once is computed for groups of them.
class AscendC_GridQuestion<string mnemonic, string cpp> : AscendC_TileQuestion<mnemonic, cpp> {
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      for (::mlir::Value operand : getOperation()->getOperands().drop_front())
        arguments.value(operand);
    }
  }];
}

def AscendC_FirstGroupOp : AscendC_GridQuestion<"first_group", "FirstGroup"> {
  let summary = "the first group of rows that a share of the tiles meets";
  let description = [{
    ```mlir
    %first = ascendc.first_group %grid, %share
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, AscendC_CoreShare:$share);
  let results = (outs I64:$result);
  let assemblyFormat = "$grid `,` $share attr-dict";
}

def AscendC_EndGroupOp : AscendC_GridQuestion<"end_group", "EndGroup"> {
  let summary = "the group behind the last one that a share of the tiles meets";
  let description = [{
    ```mlir
    %end = ascendc.end_group %grid, %share
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, AscendC_CoreShare:$share);
  let results = (outs I64:$result);
  let assemblyFormat = "$grid `,` $share attr-dict";
}

def AscendC_GroupTilesOp : AscendC_GridQuestion<"group_tiles", "GroupTiles"> {
  let summary = "the tiles of a group that belong to a share";
  let description = [{
    ```mlir
    %tiles = ascendc.group_tiles %grid, %group, %share
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, I64:$group, AscendC_CoreShare:$share);
  let results = (outs AscendC_CoreShare:$result);
  let assemblyFormat = "$grid `,` $group `,` $share attr-dict";
}

def AscendC_GroupRowsOp : AscendC_GridQuestion<"group_rows", "GroupRows"> {
  let summary = "the rows that tiles of one group belong to";
  let description = [{
    ```mlir
    %rows = ascendc.group_rows %grid, %tiles
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, AscendC_CoreShare:$tiles);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $tiles attr-dict";
}

def AscendC_DealtTileOp : AscendC_GridQuestion<"dealt_tile", "DealtTile"> {
  let summary = "a tile by its number";
  let description = [{
    ```mlir
    %at = ascendc.dealt_tile %grid, %tile
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, I64:$tile);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $tile attr-dict";
}

def AscendC_RowsAfterOp : AscendC_GridQuestion<"rows_after", "RowsAfter"> {
  let summary = "rows between the first one of a group and the first one of a tile";
  let description = [{
    ```mlir
    %first = ascendc.rows_after %at, %rows
    ```
  }];
  let arguments = (ins AscendC_TilePosition:$position, AscendC_TilePosition:$rows);
  let results = (outs I32:$result);
  let assemblyFormat = "$position `,` $rows attr-dict";
}

def AscendC_PointEnum : AscendC_Enum<"Point", "what a point does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Set", 1, "set">]>;
def AscendC_PointAttr : EnumAttr<AscendC_Dialect, AscendC_PointEnum, "point">;

/// A call that the scalar unit makes row by row, with what it reads from the
/// vectors of a group from `first` on.
class AscendC_SingleRowsCall<string mnemonic, string cpp, string cost, list<string> apis>
    : AscendC_IndexCall<mnemonic, cpp, cost, apis> {
  string singleDeclaration = tileDeclaration # [{
    bool isReadByScalar(::mlir::OpOperand &operand) { return operand.getOperandNumber() >= firstVector; }
  }];
}

def AscendC_WithSingleRowsOp : AscendC_SingleRowsCall<"with_single_rows", "WithSingleRows", "Elementwise", []> {
  let summary = "dst = tile op the value of each row, a scalar";
  let description = [{
    The functions are plus, minus and times.

    ```mlir
    ascendc.with_single_rows times %dst, %tile, %values[%first], %at
    ```
  }];
  let arguments = (ins AscendC_RowFunctionAttr:$function, Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$tile,
                       Reads<AscendC_LocalFloats>:$values, I32:$first, AscendC_TilePosition:$position, UnitAttr:$reversed);
  let assemblyFormat = "$function $dst `,` $tile `,` $values `[` $first `]` `,` $position (`reversed` $reversed^)? attr-dict";
  let extraClassDeclaration = singleDeclaration # [{
    static constexpr unsigned firstVector = 2;
    bool mayOverwrite(::mlir::OpOperand &source) { return source.get() == getTile(); }
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(::lossgrad::ascendc::detail::capitalized(stringifyRowFunction(getFunction()))).text(getReversed() ? "true" : "false");
    }
  }];
}

def AscendC_KeepSingleRowsOp : AscendC_SingleRowsCall<"keep_single_rows", "KeepSingleRows", "Elementwise", []> {
  let summary = "dst = one row for all op the value of each row, where dst does not hold that already";
  let description = [{
    The variables say how many rows of dst are right for which lanes and which
    value; rows of a tile that differ, or differ from those of the tile before,
    are computed.

    ```mlir
    ascendc.keep_single_rows times %dst, %row, %values[%first], %at known %rows, %lane, %value : !ascendc.var<i32>, !ascendc.var<i32>, !ascendc.var<f32>
    ```
  }];
  let arguments = (ins AscendC_RowFunctionAttr:$function, Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$row,
                       Reads<AscendC_LocalFloats>:$values, I32:$first, AscendC_TilePosition:$position,
                       Arg<AscendC_Variable, "", [MemRead, MemWrite]>:$rowsAtHand, Arg<AscendC_Variable, "", [MemRead, MemWrite]>:$laneAtHand,
                       Arg<AscendC_Variable, "", [MemRead, MemWrite]>:$valueAtHand,
                       UnitAttr:$reversed);
  let assemblyFormat = [{
    $function $dst `,` $row `,` $values `[` $first `]` `,` $position `known` $rowsAtHand `,` $laneAtHand `,` $valueAtHand
    (`reversed` $reversed^)? attr-dict `:` type($rowsAtHand) `,` type($laneAtHand) `,` type($valueAtHand)
  }];
  let extraClassDeclaration = singleDeclaration # [{
    static constexpr unsigned firstVector = 2;
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(::lossgrad::ascendc::detail::capitalized(stringifyRowFunction(getFunction()))).text(getReversed() ? "true" : "false");
    }
  }];
}

def AscendC_FillSingleRowsOp : AscendC_SingleRowsCall<"fill_single_rows", "FillSingleRows", "Fill", ["Duplicate"]> {
  let summary = "dst = the value of the row in every lane";
  let description = [{
    ```mlir
    ascendc.fill_single_rows %dst, %values[%first], %at
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$values, I32:$first, AscendC_TilePosition:$position);
  let assemblyFormat = "$dst `,` $values `[` $first `]` `,` $position attr-dict";
  let extraClassDeclaration = singleDeclaration # [{
    static constexpr unsigned firstVector = 1;
  }];
}

def AscendC_ClearRowsOp : AscendC_SingleRowsCall<"clear_rows", "ClearRows", "Fill", ["Duplicate"]> {
  let summary = "rows whose indicator is 0 become exact zeros, whatever they hold";
  let description = [{
    ```mlir
    ascendc.clear_rows %tile, %kept[%first], %at
    ```
  }];
  let arguments = (ins Updates<AscendC_LocalFloats>:$tile, Reads<AscendC_LocalFloats>:$kept, I32:$first, AscendC_TilePosition:$position);
  let assemblyFormat = "$tile `,` $kept `[` $first `]` `,` $position attr-dict";
  let extraClassDeclaration = singleDeclaration # [{
    static constexpr unsigned firstVector = 1;
  }];
}

def AscendC_PointsOp : AscendC_SingleRowsCall<"points", "Points", "Elementwise", ["Duplicate"]> {
  let summary = "add something to one lane of each row, or put it there";
  let description = [{
    The lane is that with the row's index, if the tile has it. One call with a
    mask of one lane for each; the values are one per row, or one for all.

    ```mlir
    ascendc.points add %tile, %index, %values, %first, %at : !ascendc.local<f32>
    ascendc.points set %tile, %index, %one, %first, %at : f32
    ```
  }];
  let arguments = (ins AscendC_PointAttr:$kind, Updates<AscendC_LocalFloats>:$tile, Reads<AscendC_LocalInts>:$index,
                       Arg<AnyTypeOf<[AscendC_LocalFloats, F32]>, "", [MemRead]>:$values, I32:$first, AscendC_TilePosition:$position);
  let assemblyFormat = "$kind $tile `,` $index `,` $values `,` $first `,` $position attr-dict `:` type($values)";
  let extraClassDeclaration = singleDeclaration # [{
    static constexpr unsigned firstVector = 1;
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(::lossgrad::ascendc::detail::capitalized(stringifyPoint(getKind())) + "Point");
    }
  }];
}

def AscendC_ClearTileOp : AscendC_IndexCall<"clear_tile", "ClearTile", "Fill", ["Duplicate"]> {
  let summary = "a tile of exact zeros, in any element type";
  let description = [{
    ```mlir
    ascendc.clear_tile %out, %at : !ascendc.local<f16>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$tile, AscendC_TilePosition:$position);
  let assemblyFormat = "$tile `,` $position attr-dict `:` type($tile)";
}

#endif // LOSSGRAD_DIALECT_ASCENDC_INDEX_TD
