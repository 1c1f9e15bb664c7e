// RUN: lossgrad-opt %s --pass-pipeline="builtin.module(ascendc-fix-names,ascendc-insert-sync)" -split-input-file -mlir-use-nameloc-as-prefix | FileCheck %s

// One barrier per dependence, none between independent calls; constant ranges of one buffer are told apart.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Vector
  ascendc.kernel @Vector tiling(@Tiling) (%arg: !gm) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %n = ascendc.tiling_field @tile : i32
    %aBuf = ascendc.tbuf_member "aBuf" bytes %n : !ascendc.tbuf
    %bBuf = ascendc.tbuf_member "bBuf" bytes %n : !ascendc.tbuf
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute () {
      %a = ascendc.tbuf_get %aBuf : !f32 loc("a")
      %b = ascendc.tbuf_get %bBuf : !f32 loc("b")
      %aRest = ascendc.view %a[%c64] : !f32 to !f32 loc("aRest")
      // CHECK: %aRest = ascendc.view
      // The run before wrote what this one writes.
      // CHECK-NEXT: ascendc.pipe_barrier V
      // CHECK-NEXT: ascendc.abs %a, %a, %c64_i32
      ascendc.abs %a, %a, %c64 : !f32
      // Elements 64 to 127 are others.
      // CHECK-NEXT: ascendc.abs %aRest, %aRest, %c64_i32
      ascendc.abs %aRest, %aRest, %c64 : !f32
      // Read after write.
      // CHECK-NEXT: ascendc.pipe_barrier V
      // CHECK-NEXT: ascendc.add %b, %a, %aRest
      ascendc.add %b, %a, %aRest, %c64 : !f32
      // Write after read.
      // CHECK-NEXT: ascendc.pipe_barrier V
      // CHECK-NEXT: ascendc.abs %a, %aRest
      ascendc.abs %a, %aRest, %c64 : !f32
      // CHECK-NEXT: }
    }
    ascendc.process {
      scf.for %i = %c0 to %n step %c64 : i32 {
        ascendc.run @Compute()
      }
    }
  }
}

// -----

// The register-based product orders vector calls itself.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A950"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Ordered
  ascendc.kernel @Ordered tiling(@Tiling) (%arg: !gm) {
    %n = ascendc.tiling_field @tile : i32
    %aBuf = ascendc.tbuf_member "aBuf" bytes %n : !ascendc.tbuf
    // CHECK-NOT: pipe_barrier
    ascendc.stage compute @Compute () {
      %a = ascendc.tbuf_get %aBuf : !f32
      ascendc.abs %a, %a, %n : !f32
      ascendc.sqrt %a, %a, %n : !f32
    }
    ascendc.process { ascendc.run @Compute() }
  }
}

// -----

// The scalar unit reads what the vector unit wrote, and the other way round. After it waited, nothing it issues needs a barrier.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Scalar
  ascendc.kernel @Scalar tiling(@Tiling) (%arg: !gm) {
    %c0 = arith.constant 0 : i32
    %n = ascendc.tiling_field @tile : i32
    %aBuf = ascendc.tbuf_member "aBuf" bytes %n : !ascendc.tbuf
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute () {
      %a = ascendc.tbuf_get %aBuf : !f32 loc("a")
      // CHECK: ascendc.abs
      ascendc.abs %a, %a, %n : !f32
      // CHECK-NEXT: %eventVS = ascendc.fetch_event_id{{.*}} : <V_S>
      // CHECK-NEXT: ascendc.set_flag %eventVS
      // CHECK-NEXT: ascendc.wait_flag %eventVS
      // CHECK-NEXT: ascendc.get_value
      %x = ascendc.get_value %a[%c0 : i32] : !f32 to f32
      // CHECK-NEXT: ascendc.set_value
      ascendc.set_value %a[%c0 : i32], %x : !f32, f32
      // CHECK-NEXT: %eventSV = ascendc.fetch_event_id{{.*}} : <S_V>
      // CHECK-NEXT: ascendc.set_flag %eventSV
      // CHECK-NEXT: ascendc.wait_flag %eventSV
      // CHECK-NEXT: ascendc.sqrt
      ascendc.sqrt %a, %a, %n : !f32
      // CHECK-NEXT: }
    }
    ascendc.process { ascendc.run @Compute() }
  }
}

// -----

