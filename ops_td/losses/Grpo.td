// Group-relative policy optimisation from logits: clipped ratio, and the k3 estimate of the divergence from a reference.
include "Base.td"

def Grpo : Loss<"Grpo"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "logits">, In<"token", ClassIndices, ["n"], "sampled tokens">,
                In<"old", OnlyFloat32, ["n"], "log-probability when it was sampled">, In<"advantage", OnlyFloat32, ["n"], "advantage">,
                In<"reference", OnlyFloat32, ["n"], "log-probability under the reference">,
                Attr<"epsilonLow", "float", "the ratio is clipped below 1 - epsilonLow", "0.2">, Attr<"epsilonHigh", "float", "and above 1 + epsilonHigh", "0.2">,
                Attr<"beta", "float", "weight of the divergence", "0.04">, Out<"loss", OnlyFloat32, ["n"], "loss">,
                Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  dag logSum = (logsumexp $logits, $c);
  dag logp = (sub (gather $logits, $token, $c, 0), $logSum);
  dag ratio = (exp (sub $logp, $old));
  dag clipped = (clamp $ratio, (sub 1, $epsilonLow), (add 1, $epsilonHigh));
  dag d = (sub $reference, $logp);
  let results = (outs (add (neg (min (mul $ratio, $advantage), (mul $clipped, $advantage))), (mul $beta, (sub (sub (exp $d), $d), 1))):$loss,
                      (value $logSum):$lse);
}
def GrpoBackward : GradientOf<Grpo, ["logits"], [Saved<"logSum", "lse", 1>], ["logits"]>;
