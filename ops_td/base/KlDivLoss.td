// The forward that both gradients of the KL divergence belong to.
include "Base.td"

def KlDiv : Loss<"KlDiv"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum", "batchmean"]>,
                Attr<"logTarget", "bool", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag q = (select $logTarget, (exp $target), $target);
  dag logq = (select $logTarget, $target, (log $target));
  dag count = (select (is $reduction, "mean"), (numel $b), (extent $b, 0));
  let results = (outs (finish (mul $q, (sub $logq, $self)), (to_real $count), (is $reduction, "none"), (or (is $reduction, "mean"), (is $reduction, "batchmean"))):$loss);
}
