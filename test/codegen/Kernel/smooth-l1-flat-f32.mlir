// SmoothL1LossBackward, equal shapes, 32-bit: y = clamp(x * (k / beta), -k, k) * g.
!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!bits = !ascendc.local<i1>
!f32gm = !ascendc.global<f32>

ascendc.tiling_struct @SmoothL1LossBackwardTilingData {
  ascendc.tiling_member @tileCount : i64 "tiles over all cores"
  ascendc.tiling_member @totalLength : i64 "elements of the output"
  ascendc.tiling_member @tileLength : i32 multiple 128 "elements per tile"
  ascendc.tiling_member @scale : f32 "k / beta"
  ascendc.tiling_member @bound : f32 "k"
}

ascendc.program @arch2201 for ["A2", "A3"] operator "SmoothL1LossBackward"
    file "lossgrad_smooth_l1_loss_backward"
    formula ["x = self - target", "gradInput = clamp(x * k / beta, -k, k) * gradOut"] {

  ascendc.kernel @FlatF32 tiling(@SmoothL1LossBackwardTilingData)
      schedule "equal shapes, flat; tiles dealt to the cores in turn"
      (%gradOut: !gm loc("gradOut"), %self: !gm loc("self"), %target: !gm loc("target"), %gradInput: !gm loc("gradInput")) {
    %c0 = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %lanes = arith.constant 64 : i32
    %tileCount = ascendc.tiling_field @tileCount : i64 loc("tileCount")
    %totalLength = ascendc.tiling_field @totalLength : i64 loc("totalLength")
    %tileLength = ascendc.tiling_field @tileLength : i32 loc("tileLength")
    %scale = ascendc.tiling_field @scale : f32 loc("scale")
    %bound = ascendc.tiling_field @bound : f32 loc("bound")
    %lower = arith.negf %bound : f32

    %gradOutGm = ascendc.global "gradOutGm", %gradOut : !f32gm
    %selfGm = ascendc.global "selfGm", %self : !f32gm
    %targetGm = ascendc.global "targetGm", %target : !f32gm
    %gradInputGm = ascendc.global "gradInputGm", %gradInput : !f32gm

    %gradOutTile = ascendc.buffer "gradOut" [%tileLength] : !f32
    %selfTile = ascendc.buffer "self" [%tileLength] : !f32
    %targetTile = ascendc.buffer "target" [%tileLength] : !f32
    %x = ascendc.buffer "x" [%tileLength] : !f32
    %scaled = ascendc.buffer "scaled" [%tileLength] : !f32
    %below = ascendc.buffer "below" [%tileLength] : !f32
    %clamped = ascendc.buffer "clamped" [%tileLength] : !f32
    %isNumber = ascendc.buffer "isNumber" [%tileLength] : !bits
    %d = ascendc.buffer "d" [%tileLength] : !f32
    %y = ascendc.buffer "gradInput" [%tileLength] : !f32

    ascendc.stage copy_in @CopyIn doc "Load one tile of the inputs." (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_in %gradOutTile, %gradOutGm[%offset], %count : !f32, !f32gm
      ascendc.data_copy_pad_in %selfTile, %selfGm[%offset], %count : !f32, !f32gm
      ascendc.data_copy_pad_in %targetTile, %targetGm[%offset], %count : !f32, !f32gm
    }
    ascendc.stage compute @Compute doc "gradInput = clamp(x * scale, -bound, bound) * gradOut; a NaN in x stays." (%count: i32 loc("count")) {
      %repeats = arith.ceildivsi %count, %lanes : i32
      %whole = arith.muli %repeats, %lanes : i32 loc("wholeCount")
      ascendc.sub %x, %selfTile, %targetTile, %count : !f32
      ascendc.muls %scaled, %x, %scale, %count : !f32, f32
      ascendc.compare %isNumber, %scaled, %scaled, eq, %whole : !bits, !f32, !f32
      ascendc.mins %below, %scaled, %bound, %count : !f32, f32
      ascendc.maxs %clamped, %below, %lower, %count : !f32, f32
      ascendc.select %d, %isNumber, %clamped, %scaled, %count : !f32, !bits, !f32, !f32
      ascendc.mul %y, %d, %gradOutTile, %count : !f32
    }
    ascendc.stage copy_out @CopyOut doc "Store one tile of the result." (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_out %gradInputGm[%offset], %y, %count : !f32gm, !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      %cores = ascendc.get_block_num
      %tile64 = arith.extsi %tileLength : i32 to i64
      scf.for %tile = %core to %tileCount step %cores : i64 {
        %offset = arith.muli %tile, %tile64 : i64 loc("offset")
        %left = arith.subi %totalLength, %offset : i64 loc("left")
        %length = arith.minsi %left, %tile64 : i64
        %count = arith.trunci %length : i64 to i32 loc("count")
        ascendc.run @CopyIn(%offset, %count) : i64, i32
        ascendc.run @Compute(%count) : i32
        ascendc.run @CopyOut(%offset, %count) : i64, i32
      } loc("tile")
    }
  }

  ascendc.entry @lossgrad_smooth_l1_loss_backward tiling(@SmoothL1LossBackwardTilingData)
      (%gradOut: !gm loc("gradOut"), %self: !gm loc("self"), %target: !gm loc("target"), %gradInput: !gm loc("gradInput"), %workspace: !gm loc("workspace")) {
    ascendc.key 1 {
      ascendc.launch @FlatF32(%gradOut, %self, %target, %gradInput) : !gm, !gm, !gm, !gm
    }
  }
}

// The host asks for the largest tile and checks the exact sum.
func.func @tiling(%ub: i64) -> (i64, i64) {
  %tile = ascendc.ub_solve @arch2201::@FlatF32 for "tileLength" in %ub given []()
  %bytes = ascendc.ub_bytes @arch2201::@FlatF32 ["tileLength"](%tile)
  return %tile, %bytes : i64, i64
}
