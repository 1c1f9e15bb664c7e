// Gradient of the focal loss on softmax, with labels for every class and an optional weight.
include "Base.td"

// Powers as large as gamma may be show how 1 - p was rounded where p is small. Taking 1 and -p away again leaves what was lost, which is the error of the logarithm, too.
def log_rest : Function<["p"], (sub (log (max (sub 1, $p), "1e-37")), (add (sub (sub 1, $p), 1), $p)), "log(1 - p), exact to rounding also for small p, at least log(1e-37)">;
// The gradient does not stop at the floor.
def : Derivative<log_rest, ["p"], [(neg (div $g, (max (sub 1, $p), "1e-37")))]>;

def SoftmaxFocalLoss : Loss<"SoftmaxFocalLoss"> {
  let dims = [Axis<"n">, Axis<"c">, Pack<"s">];
  let params = [In<"self", Floats, ["n", "c", "s"], "">, In<"target", Floats, ["n", "c", "s"], "">, OptionalIn<"weightOptional", Floats, ["n", "c", "s"], "">, Attr<"gamma", "float", "">,
                Attr<"alpha", "float", "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["n", "s"], "", (is $reduction, "none")>];
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag p = (exp (sub $self, (logsumexp $self, $c)));
  dag focus = (sum (mul $alpha, $target, (exp (mul $gamma, (log_rest $p)))), $c);
  // A floor keeps the logarithm finite; the gradient does not stop there.
  dag nll = (neg (log (max $p, "1e-37")));
  let overrides = [Override<"nll", ["p"], [(neg (div $g, $p))]>];
  dag l = (mul $focus, (sum (mul $nll, $target, $w), $c));
  let results = (outs (reduced $l, (mul (extent $n), (extent $c), (numel $s))):$loss);
}

def SoftmaxFocalLossBackward : BackwardOf<SoftmaxFocalLoss, "SoftmaxFocalLossBackward"> {
  let summary = "Gradient of the softmax focal loss with respect to the logits.";
  let description = [{
    With p = pred, the softmax of the logits, t = target and w = weight (1 if absent): q = alpha * (1 - p)^(gamma - 1) * t, F = sum(q * (1 - p)),
    E = sum(-log(p) * t * w), all over the classes, which are axis 1. The gradient is ((p * sum(t * w) - t * w) * F - gamma * p * (q - sum(p * q)) * E) * gradOutput,
    for mean divided by the number of elements of pred. 1 - p and p are at least 1e-37 under powers and logarithms.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">, Pack<"s">];
  let params = [
    In<"gradOutput", Floats, ["n", "s"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"pred", Floats, ["n", "c", "s"], "the softmax result saved by the forward">, In<"target", Floats, ["n", "c", "s"], "label of each class, usually one-hot">,
    OptionalIn<"weightOptional", Floats, ["n", "c", "s"], "weight of each element">,
    Attr<"gamma", "float", "exponent, >= 0", "2.0">, Attr<"alpha", "float", "factor of the loss", "0.25">, ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["n", "c", "s"], "gradient for the logits">];
  defvar tensors = ["gradOutput", "pred", "target", "gradInput"];
  let checks = [
    ArgPointers, NullCheck<tensors>, ProductCheck, DtypeCheck<tensors>, IfPresent<"weightOptional", [DtypeCheck<["weightOptional"]>]>,
    AttrAtLeast<"gamma", "0">, AttrFinite<"gamma">, AttrFinite<"alpha">, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    Require<(ge (rank $pred), 2), "rank of pred is {0}, must be at least 2", [(rank $pred)]>, RankAtMost<8, ["pred"]>,
    SameShape<"pred", ["target", "gradInput"]>, IfPresent<"weightOptional", [SameShape<"pred", ["weightOptional"]>]>,
    When<(is $reduction, "none"), [DeclaredShape<["gradOutput"]>]>, When<(not (is $reduction, "none")), [OneElement<"gradOutput">]>, DoneIf<(empty $pred)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
  let saved = [Saved<"p", "pred">];
  dag wt = (mul $target, (select (present $weightOptional), $weightOptional, 1));
  dag rest = (max (sub 1, $pred), "1e-37");
  dag near = (mul $alpha, $target, (exp (mul (sub $gamma, 1), (log_rest $pred))));
  dag focus = (sum (mul $near, $rest), $c);
  dag entropy = (sum (mul (neg (log (max $pred, "1e-37"))), $wt), $c);
  dag slope = (mul $gamma, $pred, (sub $near, (sum (mul $pred, $near), $c)), $entropy);
  dag d = (sub (mul (sub (mul $pred, (sum $wt, $c)), $wt), $focus), $slope);
  dag k = (select (is $reduction, "mean"), (div 1, (numel $pred)), 1);
  let results = (outs (mul $d, $gradOutput, $k):$gradInput);
}
