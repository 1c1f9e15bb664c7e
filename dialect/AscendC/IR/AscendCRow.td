//===- AscendCRow.td - rows, lanes and steps of a tile --------------------===//
//
// Calls of `lossgrad_rows.h`, the emitted device header of kernels with
// reductions: steps along a reduced axis, folds of a tile along its lanes or
// its rows, and tiles combined with one value per row or per lane. A vector of
// rows is dense; a vector of lanes is a tile of one row. Barriers inside a call
// are its own.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_ROW_TD
#define LOSSGRAD_DIALECT_ASCENDC_ROW_TD

include "AscendCTile.td"

def AscendC_OfRowHeader : NativeOpTrait<"OfRowHeader"> {
  let cppNamespace = "::lossgrad::ascendc";
}

/// A call of the header on the vector pipe.
class AscendC_RowCall<string mnemonic, string cpp, string cost, list<string> apis>
    : AscendC_TileCall<mnemonic, cpp, "V", cost, apis, [AscendC_OfRowHeader]>;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

def AscendC_StepGridOp : AscendC_Op<"step_grid", [HasParent<"KernelOp">, Pure, AscendC_OfTileHeader, AscendC_OfRowHeader, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a StepGrid member: units of work that are walked over in steps";
  let description = [{
    It is read from the members of a tile grid and `steps`, `stepAxis`,
    `walksRows` and `walksLanes` of the tiling data.

    ```mlir
    %grid = ascendc.step_grid "grid"
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let results = (outs AscendC_StepGrid:$result);
  let assemblyFormat = "$label attr-dict";
}

def AscendC_StepAtOp : AscendC_TileQuestion<"step_at", "At"> {
  let summary = "the position and size of one step of a unit";
  let description = [{
    ```mlir
    %at = ascendc.step_at %grid, %unit, %step
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, I64:$unit, I64:$step);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $unit `,` $step attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getUnit()).value(getStep()); }
  }];
}

def AscendC_UnitRowOp : AscendC_TileQuestion<"unit_row", "Row"> {
  let summary = "the whole row of a unit, all its steps along the lanes";
  let description = [{
    ```mlir
    %row = ascendc.unit_row %grid, %unit
    ```
  }];
  let arguments = (ins AscendC_StepGrid:$grid, I64:$unit);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $unit attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getUnit()); }
  }];
}

def AscendC_FirstRowOp : AscendC_TileQuestion<"first_row", "FirstRow"> {
  let summary = "the first row of a tile alone";
  let arguments = (ins AscendC_TilePosition:$position);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$position attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

def AscendC_FirstLaneOp : AscendC_TileQuestion<"first_lane", "FirstLane"> {
  let summary = "the lane at which a tile begins";
  let arguments = (ins AscendC_TilePosition:$position);
  let results = (outs I32:$result);
  let assemblyFormat = "$position attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

def AscendC_ExtentEnum : AscendC_Enum<"TileExtent", "a member of TilePosition or StepGrid", [
    I32EnumAttrCase<"Rows", 0, "rows">, I32EnumAttrCase<"Lanes", 1, "lanes">,
    I32EnumAttrCase<"Pitch", 2, "pitch">, I32EnumAttrCase<"Steps", 3, "steps">]>;
def AscendC_ExtentAttr : EnumAttr<AscendC_Dialect, AscendC_ExtentEnum, "tile_extent">;

def AscendC_TileExtentOp : AscendC_Op<"tile_extent", [Pure, AscendC_OfTileHeader]> {
  let summary = "rows, lanes or pitch of a tile, or the steps of a unit";
  let description = [{
    ```mlir
    %rows = ascendc.tile_extent %at rows : !ascendc.tile_position -> i32
    %steps = ascendc.tile_extent %grid steps : !ascendc.step_grid -> i64
    ```
  }];
  let arguments = (ins AnyTypeOf<[AscendC_TilePosition, AscendC_StepGrid]>:$source, AscendC_ExtentAttr:$extent);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$source $extent attr-dict `:` type($source) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

def AscendC_FoldEnum : AscendC_Enum<"Fold", "kind of a fold", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;
def AscendC_FoldAttr : EnumAttr<AscendC_Dialect, AscendC_FoldEnum, "fold">;

/// A vector call of the header whose first template argument is a kind.
class AscendC_FoldCall<string mnemonic, string cpp, list<string> apis>
    : AscendC_RowCall<mnemonic, cpp, "WholeReduction", apis> {
  let extraClassDeclaration = tileDeclaration # [{
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text("Fold" + ::lossgrad::ascendc::detail::capitalized(stringifyFold(getFold())));
    }
  }];
}

