// RUN: lossgrad-opt %s --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-optimize))' | FileCheck %s
// RUN: lossgrad-opt %s --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-optimize{reciprocal=false sign=false merge=false gather=false clamp=false}))' | FileCheck %s --check-prefix=OFF

// Division, clamp and factors become one coefficient; the choice between the
// clamp and the sign becomes a choice between coefficients; a coefficient that
// float32 may not hold is guarded.
// CHECK-LABEL: lossgrad.operator @Clamp
// CHECK: body(
// CHECK: %[[X:.*]] = sub %self, %target
// CHECK: %[[R:.*]] = div %{{.*}}, %beta : [] real
// CHECK: %[[HUGE:.*]] = constant 1.46150163733090{{.*}}e+48
// CHECK: %[[C:.*]] = select %{{.*}}, %[[R]], %[[HUGE]] : [] bool, [] real, [] real
// CHECK: %[[LOW:.*]] = neg %k : [] real
// CHECK: %[[SCALE:.*]] = mul %k, %[[C]] : [] real
// CHECK: %[[SIZE:.*]] = abs %[[SCALE]]
// CHECK: %[[UP:.*]] = constant 1.70141{{.*}}e+38
// CHECK: %[[DOWN:.*]] = constant 1.17549{{.*}}e-38
// CHECK: %[[GENTLE:.*]] = select %{{.*}}, %{{.*}}, %[[DOWN]] : [] bool, [] real, [] real
// CHECK: %[[POWER:.*]] = select %{{.*}}, %[[UP]], %[[GENTLE]] : [] bool, [] real, [] real
// CHECK: %[[FITS:.*]] = and
// CHECK: %[[FIRST:.*]] = select %[[FITS]], %[[SCALE]], %[[POWER]] : [] bool, [] real, [] real
// CHECK: %[[SECOND:.*]] = div %[[SCALE]], %[[POWER]] : [] real
// CHECK: %[[ONCE:.*]] = mul %[[X]], %[[FIRST]] : [b] real, [] real
// CHECK: %[[TWICE:.*]] = mul %[[ONCE]], %[[SECOND]] : [b] real, [] real
// CHECK: %[[S:.*]] = select %[[FITS]], %[[ONCE]], %[[TWICE]]
// CHECK: %[[D:.*]] = clamp %[[S]], %[[LOW]], %k
// CHECK: mul %[[D]], %gradOut : [b] real

// OFF-LABEL: lossgrad.operator @Clamp
// OFF: div %{{.*}}, %beta : [b] real, [] real
// OFF: sign %{{.*}} : [b] real
// OFF: select %{{.*}} : [] bool, [b] real, [b] real
lossgrad.operator @Clamp
    summary "" products [A2]
    dims [b... = broadcast(gradOut, self, target)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            in target : [b] real "const aclTensor *" dtypes {[float32]}, attr beta : real "float", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real, %target: [b] real) {
      %x = sub %self, %target : [b] real
      %one = constant 1.0
      %minusOne = constant -1.0
      %zero = constant 0.0
      %beta = attribute beta : real
      %n = numel self
      %count = cast %n : [] int to real
      %k = div %one, %count : [] real
      %positive = compare gt %beta, %zero : [] real
      %q = div %x, %beta : [b] real, [] real
      %c = clamp %q, %minusOne, %one : [b] real, [] real, [] real
      %s = sign %x : [b] real
      %d = select %positive, %c, %s : [] bool, [b] real, [b] real
      %dg = mul %d, %gradOut : [b] real
      %y = mul %dg, %k : [b] real, [] real
      yield y = %y : [b] real
    }

// A factor that is provably in range needs no guard and goes to the first factor.
// CHECK-LABEL: lossgrad.operator @Gather
// CHECK: %[[SCALE:.*]] = mul %{{.*}}, %{{.*}} : [] real
// CHECK-NOT: select
// CHECK: %[[A:.*]] = mul %self, %[[SCALE]]
// CHECK: mul %[[A]], %gradOut
lossgrad.operator @Gather
    summary "" products [A2]
    dims [b... = broadcast(gradOut, self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real) {
      %two = constant 2.0
      %one = constant 1.0
      %n = numel self
      %count = cast %n : [] int to real
      %k = div %one, %count : [] real
      %a = mul %self, %two : [b] real, [] real
      %b = mul %a, %gradOut : [b] real
      %y = mul %b, %k : [b] real, [] real
      yield y = %y : [b] real
    }

// The bounds of this clamp could leave float32: the factor stays outside.
// CHECK-LABEL: lossgrad.operator @Unbounded
// CHECK: %[[C:.*]] = clamp %self
// CHECK: %[[FIRST:.*]] = select %{{.*}}, %factor, %{{.*}} : [] bool, [] real, [] real
// CHECK: mul %[[C]], %[[FIRST]]
lossgrad.operator @Unbounded
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr factor : real "double", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %one = constant 1.0
      %minusOne = constant -1.0
      %factor = attribute factor : real
      %c = clamp %self, %minusOne, %one : [b] real, [] real, [] real
      %y = mul %c, %factor : [b] real, [] real
      yield y = %y : [b] real
    }

