// RUN: lossgrad-opt %s --ascendc-fix-names --ascendc-plan-buffers --canonicalize --cse -split-input-file -mlir-use-nameloc-as-prefix | FileCheck %s

// Inputs share a queue, 256 bytes apart modulo 512 where one call reads both; the chain x, y stays in the block of the result.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2", "A3"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Chain
  ascendc.kernel @Chain tiling(@Tiling) (%a: !gm, %b: !gm, %y: !gm) {
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %aGm = ascendc.global "aGm", %a : !f32gm
    %bGm = ascendc.global "bGm", %b : !f32gm
    %yGm = ascendc.global "yGm", %y : !f32gm
    %aTile = ascendc.buffer "a" [%tile] : !f32
    %bTile = ascendc.buffer "b" [%tile] : !f32
    %x = ascendc.buffer "x" [%tile] : !f32
    %yTile = ascendc.buffer "y" [%tile] : !f32
    // CHECK: %[[TWICE:.*]] = arith.muli %tile, %c2_i32
    // CHECK-NEXT: %[[ELEMENTS:.*]] = arith.addi %[[TWICE]], %c128_i32
    // CHECK-NEXT: %[[SIZE:.*]] = ascendc.size_of f32
    // CHECK-NEXT: %[[BYTES:.*]] = arith.muli %[[ELEMENTS]], %[[SIZE]]
    // CHECK: %[[IN:.*]] = ascendc.queue_member "inQueue" blocks 2 bytes %[[BYTES]] {ascendc.comment = "A gap keeps operands in different banks."} : <vecin>
    // CHECK: %bOffset = arith.addi %tile, %c64_i32
    // CHECK: %[[OUT:.*]] = ascendc.queue_member "outQueue" blocks 2
    // CHECK-NOT: tbuf_member
    // CHECK: ascendc.stage copy_in @CopyIn
    ascendc.stage copy_in @CopyIn (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      // CHECK-NEXT: %inputs = ascendc.alloc_tensor %[[IN]]
      // CHECK-NEXT: %a = ascendc.view %inputs slot 0
      // CHECK-NEXT: %b = ascendc.view %inputs[%bOffset] slot 1
      // CHECK-NEXT: ascendc.data_copy_pad_in %a,
      // CHECK-NEXT: ascendc.data_copy_pad_in %b,
      // CHECK-NEXT: ascendc.en_que %[[IN]], %inputs
      ascendc.data_copy_pad_in %aTile, %aGm[%offset], %count : !f32, !f32gm
      ascendc.data_copy_pad_in %bTile, %bGm[%offset], %count : !f32, !f32gm
    }
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      // CHECK-NEXT: %inputs = ascendc.de_que %[[IN]]
      // CHECK-NEXT: %a = ascendc.view %inputs slot 0
      // CHECK-NEXT: %b = ascendc.view %inputs[%bOffset] slot 1
      // CHECK-NEXT: %y = ascendc.alloc_tensor %[[OUT]]
      // Which value is where stays known.
      // CHECK-NEXT: ascendc.sub %y, %a, %b, %count {ascendc.held = ["x", "", "", ""]}
      // CHECK-NEXT: ascendc.free_tensor %[[IN]], %inputs
      // CHECK-NEXT: ascendc.abs %y, %y, %count {ascendc.held = ["", "x", ""]}
      // CHECK-NEXT: ascendc.en_que %[[OUT]], %y
      ascendc.sub %x, %aTile, %bTile, %count : !f32
      ascendc.abs %yTile, %x, %count : !f32
    }
    // CHECK: ascendc.stage copy_out @CopyOut
    ascendc.stage copy_out @CopyOut (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      // CHECK-NEXT: %y = ascendc.de_que %[[OUT]]
      // CHECK-NEXT: ascendc.data_copy_pad_out %{{.*}}[%offset], %y, %count
      // CHECK-NEXT: ascendc.free_tensor %[[OUT]], %y
      ascendc.data_copy_pad_out %yGm[%offset], %yTile, %count : !f32gm, !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      ascendc.run @CopyIn(%core, %tile) : i64, i32
      ascendc.run @Compute(%tile) : i32
      ascendc.run @CopyOut(%core, %tile) : i64, i32
    }
  }
}

