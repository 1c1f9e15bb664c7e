// Gradient of the dice loss, one overlap per sample and class.
include "Base.td"

def DiceLoss : Loss<"DiceLoss"> {
  let dims = [Axis<"n">, Axis<"c">, Pack<"s">];
  let params = [In<"self", Floats, ["n", "c", "s"], "">, In<"target", Floats, ["n", "c", "s"], "">, Attr<"smooth", "double", "">, Attr<"squared", "bool", "">,
                ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["n", "c"], "", (is $reduction, "none")>];
  dag both = (select $squared, (add (square $self), (square $target)), (add $self, $target));
  dag l = (sub 1, (div (add (mul 2, (sum (mul $self, $target), $s)), $smooth), (add (sum $both, $s), $smooth)));
  let results = (outs (reduced $l, (mul (extent $n), (extent $c))):$loss);
}

def DiceLossBackward : BackwardOf<DiceLoss, "DiceLossBackward"> {
  let summary = "Gradient of the dice loss with respect to the predicted probabilities.";
  let description = [{
    The loss is 1 - (2 I + smooth) / U per sample and class, with I = sum(p * y) and U = sum(p) + sum(y) + smooth, or the sums of squares in U if squared, all
    over the spatial axes. The gradient is ((2 I + smooth) * u - 2 * y * U) / U^2 with u = 1, or 2 * p if squared. mean divides by N * C.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">, Pack<"s">];
  let params = [
    In<"gradOutput", Floats, ["n", "c"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"self", Floats, ["n", "c", "s"], "predicted probabilities">,
    In<"target", Floats, ["n", "c", "s"], "labels in [0, 1]">,
    Attr<"smooth", "double", "added to both parts of the fraction", "1.0">,
    Attr<"squared", "bool", "squares in the denominator", "false">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["n", "c", "s"], "gradient for self">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "target", "gradInput"]>, ProductCheck, DtypeCheck<["gradOutput", "self", "target", "gradInput"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, AttrFinite<"smooth">,
    Require<(ge (rank $self), 2), "rank of self is {0}, must be at least 2", [(rank $self)]>, RankAtMost<8, ["self"]>,
    SameShape<"self", ["target", "gradInput"]>,
    When<(is $reduction, "none"), [RankIs<2, ["gradOutput"]>, AxesEqual<"gradOutput", [0, 1], "self", [0, 1]>]>,
    When<(not (is $reduction, "none")), [OneElement<"gradOutput">]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag u = (select $squared, (add (square $self), (square $target)), (add $self, $target));
  dag total = (add (sum $u, $s), $smooth);
  dag overlap = (add (mul 2, (sum (mul $self, $target), $s)), $smooth);
  dag k = (select (is $reduction, "mean"), (div 1, (mul (extent $n), (extent $c))), 1);
  dag du = (select $squared, (mul 2, $self), 1);
  dag d = (div (sub (mul $overlap, $du), (mul 2, $target, $total)), (square $total));
  let results = (outs (mul $d, $gradOutput, $k):$gradInput);
}
