// RUN: lossgrad-opt %s --lossgrad-to-ascendc -split-input-file -verify-diagnostics
// RUN: not lossgrad-opt %S/../dialect/LossGrad/Inputs/smooth_l1.mlir --lossgrad-to-ascendc=soc=Ascend1 2>&1 | FileCheck %s --check-prefix=SOC

// What no schedule carries is an error at the op or operator that says so.
// SOC: error: {{.*}}'Ascend1'

// expected-error @+1 {{'target' takes int16, which no schedule carries yet; expected int64, int32 or uint8}}
lossgrad.operator @Index
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int16]},
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
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in rows : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %rows: [n] real) {
      // expected-error @+1 {{no schedule carries this yet: max of all rows or lanes}}
      %largest = reduce max %rows over [n] : [n] real
      %y = sub %self, %largest : [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @IntArithmetic
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      // expected-error @+1 {{no schedule carries this yet: mul of ints}}
      %square = mul %target, %target : [n] int
      %hit = onehot %square over c : [n] int
      %y = select %hit, %self, %zero : [n, c] bool, [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @IntElements
    summary "" products [A2]
    dims [b... = broadcast(self, target)]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] int "const aclTensor *" dtypes {[int64]},
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    // expected-error @+1 {{no schedule carries this yet: 'target', whose ints lie neither along rows nor along lanes alone}}
    body(%self: [b] real, %target: [b] int) {
      %one = constant 1
      %n = neg %self : [b] real
      %hit = compare eq %target, %one : [b] int, [] int
      %y = select %hit, %self, %n : [b] bool, [b] real, [b] real
      yield y = %y : [b] real
    }

// -----

lossgrad.operator @IntTile
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in labels : [n, c] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    // expected-error @+1 {{no schedule carries this yet: 'labels', whose ints lie neither along rows nor along lanes alone}}
    body(%self: [n, c] real, %labels: [n, c] int) {
      %one = constant 1
      %total = reduce sum %self over [c] : [n, c] real
      %hit = compare eq %labels, %one : [n, c] int, [] int
      %y = select %hit, %self, %total : [n, c] bool, [n, c] real, [n] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @IntAlone
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in label : [] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    // expected-error @+1 {{no schedule carries this yet: 'label', whose ints lie neither along rows nor along lanes alone}}
    body(%self: [n, c] real, %label: [] int) {
      %zero = constant 0.0
      %hit = gather %self[%label] over c else %zero : [n, c] real, [] int, [] real
      %y = mul %self, %hit : [n, c] real, [n] real
      yield y = %y : [n, c] real
    }

// -----

// Each of two variants would do alone, but rows and lanes are the same in all.
lossgrad.operator @EitherAxis
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, attr flag : bool "bool", out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      %flag = attribute flag : bool
      %lanes = reduce sum %self over [c] : [n, c] real
      // expected-error @+1 {{no schedule carries this yet: something along 'n' in some calls and along 'c' in others}}
      %rows = reduce sum %self over [n] : [n, c] real
      %a = mul %self, %lanes : [n, c] real, [n] real
      %b = sub %self, %rows : [n, c] real, [c] real
      %y = select %flag, %a, %b : [] bool, [n, c] real, [n, c] real
      yield y = %y : [n, c] real
    }

// -----

lossgrad.operator @RowsOnly
    summary "" products [A2]
    dims [n]
    params [in self : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n] real) {
      // expected-error @+1 {{no schedule carries this yet: a reduction of all dims}}
      %total = reduce sum %self over [n] : [n] real
      %y = sub %self, %total : [n] real, [] real
      yield y = %y : [n] real
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

// Sums of all rows or lanes come before reductions along them.
lossgrad.operator @SumOfLargest
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      // expected-note @+1 {{which is this one}}
      %largest = reduce max %self over [c] : [n, c] real
      %e = exp %largest : [n] real
      // expected-error @+1 {{no schedule carries this yet: a sum of all rows or lanes of what another reduction gives}}
      %sum = reduce sum %e over [n] : [n] real
      %y = mul %self, %sum : [n, c] real, [] real
      yield y = %y : [n, c] real
    }

// -----

// A result has all dims of the body, or all that are kept.
lossgrad.operator @Fewer
    summary "" products [A2]
    dims [n, c, s]
    params [in self : [n, c, s] real "const aclTensor *" dtypes {[float32]}, in weight : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}, out z : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c, s] real, %weight: [n] real) {
      %sums = reduce sum %self over [s] : [n, c, s] real
      %z = exp %weight : [n] real
      // expected-error @+1 {{no schedule carries this yet: result 'z' lacks dims of what it is computed from}}
      yield y = %sums : [n, c] real, z = %z : [n] real
    }

// -----

// expected-error @+1 {{no schedule carries this yet: 'weight', of which only the count of elements is known, not their axes}}
lossgrad.operator @Flat
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in weight : flat [n, c] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %weight: [n, c] real) {
      %y = mul %self, %weight : [n, c] real
      yield y = %y : [n, c] real
    }

// -----

// What is summed has the shape of the part already: how often each element
// counts only the host knows.
// expected-error @+1 {{no schedule carries this yet: a sum onto 'v' of what does not vary along the other axes}}
lossgrad.operator @Onto
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      %d = exp %self : [b] real
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

// -----

// A power that the optimizer leaves: exponents that are data need a logarithm.
lossgrad.operator @PowerOfAny
    summary "" products [A2]
    dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, in z : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real, %z: [n] real) {
      // expected-error @+1 {{no schedule carries this yet: a power to an exponent that is data, of what may be negative; (pow (abs $x), $y) and (pow (max $x, 0), $y) are carried}}
      %y = pow %x, %z : [n] real
      yield y = %y : [n] real
    }
