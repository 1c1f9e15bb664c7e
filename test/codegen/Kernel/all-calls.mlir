// RUN: %prepare %s | lossgrad-translate --mlir-to-ascendc | FileCheck %s

// Every call once, with its arguments in the order of the C++ signature. The file is also compiled (run-*.test).

!T = !ascendc.type_param<"T", f16, bf16>
!f32 = !ascendc.local<f32>
!i32 = !ascendc.local<i32>
!i16 = !ascendc.local<i16>
!t = !ascendc.local<!T>
!bytes = !ascendc.local<ui8>
!bits = !ascendc.local<i1>
!f32gm = !ascendc.global<f32>
!bytesgm = !ascendc.global<ui8>

ascendc.tiling_struct @AllCallsTilingData {
  ascendc.tiling_member @strides : i64 array 8
  ascendc.tiling_member @count : i32 multiple 256
  ascendc.tiling_member @dtype : i32 "0: half, 1: bfloat16_t"
  ascendc.tiling_member @scale : f32
}

ascendc.program @arch2201 for ["A2", "A3"] operator "AllCalls" file "all_calls" {
  ascendc.kernel @Calls tiling(@AllCallsTilingData) template [!T] (%x: !ascendc.gm_addr loc("x"), %y: !ascendc.gm_addr loc("y")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %lanes = arith.constant 64 : i32
    %first = arith.constant 0 : i64
    %half = arith.constant 5.0e-01 : f32
    %none = arith.constant 0.0 : f32
    %count = ascendc.tiling_field @count : i32
    %dtype = ascendc.tiling_field @dtype : i32
    %scale = ascendc.tiling_field @scale : f32
    %xGm = ascendc.global "xGm", %x : !f32gm
    %rawGm = ascendc.global "rawGm", %x offset %first : !bytesgm
    %yGm = ascendc.global "yGm", %y : !f32gm
    %total = ascendc.variable "total" : !ascendc.var<f32>
    %a = ascendc.buffer "a" [%count] : !f32
    %raw = ascendc.buffer "raw" [%count, 2] : !bytes
    %b = ascendc.buffer "b" [%count] : !f32
    %c = ascendc.buffer "c" [%count] : !f32
    %blocks = ascendc.buffer "blocks" [%count, 8] : !f32
    %t = ascendc.buffer "t" [%count] : !t
    %i = ascendc.buffer "i" [%count] : !i32
    %w = ascendc.buffer "w" [%count] : !i16
    %h = ascendc.buffer "h" [256] : !ascendc.local<f16>
    %h2 = ascendc.buffer "h2" [256] : !ascendc.local<f16>
    %mask = ascendc.buffer "mask" [%count] : !bits
    %result = ascendc.buffer "result" [%count] : !f32

    ascendc.init {
      %isNormal = arith.cmpi sgt, %dtype, %c0 : i32
      scf.if %isNormal {
        ascendc.set_l2_cache_hint %xGm bypass : !f32gm
      } else {
        ascendc.set_l2_cache_hint %xGm : !f32gm
      }
    }
    ascendc.stage copy_in @CopyIn (%offset: i64 loc("offset")) {
      ascendc.data_copy_in %a, %xGm[%offset], %count : !f32, !f32gm
      %doubled = arith.muli %count, %c2 : i32
      ascendc.data_copy_pad_in %raw, %rawGm[%first], %doubled rows(%c1) gm_gap(%offset : i64) ub_gap(%c2) pad(%c8) value(%c0 : i32) : !bytes, !bytesgm
    }
    ascendc.stage compute @Compute () {
      %isHalf = arith.cmpi eq, %dtype, %c0 : i32
      scf.if %isHalf {
        %narrow = ascendc.view %raw : !bytes to !ascendc.local<f16>
        ascendc.cast %b, %narrow, none, %count : !f32, !ascendc.local<f16>
      } else {
        %narrow = ascendc.view %raw : !bytes to !ascendc.local<bf16>
        ascendc.cast %b, %narrow, none, %count : !f32, !ascendc.local<bf16>
      }
      ascendc.add %c, %a, %b, %count : !f32
      ascendc.sub %c, %a, %b mask(%lanes) repeat(%c2) strides [1, 1, 1, 8, 8, 0] : !f32
      ascendc.mul %c, %a, %b, %count : !f32
      ascendc.div %c, %a, %b, %count : !f32
      ascendc.max %c, %a, %b, %count : !f32
      ascendc.min %c, %a, %b, %count : !f32
      ascendc.exp %c, %a, %count : !f32
      ascendc.ln %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8, 8] : !f32
      ascendc.sqrt %c, %a, %count : !f32
      ascendc.rsqrt %c, %a, %count : !f32
      ascendc.reciprocal %c, %a, %count : !f32
      ascendc.abs %c, %a, %count : !f32
      ascendc.relu %c, %a, %count : !f32
      ascendc.adds %c, %a, %half, %count : !f32, f32
      ascendc.muls %c, %a, %scale mask(%lanes) repeat(%c2) strides [1, 1, 8, 8] : !f32, f32
      ascendc.maxs %c, %a, %scale, %count : !f32, f32
      ascendc.mins %c, %a, %scale, %count : !f32, f32
      ascendc.leaky_relu %c, %a, %half, %count : !f32, f32
      ascendc.axpy %c, %a, %scale, %count : !f32, !f32, f32
      ascendc.mul_add_dst %c, %a, %b, %count : !f32, !f32, !f32
      ascendc.fused_mul_add %c, %a, %b, %count : !f32, !f32, !f32
      ascendc.cast %t, %c, rint, %count : !t, !f32
      ascendc.cast %c, %t, none mask(%lanes) repeat(%c2) strides [1, 1, 8, 4] : !f32, !t
      ascendc.create_vec_index %i, %c0, %count : !i32, i32
      ascendc.arith_progression %i, %c0, %c8, %count : !i32, i32, i32
      ascendc.shift_left %i, %i, %c1, %count : !i32, i32
      ascendc.shift_right %i, %i, %c1, %count : !i32, i32
      ascendc.compare %mask, %i, %i, eq, %count : !bits, !i32, !i32
      ascendc.duplicate %w, %c1, %count : !i16, i32
      ascendc.and %w, %w, %w, %count : !i16
      ascendc.or %w, %w, %w, %count : !i16
      ascendc.not %w, %w, %count : !i16
      ascendc.compare_scalar %mask, %a, %none, ne, %count : !bits, !f32, f32
      ascendc.select %c, %mask, %a, %b, %count : !f32, !bits, !f32, !f32
      ascendc.select_scalar %c, %mask, %a, %scale, %count : !f32, !bits, !f32, f32
      ascendc.brcb %blocks, %a repeat(%c2) strides [1, 8] : !f32
      ascendc.copy %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8, 0] : !f32
      ascendc.data_copy_local %c, %a, %count : !f32
      %offsets = ascendc.view %i : !i32 to !ascendc.local<ui32> loc("offsets")
      ascendc.duplicate %i, %c0, %count : !i32, i32
      ascendc.gather %c, %a, %offsets, %c0, %count : !f32, !f32, !ascendc.local<ui32>
      ascendc.duplicate %h, %half, %lanes : !ascendc.local<f16>, f32
      ascendc.transpose %h2, %h : !ascendc.local<f16>
      ascendc.whole_reduce_sum %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.whole_reduce_max %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.whole_reduce_min %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.block_reduce_sum %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.block_reduce_max %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.block_reduce_min %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.pair_reduce_sum %c, %a mask(%lanes) repeat(%c2) strides [1, 1, 8] : !f32
      ascendc.reduce_sum %c, %a, %b, %count : !f32
      ascendc.reduce_max %c, %a, %b, %count : !f32
      ascendc.reduce_min %c, %a, %b, %count : !f32
      %head = ascendc.get_value %c[%c0 : i32] : !f32 to f32 loc("head")
      // A sum over a loop: the variable of the loop is the result.
      %sum = scf.for %index = %c0 to %c8 step %c1 iter_args(%partial = %head) -> (f32) : i32 {
        %at = ascendc.get_value %c[%index : i32] : !f32 to f32 loc("element")
        %next = arith.addf %partial, %at : f32
        scf.yield %next : f32
      } loc("sum")
      ascendc.assign %total, %sum : !ascendc.var<f32>, f32
      %sumAgain = ascendc.read %total : !ascendc.var<f32> -> f32 loc("sumAgain")
      ascendc.duplicate %result, %sumAgain, %count : !f32, f32
      ascendc.set_value %result[%c0 : i32], %half : !f32, f32
    }
    ascendc.stage copy_out @CopyOut (%offset: i64 loc("offset")) {
      ascendc.set_atomic_add f32
      ascendc.data_copy_out %yGm[%offset], %result, %count : !f32gm, !f32
      ascendc.data_copy_pad_out %yGm[%offset], %result, %lanes rows(%c2) gm_gap(%offset : i64) ub_gap(%c1) : !f32gm, !f32
      ascendc.set_atomic_none
    }
    ascendc.process {
      %core = ascendc.get_block_idx
      %stride = ascendc.tiling_field @strides[%c1 : i32] : i64
      %offset = arith.muli %core, %stride : i64 loc("offset")
      ascendc.run @CopyIn(%offset) : i64
      ascendc.run @Compute()
      ascendc.run @CopyOut(%offset) : i64
      ascendc.sync_all
      %value = ascendc.global_get_value %xGm[%first : i64] : !f32gm to f32 loc("value")
      ascendc.global_set_value %yGm[%first : i64], %value : !f32gm, f32
    }
  }
  ascendc.entry @all_calls tiling(@AllCallsTilingData) syncs (%x: !ascendc.gm_addr loc("x"), %y: !ascendc.gm_addr loc("y"), %workspace: !ascendc.gm_addr loc("workspace")) {
    ascendc.key 1 { ascendc.launch @Calls<[f16]>(%x, %y) : !ascendc.gm_addr, !ascendc.gm_addr }
    ascendc.key 2 { ascendc.launch @Calls<[bf16]>(%x, %y) : !ascendc.gm_addr, !ascendc.gm_addr }
  }
}

