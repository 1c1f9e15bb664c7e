// Gradient of the Poisson negative log-likelihood.
include "Base.td"

def PoissonNLLLoss : Loss<"PoissonNLLLoss"> {
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"logInput", "bool", "">, Attr<"eps", "float", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (select $logInput, (sub (exp $self), (mul $target, $self)), (sub $self, (mul $target, (log (add $self, $eps)))));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def PoissonNLLLossBackward : BackwardOf<PoissonNLLLoss, "PoissonNLLLossBackward"> {
  let summary = "Gradient of the Poisson negative log-likelihood with respect to self.";
  let description = [{
    exp(self) - target if self holds logarithms of rates, otherwise 1 - target / (self + eps); times gradOutput, for mean divided by the number of elements of
    self. The Stirling term of the full loss does not depend on self.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "logarithms of rates, or rates">,
    In<"target", Floats, ["b"], "counts">,
    Attr<"logInput", "bool", "self holds logarithms", "true">,
    Attr<"eps", "float", "keeps the quotient finite for rates of 0", "1e-8">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["b"], "gradient for self">];
  defvar inputs = ["gradOutput", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, ProductCheck, DtypeCheck<inputs # ["gradInput"]>, RankAtMost<8, inputs>,
    AttrFinite<"eps">, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    SameShape<"self", ["target", "gradInput"]>, BroadcastsInto<"gradOutput", ["self"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
}