// Two blocks of (2 * tile + 128) elements and two of tile elements: 24 * tile + 1024 bytes.
// CHECK-LABEL: func.func @budget
func.func @budget(%ub: i64) -> (i64, i64) {
  // CHECK-DAG: %[[SLOPE:.*]] = arith.constant 192{{.*}} : i64
  // CHECK-DAG: %[[FIXED:.*]] = arith.constant {{-?}}1024{{.*}} : i64
  // CHECK: %[[LEFT:.*]] = arith.{{subi|addi}} %{{.*}}, %{{.*}} : i64
  // CHECK: %[[BITS:.*]] = arith.muli %[[LEFT]], %c8_i64
  // CHECK: %[[TILE:.*]] = arith.divsi %[[BITS]], %[[SLOPE]]
  // CHECK: arith.divsi %[[TILE]], %c128_i64
  // CHECK-NOT: ascendc.ub_
  %tile = ascendc.ub_solve @p::@Chain for "tile" in %ub given []()
  %bytes = ascendc.ub_bytes @p::@Chain ["tile"](%tile)
  return %tile, %bytes : i64, i64
}

// The same in two terms, per 128 elements.
// CHECK-LABEL: func.func @terms
func.func @terms() -> (i64, i64) {
  // CHECK-DAG: %[[FIXED:.*]] = arith.constant 1024{{.*}} : i64
  // CHECK-DAG: %[[EACH:.*]] = arith.constant 3072{{.*}} : i64
  // CHECK: return %[[FIXED]], %[[EACH]]
  %fixed, %each, %none = ascendc.ub_terms @p::@Chain for "tile" beside "row" per 128
  return %fixed, %each : i64, i64
}

// -----

// Widening is never in place; a resident buffer and one that a loop hands on are not shared.

!gm = !ascendc.gm_addr
!f16 = !ascendc.local<f16>
!f32 = !ascendc.local<f32>
!f16gm = !ascendc.global<f16>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 256 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Wide
  ascendc.kernel @Wide tiling(@Tiling) (%a: !gm) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %aGm = ascendc.global "aGm", %a : !f16gm
    %aTile = ascendc.buffer "a" [%tile] : !f16
    %w = ascendc.buffer "w" [%tile] lifetime resident : !f32
    %wide = ascendc.buffer "wide" [%tile] : !f32
    %acc = ascendc.buffer "acc" [%tile] : !f32
    // All three meet; w and acc, which do so last, lie in the same banks.
    // CHECK: ascendc.tbuf_member "wBuf"
    // CHECK: ascendc.tbuf_member "accBuf" {{.*}}A gap
    // CHECK: ascendc.tbuf_member "wideBuf"
    ascendc.stage copy_in @CopyIn (%offset: i64, %count: i32) {
      ascendc.data_copy_pad_in %aTile, %aGm[%offset], %count : !f16, !f16gm
    }
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute (%count: i32) {
      // CHECK: ascendc.cast %wide, %a, none
      ascendc.cast %wide, %aTile, none, %count : !f32, !f16
      // CHECK: ascendc.add %acc, %wide, %w
      ascendc.add %acc, %wide, %w, %count : !f32
      scf.for %i = %c0 to %count step %c1 : i32 {
        // CHECK: ascendc.add %acc, %acc, %wide
        ascendc.add %acc, %acc, %wide, %count : !f32
      }
      // CHECK: ascendc.add %w, %w, %acc
      ascendc.add %w, %w, %acc, %count : !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      ascendc.run @CopyIn(%core, %tile) : i64, i32
      ascendc.run @Compute(%tile) : i32
    }
  }
}

