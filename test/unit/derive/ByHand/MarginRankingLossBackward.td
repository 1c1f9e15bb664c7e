// MarginRankingLossBackward as an expert writes it. The record keeps only the forward, because what is derived is as good.
include "MarginRankingLossBackward.td"

def MarginRankingLossBackwardByHand : LossBackward<"MarginRankingLossBackwardByHand"> {
  let summary = MarginRankingLossBackward.summary;
  let products = MarginRankingLossBackward.products;
  let dims = MarginRankingLossBackward.dims;
  let params = MarginRankingLossBackward.params;
  let checks = MarginRankingLossBackward.checks;
  dag u = (add (mul (neg $target), (sub $input1, $input2)), $margin);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $input1)), 1);
  dag g = (select (ge $u, 0), (mul $target, $gradOutput, $k), 0);
  let results = (outs (neg $g):$gradInput1, (value $g):$gradInput2);
}
