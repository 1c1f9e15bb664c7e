// Gradient of the focal loss on sigmoids, with an optional weight.
include "Base.td"

def SigmoidFocalLoss : Loss<"SigmoidFocalLoss"> {
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [In<"self", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, OptionalIn<"weightOptional", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"gamma", "float", "">, Attr<"alpha", "float", "">, Attr<"positiveLabel", "int64_t", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag positive = (eq $target, $positiveLabel);
  dag z = (select $positive, $self, (neg $self));
  dag a = (select $positive, $alpha, (sub 1, $alpha));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag logq = (log_sigmoid $z);
  dag logr = (log_sigmoid (neg $z));
  dag l = (neg (mul $a, (exp (mul $gamma, $logr)), $logq, $w));
  let results = (outs (reduced $l, (numel $self)):$loss);
}

def SigmoidFocalLossBackward : BackwardOf<SigmoidFocalLoss, "SigmoidFocalLossBackward"> {
  let summary = "Gradient of the sigmoid focal loss with respect to self.";
  let description = [{
    With z = self and a = alpha where target is positiveLabel, otherwise z = -self and a = alpha - 1, and q = sigmoid(z):
    a * (1 - q)^gamma * (gamma * q * log(q) - (1 - q)) * gradOutput * weight (1 if absent), for mean divided by the number of elements of self.
    Detectors that call the foreground class 0 pass 0 as positiveLabel.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">, In<"self", Floats, ["b"], "logits">, In<"target", Floats, ["b"], "label, 0 or 1">,
    OptionalIn<"weightOptional", Floats, ["b"], "weight of each element">,
    Attr<"gamma", "float", "exponent, >= 0", "2.0">, Attr<"alpha", "float", "share of the positive class", "0.25">,
    Attr<"positiveLabel", "int64_t", "the label of the positive class", "1">, ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["b"], "gradient for self">];
  defvar tensors = ["gradOutput", "self", "target", "gradInput"];
  let checks = [
    ArgPointers, NullCheck<tensors>, ProductCheck, DtypeCheck<tensors>, IfPresent<"weightOptional", [DtypeCheck<["weightOptional"]>]>, RankAtMost<8, ["self"]>,
    AttrAtLeast<"gamma", "0">, AttrFinite<"gamma">, AttrFinite<"alpha">, ChoiceCheck<"reduction", ["none", "mean", "sum"]>, SameShape<"self", ["target", "gradInput"]>,
    IfPresent<"weightOptional", [BroadcastsInto<"weightOptional", ["self"]>]>, BroadcastsInto<"gradOutput", ["self"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag positive = (eq $target, $positiveLabel);
  dag z = (select $positive, $self, (neg $self));
  dag a = (select $positive, $alpha, (sub $alpha, 1));
  dag t = (exp (neg (abs $self)));
  dag l = (log1p_finite $t);
  dag logq = (sub (min $z, 0), $l);
  dag logr = (sub (min (neg $z), 0), $l);
  dag d = (mul (exp (mul $gamma, $logr)), (sub (mul $gamma, (exp $logq), $logq), (exp $logr)));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);
  let results = (outs (mul $a, $d, $gradOutput, $w, $k):$gradInput);
}
