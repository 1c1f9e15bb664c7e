// Gradients of the Gaussian negative log-likelihood for the mean and the variance.
include "Base.td"

def GaussianNLLLoss : Loss<"GaussianNLLLoss"> {
  let dims = [BroadcastPack<"b", ["self", "target", "var"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, In<"var", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"eps", "double", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  // The clamp of var counts as a constant.
  dag limited = (pass (max $var, $eps), $var);
  dag l = (mul "0.5", (add (log $limited), (div (square (sub $self, $target)), $limited)));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def GaussianNLLLossBackward : BackwardOf<GaussianNLLLoss, "GaussianNLLLossBackward"> {
  let summary = "Gradients of the Gaussian negative log-likelihood with respect to self and var.";
  let description = [{
    With d = self - target and v = max(var, eps): gradInput = d / v and gradVar = (1 / v - d^2 / v^2) / 2, times gradOutput, for mean divided by the number of
    elements of self. gradVar is summed to the shape of var. The clamp of var counts as a constant: gradVar is not zero below eps.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self", "target", "var"]>, PartOf<"v", "b", "var">];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "predicted mean">,
    In<"target", Floats, ["b"], "label">,
    In<"var", Floats, ["b"], "predicted variance, may be broadcast">,
    Attr<"eps", "double", "smallest variance, > 0", "1e-6">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["b"], "gradient for self">,
    Out<"gradVar", Floats, ["v"], "gradient for var">];
  defvar inputs = ["gradOutput", "self", "target", "var"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput", "gradVar"]>, ProductCheck, DtypeCheck<inputs # ["gradInput", "gradVar"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, Require<(gt $eps, 0), "eps is {0}, must be greater than 0", [(attr "eps")]>,
    RankAtMost<8, inputs>, SameShape<"self", ["target", "gradInput"]>, BroadcastsInto<"var", ["self"]>, BroadcastsInto<"gradOutput", ["self"]>,
    SameShape<"var", ["gradVar"]>, DoneIf<(and (empty $self), (empty $var))>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">, Gradient<"var", "gradVar">];
  dag d = (sub $self, $target);
  dag r = (div 1, (max $var, $eps));
  dag gk = (mul $gradOutput, (select (is $reduction, "mean"), (div 1, (numel $self)), 1));
  dag dr = (mul $d, $r);
  let results = (outs (mul $gk, $dr):$gradInput, (sum_onto (mul $gk, "0.5", (sub $r, (square $dr))), $v):$gradVar);
}
