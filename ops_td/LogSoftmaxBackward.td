// Gradient of log-softmax along one axis.
include "Base.td"

def LogSoftmax : Loss<"LogSoftmax"> {
  let dims = [Pack<"a1">, SplitAt<"r", "dim">, Pack<"a0">];
  let params = [In<"x", Floats, ["a1", "r", "a0"], "">, Attr<"dim", "int64_t", "">, Out<"out", Floats, ["a1", "r", "a0"], "">];
  dag y = (sub $x, (logsumexp $x, $r));
  let results = (outs (value $y):$out);
}

def LogSoftmaxBackward : BackwardOf<LogSoftmax, "LogSoftmaxBackward"> {
  let summary = "Gradient of log-softmax along one axis.";
  let description = [{
    gradOutput minus exp(output) times the sum of gradOutput along dim. output is taken as given; IEEE rules for NaN and infinities, no guards.
  }];
  let header = "aclnn_logsoftmax_backward";
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Pack<"a1">, SplitAt<"r", "dim">, Pack<"a0">];
  let params = [
    In<"gradOutput", Floats, ["a1", "r", "a0"], "gradient with respect to the log-softmax result">,
    In<"output", Floats, ["a1", "r", "a0"], "the log-softmax result saved by the forward">,
    Attr<"dim", "int64_t", "softmax axis; negative counts from the end">,
    Out<"out", Floats, ["a1", "r", "a0"], "gradient with respect to the log-softmax input">];
  defvar isEmpty = (or (empty $gradOutput), (empty $output));
  let checks = [
    NullCheck<["output", "gradOutput", "out"]>, ArgPointers,
    On<[A3, A2, A310P, A910], [DoneIf<isEmpty>]>, // these return before anything else is looked at
    DtypeCheck<["output", "gradOutput"]>, SameDtype<"output", ["gradOutput"]>, DtypeCheck<["out"]>,
    RankAtMost<8, ["gradOutput", "output"]>, SameShape<"gradOutput", ["output", "out"]>, AttrIsAxis<"dim", "gradOutput">,
    DoneIf<isEmpty>];
  let upstream = [Upstream<"out", (value $gradOutput)>];
  let gradients = [Gradient<"x", "out">];
  let saved = [Saved<"y", "output">];
  dag total = (sum $gradOutput, $r);
  let results = (outs (sub $gradOutput, (mul $total, (exp $output))):$out);
}
