// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc | FileCheck %s
// SmoothL1LossBackward, equal shapes, both 16-bit types from one template:
// widened on load, computed in float, rounded once. One-element gradOut is folded into scale and bound by the host.
!gm = !ascendc.gm_addr
!T = !ascendc.type_param<"T", f16, bf16>
!t = !ascendc.local<!T>
!tgm = !ascendc.global<!T>
!f32 = !ascendc.local<f32>
!bits = !ascendc.local<i1>

ascendc.tiling_struct @SmoothL1LossBackwardTilingData {
  ascendc.tiling_member @tileCount : i64 "tiles over all cores"
  ascendc.tiling_member @totalLength : i64 "elements of the output"
  ascendc.tiling_member @tileLength : i32 multiple 256 "elements per tile"
  ascendc.tiling_member @scale : f32 "k / beta"
  ascendc.tiling_member @bound : f32 "k"
}

ascendc.program @arch2201 for ["A2", "A3"] operator "SmoothL1LossBackward"
    file "lossgrad_smooth_l1_loss_backward"
    formula ["x = self - target", "gradInput = clamp(x * k / beta, -k, k) * gradOut"] {

  ascendc.kernel @Flat16 tiling(@SmoothL1LossBackwardTilingData) template [!T]
      schedule "equal shapes, flat, 16-bit; tiles dealt to the cores in turn"
      (%gradOut: !gm loc("gradOut"), %self: !gm loc("self"), %target: !gm loc("target"), %gradInput: !gm loc("gradInput")) {
    %lanes = arith.constant 64 : i32
    %tileCount = ascendc.tiling_field @tileCount : i64
    %totalLength = ascendc.tiling_field @totalLength : i64
    %tileLength = ascendc.tiling_field @tileLength : i32
    %scale = ascendc.tiling_field @scale : f32
    %bound = ascendc.tiling_field @bound : f32
    %lower = arith.negf %bound : f32

    %gradOutGm = ascendc.global "gradOutGm", %gradOut : !tgm
    %selfGm = ascendc.global "selfGm", %self : !tgm
    %targetGm = ascendc.global "targetGm", %target : !tgm
    %gradInputGm = ascendc.global "gradInputGm", %gradInput : !tgm

    %gradOutTile = ascendc.buffer "gradOut" [%tileLength] : !t
    %selfTile = ascendc.buffer "self" [%tileLength] : !t
    %targetTile = ascendc.buffer "target" [%tileLength] : !t
    %wideGradOut = ascendc.buffer "wideGradOut" [%tileLength] : !f32
    %wideSelf = ascendc.buffer "wideSelf" [%tileLength] : !f32
    %wideTarget = ascendc.buffer "wideTarget" [%tileLength] : !f32
    %x = ascendc.buffer "x" [%tileLength] : !f32
    %scaled = ascendc.buffer "scaled" [%tileLength] : !f32
    %below = ascendc.buffer "below" [%tileLength] : !f32
    %clamped = ascendc.buffer "clamped" [%tileLength] : !f32
    %isNumber = ascendc.buffer "isNumber" [%tileLength] : !bits
    %d = ascendc.buffer "d" [%tileLength] : !f32
    %wideY = ascendc.buffer "wideGradInput" [%tileLength] : !f32
    %y = ascendc.buffer "gradInput" [%tileLength] : !t

    ascendc.stage copy_in @CopyIn doc "Load one tile of the inputs." (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_in %gradOutTile, %gradOutGm[%offset], %count : !t, !tgm
      ascendc.data_copy_pad_in %selfTile, %selfGm[%offset], %count : !t, !tgm
      ascendc.data_copy_pad_in %targetTile, %targetGm[%offset], %count : !t, !tgm
    }
    ascendc.stage compute @Compute doc "Widen, gradInput = clamp(x * scale, -bound, bound) * gradOut, round once." (%count: i32 loc("count")) {
      %repeats = arith.ceildivsi %count, %lanes : i32
      %whole = arith.muli %repeats, %lanes : i32 loc("wholeCount")
      ascendc.cast %wideSelf, %selfTile, none, %count : !f32, !t
      ascendc.cast %wideTarget, %targetTile, none, %count : !f32, !t
      ascendc.sub %x, %wideSelf, %wideTarget, %count : !f32
      ascendc.cast %wideGradOut, %gradOutTile, none, %count : !f32, !t
      ascendc.muls %scaled, %x, %scale, %count : !f32, f32
      ascendc.compare %isNumber, %scaled, %scaled, eq, %whole : !bits, !f32, !f32
      ascendc.mins %below, %scaled, %bound, %count : !f32, f32
      ascendc.maxs %clamped, %below, %lower, %count : !f32, f32
      ascendc.select %d, %isNumber, %clamped, %scaled, %count : !f32, !bits, !f32, !f32
      ascendc.mul %wideY, %d, %wideGradOut, %count : !f32
      ascendc.cast %y, %wideY, rint, %count : !t, !f32
    }
    ascendc.stage copy_out @CopyOut doc "Store one tile of the result." (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      ascendc.data_copy_pad_out %gradInputGm[%offset], %y, %count : !tgm, !t
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
      ascendc.launch @Flat16<[f16]>(%gradOut, %self, %target, %gradInput) : !gm, !gm, !gm, !gm
    }
    ascendc.key 2 {
      ascendc.launch @Flat16<[bf16]>(%gradOut, %self, %target, %gradInput) : !gm, !gm, !gm, !gm
    }
  }
}

