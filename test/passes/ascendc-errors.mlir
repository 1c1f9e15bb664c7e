// RUN: lossgrad-opt %s --ascendc-plan-buffers -split-input-file -verify-diagnostics

// Three double-buffered queues at one position: 910 has events for two.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A910"] operator "Op" file "op" {
  // expected-error @+1 {{'ascendc.kernel' op has 6 blocks in 3 queues at vecin; Atlas training has 4 events for them}}
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    %zero = arith.constant 0 : i64
    %n = ascendc.tiling_field @tile : i32
    %g = ascendc.global "g", %arg : !f32gm
    %a = ascendc.buffer "a" [%n] : !f32
    %b = ascendc.buffer "b" [%n] : !f32
    %c = ascendc.buffer "c" [%n] : !f32
    ascendc.stage copy_in @A () { ascendc.data_copy_in %a, %g[%zero], %n : !f32, !f32gm }
    ascendc.stage copy_in @B () { ascendc.data_copy_in %b, %g[%zero], %n : !f32, !f32gm }
    ascendc.stage copy_in @C () { ascendc.data_copy_in %c, %g[%zero], %n : !f32, !f32gm }
    ascendc.stage compute @Compute () { ascendc.add %a, %b, %c, %n : !f32 }
    ascendc.process { ascendc.run @Compute() }
  }
}

// -----

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !f32
    %b = ascendc.buffer "b" [%n] : !f32
    ascendc.stage compute @Compute () {
      // expected-error @+1 {{'ascendc.abs' op reads the tile buffer 'b' before anything is written to it}}
      ascendc.abs %a, %b, %n : !f32
    }
    ascendc.process { ascendc.run @Compute() }
  }
}

// -----

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] lifetime resident : !f32
    ascendc.process { }
  }
}
func.func @f(%v: i64) -> i64 {
  // expected-error @+1 {{'ascendc.ub_bytes' op gives no value for 'tile', on which the buffers of @p::@K depend}}
  %0 = ascendc.ub_bytes @p::@K ["rows"](%v)
  return %0 : i64
}

// -----

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    ascendc.process { }
  }
}
func.func @f(%v: i64) -> i64 {
  // expected-error @+1 {{'ascendc.ub_solve' op asks for 'tile', on which no buffer of @p::@K depends}}
  %0 = ascendc.ub_solve @p::@K for "tile" in %v given []()
  return %0 : i64
}

// -----

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @tile : i32 multiple 128
  ascendc.tiling_member @rows : i32
}
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    %n = ascendc.tiling_field @tile : i32
    %rows = ascendc.tiling_field @rows : i32
    %a = ascendc.buffer "a" [%n, %rows] lifetime resident : !f32
    ascendc.process { }
  }
}
func.func @f() -> i64 {
  // expected-error @+1 {{'ascendc.ub_terms' op asks for the buffers of @p::@K by 'tile' and 'row', but they depend on other members too}}
  %fixed, %each, %none = ascendc.ub_terms @p::@K for "tile" beside "row" per 128
  return %fixed : i64
}
