// HingeEmbeddingLossBackward as an expert writes it. The record keeps only the forward, because what is derived is as good.
include "HingeEmbeddingLossBackward.td"

def HingeEmbeddingLossBackwardByHand : LossBackward<"HingeEmbeddingLossBackwardByHand"> {
  let summary = HingeEmbeddingLossBackward.summary;
  let products = HingeEmbeddingLossBackward.products;
  let dims = HingeEmbeddingLossBackward.dims;
  let params = HingeEmbeddingLossBackward.params;
  let checks = HingeEmbeddingLossBackward.checks;
  dag like = (to_real (ne $target, -1));
  dag unlike = (to_real (and (ne $target, 1), (le $self, $margin)));
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  let results = (outs (mul (sub $like, $unlike), $gradOutput, $k):$gradInput);
}
