// RUN: lossgrad-opt %s --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --cse --lossgrad-schedule | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=ASCENDC

// The gradient of cross entropy in short: rows that do not count are zeros, one
// place of the others differs. Many rows at a time compare and mask; rows one by
// one branch, and change one lane.
lossgrad.operator @Guarded
    summary "" products [A2]
    dims [n, c]
    params [in scale : [n] real "const aclTensor *" dtypes {[float32]}, in x : [n, c] real "const aclTensor *" dtypes {[float32]},
            in target : [n] int "const aclTensor *" dtypes {[int64]}, attr ignored : int "int64_t", attr mean : bool "bool",
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%scale: [n] real, %x: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      %one = constant 1.0
      %ignored = attribute ignored : int
      %mean = attribute mean : bool
      %valid = compare ne %target, %ignored : [n] int, [] int
      %each = cast %valid : [n] bool to real
      %sum = reduce sum %each over [n] : [n] real
      %count = select %mean, %sum, %one : [] bool, [] real, [] real
      %a = div %scale, %count : [n] real, [] real
      %hit = onehot %target over c : [n] int
      %e = exp %x : [n, c] real
      %p = mul %e, %a : [n, c] real, [n] real
      %at = select %hit, %a, %zero : [n, c] bool, [n] real, [] real
      %d = sub %p, %at : [n, c] real
      %y = select %valid, %d, %zero : [n] bool, [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// CHECK-LABEL: lossgrad.kernel @SingleRowsF32 of @Guarded
// CHECK: end keep(%target{{.*}}, %valid{{.*}}, %a
// CHECK: sweep reads [x stream]
// CHECK: %[[P:.*]] = mul
// CHECK: %[[D:.*]] = point {{ ?}}add %[[P]][
// CHECK: select %{{.*}}, %[[D]],
// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Guarded
// CHECK-SAME: space <[n: core, outer, row], reduces [c: core, lane]>
// CHECK: end keep(%target{{.*}}, %valid{{.*}}, %a
// CHECK: sweep reads [x stream]
// CHECK: point

// A row that does not count is neither loaded nor computed.
// ASCENDC-LABEL: ascendc.kernel @SingleRowsF32
// ASCENDC: ascendc.fold_counts
// ASCENDC: ascendc.take_count
// ASCENDC: ascendc.combine_counts
// ASCENDC: ascendc.stage {{ ?}}compute @Compute
// ASCENDC: ascendc.with_single_rows {{ ?}}times
// ASCENDC: ascendc.points {{ ?}}add
// ASCENDC: ascendc.clear_rows
// ASCENDC: ascendc.stage {{ ?}}compute @TakeGuard
// ASCENDC: ascendc.stage {{ ?}}compute @Clear
// ASCENDC: ascendc.clear_tile
// ASCENDC: ascendc.run @TakeGuard
// ASCENDC: scf.if
// ASCENDC: ascendc.run @CopyIn
// ASCENDC: ascendc.run @Compute
// ASCENDC: else
// ASCENDC: ascendc.run @Clear
// ASCENDC: ascendc.run @CopyOut
// Short rows, many at a time: what they have once is there for a group, from
// which a tile takes its part. What rows have in the place of their index lies
// beside what changes nothing, and is added; rows are cleared only where some
// row of the group is.
// ASCENDC-LABEL: ascendc.kernel @RowsF32
// ASCENDC: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// ASCENDC: ascendc.stage {{ ?}}compute @Compute doc
// ASCENDC-SAME: ["at", "first"]
// ASCENDC: ascendc.with_rows {{ ?}}times
// ASCENDC: ascendc.spread_points %[[POINTS:.*]], %{{.*}}, %{{.*}}, %[[NOTHING]], %{{.*}} scratch
// ASCENDC: ascendc.add %{{.*}}, %{{.*}}, %[[POINTS]],
// ASCENDC: ascendc.read
// ASCENDC: scf.if
// ASCENDC: ascendc.mask_rows
// ASCENDC: ascendc.group_rows
