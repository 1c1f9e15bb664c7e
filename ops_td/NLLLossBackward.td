// Gradient of the negative log-likelihood loss, one class label per row.
include "NLLLoss.td"

def NLLLoss : NLLForward<"NLLLoss"> {
  let dims = [Pack<"n">, Axis<"c">];
  let params = [In<"self", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, In<"weight", Floats, ["c"], "">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "">, Out<"loss", Floats, ["n"], "", (is $reduction, "none")>];
  let total = (sum (select $valid, (gather $weight, $target, $c, 0), 0), $n);
}

def NLLLossBackward : NLLGradient<NLLLoss, "NLLLossBackward"> {
  let summary = "Gradient of the weighted negative log-likelihood loss with one label per row.";
  let dims = [Pack<"n">, Axis<"c">]; // n is one axis, or none for a single row
  let params = [
    In<"gradOutput", Floats, ["n"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    UnreadIn<"self", Floats, ["n", "c"], "log-probabilities of the forward; only the shape matters">,
    In<"target", ClassIndices, ["n"], "class of each row">,
    In<"weight", Floats, ["c"], "weight of each class">,
    ReductionAttr<["none", "mean", "sum"]>,
    Attr<"ignoreIndex", "int64_t", "target value without gradient; any value", "-100">,
    In<"totalWeight", Floats, [], "sum of the weights of all targets that count, from the forward">,
    Out<"out", Floats, ["n", "c"], "gradient for self">];
  defvar perRow = (and (is $reduction, "none"), (eq (rank $self), 2));
  let checks = [
    NullCheck<["gradOutput", "self", "target", "weight", "totalWeight", "out"]>, ArgPointers, ProductCheck,
    SameDtype<"self", ["weight", "gradOutput", "totalWeight"]>, CastableTo<"self", "out">, DtypeCheck<["self", "target", "out"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    Require<(and (ge (rank $self), 1), (le (rank $self), 2)), "rank of self is {0}, must be 1 or 2", [(rank $self)]>, RankAtMost<1, ["target"]>,
    When<(not (and (eq (rank $self), 1), (eq (rank $target), 0))), [RankIs<1, ["target"]>, AxesEqual<"target", [0], "self", [0]>]>,
    RankIs<1, ["weight"]>, AxesEqual<"weight", [0], "self", [-1]>, NumelIs<1, ["totalWeight"]>,
    When<perRow, [RankIs<1, ["gradOutput"]>, AxesEqual<"gradOutput", [0], "self", [0]>]>,
    When<(not perRow), [OneElement<"gradOutput">]>,
    SameShape<"self", ["out"]>, DoneIf<(empty $self)>];
}