// A float of the C interface is a float32 already: no guard.
// CHECK-LABEL: lossgrad.operator @Float
// CHECK: %factor = attribute factor : real
// CHECK-NOT: select
// CHECK: mul %{{.*}}, %factor : [b] real, [] real
lossgrad.operator @Float
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr factor : real "float", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %factor = attribute factor : real
      %e = exp %self : [b] real
      %y = mul %e, %factor : [b] real, [] real
      yield y = %y : [b] real
    }

// Whole numbers that are chosen per element are reals before they are chosen.
// CHECK-LABEL: lossgrad.operator @Numbers
// CHECK: %[[C:.*]] = compare lt %self
// CHECK: %[[A:.*]] = cast %{{.*}} : [] int to real
// CHECK: %[[B:.*]] = cast %{{.*}} : [] int to real
// CHECK: %[[N:.*]] = select %[[C]], %[[A]], %[[B]] : [b] bool, [] real, [] real
// CHECK-NOT: cast
// CHECK: max %self, %[[N]] : [b] real
lossgrad.operator @Numbers
    summary "" products [A2]
    dims [b... = broadcast(self)]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %half = constant 0.5
      %below = compare lt %self, %half : [b] real, [] real
      %one = constant 1
      %two = constant 2
      %n = select %below, %one, %two : [b] bool, [] int, [] int
      %r = cast %n : [b] int to real
      %y = max %self, %r : [b] real
      yield y = %y : [b] real
    }

// Factors next to each other gather, in the order in which data is multiplied: x * y comes first. Their
// product may leave float32 in both directions, also by more than one factor can make good.
// CHECK-LABEL: lossgrad.operator @Order
// CHECK: %[[P:.*]] = mul %x, %y : [b] real
// CHECK: %[[U:.*]] = mul %{{[ac]}}, %{{[ac]}} : [] real
// CHECK: %[[FAR:.*]] = constant 1.38{{.*}}e-76
// CHECK: %[[NEAR:.*]] = compare ge %{{.*}}, %[[FAR]] : [] real
// CHECK: %[[DOWN:.*]] = select %[[NEAR]]
// CHECK: %[[GENTLE:.*]] = select %{{.*}}, %{{.*}}, %[[DOWN]] : [] bool, [] real, [] real
// CHECK: %[[POWER:.*]] = select %{{.*}}, %{{.*}}, %[[GENTLE]] : [] bool, [] real, [] real
// CHECK: %[[FIRST:.*]] = select %[[FITS:.*]], %[[U]], %[[POWER]] : [] bool, [] real, [] real
// CHECK: %[[Q:.*]] = div %[[U]], %[[POWER]] : [] real
// CHECK: %[[BEYOND:scaleIsFar]] = compare gt
// CHECK: clamp %{{.*}}, %{{.*}}, %{{.*}} : [] real
// CHECK: %[[THIRD:thirdScale]] = select
// CHECK: %[[SECOND:secondScale]] = select %[[BEYOND]], %{{.*}}, %[[Q]]
// CHECK: %[[ONCE:.*]] = mul %[[P]], %[[FIRST]]
// CHECK: %[[TWICE:.*]] = mul %[[ONCE]], %[[SECOND]]
// CHECK: %[[NEARBY:.*]] = select %[[FITS]], %[[ONCE]], %[[TWICE]]
// CHECK: %[[THRICE:.*]] = mul %[[NEARBY]], %[[THIRD]]
// CHECK: select %[[BEYOND]], %[[THRICE]], %[[NEARBY]]
lossgrad.operator @Order
    summary "" products [A2]
    dims [b... = broadcast(x, y)]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, in y : [b] real "const aclTensor *" dtypes {[float32]},
            attr a : real "float", attr c : real "float", out o : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real, %y: [b] real) {
      %a = attribute a : real
      %c = attribute c : real
      %p = mul %x, %y : [b] real
      %q = mul %p, %a : [b] real, [] real
      %o = mul %q, %c : [b] real, [] real
      yield o = %o : [b] real
    }

