// Gradient of the multi-class margin loss.
include "Base.td"

def MultiMarginLoss : Loss<"MultiMarginLoss"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"self", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, OptionalIn<"weightOptional", Floats, ["c"], "">,
                Attr<"p", "int64_t", "">, Attr<"margin", "double", "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["n"], "", (is $reduction, "none")>];
  dag z = (add (sub $margin, (gather $self, $target, $c, 0)), $self);
  dag wt = (select (present $weightOptional), (gather $weightOptional, $target, $c, 0), 1);
  dag valid = (and (ge $target, 0), (lt $target, (extent $c)));
  dag h = (select (eq $p, 1), (relu $z), (square (relu $z)));
  dag l = (select $valid, (mul (div $wt, (extent $c)), (sum (select (onehot $target, $c), 0, $h), $c)), 0);
  let results = (outs (reduced $l, (extent $n)):$loss);
}

def MultiMarginLossBackward : BackwardOf<MultiMarginLoss, "MultiMarginLossBackward"> {
  let summary = "Gradient of the multi-class margin loss with respect to self.";
  let description = [{
    With z = margin - x[t] + x for the classes other than the target t: h = w[t] / C * (1 if p is 1, 2 * z if p is 2) where z > 0, else 0. The gradient is h for
    the other classes and -sum(h) for t, times gradOutput, for mean divided by the number of rows. A target that is no class gives zeros.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"gradOutput", Floats, ["n"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"self", Floats, ["n", "c"], "scores">,
    In<"target", ClassIndices, ["n"], "class of each row">,
    OptionalIn<"weightOptional", Floats, ["c"], "weight of each class">,
    Attr<"p", "int64_t", "exponent, 1 or 2", "1">,
    Attr<"margin", "double", "margin", "1.0">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput", Floats, ["n", "c"], "gradient for self">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "target", "gradInput"]>, ProductCheck, DtypeCheck<["gradOutput", "self", "target", "gradInput"]>,
    IfPresent<"weightOptional", [DtypeCheck<["weightOptional"]>]>, ChoiceCheck<"reduction", ["none", "mean", "sum"]>, AttrRange<"p", "1", "2">,
    RankIs<2, ["self"]>, DeclaredShape<["target"]>, IfPresent<"weightOptional", [DeclaredShape<["weightOptional"]>]>,
    PerRowOrOne<"gradOutput", "self", "reduction">, SameShape<"self", ["gradInput"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
  dag hit = (onehot $target, $c);
  dag z = (add (sub $margin, (gather $self, $target, $c, 0)), $self);
  dag wt = (select (present $weightOptional), (gather $weightOptional, $target, $c, 0), 1);
  dag valid = (and (ge $target, 0), (lt $target, (extent $c)));
  dag h = (select (and (not $hit), (gt $z, 0)), (select (eq $p, 1), 1, (mul 2, $z)), 0);
  dag gk = (mul $gradOutput, (div $wt, (extent $c)), (select (is $reduction, "mean"), (div 1, (extent $n)), 1));
  let results = (outs (select $valid, (mul $gk, (select $hit, (neg (sum $h, $c)), $h)), 0):$gradInput);
}
