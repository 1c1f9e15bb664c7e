// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics | lossgrad-opt -split-input-file | FileCheck %s
// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics -mlir-print-op-generic | lossgrad-opt -split-input-file | FileCheck %s --check-prefix=GENERIC
// GENERIC: lossgrad.kernel @Twice16 of @Center families [A2] keys [3 float16, 4 bfloat16] space <[n: core, outer], reduces [c: outer, lane]>

// Text of kernels and sweeps; what their verifiers see.

lossgrad.operator @Center
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      yield y = %self : [n, c] real
    }

// CHECK-LABEL: lossgrad.kernel @Twice16 of @Center families [A2] keys [3 float16, 4 bfloat16] space <[n: core, outer], reduces [c: outer, lane]> when "long rows" () {
// CHECK-NEXT: %[[S:.*]] = sweep reads [self stream] (%[[SELF:.*]]: [n, c] real) {
// CHECK-NEXT: %[[X:.*]] = widen %[[SELF]] <template float16, bfloat16>
// CHECK-NEXT: end reduce [#lossgrad<reduce_kind sum>](%[[X]] : !lossgrad.value<[n, c], real>)
// CHECK-NEXT: } -> !lossgrad.value<[n], real>
// CHECK-NEXT: sweep reads [self resident]
// CHECK: end store ["y"](
lossgrad.kernel @Twice16 of @Center families [A2] keys [3 float16, 4 bfloat16] space <[n: core, outer], reduces [c: outer, lane]> when "long rows" () {
  %s = sweep reads [self stream] (%self: [n, c] real) {
    %x = widen %self <template float16, bfloat16> : <[n, c], real>
    end reduce [#lossgrad<reduce_kind sum>](%x : !lossgrad.value<[n, c], real>)
  } -> !lossgrad.value<[n], real>
  sweep reads [self resident] (%self: [n, c] real) {
    %x = widen %self <template float16, bfloat16> : <[n, c], real>
    %y = sub %x, %s : [n, c] real, [n] real
    %r = narrow %y <template float16, bfloat16> : <[n, c], real>
    end store ["y"](%r : !lossgrad.value<[n, c], real>)
  }
}

// -----

// expected-error @+1 {{has the tiling key 3 twice}}
lossgrad.kernel @Keys of @Op families [A2] keys [3 float16, 3 bfloat16] space <[n: core, lane]> when "" () {
  sweep reads [] () {
    end
  }
}

// -----

// expected-error @+1 {{has no sweep that stores a result}}
lossgrad.kernel @Nothing of @Op families [A2] keys [1] space <[n: core, lane]> when "" () {
  sweep reads [] () {
    end
  }
}

// -----

// expected-error @+1 {{a space has one axis along the lanes, found 0}}
lossgrad.kernel @Lanes of @Op families [A2] keys [1] space <[n: core, row]> when "" () {
}

// -----

// expected-error @+1 {{a space has one axis along the lanes, found 2}}
lossgrad.kernel @TwoLanes of @Op families [A2] keys [1] space <[n: core, lane], reduces [c: lane]> when "" () {
}

// -----

// expected-error @+1 {{what a packed tile reduces lies along its lanes and nowhere else}}
lossgrad.kernel @PackedSteps of @Op families [A2] keys [1] space <[n: core, row, lane], reduces [c: outer, lane]> when "" () {
}

// -----

// expected-error @+2 {{expected core, outer, row or lane, found 'column'}}
// expected-error @+1 {{failed to parse LossGrad_SpaceAttr parameter 'axes'}}
lossgrad.kernel @Role of @Op families [A2] keys [1] space <[n: core, column]> when "" () {
}

// -----

lossgrad.kernel @Access of @Op families [A2] keys [1] space <[n: core, lane]> when "" () {
  // expected-error @+1 {{expected stream, resident, element, table, keep or kept, found 'often'}}
  sweep reads [self often] (%self: [n] real) {
    end
  }
}
