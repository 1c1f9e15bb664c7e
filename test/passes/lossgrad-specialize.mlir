// RUN: lossgrad-opt %s --lossgrad-specialize --canonicalize --cse -split-input-file | FileCheck %s

// A condition on an attribute that chooses between different work splits the
// body. A factor of the results gets a variant for calls where it has one
// element: it has no dims there. Conditions exclude each other. The operator stays.

// CHECK-LABEL: lossgrad.operator @Choice
// CHECK: select %{{.*}} : [] bool, [b] real, [b] real

// CHECK-LABEL: lossgrad.variant @Choice_0 of @Choice
// CHECK: when
// CHECK-DAG: %[[SQUARED:.*]] = attribute squared : bool
// CHECK-DAG: %[[COUNT:.*]] = numel gradOut
// CHECK: %[[SINGLE:.*]] = compare eq %[[COUNT]], %{{.*}} : [] int
// CHECK: %[[SEVERAL:.*]] = not %[[SINGLE]] : [] bool
// CHECK: %[[HOLDS:.*]] = and %[[SQUARED]], %[[SEVERAL]] : [] bool
// CHECK: holds %[[HOLDS]]
// CHECK: body(%[[G:.*]]: [b] real, %[[SELF:.*]]: [b] real)
// CHECK-NEXT: %[[SQUARE:.*]] = mul %[[SELF]], %[[SELF]] : [b] real
// CHECK-NEXT: %[[Y:.*]] = mul %[[SQUARE]], %[[G]] : [b] real
// CHECK-NEXT: yield y = %[[Y]]

// CHECK-LABEL: lossgrad.variant @Choice_1 of @Choice
// CHECK-SAME: one_element [gradOut]
// CHECK: holds
// CHECK: body(%[[G:.*]]: [] real, %[[SELF:.*]]: [b] real)
// CHECK-NEXT: %[[SQUARE:.*]] = mul %[[SELF]], %[[SELF]] : [b] real
// CHECK-NEXT: %[[Y:.*]] = mul %[[SQUARE]], %[[G]] : [b] real, [] real
// CHECK-NEXT: yield y = %[[Y]]

// CHECK-LABEL: lossgrad.variant @Choice_2 of @Choice
// CHECK: not
// CHECK: body(%[[G:.*]]: [b] real, %[[SELF:.*]]: [b] real)
// CHECK-NEXT: %[[E:.*]] = exp %[[SELF]] : [b] real
// CHECK-NEXT: mul %[[E]], %[[G]] : [b] real

