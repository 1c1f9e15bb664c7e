// Every identity of lossgrad-simplify: what it makes of a gradient, and what the
// gradient is without it.
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=select-is-guards choose=false' | FileCheck %s --check-prefix=NOSELECTISGUARDS
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=guards-meet choose=false' | FileCheck %s --check-prefix=NOGUARDSMEET
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=guard-implies choose=false' | FileCheck %s --check-prefix=NOGUARDIMPLIES
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=decided-select' | FileCheck %s --check-prefix=NODECIDEDSELECT
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=clamp-under-guard choose=false' | FileCheck %s --check-prefix=NOCLAMPUNDERGUARD
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=clamp-from-cases choose=false' | FileCheck %s --check-prefix=NOCLAMPFROMCASES
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=onehot-sum choose=false' | FileCheck %s --check-prefix=NOONEHOTSUM
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=constant-sum choose=false' | FileCheck %s --check-prefix=NOCONSTANTSUM
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=onehot-product choose=false' | FileCheck %s --check-prefix=NOONEHOTPRODUCT
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=compare-difference choose=false' | FileCheck %s --check-prefix=NOCOMPAREDIFFERENCE
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=exp-of-log choose=false' | FileCheck %s --check-prefix=NOEXPOFLOG
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=softmax-sum choose=false' | FileCheck %s --check-prefix=NOSOFTMAXSUM
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=softmax choose=false' | FileCheck %s --check-prefix=NOSOFTMAX
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=sigmoid-mirror' | FileCheck %s --check-prefix=NOSIGMOIDMIRROR
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=sigmoid-by-log' | FileCheck %s --check-prefix=NOSIGMOIDBYLOG
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=sigmoid-is-quotient choose=false' | FileCheck %s --check-prefix=NOSIGMOIDISQUOTIENT
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=common-factor,frequent-factor choose=false' | FileCheck %s --check-prefix=NOCOMMONFACTOR
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=row-coefficients,common-factor,frequent-factor choose=false' | FileCheck %s --check-prefix=NOROWCOEFFICIENTS
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=frequent-factor choose=false' | FileCheck %s --check-prefix=NOFREQUENTFACTOR
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=one-fraction choose=false' | FileCheck %s --check-prefix=NOONEFRACTION
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=negated-output choose=false' | FileCheck %s --check-prefix=NONEGATEDOUTPUT
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=row-factor' | FileCheck %s --check-prefix=NOROWFACTOR
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=select-of-factors choose=false' | FileCheck %s --check-prefix=NOSELECTOFFACTORS
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=shared-output' | FileCheck %s --check-prefix=NOSHAREDOUTPUT
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=split-power' | FileCheck %s --check-prefix=NOSPLITPOWER
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify='without=stepwise-quotient' | FileCheck %s --check-prefix=NOSTEPWISEQUOTIENT
// RUN: lossgrad-tblgen %s | FileCheck %s --check-prefix=CHOSEN
// RUN: lossgrad-tblgen --no-derive %s | lossgrad-opt --lossgrad-differentiate --lossgrad-simplify=choose=false | FileCheck %s --check-prefix=WITH
// RUN: lossgrad-tblgen --no-derive %s | not lossgrad-opt --lossgrad-differentiate --lossgrad-simplify=without=nonsense 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'nonsense' is not an identity

include "Base.td"

class Forward<string name, list<string> dims_> : Loss<name> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"y", Floats, ["n", "c"], "">, In<"r", Floats, ["n"], "">, In<"t", ClassIndices, ["n"], "">,
                Attr<"a", "float", "">, Out<"loss", Floats, dims_, "">];
}
class Backward<Loss forward, string name, list<string> dims_, list<Parameter> more = []> : BackwardOf<forward, name> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, dims_, "">, In<"x", Floats, ["n", "c"], "">, In<"y", Floats, ["n", "c"], "">, In<"r", Floats, ["n"], "">,
                In<"t", ClassIndices, ["n"], "">, Attr<"a", "float", "">, Out<"gx", Floats, ["n", "c"], "">] # more;
  defvar tensors = !filter(p, params, !isa<Tensor>(p));
  let checks = DeclaredChecks<!foreach(p, tensors, !cast<Tensor>(p))>.all;
  let upstream = [Upstream<"loss", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
}