def AscendC_ReduceLanesOp : AscendC_FoldCall<"reduce_lanes", "ReduceLanes", ["Duplicate", "Or"]> {
  let summary = "one value per row: the fold of its lanes";
  let description = [{
    Padding of the tile is overwritten with what does not change the result.

    ```mlir
    ascendc.reduce_lanes sum %totals, %tile, %at scratch %work
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$tile,
                       Writes<AscendC_LocalFloats>:$work, AscendC_TilePosition:$position);
  let assemblyFormat = "$fold $values `,` $tile `,` $position `scratch` $work attr-dict";
}

def AscendC_ReduceLanesInPlaceOp : AscendC_FoldCall<"reduce_lanes_in_place", "ReduceLanesInPlace", ["Duplicate"]> {
  let summary = "one value per row: the fold of its lanes; the tile is lost";
  let description = [{
    ```mlir
    ascendc.reduce_lanes_in_place sum %totals, %tile, %at
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$tile,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$fold $values `,` $tile `,` $position attr-dict";
}

def AscendC_ReduceTotalOp : AscendC_FoldCall<"reduce_total", "ReduceTotal", ["Duplicate"]> {
  let summary = "one value per row: the fold of what accumulate_lanes left, which is lost";
  let description = [{
    ```mlir
    ascendc.reduce_total sum %totals, %total, %whole, %steps
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$total,
                       AscendC_TilePosition:$whole, I64:$steps);
  let assemblyFormat = "$fold $values `,` $total `,` $whole `,` $steps attr-dict";
}

def AscendC_ReduceRowsOp : AscendC_FoldCall<"reduce_rows", "ReduceRows", ["DataCopy"]> {
  let summary = "one value per lane: the fold of the rows, in the first row of the result";
  let description = [{
    ```mlir
    ascendc.reduce_rows sum %totals, %tile, %at
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Reads<AscendC_LocalFloats>:$tile,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$fold $values `,` $tile `,` $position attr-dict";
}

def AscendC_ReduceRowsInPlaceOp : AscendC_FoldCall<"reduce_rows_in_place", "ReduceRowsInPlace", []> {
  let summary = "one value per lane: the fold of the rows, in the first row of the tile";
  let description = [{
    ```mlir
    ascendc.reduce_rows_in_place sum %tile, %at
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Updates<AscendC_LocalFloats>:$tile, AscendC_TilePosition:$position);
  let assemblyFormat = "$fold $tile `,` $position attr-dict";
}

def AscendC_AccumulateOp : AscendC_FoldCall<"accumulate", "Accumulate", ["DataCopy", "Duplicate"]> {
  let summary = "fold the tile of a step into those before it, element by element";
  let description = [{
    Step 0 begins anew. `whole` is the largest tile, like which the total lies.

    ```mlir
    ascendc.accumulate sum %total, %tile, %at of %whole, %step
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Updates<AscendC_LocalFloats>:$total, Updates<AscendC_LocalFloats>:$tile,
                       AscendC_TilePosition:$position, AscendC_TilePosition:$whole, I64:$step);
  let assemblyFormat = "$fold $total `,` $tile `,` $position `of` $whole `,` $step attr-dict";
}

def AscendC_AccumulateLanesOp : AscendC_FoldCall<"accumulate_lanes", "AccumulateLanes", ["DataCopy", "Duplicate"]> {
  let summary = "the same for tiles that are folded along their lanes in the end";
  let description = [{
    Where steps are few, every block of 8 becomes a float at once, so that the total is short.

    ```mlir
    ascendc.accumulate_lanes sum %total, %tile, %at of %whole, %step in %steps
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Updates<AscendC_LocalFloats>:$total, Updates<AscendC_LocalFloats>:$tile,
                       AscendC_TilePosition:$position, AscendC_TilePosition:$whole, I64:$step, I64:$steps);
  let assemblyFormat = "$fold $total `,` $tile `,` $position `of` $whole `,` $step `in` $steps attr-dict";
}

def AscendC_BeginTotalOp : AscendC_FoldCall<"begin_total", "BeginTotal", ["Duplicate"]> {
  let summary = "the total of no steps: what changes no fold; with steps, what they left";
  let description = [{
    ```mlir
    ascendc.begin_total sum %total, %whole, %steps
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Updates<AscendC_LocalFloats>:$total, AscendC_TilePosition:$whole, I64:$steps);
  let assemblyFormat = "$fold $total `,` $whole `,` $steps attr-dict";
}

def AscendC_CombinePartialsOp : AscendC_FoldCall<"combine_partials", "CombinePartials", ["DataCopy"]> {
  let summary = "values = the fold of what each core has, in the order of the cores";
  let description = [{
    `pitch` floats lie from core to core. The partial results are lost.

    ```mlir
    ascendc.combine_partials sum %totals, %partials, %cores, %pitch
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Updates<AscendC_LocalFloats>:$partials,
                       I32:$cores, I32:$pitch);
  let assemblyFormat = "$fold $values `,` $partials `,` $cores `,` $pitch attr-dict";
}

//===----------------------------------------------------------------------===//
// One value per row or lane
//===----------------------------------------------------------------------===//

def AscendC_RowFunctionEnum : AscendC_Enum<"RowFunction", "function of two floats", [
    I32EnumAttrCase<"Plus", 0, "plus">, I32EnumAttrCase<"Minus", 1, "minus">, I32EnumAttrCase<"Times", 2, "times">,
    I32EnumAttrCase<"Over", 3, "over">, I32EnumAttrCase<"Larger", 4, "larger">, I32EnumAttrCase<"Smaller", 5, "smaller">]>;
def AscendC_RowFunctionAttr : EnumAttr<AscendC_Dialect, AscendC_RowFunctionEnum, "row_function">;

def AscendC_SpreadRowsOp : AscendC_RowCall<"spread_rows", "SpreadRows", "Fill", ["Duplicate"]> {
  let summary = "one block per row, filled with the row's value";
  let description = [{
    ```mlir
    ascendc.spread_rows %blocks, %values, %at
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$blocks, Reads<AscendC_LocalFloats>:$values, AscendC_TilePosition:$position);
  let assemblyFormat = "$blocks `,` $values `,` $position attr-dict";
}

class AscendC_WithVector<string mnemonic, string cpp> : AscendC_RowCall<mnemonic, cpp, "Elementwise", []> {
  let arguments = (ins AscendC_RowFunctionAttr:$function, Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$tile,
                       Reads<AscendC_LocalFloats>:$values, AscendC_TilePosition:$position, UnitAttr:$reversed);
  let assemblyFormat = "$function $dst `,` $tile `,` $values `,` $position (`reversed` $reversed^)? attr-dict";
  let extraClassDeclaration = tileDeclaration # [{
    bool mayOverwrite(::mlir::OpOperand &source) { return source.get() == getTile(); }
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(::lossgrad::ascendc::detail::capitalized(stringifyRowFunction(getFunction()))).text(getReversed() ? "true" : "false");
    }
  }];
}

def AscendC_WithRowsOp : AscendC_WithVector<"with_rows", "WithRows"> {
  let summary = "dst = tile op the value of the row, from the blocks of spread_rows";
  let description = [{
    With `of_lanes` the tile is one row for all.

    ```mlir
    ascendc.with_rows times %dst, %tile, %blocks, %at
    ascendc.with_rows minus %dst, %tile, %blocks, %at reversed      // value - tile
    ```
  }];
  let arguments = (ins AscendC_RowFunctionAttr:$function, Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$tile,
                       Reads<AscendC_LocalFloats>:$values, AscendC_TilePosition:$position, UnitAttr:$reversed, UnitAttr:$of_lanes);
  let assemblyFormat = "$function $dst `,` $tile `,` $values `,` $position (`reversed` $reversed^)? (`of_lanes` $of_lanes^)? attr-dict";
  let extraClassDeclaration = tileDeclaration # [{
    bool mayOverwrite(::mlir::OpOperand &source) { return source.get() == getTile() && !getOfLanes(); }
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(::lossgrad::ascendc::detail::capitalized(stringifyRowFunction(getFunction()))).text(getReversed() ? "true" : "false");
      if (getOfLanes())
        arguments.text("true");
    }
  }];
}
def AscendC_WithLanesOp : AscendC_WithVector<"with_lanes", "WithLanes"> {
  let summary = "dst = tile op the value of the lane";
  let description = [{
    ```mlir
    ascendc.with_lanes times %dst, %tile, %values, %at
    ```
  }];
}

class AscendC_FillTile<string mnemonic, string cpp> : AscendC_RowCall<mnemonic, cpp, "Fill", ["Or"]> {
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$values, AscendC_TilePosition:$position);
  let assemblyFormat = "$dst `,` $values `,` $position attr-dict";
}
def AscendC_FillRowsOp : AscendC_FillTile<"fill_rows", "FillRows"> {
  let summary = "dst = the value of the row in every lane, from the blocks of spread_rows";
  let description = [{
    ```mlir
    ascendc.fill_rows %dst, %blocks, %at
    ```
  }];
}
def AscendC_FillLanesOp : AscendC_FillTile<"fill_lanes", "FillLanes"> {
  let summary = "dst = the same values in every row";
  let description = [{
    ```mlir
    ascendc.fill_lanes %dst, %values, %at
    ```
  }];
}

