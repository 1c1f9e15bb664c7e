// RUN: lossgrad-opt %s --canonicalize --split-input-file | FileCheck %s

// Rewrites that hold for every value, NaN and signed zeros included. Every kept
// line is one that a careless rewrite would drop.

// CHECK-LABEL: @Identities
// CHECK:       body(
// CHECK-NOT:     constant 1.0
// CHECK-DAG:     %zero = constant 0.0
// CHECK-DAG:     %two = constant 2
// CHECK:         %plusZero = add %x, %zero : [n] real, [] real
// CHECK-NEXT:    %timesZero = mul %plusZero, %zero : [n] real, [] real
// CHECK-NEXT:    %selfEq = compare eq %timesZero, %timesZero : [n] real
// CHECK-NEXT:    %big = compare gt %x, %zero : [n] real, [] real
// CHECK-NEXT:    %or = or %selfEq, %big : [n] bool
// CHECK-NEXT:    %kept = select %or, %x, %timesZero : [n] bool, [n] real, [n] real
// CHECK-NEXT:    %count = numel x
// CHECK-NEXT:    %few = compare lt %count, %two : [] int
// CHECK-NEXT:    %last = select %few, %zero, %kept : [] bool, [] real, [n] real
// CHECK-NEXT:    yield out = %last : [n] real
lossgrad.operator @Identities
    summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real) {
      %one = constant 1.0
      %zero = constant 0.0
      %minusZero = constant -0.0
      %a = mul %x, %one : [n] real, [] real
      %b = div %a, %one : [n] real, [] real
      %c = sub %b, %zero : [n] real, [] real
      %d = add %c, %minusZero : [n] real, [] real
      %e = pow %d, %one : [n] real, [] real
      %f = neg %e : [n] real
      %g = neg %f : [n] real
      %h = max %g, %g : [n] real
      // x + 0.0 turns -0.0 into 0.0, x * 0.0 keeps NaN, x == x is false for NaN.
      %plusZero = add %h, %zero : [n] real, [] real
      %timesZero = mul %plusZero, %zero : [n] real, [] real
      %selfEq = compare eq %timesZero, %timesZero : [n] real
      // A constant moves to the right.
      %big = compare lt %zero, %x : [] real, [n] real
      %yes = constant true
      %no = constant false
      %t = and %selfEq, %yes : [n] bool, [] bool
      %u = or %t, %no : [n] bool, [] bool
      %or = or %u, %big : [n] bool
      %nn = not %or : [n] bool
      // select of a negation, of a constant, and between equal values.
      %kept = select %nn, %timesZero, %x : [n] bool, [n] real, [n] real
      %v = select %yes, %kept, %x : [] bool, [n] real, [n] real
      %w = select %or, %v, %v : [n] bool, [n] real, [n] real
      %two = constant 2
      %count = numel x
      %few = compare gt %two, %count : [] int
      %flag = select %few, %yes, %no : [] bool
      %last = select %flag, %zero, %w : [] bool, [] real, [n] real
      yield out = %last : [n] real
    }

// -----

// Constants fold with the meaning of the ops.
// CHECK-LABEL: @Constants
// CHECK-DAG:   %[[NAN:.*]] = constant nan
// CHECK-DAG:   %[[K:.*]] = constant 6.0
// CHECK-DAG:   %[[I:.*]] = constant -9223372036854775808
// CHECK-DAG:   %[[YES:.*]] = constant true
// CHECK:       yield a = %[[NAN]] : [] real, b = %[[K]] : [] real, c = %[[I]] : [] int, d = %[[YES]] : [] bool
lossgrad.operator @Constants
    summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out a : [n] real "aclTensor *" dtypes {[float32]},
            out b : [n] real "aclTensor *" dtypes {[float32]},
            out c : [n] int "aclTensor *" dtypes {[int64]},
            out d : [n] bool "aclTensor *" dtypes {[bool]}]
    contract {}
    body(%x: [n] real) {
      %nan = constant nan
      %one = constant 1.0
      %two = constant 2.0
      %three = constant 3.0
      %m0 = max %nan, %one : [] real
      %m1 = min %one, %m0 : [] real
      %m2 = clamp %m1, %one, %two : [] real
      %m3 = abs %m2 : [] real
      %a = sign %m3 : [] real
      %b = mul %two, %three : [] real
      %most = constant 9223372036854775807
      %i1 = constant 1
      %c = add %most, %i1 : [] int
      %s1 = constant "mean"
      %s2 = constant "sum"
      %differ = compare ne %s1, %s2 : [] string
      %nanNe = compare ne %nan, %nan : [] real
      %nanLe = compare le %nan, %nan : [] real
      %notLe = not %nanLe : [] bool
      %d0 = and %differ, %nanNe : [] bool
      %d = and %d0, %notLe : [] bool
      yield a = %a : [] real, b = %b : [] real, c = %c : [] int, d = %d : [] bool
    }

// -----

// A fold never loses a dim: 1 * x over more dims is a broadcast.
// CHECK-LABEL: @Broadcasts
// CHECK:         %a = select %true, %x, %y : [] bool, [n] real, [c] real
// CHECK-NEXT:    %b = select %m, %x, %x : [n, c] bool, [n] real, [n] real
lossgrad.operator @Broadcasts
    summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            in y : [c] real "const aclTensor *" dtypes {[float32]},
            in m : [n, c] bool "const aclTensor *" dtypes {[bool]},
            out out : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real, %y: [c] real, %m: [n, c] bool) {
      %true = constant true
      %a = select %true, %x, %y : [] bool, [n] real, [c] real
      %b = select %m, %x, %x : [n, c] bool, [n] real, [n] real
      %c = add %a, %b : [n, c] real
      yield out = %c : [n, c] real
    }

// -----

// A comparison with a position is a one-hot, unless the index has the dim.
// CHECK-LABEL: @OneHot
// CHECK:         %j = iota c
// CHECK-NEXT:    %hit = onehot %t over c : [n] int
// CHECK-NEXT:    %miss = onehot %t over c : [n] int
// CHECK-NEXT:    %miss_0 = not %miss : [n, c] bool
// CHECK-NEXT:    %dense = compare eq %u, %j : [n, c] int, [c] int
// CHECK-NEXT:    %less = compare lt %t, %j : [n] int, [c] int
lossgrad.operator @OneHot
    summary "" products [A2] dims [n, c]
    params [in t : [n] int "const aclTensor *" dtypes {[int64]},
            in u : [n, c] int "const aclTensor *" dtypes {[int64]},
            out out : [n, c] bool "aclTensor *" dtypes {[bool]}]
    contract {}
    body(%t: [n] int, %u: [n, c] int) {
      %j = iota c
      %hit = compare eq %t, %j : [n] int, [c] int
      %miss = compare ne %j, %t : [c] int, [n] int -> [n, c] bool
      %dense = compare eq %u, %j : [n, c] int, [c] int
      %less = compare lt %t, %j : [n] int, [c] int
      %a = and %hit, %miss : [n, c] bool
      %b = or %a, %dense : [n, c] bool
      %c = or %b, %less : [n, c] bool
      yield out = %c : [n, c] bool
    }

// -----

// The sign does not matter to the size.
// CHECK-LABEL: @SizeOfNegation
// CHECK:       body(%x: [n] real) {
// CHECK-NEXT:    %size = abs %x : [n] real
// CHECK-NEXT:    yield out = %size : [n] real
lossgrad.operator @SizeOfNegation
    summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real) {
      %negated = neg %x : [n] real
      %size = abs %negated : [n] real
      yield out = %size : [n] real
    }
