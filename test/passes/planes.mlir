// RUN: lossgrad-opt %s --split-input-file --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --cse --lossgrad-schedule | FileCheck %s
// RUN: lossgrad-opt %s --split-input-file --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=ASCENDC
// RUN: lossgrad-opt %s --split-input-file --lossgrad-to-ascendc=soc=A950 | FileCheck %s --check-prefix=OTHER

// Classes along the rows. What pixels have once is a sweep of its own; a class
// is compared with the index as a float and chosen from, in the element type of
// the result where there is nothing else. That the index is a class need not be
// asked: it is, wherever there is a point.
lossgrad.operator @OneHot
    summary "" products [A2, A950]
    dims [n, c, p]
    params [in scale : [n, p] real "const aclTensor *" dtypes {[float32, float16]},
            in target : [n, p] int "const aclTensor *" dtypes {[int64]}, in weight : [c] real "const aclTensor *" dtypes {[float32, float16]},
            attr ignored : int "int64_t", out y : [n, c, p] real "aclTensor *" dtypes {[float32, float16]}]
    contract {}
    body(%scale: [n, p] real, %target: [n, p] int, %weight: [c] real) {
      %zero = constant 0.0
      %none = constant 0
      %classes = extent c
      %ignored = attribute ignored : int
      %counts = compare ne %target, %ignored : [n, p] int, [] int
      %low = compare ge %target, %none : [n, p] int, [] int
      %high = compare lt %target, %classes : [n, p] int, [] int
      %some = and %counts, %low : [n, p] bool
      %valid = and %some, %high : [n, p] bool
      %onehot = onehot %target over c : [n, p] int -> [n, c, p] bool
      %hit = and %onehot, %valid : [n, c, p] bool, [n, p] bool -> [n, c, p] bool
      %v = mul %scale, %weight : [n, p] real, [c] real -> [n, c, p] real
      %y = select %hit, %v, %zero : [n, c, p] bool, [n, c, p] real, [] real
      yield y = %y : [n, c, p] real
    }

// -----

// A dense part that is no constant.
lossgrad.operator @Dense
    summary "" products [A2, A950]
    dims [n, c, p]
    params [in x : [n, c, p] real "const aclTensor *" dtypes {[float32]}, in target : [n, p] int "const aclTensor *" dtypes {[int64]},
            in scale : [n, p] real "const aclTensor *" dtypes {[float32]}, out y : [n, c, p] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c, p] real, %target: [n, p] int, %scale: [n, p] real) {
      %zero = constant 0.0
      %onehot = onehot %target over c : [n, p] int -> [n, c, p] bool
      %e = exp %x : [n, c, p] real
      %at = select %onehot, %scale, %zero : [n, c, p] bool, [n, p] real, [] real -> [n, c, p] real
      %y = sub %e, %at : [n, c, p] real
      yield y = %y : [n, c, p] real
    }

// CHECK-LABEL: lossgrad.kernel @PlanesF32{{.*}} of @OneHot
// CHECK-SAME: space <[n, p: core, outer, lane], reduces [c: core, outer, row]>
// CHECK: sweep reads [scale stream, target stream, weight table]
// CHECK-NOT: compare ge
// CHECK: compare ne
// CHECK: gather
// CHECK: end keep(
// CHECK: sweep reads []
// CHECK: point {{ ?}}set
// CHECK: end store ["y"]
// CHECK-LABEL: lossgrad.kernel @Planes16
// CHECK: %[[ROUNDED:.*]] = narrow
// CHECK: end keep({{.*}}%[[ROUNDED]]
// CHECK-LABEL: lossgrad.kernel @Columns
// CHECK-LABEL: lossgrad.kernel @PlanesF32 of @Dense
// CHECK: point {{ ?}}add

// ASCENDC-LABEL: ascendc.kernel @PlanesF32
// ASCENDC: ascendc.stage {{ ?}}copy_in @CopyInTables
// ASCENDC: ascendc.stage {{ ?}}compute @ComputeRows
// ASCENDC: ascendc.gather
// ASCENDC: ascendc.cast
// ASCENDC: ascendc.stage {{ ?}}compute @Compute
// ASCENDC: scf.for
// ASCENDC-NEXT: arith.addi
// ASCENDC: ascendc.compare_scalar
// ASCENDC: ascendc.pipe_barrier
// ASCENDC: scf.for
// ASCENDC-NOT: ascendc.pipe_barrier
// ASCENDC: ascendc.select_scalar
// ASCENDC: ascendc.process
// ASCENDC: ascendc.run @CopyInTables
// ASCENDC: scf.for
// ASCENDC: ascendc.run @ComputeRows
// ASCENDC: scf.for
// ASCENDC: ascendc.run @Compute

// OTHER-LABEL: ascendc.kernel @PlanesF32
// OTHER: ascendc.compare_scalar
