// Odds-ratio preference optimisation, the part that compares answers. Log-probabilities are negative; elsewhere the loss is
// not defined.
include "Base.td"

def Orpo : ElementwiseLoss<"Orpo", ["chosen", "rejected"], [Attr<"beta", "float", "weight of the odds ratio", "0.1">]> {
  dag odds = (sub (sub $chosen, $rejected), (sub (log (neg (expm1 $chosen))), (log (neg (expm1 $rejected)))));
  let perElement = (neg (mul $beta, (log_sigmoid $odds)));
}
def OrpoBackward : GradientOf<Orpo, ["chosen", "rejected"]>;
