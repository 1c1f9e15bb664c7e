// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --convert-lossgrad-to-ascendc --canonicalize --cse -mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc | FileCheck %s --check-prefix=BLOCKS

// A 16-bit row that stays in UB in float32: its tiles are loaded like any
// others, and the sweep that reads it first widens them to their place.
// CHECK-LABEL: ascendc.kernel @RowsWidened16
// CHECK: %[[SELF:.*]] = ascendc.buffer "self" [%tileLength] :
// CHECK: %[[ROW:.*]] = ascendc.buffer "selfRow" [%rowLength] lifetime {{ *}}resident : <f32>
// CHECK: %[[OTHER:.*]] = ascendc.buffer "other"
// CHECK-NOT: CopyInRow
// CHECK: ascendc.stage {{ *}}copy_in @CopyInSum
// CHECK: ascendc.load_tile %[[SELF]],
// CHECK: ascendc.stage {{ *}}compute @ComputeSum
// CHECK: %[[FIRST:.*]] = ascendc.first_lane %at
// CHECK: %[[PART:.*]] = ascendc.view %[[ROW]][%[[FIRST]]]
// CHECK: ascendc.cast %[[PART]], %[[SELF]],
// One core takes all steps of a row, which is folded along its lanes in the end.
// CHECK: %[[STEPS:.*]] = ascendc.tile_extent %{{.*}} steps
// CHECK: ascendc.accumulate_lanes {{ *}}sum %[[TOTAL:.*]], %{{.*}}, %at of %whole, %step in %[[STEPS]]
// Later ones load and widen nothing.
// CHECK: ascendc.stage {{ *}}compute @FinishSum
// CHECK: %[[STEPS:.*]] = ascendc.tile_extent %{{.*}} steps
// CHECK: ascendc.reduce_total {{ *}}sum %{{.*}}, %[[TOTAL]], %at, %[[STEPS]]
// CHECK: ascendc.stage {{ *}}copy_in @CopyIn
// CHECK-NOT: %[[SELF]]{{[ ,]}}
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: %[[HERE:.*]] = ascendc.view %[[ROW]]
// CHECK: ascendc.cast %{{.*}}, %[[OTHER]],
// CHECK-NOT: %[[SELF]]{{[ ,]}}
// CHECK: ascendc.stage {{ *}}copy_out

// Tiles that take turns in the blocks of a queue are called after what they
// hold.
// BLOCKS-LABEL: ascendc.kernel @RowsWidened16
// BLOCKS: ascendc.stage {{ *}}copy_in @CopyInSum
// BLOCKS: ascendc.alloc_tensor {{.*}}ascendc.name = "self"
// BLOCKS: ascendc.stage {{ *}}copy_in @CopyIn
// BLOCKS: ascendc.alloc_tensor {{.*}}ascendc.name = "other"
lossgrad.operator @Centered
    summary "" products [A2]
    dims [a..., r]
    params [in self : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            in other : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            out y : [a, r] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%self: [a, r] real, %other: [a, r] real) {
      %sum = reduce sum %self over [r] : [a, r] real
      %0 = mul %other, %sum : [a, r] real, [a] real
      %y = sub %self, %0 : [a, r] real, [a, r] real
      yield y = %y : [a, r] real
    }