def ClampFromCases : Forward<"ClampFromCases", ["n", "c"]> {
  let results = (outs (select (lt (abs $x), 2), (mul "0.25", (square $x)), (abs $x)):$loss);
}
// WITH-LABEL: @ClampFromCasesBackward
// WITH: body(
// WITH: %{{.*}} = mul %g, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = clamp %x, %{{.*}}, %{{.*}} : [n, c] real, [] real, [] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// NOCLAMPFROMCASES-LABEL: @ClampFromCasesBackward
// NOCLAMPFROMCASES: %{{.*}} = abs %x : [n, c] real
// NOCLAMPFROMCASES: %{{.*}} = compare lt %{{.*}}, %{{.*}} : [n, c] real, [] real
// NOCLAMPFROMCASES: %{{.*}} = mul %x, %{{.*}} : [n, c] real, [] real
// NOCLAMPFROMCASES: %{{.*}} = sign %x : [n, c] real
def ClampFromCasesBackward : Backward<ClampFromCases, "ClampFromCasesBackward", ["n", "c"]>;

def ClampUnderGuard : Forward<"ClampUnderGuard", ["n", "c"]> {
  let results = (outs (square (clamp_min $x, $y)):$loss);
}
// WITH-LABEL: @ClampUnderGuardBackward
// WITH: body(
// WITH: %{{.*}} = compare ge %x, %y : [n, c] real
// WITH: %{{.*}} = mul %x, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = mul %{{.*}}, %g : [n, c] real
// WITH: %gx = select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [n, c] real, [] real
// NOCLAMPUNDERGUARD-LABEL: @ClampUnderGuardBackward
// NOCLAMPUNDERGUARD: %{{.*}} = max %x, %y : [n, c] real
// NOCLAMPUNDERGUARD: %{{.*}} = mul %{{.*}}, %{{.*}} : [n, c] real, [] real
def ClampUnderGuardBackward : Backward<ClampUnderGuard, "ClampUnderGuardBackward", ["n", "c"]>;

def CommonFactor : Forward<"CommonFactor", ["n", "c"]> {
  let results = (outs (add (mul $x, $y), (mul $x, $y, $y)):$loss);
}
// WITH-LABEL: @CommonFactorBackward
// WITH: body(
// WITH: %{{.*}} = mul %y, %g : [n, c] real
// WITH: %{{.*}} = add %y, %{{.*}} : [n, c] real, [] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// NOCOMMONFACTOR-LABEL: @CommonFactorBackward
// NOCOMMONFACTOR: %{{.*}} = mul %y, %y : [n, c] real
// NOCOMMONFACTOR: %{{.*}} = mul %g, %{{.*}} : [n, c] real
// NOCOMMONFACTOR: %gx = add %{{.*}}, %{{.*}} : [n, c] real
def CommonFactorBackward : Backward<CommonFactor, "CommonFactorBackward", ["n", "c"]>;

def CompareDifference : Forward<"CompareDifference", ["n", "c"]> {
  let results = (outs (relu (sub $x, $y)):$loss);
}
// WITH-LABEL: @CompareDifferenceBackward
// WITH: body(
// WITH: %{{.*}} = compare gt %x, %y : [n, c] real
// WITH: %gx = select %{{.*}}, %g, %{{.*}} : [n, c] bool, [n, c] real, [] real
// NOCOMPAREDIFFERENCE-LABEL: @CompareDifferenceBackward
// NOCOMPAREDIFFERENCE: %{{.*}} = sub %x, %y : [n, c] real
// NOCOMPAREDIFFERENCE: %{{.*}} = compare gt %{{.*}}, %{{.*}} : [n, c] real, [] real
def CompareDifferenceBackward : Backward<CompareDifference, "CompareDifferenceBackward", ["n", "c"]>;

