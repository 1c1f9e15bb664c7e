// RUN: %prepare %s -o %t.mlir
// RUN: lossgrad-translate --mlir-to-ascendc %t.mlir -o %t.1
// RUN: FileCheck %s < %t.1
// The same input gives the same bytes.
// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc -o %t.2
// RUN: cmp %t.1 %t.2
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

// CHECK: //--- op_kernel/lossgrad_smooth_l1_loss_backward.cpp
// CHECK-NEXT: // SmoothL1LossBackward: the kernels of the architecture that is compiled for.
// CHECK-NEXT: #if (defined(__NPU_ARCH__) && __NPU_ARCH__ == 2201) || \
// CHECK-NEXT:     (!defined(__NPU_ARCH__) && defined(__CCE_AICORE__) && __CCE_AICORE__ == 220)
// CHECK-NEXT: #include "arch2201/lossgrad_smooth_l1_loss_backward.h"
// CHECK-NEXT: #elif defined(__NPU_ARCH__) || defined(__CCE_AICORE__)
// CHECK-NEXT: #error "SmoothL1LossBackward has kernels for" \
// CHECK-NEXT:     "Atlas A2 and Atlas A3 only"
// CHECK-NEXT: #endif
// CHECK: //--- op_kernel/lossgrad_smooth_l1_loss_backward_tiling_data.h
// CHECK: struct SmoothL1LossBackwardTilingData {
// CHECK-NEXT: int64_t tileCount; // tiles over all cores
// CHECK-NEXT: int64_t totalLength; // elements of the output
// CHECK-NEXT: int32_t tileLength; // elements per tile
// CHECK-NEXT: float scale; // k / beta
// CHECK-NEXT: float bound; // k
// CHECK-NEXT: };
// CHECK: static_assert(sizeof(SmoothL1LossBackwardTilingData) == 32, "host and kernel must agree on the layout");
// CHECK: //--- op_kernel/arch2201/lossgrad_smooth_l1_loss_backward.h
// CHECK-NEXT: /*
// CHECK-NEXT: * SmoothL1LossBackward on Atlas A2 and Atlas A3.
// CHECK-NEXT: *
// CHECK-NEXT: *   x = self - target
// CHECK-NEXT: *   gradInput = clamp(x * k / beta, -k, k) * gradOut
// CHECK-NEXT: *
// CHECK-NEXT: * Generated by lossgrad 0.1.0. Edit the operator's record, not this file.
// CHECK-NEXT: */
// CHECK-NEXT: #ifndef LOSSGRAD_SMOOTH_L1_LOSS_BACKWARD_ARCH2201_H
// CHECK-NEXT: #define LOSSGRAD_SMOOTH_L1_LOSS_BACKWARD_ARCH2201_H
// CHECK: #include "kernel_operator.h"
// CHECK-NEXT: #include "../lossgrad_smooth_l1_loss_backward_tiling_data.h"
// CHECK-NEXT: #include "lossgrad_tile.h"
// CHECK: namespace LossgradSmoothL1LossBackward {
// CHECK-NEXT: using namespace AscendC;
// CHECK-NEXT: using namespace LossgradTile;
// CHECK: // Key 1: equal shapes, flat; tiles dealt to the cores in turn.
// CHECK-NEXT: class FlatF32 {
// CHECK-NEXT: public:
// CHECK-NEXT: __aicore__ inline void Init(GM_ADDR gradOut, GM_ADDR self, GM_ADDR target, GM_ADDR gradInput,
// CHECK-NEXT: const SmoothL1LossBackwardTilingData *tilingData, TPipe *pipe)
// CHECK-NEXT: {
// CHECK-NEXT: tiling = tilingData;
// CHECK-NEXT: gradOutGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(gradOut));
// CHECK-NEXT: selfGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(self));
// CHECK-NEXT: targetGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(target));
// CHECK-NEXT: gradInputGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(gradInput));
// CHECK-NEXT: // A gap keeps operands in different banks.
// CHECK-NEXT: pipe->InitBuffer(inQueue, 2, (tiling->tileLength * 3 + 128) * sizeof(float));
// CHECK-NEXT: gradOutOffset = tiling->tileLength + 64;
// CHECK-NEXT: selfOffset = tiling->tileLength * 2 + 64;
// CHECK-NEXT: pipe->InitBuffer(outQueue, 2, tiling->tileLength * sizeof(float));
// CHECK-NEXT: const int32_t paddedTileLength = (tiling->tileLength + 255) / 256 * 32;
// CHECK-NEXT: pipe->InitBuffer(isNumberBuf, paddedTileLength);
// CHECK-NEXT: }
// CHECK: __aicore__ inline void Process()
// CHECK-NEXT: {
// CHECK-NEXT: for (int64_t tile = GetBlockIdx(); tile < tiling->tileCount; tile += GetBlockNum()) {
// CHECK-NEXT: const int64_t offset = tile * tiling->tileLength;
// CHECK-NEXT: const int64_t left = tiling->totalLength - offset;
// CHECK-NEXT: const int32_t count = static_cast<int32_t>(left < tiling->tileLength ? left : tiling->tileLength);
// CHECK-NEXT: CopyIn(offset, count);
// CHECK-NEXT: Compute(count);
// CHECK-NEXT: CopyOut(offset, count);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: private:
// CHECK-NEXT: // Load one tile of the inputs.
// CHECK-NEXT: __aicore__ inline void CopyIn(int64_t offset, int32_t count)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> inputs = inQueue.AllocTensor<float>();
// CHECK-NEXT: DataCopyPad(inputs[gradOutOffset], gradOutGm[offset],
// CHECK-NEXT: DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
// CHECK-NEXT: DataCopyPadExtParams<float>{false, 0, 0, 0});
// CHECK-NEXT: DataCopyPad(inputs[selfOffset], selfGm[offset],
// CHECK-NEXT: DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
// CHECK-NEXT: DataCopyPadExtParams<float>{false, 0, 0, 0});
// CHECK-NEXT: DataCopyPad(inputs, targetGm[offset],
// CHECK-NEXT: DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
// CHECK-NEXT: DataCopyPadExtParams<float>{false, 0, 0, 0});
// CHECK-NEXT: inQueue.EnQue(inputs);
// CHECK-NEXT: }
// CHECK: // gradInput = clamp(x * scale, -bound, bound) * gradOut; a NaN in x stays.
// CHECK-NEXT: __aicore__ inline void Compute(int32_t count)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<uint8_t> isNumber = isNumberBuf.Get<uint8_t>();
// CHECK-NEXT: LocalTensor<float> inputs = inQueue.DeQue<float>();
// CHECK-NEXT: LocalTensor<float> target = inputs;
// CHECK-NEXT: LocalTensor<float> gradOut = inputs[gradOutOffset];
// CHECK-NEXT: LocalTensor<float> self = inputs[selfOffset];
// CHECK-NEXT: const int32_t wholeCount = (count + 63) / 64 * 64;
// CHECK-NEXT: LocalTensor<float> gradInput = outQueue.AllocTensor<float>();
// CHECK-NEXT: LocalTensor<float> x = gradInput;
// CHECK-NEXT: Sub(x, self, target, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LocalTensor<float> scaled = x;
// CHECK-NEXT: Muls(scaled, x, tiling->scale, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Compare(isNumber, scaled, scaled, CMPMODE::EQ, wholeCount);
// CHECK-NEXT: LocalTensor<float> clamped = self;
// CHECK-NEXT: Mins(clamped, scaled, tiling->bound, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Maxs(clamped, clamped, -tiling->bound, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Select(gradInput, isNumber, clamped, scaled, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Mul(gradInput, gradInput, gradOut, count);
// CHECK-NEXT: inQueue.FreeTensor(inputs);
// CHECK-NEXT: outQueue.EnQue(gradInput);
// CHECK-NEXT: }
// CHECK: // Store one tile of the result.
// CHECK-NEXT: __aicore__ inline void CopyOut(int64_t offset, int32_t count)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> gradInput = outQueue.DeQue<float>();
// CHECK-NEXT: DataCopyPad(gradInputGm[offset], gradInput,
// CHECK-NEXT: DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
// CHECK-NEXT: outQueue.FreeTensor(gradInput);
// CHECK-NEXT: }
// CHECK: TQue<QuePosition::VECIN, 1> inQueue;
// CHECK-NEXT: TQue<QuePosition::VECOUT, 1> outQueue;
// CHECK-NEXT: TBuf<QuePosition::VECCALC> isNumberBuf;
// CHECK-NEXT: GlobalTensor<float> gradOutGm, selfGm, targetGm, gradInputGm;
// CHECK-NEXT: int32_t gradOutOffset = 0;
// CHECK-NEXT: int32_t selfOffset = 0;
// CHECK-NEXT: const SmoothL1LossBackwardTilingData *tiling = nullptr;
// CHECK-NEXT: };
// CHECK: } // namespace LossgradSmoothL1LossBackward
// CHECK: extern "C" __global__ __aicore__ void lossgrad_smooth_l1_loss_backward(GM_ADDR gradOut, GM_ADDR self, GM_ADDR target,
// CHECK-NEXT: GM_ADDR gradInput, GM_ADDR workspace, GM_ADDR tiling)
// CHECK-NEXT: {
// CHECK-NEXT: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// CHECK-NEXT: REGISTER_TILING_DEFAULT(SmoothL1LossBackwardTilingData);
// CHECK-NEXT: GET_TILING_DATA_WITH_STRUCT(SmoothL1LossBackwardTilingData, tilingData, tiling);
// CHECK-NEXT: namespace kernels = LossgradSmoothL1LossBackward;
// CHECK-NEXT: if (TILING_KEY_IS(1)) {
// CHECK-NEXT: LossgradTile::Run<kernels::FlatF32>(tilingData, gradOut, self, target, gradInput);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: #endif // LOSSGRAD_SMOOTH_L1_LOSS_BACKWARD_ARCH2201_H