// Nothing moves past data unless it is known to be at most 1: c may be anything, the mean factor may move to a.
// CHECK-LABEL: lossgrad.operator @Past
// CHECK: %[[XA:.*]] = mul %x, %a : [b] real, [] real
// CHECK: %[[XAY:.*]] = mul %[[XA]], %y : [b] real
// CHECK: mul %[[XAY]], %c : [b] real, [] real
// CHECK: %[[U:.*]] = mul %k, %a : [] real
// CHECK: %[[FIRST:.*]] = select %{{.*}}, %[[U]], %{{.*}} : [] bool, [] real, [] real
// CHECK: mul %x, %[[FIRST]] : [b] real, [] real
// CHECK: %[[X:.*]] = select
// CHECK: %[[Q:.*]] = mul %[[X]], %y : [b] real
// CHECK: yield o = %{{.*}} : [b] real, p = %[[Q]] : [b] real
lossgrad.operator @Past
    summary "" products [A2]
    dims [b... = broadcast(x, y)]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, in y : [b] real "const aclTensor *" dtypes {[float32]},
            attr a : real "float", attr c : real "float", out o : [b] real "aclTensor *" dtypes {[float32]}, out p : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real, %y: [b] real) {
      %a = attribute a : real
      %c = attribute c : real
      %one = constant 1.0
      %n = numel x
      %count = cast %n : [] int to real
      %k = div %one, %count : [] real
      %xa = mul %x, %a : [b] real, [] real
      %xay = mul %xa, %y : [b] real
      %o = mul %xay, %c : [b] real, [] real
      %xb = mul %x, %a : [b] real, [] real
      %xby = mul %xb, %y : [b] real
      %p = mul %xby, %k : [b] real, [] real
      yield o = %o : [b] real, p = %p : [b] real
    }

// Nor does a factor that is known to be tiny: where x is small and y large, x * 2^-48 would be lost before it meets y.
// CHECK-LABEL: lossgrad.operator @Tiny
// CHECK: %[[HALF:.*]] = constant 0.5
// CHECK: %[[TINY:.*]] = constant 3.5527136788005{{.*}}e-15
// CHECK: %[[XA:.*]] = mul %x, %[[HALF]] : [b] real, [] real
// CHECK: %[[YB:.*]] = mul %y, %[[TINY]] : [b] real, [] real
// CHECK: mul %[[XA]], %[[YB]] : [b] real
lossgrad.operator @Tiny
    summary "" products [A2]
    dims [b... = broadcast(x, y)]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, in y : [b] real "const aclTensor *" dtypes {[float32]}, out o : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real, %y: [b] real) {
      %half = constant 0.5
      %tiny = constant 3.552713678800501e-15
      %xa = mul %x, %half : [b] real, [] real
      %yb = mul %y, %tiny : [b] real, [] real
      %o = mul %xa, %yb : [b] real
      yield o = %o : [b] real
    }

// A negative factor turns a clamp around: the bound that wins where they cross is the lower one then.
// CHECK-LABEL: lossgrad.operator @Crossed
// CHECK: %[[L:low]] = constant -2.0
// CHECK: %[[H:high]] = constant 2.0
// CHECK: %[[MOST:.*]] = max %[[L]], %[[H]] : [] real
// CHECK: clamp %{{.*}}, %[[H]], %[[MOST]]
lossgrad.operator @Crossed
    summary "" products [A2]
    dims [b...]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, attr a : real "float", out o : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real) {
      %a = attribute a : real
      %one = constant 1.0
      %minusOne = constant -1.0
      %minusTwo = constant -2.0
      %xa = mul %x, %a : [b] real, [] real
      %c = clamp %xa, %one, %minusOne : [b] real, [] real, [] real
      %o = mul %c, %minusTwo : [b] real, [] real
      yield o = %o : [b] real
    }

