// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --canonicalize --cse -split-input-file | FileCheck %s

// A body with a reduction gets the spaces of rows and columns. Where a reduced
// dim lies within a tile its reduction stays inside the one sweep; where it is
// walked over in several tiles it ends the sweep, and the next one gets the sum.

// CHECK-LABEL: lossgrad.kernel @RowsSplitF32 of @Center families [A2] keys [1] space <[a1, a0: row], reduces [r: core, outer, lane]>
// CHECK: %[[S:.*]] = sweep reads [self stream]
// CHECK: end reduce [#lossgrad<reduce_kind sum>]
// CHECK: sweep reads [self stream]
// CHECK: sub %{{.*}}, %[[S]] : [a1, r, a0] real, [a1, a0] real

// What lies in one run is one tile, along rows and lanes.
// CHECK-LABEL: lossgrad.kernel @PackedF32 of @Center families [A2] keys [2] space <[a1, a0: core, row, lane], reduces [r: lane]>
// CHECK-NEXT: sweep reads [self stream] (%{{.*}}: [a1, r, a0] real)
// CHECK: reduce sum
// CHECK: end store
// CHECK-NOT: sweep

// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Center families [A2] keys [3] space <[a1, a0: core, outer, row], reduces [r: lane]>
// CHECK-NEXT: sweep reads [self stream] (%[[SELF:.*]]: [a1, r, a0] real)
// CHECK-NEXT: %[[X:.*]] = widen %[[SELF]] <fixed float32>
// CHECK-NEXT: %[[SUM:.*]] = reduce sum %[[X]] over [r] : [a1, r, a0] real
// CHECK-NEXT: %[[Y:.*]] = sub %[[X]], %[[SUM]] : [a1, r, a0] real, [a1, a0] real
// CHECK-NEXT: %[[R:.*]] = narrow %[[Y]]
// CHECK-NEXT: end store ["y"](%[[R]] :
// CHECK-NOT: sweep

// What both sweeps read stays in UB if a row fits.
// CHECK-LABEL: lossgrad.kernel @RowsResidentF32 of @Center families [A2] keys [4] space <[a1, a0: core, outer], reduces [r: outer, lane]>
// CHECK: sweep reads [self resident]
// CHECK: sweep reads [self resident]
// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Center families [A2] keys [5] space <[a1, a0: core, outer], reduces [r: outer, lane]>
// CHECK: sweep reads [self stream]
// CHECK: sweep reads [self stream]
// CHECK-LABEL: lossgrad.kernel @ColumnsSplitF32 of @Center families [A2] keys [6] space <[a1, a0: lane], reduces [r: core, outer, row]>
// CHECK: sweep reads [self stream]
// CHECK: sweep reads [self stream]
// CHECK-LABEL: lossgrad.kernel @ColumnsF32 of @Center families [A2] keys [7] space <[a1, a0: core, outer, lane], reduces [r: row]>
// CHECK-LABEL: lossgrad.kernel @ColumnsTwiceF32 of @Center families [A2] keys [8] space <[a1, a0: core, outer, lane], reduces [r: outer, row]>
// CHECK-LABEL: lossgrad.kernel @AnyRows of @Center families [A2] keys [9] space <[a1, a0: core, outer, row], reduces [r: outer, lane]> any_layout
// CHECK-LABEL: lossgrad.kernel @AnyColumns of @Center families [A2] keys [10] space <[a1, a0: core, outer, lane], reduces [r: outer, row]> any_layout

// The axes of a tensor lie along its dims: r is the axis that the attribute
// selects, a1 those before it, a0 those behind.
// CHECK-LABEL: func.func @CenterTiling
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK: %[[BEHIND:.*]] = arith.subi %{{.*}}, %[[AT]] : i64
// CHECK: %[[A0:.*]] = arith.subi %[[BEHIND]], %c1_i64 : i64
// CHECK: lossgrad.tiling.runs ["self", "y"] dims [
// CHECK-SAME: name = "a1", tensors = 3, isBroadcast = false, isReduced = false
// CHECK-SAME: name = "r", tensors = 3, isBroadcast = false, isReduced = true
// CHECK-SAME: name = "a0", tensors = 3, isBroadcast = false, isReduced = false
// CHECK-SAME: ranks(%[[AT]], %c1_i64, %[[A0]])
// CHECK: kernel = @RowsResidentF32, {{.*}}, anyLayout = false, resident = true, launch = false>
// CHECK: lossgrad.tiling.launch key %{{.*}} blocks %{{.*}} workspace %{{.*}}
lossgrad.operator @Center
    summary "" products [A2]
    dims [a1..., r at dim, a0...]
    params [in self : [a1, r, a0] real "const aclTensor *" dtypes {[float32]}, attr dim : int "int64_t", out y : [a1, r, a0] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [a1, r, a0] real) {
      %sum = reduce sum %self over [r] : [a1, r, a0] real
      %y = sub %self, %sum : [a1, r, a0] real, [a1, a0] real
      yield y = %y : [a1, r, a0] real
    }

// -----

// A 16-bit row stays in UB in float32, if that fits: the sweep that reads it
// first widens it there. Where no row is read twice there is no such kernel.

// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Center16
// CHECK-NOT: @RowsWidened
// CHECK-LABEL: lossgrad.kernel @RowsResidentF32 of @Center16
// CHECK: sweep reads [self resident, factor stream]
// CHECK: sweep reads [self resident]
// CHECK-LABEL: func.func @Center16Tiling
// CHECK: kernel = @RowsWidened16, {{.*}}, anyLayout = false, resident = true, launch = false>
// CHECK-LABEL: lossgrad.kernel @RowsWidened16 of @Center16 families [A2] keys [10 float16, 11 bfloat16] space <[a: core, outer], reduces [r: outer, lane]>
// CHECK: sweep reads [self keep, factor stream]
// CHECK: sweep reads [self kept]
// CHECK-NOT: sweep
// CHECK-LABEL: lossgrad.kernel @RowsResident16 of @Center16
lossgrad.operator @Center16
    summary "" products [A2]
    dims [a..., r]
    params [in self : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            in factor : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            out y : [a, r] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%self: [a, r] real, %factor: [a, r] real) {
      %0 = mul %self, %factor : [a, r] real, [a, r] real
      %sum = reduce sum %0 over [r] : [a, r] real
      %y = sub %self, %sum : [a, r] real, [a] real
      yield y = %y : [a, r] real
    }

// -----

// CHECK-LABEL: lossgrad.kernel @Rows16 of @Once
// CHECK-NOT: @RowsWidened16
// CHECK-LABEL: lossgrad.kernel @RowsTwice16 of @Once
// CHECK: sweep reads [factor stream]
// CHECK: sweep reads [self stream]
lossgrad.operator @Once
    summary "" products [A2]
    dims [a..., r]
    params [in self : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            in factor : [a, r] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            out y : [a, r] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%self: [a, r] real, %factor: [a, r] real) {
      %sum = reduce sum %factor over [r] : [a, r] real
      %y = sub %self, %sum : [a, r] real, [a] real
      yield y = %y : [a, r] real
    }

// -----

// Sums that depend on sums take a sweep more each; what has no reduced dims is
// computed once per unit, in a sweep that reads only tensors of that shape.

// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Nested
// CHECK-NEXT: %[[SCALE:.*]] = sweep reads [scale stream] (%{{.*}}: [n] real)
// CHECK: widen %{{.*}} <fixed float32>
// CHECK: end keep(
// CHECK: %[[FIRST:.*]] = sweep reads [self stream] (%{{.*}}: [n, c] real)
// CHECK: end reduce
// CHECK: %[[MEAN:.*]] = sweep reads [] ()
// CHECK: mul %[[FIRST]], %[[SCALE]] : [n] real
// CHECK: end keep(
// CHECK: %[[SECOND:.*]] = sweep reads [self stream]
// CHECK: sub %{{.*}}, %[[MEAN]] : [n, c] real, [n] real
// CHECK: end reduce
// CHECK: sweep reads [self stream]
// CHECK: mul %{{.*}}, %[[SECOND]] : [n, c] real, [n] real
// CHECK: end store
lossgrad.operator @Nested
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in scale : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %scale: [n] real) {
      %first = reduce sum %self over [c] : [n, c] real
      %mean = mul %first, %scale : [n] real
      %d = sub %self, %mean : [n, c] real, [n] real
      %second = reduce sum %d over [c] : [n, c] real
      %y = mul %d, %second : [n, c] real, [n] real
      yield y = %y : [n, c] real
    }

// -----

// Sums of all rows or lanes have a sweep together unless one is of what another
// gives; then its sweep comes after that of the other.

// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Chained
// CHECK: %[[SUMS:.*]]:2 = sweep reads [u stream] (%{{.*}}: [n] real)
// CHECK: end reduce
// CHECK: %[[VARIANCE:.*]] = sweep reads [u stream] (%{{.*}}: [n] real)
// CHECK: sub %{{.*}}, %[[SUMS]]#0 : [n] real, [] real
// CHECK: end reduce
// CHECK: %[[BESIDE:.*]] = sweep reads [w stream] (%{{.*}}: [c] real)
// CHECK: sub %{{.*}}, %[[SUMS]]#1 : [c] real, [] real
// CHECK: end reduce
// CHECK: %[[LAST:.*]] = sweep reads [u stream] (%{{.*}}: [n] real)
// CHECK: sub %{{.*}}, %[[BESIDE]] : [n] real, [] real
// CHECK: end reduce
// CHECK: sweep reads [x stream]
// CHECK: end reduce
// CHECK: sweep reads [x stream]
// CHECK: add %[[VARIANCE]], %[[LAST]] : [] real
// CHECK: end store
lossgrad.operator @Chained
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in u : [n] real "const aclTensor *" dtypes {[float32]},
            in w : [c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %u: [n] real, %w: [c] real) {
      %sum = reduce sum %u over [n] : [n] real
      %d = sub %u, %sum : [n] real, [] real
      %e = exp %u : [n] real
      %square = mul %d, %d : [n] real
      %variance = reduce sum %square over [n] : [n] real
      %exps = reduce sum %e over [n] : [n] real
      %f = sub %w, %exps : [c] real, [] real
      %g = exp %f : [c] real
      %beside = reduce sum %g over [c] : [c] real
      %h = sub %u, %beside : [n] real, [] real
      %i = exp %h : [n] real
      %last = reduce sum %i over [n] : [n] real
      %factor = add %variance, %last : [] real
      %row = reduce sum %x over [c] : [n, c] real
      %s = add %x, %row : [n, c] real, [n] real
      %y = mul %s, %factor : [n, c] real, [] real
      yield y = %y : [n, c] real
    }
