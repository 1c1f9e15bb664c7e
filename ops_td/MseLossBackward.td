// Gradient of the mean squared error; elementwise with three-way broadcasting.
include "Base.td"

def MseLoss : Loss<"MseLoss"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (square (sub $self, $target));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def MseLossBackward : BackwardOf<MseLoss, "MseLossBackward"> {
  let summary = "Gradient of the squared-error loss with respect to self.";
  let description = [{
    2 * (self - target) * gradOutput, for mean divided by the number of elements of self before broadcasting. The result has the broadcast shape.
  }];
  let products = [A950, A3, A2, A310P];
  let dims = [BroadcastPack<"b", ["gradOutput", "self", "target"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "prediction">,
    In<"target", Floats, ["b"], "label">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"out", Floats, ["b"], "gradient for self, in the broadcast shape">];
  defvar inputs = ["gradOutput", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["out"]>, ProductCheck, DtypeCheck<["gradOutput"]>, SameDtype<"gradOutput", ["self", "target"]>, DtypeCheck<["out"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, RankAtMost<8, inputs>,
    BroadcastCheck<["gradOutput", "self"]>, BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "out">,
    DoneIf<(or (empty $gradOutput), (empty $self), (empty $target))>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag x = (sub $self, $target);
  dag k = (select (is $reduction, "mean"), (div 2, (numel $self)), 2);
  let results = (outs (mul $x, $gradOutput, $k):$out);
}