def AscendC_ExpandRowsOp : AscendC_RowCall<"expand_rows", "ExpandRows", "Fill", ["DataCopy", "Duplicate", "Or"]> {
  let summary = "one float per row, from a tensor that has one element per row or one for all";
  let description = [{
    `wide` has room for 17 floats per row of the largest tile.

    ```mlir
    ascendc.expand_rows %targetF32, %target, %targetLayout, %at scratch %wide : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$values, Reads<AscendC_LocalBytes>:$tile, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$wide);
  let assemblyFormat = "$values `,` $tile `,` $layout `,` $position `scratch` $wide attr-dict `:` type($tile)";
}

def AscendC_PlaceRowsOp : AscendC_RowCall<"place_rows", "PlaceRows", "Conversion", ["DataCopy", "Duplicate"]> {
  let summary = "one value per row in the element type of a tensor, as store_rows takes them";
  let description = [{
    Adjacent, or one block of 32 bytes each where the rows of the tensor lie
    apart and copies go by bytes. `narrow` has room for one float per row of the
    largest tile.

    ```mlir
    ascendc.place_rows %out, %totals, %outLayout, %at scratch %narrow : !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalBytes>:$tile, Reads<AscendC_LocalFloats>:$values, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$narrow);
  let assemblyFormat = "$tile `,` $values `,` $layout `,` $position `scratch` $narrow attr-dict `:` type($tile)";
}

def AscendC_StoreRowsOp : AscendC_TileCall<"store_rows", "StoreRows", "MTE3", "Transfer", ["DataCopy"], [AscendC_OfRowHeader]> {
  let summary = "store one element per row, as place_rows left them";
  let description = [{
    ```mlir
    ascendc.store_rows %outGm, %out, %outLayout, %at : !ascendc.global<ui8>, !ascendc.local<ui8>
    ```
  }];
  let arguments = (ins Writes<AscendC_GlobalTensor>:$tensor, Reads<AscendC_LocalBytes>:$tile, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$tensor `,` $tile `,` $layout `,` $position attr-dict `:` type($tensor) `,` type($tile)";
}

//===----------------------------------------------------------------------===//
// Packed tiles
//===----------------------------------------------------------------------===//

// A packed tile is one run of memory: rows follow each other without padding,
// and where kept elements lie behind the reduced axis, the elements of as many
// rows lie in turn. A row's elements are found by tables of offsets.

def AscendC_PackedAtOp : AscendC_TileQuestion<"packed_at", "PackedAt"> {
  let summary = "the position and size of a packed tile, by its number";
  let description = [{
    ```mlir
    %at = ascendc.packed_at %grid, %tile
    ```
  }];
  let arguments = (ins AscendC_TileGrid:$grid, I64:$tile);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$grid `,` $tile attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getTile()); }
  }];
}

