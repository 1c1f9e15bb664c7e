// Cross entropy of cosines with an additive margin: that of the labelled class counts as smaller.
include "Base.td"

def CosFace : Loss<"CosFace"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"cosine", Floats, ["n", "c"], "cosines of the angles to the classes">, In<"target", ClassIndices, ["n"], "labels">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "a label that does not count", "-100">,
                Attr<"scale", "float", "factor of the cosines", "64.0">, Attr<"margin", "float", "taken off the labelled one", "0.35">,
                Out<"loss", OnlyFloat32, ["n"], "loss", (is $reduction, "none")>, Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  let checks = [AttrFinite<"margin">, AttrFinite<"scale">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag z = (mul $scale, (sub $cosine, (select (onehot $target, $c), $margin, 0)));
  dag logSum = (logsumexp $z, $c);
  dag row = (select $valid, (sub $logSum, (mul $scale, (sub (gather $cosine, $target, $c, 0), $margin))), 0);
  let results = (outs (reduced $row, (sum (to_real $valid), $n)):$loss, (value $logSum):$lse);
}
def CosFaceBackward : GradientOf<CosFace, ["cosine"], [Saved<"logSum", "lse", 1>], ["cosine"]>;