// CHECK-LABEL: lossgrad.variant @Choice_3 of @Choice
// CHECK-SAME: one_element [gradOut]
lossgrad.operator @Choice
    summary "" products [A2]
    dims [b... = broadcast(gradOut, self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            attr squared : bool "bool", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real) {
      %squared = attribute squared : bool
      %square = mul %self, %self : [b] real
      %e = exp %self : [b] real
      %d = select %squared, %square, %e : [] bool, [b] real, [b] real
      %y = mul %d, %gradOut : [b] real
      yield y = %y : [b] real
    }

// -----

// A quotient is proportional to what it divides, not to what it divides by; the
// opposite of a factor is one, and so is the factor where a condition holds and
// 0 elsewhere.

// CHECK-LABEL: lossgrad.variant @Quotient_0 of @Quotient
// CHECK-NOT: one_element
// CHECK: body(%{{.*}}: [b] real, %{{.*}}: [b] real, %{{.*}}: [b] real)
// CHECK-LABEL: lossgrad.variant @Quotient_1 of @Quotient
// CHECK-SAME: one_element [gradOut]
// CHECK: body(%[[G:.*]]: [] real, %[[SELF:.*]]: [b] real, %[[V:.*]]: [b] real)
// CHECK: %[[N:.*]] = neg %[[G]] : [] real
// CHECK-NEXT: %[[E:.*]] = exp %[[SELF]] : [b] real
// CHECK-NEXT: %[[P:.*]] = mul %[[E]], %[[N]] : [b] real, [] real
// CHECK-NEXT: %[[D:.*]] = div %[[P]], %[[V]] : [b] real
// CHECK: %[[Y:.*]] = select %{{.*}}, %[[D]], %{{.*}} : [b] bool, [b] real, [] real
// CHECK-NEXT: yield y = %[[Y]]
// CHECK-NOT: lossgrad.variant @Quotient_2
lossgrad.operator @Quotient
    summary "" products [A2]
    dims [b... = broadcast(self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            in by : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real, %by: [b] real) {
      %n = neg %gradOut : [b] real
      %e = exp %self : [b] real
      %p = mul %e, %n : [b] real
      %d = div %p, %by : [b] real
      %zero = constant 0.0
      %wide = compare gt %by, %zero : [b] real, [] real
      %y = select %wide, %d, %zero : [b] bool, [b] real, [] real
      yield y = %y : [b] real
    }

// -----

// The side that is left has fewer dims than the select had. What follows gets
// its dims again: a gather from what is the same everywhere is a range test, and a
// sum over it a product.

// Where only self has all dims of the result, one element of it is no variant.

// CHECK-LABEL: lossgrad.variant @Weighted_0 of @Weighted
// CHECK-NOT: one_element
// CHECK: body(%[[X:.*]]: [n, c] real, %[[T:.*]]: [n] int, %[[W:.*]]: [c] real)
// CHECK: gather %[[W]][%[[T]]] over c
// CHECK: reduce sum %[[W]] over [c] : [c] real
// CHECK-LABEL: lossgrad.variant @Weighted_1 of @Weighted
// CHECK: body(%[[X:.*]]: [n, c] real, %[[T:.*]]: [n] int, %{{.*}}: [c] real)
// CHECK-NOT: gather
// CHECK-NOT: reduce
// CHECK-DAG: %[[CLASSES:.*]] = extent c
// CHECK-DAG: %[[ABOVE:.*]] = compare ge %[[T]], %{{.*}} : [n] int, [] int
// CHECK-DAG: %[[BELOW:.*]] = compare lt %[[T]], %[[CLASSES]] : [n] int, [] int
// CHECK-DAG: %[[INSIDE:.*]] = and %[[ABOVE]], %[[BELOW]] : [n] bool
// CHECK-DAG: %wt = select %[[INSIDE]], %one, %zero : [n] bool, [] real, [] real
// CHECK-DAG: %[[COUNT:.*]] = numel c
// CHECK: %[[SUM:.*]] = cast %[[COUNT]] : [] int to real
// CHECK: %scale = mul %wt, %[[SUM]] : [n] real, [] real
// CHECK: mul %[[X]], %scale : [n, c] real, [n] real
lossgrad.operator @Weighted
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            optional weight : [c] real "const aclTensor *" dtypes {[float32]}, out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %target: [n] int, %weight: [c] real) {
      %one = constant 1.0
      %zero = constant 0.0
      %weighted = present weight
      %w = select %weighted, %weight, %one : [] bool, [c] real, [] real 
      %wt = gather %w[%target] over c else %zero : [c] real, [n] int, [] real
      %sum = reduce sum %w over [c] : [c] real
      %scale = mul %wt, %sum : [n] real, [] real
      %product = mul %self, %scale : [n, c] real, [n] real
      %minus = neg %product : [n, c] real
      %y = select %weighted, %product, %minus : [] bool, [n, c] real, [n, c] real
      yield y = %y : [n, c] real
    }

// -----

// A condition on an attribute splits the body where it is part of a condition
// on data, too: each side keeps only what is left to be asked per element.

// CHECK-LABEL: lossgrad.variant @Either_0 of @Either
// CHECK: holds %
// CHECK: body(%[[X:.*]]: [b] real)
// CHECK-NOT: select
// CHECK: %[[Y:.*]] = neg %[[X]] : [b] real
// CHECK-NEXT: yield y = %[[Y]]
// CHECK-LABEL: lossgrad.variant @Either_1 of @Either
// CHECK: body(%[[X:.*]]: [b] real)
// CHECK: %[[C:.*]] = compare lt %[[X]], %{{.*}} : [b] real, [] real
// CHECK-NOT: or
// CHECK: select %[[C]], %{{.*}}, %[[X]] : [b] bool, [b] real
lossgrad.operator @Either
    summary "" products [A2]
    dims [b... = broadcast(self)]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr always : bool "bool",
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %zero = constant 0.0
      %always = attribute always : bool
      %below = compare lt %self, %zero : [b] real, [] real
      %known = constant true
      %some = or %below, %always : [b] bool, [] bool
      %both = and %some, %known : [b] bool, [] bool
      %flipped = neg %self : [b] real
      %y = select %both, %flipped, %self : [b] bool, [b] real, [b] real
      yield y = %y : [b] real
    }

