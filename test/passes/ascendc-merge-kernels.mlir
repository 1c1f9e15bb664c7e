// Kernels that differ in their element types become one class template: what
// they share once, the rest in cases. Those with too little in common stay.
// RUN: lossgrad-opt %s --ascendc-fix-names --ascendc-merge-kernels | FileCheck %s
// RUN: lossgrad-opt %s --ascendc-fix-names --ascendc-merge-kernels --ascendc-prepare-for-emission | lossgrad-translate --mlir-to-ascendc | FileCheck %s --check-prefix=TEXT

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
!Narrow = !ascendc.type_param<"T", f16, bf16>
!narrow = !ascendc.local<!Narrow>
!narrowgm = !ascendc.global<!Narrow>

ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @tileLength : i32 multiple 256
  ascendc.tiling_member @scale : f32
}

ascendc.program @arch2201 for ["A2"] operator "Op" file "op" {
  ascendc.kernel @FlatF32 tiling(@Tiling) schedule "flat" group "Flat" of f32
      (%self: !gm loc("self"), %out: !gm loc("out")) {
    %tileLength = ascendc.tiling_field @tileLength : i32 loc("tileLength")
    %scale = ascendc.tiling_field @scale : f32 loc("scale")
    %size = ascendc.size_of f32
    %bytes = arith.muli %tileLength, %size : i32
    %selfGm = ascendc.global "selfGm", %self : !f32gm
    %outGm = ascendc.global "outGm", %out : !f32gm
    %inQueue = ascendc.queue_member "inQueue" blocks 2 bytes %bytes : !ascendc.queue<vecin>
    %outQueue = ascendc.queue_member "outQueue" blocks 2 bytes %bytes : !ascendc.queue<vecout>
    %powerBytes = arith.constant 1024 : i32
    %powerBuf = ascendc.tbuf_member "powerBuf" bytes %powerBytes : !ascendc.tbuf
    %lastBuf = ascendc.tbuf_member "lastBuf" bytes %powerBytes : !ascendc.tbuf
    ascendc.stage copy_in @CopyIn (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      %x = ascendc.alloc_tensor %inQueue : !ascendc.queue<vecin> to !f32 loc("self")
      ascendc.load_dense %x, %selfGm[%offset], %count : !f32, !f32gm
      ascendc.en_que %inQueue, %x : !ascendc.queue<vecin>, !f32
    }
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      %x = ascendc.de_que %inQueue : !ascendc.queue<vecin> to !f32 loc("self")
      %y = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !f32 loc("out")
      ascendc.muls %y, %x, %scale, %count : !f32, f32
      ascendc.pipe_barrier V
      %power = ascendc.tbuf_get %powerBuf : !f32 loc("power")
      ascendc.exp %power, %y, %count : !f32
      ascendc.pipe_barrier V
      ascendc.add %y, %power, %x, %count : !f32
      ascendc.free_tensor %inQueue, %x : !ascendc.queue<vecin>, !f32
      ascendc.en_que %outQueue, %y : !ascendc.queue<vecout>, !f32
    }
    ascendc.stage copy_out @CopyOut (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      %y = ascendc.de_que %outQueue : !ascendc.queue<vecout> to !f32 loc("out")
      ascendc.store_dense %outGm[%offset], %y, %count : !f32gm, !f32
      ascendc.free_tensor %outQueue, %y : !ascendc.queue<vecout>, !f32
    }
    ascendc.process {
      %offset = arith.constant 0 : i64
      %count = arith.constant 64 : i32
      ascendc.run @CopyIn(%offset, %count) : i64, i32
      ascendc.run @Compute(%count) : i32
      ascendc.run @CopyOut(%offset, %count) : i64, i32
    }
  }

  ascendc.kernel @Flat16 tiling(@Tiling) template [!Narrow] schedule "flat" group "Flat" of !Narrow
      (%self: !gm loc("self"), %out: !gm loc("out")) {
    %tileLength = ascendc.tiling_field @tileLength : i32 loc("tileLength")
    %scale = ascendc.tiling_field @scale : f32 loc("scale")
    %size = ascendc.size_of !Narrow
    %bytes = arith.muli %tileLength, %size : i32
    %wideSize = ascendc.size_of f32
    %wideBytes = arith.muli %tileLength, %wideSize : i32
    %selfGm = ascendc.global "selfGm", %self : !narrowgm
    %outGm = ascendc.global "outGm", %out : !narrowgm
    %inQueue = ascendc.queue_member "inQueue" blocks 2 bytes %bytes : !ascendc.queue<vecin>
    %outQueue = ascendc.queue_member "outQueue" blocks 2 bytes %bytes : !ascendc.queue<vecout>
    %powerBytes = arith.constant 1024 : i32
    %powerBuf = ascendc.tbuf_member "powerBuf" bytes %powerBytes : !ascendc.tbuf
    %selfBuf = ascendc.tbuf_member "selfF32Buf" bytes %wideBytes : !ascendc.tbuf
    %sumBuf = ascendc.tbuf_member "sumBuf" bytes %wideBytes : !ascendc.tbuf
    %lastBuf = ascendc.tbuf_member "lastBuf" bytes %powerBytes : !ascendc.tbuf
    ascendc.stage copy_in @CopyIn (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      %x = ascendc.alloc_tensor %inQueue : !ascendc.queue<vecin> to !narrow loc("self")
      ascendc.load_dense %x, %selfGm[%offset], %count : !narrow, !narrowgm
      ascendc.en_que %inQueue, %x : !ascendc.queue<vecin>, !narrow
    }
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      %wide = ascendc.tbuf_get %selfBuf : !f32 loc("selfF32")
      %sum = ascendc.tbuf_get %sumBuf : !f32 loc("sum")
      %power = ascendc.tbuf_get %powerBuf : !f32 loc("power")
      %x = ascendc.de_que %inQueue : !ascendc.queue<vecin> to !narrow loc("self")
      ascendc.cast %wide, %x, none, %count : !f32, !narrow
      ascendc.free_tensor %inQueue, %x : !ascendc.queue<vecin>, !narrow
      ascendc.pipe_barrier V
      ascendc.muls %sum, %wide, %scale, %count : !f32, f32
      ascendc.pipe_barrier V
      ascendc.exp %power, %sum, %count : !f32
      ascendc.pipe_barrier V
      ascendc.add %sum, %power, %wide, %count : !f32
      %y = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !narrow loc("out")
      ascendc.pipe_barrier V
      ascendc.cast %y, %sum, rint, %count : !narrow, !f32
      ascendc.en_que %outQueue, %y : !ascendc.queue<vecout>, !narrow
    }
    ascendc.stage copy_out @CopyOut (%offset: i64 loc("offset"), %count: i32 loc("count")) {
      %y = ascendc.de_que %outQueue : !ascendc.queue<vecout> to !narrow loc("out")
      ascendc.store_dense %outGm[%offset], %y, %count : !narrowgm, !narrow
      ascendc.free_tensor %outQueue, %y : !ascendc.queue<vecout>, !narrow
    }
    ascendc.process {
      %offset = arith.constant 0 : i64
      %count = arith.constant 64 : i32
      ascendc.run @CopyIn(%offset, %count) : i64, i32
      ascendc.run @Compute(%count) : i32
      ascendc.run @CopyOut(%offset, %count) : i64, i32
    }
  }

  // Nothing in common but the frame.
  ascendc.kernel @OtherF32 tiling(@Tiling) schedule "other" group "Other" of f32 (%self: !gm loc("self"), %out: !gm loc("out")) {
    ascendc.process {
      ascendc.sync_all
    }
  }
  ascendc.kernel @Other16 tiling(@Tiling) template [!Narrow] schedule "other" group "Other" of !Narrow (%self: !gm loc("self"), %out: !gm loc("out")) {
    ascendc.process {
      ascendc.pipe_barrier V
    }
  }

  ascendc.entry @op tiling(@Tiling) (%self: !gm loc("self"), %out: !gm loc("out"), %workspace: !gm loc("workspace")) {
    ascendc.key 1 { ascendc.launch @FlatF32(%self, %out) : !gm, !gm }
    ascendc.key 2 { ascendc.launch @Flat16<[f16]>(%self, %out) : !gm, !gm }
    ascendc.key 3 { ascendc.launch @Flat16<[bf16]>(%self, %out) : !gm, !gm }
    ascendc.key 4 { ascendc.launch @OtherF32(%self, %out) : !gm, !gm }
    ascendc.key 5 { ascendc.launch @Other16<[f16]>(%self, %out) : !gm, !gm }
  }
}
// CHECK-LABEL: ascendc.kernel @Flat tiling(@Tiling) template [!ascendc.type_param<"T", f32, f16, bf16>] schedule "flat" of !ascendc.type_param<"T", f32, f16, bf16>
// CHECK: %[[SIZE:.*]] = ascendc.size_of !ascendc.type_param<"T", f32, f16, bf16>
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %[[SIZE]] : i32
// CHECK: %[[IN:.*]] = ascendc.queue_member "inQueue" blocks 2 bytes %[[BYTES]]
// CHECK: %[[POWER_BUF:.*]] = ascendc.tbuf_member "powerBuf" bytes %[[POWER_BYTES:.*]] : !ascendc.tbuf
// CHECK: %[[LAST_BUF:.*]] = ascendc.tbuf_member "lastBuf" : !ascendc.tbuf
// CHECK: %[[SELF_BUF:.*]] = ascendc.tbuf_member "selfF32Buf" : !ascendc.tbuf
// CHECK: ascendc.by_type {{.*}} case [f16, bf16] {
// CHECK: ascendc.init_buffer %[[SELF_BUF]], %{{.*}} : !ascendc.tbuf
// CHECK-NEXT: ascendc.init_buffer
// CHECK-NEXT: }
// What all have behind what some have, at last:
// CHECK-NEXT: ascendc.init_buffer %[[LAST_BUF]], %[[POWER_BYTES]] : !ascendc.tbuf
// CHECK: ascendc.stage compute @Compute
// CHECK: %[[X:.*]] = ascendc.de_que %[[IN]]
// CHECK-NEXT: %[[Y:.*]] = ascendc.alloc_tensor
// All have it in the same buffer:
// CHECK-NEXT: %[[POWER:.*]] = ascendc.tbuf_get %[[POWER_BUF]]
// CHECK-NEXT: %[[F:.*]]:2 = ascendc.by_type {{.*}} names ["selfF32", "outF32"] case [f32] {
// CHECK-NEXT: %[[XF:.*]] = ascendc.instance %[[X]]
// CHECK-NEXT: %[[YF:.*]] = ascendc.instance %[[Y]]
// CHECK-NEXT: ascendc.give %[[XF]], %[[YF]]
// CHECK-NEXT: } case [f16, bf16] {
// CHECK-NEXT: %[[XB:.*]] = ascendc.tbuf_get %[[SELF_BUF]]
// CHECK: ascendc.cast %[[XB]],
// CHECK-NEXT: ascendc.free_tensor %[[IN]], %[[X]]
// CHECK: } -> !ascendc.local<f32>, !ascendc.local<f32>
// CHECK-NEXT: ascendc.muls %[[F]]#1, %[[F]]#0,
// CHECK-NEXT: ascendc.pipe_barrier V
// CHECK-NEXT: ascendc.exp %[[POWER]], %[[F]]#1,
// CHECK-NEXT: ascendc.pipe_barrier V
// CHECK-NEXT: ascendc.add %[[F]]#1, %[[POWER]], %[[F]]#0,
// CHECK-NEXT: ascendc.by_type {{.*}} case [f32] {
// CHECK-NEXT: ascendc.free_tensor %[[IN]], %[[X]]
// CHECK-NEXT: } case [f16, bf16] {
// CHECK: ascendc.cast
// CHECK: ascendc.en_que %{{.*}}, %[[Y]]
// CHECK: ascendc.kernel @OtherF32
// CHECK: ascendc.kernel @Other16
// CHECK: ascendc.launch @Flat<[f32]>
// CHECK: ascendc.launch @Flat<[f16]>
// CHECK: ascendc.launch @Flat<[bf16]>
// CHECK: ascendc.launch @OtherF32
// CHECK: ascendc.launch @Other16<[f16]>

