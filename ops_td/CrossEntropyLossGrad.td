// Gradient of the fused cross entropy: log-softmax, weighted NLL, label smoothing and z-loss.
include "Base.td"

def Targets : Everywhere<[Int64, Int32]>;

/// The order and the codes of the documents: types and attributes 161002, shapes 561002.
class CrossEntropyChecks<dag zloss> {
  defvar shape = [
    RankIs<2, ["logProb"]>, Require<(gt (extent $logProb, 1), 0), "logProb has no classes">,
    RankIs<1, ["target"]>, AxesEqual<"target", [0], "logProb", [0]>,
    IfPresent<"weightOptional", [RankIs<1, ["weightOptional"]>, AxesEqual<"weightOptional", [0], "logProb", [1]>]>,
    PerRowOrOne<"gradLoss", "logProb">, When<zloss, [IfPresent<"gradZlossOptional", [PerRowOrOne<"gradZlossOptional", "logProb">]>]>,
    When<zloss, [RankIs<1, ["lseForZlossOptional"]>, AxesEqual<"lseForZlossOptional", [0], "logProb", [0]>]>,
    SameShape<"logProb", ["out"]>, DenseCheck<["out"]>];
  list<Check> checks = [
    NullCheck<["gradLoss", "logProb", "target", "out"]>, ArgPointers, ProductCheck,
    DtypeCheck<["gradLoss", "logProb", "out"]>, SameDtype<"gradLoss", ["logProb", "out"]>, DtypeCheck<["target"]>,
    IfPresent<"weightOptional", [DtypeCheck<["weightOptional"]>]>,
    When<zloss, [IfPresent<"gradZlossOptional", [SameDtype<"gradLoss", ["gradZlossOptional"]>]>,
                 IfPresent<"lseForZlossOptional", [SameDtype<"gradLoss", ["lseForZlossOptional"]>]>]>,
    StringChoiceCheck<"reductionOptional", ["none", "mean", "sum"]>, AttrRange<"labelSmoothing", "0", "1">, AttrFinite<"lseSquareScaleForZloss">,
    When<zloss, [Require<(present $lseForZlossOptional), "lseSquareScaleForZloss is {0}, which needs lseForZlossOptional", [(attr "lseSquareScaleForZloss")]>]>,
    Status<InnerTilingError, shape>, DoneIf<(empty $logProb)>];
}

def CrossEntropyLoss : Loss<"CrossEntropyLoss"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"input", Floats, ["n", "c"], "">, In<"target", Targets, ["n"], "">, OptionalIn<"weightOptional", OnlyFloat32, ["c"], "">,
    StringReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "">, Attr<"labelSmoothing", "double", "">,
    Attr<"lseSquareScaleForZloss", "double", "">, Out<"loss", Floats, ["n"], "", (is $reductionOptional, "none")>,
    Out<"zloss", Floats, ["n"], "", (is $reductionOptional, "none")>];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag lse = (logsumexp $input, $c);
  dag logp = (sub $input, $lse);
  dag wt = (select $valid, (gather $w, $target, $c, 0), 0);
  dag nll = (neg (mul $wt, (gather $logp, $target, $c, 0)));
  dag smooth = (select $valid, (neg (sum (mul $w, $logp), $c)), 0);
  dag ce = (add (mul (sub 1, $labelSmoothing), $nll), (select (gt $labelSmoothing, 0), (mul (div $labelSmoothing, (extent $c)), $smooth), 0));
  dag z = (select (ne $lseSquareScaleForZloss, 0), (select $valid, (mul $lseSquareScaleForZloss, (square $lse)), 0), 0);
  let results = (outs (reduced_by $ce, (sum $wt, $n), $reductionOptional):$loss,
                      (reduced_by $z, (sum (to_real $valid), $n), $reductionOptional):$zloss);
}

def CrossEntropyLossGrad : BackwardOf<CrossEntropyLoss, "CrossEntropyLossGrad"> {
  let summary = "Gradient of cross entropy with class weights, label smoothing and z-loss.";
  let description = [{
    Rows whose target is ignoreIndex, or no class, are exact zeros and are not read. mean divides the NLL and smoothing parts by the summed weight of the
    valid targets and the z-loss part by their number. Without a weight every class weighs 1. The z-loss inputs matter only if lseSquareScaleForZloss != 0.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"gradLoss", Floats, ["n"], "upstream gradient; one element for mean and sum", (is $reductionOptional, "none")>,
    In<"logProb", Floats, ["n", "c"], "log-softmax of the forward input">, In<"target", Targets, ["n"], "class of each row, or ignoreIndex">,
    OptionalIn<"weightOptional", OnlyFloat32, ["c"], "weight of each class">,
    OptionalIn<"gradZlossOptional", Floats, ["n"], "upstream gradient of the separate z-loss output", (is $reductionOptional, "none")>,
    OptionalIn<"lseForZlossOptional", Floats, ["n"], "log-sum-exp of each row, from the forward">, StringReductionAttr<["none", "mean", "sum"]>,
    Attr<"ignoreIndex", "int64_t", "target value whose rows get no gradient; any value", "-100">,
    Attr<"labelSmoothing", "double", "share of the target spread over all classes, in [0, 1]", "0.0">,
    Attr<"lseSquareScaleForZloss", "double", "scale of the z-loss; 0 switches it off", "0.0">, ConstOut<"out", Floats, ["n", "c"], "gradient for the forward input">];
  let checks = CrossEntropyChecks<(ne $lseSquareScaleForZloss, 0)>.checks;
  let upstream = [Upstream<"loss", (value $gradLoss)>, Upstream<"zloss", (select (present $gradZlossOptional), (add $gradLoss, $gradZlossOptional), $gradLoss)>];
  let gradients = [Gradient<"input", "out">];
  let saved = [Saved<"logp", "logProb">, Saved<"lse", "lseForZlossOptional">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag w = (select (present $weightOptional), $weightOptional, 1);
  dag wt = (select $valid, (gather $w, $target, $c, 0), 0);
  dag weightSum = (select (is $reductionOptional, "mean"), (sum $wt, $n), 1);
  dag count = (select (is $reductionOptional, "mean"), (sum (to_real $valid), $n), 1);
  dag nll = (div (mul $gradLoss, (sub 1, $labelSmoothing), $wt), $weightSum);
  dag smooth = (div (mul $gradLoss, (div $labelSmoothing, (extent $c))), $weightSum);
  dag gz = (select (present $gradZlossOptional), (add $gradLoss, $gradZlossOptional), $gradLoss);
  dag z = (select (ne $lseSquareScaleForZloss, 0), (div (mul 2, $lseSquareScaleForZloss, $lseForZlossOptional, $gz), $count), 0);
  dag rowScale = (add $nll, (select (gt $labelSmoothing, 0), (mul $smooth, (sum $w, $c)), 0), $z);
  dag spread = (select (gt $labelSmoothing, 0), (mul $smooth, $w), 0);
  dag hit = (select (onehot $target, $c), $nll, 0);
  let results = (outs (select $valid, (sub (sub (mul (exp $logProb), $rowScale), $spread), $hit), 0):$out);
}
