// Gradient of softmax along one axis.
include "Base.td"

def Softmax : Loss<"Softmax"> {
  let dims = [Pack<"a1">, SplitAt<"r", "dim">, Pack<"a0">];
  let params = [In<"x", Floats, ["a1", "r", "a0"], "">, Attr<"dim", "int64_t", "">, Out<"out", Floats, ["a1", "r", "a0"], "">];
  dag y = (exp (sub $x, (logsumexp $x, $r)));
  let results = (outs (value $y):$out);
}

def SoftmaxBackward : BackwardOf<Softmax, "SoftmaxBackward"> {
  let summary = "Gradient of softmax along one axis.";
  let description = [{
    output times the difference of gradOutput and the sum of gradOutput * output along dim. output is taken as given; IEEE rules for NaN and infinities, no guards.
  }];
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Pack<"a1">, SplitAt<"r", "dim">, Pack<"a0">];
  let params = [
    In<"gradOutput", Floats, ["a1", "r", "a0"], "gradient with respect to the softmax result">,
    In<"output", Floats, ["a1", "r", "a0"], "the softmax result saved by the forward">,
    Attr<"dim", "int64_t", "softmax axis; negative counts from the end">,
    Out<"gradInput", Floats, ["a1", "r", "a0"], "gradient with respect to the softmax input">];
  let checks = [
    NullCheck<["gradOutput", "output", "gradInput"]>, ArgPointers, ProductCheck,
    DtypeCheck<["gradOutput", "output"]>, SameDtype<"gradOutput", ["output"]>, DtypeCheck<["gradInput"]>,
    RankAtMost<8, ["gradOutput", "output"]>, SameShape<"gradOutput", ["output", "gradInput"]>, AttrIsAxis<"dim", "gradOutput">,
    DoneIf<(empty $gradOutput)>];
  let upstream = [Upstream<"out", (value $gradOutput)>];
  let gradients = [Gradient<"x", "gradInput">];
  let saved = [Saved<"y", "output">];
  dag total = (sum (mul $gradOutput, $output), $r);
  let results = (outs (mul $output, (sub $gradOutput, $total)):$gradInput);
}
