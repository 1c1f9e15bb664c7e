// RUN: lossgrad-opt %s --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --cse --lossgrad-schedule | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=ASCENDC

// A softmax minus what is one-hot: where a row is walked over in tiles it is a
// point, one call for the tile that has the index; tiles of many rows, and those
// of any layout, compare.
lossgrad.operator @FromLogits
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      %one = constant 1.0
      %e = exp %x : [n, c] real
      %s = reduce sum %e over [c] : [n, c] real
      %p = div %e, %s : [n, c] real, [n] real
      %hit = onehot %target over c : [n] int
      %part = select %hit, %one, %zero : [n, c] bool, [] real, [] real
      %y = sub %p, %part : [n, c] real
      yield y = %y : [n, c] real
    }

// CHECK-LABEL: lossgrad.kernel @RowsF32 of @FromLogits
// CHECK: onehot
// CHECK-LABEL: lossgrad.kernel @RowsResidentF32 of @FromLogits
// CHECK-NOT: onehot
// CHECK: point {{ ?}}add %{{.*}} over "c"
// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @FromLogits
// CHECK-NOT: onehot
// CHECK: point {{ ?}}add %{{.*}} over "c"
// CHECK-LABEL: lossgrad.kernel @AnyRows of @FromLogits
// CHECK: onehot

// ASCENDC-LABEL: ascendc.kernel @RowsTwiceF32
// ASCENDC-NOT: ascendc.lane_hits
// ASCENDC: ascendc.points {{ ?}}add
