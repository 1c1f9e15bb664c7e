// Gradient of the pointwise KL divergence for its target, summed onto the shape of target.
include "KlDivLoss.td"

def KlDivTargetBackward : BackwardOf<KlDiv, "KlDivTargetBackward"> {
  let summary = "Gradient of the KL-divergence loss with respect to target.";
  let description = [{
    gradOutput * k * (log(target) - self + 1) in the broadcast shape B of self and target, or gradOutput * k * exp(target) * (target - self + 1) if logTarget is
    true, summed over the axes along which target was broadcast. k is 1 / numel(B) for mean, 1 / B[0] for batchmean and 1 otherwise; unknown reductions count as
    none. A target of 0 that is no logarithm gives an infinity.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self", "target"]>, PartOf<"v", "b", "target">];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient; broadcasts to B without enlarging it">,
    In<"self", Floats, ["b"], "first input of the forward, log-probabilities">,
    In<"target", Floats, ["b"], "probabilities, or log-probabilities if logTarget">,
    ReductionAttr<["none", "mean", "sum", "batchmean"]>,
    Attr<"logTarget", "bool", "target holds log-probabilities", "false">,
    Out<"gradTarget", Floats, ["v"], "gradient for target">];
  defvar tensors = ["gradOutput", "self", "target", "gradTarget"];
  let checks = [
    ArgPointers, NullCheck<tensors>, DtypeCheck<tensors>, RankAtMost<8, tensors>,
    BroadcastCheck<["self", "target"]>, BroadcastsInto<"gradOutput", ["self", "target"]>, SameShape<"target", ["gradTarget"]>,
    DoneIf<(empty $target)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"target", "gradTarget">];
  dag k = (select (is $reduction, "mean"), (div 1, (numel $b)), (select (is $reduction, "batchmean"), (div 1, (extent $b, 0)), 1));
  dag logq = (select $logTarget, $target, (log $target));
  dag s = (add (sub $logq, $self), 1);
  dag g = (mul $s, $gradOutput, $k);
  let results = (outs (sum_onto (select $logTarget, (mul $g, (exp $target)), $g), $v):$gradTarget);
}
