// LogSigmoidBackward as an expert writes it. The record keeps only the forward, because what is derived is the same.
include "LogSigmoidBackward.td"

def LogSigmoidBackwardByHand : LossBackward<"LogSigmoidBackwardByHand"> {
  let summary = LogSigmoidBackward.summary;
  let products = LogSigmoidBackward.products;
  let dims = LogSigmoidBackward.dims;
  let params = LogSigmoidBackward.params;
  let checks = LogSigmoidBackward.checks;
  let results = (outs (div $gradOutput, (add 1, (exp $self))):$gradInput);
}
