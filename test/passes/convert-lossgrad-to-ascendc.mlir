// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --convert-lossgrad-to-ascendc -split-input-file -mlir-use-nameloc-as-prefix | FileCheck %s

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
// CHECK: ascendc.load_dense %{{.*}}, %{{.*}}[%offset], %count : <f32>, <f32>
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: ascendc.maxs %[[RAISED:.*]], %[[V:.*]], %{{.*}}, %count
// CHECK: ascendc.mins %[[CLAMPED:.*]], %[[RAISED]], %{{.*}}, %count
// CHECK: ascendc.compare %[[MASK:.*]], %[[V]], %[[V]], {{ *}}eq
// CHECK: ascendc.select %{{.*}}, %[[MASK]], %[[CLAMPED]], %[[V]], %count
// CHECK: ascendc.stage {{ *}}copy_out @CopyOut
// CHECK: ascendc.store_dense %{{.*}}[%offset], %{{.*}}, %count : <f32>, <f32>
// CHECK: ascendc.process
// CHECK-NEXT: %[[SHARE:.*]] = ascendc.flat_share
// CHECK-DAG: %[[BEGIN:.*]] = ascendc.share_bound %[[SHARE]] {{ *}}begin
// CHECK-DAG: %[[END:.*]] = ascendc.share_bound %[[SHARE]] {{ *}}end
// CHECK-DAG: %[[STEP:.*]] = ascendc.share_bound %[[SHARE]] {{ *}}step
// CHECK: scf.for %[[OFFSET:.*]] = %[[BEGIN]] to %[[END]] step %[[STEP]]
// CHECK-NEXT: ascendc.share_count %[[SHARE]] at %[[OFFSET]]
// CHECK-NEXT: ascendc.run @CopyIn
// CHECK-NEXT: ascendc.run @Compute
// CHECK-NEXT: ascendc.run @CopyOut
// CHECK: ascendc.kernel @Broadcast
// CHECK: ascendc.tile_share
// CHECK: ascendc.entry @lossgrad_clamp tiling(@ClampTilingData)
// CHECK: ascendc.key 1
// CHECK-NEXT: ascendc.launch @FlatF32
// CHECK: ascendc.key 2
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

// -----

// One more step where a condition says so is a branch around a call in place,
// one body for both. A scalar of the tiling data says whether.

// CHECK-LABEL: ascendc.tiling_struct @GuardedTilingData
// CHECK: ascendc.tiling_member @twice : i32 "1 if factor > 1"
// CHECK-LABEL: ascendc.program @arch2201 for ["A2"] operator "Guarded"
// CHECK: ascendc.kernel @FlatF32
// CHECK: %[[TWICE:.*]] = ascendc.tiling_field @twice{{.*}} : i32
// CHECK: %[[GUARD:.*]] = arith.cmpi eq, %[[TWICE]], %{{.*}} : i32
// CHECK: ascendc.exp %[[E:.*]], %{{.*}}, %count
// CHECK-NEXT: scf.if %[[GUARD]] {
// CHECK-NEXT: ascendc.muls %[[E]], %[[E]], %{{.*}}, %count
// CHECK-NEXT: }
// CHECK-NOT: ascendc.kernel @Flat
lossgrad.operator @Guarded
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr factor : real "float", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %one = constant 1.0
      %factor = attribute factor : real
      %twice = compare gt %factor, %one : [] real loc("twice")
      %e = exp %self : [b] real
      %more = mul %e, %factor : [b] real, [] real
      %y = select %twice, %more, %e : [] bool, [b] real, [b] real
      yield y = %y : [b] real
    }
