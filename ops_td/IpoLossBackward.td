// Gradient of the squared preference loss (IPO).
include "PreferenceLoss.td"

def IpoLoss : PreferenceForward<"IpoLoss"> {
  let l = (square (sub $h, (div 1, (mul 2, $beta))));
}

def IpoLossBackward : PreferenceGradient<IpoLoss, "IpoLossBackward"> {
  let summary = "Gradient of the squared preference loss, (h - 1 / (2 * beta))^2, with respect to the policy's log-probabilities.";
  let description = [{
    2 * (h - 1 / (2 * beta)) for the chosen answer and its negative for the rejected one, times gradOutput, for mean divided by the number of pairs;
    h = (policyChosen - policyRejected) - (referenceChosen - referenceRejected).
  }];
  let d = (mul 2, (sub $h, (div "0.5", $beta)));
}
