// Gradient of the L1 loss; elementwise with three-way broadcasting.
include "Base.td"

def L1Loss : Loss<"L1Loss"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (abs (sub $self, $target));
  let results = (outs (reduced $l, (numel $b)):$loss);
}

def L1LossBackward : BackwardOf<L1Loss, "L1LossBackward"> {
  let summary = "Gradient of the L1 loss with respect to self.";
  let description = [{
    sign(self - target) * gradOutput, for mean divided by the number of elements of the broadcast shape. The sign is 0 where the two are equal or their
    difference is NaN. All float dtypes promote to each other.
  }];
  let products = [A950, A3, A2, A310P, A910];
  let dims = [BroadcastPack<"b", ["gradOutput", "self", "target"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "prediction">,
    In<"target", Floats, ["b"], "label">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["b"], "gradient for self, in the broadcast shape">];
  defvar inputs = ["gradOutput", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, ChoiceCheck<"reduction", ["none", "mean", "sum"]>, DtypeCheck<inputs # ["gradInput"]>,
    RankAtMost<8, ["self", "target", "gradOutput", "gradInput"]>,
    BroadcastCheck<["self", "gradOutput"]>, BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "gradInput">,
    DoneIf<(or (empty $gradOutput), (empty $self), (empty $target))>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag s = (sub (to_real (gt $self, $target)), (to_real (lt $self, $target)));
  dag k = (select (is $reduction, "mean"), (div 1, (numel $b)), 1);
  let results = (outs (mul $s, $gradOutput, $k):$gradInput);
}
