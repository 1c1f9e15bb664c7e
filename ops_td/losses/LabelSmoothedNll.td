// Negative log-likelihood with label smoothing, on log-probabilities: a share of the label is spread over all classes.
include "Base.td"

def LabelSmoothedNll : Loss<"LabelSmoothedNll"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logProb", Floats, ["n", "c"], "log-probabilities">, In<"target", ClassIndices, ["n"], "labels">,
                OptionalIn<"weightOptional", OnlyFloat32, ["c"], "class weights">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "a label that does not count", "-100">,
                Attr<"labelSmoothing", "float", "share that is spread, in [0, 1]", "0.1">,
                Out<"loss", OnlyFloat32, ["n"], "loss", (is $reduction, "none")>];
  let checks = [AttrRange<"labelSmoothing", "0", "1">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag wt = (select $valid, (gather $w, $target, $c, 0), 0);
  dag nll = (neg (mul $wt, (gather $logProb, $target, $c, 0)));
  dag all = (select $valid, (neg (sum (mul $w, $logProb), $c)), 0);
  dag row = (add (mul (sub 1, $labelSmoothing), $nll), (div (mul $labelSmoothing, $all), (extent $c)));
  let results = (outs (reduced $row, (sum $wt, $n)):$loss);
}
def LabelSmoothedNllBackward : GradientOf<LabelSmoothedNll, ["logProb"], [], ["logProb"]>;
