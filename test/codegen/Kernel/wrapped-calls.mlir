// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc | FileCheck %s --strict-whitespace

// Lines are broken in as few brackets as possible; those of template arguments count.
ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @tileLength : i32 multiple 256
}

ascendc.program @arch2201 for ["A2"] operator "Op" file "op" {
  ascendc.kernel @Rows tiling(@Tiling) schedule "rows" (%self: !ascendc.gm_addr loc("self")) {
    %length = ascendc.tiling_field @tileLength : i32 loc("tileLength")
    %size = ascendc.size_of f32
    %bytes = arith.muli %length, %size : i32
    %tileBuf = ascendc.tbuf_member "logProbabilitiesOfTheTileBuf" bytes %bytes : !ascendc.tbuf
    %valuesBuf = ascendc.tbuf_member "scalesOfTheRowsBuf" bytes %bytes : !ascendc.tbuf
    ascendc.stage compute @Compute (%at: !ascendc.tile_position loc("at"), %first: i32 loc("firstRowOfTheTile")) {
      %tile = ascendc.tbuf_get %tileBuf : !ascendc.local<f32> loc("logProbabilitiesOfTheTile")
      %values = ascendc.tbuf_get %valuesBuf : !ascendc.local<f32> loc("scalesOfTheRows")
      ascendc.with_single_rows times %tile, %tile, %values[%first], %at
    }
    ascendc.process {
      ascendc.sync_all
    }
  }
}
// CHECK:      {{^}}        WithSingleRows<Times, false>(logProbabilitiesOfTheTile, logProbabilitiesOfTheTile, scalesOfTheRows,
// CHECK-NEXT: {{^}}            firstRowOfTheTile, at);
