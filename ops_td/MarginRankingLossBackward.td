// Gradients of the margin ranking loss for both inputs.
include "Base.td"

def MarginRankingLoss : Loss<"MarginRankingLoss"> {
  let dims = [BroadcastPack<"b", ["input1"]>];
  let params = [In<"input1", Floats, ["b"], "">, In<"input2", Floats, ["b"], "">, In<"target", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>, Attr<"margin", "float", "">, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l = (clamp_min (add (mul (neg $target), (sub $input1, $input2)), $margin), 0);
  let results = (outs (reduced $l, (numel $input1)):$loss);
}

def MarginRankingLossBackward : BackwardOf<MarginRankingLoss, "MarginRankingLossBackward"> {
  let summary = "Gradients of the margin ranking loss, max(0, -target * (input1 - input2) + margin), with respect to input1 and input2.";
  let description = [{
    -target for input1 and target for input2 where the loss is not cut off, equality included, otherwise 0; times gradOutput, for mean divided by the number
    of elements.
  }];
  let products = [A950, A3, A2];
  let dims = [BroadcastPack<"b", ["input1"]>];
  let params = [
    In<"gradOutput", Floats, ["b"], "upstream gradient">,
    In<"input1", Floats, ["b"], "score that target 1 ranks higher">,
    In<"input2", Floats, ["b"], "score that target -1 ranks higher">,
    In<"target", Floats, ["b"], "1 or -1">,
    Attr<"margin", "float", "difference from which a right ranking costs nothing", "0.0">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"gradInput1", Floats, ["b"], "gradient for input1">,
    Out<"gradInput2", Floats, ["b"], "gradient for input2">];
  defvar tensors = ["gradOutput", "input1", "input2", "target", "gradInput1", "gradInput2"];
  let checks = [
    ArgPointers, NullCheck<tensors>, ProductCheck, DtypeCheck<tensors>, RankAtMost<8, tensors>,
    AttrFinite<"margin">, ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    SameShape<"input1", ["input2", "target", "gradInput1", "gradInput2"]>, BroadcastsInto<"gradOutput", ["input1"]>, DoneIf<(empty $input1)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"input1", "gradInput1">, Gradient<"input2", "gradInput2">];
}
