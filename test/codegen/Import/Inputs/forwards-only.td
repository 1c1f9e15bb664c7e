//--- first.td
include "Base.td"
def First : Loss<"First"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"target", ClassIndices, ["n"], "">, In<"x", Floats, ["n", "c"], "">, Out<"loss", Floats, ["n"], "">];
  let results = (outs (gather $x, $target, $c, 0):$loss);
}
//--- dims.td
include "Base.td"
def Dims : Loss<"Dims"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "k"], "">, Out<"loss", Floats, ["n"], "">];
  let results = (outs (sum (square $x), $c):$loss);
}
//--- place.td
include "Base.td"
def Place : Loss<"Place"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, Out<"loss", Floats, ["n"], "">];
  let results = (outs (sum (mul $x, (iota $c)), $c):$loss);
}
//--- optional.td
include "Base.td"
def Optional : Loss<"Optional"> {
  let dims = [BroadcastPack<"b", ["x", "w", "v"]>];
  let params = [In<"x", Floats, ["b"], "">, OptionalIn<"w", Floats, ["b"], "">, OptionalIn<"v", Floats, ["b"], "">, ReductionAttr<["none", "mean", "sum"]>,
                Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  let results = (outs (reduced (mul (square $x), (select (present $w), $w, 1), (select (present $v), $v, 1)), (numel $b)):$loss);
}
