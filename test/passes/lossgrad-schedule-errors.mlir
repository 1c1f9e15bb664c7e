// RUN: lossgrad-opt %s --lossgrad-to-ascendc -split-input-file -verify-diagnostics
// RUN: not lossgrad-opt %S/../dialect/LossGrad/Inputs/smooth_l1.mlir --lossgrad-to-ascendc=soc=Ascend1 2>&1 | FileCheck %s --check-prefix=SOC

// What no schedule carries is an error at the op or operator that says so.
// SOC: error: {{.*}}'Ascend1'

// expected-error @+1 {{'target' takes int64, which no schedule carries yet; expected float32, float16 or bfloat16}}
lossgrad.operator @Index
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      %hit = onehot %target over c : [n] int
      %y = select %hit, %self, %zero : [n, c] bool, [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @Largest
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      // expected-error @+1 {{no schedule carries this yet: max as a reduction, which must keep NaN}}
      %largest = reduce max %self over [c] : [n, c] real
      %y = sub %self, %largest : [n, c] real, [n] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @TwoAxes
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      // expected-error @+1 {{no schedule carries this yet: a reduction that leaves 'n', over which another one goes}}
      %rows = reduce sum %self over [c] : [n, c] real
      %columns = reduce sum %self over [n] : [n, c] real
      %d = sub %self, %rows : [n, c] real, [n] real
      %y = sub %d, %columns : [n, c] real, [c] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @All
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      // expected-error @+1 {{no schedule carries this yet: a reduction of all dims}}
      %total = reduce sum %self over [n, c] : [n, c] real
      %y = sub %self, %total : [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @OnlySums
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      %sums = reduce sum %self over [c] : [n, c] real
      // expected-error @+1 {{no schedule carries this yet: result 'y' lacks dims of what it is computed from}}
      yield y = %sums : [n] real
    }

// -----

// expected-error @+1 {{no schedule carries this yet: 'weight', of which only the count of elements is known, not their axes}}
lossgrad.operator @Flat
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in weight : flat [c] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %weight: [c] real) {
      %y = mul %self, %weight : [n, c] real, [c] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @Onto
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      %d = sub %self, %target : [b] real
      // expected-error @+1 {{no schedule carries this yet: reduce_onto is neither elementwise nor a reduction}}
      %y = reduce_onto sum %d from b to v : [b] real
      yield y = %y : [v] real
    }

// -----

lossgrad.operator @Unseen
    summary "" products [A2]
    dims [c, b...]
    params [optional weight : [c] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%weight: [c] real, %self: [b] real) {
      // expected-error @+1 {{no schedule carries this yet: the size of 'c', which no tensor of the call shows}}
      %n = numel c
      %k = cast %n : [] int to real
      %y = mul %self, %k : [b] real, [] real
      yield y = %y : [b] real
    }

// -----

// expected-error @+1 {{needs 40 tiling keys; at most 32 are allowed per operator and family}}
lossgrad.operator @Keys
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16]}, attr p : bool "bool", attr q : bool "bool", attr r : bool "bool",
            out y : [b] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%self: [b] real) {
      %p = attribute p : bool
      %q = attribute q : bool
      %r = attribute r : bool
      %e1 = exp %self : [b] real
      %x1 = select %p, %e1, %self : [] bool, [b] real, [b] real
      %e2 = exp %x1 : [b] real
      %x2 = select %q, %e2, %x1 : [] bool, [b] real, [b] real
      %e3 = exp %x2 : [b] real
      %x3 = select %r, %e3, %x2 : [] bool, [b] real, [b] real
      yield y = %x3 : [b] real
    }
