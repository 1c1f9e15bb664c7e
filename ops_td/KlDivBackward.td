// Gradient of the pointwise KL divergence, summed onto the shape of self.
include "KlDivLoss.td"

def KlDivBackward : BackwardOf<KlDiv, "KlDivBackward"> {
  let summary = "Gradient of the KL-divergence loss with respect to self.";
  let description = [{
    -q * gradOutput * k in the broadcast shape B of self and target, summed over the axes along which self was broadcast; q is target, or exp(target) if
    logTarget is true. k is 1 / numel(B) for mean, 1 / B[0] for batchmean and 1 otherwise; unknown reductions count as none. self is never read.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self", "target"]>, PartOf<"v", "b", "self">];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient; broadcasts to B without enlarging it">,
    UnreadIn<"self", Floats, ["b"], "first input of the forward, log-probabilities; only its shape matters">,
    In<"target", Floats, ["b"], "probabilities, or log-probabilities if logTarget">,
    ReductionAttr<["none", "mean", "sum", "batchmean"]>,
    Attr<"logTarget", "bool", "target holds log-probabilities", "false">,
    Out<"out", Floats, ["v"], "gradient for self">];
  defvar tensors = ["gradOutput", "self", "target", "out"];
  let checks = [
    ArgPointers, NullCheck<tensors>, CastableTo<"self", "out">, DtypeCheck<tensors>, RankAtMost<8, tensors>,
    BroadcastCheck<["self", "target"]>, BroadcastsInto<"gradOutput", ["self", "target"]>, SameShape<"self", ["out"]>,
    DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag q = (select $logTarget, (exp $target), $target);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $b)), (select (is $reduction, "batchmean"), (div 1, (extent $b, 0)), 1));
  dag g = (mul $q, $gradOutput, (neg $k));
  let results = (outs (sum_onto $g, $v):$out);
}
