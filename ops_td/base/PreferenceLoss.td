// What the gradients of preference losses share: log-probabilities of a chosen
// and a rejected answer, under the policy and under a reference.
include "Base.td"

/// The forward: the subclass defines `l` from `h`.
class PreferenceForward<string functionName, list<Parameter> ownAttributes = []> : Loss<functionName> {
  let dims = [BroadcastPack<"b", ["policyChosen"]>];
  let params = [
    In<"policyChosen", Floats, ["b"], "">, In<"policyRejected", Floats, ["b"], "">, In<"referenceChosen", Floats, ["b"], "">,
    In<"referenceRejected", Floats, ["b"], "">, Attr<"beta", "float", "">] # ownAttributes # [
    ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag h = (sub (sub $policyChosen, $policyRejected), (sub $referenceChosen, $referenceRejected));
  dag l;
  let results = (outs (reduced $l, (numel $policyChosen)):$loss);
}

/// `h` is how much more the policy prefers the chosen answer than the reference
/// does. The subclass defines `d`, the derivative of its loss for h, and may have
/// attributes and checks of its own.
class PreferenceGradient<Loss forward, string functionName, list<Parameter> ownAttributes = [], list<Check> ownChecks = []>
    : BackwardOf<forward, functionName> {
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["policyChosen"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"policyChosen", Floats, ["b"], "log-probability of the chosen answer">,
    In<"policyRejected", Floats, ["b"], "log-probability of the rejected answer">,
    In<"referenceChosen", Floats, ["b"], "the same of the chosen answer under the reference">,
    In<"referenceRejected", Floats, ["b"], "the same of the rejected answer under the reference">,
    Attr<"beta", "float", "weight of the preference, > 0", "0.1">] # ownAttributes # [
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradChosen", Floats, ["b"], "gradient for policyChosen">,
    Out<"gradRejected", Floats, ["b"], "gradient for policyRejected, its negative">];
  defvar others = ["policyRejected", "referenceChosen", "referenceRejected", "gradChosen", "gradRejected"];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "policyChosen"] # others>, ProductCheck, DtypeCheck<["gradOutput", "policyChosen"] # others>,
    RankAtMost<8, ["policyChosen"]>, Require<(gt $beta, 0), "beta is {0}, must be greater than 0", [(attr "beta")]>, AttrFinite<"beta">] # ownChecks # [
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, SameShape<"policyChosen", others>, BroadcastsInto<"gradOutput", ["policyChosen"]>,
    DoneIf<(empty $policyChosen)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"policyChosen", "gradChosen">, Gradient<"policyRejected", "gradRejected">];
  dag h = (sub (sub $policyChosen, $policyRejected), (sub $referenceChosen, $referenceRejected));
  dag k = (select (is $reduction, "mean"), (div 1, (numel $policyChosen)), 1);
  dag d;
  dag g = (mul $d, $gradOutput, $k);
  let results = (outs (value $g):$gradChosen, (neg $g):$gradRejected);
}
