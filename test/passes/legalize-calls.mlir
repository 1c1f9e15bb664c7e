// Calls that a product lacks are replaced from the product tables while kernels
// are converted. 910 has neither Maxs, Mins, CompareScalar nor Select with a
// tensor of bits: scalars are filled into tensors, and the bits of each repeat
// of 64 floats lie in a block of their own.
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/SmoothL1LossBackward.td | lossgrad-opt --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A910 --lossgrad-schedule --convert-lossgrad-to-ascendc | FileCheck %s
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/SmoothL1LossBackward.td | lossgrad-opt --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A310P --lossgrad-schedule --convert-lossgrad-to-ascendc | FileCheck %s --check-prefix=LISTED
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/NLLLossBackward.td | lossgrad-opt --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A910 --lossgrad-schedule --convert-lossgrad-to-ascendc | FileCheck %s --check-prefix=INTS

// CHECK-LABEL: ascendc.program @arch1001 for ["A910"]
// CHECK-LABEL: ascendc.kernel @FlatF32
// CHECK-DAG: %[[N:.*]] = ascendc.tiling_field @tileLength{{.*}} : i32
// CHECK-DAG: %[[BITS:.*]] = ascendc.buffer "isNumber" [%[[N]], 4] : <i1>
// CHECK: ascendc.duplicate %[[LOW:.*]], %{{.*}}, %[[COUNT:.*]] : <f32>, f32
// CHECK-NEXT: ascendc.max %[[RAISED:.*]], %[[X:.*]], %[[LOW]], %[[COUNT]] : <f32>
// CHECK: ascendc.duplicate %[[HIGH:.*]], %{{.*}}, %[[COUNT]] : <f32>, f32
// CHECK-NEXT: ascendc.min %[[CLAMPED:.*]], %[[RAISED]], %[[HIGH]], %[[COUNT]] : <f32>
// CHECK: ascendc.compare_repeats %[[BITS]], %[[X]], %[[X]], eq, %{{.*}} : <i1>
// CHECK-NEXT: ascendc.select_repeats %{{.*}}, %[[BITS]], %[[CLAMPED]], %[[X]], %[[COUNT]] : <i1>

// LISTED-LABEL: ascendc.program @arch2002 for ["A310P"]
// LISTED: ascendc.buffer "isNumber" [%{{[a-zA-Z0-9_]*}}] : <i1>
// LISTED: ascendc.maxs
// LISTED: ascendc.select
// LISTED-NOT: {{compare|select}}_repeats

// Ints are equal where their difference is 0, as a float, too. Only comparisons
// take whole repeats: vectors of rows have room for no more than rows elsewhere.
// And and Not of masks go over their blocks.
// INTS-LABEL: ascendc.program @arch1001 for ["A910"]
// INTS: %[[ROWS:.*]] = ascendc.tile_extent %{{.*}} rows
// INTS: %[[WHOLE:.*]] = ascendc.whole_repeats %[[ROWS]]
// INTS: ascendc.sub %[[APART:.*]], %{{.*}}, %{{.*}}, %[[ROWS]] : <i32>
// INTS: ascendc.cast %[[DISTANCE:.*]], %[[APART]], none, %[[ROWS]] : <f32>, <i32>
// INTS: ascendc.duplicate %[[ZEROS:.*]], %{{.*}}, %[[WHOLE]] : <f32>, f32
// INTS: ascendc.compare_repeats %{{.*}}, %[[DISTANCE]], %[[ZEROS]], {{ *}}eq, %[[WHOLE]] : <i1>
// INTS: %[[WORDS:.*]] = arith.divsi %[[WHOLE]], %{{.*}} : i32
// INTS: %[[ROOM:.*]] = arith.muli %[[WORDS]], %{{.*}} : i32
// INTS: ascendc.not %{{.*}}, %{{.*}}, %[[ROOM]] : <ui16>
