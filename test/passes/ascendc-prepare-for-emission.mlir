// RUN: lossgrad-opt %s --pass-pipeline="builtin.module(ascendc.program(ascendc.kernel(ascendc-prepare-for-emission)))" -mlir-use-nameloc-as-prefix | FileCheck %s

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @K
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    // The read inside process is the same read.
    // CHECK: %[[TILE:.*]] = ascendc.tiling_field @tile : i32
    // CHECK-NEXT: %[[FIELD:.*]] = ascendc.field "tile", %[[TILE]] : i32
    // CHECK-NOT: ascendc.tiling_field
    %tile = ascendc.tiling_field @tile : i32
    // Named and used by a method: a member.
    // CHECK: %[[TWICE:.*]] = arith.addi %[[FIELD]], %[[FIELD]]
    // CHECK-NEXT: ascendc.field "twice", %[[TWICE]] : i32
    %twice = arith.addi %tile, %tile : i32 loc("twice")
    // Without a name it is written where it is used.
    // CHECK: arith.subi
    // CHECK-NOT: ascendc.field
    %unnamed = arith.subi %twice, %tile : i32
    %aBuf = ascendc.tbuf_member "aBuf" bytes %tile : !ascendc.tbuf
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      %a = ascendc.tbuf_get %aBuf : !f32 loc("a")
      ascendc.abs %a, %a, %unnamed : !f32
    }
    ascendc.process {
      %again = ascendc.tiling_field @tile : i32
      ascendc.run @Compute(%again) : i32
    }
  }
}