// -----

// One more call on what is there anyway is no variant, and does not keep a
// factor from one.

// CHECK-LABEL: lossgrad.variant @Guarded_0 of @Guarded
// CHECK: body(%[[G:.*]]: [b] real, %[[X:.*]]: [b] real)
// CHECK: %[[E:.*]] = exp %[[X]] : [b] real
// CHECK: %[[P:.*]] = mul %[[E]], %[[G]] : [b] real
// CHECK: %[[MORE:.*]] = mul %[[P]], %{{.*}} : [b] real, [] real
// CHECK: select %{{.*}}, %[[P]], %[[MORE]] : [] bool, [b] real, [b] real
// CHECK-LABEL: lossgrad.variant @Guarded_1 of @Guarded
// CHECK-SAME: one_element [gradOut]
// CHECK-NOT: lossgrad.variant

// Where the value before the step is needed as well, it is one.
// CHECK-LABEL: lossgrad.operator @Needed
// CHECK-LABEL: lossgrad.variant @Needed_0 of @Needed
// CHECK: body
// CHECK-NOT: select
// CHECK-LABEL: lossgrad.variant @Needed_1 of @Needed
lossgrad.operator @Guarded
    summary "" products [A2]
    dims [b... = broadcast(gradOut, self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            attr factor : real "float", attr plain : bool "bool", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real) {
      %factor = attribute factor : real
      %plain = attribute plain : bool
      %e = exp %self : [b] real
      %p = mul %e, %gradOut : [b] real
      %more = mul %p, %factor : [b] real, [] real
      %y = select %plain, %p, %more : [] bool, [b] real, [b] real
      yield y = %y : [b] real
    }
lossgrad.operator @Needed
    summary "" products [A2]
    dims [b... = broadcast(self)]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]},
            attr factor : real "float", attr plain : bool "bool", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %factor = attribute factor : real
      %plain = attribute plain : bool
      %e = exp %self : [b] real
      %more = mul %e, %factor : [b] real, [] real
      %d = select %plain, %e, %more : [] bool, [b] real, [b] real
      %y = add %d, %e : [b] real
      yield y = %y : [b] real
    }

// -----

