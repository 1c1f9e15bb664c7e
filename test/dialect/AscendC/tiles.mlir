// Calls of the shared tile header: syntax, what they are made of, and what they
// need of the tiling data.
// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics | FileCheck %s

!bytes = !ascendc.local<ui8>
!gm = !ascendc.global<ui8>
!f32 = !ascendc.local<f32>

ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @extents : i64 array 9
  ascendc.tiling_member @strides : i64 array 18
  ascendc.tiling_member @rowBlocks : i64
  ascendc.tiling_member @laneBlocks : i64
  ascendc.tiling_member @elements : i64
  ascendc.tiling_member @coreLength : i64
  ascendc.tiling_member @extraCores : i64
  ascendc.tiling_member @tileLength : i32
  ascendc.tiling_member @tile : i32 multiple 256
  ascendc.tiling_member @rowTile : i32
  ascendc.tiling_member @laneTile : i32
  ascendc.tiling_member @firstAxis : i32
  ascendc.tiling_member @forms : i32 array 2
  ascendc.tiling_member @xDtype : i32
}

// CHECK-LABEL: ascendc.kernel @Broadcast
ascendc.program @arch2201 for ["A2", "A3"] operator "Op" file "op" {
  ascendc.kernel @Broadcast tiling(@Tiling) (%x: !ascendc.gm_addr, %y: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %xDtype = ascendc.tiling_field @xDtype : i32
    %c0 = arith.constant 0 : i32
    // CHECK: ascendc.tile_grid "grid"
    %grid = ascendc.tile_grid "grid"
    // CHECK: ascendc.tile_layout "xLayout" of 0 dtype %{{.*}}
    %xLayout = ascendc.tile_layout "xLayout" of 0 dtype %xDtype
    %yLayout = ascendc.tile_layout "yLayout" of 1 dtype %c0
    %xGm = ascendc.global "xGm", %x : !gm
    %yGm = ascendc.global "yGm", %y : !gm
    %xTile = ascendc.buffer "x" [%n, 4] : !bytes
    %yTile = ascendc.buffer "y" [%n, 4] : !bytes
    %wide = ascendc.buffer "wide" [%n] : !f32
    %blocks = ascendc.buffer "blocks" [1984] : !f32
    %xF32 = ascendc.buffer "xF32" [%n] : !f32
    ascendc.stage copy_in @CopyIn (%at: !ascendc.tile_position) {
      // CHECK: ascendc.load_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <ui8>, <ui8>
      ascendc.load_tile %xTile, %xGm, %xLayout, %at : !bytes, !gm
    }
    ascendc.stage compute @Compute (%at: !ascendc.tile_position) {
      // CHECK: ascendc.tile_count
      %count = ascendc.tile_count %at
      // CHECK: ascendc.expand_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scratch %{{.*}}, %{{.*}} : <ui8>
      ascendc.expand_tile %xF32, %xTile, %xLayout, %at scratch %wide, %blocks : !bytes
      // CHECK: ascendc.narrow_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <ui8>
      ascendc.narrow_tile %yTile, %xF32, %xDtype, %count : !bytes
      // CHECK: ascendc.widen_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <ui8>
      ascendc.widen_tile %xF32, %xTile, %xDtype, %count : !bytes
    }
    ascendc.stage copy_out @CopyOut (%at: !ascendc.tile_position) {
      // CHECK: ascendc.store_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <ui8>, <ui8>
      ascendc.store_tile %yGm, %yTile, %yLayout, %at : !gm, !bytes
    }
    ascendc.process {
      %tile = ascendc.get_block_idx
      // CHECK: ascendc.tile_at
      %at = ascendc.tile_at %grid, %tile
      ascendc.run @CopyIn(%at) : !ascendc.tile_position
      ascendc.run @Compute(%at) : !ascendc.tile_position
      ascendc.run @CopyOut(%at) : !ascendc.tile_position
    }
  }
}

// CHECK-LABEL: ascendc.kernel @Flat
ascendc.program @flat for ["A2", "A3"] operator "Op" file "flat" {
  ascendc.kernel @Flat tiling(@Tiling) (%x: !ascendc.gm_addr, %y: !ascendc.gm_addr, %s: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %xDtype = ascendc.tiling_field @xDtype : i32
    %xGm = ascendc.global "xGm", %x : !gm
    %yGm = ascendc.global "yGm", %y : !ascendc.global<f32>
    %sGm = ascendc.global "sGm", %s : !ascendc.global<f16>
    %xTile = ascendc.buffer "x" [%n, 4] : !bytes
    %yTile = ascendc.buffer "y" [%n] : !f32
    %element = ascendc.buffer "element" [32] lifetime resident : !ascendc.local<f16>
    %value = ascendc.variable "sValue" : !ascendc.var<f32>
    ascendc.init {
      // CHECK: ascendc.bypass_l2 %{{.*}}, %{{.*}} : !ascendc.global<ui8>, !ascendc.global<f32>
      ascendc.bypass_l2 %xGm, %yGm : !gm, !ascendc.global<f32>
      // CHECK: %[[VALUE:.*]] = ascendc.read_element %{{.*}} scratch %{{.*}} : <f16>, <f16>
      %0 = ascendc.read_element %sGm scratch %element : !ascendc.global<f16>, !ascendc.local<f16>
      ascendc.assign %value, %0 : !ascendc.var<f32>, f32
    }
    ascendc.stage copy_in @CopyIn (%offset: i64, %count: i32) {
      // CHECK: ascendc.load_dense %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} dtype %{{.*}} : <ui8>, <ui8>
      ascendc.load_dense %xTile, %xGm[%offset], %count dtype %xDtype : !bytes, !gm
    }
    ascendc.stage compute @Compute (%count: i32) {
      // CHECK: ascendc.whole_repeats %{{.*}}
      %whole = ascendc.whole_repeats %count
      ascendc.widen_tile %yTile, %xTile, %xDtype, %whole : !bytes
    }
    ascendc.stage copy_out @CopyOut (%offset: i64, %count: i32) {
      // CHECK: ascendc.store_dense %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : <f32>, <f32>
      ascendc.store_dense %yGm[%offset], %yTile, %count : !ascendc.global<f32>, !f32
    }
    ascendc.process {
      // CHECK: %[[SHARE:.*]] = ascendc.flat_share
      %share = ascendc.flat_share
      // CHECK: ascendc.share_bound %[[SHARE]] {{ *}}begin
      %begin = ascendc.share_bound %share begin
      // CHECK: ascendc.share_count %[[SHARE]] at %
      %count = ascendc.share_count %share at %begin
      // CHECK: ascendc.tile_share
      %tiles = ascendc.tile_share
      ascendc.run @CopyIn(%begin, %count) : i64, i32
      ascendc.run @Compute(%count) : i32
      ascendc.run @CopyOut(%begin, %count) : i64, i32
    }
  }
}