def ConstantSum : Forward<"ConstantSum", ["n"]> {
  let results = (outs (square (sum (mul $x, $r), $c)):$loss);
}
// WITH-LABEL: @ConstantSumBackward
// WITH: body(
// WITH: %{{.*}} = mul %g, %{{.*}} : [n] real, [] real
// WITH: %{{.*}} = reduce sum %x over [c] : [n, c] real
// WITH: %{{.*}} = mul %{{.*}}, %{{.*}} : [n] real
// WITH: %{{.*}} = mul %r, %r : [n] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n] real
// NOCONSTANTSUM-LABEL: @ConstantSumBackward
// NOCONSTANTSUM: %{{.*}} = mul %r, %{{.*}} : [n] real, [] real
// NOCONSTANTSUM: %{{.*}} = mul %r, %x : [n] real, [n, c] real
// NOCONSTANTSUM: %{{.*}} = reduce sum %{{.*}} over [c] : [n, c] real
// NOCONSTANTSUM: %gx = mul %{{.*}}, %g : [n] real
def ConstantSumBackward : Backward<ConstantSum, "ConstantSumBackward", ["n"]>;

// Where a is not positive, the gradient of x log x is log x + 1, also at 0.
def DecidedSelect : Forward<"DecidedSelect", ["n", "c"]> {
  dag q = (select (gt $a, 0), (exp $x), $x);
  dag logq = (select (gt $a, 0), $x, (log $x));
  let results = (outs (mul $q, $logq):$loss);
}
// CHOSEN-LABEL: @DecidedSelectBackward
// CHOSEN: body(
// CHOSEN-NOT: div
// CHOSEN: %gx =
// NODECIDEDSELECT-LABEL: @DecidedSelectBackward
// NODECIDEDSELECT: body(
// NODECIDEDSELECT: %{{.*}} = div %{{.*}}, %x : [n, c] real
// NODECIDEDSELECT: %gx =
def DecidedSelectBackward : Backward<DecidedSelect, "DecidedSelectBackward", ["n", "c"]>;

def ExpOfLog : Forward<"ExpOfLog", ["n", "c"]> {
  let results = (outs (mul $x, (exp (log $y))):$loss);
}
// WITH-LABEL: @ExpOfLogBackward
// WITH: body(
// WITH: %gx = mul %y, %g : [n, c] real
// NOEXPOFLOG-LABEL: @ExpOfLogBackward
// NOEXPOFLOG: %{{.*}} = log %y : [n, c] real
// NOEXPOFLOG: %{{.*}} = exp %{{.*}} : [n, c] real
// NOEXPOFLOG: %gx = mul %{{.*}}, %g : [n, c] real
def ExpOfLogBackward : Backward<ExpOfLog, "ExpOfLogBackward", ["n", "c"]>;

def FrequentFactor : Forward<"FrequentFactor", ["n", "c"]> {
  let results = (outs (mul "0.5", $x, (add (mul $y, $r), (mul $y, $y), 1)):$loss);
}
// WITH-LABEL: @FrequentFactorBackward
// WITH: body(
// WITH: %{{.*}} = mul %g, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = add %r, %y : [n] real, [n, c] real
// WITH: %{{.*}} = mul %y, %{{.*}} : [n, c] real
// WITH: %{{.*}} = add %{{.*}}, %{{.*}} : [n, c] real, [] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// NOFREQUENTFACTOR-LABEL: @FrequentFactorBackward
// NOFREQUENTFACTOR: %{{.*}} = mul %r, %y : [n] real, [n, c] real
// NOFREQUENTFACTOR: %{{.*}} = mul %y, %y : [n, c] real
// NOFREQUENTFACTOR: %{{.*}} = add %{{.*}}, %{{.*}} : [n, c] real
def FrequentFactorBackward : Backward<FrequentFactor, "FrequentFactorBackward", ["n", "c"]>;

