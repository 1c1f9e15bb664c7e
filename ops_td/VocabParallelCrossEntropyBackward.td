// Gradient of cross entropy on one shard of the vocabulary; the row sums come from all shards.
include "Base.td"

def VocabParallelCrossEntropy : Loss<"VocabParallelCrossEntropy"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"vocabParallelLogits", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Attr<"vocabStart", "int64_t", "">,
                Out<"loss", OnlyFloat32, ["n"], "">];
  dag largest = (stop (reduce_max $vocabParallelLogits, $c));
  dag shifted = (sub $vocabParallelLogits, $largest);
  dag total = (sum (exp $shifted), $c);
  let results = (outs (sub (log $total), (gather $shifted, (sub $target, $vocabStart), $c, 0)):$loss);
}

def VocabParallelCrossEntropyBackward : BackwardOf<VocabParallelCrossEntropy, "VocabParallelCrossEntropyBackward"> {
  let summary = "Gradient of cross entropy with respect to one vocabulary shard of the logits.";
  let description = [{
    (exp(logits - logitsMax) / sumExpLogits - [the target lies here]) * gradOutput, where logitsMax and sumExpLogits are the maximum and the sum of exponentials
    of a row over all shards. The shard holds the classes from vocabStart on, as many as it has columns; a target elsewhere only takes part in the softmax.
  }];
  let products = [A950, A3, A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"gradOutput", OnlyFloat32, ["n"], "upstream gradient of each row">,
    In<"vocabParallelLogits", Floats, ["n", "c"], "logits of this shard">,
    In<"logitsMax", OnlyFloat32, ["n"], "largest logit of each row, over all shards">,
    In<"sumExpLogits", OnlyFloat32, ["n"], "sum of exp(logits - logitsMax) of each row, over all shards">,
    In<"target", ClassIndices, ["n"], "class of each row, counted over all shards">,
    Attr<"vocabStart", "int64_t", "first class of this shard", "0">,
    Out<"gradLogits", Floats, ["n", "c"], "gradient for the logits of this shard">];
  defvar rows = ["gradOutput", "logitsMax", "sumExpLogits", "target"];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "vocabParallelLogits", "logitsMax", "sumExpLogits", "target", "gradLogits"]>, ProductCheck,
    DtypeCheck<["vocabParallelLogits", "gradLogits"] # rows>, AttrAtLeast<"vocabStart", "0">, RankIs<2, ["vocabParallelLogits"]>,
    RankIs<1, rows>, AxesEqual<"gradOutput", [0], "vocabParallelLogits", [0]>, AxesEqual<"logitsMax", [0], "vocabParallelLogits", [0]>,
    AxesEqual<"sumExpLogits", [0], "vocabParallelLogits", [0]>, AxesEqual<"target", [0], "vocabParallelLogits", [0]>,
    SameShape<"vocabParallelLogits", ["gradLogits"]>, DoneIf<(empty $vocabParallelLogits)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"vocabParallelLogits", "gradLogits">];
  let saved = [Saved<"largest", "logitsMax">, Saved<"total", "sumExpLogits">];
  dag p = (mul (exp (sub $vocabParallelLogits, $logitsMax)), (div 1, $sumExpLogits));
  dag hit = (onehot (sub $target, $vocabStart), $c);
  let results = (outs (mul $gradOutput, (sub $p, (to_real $hit))):$gradLogits);
}
