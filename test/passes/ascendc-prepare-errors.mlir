// RUN: lossgrad-opt %s --pass-pipeline="builtin.module(ascendc-prepare-for-emission)" -split-input-file -verify-diagnostics

ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    ascendc.process {
      %n = ascendc.tiling_field @tile : i32
      // expected-error @+1 {{'arith.divui' op is unsigned; emitted scalars are signed}}
      %m = arith.divui %n, %n : i32
    }
  }
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    ascendc.process {
      %n = ascendc.tiling_field @tile : i32
      // expected-error @+1 {{'arith.index_cast' op has a scalar of type 'index'; emitted scalars are i1, i32, i64 and f32}}
      %m = arith.index_cast %n : i32 to index
    }
  }
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    // expected-error @+1 {{'ascendc.buffer' op is a virtual buffer; run ascendc-plan-buffers first}}
    %a = ascendc.buffer "a" [64] : !ascendc.local<f32>
    ascendc.process {}
  }
}
