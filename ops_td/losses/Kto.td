// Kahneman-Tversky optimisation: log-probabilities of policy and reference, an estimate of the divergence, and whether an
// answer is desired (label > 0).
include "Base.td"

def Kto : ElementwiseLoss<"Kto", ["policy", "reference", "divergence", "label"], [Attr<"beta", "float", "temperature", "0.1">]> {
  dag z = (mul $beta, (sub (sub $policy, $reference), $divergence));
  let perElement = (sub 1, (sigmoid (select (gt $label, 0), $z, (neg $z))));
}
