// Mistakes in forwards that GradientOf makes operators of are reported where the user wrote them, not in the class.
// RUN: not lossgrad-tblgen %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=Loss.td:
// RUN: split-file %S/Inputs/forwards-only.td %t
// RUN: not lossgrad-tblgen %t/first.td 2>&1 | FileCheck %s --check-prefix=FIRST --implicit-check-not=Loss.td:
// RUN: not lossgrad-tblgen %t/dims.td 2>&1 | FileCheck %s --check-prefix=DIMS --implicit-check-not=Loss.td:
// RUN: not lossgrad-project %t/place.td -o %t/project --require-all 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: lossgrad-tblgen %t/optional.td | FileCheck %s --check-prefix=OPTIONAL

// What a file with a forward alone gets is reported at the forward.
// FIRST: first.td:2:5: error: 'target' is not a real input of 'First': ints and bools have no gradient; name one of 'x'
// DIMS: dims.td:4:17: error: 'k' is not a dim
// PLACE: place.td:2:5: error: operator 'PlaceBackward' cannot be generated: no schedule carries this yet: iota is neither

// Optional inputs of a broadcast pack are looked at where they are there, and in pairs.
// OPTIONAL: "shapes of x, w do not broadcast: {0}, {1}"({{.*}}) when
// OPTIONAL: "shapes of x, v do not broadcast: {0}, {1}"({{.*}}) when
// OPTIONAL: "shapes of w, v do not broadcast: {0}, {1}"({{.*}}) when

include "Base.td"

class Rows<string name> : Loss<name> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Out<"loss", Floats, ["n"], "">, Out<"lse", OnlyFloat32, ["n"], "">];
  dag logSum = (logsumexp $x, $c);
  let results = (outs (sub (gather $x, $target, $c, 0), $logSum):$loss, (value $logSum):$lse);
}
def Good : Rows<"Good">;
// CHECK-DAG: errors-gradient.td:[[@LINE+1]]:38: error: 'y' is not an input of 'Good'
def UnknownInput : GradientOf<Good, ["y"]>;
def Named : Rows<"Named">;
// CHECK-DAG: errors-gradient.td:[[@LINE+1]]:35: error: 'target' is not a real input of 'Named': ints and bools have no gradient; name one of 'x'
def IntInput : GradientOf<Named, ["target"]>;
def Result : Rows<"Result">;
// CHECK-DAG: errors-gradient.td:[[@LINE+1]]:54: error: 'logsum' is not an intermediate result of 'Result'; did you mean 'logSum'?
def UnknownResult : GradientOf<Result, ["x"], [Saved<"logsum", "lse", 1>]>;
def Output : Rows<"Output">;
// CHECK-DAG: errors-gradient.td:[[@LINE+1]]:64: error: 'lsee' is not an input; did you mean 'lse'?
def UnknownOutput : GradientOf<Output, ["x"], [Saved<"logSum", "lsee", 1>]>;
def Wide : Loss<"Wide"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Out<"loss", Floats, ["n"], "">];
  // CHECK-DAG: errors-gradient.td:[[@LINE+1]]:35: error: the value of 'loss' has dim 'c', which the output lacks: [n]; sum over it, or end with (reduced ...)
  let results = (outs (square $x):$loss);
}
def WideBackward : GradientOf<Wide>;