// What data is compared with is rounded to the side that gives the same answer; a float is a float32.
// CHECK-LABEL: lossgrad.operator @Bounds
// CHECK: %[[A:.*]] = float32_at_least %r : [] real
// CHECK: compare ge %x, %[[A]]
// CHECK: %[[B:.*]] = float32_at_most %r : [] real
// CHECK: compare gt %x, %[[B]]
// CHECK: %[[C:.*]] = float32_at_most %d : [] real
// CHECK: compare ge %[[C]], %x
// CHECK: %[[D:.*]] = float32_exactly %d : [] real
// CHECK: compare eq %x, %[[D]]
// CHECK: compare lt %x, %f : [b] real, [] real
lossgrad.operator @Bounds
    summary "" products [A2]
    dims [b...]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, attr i : int "int64_t", attr d : real "double", attr f : real "float",
            out o : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real) {
      %i = attribute i : int
      %d = attribute d : real
      %f = attribute f : real
      %r = cast %i : [] int to real
      %c0 = compare ge %x, %r : [b] real, [] real
      %c1 = compare gt %x, %r : [b] real, [] real
      %c2 = compare ge %d, %x : [] real, [b] real
      %c3 = compare eq %x, %d : [b] real, [] real
      %c4 = compare lt %x, %f : [b] real, [] real
      %a0 = and %c0, %c1 : [b] bool
      %a1 = and %a0, %c2 : [b] bool
      %a2 = and %a1, %c3 : [b] bool
      %a3 = and %a2, %c4 : [b] bool
      %o = cast %a3 : [b] bool to real
      yield o = %o : [b] real
    }

// A uniform NaN is kept by one more step, unless the contract keeps it away.
// CHECK-LABEL: lossgrad.operator @KeepNaN
// CHECK: body(
// CHECK: %[[N:lowIsNaN]] = compare ne %low, %low : [] real
// CHECK: %[[C:.*]] = clamp %x, %low, %high
// CHECK: %[[S:.*]] = add %[[C]], %low : [b] real, [] real
// CHECK: %[[K:.*]] = select %[[N]], %[[S]], %[[C]]
// CHECK: %[[M:.*]] = min %[[K]], %high
// CHECK-NEXT: yield o = %[[M]]
lossgrad.operator @KeepNaN
    summary "" products [A2]
    dims [b...]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, attr low : real "float", attr high : real "float",
            out o : [b] real "aclTensor *" dtypes {[float32]}]
    contract {
      %high = attribute high : real
      %zero = constant 0.0
      %ok = compare ge %high, %zero : [] real
      check %ok else 161002 "high is {0}"(%high : [] real)
    }
    body(%x: [b] real) {
      %low = attribute low : real
      %high = attribute high : real
      %c = clamp %x, %low, %high : [b] real, [] real, [] real
      %o = min %c, %high : [b] real, [] real
      yield o = %o : [b] real
    }

// A choice that is wanted only where its condition holds is none: both parts of
// the condition are parts of the other. Not so where one of them is missing,
// where the other side wants it, and beyond a sum, where the condition is that
// of another element.
// CHECK-LABEL: lossgrad.operator @Implied
// CHECK: body(
// CHECK: %[[VALID:valid]] = and
// CHECK: %[[D:.*]] = mul %x, %x
// CHECK: select %[[VALID]], %[[D]], %{{.*}} : [n] bool, [n] real, [] real
// CHECK: %[[PART:.*]] = select %{{.*}}, %x, %{{.*}} : [n] bool, [n] real, [] real
// CHECK: select %{{.*}}, %[[PART]], %{{.*}} : [n] bool, [n] real, [] real
// CHECK: %[[SIDE:.*]] = select %{{.*}}, %x, %{{.*}} : [n] bool, [n] real, [] real
// CHECK: select %[[VALID]], %{{.*}}, %[[SIDE]] : [n] bool, [] real, [n] real
// CHECK: %[[TERM:.*]] = select %{{.*}}, %x, %{{.*}} : [n] bool, [n] real, [] real
// CHECK: reduce sum %[[TERM]]
lossgrad.operator @Implied
    summary "" products [A2]
    dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            in y : [n, c] real "const aclTensor *" dtypes {[float32]}, attr other : int "int64_t", out o : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real, %t: [n] int, %y: [n, c] real) {
      %zero = constant 0.0
      %first = constant 0
      %other = attribute other : int
      %extent = extent c
      %low = compare ge %t, %first : [n] int, [] int
      %high = compare lt %t, %extent : [n] int, [] int
      %isOther = compare ne %t, %other : [n] int, [] int
      %inside = and %low, %high : [n] bool
      %valid = and %isOther, %inside : [n] bool
      %again = constant 0
      %sameExtent = extent c
      %low2 = compare ge %t, %again : [n] int, [] int
      %high2 = compare lt %t, %sameExtent : [n] int, [] int
      %inside2 = and %low2, %high2 : [n] bool
      %a0 = select %inside2, %x, %zero : [n] bool, [n] real, [] real
      %a1 = mul %a0, %x : [n] real
      %a = select %valid, %a1, %zero : [n] bool, [n] real, [] real
      %b0 = select %inside2, %x, %zero : [n] bool, [n] real, [] real
      %b = select %isOther, %b0, %zero : [n] bool, [n] real, [] real
      %c0 = select %inside2, %x, %zero : [n] bool, [n] real, [] real
      %c1 = select %valid, %zero, %c0 : [n] bool, [] real, [n] real
      %d0 = select %inside2, %x, %zero : [n] bool, [n] real, [] real
      %d1 = reduce sum %d0 over [n] : [n] real
      %d = select %valid, %d1, %zero : [n] bool, [] real, [] real
      %s0 = add %a, %b : [n] real
      %s1 = add %s0, %c1 : [n] real
      %o = add %s1, %d : [n] real
      yield o = %o : [n] real
    }

