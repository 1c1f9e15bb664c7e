// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc | FileCheck %s
// SmoothL1LossBackward on [rows, cols]: target is one row for all rows, gradOut one element per row.
// The row stays in UB; the column is spread over blocks (Brcb) and multiplied with block stride 0.
!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>

ascendc.tiling_struct @SmoothL1LossBackwardTilingData {
  ascendc.tiling_member @rows : i64 "rows of the output"
  ascendc.tiling_member @tileCount : i64 "tiles over all cores"
  ascendc.tiling_member @cols : i32 "elements of a row"
  ascendc.tiling_member @pitch : i32 multiple 8 "elements of a row in UB"
  ascendc.tiling_member @tileRows : i32 multiple 8 "rows per tile, at most 248"
  ascendc.tiling_member @scale : f32 "k / beta"
  ascendc.tiling_member @bound : f32 "k"
}

ascendc.program @arch2201 for ["A2", "A3"] operator "SmoothL1LossBackward"
    file "lossgrad_smooth_l1_loss_backward"
    formula ["x = self - target", "gradInput = clamp(x * k / beta, -k, k) * gradOut"] {

  ascendc.kernel @RowsF32 tiling(@SmoothL1LossBackwardTilingData)
      schedule "target repeats by rows, gradOut by lanes; tiles of rows"
      (%gradOut: !gm loc("gradOut"), %self: !gm loc("self"), %target: !gm loc("target"), %gradInput: !gm loc("gradInput")) {
    %zero = arith.constant 0 : i64
    %zero32 = arith.constant 0 : i32
    %eight = arith.constant 8 : i32
    %lanes = arith.constant 64 : i32
    %rows = ascendc.tiling_field @rows : i64
    %tileCount = ascendc.tiling_field @tileCount : i64
    %cols = ascendc.tiling_field @cols : i32
    %pitch = ascendc.tiling_field @pitch : i32
    %tileRows = ascendc.tiling_field @tileRows : i32
    %scale = ascendc.tiling_field @scale : f32
    %bound = ascendc.tiling_field @bound : f32
    %lower = arith.negf %bound : f32
    %pitchBlocks = arith.divsi %pitch, %eight : i32 loc("pitchBlocks")

    %gradOutGm = ascendc.global "gradOutGm", %gradOut : !f32gm
    %selfGm = ascendc.global "selfGm", %self : !f32gm
    %targetGm = ascendc.global "targetGm", %target : !f32gm
    %gradInputGm = ascendc.global "gradInputGm", %gradInput : !f32gm

    %targetRow = ascendc.buffer "targetRow" [%pitch] lifetime resident : !f32
    %gradOutTile = ascendc.buffer "gradOut" [%tileRows] : !f32
    %selfTile = ascendc.buffer "self" [%tileRows, %pitch] : !f32
    %gradOutBlocks = ascendc.buffer "gradOutBlocks" [%tileRows, 8] : !f32
    %x = ascendc.buffer "x" [%tileRows, %pitch] : !f32
    %scaled = ascendc.buffer "scaled" [%tileRows, %pitch] : !f32
    %below = ascendc.buffer "below" [%tileRows, %pitch] : !f32
    %clamped = ascendc.buffer "clamped" [%tileRows, %pitch] : !f32
    %y = ascendc.buffer "gradInput" [%tileRows, %pitch] : !f32

    ascendc.init {
      ascendc.data_copy_pad_in %targetRow, %targetGm[%zero], %cols : !f32, !f32gm
    }
    ascendc.stage copy_in @CopyIn doc "Load rows of self and their elements of gradOut." (%row: i64 loc("row"), %count: i32 loc("rowCount")) {
      %cols64 = arith.extsi %cols : i32 to i64
      %offset = arith.muli %row, %cols64 : i64
      ascendc.data_copy_pad_in %gradOutTile, %gradOutGm[%row], %count : !f32, !f32gm
      ascendc.data_copy_pad_in %selfTile, %selfGm[%offset], %cols rows(%count) : !f32, !f32gm
    }
    ascendc.stage compute @Compute doc "gradInput = clamp((self - target) * scale, -bound, bound) * gradOut, 64 columns at a time where a row or column is repeated." (%count: i32 loc("rowCount")) {
      %repeats = arith.ceildivsi %count, %eight : i32
      ascendc.brcb %gradOutBlocks, %gradOutTile repeat(%repeats) strides [1, 8] : !f32
      %length = arith.muli %count, %pitch : i32 loc("length")
      scf.for %col = %zero32 to %pitch step %lanes : i32 {
        %left = arith.subi %pitch, %col : i32 loc("left")
        %mask = arith.minsi %left, %lanes : i32 loc("mask")
        %xAt = ascendc.view %x[%col] : !f32 to !f32
        %selfAt = ascendc.view %selfTile[%col] : !f32 to !f32
        %rowAt = ascendc.view %targetRow[%col] : !f32 to !f32
        ascendc.sub %xAt, %selfAt, %rowAt mask(%mask) repeat(%count) strides [1, 1, 1, %pitchBlocks, %pitchBlocks, 0] : !f32
      } {ascendc.independent} loc("col")
      ascendc.muls %scaled, %x, %scale, %length : !f32, f32
      ascendc.mins %below, %scaled, %bound, %length : !f32, f32
      ascendc.maxs %clamped, %below, %lower, %length : !f32, f32
      scf.for %col = %zero32 to %pitch step %lanes : i32 {
        %left = arith.subi %pitch, %col : i32 loc("left")
        %mask = arith.minsi %left, %lanes : i32 loc("mask")
        %yAt = ascendc.view %y[%col] : !f32 to !f32
        %clampedAt = ascendc.view %clamped[%col] : !f32 to !f32
        ascendc.mul %yAt, %clampedAt, %gradOutBlocks mask(%mask) repeat(%count) strides [1, 1, 0, %pitchBlocks, %pitchBlocks, 1] : !f32
      } {ascendc.independent} loc("col")
    }
    ascendc.stage copy_out @CopyOut doc "Store the rows." (%row: i64 loc("row"), %count: i32 loc("rowCount")) {
      %cols64 = arith.extsi %cols : i32 to i64
      %offset = arith.muli %row, %cols64 : i64
      ascendc.data_copy_pad_out %gradInputGm[%offset], %y, %cols rows(%count) : !f32gm, !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      %cores = ascendc.get_block_num
      %tile64 = arith.extsi %tileRows : i32 to i64
      scf.for %tile = %core to %tileCount step %cores : i64 {
        %row = arith.muli %tile, %tile64 : i64 loc("row")
        %left = arith.subi %rows, %row : i64 loc("left")
        %least = arith.minsi %left, %tile64 : i64
        %count = arith.trunci %least : i64 to i32 loc("rowCount")
        ascendc.run @CopyIn(%row, %count) : i64, i32
        ascendc.run @Compute(%count) : i32
        ascendc.run @CopyOut(%row, %count) : i64, i32
      } loc("tile")
    }
  }

  ascendc.entry @lossgrad_smooth_l1_loss_backward tiling(@SmoothL1LossBackwardTilingData)
      (%gradOut: !gm loc("gradOut"), %self: !gm loc("self"), %target: !gm loc("target"), %gradInput: !gm loc("gradInput"), %workspace: !gm loc("workspace")) {
    ascendc.key 1 {
      ascendc.launch @RowsF32(%gradOut, %self, %target, %gradInput) : !gm, !gm, !gm, !gm
    }
  }
}

