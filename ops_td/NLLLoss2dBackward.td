// Gradient of the negative log-likelihood loss, one class label per pixel.
include "NLLLoss.td"

def NLLLoss2d : NLLForward<"NLLLoss2d"> {
  let dims = [Axis<"n">, Axis<"c">, Axis<"h">, Axis<"w">];
  let params = [In<"self", Floats, ["n", "c", "h", "w"], "">, In<"target", ClassIndices, ["n", "h", "w"], "">, FlatIn<"weight", Floats, ["c"], "">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "">, Out<"loss", Floats, ["n", "h", "w"], "", (is $reduction, "none")>];
  let total = (sum (select $valid, (gather $weight, $target, $c, 0), 0), $n, $h, $w);
}

def NLLLoss2dBackward : NLLGradient<NLLLoss2d, "NLLLoss2dBackward"> {
  let summary = "Gradient of the weighted negative log-likelihood loss with one label per pixel.";
  let header = "aclnn_nll_loss2d_backward";
  let dims = [Axis<"n">, Axis<"c">, Axis<"h">, Axis<"w">];
  let params = [
    In<"gradOutput", Floats, ["n", "h", "w"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    UnreadIn<"self", Floats, ["n", "c", "h", "w"], "log-probabilities of the forward; only the shape matters">,
    In<"target", ClassIndices, ["n", "h", "w"], "class of each pixel">,
    FlatIn<"weight", Floats, ["c"], "weight of each class">,
    ReductionAttr<["none", "mean", "sum"]>,
    Attr<"ignoreIndex", "int64_t", "target value without gradient; any value", "-100">,
    MutableIn<"totalWeight", Floats, [], "sum of the weights of all targets that count, from the forward">,
    Out<"out", Floats, ["n", "c", "h", "w"], "gradient for self">];
  let checks = [
    NullCheck<["gradOutput", "self", "target", "weight", "out", "totalWeight"]>, ArgPointers, ProductCheck,
    DtypeCheck<["self"]>, SameDtype<"self", ["gradOutput", "weight", "out", "totalWeight"]>, DtypeCheck<["target"]>,
    When<(is $reduction, "none"), [SameShape<"target", ["gradOutput"]>]>,
    When<(not (is $reduction, "none")), [OneElement<"gradOutput">]>,
    RankIs<4, ["self"]>, RankIs<3, ["target"]>, AxesEqual<"target", [0, 1, 2], "self", [0, 2, 3]>,
    Require<(eq (numel $weight), (extent $self, 1)), "weight has {0} elements, must have one per class, {1}", [(numel $weight), (extent $self, 1)]>,
    SameShape<"self", ["out"]>, NumelIs<1, ["totalWeight"]>, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    DoneIf<(empty $self)>];
}