// What is chosen where the index is, is chosen in its place: the look-up in the
// choice is one in nothing, and that in the other side is not made.
// CHECK-LABEL: operator @Chosen
// CHECK: body
// CHECK: onehot
// CHECK-NOT: gather
// CHECK: yield
lossgrad.operator @Chosen
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            in y : [n] real "const aclTensor *" dtypes {[float32]}, out o : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %t: [n] int, %y: [n] real) {
      %zero = constant 0.0
      %hit = onehot %t over c : [n] int
      %z = select %hit, %y, %x : [n, c] bool, [n] real, [n, c] real
      %at = gather %z[%t] over c else %zero : [n, c] real, [n] int, [] real
      %o = sub %z, %at : [n, c] real, [n] real
      yield o = %o : [n, c] real
    }

// A one-hot as numbers is 1 in its place; a cast has a kind that its operand does not tell.
// CHECK-LABEL: operator @Own
// CHECK: body
// CHECK: %[[ONE:.*]] = constant 1.0
// CHECK: %[[AT:.*]] = select %{{.*}}, %[[ONE]], %{{.*}} : [n] bool, [] real, [] real
// CHECK: mul %x, %[[AT]] : [n, c] real, [n] real
lossgrad.operator @Own
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            out o : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %t: [n] int) {
      %outside = constant 0.25
      %hit = onehot %t over c : [n] int
      %real = cast %hit : [n, c] bool to real
      %at = gather %real[%t] over c else %outside : [n, c] real, [n] int, [] real
      %o = mul %x, %at : [n, c] real, [n] real
      yield o = %o : [n, c] real
    }

// Powers of data: products and roots for small exponents, otherwise exponentials
// of logarithms with the sign apart, which a value that is never below 0 does not
// have. Of an exponent that a subtraction gives, it is asked what that is of.
// CHECK-LABEL: operator @Powers
// CHECK: body
// CHECK-NOT: pow %x
// CHECK: %[[SQUARE:.*]] = mul %x, %x
// CHECK: %[[CUBE:.*]] = mul %x, %[[SQUARE]]
// CHECK: %[[ROOT:.*]] = sqrt %x
// 1 / -0 is not the power of -0:
// CHECK: %[[PLUS:.*]] = add %[[ROOT]], %
// CHECK: %[[INVERSE:.*]] = div %{{.*}}, %[[PLUS]]
// CHECK: %[[SIZE:.*]] = abs %x
// CHECK: %[[LOG:.*]] = log %[[SIZE]]
// CHECK: mul %[[LOG]], %firstLess : [n] real, [] real
// CHECK: %[[POWER:.*]] = exp
// CHECK: %[[SIGN:.*]] = pow %{{.*}}, %less : [] real
// CHECK: %[[BELOW:.*]] = compare lt %x
// CHECK: mul %[[POWER]], %
// CHECK: select %[[BELOW]], %{{.*}}, %[[POWER]]
// CHECK: compare eq %p, %{{.*}} : [] real
// CHECK: compare eq %y, %{{.*}} : [n] real
// CHECK: log %size
// CHECK-NOT: pow
// CHECK: yield
lossgrad.operator @Powers
    summary "" products [A2]
    dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, in y : [n] real "const aclTensor *" dtypes {[float32]}, attr p : real "float",
            out a : [n] real "aclTensor *" dtypes {[float32]}, out b : [n] real "aclTensor *" dtypes {[float32]},
            out c : [n] real "aclTensor *" dtypes {[float32]}, out d : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n] real, %y: [n] real) {
      %p = attribute p : real
      %one = constant 1.0
      %three = constant 3.0
      %half = constant -0.5
      %less = sub %p, %one : [] real
      %size = abs %x : [n] real
      %a = pow %x, %three : [n] real, [] real
      %b = pow %x, %half : [n] real, [] real
      %c = pow %x, %less : [n] real, [] real
      %d = pow %size, %y : [n] real
      yield a = %a : [n] real, b = %b : [n] real, c = %c : [n] real, d = %d : [n] real
    }
