// RUN: lossgrad-opt %s -split-input-file --pass-pipeline='builtin.module(lossgrad-specialize,lossgrad-legalize-dtypes,lossgrad-schedule,canonicalize,cse,convert-lossgrad-to-ascendc,ascendc-plan-buffers)' | FileCheck %s

// The tiles of three copy stages take turns in one queue: the last has one with each of the others, which have none in common.
// CHECK-LABEL: ascendc.kernel @RowsTwiceF32
// CHECK: %[[QUEUE:.*]] = ascendc.queue_member "inQueue"
// CHECK: ascendc.stage {{ *}}copy_in @CopyInTotal
// CHECK: ascendc.alloc_tensor %[[QUEUE]]
// CHECK: ascendc.stage {{ *}}copy_in @CopyInColumn
// CHECK: ascendc.alloc_tensor %[[QUEUE]]
// CHECK: ascendc.stage {{ *}}copy_in @CopyIn doc
// CHECK: ascendc.alloc_tensor %[[QUEUE]]
// CHECK-NOT: ascendc.alloc_tensor
// CHECK: ascendc.stage {{ *}}compute @Compute doc
lossgrad.operator @Turns
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in u : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %u: [n] real) {
      %e = exp %u : [n] real
      %total = reduce sum %e over [n] : [n] real
      %column = reduce sum %x over [n] : [n, c] real
      %a = mul %x, %u : [n, c] real, [n] real
      %b = add %a, %column : [n, c] real, [c] real
      %y = add %b, %total : [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

// A sum along the rows of what is one-hot takes the steps of a row, though it loads nothing.
// CHECK-LABEL: ascendc.kernel @RowsTwiceF32
// CHECK: ascendc.stage {{ *}}compute @ComputeCount doc "Compute one tile in float."
// CHECK: ascendc.process
// CHECK: ascendc.run @ComputeRows(
// CHECK: %[[STEPS:.*]] = ascendc.tile_extent{{.*}} steps
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]]
// CHECK: ascendc.run @ComputeCount(
// CHECK: ascendc.run @FinishCount(
lossgrad.operator @OneHot
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %t: [n] int) {
      %hit = onehot %t over c : [n] int
      %real = cast %hit : [n, c] bool to real
      %count = reduce sum %real over [c] : [n, c] real
      %y = mul %x, %count : [n, c] real, [n] real
      yield y = %y : [n, c] real
    }
