// Simple preference optimisation: mean log-probabilities of the chosen and the rejected answer, without a reference model.
include "Base.td"

def SimPo : ElementwiseLoss<"SimPo", ["chosen", "rejected"],
                            [Attr<"beta", "float", "temperature", "2.0">, Attr<"gamma", "float", "margin", "0.5">]> {
  let perElement = (neg (log_sigmoid (sub (mul $beta, (sub $chosen, $rejected)), $gamma)));
}
def SimPoBackward : GradientOf<SimPo, ["chosen", "rejected"]>;
