// Gradient of the hinge embedding loss.
include "Base.td"

def HingeEmbeddingLoss : Loss<"HingeEmbeddingLoss"> {
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"margin", "float", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (add (select (ne $target, 1), (clamp_min (sub $margin, $self), 0), 0), (select (ne $target, -1), $self, 0));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def HingeEmbeddingLossBackward : BackwardOf<HingeEmbeddingLoss, "HingeEmbeddingLossBackward"> {
  let summary = "Gradient of the hinge embedding loss with respect to self.";
  let description = [{
    1 where target is 1; -1 where target is -1 and self is at most margin, 0 beyond it; times gradOutput, for mean divided by the number of elements of self.
    Any other target counts as both: 0 up to margin, 1 beyond it.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"self", Floats, ["b"], "distance">,
    In<"target", Floats, ["b"], "label, 1 or -1">,
    Attr<"margin", "float", "distance from which unlike pairs cost nothing", "1.0">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["b"], "gradient for self">];
  defvar inputs = ["gradOutput", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, ProductCheck, DtypeCheck<inputs # ["gradInput"]>, RankAtMost<8, inputs>,
    AttrFinite<"margin">, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    SameShape<"self", ["target", "gradInput"]>, BroadcastsInto<"gradOutput", ["self"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
}
