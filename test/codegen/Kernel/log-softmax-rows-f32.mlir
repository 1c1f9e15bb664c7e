// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc | FileCheck %s
// LogSoftmaxBackward, one row at a time, the row stays in UB:
// gradInput = gradOutput - exp(output) * sum(gradOutput).
!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>

ascendc.tiling_struct @LogSoftmaxBackwardTilingData {
  ascendc.tiling_member @rows : i64 "rows"
  ascendc.tiling_member @cols : i32 "elements of a row"
  ascendc.tiling_member @pitch : i32 multiple 128 "elements of a row in UB"
}

ascendc.program @arch2201 for ["A2", "A3"] operator "LogSoftmaxBackward" file "lossgrad_log_softmax_backward"
    formula ["gradInput = gradOutput - exp(output) * sum(gradOutput over the row)"] {

  ascendc.kernel @RowF32 tiling(@LogSoftmaxBackwardTilingData) schedule "one row per tile, resident"
      (%gradOutput: !gm loc("gradOutput"), %output: !gm loc("output"), %gradInput: !gm loc("gradInput")) {
    %zero = arith.constant 0 : i32
    %rows = ascendc.tiling_field @rows : i64
    %cols = ascendc.tiling_field @cols : i32
    %pitch = ascendc.tiling_field @pitch : i32
    %gradOutputGm = ascendc.global "gradOutputGm", %gradOutput : !f32gm
    %outputGm = ascendc.global "outputGm", %output : !f32gm
    %gradInputGm = ascendc.global "gradInputGm", %gradInput : !f32gm
    %grad = ascendc.buffer "gradOutput" [%pitch] : !f32
    %out = ascendc.buffer "output" [%pitch] : !f32
    %sum = ascendc.buffer "sum" [8] : !f32
    %work = ascendc.buffer "work" [%pitch] : !f32
    %p = ascendc.buffer "p" [%pitch] : !f32
    %q = ascendc.buffer "q" [%pitch] : !f32
    %y = ascendc.buffer "gradInput" [%pitch] : !f32

    ascendc.stage copy_in @CopyIn doc "Load one row." (%offset: i64 loc("offset")) {
      ascendc.data_copy_pad_in %grad, %gradOutputGm[%offset], %cols : !f32, !f32gm
      ascendc.data_copy_pad_in %out, %outputGm[%offset], %cols : !f32, !f32gm
    }
    ascendc.stage compute @Compute doc "Sum the row, then gradInput = gradOutput - exp(output) * sum." () {
      ascendc.reduce_sum %sum, %grad, %work, %cols : !f32
      ascendc.exp %p, %out, %cols : !f32
      %rowSum = ascendc.get_value %sum[%zero : i32] : !f32 to f32 loc("rowSum")
      ascendc.muls %q, %p, %rowSum, %cols : !f32, f32
      ascendc.sub %y, %grad, %q, %cols : !f32
    }
    ascendc.stage copy_out @CopyOut doc "Store one row." (%offset: i64 loc("offset")) {
      ascendc.data_copy_pad_out %gradInputGm[%offset], %y, %cols : !f32gm, !f32
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      %cores = ascendc.get_block_num
      %cols64 = arith.extsi %cols : i32 to i64
      scf.for %row = %core to %rows step %cores : i64 {
        %offset = arith.muli %row, %cols64 : i64 loc("offset")
        ascendc.run @CopyIn(%offset) : i64
        ascendc.run @Compute()
        ascendc.run @CopyOut(%offset) : i64
      } loc("row")
    }
  }

  ascendc.entry @lossgrad_log_softmax_backward tiling(@LogSoftmaxBackwardTilingData)
      (%gradOutput: !gm loc("gradOutput"), %output: !gm loc("output"), %gradInput: !gm loc("gradInput"), %workspace: !gm loc("workspace")) {
    ascendc.key 1 {
      ascendc.launch @RowF32(%gradOutput, %output, %gradInput) : !gm, !gm, !gm
    }
  }
}

// CHECK: pipe->InitBuffer(inQueue, 2, tiling->pitch * 2 * sizeof(float));
// CHECK-NEXT: // A gap keeps operands in different banks.
// CHECK-NEXT: pipe->InitBuffer(outQueue, 2, (tiling->pitch + 128) * sizeof(float));
// CHECK-NEXT: pipe->InitBuffer(sumBuf, sizeof(float) * 8);
// CHECK: __aicore__ inline void Compute()
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> sum = sumBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> inputs = inQueue.DeQue<float>();
// CHECK-NEXT: LocalTensor<float> gradOutput = inputs;
// CHECK-NEXT: LocalTensor<float> output = inputs[tiling->pitch];
// CHECK-NEXT: LocalTensor<float> results = outQueue.AllocTensor<float>();
// CHECK-NEXT: LocalTensor<float> work = results[64];
// CHECK-NEXT: const event_t eventSV = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
// CHECK-NEXT: SetFlag<HardEvent::S_V>(eventSV);
// CHECK-NEXT: WaitFlag<HardEvent::S_V>(eventSV);
// CHECK-NEXT: ReduceSum(sum, gradOutput, work, tiling->cols);
// CHECK-NEXT: LocalTensor<float> gradInput = work;
// CHECK-NEXT: Exp(gradInput, output, tiling->cols);
// CHECK-NEXT: const float rowSum = sum.GetValue(0);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Muls(gradInput, gradInput, rowSum, tiling->cols);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Sub(gradInput, gradOutput, gradInput, tiling->cols);
// CHECK-NEXT: inQueue.FreeTensor(inputs);
// CHECK-NEXT: outQueue.EnQue(results);
// CHECK-NEXT: }