// CHECK: class Calls {
// CHECK: if (tiling->dtype > 0) {
// CHECK-NEXT: xGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
// CHECK-NEXT: } else {
// CHECK-NEXT: xGm.SetL2CacheHint(CacheMode::CACHE_MODE_NORMAL);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: __aicore__ inline void Process()
// CHECK-NEXT: {
// CHECK-NEXT: const int64_t offset = GetBlockIdx() * tiling->strides[1];
// CHECK-NEXT: CopyIn(offset);
// CHECK-NEXT: Compute();
// CHECK-NEXT: CopyOut(offset);
// CHECK-NEXT: SyncAll();
// CHECK-NEXT: const float value = xGm.GetValue(0);
// CHECK-NEXT: yGm.SetValue(0, value);
// CHECK-NEXT: }
// CHECK: __aicore__ inline void Compute()
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<half> h2 = h2Buf.Get<half>();
// CHECK-NEXT: LocalTensor<half> h = hBuf.Get<half>();
// CHECK-NEXT: LocalTensor<int16_t> w = wBuf.Get<int16_t>();
// CHECK-NEXT: LocalTensor<int32_t> i = iBuf.Get<int32_t>();
// CHECK-NEXT: LocalTensor<float> blocks = blocksBuf.Get<float>();
// CHECK-NEXT: LocalTensor<float> c = cBuf.Get<float>();
// CHECK-NEXT: LocalTensor<uint8_t> inputs = inQueue.DeQue<uint8_t>();
// CHECK-NEXT: LocalTensor<uint8_t> raw = inputs;
// CHECK-NEXT: LocalTensor<uint8_t> mask = raw;
// CHECK-NEXT: LocalTensor<T> t = raw.ReinterpretCast<T>();
// CHECK-NEXT: LocalTensor<float> a = inputs[aOffset].ReinterpretCast<float>();
// CHECK-NEXT: LocalTensor<float> result = outQueue.AllocTensor<float>();
// CHECK-NEXT: LocalTensor<float> b = result;
// CHECK-NEXT: if (tiling->dtype == 0) {
// CHECK-NEXT: Cast(b, raw.ReinterpretCast<half>(), RoundMode::CAST_NONE, tiling->count);
// CHECK-NEXT: } else {
// CHECK-NEXT: Cast(b, raw.ReinterpretCast<bfloat16_t>(), RoundMode::CAST_NONE, tiling->count);
// CHECK-NEXT: }
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Add(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Sub(c, a, b, 64, 2, {1, 1, 1, 8, 8, 0});
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Mul(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Div(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Max(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Min(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Exp(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Ln(c, a, 64, 2, {1, 1, 8, 8});
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Sqrt(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Rsqrt(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Reciprocal(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Abs(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Relu(c, a, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Adds(c, a, 0.5f, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Muls(c, a, tiling->scale, 64, 2, {1, 1, 8, 8});
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Maxs(c, a, tiling->scale, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Mins(c, a, tiling->scale, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: LeakyRelu(c, a, 0.5f, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Axpy(c, a, tiling->scale, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: MulAddDst(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: FusedMulAdd(c, a, b, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Cast(t, c, RoundMode::CAST_RINT, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Cast(c, t, RoundMode::CAST_NONE, 64, 2, {1, 1, 8, 4});
// CHECK-NEXT: CreateVecIndex(i, 0, static_cast<uint32_t>(tiling->count));
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: ArithProgression(i, 0, 8, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: ShiftLeft(i, i, 1, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: ShiftRight(i, i, 1, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Compare(mask, i, i, CMPMODE::EQ, tiling->count);
// CHECK-NEXT: Duplicate(w, static_cast<int16_t>(1), tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: And(w, w, w, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Or(w, w, w, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Not(w, w, tiling->count);
// CHECK-NEXT: CompareScalar(mask, a, 0.0f, CMPMODE::NE, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Select(c, mask, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Select(c, mask, a, tiling->scale, SELMODE::VSEL_TENSOR_SCALAR_MODE, tiling->count);
// CHECK-NEXT: Brcb(blocks, a, 2, {1, 8});
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Copy(c, a, 64, 2, {1, 1, 8, 0});
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: DataCopy(c, a, tiling->count);
// CHECK-NEXT: LocalTensor<uint32_t> offsets = i.ReinterpretCast<uint32_t>();
// CHECK-NEXT: Duplicate(i, 0, tiling->count);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Gather(c, a, offsets, 0, static_cast<uint32_t>(tiling->count));
// CHECK-NEXT: Duplicate(h, static_cast<half>(0.5f), 64);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: Transpose(h2, h);
// CHECK-NEXT: WholeReduceSum(c, a, 64, 2, 1, 1, 8);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: WholeReduceMax(c, a, 64, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: WholeReduceMin(c, a, 64, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: BlockReduceSum(c, a, 2, 64, 1, 1, 8);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: BlockReduceMax(c, a, 2, 64, 1, 1, 8);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: BlockReduceMin(c, a, 2, 64, 1, 1, 8);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: PairReduceSum(c, a, 2, 64, 1, 1, 8);
// CHECK-NEXT: PipeBarrier<PIPE_V>();
// CHECK-NEXT: ReduceSum(c, a, b, tiling->count);
// CHECK-NEXT: ReduceMax(c, a, b, tiling->count);
// CHECK-NEXT: ReduceMin(c, a, b, tiling->count);
// CHECK-NEXT: inQueue.FreeTensor(inputs);
// CHECK-NEXT: const float head = c.GetValue(0);
// CHECK-NEXT: float sum = head;
// CHECK-NEXT: for (int32_t index = 0; index < 8; ++index) {
// CHECK-NEXT: const float element = c.GetValue(index);
// CHECK-NEXT: sum = sum + element;
// CHECK-NEXT: }
// CHECK-NEXT: total = sum;
// CHECK-NEXT: const float sumAgain = total;
// CHECK-NEXT: Duplicate(result, sumAgain, tiling->count);
// CHECK-NEXT: const event_t eventVS = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
// CHECK-NEXT: SetFlag<HardEvent::V_S>(eventVS);
// CHECK-NEXT: WaitFlag<HardEvent::V_S>(eventVS);
// CHECK-NEXT: result.SetValue(0, 0.5f);
// CHECK-NEXT: const event_t eventSMte3 = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
// CHECK-NEXT: SetFlag<HardEvent::S_MTE3>(eventSMte3);
// CHECK-NEXT: WaitFlag<HardEvent::S_MTE3>(eventSMte3);
// CHECK-NEXT: outQueue.EnQue(result);
// CHECK-NEXT: }
// CHECK: __aicore__ inline void CopyOut(int64_t offset)
// CHECK-NEXT: {
// CHECK-NEXT: LocalTensor<float> result = outQueue.DeQue<float>();
// CHECK-NEXT: SetAtomicAdd<float>();
// CHECK-NEXT: DataCopy(yGm[offset], result, tiling->count);
// CHECK-NEXT: DataCopyPad(yGm[offset], result,
// CHECK-NEXT: DataCopyExtParams{2, static_cast<uint32_t>(64 * sizeof(float)), 1,
// CHECK-NEXT: static_cast<uint32_t>(offset * sizeof(float)), 0});
// CHECK-NEXT: outQueue.FreeTensor(result);
// CHECK-NEXT: SetAtomicNone();
// CHECK-NEXT: }
// CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
