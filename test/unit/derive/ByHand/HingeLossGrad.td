// HingeLossGrad as an expert writes it. The record keeps only the forward, because what is derived is the same.
include "HingeLossGrad.td"

def HingeLossGradByHand : LossBackward<"HingeLossGradByHand"> {
  let summary = HingeLossGrad.summary;
  let products = HingeLossGrad.products;
  let dims = HingeLossGrad.dims;
  let params = HingeLossGrad.params;
  let checks = HingeLossGrad.checks;
  dag inside = (lt (mul $target, $predict), 1);
  let results = (outs (select $inside, (neg (mul $target, $gradOutput)), 0):$gradInput);
}