def GuardImplies : Forward<"GuardImplies", ["n", "c"]> {
  let results = (outs (select (gt $x, 0), (select (gt $x, 0), (mul $x, $y), $x), 0):$loss);
}
// WITH-LABEL: @GuardImpliesBackward
// WITH: body(
// WITH: %{{.*}} = compare gt %x, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = mul %y, %g : [n, c] real
// WITH: %gx = select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [n, c] real, [] real
// NOGUARDIMPLIES-LABEL: @GuardImpliesBackward
// NOGUARDIMPLIES: %{{.*}} = select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [] real, [] real
// NOGUARDIMPLIES: %{{.*}} = add %y, %{{.*}} : [n, c] real
// NOGUARDIMPLIES: %{{.*}} = mul %g, %{{.*}} : [n, c] real
def GuardImpliesBackward : Backward<GuardImplies, "GuardImpliesBackward", ["n", "c"]>;

def GuardsMeet : Forward<"GuardsMeet", ["n", "c"]> {
  let results = (outs (select (gt $y, 0), (mul $x, $y), (add (mul $x, $y), (mul $x, $r))):$loss);
}
// WITH-LABEL: @GuardsMeetBackward
// WITH: body(
// WITH: %{{.*}} = compare gt %y, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = select %{{.*}}, %{{.*}}, %r : [n, c] bool, [] real, [n] real
// WITH: %{{.*}} = add %y, %{{.*}} : [n, c] real
// WITH: %gx = mul %g, %{{.*}} : [n, c] real
// NOGUARDSMEET-LABEL: @GuardsMeetBackward
// NOGUARDSMEET: %{{.*}} = add %r, %y : [n] real, [n, c] real
// NOGUARDSMEET: %{{.*}} = select %{{.*}}, %y, %{{.*}} : [n, c] bool, [n, c] real, [n, c] real
def GuardsMeetBackward : Backward<GuardsMeet, "GuardsMeetBackward", ["n", "c"]>;

def NegatedOutput : Forward<"NegatedOutput", ["n", "c"]> {
  let results = (outs (square (sub $x, $y)):$loss);
}
// WITH-LABEL: @NegatedOutputBackward
// WITH: body(
// WITH: %{{.*}} = sub %x, %y : [n, c] real
// WITH: %{{.*}} = mul %{{.*}}, %{{.*}} : [n, c] real, [] real
// WITH: %gx = mul %{{.*}}, %g : [n, c] real
// WITH: %gy = neg %gx : [n, c] real
// NONEGATEDOUTPUT-LABEL: @NegatedOutputBackward
// NONEGATEDOUTPUT: %{{.*}} = mul %g, %{{.*}} : [n, c] real, [] real
// NONEGATEDOUTPUT: %{{.*}} = sub %y, %x : [n, c] real
// NONEGATEDOUTPUT: %gy = mul %{{.*}}, %{{.*}} : [n, c] real
def NegatedOutputBackward : Backward<NegatedOutput, "NegatedOutputBackward", ["n", "c"], [Out<"gy", Floats, ["n", "c"], "">]> {
  let gradients = [Gradient<"x", "gx">, Gradient<"y", "gy">];
}

def OneFraction : Forward<"OneFraction", ["n", "c"]> {
  let results = (outs (neg (add (mul $y, (log $x)), (mul (sub 1, $y), (log (sub 1, $x))))):$loss);
}
// WITH-LABEL: @OneFractionBackward
// WITH: body(
// WITH: %{{.*}} = sub %x, %y : [n, c] real
// WITH: %{{.*}} = mul %g, %{{.*}} : [n, c] real
// WITH: %{{.*}} = sub %{{.*}}, %x : [] real, [n, c] real
// WITH: %{{.*}} = mul %x, %{{.*}} : [n, c] real
// WITH: %gx = div %{{.*}}, %{{.*}} : [n, c] real
// NOONEFRACTION-LABEL: @OneFractionBackward
// NOONEFRACTION: %{{.*}} = sub %{{.*}}, %y : [] real, [n, c] real
// NOONEFRACTION: %{{.*}} = div %{{.*}}, %{{.*}} : [n, c] real
// NOONEFRACTION: %{{.*}} = div %y, %x : [n, c] real
// NOONEFRACTION: %{{.*}} = sub %{{.*}}, %{{.*}} : [n, c] real
def OneFractionBackward : Backward<OneFraction, "OneFractionBackward", ["n", "c"]>;

