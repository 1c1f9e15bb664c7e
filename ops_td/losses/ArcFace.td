// Cross entropy of cosines with an angular margin: the angle of the labelled class counts as larger by the margin. Past the
// angle where that would turn round (or, with easyMargin, past a right angle) a constant is taken off instead, or nothing.
include "Base.td"

def ArcFace : Loss<"ArcFace"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"cosine", Floats, ["n", "c"], "cosines of the angles to the classes">, In<"target", ClassIndices, ["n"], "labels">,
                ReductionAttr<["none", "mean", "sum"]>, Attr<"ignoreIndex", "int64_t", "a label that does not count", "-100">,
                Attr<"scale", "float", "factor of the cosines", "64.0">, Attr<"margin", "float", "angle, in [0, pi]", "0.5">,
                Attr<"easyMargin", "bool", "angles beyond a right one have no margin", "false">,
                Out<"loss", OnlyFloat32, ["n"], "loss", (is $reduction, "none")>, Out<"lse", OnlyFloat32, ["n"], "log of the sum of exponentials">];
  let checks = [AttrRange<"margin", "0", "3.1415">, AttrFinite<"scale">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag ct = (gather $cosine, $target, $c, 0);
  // The floor keeps the slope finite where the angle is 0.
  dag turned = (sub (mul $ct, (cos $margin)), (mul (sqrt (max (sub 1, (square $ct)), "1e-12")), (sin $margin)));
  dag hard = (select (gt $ct, (neg (cos $margin))), $turned, (sub $ct, (mul $margin, (sin $margin))));
  dag moved = (select $easyMargin, (select (gt $ct, 0), $turned, $ct), $hard);
  dag z = (mul $scale, (select (onehot $target, $c), $moved, $cosine));
  dag logSum = (logsumexp $z, $c);
  dag row = (select $valid, (sub $logSum, (mul $scale, $moved)), 0);
  let results = (outs (reduced $row, (sum (to_real $valid), $n)):$loss, (value $logSum):$lse);
}
def ArcFaceBackward : GradientOf<ArcFace, ["cosine"], [Saved<"logSum", "lse", 1>], ["cosine"]>;
