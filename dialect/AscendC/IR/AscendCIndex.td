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

def AscendC_ExpandIntsOp : AscendC_IndexCall<"expand_ints", "ExpandInts", "Fill", ["Copy", "CreateVecIndex", "Gather"]> {
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

def AscendC_LaneDistanceOp : AscendC_IndexCall<"lane_distance", "LaneDistance", "Elementwise", ["Brcb", "CreateVecIndex"]> {
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

def AscendC_TakeLanesOp : AscendC_IndexCall<"take_lanes", "TakeLanes", "Fill", ["Gather", "CreateVecIndex"]> {
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

def AscendC_LookUpOp : AscendC_IndexCall<"look_up", "LookUp", "Transfer", ["DataCopyPad", "Gather", "CreateVecIndex"]> {
  let summary = "one float per row: the element of a table in global memory with the row's index";
  let description = [{
    One copy for each, which it waits for itself. An index outside of the table
    takes the nearest. It reads `reducedAxis` and `extents` of the tiling data.
    `tile` has room for a block per row, `wide` for 17 floats per row.

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

def AscendC_AsLanesOp : AscendC_TileQuestion<"as_lanes", "AsLanes"> {
  let summary = "one value per row as lanes of one row";
  let arguments = (ins AscendC_TilePosition:$position);
  let results = (outs AscendC_TilePosition:$result);
  let assemblyFormat = "$position attr-dict";
  let extraClassDeclaration = questionDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

#endif // LOSSGRAD_DIALECT_ASCENDC_INDEX_TD