def OnehotProduct : Forward<"OnehotProduct", ["n"]> {
  let results = (outs (sum (select (and (gt $r, 0), (onehot $t, $c)), $x, 0), $c):$loss);
}
// WITH-LABEL: @OnehotProductBackward
// WITH: body(
// WITH: %{{.*}} = compare gt %r, %{{.*}} : [n] real, [] real
// WITH: %{{.*}} = onehot %t over c : [n] int
// WITH: %{{.*}} = select %{{.*}}, %g, %{{.*}} : [n, c] bool, [n] real, [] real
// WITH: %gx = select %{{.*}}, %{{.*}}, %{{.*}} : [n] bool, [n, c] real, [] real
// NOONEHOTPRODUCT-LABEL: @OnehotProductBackward
// NOONEHOTPRODUCT: %{{.*}} = and %{{.*}}, %{{.*}} : [n] bool, [n, c] bool
// NOONEHOTPRODUCT: %gx = select %{{.*}}, %g, %{{.*}} : [n, c] bool, [n] real, [] real
def OnehotProductBackward : Backward<OnehotProduct, "OnehotProductBackward", ["n"]>;

def OnehotSum : Forward<"OnehotSum", ["n"]> {
  let results = (outs (gather (sub $x, (logsumexp $x, $c)), $t, $c, 0):$loss);
}
// WITH-LABEL: @OnehotSumBackward
// WITH: body(
// WITH: %{{.*}} = reduce max %x over [c] : [n, c] real
// WITH: %{{.*}} = exp %{{.*}} : [n, c] real
// WITH: %{{.*}} = reduce sum %{{.*}} over [c] : [n, c] real
// WITH: %gx = add %{{.*}}, %{{.*}} : [n, c] real
// WITH: yield gx = %gx : [n, c] real
// NOONEHOTSUM-LABEL: @OnehotSumBackward
// NOONEHOTSUM: %{{.*}} = cast %{{.*}} : [n, c] bool to real
// NOONEHOTSUM: %{{.*}} = mul %{{.*}}, %{{.*}} : [n] real
// NOONEHOTSUM: %gx = sub %{{.*}}, %{{.*}} : [n, c] real
def OnehotSumBackward : Backward<OnehotSum, "OnehotSumBackward", ["n"]>;

def RowCoefficients : Forward<"RowCoefficients", ["n", "c"]> {
  let results = (outs (add (mul $x, $y, $r), (mul $x, $y, $a)):$loss);
}
// WITH-LABEL: @RowCoefficientsBackward
// WITH: body(
// WITH: %{{.*}} = add %{{.*}}, %r : [] real, [n] real
// WITH: %{{.*}} = mul %{{.*}}, %y : [n] real, [n, c] real
// WITH: %gx = mul %{{.*}}, %g : [n, c] real
// NOROWCOEFFICIENTS-LABEL: @RowCoefficientsBackward
// NOROWCOEFFICIENTS: %{{.*}} = mul %{{.*}}, %y : [] real, [n, c] real
// NOROWCOEFFICIENTS: %{{.*}} = mul %{{.*}}, %g : [n, c] real
// NOROWCOEFFICIENTS: %{{.*}} = mul %r, %y : [n] real, [n, c] real
// NOROWCOEFFICIENTS: %{{.*}} = mul %{{.*}}, %g : [n, c] real
def RowCoefficientsBackward : Backward<RowCoefficients, "RowCoefficientsBackward", ["n", "c"]>;