// TEXT: // Keys 1, 2, 3: flat; float, half or bfloat16_t.
// TEXT-NEXT: template <typename T>
// TEXT-NEXT: class Flat {
// TEXT: pipe->InitBuffer(inQueue, 2, tiling->tileLength * sizeof(T));
// TEXT: if constexpr (!IsSameType<T, float>::value) {
// TEXT-NEXT: pipe->InitBuffer(selfF32Buf, tiling->tileLength * sizeof(float));
// TEXT-NEXT: pipe->InitBuffer(sumBuf, tiling->tileLength * sizeof(float));
// TEXT-NEXT: }
// TEXT-NEXT: pipe->InitBuffer(lastBuf, 1024);
// TEXT: LocalTensor<T> self = inQueue.DeQue<T>();
// TEXT-NEXT: LocalTensor<T> out = outQueue.AllocTensor<T>();
// TEXT-NEXT: LocalTensor<float> power = powerBuf.Get<float>();
// TEXT-NEXT: LocalTensor<float> selfF32, outF32;
// TEXT-NEXT: if constexpr (IsSameType<T, float>::value) {
// TEXT-NEXT: selfF32 = self;
// TEXT-NEXT: outF32 = out;
// TEXT-NEXT: } else {
// TEXT-NEXT: selfF32 = selfF32Buf.Get<float>();
// TEXT-NEXT: outF32 = sumBuf.Get<float>();
// TEXT-NEXT: Cast(selfF32, self, RoundMode::CAST_NONE, count);
// TEXT-NEXT: inQueue.FreeTensor(self);
// TEXT-NEXT: PipeBarrier<PIPE_V>();
// TEXT-NEXT: }
// TEXT-NEXT: Muls(outF32, selfF32, tiling->scale, count);
// TEXT: Add(outF32, power, selfF32, count);
// TEXT-NEXT: if constexpr (IsSameType<T, float>::value) {
// TEXT-NEXT: inQueue.FreeTensor(self);
// TEXT-NEXT: } else {
// TEXT-NEXT: PipeBarrier<PIPE_V>();
// TEXT-NEXT: Cast(out, outF32, RoundMode::CAST_RINT, count);
// TEXT-NEXT: }
// TEXT-NEXT: outQueue.EnQue(out);
// TEXT: if (TILING_KEY_IS(1)) {
// TEXT-NEXT: LossgradTile::Run<kernels::Flat<float>>(tilingData, self, out);
