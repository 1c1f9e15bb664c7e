// Cross entropy from logits with the saved sum of exponentials, so that no log-probabilities are kept: class weights, label
// smoothing (over all classes as PyTorch has it, or over the others only), z-loss, soft-capped logits, an ignored label.
include "Base.td"

def LogitsCrossEntropy : Loss<"LogitsCrossEntropy"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"target", ClassIndices, ["n"], "labels">,
                OptionalIn<"weightOptional", OnlyFloat32, ["c"], "class weights">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "a label that does not count", "-100">,
                Attr<"labelSmoothing", "float", "in [0, 1)", "0.0">, Attr<"smoothOthers", "bool", "smoothing spreads over the other classes only", "false">,
                Attr<"zScale", "float", "weight of the squared sum of exponentials", "0.0">, Attr<"softcap", "float", "logits stay below it; 0 for none", "0.0">,
                Out<"loss", OnlyFloat32, ["n"], "loss", (is $reduction, "none")>, Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">,
                Out<"totalWeight", OnlyFloat32, [], "what a mean divides by">];
  dag z = (select (gt $softcap, 0), (mul $softcap, (tanh (div $logits, $softcap))), $logits);
  dag logSum = (logsumexp $z, $c);
  dag logp = (sub $z, $logSum);
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag wt = (select $valid, (gather $w, $target, $c, 0), 0);
  dag total = (sum $wt, $n);
  dag nll = (neg (mul $wt, (gather $logp, $target, $c, 0)));
  dag all = (select $valid, (neg (sum (mul $w, $logp), $c)), 0);
  dag smoothed = (select $smoothOthers, (div (mul $labelSmoothing, (sub $all, $nll)), (sub (extent $c), 1)),
                                        (div (mul $labelSmoothing, $all), (extent $c)));
  dag row = (add (mul (sub 1, $labelSmoothing), $nll), $smoothed, (select $valid, (mul $zScale, (square $logSum)), 0));
  let results = (outs (reduced $row, $total):$loss, (value $logSum):$lse, (value $total):$totalWeight);
}
def LogitsCrossEntropyBackward : GradientOf<LogitsCrossEntropy, ["logits"], [Saved<"logSum", "lse", 1>, Saved<"total", "totalWeight">], ["logits"]>;
