// PoissonNLLLossBackward as an expert writes it. The record keeps only the forward, because what is derived is as good.
include "PoissonNLLLossBackward.td"

def PoissonNLLLossBackwardByHand : LossBackward<"PoissonNLLLossBackwardByHand"> {
  let summary = PoissonNLLLossBackward.summary;
  let products = PoissonNLLLossBackward.products;
  let dims = PoissonNLLLossBackward.dims;
  let params = PoissonNLLLossBackward.params;
  let checks = PoissonNLLLossBackward.checks;
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  dag d = (select $logInput, (sub (exp $self), $target), (sub 1, (div $target, (add $self, $eps))));
  let results = (outs (mul $d, $gradOutput, $k):$gradInput);
}
