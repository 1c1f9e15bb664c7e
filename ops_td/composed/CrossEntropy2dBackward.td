// Cross entropy with one label per pixel from saved log-probabilities: the gradients of NLL and of log-softmax in one pass.
include "../LogSoftmaxBackward.td"
include "../NLLLoss2dBackward.td"

def CrossEntropy2dBackward : Composed<"CrossEntropy2dBackward"> {
  let summary = "Gradient of cross entropy with one label per pixel, from the log-probabilities of the forward.";
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">, Axis<"h">, Axis<"w">];
  let params = [
    In<"gradOutput", Floats, ["n", "h", "w"], "upstream gradient; one element for mean and sum", (is $reduction, "none")>,
    In<"logProb", Floats, ["n", "c", "h", "w"], "log-probabilities of the forward">, In<"target", ClassIndices, ["n", "h", "w"], "class of each pixel">,
    In<"weight", Floats, ["c"], "weight of each class">, ReductionAttr<["none", "mean", "sum"]>,
    Attr<"ignoreIndex", "int64_t", "target value without gradient; any value", "-100">,
    In<"totalWeight", Floats, [], "sum of the weights of all targets that count, from the forward">,
    InPlaceOut<"out", Floats, ["n", "c", "h", "w"], "gradient for the logits", "logProb">];
  defvar tensors = ["gradOutput", "logProb", "target", "weight", "totalWeight", "out"];
  let checks = [
    ArgPointers, NullCheck<tensors>, ProductCheck, DtypeCheck<tensors>, RankIs<4, ["logProb"]>, DeclaredShape<["target", "weight", "out"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, When<(is $reduction, "none"), [SameShape<"target", ["gradOutput"]>]>,
    When<(not (is $reduction, "none")), [OneElement<"gradOutput">]>, NumelIs<1, ["totalWeight"]>,
    InPlaceCheck<"out", "logProb">,
    DoneIf<(empty $out)>];
  let parts = [
    Part<NLLLoss2dBackward, ["gradLogProb"]>,
    Part<LogSoftmaxBackward, ["gradLogits"], (args (value $gradLogProb):$gradOutput, (value $logProb):$output),
         [As<"a1", ["n"]>, As<"r", ["c"]>, As<"a0", ["h", "w"]>]>];
  let results = (outs (value $gradLogits):$out);
}