// CHECK: pipe->InitBuffer(inQueue, 2, (paddedPitchTileRows + paddedTileRows + 128) * sizeof(float));
// CHECK-NEXT: selfOffset = paddedTileRows + 64;
// CHECK-NEXT: pipe->InitBuffer(outQueue, 2, paddedPitchTileRows * sizeof(float));
// CHECK-NEXT: const int32_t paddedPitch = (tiling->pitch + 127) / 128 * 128;
// CHECK-NEXT: pipe->InitBuffer(targetRowBuf, paddedPitch * sizeof(float));
// CHECK-NEXT: const int32_t paddedTileRows2 = (tiling->tileRows + 15) / 16 * 128;
// CHECK-NEXT: pipe->InitBuffer(gradOutBlocksBuf, paddedTileRows2 * sizeof(float));
// CHECK-NEXT: LocalTensor<float> targetRow = targetRowBuf.Get<float>();
// CHECK-NEXT: DataCopyPad(targetRow, targetGm,
// CHECK-NEXT: DataCopyExtParams{1, static_cast<uint32_t>(tiling->cols * sizeof(float)), 0, 0, 0},
// CHECK-NEXT: DataCopyPadExtParams<float>{false, 0, 0, 0});
// CHECK-NEXT: const event_t eventMte2V = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
// CHECK-NEXT: SetFlag<HardEvent::MTE2_V>(eventMte2V);
// CHECK-NEXT: WaitFlag<HardEvent::MTE2_V>(eventMte2V);
// CHECK: __aicore__ inline void Compute(int32_t rowCount)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> gradOutBlocks = gradOutBlocksBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> targetRow = targetRowBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> inputs = inQueue.DeQue<float>();
// CHECK-NEXT: LocalTensor<float> gradOut = inputs;
// CHECK-NEXT: LocalTensor<float> self = inputs[selfOffset];
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Brcb(gradOutBlocks, gradOut, static_cast<uint8_t>((rowCount + 7) / 8), {1, 8});
// CHECK-NEXT: const int32_t length = rowCount * tiling->pitch;
// CHECK-NEXT: LocalTensor<float> gradInput = outQueue.AllocTensor<float>();
// CHECK-NEXT: LocalTensor<float> x = gradInput;
// CHECK-NEXT: for (int32_t col = 0; col < tiling->pitch; col += 64) {
// CHECK-NEXT: const int32_t left = tiling->pitch - col;
// CHECK-NEXT: const int32_t mask = left < 64 ? left : 64;
// CHECK-NEXT: Sub(x[col], self[col], targetRow[col], static_cast<uint64_t>(mask), static_cast<uint8_t>(rowCount),
// CHECK-NEXT: {1, 1, 1, static_cast<uint8_t>(pitchBlocks), static_cast<uint8_t>(pitchBlocks), 0});
// CHECK-NEXT: }
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LocalTensor<float> below = x;
// CHECK-NEXT: Muls(below, x, tiling->scale, length);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Mins(below, below, tiling->bound, length);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LocalTensor<float> clamped = self;
// CHECK-NEXT: Maxs(clamped, below, -tiling->bound, length);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: for (int32_t col = 0; col < tiling->pitch; col += 64) {
// CHECK-NEXT: const int32_t left = tiling->pitch - col;
// CHECK-NEXT: const int32_t mask = left < 64 ? left : 64;
// CHECK-NEXT: Mul(gradInput[col], clamped[col], gradOutBlocks, static_cast<uint64_t>(mask),
// CHECK-NEXT: static_cast<uint8_t>(rowCount),
// CHECK-NEXT: {1, 1, 0, static_cast<uint8_t>(pitchBlocks), static_cast<uint8_t>(pitchBlocks), 1});
// CHECK-NEXT: }
// CHECK-NEXT: inQueue.FreeTensor(inputs);
// CHECK-NEXT: outQueue.EnQue(gradInput);
// CHECK-NEXT: }