def RowFactor : Forward<"RowFactor", ["n", "c"]> {
  let results = (outs (square (sub (sub $x, $y), (div 1, (mul 2, $a)))):$loss);
}
// CHOSEN-LABEL: @RowFactorBackward
// CHOSEN: body(
// CHOSEN: %{{.*}} = mul %g, %{{.*}} : [n, c] real, [] real
// CHOSEN: %{{.*}} = add %{{.*}}, %x : [] real, [n, c] real
// CHOSEN: %{{.*}} = sub %{{.*}}, %y : [n, c] real
// CHOSEN: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// NOROWFACTOR-LABEL: @RowFactorBackward
// NOROWFACTOR: %gx = add %[[TWICE:.*]], %[[TWICE]] : [n, c] real
def RowFactorBackward : Backward<RowFactor, "RowFactorBackward", ["n", "c"]>;

def SelectIsGuards : Forward<"SelectIsGuards", ["n", "c"]> {
  let results = (outs (select (gt $x, $y), (square $x), (mul $x, $y)):$loss);
}
// WITH-LABEL: @SelectIsGuardsBackward
// WITH: body(
// WITH: %{{.*}} = compare gt %x, %y : [n, c] real
// WITH: %{{.*}} = mul %x, %{{.*}} : [n, c] real, [] real
// WITH: %{{.*}} = select %{{.*}}, %{{.*}}, %y : [n, c] bool, [n, c] real, [n, c] real
// WITH: %gx = mul %g, %{{.*}} : [n, c] real
// NOSELECTISGUARDS-LABEL: @SelectIsGuardsBackward
// NOSELECTISGUARDS: %{{.*}} = select %{{.*}}, %{{.*}}, %g : [n, c] bool, [] real, [n, c] real
// NOSELECTISGUARDS: %{{.*}} = mul %y, %{{.*}} : [n, c] real
// NOSELECTISGUARDS: %{{.*}} = select %{{.*}}, %g, %{{.*}} : [n, c] bool, [n, c] real, [] real
// NOSELECTISGUARDS: %{{.*}} = mul %{{.*}}, %{{.*}} : [n, c] real
def SelectIsGuardsBackward : Backward<SelectIsGuards, "SelectIsGuardsBackward", ["n", "c"]>;

def SelectOfFactors : Forward<"SelectOfFactors", ["n", "c"]> {
  let results = (outs (select (gt $y, 0), (mul $r, (exp $x)), (mul $a, (exp $x))):$loss);
}
// WITH-LABEL: @SelectOfFactorsBackward
// WITH: body(
// WITH: %{{.*}} = select %{{.*}}, %r, %{{.*}} : [n, c] bool, [n] real, [] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// NOSELECTOFFACTORS-LABEL: @SelectOfFactorsBackward
// NOSELECTOFFACTORS: select %{{.*}}, %{{.*}}, %{{.*}} : [n, c] bool, [n, c] real
def SelectOfFactorsBackward : Backward<SelectOfFactors, "SelectOfFactorsBackward", ["n", "c"]>;

def SharedOutput : Forward<"SharedOutput", ["n", "c"]> {
  let results = (outs (div (square $x), (exp $y)):$loss);
}
// CHOSEN-LABEL: @SharedOutputBackward
// CHOSEN: body(
// CHOSEN: %gx = div %{{.*}}, %{{.*}} : [n, c] real
// CHOSEN: %gy = mul %{{.*}}, %gx : [n, c] real
// NOSHAREDOUTPUT-LABEL: @SharedOutputBackward
// NOSHAREDOUTPUT: %gx = div
// NOSHAREDOUTPUT: %{{.*}} = div
// NOSHAREDOUTPUT: %gy =
def SharedOutputBackward : Backward<SharedOutput, "SharedOutputBackward", ["n", "c"], [Out<"gy", Floats, ["n", "c"], "">]> {
  let gradients = [Gradient<"x", "gx">, Gradient<"y", "gy">];
}

