// Gradient of binary cross entropy on logits, with optional weights.
include "Base.td"

def BinaryCrossEntropyWithLogits : Loss<"BinaryCrossEntropyWithLogits"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, OptionalIn<"weightOptional", Floats, ["b"], "">, OptionalIn<"posWeightOptional", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag pw = (select (present $posWeightOptional), $posWeightOptional, 1);
  dag l = (mul $w, (add (mul (sub 1, $target), $self), (mul (add 1, (mul (sub $pw, 1), $target)), (softplus (neg $self)))));
  let results = (outs (reduced $l, (max (numel $self), 1)):$loss);
}

def BinaryCrossEntropyWithLogitsBackward : BackwardOf<BinaryCrossEntropyWithLogits, "BinaryCrossEntropyWithLogitsBackward"> {
  let summary = "Gradient of binary cross entropy with logits with respect to self.";
  let description = [{
    ((p * y + 1 - y) * sigmoid(x) - p * y) * gradOutput * w with x = self, y = target, p = posWeight and w = weight, either 1 if absent; for mean divided by
    the number of elements of self. gradOutput and the weights broadcast to self. All float dtypes promote to each other.
  }];
  let products = [A950, A3, A2, A310P, A910];
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "logits">,
    In<"target", Floats, ["b"], "label in [0, 1]">,
    OptionalIn<"weightOptional", Floats, ["b"], "weight of each element">,
    OptionalIn<"posWeightOptional", Floats, ["b"], "weight of the positive part">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"out", Floats, ["b"], "gradient for self">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "target", "out"]>, RankAtMost<8, ["gradOutput", "self", "target", "out"]>,
    DtypeCheck<["gradOutput", "self", "target"]>, IfPresent<"weightOptional", [RankAtMost<8, ["weightOptional"]>, DtypeCheck<["weightOptional"]>]>,
    IfPresent<"posWeightOptional", [RankAtMost<8, ["posWeightOptional"]>, DtypeCheck<["posWeightOptional"]>]>,
    DtypeCheck<["out"]>, SameDtype<"target", ["out"]>, SameFormat<"self", ["target", "out"]>,
    When<(not (empty $self)), [SameShape<"self", ["target", "out"]>, BroadcastsInto<"gradOutput", ["self"]>,
      IfPresent<"weightOptional", [BroadcastsInto<"weightOptional", ["self"]>]>, IfPresent<"posWeightOptional", [BroadcastsInto<"posWeightOptional", ["self"]>]>]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag py = (select (present $posWeightOptional), (mul $posWeightOptional, $target), $target);
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag k = (select (is $reduction, "mean"), (div 1, (max (numel $self), 1)), 1);
  dag d = (sub (mul (sub (add $py, 1), $target), (sigmoid $self)), $py);
  let results = (outs (mul $d, $gradOutput, $w, $k):$out);
}
