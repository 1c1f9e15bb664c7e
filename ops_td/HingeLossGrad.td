// Gradient of the hinge loss; elementwise, equal shapes.
include "Base.td"

def HingeLoss : Loss<"HingeLoss"> {
  let dims = [Pack<"s">];
  let params = [In<"predict", Floats, ["s"], "">, In<"target", Floats, ["s"], "">, Out<"loss", Floats, ["s"], "">];
  let results = (outs (relu (sub 1, (mul $target, $predict))):$loss);
}

def HingeLossGrad : BackwardOf<HingeLoss, "HingeLossGrad"> {
  let summary = "Gradient of the hinge loss, max(0, 1 - target * predict), with respect to predict.";
  let description = [{
    -target * gradOutput where target * predict is less than 1, otherwise 0.
  }];
  let products = [A950, A3, A2];
  let dims = [Pack<"s">];
  let params = [
    In<"predict", Floats, ["s"], "prediction">,
    In<"target", Floats, ["s"], "label, 1 or -1">,
    In<"gradOutput", Floats, ["s"], "upstream gradient">,
    Out<"gradInput", Floats, ["s"], "gradient for predict">];
  defvar others = ["target", "gradOutput", "gradInput"];
  let checks = [
    ArgPointers, NullCheck<["predict"] # others>, ProductCheck, DtypeCheck<["predict"]>, SameDtype<"predict", others>,
    RankAtMost<8, ["predict"]>, SameShape<"predict", others>, DoneIf<(empty $predict)>];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"predict", "gradInput">];
}