// -----

// A bit mask that took the place of b is a third source of the select. It does
// not count: a and b, then a and x, lie in different bank groups all the same.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!bits = !ascendc.local<i1>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 256 }
ascendc.program @p for ["A2", "A3"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Mask
  ascendc.kernel @Mask tiling(@Tiling) (%a: !gm, %b: !gm, %y: !gm) {
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %aGm = ascendc.global "aGm", %a : !f32gm
    %bGm = ascendc.global "bGm", %b : !f32gm
    %yGm = ascendc.global "yGm", %y : !f32gm
    %aTile = ascendc.buffer "a" [%tile] : !f32
    %bTile = ascendc.buffer "b" [%tile] : !f32
    %x = ascendc.buffer "x" [%tile] : !f32
    %isNumber = ascendc.buffer "isNumber" [%tile] : !bits
    %yTile = ascendc.buffer "y" [%tile] : !f32
    // CHECK: %[[A:.*]] = arith.addi %tile, %c64_i32{{.*}} : i32
    // CHECK: ascendc.stage compute @Compute
    // CHECK: %b = ascendc.view %inputs slot 0
    // CHECK: %isNumber = ascendc.view %b
    // CHECK: %a = ascendc.view %inputs[%[[A]]] slot 1
    // CHECK: %y = ascendc.alloc_tensor
    // CHECK: ascendc.sub %y, %a, %b
    // CHECK: ascendc.compare %isNumber, %y, %y
    // CHECK: ascendc.select %y, %isNumber, %a, %y
    ascendc.stage copy_in @CopyIn (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_in %aTile, %aGm[%offset], %count : !f32, !f32gm
      ascendc.data_copy_pad_in %bTile, %bGm[%offset], %count : !f32, !f32gm
    }
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      ascendc.sub %x, %aTile, %bTile, %count : !f32
      ascendc.compare %isNumber, %x, %x, eq, %tile : !bits, !f32, !f32
      ascendc.select %yTile, %isNumber, %aTile, %x, %count : !f32, !bits, !f32, !f32
    }
    ascendc.stage copy_out @CopyOut (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_out %yGm[%offset], %yTile, %count : !f32gm, !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      ascendc.run @CopyIn(%core, %tile) : i64, i32
      ascendc.run @Compute(%tile) : i32
      ascendc.run @CopyOut(%core, %tile) : i64, i32
    }
  }
}

// -----

// Three that meet cannot all be in different banks: the two that are vectors of
// one value per row meet in the same ones, whatever comes first.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 256 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @OddCycle
  ascendc.kernel @OddCycle tiling(@Tiling) (%a: !gm) {
    %c248 = arith.constant 248 : i32
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %aGm = ascendc.global "aGm", %a : !f32gm
    %aTile = ascendc.buffer "a" [%tile] : !f32
    %x = ascendc.buffer "x" [%tile] lifetime resident : !f32
    %u = ascendc.buffer "u" [248] lifetime resident : !f32
    %v = ascendc.buffer "v" [248] lifetime resident : !f32
    // CHECK: ascendc.tbuf_member "uBuf"
    // CHECK: ascendc.tbuf_member "vBuf" {{.*}}A gap
    // CHECK: ascendc.tbuf_member "xBuf"
    ascendc.stage copy_in @CopyIn (%offset: i64, %count: i32) {
      ascendc.data_copy_pad_in %aTile, %aGm[%offset], %count : !f32, !f32gm
    }
    ascendc.stage compute @Compute (%count: i32) {
      ascendc.add %u, %u, %v, %c248 : !f32
      ascendc.add %x, %x, %u, %c248 : !f32
      ascendc.add %x, %x, %v, %c248 : !f32
      ascendc.add %x, %x, %aTile, %count : !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      ascendc.run @CopyIn(%core, %tile) : i64, i32
      ascendc.run @Compute(%tile) : i32
    }
  }
}