// CHECK-LABEL: func.func @budget
func.func @budget() -> (i64, i64) {
  // CHECK: ascendc.ub_terms @arch2201::@Broadcast for "tile" beside "row" per 256
  %fixed, %each, %none = ascendc.ub_terms @arch2201::@Broadcast for "tile" beside "row" per 256
  return %fixed, %each : i64, i64
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @extents : i64 array 9 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    // expected-error @+1 {{'ascendc.tile_grid' op needs the member 'rowBlocks' in the tiling data of the kernel}}
    %grid = ascendc.tile_grid "grid"
    ascendc.process {}
  }
}

// -----

// 16-bit elements are widened by the call, so tiles are bytes.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %b = ascendc.buffer "b" [%n] : !ascendc.local<f16>
    ascendc.stage compute @Compute () {
      // expected-error @+1 {{'ascendc.widen_tile' op operand #1 must be tensor of bytes (ui8)}}
      ascendc.widen_tile %a, %b, %n, %n : !ascendc.local<f16>
    }
    ascendc.process {}
  }
}

// -----

// A call of the header whose parts nothing else can do.
ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @strides : i64 array 9
  ascendc.tiling_member @tile : i32
  ascendc.tiling_member @forms : i32 array 1
}
ascendc.program @p for ["A910"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%x: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %layout = ascendc.tile_layout "xLayout" of 0 dtype %n
    %gm = ascendc.global "xGm", %x : !ascendc.global<ui8>
    %a = ascendc.buffer "a" [%n] : !ascendc.local<ui8>
    %f = ascendc.buffer "f" [%n] : !ascendc.local<f32>
    %bits = ascendc.buffer "bits" [%n, 4] : !ascendc.local<i1>
    ascendc.stage compute @Compute (%count: i32) {
      // Choices by the bits of one repeat after the other are there.
      ascendc.compare_repeats %bits, %f, %f, eq, %count : !ascendc.local<i1>
      ascendc.select_repeats %f, %bits, %f, %f, %count : !ascendc.local<i1>
    }
    ascendc.stage copy_in @CopyIn (%at: !ascendc.tile_position) {
      // Whole blocks do for what byte-granular copies do elsewhere.
      ascendc.load_tile %a, %gm, %layout, %at : !ascendc.local<ui8>, !ascendc.global<ui8>
      // expected-error @+1 {{'ascendc.bypass_l2' op is made of SetL2CacheHint, which does not exist on Atlas training}}
      ascendc.bypass_l2 %gm : !ascendc.global<ui8>
    }
    ascendc.process {}
  }
}

// -----

// Bytes say nothing of their elements.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%x: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %gm = ascendc.global "xGm", %x : !ascendc.global<ui8>
    %a = ascendc.buffer "a" [%n] : !ascendc.local<ui8>
    ascendc.stage copy_in @CopyIn (%offset: i64) {
      // expected-error @+1 {{'ascendc.load_dense' op moves bytes without the number of their element type}}
      ascendc.load_dense %a, %gm[%offset], %n : !ascendc.local<ui8>, !ascendc.global<ui8>
    }
    ascendc.process {}
  }
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%x: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %gm = ascendc.global "xGm", %x : !ascendc.global<f32>
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    ascendc.stage copy_out @CopyOut (%offset: i64) {
      // expected-error @+1 {{'ascendc.store_dense' op is given the number of an element type although the tensors have one}}
      ascendc.store_dense %gm[%offset], %a, %n dtype %n : !ascendc.global<f32>, !ascendc.local<f32>
    }
    ascendc.process {}
  }
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%x: !ascendc.gm_addr) {
    %gm = ascendc.global "xGm", %x : !ascendc.global<f32>
    %a = ascendc.buffer "a" [16] lifetime resident : !ascendc.local<f32>
    ascendc.init {
      // expected-error @+1 {{'ascendc.read_element' op reads one f32, which the scalar unit reads itself; use ascendc.global_get_value}}
      %0 = ascendc.read_element %gm scratch %a : !ascendc.global<f32>, !ascendc.local<f32>
    }
    ascendc.process {}
  }
}

// -----

ascendc.tiling_struct @Tiling { ascendc.tiling_member @coreLength : i64 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    ascendc.process {
      // expected-error @+1 {{'ascendc.tile_share' op needs the member 'extraCores' in the tiling data of the kernel}}
      %share = ascendc.tile_share
    }
  }
}
