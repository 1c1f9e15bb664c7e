// RUN: lossgrad-translate --mlir-to-ascendc -split-input-file -verify-diagnostics %s

// expected-error @+1 {{has no ascendc.program to emit}}
module {}

// -----

// An op that no pass has rewritten.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    ascendc.stage compute @Compute (%count: i32 loc("count")) {}
    ascendc.process {
      %n = ascendc.tiling_field @tile : i32
      // expected-error @+1 {{'arith.shli' op has no C++ form; a pass before the printer must rewrite it}}
      %m = arith.shli %n, %n : i32
      ascendc.run @Compute(%m) : i32
    }
  }
}

// -----

// A virtual buffer: planning has not run.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    // expected-error @+1 {{'ascendc.buffer' op has no C++ form; a pass before the printer must rewrite it}}
    %a = ascendc.buffer "a" [64] : !ascendc.local<f32>
    ascendc.process {}
  }
}
