// The same with the entropy of the row, both with gradients.
include "Base.td"

def LogProbAndEntropy : Loss<"LogProbAndEntropy"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"token", ClassIndices, ["n"], "sampled tokens">,
                Out<"logProb", OnlyFloat32, ["n"], "log-probability">, Out<"entropy", OnlyFloat32, ["n"], "entropy of the row">,
                Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  dag logSum = (logsumexp $logits, $c);
  dag logp = (sub $logits, $logSum);
  let results = (outs (gather $logp, $token, $c, 0):$logProb, (neg (sum (mul (exp $logp), $logp), $c)):$entropy, (value $logSum):$lse);
}
def LogProbAndEntropyBackward : GradientOf<LogProbAndEntropy, ["logits"], [Saved<"logSum", "lse", 1>], ["logits"]>;
