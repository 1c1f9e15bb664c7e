// Gradient of binary cross entropy on probabilities, with an optional weight.
include "Base.td"

def BinaryCrossEntropy : Loss<"BinaryCrossEntropy"> {
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, OptionalIn<"weightOptional", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag l = (neg (mul $w, (add (mul $target, (clamp_min (log $self), -100)), (mul (sub 1, $target), (clamp_min (log (sub 1, $self)), -100)))));
  // PyTorch's backward is not the derivative of its clamped forward.
  let overrides = [Override<"l", ["self", "target", "w"], [(div (mul $g, $w, (sub $self, $target)), (max (mul $self, (sub 1, $self)), "1e-12")), (none), (none)]>];
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def BinaryCrossEntropyBackward : BackwardOf<BinaryCrossEntropy, "BinaryCrossEntropyBackward"> {
  let summary = "Gradient of binary cross entropy with respect to self.";
  let description = [{
    gradOutput * w * (x - y) / max(x * (1 - x), 1e-12) with x = self, y = target and w = weight or 1 if absent; for mean divided by the number of elements of
    self. gradOutput, target and weight broadcast to self. All float dtypes promote to each other.
  }];
  let products = [A950, A3, A2, A310P, A910];
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "probability in [0, 1]">,
    In<"target", Floats, ["b"], "label in [0, 1]">,
    OptionalIn<"weightOptional", Floats, ["b"], "weight of each element">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"out", Floats, ["b"], "gradient for self">];
  defvar weight = "weightOptional";
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "target", "out"]>,
    RankAtMost<8, ["gradOutput", "self", "target"]>, IfPresent<weight, [RankAtMost<8, [weight]>]>, RankAtMost<8, ["out"]>,
    DtypeCheck<["self", "gradOutput", "target", "out"]>, IfPresent<weight, [DtypeCheck<[weight]>]>,
    SameFormat<"self", ["target"]>, IfPresent<weight, [SameFormat<"self", [weight]>]>,
    When<(not (empty $self)), [SameShape<"self", ["out"]>, BroadcastsInto<"target", ["self"]>,
      IfPresent<weight, [BroadcastsInto<weight, ["self"]>]>, BroadcastsInto<"gradOutput", ["self"]>]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  dag v = (max (mul $self, (sub 1, $self)), "1e-12");
  let results = (outs (div (mul $gradOutput, $w, $k, (sub $self, $target)), $v):$out);
}