// CHECK: // Keys 1, 2: equal shapes, flat, 16-bit; tiles dealt to the cores in turn.
// CHECK-NEXT: template <typename T>
// CHECK-NEXT: class Flat16 {
// CHECK: pipe->InitBuffer(inQueue, 2, tiling->tileLength * 3 * sizeof(T));
// CHECK-NEXT: targetOffset = tiling->tileLength * 2;
// CHECK-NEXT: pipe->InitBuffer(outQueue, 2, tiling->tileLength * sizeof(T));
// CHECK-NEXT: pipe->InitBuffer(xBuf, (tiling->tileLength + 64) * sizeof(float)); // A gap keeps operands in different banks.
// CHECK-NEXT: pipe->InitBuffer(wideTargetBuf, tiling->tileLength * sizeof(float));
// CHECK-NEXT: pipe->InitBuffer(clampedBuf, tiling->tileLength * sizeof(float));
// CHECK: __aicore__ inline void Compute(int32_t count)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> clamped = clampedBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> x = xBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> wideTarget = wideTargetBuf.Get<float>();
// CHECK-NEXT: LocalTensor<T> inputs = inQueue.DeQue<T>();
// CHECK-NEXT: LocalTensor<T> gradOut = inputs;
// CHECK-NEXT: LocalTensor<uint8_t> isNumber = gradOut.template ReinterpretCast<uint8_t>();
// CHECK-NEXT: LocalTensor<T> self = inputs[tiling->tileLength];
// CHECK-NEXT: LocalTensor<T> target = inputs[targetOffset];
// CHECK-NEXT: const int32_t wholeCount = (count + 63) / 64 * 64;
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Cast(x, self, RoundMode::CAST_NONE, count);
// CHECK-NEXT: Cast(wideTarget, target, RoundMode::CAST_NONE, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Sub(x, x, wideTarget, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LocalTensor<float> wideGradOut = wideTarget;
// CHECK-NEXT: Cast(wideGradOut, gradOut, RoundMode::CAST_NONE, count);
// CHECK-NEXT: LocalTensor<float> scaled = x;
// CHECK-NEXT: Muls(scaled, x, tiling->scale, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Compare(isNumber, scaled, scaled, CMPMODE::EQ, wholeCount);
// CHECK-NEXT: Mins(clamped, scaled, tiling->bound, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Maxs(clamped, clamped, -tiling->bound, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LocalTensor<float> gradInputF32 = scaled;
// CHECK-NEXT: Select(gradInputF32, isNumber, clamped, scaled, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
// CHECK-NEXT: inQueue.FreeTensor(inputs);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Mul(gradInputF32, gradInputF32, wideGradOut, count);
// CHECK-NEXT: LocalTensor<T> gradInput = outQueue.AllocTensor<T>();
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Cast(gradInput, gradInputF32, RoundMode::CAST_RINT, count);
// CHECK-NEXT: outQueue.EnQue(gradInput);
// CHECK-NEXT: }
// CHECK: if (TILING_KEY_IS(1)) {
// CHECK-NEXT: LossgradTile::Run<kernels::Flat16<half>>(tilingData, gradOut, self, target, gradInput);
// CHECK-NEXT: } else if (TILING_KEY_IS(2)) {
// CHECK-NEXT: LossgradTile::Run<kernels::Flat16<bfloat16_t>>(tilingData, gradOut, self, target, gradInput);
// CHECK-NEXT: }