// A condition that those of a variant decide is folded: where w is absent it is 1, which is not below 0.5, and
// where mode is 1 it is not 2. No variant takes the logarithm or the root.
// CHECK-LABEL: lossgrad.variant @Decided_0 of @Decided
// CHECK-LABEL: lossgrad.variant @Decided_1 of @Decided one_element [w]
// CHECK-NOT: {{ log | sqrt }}
// CHECK-LABEL: lossgrad.variant @Decided_2 of @Decided
// CHECK-NOT: {{ log | sqrt }}
// CHECK: body(%[[X:.*]]: [b] real, %{{.*}}: [b] real)
// CHECK-NEXT: mul %[[X]], %[[X]]
// CHECK-NEXT: yield
// CHECK-LABEL: lossgrad.variant @Decided_3 of @Decided
// CHECK: body(%[[X:.*]]: [b] real, %{{.*}}: [b] real)
// CHECK-NEXT: exp %[[X]]
// CHECK-NEXT: yield
// CHECK-LABEL: lossgrad.variant @Decided_4 of @Decided
// CHECK: body(%[[X:.*]]: [b] real, %{{.*}}: [b] real)
// CHECK-NEXT: mul %[[X]], %[[X]]
// CHECK-NEXT: yield
// CHECK-NOT: lossgrad.variant
lossgrad.operator @Decided
    summary "" products [A2]
    dims [b... = broadcast(x, w)]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, optional w : [b] real "const aclTensor *" dtypes {[float32]},
            attr mode : int "int64_t", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real, %w: [b] real) {
      %hasW = present w
      %one = constant 1.0
      %half = constant 0.5
      %weight = select %hasW, %w, %one : [] bool, [b] real, [] real
      %light = compare lt %weight, %half : [b] real, [] real
      %mode = attribute mode : int
      %c1 = constant 1
      %c2 = constant 2
      %is1 = compare eq %mode, %c1 : [] int
      %is2 = compare eq %mode, %c2 : [] int
      %none = not %hasW : [] bool
      %e = exp %x : [b] real
      %square = mul %x, %x : [b] real
      %root = sqrt %x : [b] real
      %log = log %x : [b] real
      %inner = select %is2, %root, %e : [] bool, [b] real, [b] real
      %byMode = select %is1, %inner, %square : [] bool, [b] real, [b] real
      %plain = select %light, %log, %byMode : [b] bool, [b] real, [b] real
      %weighted = mul %x, %weight : [b] real
      %y = select %none, %plain, %weighted : [] bool, [b] real, [b] real
      yield y = %y : [b] real
    }

// -----

// What is left has its dims in the declared order, also where an operand that came first lost some.
// CHECK-LABEL: lossgrad.variant @Declared_0 of @Declared
// CHECK: mul %w, %x : [c] real, [n, c] real -> [n, c] real
// CHECK-LABEL: lossgrad.variant @Declared_1 of @Declared
lossgrad.operator @Declared
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in w : [c] real "const aclTensor *" dtypes {[float32]},
            attr flag : bool "bool", out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %w: [c] real) {
      %flag = attribute flag : bool
      %e = exp %x : [n, c] real
      %s = select %flag, %w, %e : [] bool, [c] real, [n, c] real -> [n, c] real
      %y = mul %s, %x : [n, c] real
      yield y = %y : [n, c] real
    }

// -----

// What is chosen once per lane splits where one side leaves less to do for every element: without weights the product is one
// of rows. A choice that changes nothing there stays, and so do weights that are only looked up.
// CHECK-LABEL: lossgrad.variant @Lanes_0 of @Lanes
// CHECK: holds %hasW
// CHECK: body(%[[X:.*]]: [n, c] real, %[[S:.*]]: [n] real, %{{.*}}: [c] real, %{{.*}}: [n] int)
// CHECK: mul %{{.*}}, %{{.*}} : [n] real, [c] real
// CHECK-LABEL: lossgrad.variant @Lanes_1 of @Lanes
// CHECK-NOT: [n] real, [c] real
// CHECK: sub %{{.*}}, %{{.*}} : [n, c] real, [n] real
// CHECK-NOT: lossgrad.variant
lossgrad.operator @Lanes
    summary "" products [A2]
    dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]}, in s : [n] real "const aclTensor *" dtypes {[float32]},
            optional w : [c] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            attr flag : bool "bool", out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [n, c] real, %s: [n] real, %w: [c] real, %t: [n] int) {
      %hasW = present w
      %flag = attribute flag : bool
      %one = constant 1.0
      %zero = constant 0.0
      %weight = select %hasW, %w, %one : [] bool, [c] real, [] real
      %own = gather %weight[%t] over c else %zero : [c] real, [n] int, [] real
      %scale = select %flag, %s, %own : [] bool, [n] real, [n] real
      %spread = mul %scale, %weight : [n] real, [c] real
      %y = sub %x, %spread : [n, c] real
      yield y = %y : [n, c] real
    }
