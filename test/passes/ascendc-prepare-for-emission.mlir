// RUN: lossgrad-opt %s --pass-pipeline="builtin.module(ascendc-fix-names,ascendc-prepare-for-emission)" -mlir-use-nameloc-as-prefix | FileCheck %s

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @K
  ascendc.kernel @K tiling(@Tiling) (%arg: !gm) {
    // Tiling data is at hand everywhere: no member, and no variable.
    // CHECK: %[[TILE:[0-9]+]] = ascendc.tiling_field @tile{{.*}} : i32
    // CHECK-NOT: ascendc.field "tile"
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    // Named and used by a method: a member.
    // CHECK: %[[TWICE:.*]] = arith.addi %[[TILE]], %[[TILE]]
    // CHECK-NEXT: ascendc.field "twice", %[[TWICE]]{{.*}} : i32
    %twice = arith.addi %tile, %tile : i32 loc("twice")
    // Without a name it is written where it is used.
    // CHECK: arith.subi
    // CHECK-NOT: ascendc.field
    %unnamed = arith.subi %twice, %tile : i32
    %queue = ascendc.queue_member "queue" blocks 2 bytes %tile : !ascendc.queue<vecin>
    %gm = ascendc.global "gm", %arg : !f32gm
    %aBuf = ascendc.tbuf_member "aBuf" bytes %tile : !ascendc.tbuf
    // A part of a block that a copy stage mentions once is written there.
    // CHECK: ascendc.stage copy_in @CopyIn
    // CHECK: %[[PART:[0-9]+]] = ascendc.view
    // CHECK-NEXT: ascendc.load_dense %[[PART]]
    ascendc.stage copy_in @CopyIn (%count: i32 loc("count")) {
      %zero = arith.constant 0 : i64
      %inputs = ascendc.alloc_tensor %queue : !ascendc.queue<vecin> to !f32 loc("inputs")
      %part = ascendc.view %inputs[%tile] slot 1 : !f32 to !f32 loc("part")
      ascendc.load_dense %part, %gm[%zero], %count : !f32, !f32gm
      ascendc.en_que %queue, %inputs : !ascendc.queue<vecin>, !f32
    }
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
