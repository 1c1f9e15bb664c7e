// Gradients of the cosine embedding loss for both inputs; features along axis 1.
include "Base.td"

def CosineEmbeddingLoss : Loss<"CosineEmbeddingLoss"> {
  let dims = [Axis<"n">, Axis<"f">, Pack<"s">];
  let params = [In<"input1", Floats, ["n", "f", "s"], "">, In<"input2", Floats, ["n", "f", "s"], "">, In<"target", Floats, ["n", "s"], "">,
                Attr<"margin", "double", "">, ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["n", "s"], "", (is $reduction, "none")>];
  dag aa = (add (sum (square $input1), $f), "1e-12");
  dag bb = (add (sum (square $input2), $f), "1e-12");
  dag cosine = (div (sum (mul $input1, $input2), $f), (sqrt (mul $aa, $bb)));
  dag l = (select (eq $target, 1), (sub 1, $cosine), (select (eq $target, -1), (clamp_min (sub $cosine, $margin), 0), 0));
  let results = (outs (reduced $l, (mul (extent $n), (numel $s))):$loss);
}

def CosineEmbeddingLossBackward : BackwardOf<CosineEmbeddingLoss, "CosineEmbeddingLossBackward"> {
  let summary = "Gradients of the cosine embedding loss with respect to both inputs.";
  let description = [{
    With A and B the squared norms along axis 1 plus 1e-12, D = sqrt(A * B) and cs the dot product over D: the derivative of cs for input1 is
    input2 / D - cs * input1 / A. It counts negative where target is 1, positive where target is -1 and cs >= margin, and not at all otherwise.
    mean divides by the number of rows.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"f">, Pack<"s">];
  let params = [
    In<"gradOutput", Floats, ["n", "s"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"input1", Floats, ["n", "f", "s"], "first embedding">, In<"input2", Floats, ["n", "f", "s"], "second embedding">,
    In<"target", Floats, ["n", "s"], "1 for similar, -1 for dissimilar">, Attr<"margin", "double", "margin for dissimilar pairs", "0.0">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput1", Floats, ["n", "f", "s"], "gradient for input1">, Out<"gradInput2", Floats, ["n", "f", "s"], "gradient for input2">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "input1", "input2", "target", "gradInput1", "gradInput2"]>, ProductCheck,
    DtypeCheck<["gradOutput", "input1", "input2", "target", "gradInput1", "gradInput2"]>, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    Require<(ge (rank $input1), 2), "rank of input1 is {0}, must be at least 2", [(rank $input1)]>, RankAtMost<8, ["input1"]>,
    SameShape<"input1", ["input2", "gradInput1", "gradInput2"]>, DeclaredShape<["target"]>,
    When<(is $reduction, "none"), [SameShape<"target", ["gradOutput"]>]>, When<(not (is $reduction, "none")), [OneElement<"gradOutput">]>, DoneIf<(empty $input1)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"input1", "gradInput1">, Gradient<"input2", "gradInput2">];
  dag ra = (div 1, (add (sum (square $input1), $f), "1e-12"));
  dag rb = (div 1, (add (sum (square $input2), $f), "1e-12"));
  dag rd = (sqrt (mul $ra, $rb));
  dag cs = (mul (sum (mul $input1, $input2), $f), $rd);
  dag side = (select (eq $target, 1), -1, (select (and (eq $target, -1), (ge $cs, $margin)), 1, 0));
  dag gk = (mul $gradOutput, $side, (select (is $reduction, "mean"), (div 1, (mul (extent $n), (numel $s))), 1));
  let results = (outs (mul $gk, (sub (mul $input2, $rd), (mul $cs, $input1, $ra))):$gradInput1,
                      (mul $gk, (sub (mul $input1, $rd), (mul $cs, $input2, $rb))):$gradInput2);
}
