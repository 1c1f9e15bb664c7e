// A forward and its backward: what is imported, and what the derivation makes
// of it. Forwards are no operators unless they are asked for.
// RUN: lossgrad-tblgen %s | FileCheck %s
// RUN: lossgrad-tblgen --no-derive %s | FileCheck %s --check-prefix=RAW
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify | FileCheck %s
// RUN: lossgrad-tblgen --forwards %s | FileCheck %s --check-prefix=FORWARD
// RUN: lossgrad-translate --td-to-mlir %s | FileCheck %s

include "Base.td"

// A user's function with a rule of its own; the rule decides, not the body.
def twice : Function<["x"], (add $x, $x), "x + x">;
def : Derivative<twice, ["x"], [(mul 3, $g)]>;

class Backward<Loss forward, string name> : BackwardOf<forward, name> {
  let summary = "Test.";
  let products = [A2];
  defvar tensors = !filter(p, params, !isa<Tensor>(p));
  let checks = DeclaredChecks<!foreach(p, tensors, !cast<Tensor>(p))>.all;
}

// FORWARD-LABEL: lossgrad.operator @Row
// FORWARD: attributes {forward}
// FORWARD: yield loss = %loss : [n] real
def Row : Loss<"Row"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Out<"loss", Floats, ["n"], "">];
  dag lse = (logsumexp $x, $c);
  let results = (outs (sub $lse, (gather $x, $target, $c, 0)):$loss);
}

// The gradient of cross entropy from logits and what the forward saved.
// RAW-LABEL: lossgrad.rule "logsumexp" over [d] definition(%x: [d] real)
// RAW: derivative(%g: [] real, %r: [] real, %x: [d] real)
// RAW-LABEL: lossgrad.operator @RowBackward
// RAW: %[[L:.*]] = apply "logsumexp"(%x : !lossgrad.value<[n, c], real>) over ["c"] : <[n], real>
// RAW: %{{.*}} = saved %[[L]] as %saved : <[n], real> : <[n], real>
// RAW: gradient of(%{{.*}}) by(%g : !lossgrad.value<[n], real>) for %x
// CHECK-NOT: lossgrad.rule
// CHECK-LABEL: lossgrad.operator @RowBackward
// CHECK: body(%g: [n] real, %x: [n, c] real, %target: [n] int, %saved: [n] real) {
// CHECK: %[[D:.*]] = sub %x, %saved : [n, c] real, [n] real
// CHECK: %[[P:.*]] = exp %[[D]] : [n, c] real
// CHECK: mul %g, %[[P]] : [n] real, [n, c] real
// CHECK-NOT: reduce
// CHECK: yield gx
def RowBackward : Backward<Row, "RowBackward"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, ["n"], "">, In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, In<"saved", Floats, ["n"], "">,
                Out<"gx", Floats, ["n", "c"], "">];
  let upstream = [Upstream<"loss", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
  let saved = [Saved<"lse", "saved">];
}

// The loss is the same for all rows of its tensor: their upstream gradients are summed.
// CHECK-LABEL: lossgrad.operator @TheSameForAllBackward
// CHECK: %[[G:.*]] = reduce sum %gradOutput over [n] : [n] real
// CHECK: yield gradX
def TheSameForAll : Loss<"TheSameForAll"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Out<"loss", Floats, ["n"], "">];
  let results = (outs (sum $x, $n, $c):$loss);
}
def TheSameForAllBackward : GradientOf<TheSameForAll>;

// CHECK-LABEL: lossgrad.operator @TwiceBackward
// CHECK: %[[THREE:.*]] = constant 3.0
// CHECK: %gx = mul %{{g|.*THREE.*}}, %{{.*}} : [s] real, [] real
def Twice : Loss<"Twice"> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, Out<"y", Floats, ["s"], "">];
  let results = (outs (twice $x):$y);
}
def TwiceBackward : Backward<Twice, "TwiceBackward"> {
  let dims = [Pack<"s">];
  let params = [In<"g", Floats, ["s"], "">, In<"x", Floats, ["s"], "">, Out<"gx", Floats, ["s"], "">];
  let upstream = [Upstream<"y", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
}
