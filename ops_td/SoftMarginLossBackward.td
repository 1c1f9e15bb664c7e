// Gradient of the soft margin loss; elementwise with three-way broadcasting.
include "Base.td"

def SoftMarginLoss : Loss<"SoftMarginLoss"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (softplus (neg (mul $self, $target)));
  let results = (outs (reduced $l, (numel $b)):$loss);
}

def SoftMarginLossBackward : BackwardOf<SoftMarginLoss, "SoftMarginLossBackward"> {
  let summary = "Gradient of the soft margin loss, log(1 + exp(-target * self)), with respect to self.";
  let description = [{
    -target * sigmoid(-self * target) * gradOutput, for mean divided by the number of elements of the broadcast shape. The sigmoid neither overflows nor becomes
    NaN for large products. All float dtypes promote to each other.
  }];
  let products = [A950, A3, A2, A910];
  let dims = [BroadcastPack<"b", ["gradOutput", "self", "target"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "prediction">,
    In<"target", Floats, ["b"], "label, 1 or -1">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"out", Floats, ["b"], "gradient for self, in the broadcast shape">];
  defvar inputs = ["gradOutput", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["out"]>, ProductCheck, DtypeCheck<inputs # ["out"]>, RankAtMost<8, inputs>,
    BroadcastCheck<["gradOutput", "self"]>, BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "out">,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, DoneIf<(or (empty $gradOutput), (empty $self), (empty $target))>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag k = (select (is $reduction, "mean"), (div 1, (numel $b)), 1);
  dag d = (div (neg $target), (add 1, (exp (mul $self, $target))));
  let results = (outs (mul $d, $gradOutput, $k):$out);
}
