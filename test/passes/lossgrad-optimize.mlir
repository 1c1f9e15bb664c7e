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
// CHECK: %[[FITS:.*]] = and
// CHECK: %[[SMALL:.*]] = select %{{.*}}, %{{.*}}, %{{.*}} : [] bool, [] real, [] real
// CHECK: %[[POWER:.*]] = select %{{.*}}, %{{.*}}, %[[SMALL]] : [] bool, [] real, [] real
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