def SigmoidByLog : Forward<"SigmoidByLog", ["n", "c"]> {
  let results = (outs (mul (log_sigmoid $x), (log_sigmoid (neg $x))):$loss);
}
// CHOSEN-LABEL: @SigmoidByLogBackward
// CHOSEN: body(
// CHOSEN: %{{.*}} = exp %{{.*}} : [n, c] real
// CHOSEN: %{{.*}} = log %{{.*}} : [n, c] real
// CHOSEN: %{{.*}} = exp %{{.*}} : [n, c] real
// CHOSEN: %{{.*}} = exp %{{.*}} : [n, c] real
// CHOSEN: %gx = mul %g, %{{.*}} : [n, c] real
// CHOSEN: yield gx = %gx : [n, c] real
// NOSIGMOIDBYLOG-LABEL: @SigmoidByLogBackward
// NOSIGMOIDBYLOG: %{{.*}} = exp %x : [n, c] real
// NOSIGMOIDBYLOG: %{{.*}} = add %{{.*}}, %{{.*}} : [n, c] real
def SigmoidByLogBackward : Backward<SigmoidByLog, "SigmoidByLogBackward", ["n", "c"]>;

def SigmoidIsQuotient : Forward<"SigmoidIsQuotient", ["n", "c"]> {
  let results = (outs (softplus $x):$loss);
}
// WITH-LABEL: @SigmoidIsQuotientBackward
// WITH: body(
// WITH: %{{.*}} = neg %x : [n, c] real
// WITH: %{{.*}} = exp %{{.*}} : [n, c] real
// WITH: %{{.*}} = add %{{.*}}, %{{.*}} : [n, c] real, [] real
// WITH: %gx = div %g, %{{.*}} : [n, c] real
// NOSIGMOIDISQUOTIENT-LABEL: @SigmoidIsQuotientBackward
// NOSIGMOIDISQUOTIENT: %{{.*}} = div %{{.*}}, %{{.*}} : [] real, [n, c] real
// NOSIGMOIDISQUOTIENT: %gx = mul %g, %{{.*}} : [n, c] real
def SigmoidIsQuotientBackward : Backward<SigmoidIsQuotient, "SigmoidIsQuotientBackward", ["n", "c"]>;

def SigmoidMirror : Forward<"SigmoidMirror", ["n", "c"]> {
  let results = (outs (sub (softplus $x), (softplus (neg $x))):$loss);
}
// CHOSEN-LABEL: @SigmoidMirrorBackward
// CHOSEN: body(
// NOSIGMOIDMIRROR-LABEL: @SigmoidMirrorBackward
// NOSIGMOIDMIRROR: %{{.*}} = exp %x : [n, c] real
// NOSIGMOIDMIRROR: %{{.*}} = add %{{.*}}, %{{.*}} : [n, c] real, [] real
// NOSIGMOIDMIRROR: %{{.*}} = div %{{.*}}, %{{.*}} : [] real, [n, c] real
// NOSIGMOIDMIRROR: %{{.*}} = neg %x : [n, c] real
def SigmoidMirrorBackward : Backward<SigmoidMirror, "SigmoidMirrorBackward", ["n", "c"]>;

def Softmax : Forward<"Softmax", ["n"]> {
  let results = (outs (logsumexp $x, $c):$loss);
}
// WITH-LABEL: @SoftmaxBackward
// WITH: body(
// WITH: %{{.*}} = reduce max %x over [c] : [n, c] real
// WITH: %{{.*}} = sub %x, %{{.*}} : [n, c] real, [n] real
// WITH: %{{.*}} = exp %{{.*}} : [n, c] real
// WITH: %{{.*}} = reduce sum %{{.*}} over [c] : [n, c] real
// WITH: %{{.*}} = div %{{.*}}, %{{.*}} : [] real, [n] real
// WITH: %{{.*}} = mul %g, %{{.*}} : [n] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n] real, [n, c] real
// NOSOFTMAX-LABEL: @SoftmaxBackward
// NOSOFTMAX: %{{.*}} = abs %{{.*}} : [n] real
// NOSOFTMAX: %{{.*}} = compare lt %{{.*}}, %{{.*}} : [n] real, [] real
// NOSOFTMAX: %{{.*}} = select %{{.*}}, %{{.*}}, %{{.*}} : [n] bool, [n] real, [] real
// NOSOFTMAX: %{{.*}} = log %{{.*}} : [n] real
def SoftmaxBackward : Backward<Softmax, "SoftmaxBackward", ["n"]>;

