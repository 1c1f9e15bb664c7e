// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --convert-lossgrad-to-ascendc -mlir-use-nameloc-as-prefix | FileCheck %s

// One program for the architecture that the families share. A kernel becomes
// stages over virtual buffers; the entry branches on the tiling key. Max and Min may
// drop NaN on these products, so a clamp compares and selects.

// CHECK-LABEL: func.func @ClampTiling
// CHECK: ascendc.ub_terms @arch2201::@FlatF32 for "tileLength"

// CHECK-LABEL: ascendc.program @arch2201 for ["A2", "A3"] operator "Clamp"
// CHECK: ascendc.kernel @FlatF32 tiling(@ClampTilingData)
// CHECK: ascendc.tiling_field @tileLength
// CHECK: ascendc.global "selfGm"
// CHECK: ascendc.buffer "self" [%{{.*}}] : <f32>
// CHECK: ascendc.stage {{ *}}copy_in @CopyIn
// CHECK: ascendc.data_copy_pad_in
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: ascendc.maxs %[[RAISED:.*]], %[[V:.*]], %{{.*}}, %count
// CHECK: ascendc.mins %[[CLAMPED:.*]], %[[RAISED]], %{{.*}}, %count
// CHECK: ascendc.compare %[[MASK:.*]], %[[V]], %[[V]], {{ *}}eq
// CHECK: ascendc.select %{{.*}}, %[[MASK]], %[[CLAMPED]], %[[V]], %count
// CHECK: ascendc.stage {{ *}}copy_out @CopyOut
// CHECK: ascendc.data_copy_pad_out
// CHECK: ascendc.process
// CHECK: ascendc.run @CopyIn
// CHECK-NEXT: ascendc.run @Compute
// CHECK-NEXT: ascendc.run @CopyOut
// CHECK: ascendc.kernel @Broadcast
// CHECK: ascendc.entry @lossgrad_clamp tiling(@ClampTilingData)
// CHECK: ascendc.key 1
// CHECK-NEXT: ascendc.launch @FlatF32
// CHECK: ascendc.key 5
// CHECK-NEXT: ascendc.launch @Broadcast
// CHECK-NOT: lossgrad.kernel
lossgrad.operator @Clamp
    summary "" products [A2, A3]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %one = constant 1.0
      %minusOne = constant -1.0
      %e = exp %self : [b] real
      %y = clamp %e, %minusOne, %one : [b] real, [] real, [] real
      yield y = %y : [b] real
    }
