// RUN: lossgrad-opt %s --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --cse --lossgrad-schedule | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=ASCENDC

// What lanes have once is loaded and computed where the lanes of a tile are
// others than those at hand, not for every row.
lossgrad.operator @Smoothed
    summary "" products [A2]
    dims [n, c]
    params [in scale : [n] real "const aclTensor *" dtypes {[float32]}, in x : [n, c] real "const aclTensor *" dtypes {[float32]},
            in weight : [c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%scale: [n] real, %x: [n, c] real, %weight: [c] real, %target: [n] int) {
      %zero = constant 0.0
      %square = mul %weight, %weight : [c] real
      %spread = mul %scale, %square : [n] real, [c] real
      %hit = onehot %target over c : [n] int
      %at = select %hit, %scale, %zero : [n, c] bool, [n] real, [] real
      %d = sub %x, %spread : [n, c] real
      %y = sub %d, %at : [n, c] real
      yield y = %y : [n, c] real
    }

// CHECK-LABEL: lossgrad.kernel @SingleRowsF32 of @Smoothed
// CHECK: %[[SQUARE:.*]] = sweep reads [weight stream]
// CHECK: end keep(%square
// CHECK: sweep reads [x stream] (
// CHECK: mul %{{.*}}, %[[SQUARE]]
// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Smoothed

// ASCENDC-LABEL: ascendc.kernel @SingleRowsF32
// ASCENDC: ascendc.stage {{ ?}}compute @ComputeLanes
// ASCENDC: ascendc.stage {{ ?}}compute @NoteLanes
// Rows of one value have their product with the lanes in common.
// ASCENDC: ascendc.stage {{ ?}}compute @Compute doc
// ASCENDC: ascendc.keep_single_rows {{ ?}}times {{.*}} known
// ASCENDC: ascendc.sub
// ASCENDC: ascendc.run @BeginLanes
// ASCENDC: ascendc.dealt_tile
// ASCENDC: ascendc.first_lane
// ASCENDC: scf.if
// ASCENDC: ascendc.run @CopyInLanes
// ASCENDC: ascendc.run @ComputeLanes
// ASCENDC: ascendc.run @NoteLanes
// ASCENDC: ascendc.run @CopyIn
// Whole lanes are the same for all tiles.
// ASCENDC-LABEL: ascendc.kernel @RowsF32
// ASCENDC: ascendc.stage {{ ?}}compute @Compute doc
// ASCENDC: ascendc.with_rows {{ ?}}times {{.*}} of_lanes
// ASCENDC: ascendc.run @CopyInLanes
// ASCENDC: ascendc.run @ComputeLanes
// ASCENDC: ascendc.group_rows
