// A gradient that needs what the operator is not handed, and a derived body
// whose checks let something through.
// RUN: split-file %s %t
// RUN: not lossgrad-tblgen %t/missing.td 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not lossgrad-tblgen %t/checks.td 2>&1 | FileCheck %s --check-prefix=CHECKS --implicit-check-not=error:

//--- checks.td
include "Base.td"
def F : Loss<"F"> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, Out<"y", Floats, ["s"], "">];
  let results = (outs (exp $x):$y);
}
def FBackward : GradientOf<F> {
  // CHECKS: checks.td:9:7: error: the checks accept 'gradX' with shape [], must be [2, 3]; add DeclaredShape<["gradX"]>
  let checks = [ArgPointers, NullCheck<["gradOutput", "x", "gradX"]>, ProductCheck, DtypeCheck<["gradOutput", "x", "gradX"]>, DeclaredShape<["gradOutput", "x"]>];
}

//--- missing.td
include "Base.td"
def F : Loss<"F"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Out<"y", Floats, ["n", "c"], "">];
  dag lse = (logsumexp $x, $c);
  dag logp = (sub $x, $lse);
  let results = (outs (value $logp):$y);
}
// MISSING: missing.td:10:5: error: the gradient needs 'x' of the forward, which the operator is not handed; add it to params, or save what depends on it: 'lse', 'logp'
def FBackward : BackwardOf<F, "FBackward"> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, ["n", "c"], "">, Out<"gx", Floats, ["n", "c"], "">];
  let upstream = [Upstream<"y", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
}