def SoftmaxSum : Forward<"SoftmaxSum", ["n"]> {
  let results = (outs (sum (mul (exp (sub $x, (logsumexp $x, $c))), (sub $x, (logsumexp $x, $c))), $c):$loss);
}
// WITH-LABEL: @SoftmaxSumBackward
// WITH: body(
// WITH: %{{.*}} = reduce max %x over [c] : [n, c] real
// WITH: %{{.*}} = exp %{{.*}} : [n, c] real
// WITH: %{{.*}} = reduce sum %{{.*}} over [c] : [n, c] real
// WITH: %{{.*}} = reduce sum %{{.*}} over [c] : [n, c] real
// WITH: %gx = mul %{{.*}}, %{{.*}} : [n, c] real
// WITH: yield gx = %gx : [n, c] real
// NOSOFTMAXSUM-LABEL: @SoftmaxSumBackward
// NOSOFTMAXSUM: %{{.*}} = log %{{.*}} : [n] real
// NOSOFTMAXSUM: %{{.*}} = add %{{.*}}, %{{.*}} : [n] real
// NOSOFTMAXSUM: %{{.*}} = sub %{{.*}}, %{{.*}} : [n] real, [] real
// NOSOFTMAXSUM: %{{.*}} = mul %{{.*}}, %{{.*}} : [n] real
def SoftmaxSumBackward : Backward<SoftmaxSum, "SoftmaxSumBackward", ["n"]>;

def SplitPower : Forward<"SplitPower", ["n", "c"]> {
  let results = (outs (exp (mul $a, (log (pass (max $x, "0.001"), $x)))):$loss);
}
// CHOSEN-LABEL: @SplitPowerBackward
// CHOSEN: body(
// CHOSEN-NOT: div
// CHOSEN: %gx =
// NOSPLITPOWER-LABEL: @SplitPowerBackward
// NOSPLITPOWER: body(
// NOSPLITPOWER: %gx = div
def SplitPowerBackward : Backward<SplitPower, "SplitPowerBackward", ["n", "c"]>;

def StepwiseQuotient : Forward<"StepwiseQuotient", ["n"]> {
  dag xx = (add (sum (square $x), $c), "1e-12");
  dag yy = (add (sum (square $y), $c), "1e-12");
  dag cosine = (div (sum (mul $x, $y), $c), (sqrt (mul $xx, $yy)));
  let results = (outs (value $cosine):$loss);
}
// CHOSEN-LABEL: @StepwiseQuotientBackward
// CHOSEN: body(
// CHOSEN: %[[X:.*]] = sqrt %xx : [n] real
// CHOSEN: %[[G:.*]] = div %g, %[[X]] : [n] real
// CHOSEN: %[[Y:.*]] = sqrt %yy : [n] real
// CHOSEN: %{{.*}} = div %[[G]], %[[Y]] : [n] real
// NOSTEPWISEQUOTIENT-LABEL: @StepwiseQuotientBackward
// NOSTEPWISEQUOTIENT: %[[BOTH:.*]] = mul %xx, %yy : [n] real
// NOSTEPWISEQUOTIENT: sqrt %[[BOTH]] : [n] real
def StepwiseQuotientBackward : Backward<StepwiseQuotient, "StepwiseQuotientBackward", ["n"]>;
