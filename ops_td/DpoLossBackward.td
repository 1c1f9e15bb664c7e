// Gradient of direct preference optimization (DPO).
include "PreferenceLoss.td"

def DpoLoss : PreferenceForward<"DpoLoss", [Attr<"labelSmoothing", "float", "">]> {
  dag z = (mul $beta, $h);
  let l = (sub (neg (mul (sub 1, $labelSmoothing), (log_sigmoid $z))), (mul $labelSmoothing, (log_sigmoid (neg $z))));
}

def DpoLossBackward
    : PreferenceGradient<DpoLoss, "DpoLossBackward", [Attr<"labelSmoothing", "float", "share of wrong labels, 0 to 1", "0.0">], [AttrRange<"labelSmoothing", "0", "1">]> {
  let summary = "Gradient of the loss of direct preference optimization with respect to the policy's log-probabilities.";
  let description = [{
    The loss is -(1 - e) * log(sigmoid(z)) - e * log(sigmoid(-z)) with e = labelSmoothing, z = beta * h and
    h = (policyChosen - policyRejected) - (referenceChosen - referenceRejected). Its derivative for h is beta * (e - sigmoid(-z)): the gradient for the chosen
    answer, and its negative for the rejected one, times gradOutput, for mean divided by the number of pairs.
  }];
  dag z = (mul $beta, $h);
  let d = (mul $beta, (sub $labelSmoothing, (div 1, (add 1, (exp $z)))));
}
