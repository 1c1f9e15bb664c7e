// Gradient of the Huber loss; the record that docs/tutorial.md writes.
include "Base.td"

def HuberLoss : Loss<"HuberLoss"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"delta", "float", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag e = (sub $self, $target);
  dag l = (select (le (abs $e), $delta), (mul "0.5", (square $e)), (mul $delta, (sub (abs $e), (mul "0.5", $delta))));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def HuberLossBackward : BackwardOf<HuberLoss, "HuberLossBackward"> {
  let summary = "Gradient of the Huber loss with respect to self.";
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["gradOut", "self", "target"]>];
  let params = [
    In<"gradOut", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "prediction">,
    In<"target", Floats, ["b"], "label">,
    ReductionAttr<["none", "mean", "sum"]>,
    Attr<"delta", "float", "switch point, > 0", "1.0">,
    Out<"gradInput", Floats, ["b"], "gradient for self">];
  defvar inputs = ["gradOut", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, ProductCheck, DtypeCheck<inputs # ["gradInput"]>, RankAtMost<8, inputs>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    Require<(gt $delta, 0), "delta is {0}, must be greater than 0", [(attr "delta")]>,
    BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "gradInput">,
    DoneIf<(or (empty $gradOut), (empty $self), (empty $target))>];
  let upstream = [Upstream<"loss", (value $gradOut)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag x = (sub $self, $target);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  dag d = (clamp $x, (neg $delta), $delta);
  let results = (outs (mul $d, $gradOut, $k):$gradInput);
}
