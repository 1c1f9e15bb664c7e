// Simplification of what rows, classes and calls share.
// RUN: lossgrad-tblgen %s | FileCheck %s
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=shared-summand' | FileCheck %s --check-prefix=UNSHARED

include "Base.td"

// 0.7071067811865476 squared is 0.5 but for its last digit; the terms meet.
// CHECK-LABEL: @DecimalsBackward
// CHECK: body(
// CHECK-NOT: add
// CHECK-NOT: sub
// CHECK: yield gradX
def Decimals : Loss<"Decimals"> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, Out<"loss", Floats, ["s"], "">];
  let results = (outs (sub (exp (neg (square (mul "0.7071067811865476", $x)))), (mul 3, (exp (mul "-0.5", (square $x))))):$loss);
}
def DecimalsBackward : GradientOf<Decimals>;

// One axis has as many elements as its extent, and sums of sums are one.
// CHECK-LABEL: @MeanOfAllBackward
// CHECK: body(
// CHECK-NOT: numel
// CHECK: reduce sum %x over [n, c]
// CHECK-NOT: reduce
// CHECK: yield gradX
def MeanOfAll : Loss<"MeanOfAll"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Out<"loss", Floats, [], "">];
  let results = (outs (square (div (sum (sum $x, $c), $n), (mul (numel $c), (extent $n)))):$loss);
}
def MeanOfAllBackward : GradientOf<MeanOfAll>;

// Values per row and per class have all dims only together: no term of w - lse has them, and there is no factor to divide by.
// CHECK-LABEL: @RowsAndClassesBackward
// CHECK: %lse = add
// CHECK: %[[D:.*]] = sub %{{.*}}, %lse : [c] real, [n] real -> [n, c] real
// CHECK: %[[S:.*]] = add %[[D]], %x : [n, c] real
// CHECK: exp %[[S]] : [n, c] real
// CHECK: yield gradX
def RowsAndClasses : Loss<"RowsAndClasses"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"w", Floats, ["c"], "">, Out<"loss", Floats, ["n"], "">];
  dag lse = (logsumexp (add $x, (exp $w)), $c);
  let results = (outs (square $lse):$loss);
}
def RowsAndClassesBackward : GradientOf<RowsAndClasses>;

// What is summed up is also a factor of the result: its elements are chosen once, and take their coefficient afterwards.
// CHECK-LABEL: @SharedSummandBackward
// CHECK: %[[F:.*]] = select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [n, c] real, [] real
// CHECK: reduce sum %[[F]] over [c]
// CHECK: mul %{{.*}}, %[[F]] : [n] real, [n, c] real
// CHECK: yield gradX
// UNSHARED-LABEL: @SharedSummandBackward
// UNSHARED: body(
// UNSHARED: %[[F:.*]] = select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [n, c] real, [] real
// UNSHARED-NOT: mul %{{.*}}, %[[F]]
// UNSHARED: yield gradX
def SharedSummand : Loss<"SharedSummand"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, OptionalIn<"w", Floats, ["c"], "">, ChoiceAttr<"p", ["one", "two"], "", "int64_t">,
                Out<"loss", Floats, ["n"], "">];
  dag z = (sub $x, (gather $x, $target, $c, 0));
  dag wt = (select (present $w), (gather $w, $target, $c, 0), 1);
  dag h = (select (is $p, "one"), (relu $z), (square (relu $z)));
  let results = (outs (mul $wt, (sum (select (onehot $target, $c), 0, $h), $c)):$loss);
}
def SharedSummandBackward : GradientOf<SharedSummand>;
