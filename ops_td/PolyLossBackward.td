// Gradient of the poly-1 loss: cross entropy plus epsilon * (1 - p_t), on logits.
include "Base.td"

def PolyLoss : Loss<"PolyLoss"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"self", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Attr<"epsilon", "double", "">, ReductionAttr<["none", "mean", "sum"]>,
                Attr<"ignoreIndex", "int64_t", "">, Out<"loss", Floats, ["n"], "", (is $reduction, "none")>];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag logp = (sub $self, (logsumexp $self, $c));
  dag logpt = (gather $logp, $target, $c, 0);
  dag l = (select $valid, (add (neg $logpt), (mul $epsilon, (sub 1, (exp $logpt)))), 0);
  let results = (outs (reduced $l, (sum (to_real $valid), $n)):$loss);
}

def PolyLossBackward : BackwardOf<PolyLoss, "PolyLossBackward"> {
  let summary = "Gradient of the poly-1 loss with respect to the logits.";
  let description = [{
    (1 + epsilon * p_t) * (p - onehot(target)) * gradOutput with p = softmax(self), for mean divided by the number of rows that count. Rows whose target is
    ignoreIndex, or no class, are exact zeros.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"gradOutput", Floats, ["n"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"self", Floats, ["n", "c"], "logits">,
    In<"target", ClassIndices, ["n"], "class of each row, or ignoreIndex">,
    Attr<"epsilon", "double", "weight of the polynomial term", "1.0">,
    ReductionAttr<["none", "mean", "sum"]>,
    Attr<"ignoreIndex", "int64_t", "target value whose rows get no gradient; any value", "-100">,
    Out<"out", Floats, ["n", "c"], "gradient for self">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "target", "out"]>, ProductCheck, DtypeCheck<["gradOutput", "self", "target", "out"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, AttrFinite<"epsilon">, RankIs<2, ["self"]>, DeclaredShape<["target"]>,
    PerRowOrOne<"gradOutput", "self", "reduction">, SameShape<"self", ["out"]>, DoneIf<(empty $self)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag e = (exp (sub $self, (reduce_max $self, $c)));
  dag p = (div $e, (sum $e, $c));
  dag pt = (gather $p, $target, $c, 0);
  dag gk = (div $gradOutput, (select (is $reduction, "mean"), (sum (to_real $valid), $n), 1));
  dag d = (sub $p, (to_real (onehot $target, $c)));
  let results = (outs (select $valid, (mul $gk, (add 1, (mul $epsilon, $pt)), $d), 0):$out);
}
