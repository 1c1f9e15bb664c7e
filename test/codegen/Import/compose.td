// An operator made of two others: their bodies one after the other, dims under the names that they have here, simplified as
// one. What is included to make an operator of it is not an operator of the file.
// RUN: split-file %s %t
// RUN: lossgrad-tblgen -I %t %t/composed.td | FileCheck %s --implicit-check-not=@Spread
// RUN: lossgrad-tblgen -I %t --no-derive %t/composed.td | FileCheck %s --check-prefix=INLINED
// RUN: lossgrad-translate -I %t --derive %t/composed.td | FileCheck %s --check-prefix=FORMULAS
// RUN: lossgrad-tblgen %S/../../../ops_td/composed/CrossEntropy2dBackward.td | FileCheck %s --check-prefix=ENTROPY

//--- spread.td
include "Base.td"
class OneTensor<string name> : LossBackward<name> {
  let summary = "Test.";
  let products = [A2];
}
// One at the index of a row, times a value of the row and an optional one of the class.
def Spread : OneTensor<"Spread"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"v", Floats, ["n"], "">, In<"i", ClassIndices, ["n"], "">, OptionalIn<"w", Floats, ["c"], "">, Attr<"scale", "float", "">,
                Out<"out", Floats, ["n", "c"], "">];
  let checks = [ArgPointers, NullCheck<["v", "i", "out"]>, ProductCheck, DtypeCheck<["v", "i", "out"]>, IfPresent<"w", [DtypeCheck<["w"]>, DeclaredShape<["w"]>]>,
                DeclaredShape<["v", "i", "out"]>];
  dag hit = (select (onehot $i, $c), (mul $v, $scale), 0);
  let results = (outs (select (present $w), (mul $hit, $w), $hit):$out);
}

//--- composed.td
include "spread.td"
def Center : OneTensor<"Center"> {
  let dims = [Pack<"outer">, SplitAt<"r", "dim">, Pack<"inner">];
  let params = [In<"g", Floats, ["outer", "r", "inner"], "">, In<"p", Floats, ["outer", "r", "inner"], "">, Attr<"dim", "int64_t", "">,
                Out<"out", Floats, ["outer", "r", "inner"], "">];
  let checks = [ArgPointers, NullCheck<["g", "p", "out"]>, ProductCheck, DtypeCheck<["g", "p", "out"]>, SameShape<"g", ["p", "out"]>, AttrIsAxis<"dim", "g">];
  let results = (outs (sub $g, (mul $p, (sum $g, $r), (div 1, (numel $inner)))):$out);
}
// CHECK-LABEL: lossgrad.operator @Center
// CHECK-LABEL: lossgrad.operator @Both
// CHECK: body(%v: [n] real, %i: [n] int, %q: [n, c] real) {
// CHECK-NOT: reduce
// CHECK: onehot %i over c
// CHECK: yield out =
// INLINED-LABEL: lossgrad.operator @Both
// INLINED: attributes {derived}
// INLINED: %spread = select
// INLINED: reduce sum %spread over [c] : [n, c] real
// FORMULAS: // Both
// FORMULAS: let results = (outs
def Both : Composed<"Both"> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"v", Floats, ["n"], "">, In<"i", ClassIndices, ["n"], "">, In<"q", Floats, ["n", "c"], "">, Out<"out", Floats, ["n", "c"], "">];
  let checks = [ArgPointers, NullCheck<["v", "i", "q", "out"]>, ProductCheck, DtypeCheck<["v", "i", "q", "out"]>, DeclaredShape<["v", "i", "q", "out"]>];
  let parts = [Part<Spread, ["spread"], (args "0.5":$scale)>,
               Part<Center, ["centered"], (args (value $spread):$g, (exp $q):$p), [As<"outer", ["n"]>, As<"r", ["c"]>, As<"inner", []>]>];
  let results = (outs (value $centered):$out);
}

// The gradients of NLL and log-softmax: nothing is summed, an exponential and a product per element.
// ENTROPY: lossgrad.operator @CrossEntropy2dBackward
// ENTROPY-NOT: lossgrad.operator
// ENTROPY: body(
// ENTROPY-NOT: reduce
// ENTROPY: exp %logProb : [n, c, h, w] real
// ENTROPY: yield out =
