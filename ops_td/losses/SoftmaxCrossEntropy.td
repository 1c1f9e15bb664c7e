// Softmax cross entropy from logits with nothing saved: the largest logit and the sum of exponentials are found again.
include "Base.td"

def SoftmaxCrossEntropy : Loss<"SoftmaxCrossEntropy"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"target", ClassIndices, ["n"], "labels">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "a label that does not count", "-100">,
                Out<"loss", OnlyFloat32, ["n"], "loss", (is $reduction, "none")>];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag row = (select $valid, (sub (logsumexp $logits, $c), (gather $logits, $target, $c, 0)), 0);
  let results = (outs (reduced $row, (sum (to_real $valid), $n)):$loss);
}
def SoftmaxCrossEntropyBackward : GradientOf<SoftmaxCrossEntropy, ["logits"], [], ["logits"]>;
