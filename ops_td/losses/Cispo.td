// Clipped importance sampling: the ratio is clipped as a weight, and every token keeps its gradient.
include "Base.td"

def Cispo : Loss<"Cispo"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"token", ClassIndices, ["n"], "sampled tokens">,
                In<"old", OnlyFloat32, ["n"], "log-probability when it was sampled">, In<"advantage", OnlyFloat32, ["n"], "advantage">,
                Attr<"epsilonLow", "float", "the ratio is clipped below 1 - epsilonLow", "1.0">, Attr<"epsilonHigh", "float", "and above 1 + epsilonHigh", "2.0">,
                Out<"loss", OnlyFloat32, ["n"], "loss">, Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  dag logSum = (logsumexp $logits, $c);
  dag logp = (sub (gather $logits, $token, $c, 0), $logSum);
  dag ratio = (exp (sub $logp, $old));
  dag weight = (stop (clamp $ratio, (sub 1, $epsilonLow), (add 1, $epsilonHigh)));
  let results = (outs (neg (mul $weight, $advantage, $logp)):$loss, (value $logSum):$lse);
}
def CispoBackward : GradientOf<Cispo, ["logits"], [Saved<"logSum", "lse", 1>], ["logits"]>;
