// Gradient of the smooth L1 loss; elementwise with three-way broadcasting.
include "Base.td"

def SmoothL1Loss : Loss<"SmoothL1Loss"> {
  let dims = [BroadcastPack<"b", ["self", "target"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"beta", "float", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag e = (sub $self, $target);
  dag l = (select (lt (abs $e), $beta), (div (mul "0.5", (square $e)), $beta), (sub (abs $e), (mul "0.5", $beta)));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def SmoothL1LossBackward : BackwardOf<SmoothL1Loss, "SmoothL1LossBackward"> {
  let summary = "Gradient of the smooth L1 loss with respect to self.";
  let description = [{
    With x = self - target: x / beta where |x| < beta, otherwise sign(x); times gradOut, and for mean divided by the number of elements of self
    before broadcasting. beta = 0 gives the gradient of the L1 loss. The result is not summed back to the shape of self.
  }];
  let products = [A950, A3, A2, A310P, A910];
  let dims = [BroadcastPack<"b", ["gradOut", "self", "target"]>];
  let params = [
    In<"gradOut", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "prediction">,
    In<"target", Floats, ["b"], "label">,
    ReductionAttr<["none", "mean", "sum"]>,
    Attr<"beta", "float", "switch point between the quadratic and the linear part, >= 0", "1.0">,
    Out<"gradInput", Floats, ["b"], "gradient for self, in the broadcast shape">];
  defvar inputs = ["gradOut", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, DtypeCheck<inputs # ["gradInput"]>, RankAtMost<8, inputs>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, AttrAtLeast<"beta", "0">, PromotionCheck<inputs, "gradInput">,
    BroadcastCheck<["gradOut", "self"]>, BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "gradInput">,
    DoneIf<(or (empty $gradOut), (empty $self), (empty $target))>];
  let upstream = [Upstream<"loss", (value $gradOut)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag x = (sub $self, $target);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  dag d = (select (gt $beta, 0), (clamp (div $x, $beta), -1, 1), (sign $x));
  let results = (outs (mul $d, $gradOut, $k):$gradInput);
}
