// RUN: lossgrad-opt %s --lossgrad-specialize --canonicalize --cse -split-input-file | FileCheck %s --check-prefix=SPLIT
// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --canonicalize --cse -split-input-file | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc -split-input-file | lossgrad-translate --mlir-to-tiling -split-input-file | FileCheck %s --check-prefix=HOST

// A sum onto a part of a broadcast pack: where nothing was broadcast the part is
// the pack and there is no sum; elsewhere part and rest are two dims, and what
// the part belongs to has only one of them.

// SPLIT-LABEL: lossgrad.variant @Onto_0 of @Onto whole [v]
// SPLIT: %[[OWN:.*]] = numel self
// SPLIT-NEXT: %[[ALL:.*]] = numel b
// SPLIT-NEXT: %wholeSelf = compare eq %[[OWN]], %[[ALL]] : [] int
// SPLIT-NEXT: holds %wholeSelf
// SPLIT: body(%self: [b] real, %target: [b] real)
// SPLIT-NEXT: %[[E:.*]] = exp %self : [b] real
// SPLIT-NEXT: %[[P:.*]] = add %[[E]], %target : [b] real
// SPLIT-NEXT: yield y = %[[P]] : [b] real

// SPLIT-LABEL: lossgrad.variant @Onto_1 of @Onto split [v] title "OntoSelf" occasion "summed onto self"
// SPLIT: %[[NOT:.*]] = not %wholeSelf : [] bool
// SPLIT-NEXT: holds %[[NOT]]
// SPLIT: body(%self: [v] real, %target: [b, v] real)
// SPLIT-NEXT: %[[E:.*]] = exp %self : [v] real
// SPLIT-NEXT: %[[P:.*]] = add %[[E]], %target : [v] real, [b, v] real -> [b, v] real
// SPLIT-NEXT: %[[S:.*]] = reduce sum %[[P]] over [b] : [b, v] real
// SPLIT-NEXT: yield y = %[[S]] : [v] real

// CHECK-LABEL: lossgrad.kernel @FlatF32 of @Onto
// CHECK-SAME: space <[b: core, lane]>
// CHECK-LABEL: lossgrad.kernel @Broadcast of @Onto
// CHECK-LABEL: lossgrad.kernel @AnyRowsSplitOntoSelf of @Onto
// CHECK-SAME: space <[v: row], reduces [b: core, outer, lane]> any_layout
// CHECK-LABEL: lossgrad.kernel @AnyColumnsSplitOntoSelf of @Onto
// CHECK-SAME: space <[v: lane], reduces [b: core, outer, row]> any_layout
// CHECK-LABEL: lossgrad.kernel @AnyRowsOntoSelf of @Onto
// CHECK-SAME: space <[v: core, outer, row], reduces [b: outer, lane]> any_layout

// What the part alone has is computed once per unit, and so is the result.
// CHECK-LABEL: lossgrad.kernel @AnyColumnsOntoSelf of @Onto
// CHECK-SAME: space <[v: core, outer, lane], reduces [b: outer, row]> any_layout
// CHECK-NEXT: %[[E:.*]] = sweep reads [self stream] (%{{.*}}: [v] real)
// CHECK: exp %{{.*}} : [v] real
// CHECK: end keep(
// CHECK: %[[S:.*]] = sweep reads [target stream]
// CHECK: add %[[E]], %{{.*}} : [v] real, [b, v] real
// CHECK: end reduce [#lossgrad<reduce_kind sum>]
// CHECK: sweep reads [] () {
// CHECK-NEXT: %[[Y:.*]] = narrow %[[S]]
// CHECK-NEXT: end store ["y"](%[[Y]] :

// The host lays out one pack: the result and self have the axes of self, by
// whose extents the others are told.
// HOST: lossgrad::Broadcast(call.self, call.target).Numel()
// HOST: const lossgrad::Dim dims[] = {{[{][{]}}0, 0x7, true, false, 0x5, 0{{[}][}]}}; // b
lossgrad.operator @Onto
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      %e = exp %self : [b] real
      %p = add %e, %target : [b] real
      %y = reduce_onto sum %p from b to v : [b] real
      yield y = %y : [v] real
    }

// -----

// A result that has only kept dims, beside one that has all: the sum is stored
// once per unit, or in the one sweep where it lies within a tile.

// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Sums
// CHECK: end store ["y", "z"]({{.*}} : !lossgrad.value<[n], real>, !lossgrad.value<[n, c], real>)
// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Sums
// CHECK: %[[S:.*]] = sweep reads [self stream]
// CHECK: sweep reads [] () {
// CHECK: end store ["y"]
// CHECK: sweep reads [self stream]
// CHECK: end store ["z"]
lossgrad.operator @Sums
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]},
            out z : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      %sum = reduce sum %self over [c] : [n, c] real
      %z = sub %self, %sum : [n, c] real, [n] real
      yield y = %sum : [n] real, z = %z : [n, c] real
    }