// A buffer outside queues: the event stands where the load is, not in the loop. Stored and loaded again: MTE3 to MTE2. Never PIPE_ALL.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!f32gm = !ascendc.global<f32>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Resident
  ascendc.kernel @Resident tiling(@Tiling) (%arg: !gm) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = ascendc.tiling_field @tile : i32
    %gm = ascendc.global "g", %arg : !f32gm
    %wBuf = ascendc.tbuf_member "wBuf" bytes %n : !ascendc.tbuf
    %out = ascendc.queue_member "outQueue" blocks 2 bytes %n : !ascendc.queue<vecout>
    // CHECK: ascendc.init
    ascendc.init {
      %w = ascendc.tbuf_get %wBuf : !f32
      // The tensor is stored to later: it must have been read.
      // CHECK: ascendc.data_copy_in
      // CHECK-NEXT: %eventMte2Mte3 = ascendc.fetch_event_id{{.*}} : <MTE2_MTE3>
      // CHECK-NEXT: ascendc.set_flag
      // CHECK-NEXT: ascendc.wait_flag
      // CHECK-NEXT: %eventMte2V = ascendc.fetch_event_id{{.*}} : <MTE2_V>
      // CHECK-NEXT: ascendc.set_flag
      // CHECK-NEXT: ascendc.wait_flag
      // CHECK-NEXT: }
      ascendc.data_copy_in %w, %gm[%zero], %n : !f32, !f32gm
    }
    // CHECK: ascendc.stage copy_in @Reload
    ascendc.stage copy_in @Reload () {
      %w = ascendc.tbuf_get %wBuf : !f32
      // CHECK: ascendc.fetch_event_id{{.*}} : <V_MTE2>
      // CHECK: ascendc.fetch_event_id{{.*}} : <MTE3_MTE2>
      // CHECK: ascendc.data_copy_in
      ascendc.data_copy_in %w, %gm[%zero], %n : !f32, !f32gm
    }
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute () {
      %w = ascendc.tbuf_get %wBuf : !f32 loc("w")
      %y = ascendc.alloc_tensor %out : !ascendc.queue<vecout> to !f32 loc("y")
      // CHECK: %y = ascendc.alloc_tensor
      // CHECK-NEXT: ascendc.abs %y, %w
      ascendc.abs %y, %w, %n : !f32
      ascendc.en_que %out, %y : !ascendc.queue<vecout>, !f32
    }
    // CHECK: ascendc.stage copy_out @CopyOut
    ascendc.stage copy_out @CopyOut () {
      %y = ascendc.de_que %out : !ascendc.queue<vecout> to !f32 loc("y")
      // CHECK: ascendc.data_copy_out
      ascendc.data_copy_out %gm[%zero], %y, %n : !f32gm, !f32
      ascendc.free_tensor %out, %y : !ascendc.queue<vecout>, !f32
    }
    // CHECK-NOT: ALL
    ascendc.process {
      scf.for %i = %zero to %one step %one : i64 {
        ascendc.run @Compute()
        ascendc.run @CopyOut()
      }
      ascendc.run @Reload()
    }
  }
}

// -----

// A step in place that is not always done: it waits for what it works on, and
// what follows waits once, whether it was done or not.

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
ascendc.tiling_struct @Tiling {
  ascendc.tiling_member @tile : i32 multiple 128
  ascendc.tiling_member @fits : i32
}
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // CHECK-LABEL: ascendc.kernel @Guarded
  ascendc.kernel @Guarded tiling(@Tiling) (%arg: !gm) {
    %n = ascendc.tiling_field @tile : i32
    %fits = ascendc.tiling_field @fits : i32
    %c0 = arith.constant 0 : i32
    %two = arith.constant 2.0 : f32
    %aBuf = ascendc.tbuf_member "aBuf" bytes %n : !ascendc.tbuf
    ascendc.stage compute @Compute () {
      %a = ascendc.tbuf_get %aBuf : !f32 loc("a")
      // CHECK: ascendc.muls %a, %a
      ascendc.muls %a, %a, %two, %n : !f32, f32
      %guard = arith.cmpi eq, %fits, %c0 : i32
      // CHECK: scf.if
      // CHECK-NEXT: ascendc.pipe_barrier {{ *}}V
      // CHECK-NEXT: ascendc.muls %a, %a
      // CHECK-NEXT: }
      // CHECK-NEXT: ascendc.pipe_barrier {{ *}}V
      // CHECK-NEXT: ascendc.abs %a, %a
      scf.if %guard {
        ascendc.muls %a, %a, %two, %n : !f32, f32
      }
      ascendc.abs %a, %a, %n : !f32
    }
    ascendc.process {
      ascendc.run @Compute()
    }
  }
}