def AscendC_PackedOffsetsOp : AscendC_RowCall<"packed_offsets", "PackedOffsets", "Fill", ["CreateVecIndex", "Gather"]> {
  let summary = "where the elements of a packed tile of this size are";
  let description = [{
    `take` holds the offset of every element, lane by lane of all rows; `spread`
    the offset of the row's value for every element of the tile. Both serve all
    tiles of as many rows. The layout is that of any packed tensor.

    ```mlir
    ascendc.packed_offsets %take, %spread, %selfLayout, %at scratch %work
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$take, Writes<AscendC_LocalFloats>:$spread, AscendC_TileLayout:$layout,
                       AscendC_TilePosition:$position, Writes<AscendC_LocalFloats>:$work);
  let assemblyFormat = "$take `,` $spread `,` $layout `,` $position `scratch` $work attr-dict";
}

def AscendC_ReducePackedOp : AscendC_FoldCall<"reduce_packed", "ReducePacked", ["Gather"]> {
  let summary = "one value per row of a packed tile, in front of what else the fold leaves";
  let description = [{
    `values` has room for the tile; `take` is a table of packed_offsets.

    ```mlir
    ascendc.reduce_packed sum %totals, %tile, %take, %at
    ```
  }];
  let arguments = (ins AscendC_FoldAttr:$fold, Writes<AscendC_LocalFloats>:$values, Reads<AscendC_LocalFloats>:$tile,
                       Reads<AscendC_LocalFloats>:$take, AscendC_TilePosition:$position);
  let assemblyFormat = "$fold $values `,` $tile `,` $take `,` $position attr-dict";
}

def AscendC_SpreadPackedOp : AscendC_RowCall<"spread_packed", "SpreadPacked", "Fill", ["Gather"]> {
  let summary = "dst = the value of the row for every element of a packed tile";
  let description = [{
    ```mlir
    ascendc.spread_packed %dst, %totals, %spread, %at
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalFloats>:$dst, Reads<AscendC_LocalFloats>:$values, Reads<AscendC_LocalFloats>:$spread,
                       AscendC_TilePosition:$position);
  let assemblyFormat = "$dst `,` $values `,` $spread `,` $position attr-dict";
}

#endif // LOSSGRAD_DIALECT_ASCENDC_ROW_TD
