// Gradient of the logarithm of the sigmoid; elementwise, equal shapes.
include "Base.td"

def LogSigmoid : Loss<"LogSigmoid"> {
  let dims = [Pack<"s">];
  let params = [In<"self", Floats, ["s"], "">, Out<"out", Floats, ["s"], "">];
  let results = (outs (log_sigmoid $self):$out);
}

def LogSigmoidBackward : BackwardOf<LogSigmoid, "LogSigmoidBackward"> {
  let summary = "Gradient of the logarithm of the sigmoid with respect to self.";
  let description = [{
    gradOutput / (1 + exp(self)). buffer, an intermediate result of the forward, is not read.
  }];
  let header = "aclnn_logsigmoid_backward";
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Pack<"s">, Pack<"t">];
  let params = [
    In<"gradOutput", Floats, ["s"], "upstream gradient">,
    In<"self", Floats, ["s"], "argument of the forward">,
    UnreadIn<"buffer", Floats, ["t"], "intermediate result of the forward; not read, its shape and dtype do not matter">,
    Out<"gradInput", Floats, ["s"], "gradient for self">];
  let checks = [
    ArgPointers, NullCheck<["gradOutput", "self", "buffer", "gradInput"]>, DtypeCheck<["gradOutput", "self"]>,
    SameDtype<"gradInput", ["gradOutput", "self"]>, SameShape<"gradInput", ["gradOutput", "self"]>, RankAtMost<8, ["gradInput"]>,
    DoneIf<(empty $self)>];
  let upstream = [Upstream<"out", (value $gradOutput)>];
  let gradients = [Gradient<"self", "gradInput">];
}
