// Log-probability of the sampled token at a temperature, per row: what policy gradients start from.
include "Base.td"

def SelectedLogProb : Loss<"SelectedLogProb"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"token", ClassIndices, ["n"], "sampled tokens">,
                Attr<"temperature", "float", "divides the logits", "1.0">, Out<"logProb", OnlyFloat32, ["n"], "log-probability">,
                Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  // Below, exponents have too few digits in float32.
  let checks = [AttrRange<"temperature", "0.1", "100">];
  dag z = (div $logits, $temperature);
  dag logSum = (logsumexp $z, $c);
  let results = (outs (gather (sub $z, $logSum), $token, $c, 0):$logProb, (value $logSum):$lse);
}
def SelectedLogProbBackward : GradientOf<SelectedLogProb, ["logits"], [Saved<"logSum", "lse", 1>], ["logits"]>;
