// Results that have only kept dims: sums per row or per column, alone and beside a result that has all dims; and sums of all
// rows or lanes of what other such sums give. sums.jsonl has the calls.
include "Base.td"
class Sums<string n, string kept, int axis, list<string> whole> : LossBackward<n> {
  let summary = "Sums along an axis.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "input">, In<"w", Floats, [kept], "one factor per sum">, Out<"sums", Floats, [kept], "result">]
    # !foreach(o, whole, Out<o, Floats, ["n", "c"], "result">);
  let checks = [ArgPointers, NullCheck<["x", "w", "sums"] # whole>, ProductCheck, DtypeCheck<["x", "w", "sums"] # whole>, RankIs<2, ["x"]>, RankIs<1, ["w", "sums"]>,
    AxesEqual<"w", [0], "x", [axis]>, AxesEqual<"sums", [0], "x", [axis]>] # !foreach(o, whole, SameShape<"x", [o]>) # [DoneIf<(empty $w)>];
}
def RowSumsBackward : Sums<"RowSumsBackward", "n", 0, ["centered"]> {
  dag s = (sum $x, $c);
  let results = (outs (mul $s, $w):$sums, (sub $x, $s):$centered);
}
def ColumnSumsBackward : Sums<"ColumnSumsBackward", "c", 1, []> {
  let results = (outs (mul (sum $x, $n), $w):$sums);
}
def ChainedSumsBackward : LossBackward<"ChainedSumsBackward"> {
  let summary = "Sums of all rows or lanes, one of what another gives.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "input">, In<"u", Floats, ["n"], "one number per row">, In<"w", Floats, ["c"], "one per lane">,
    Out<"y", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["x", "u", "w", "y"]>, ProductCheck, DtypeCheck<["x", "u", "w", "y"]>, RankIs<2, ["x"]>, RankIs<1, ["u", "w"]>,
    AxesEqual<"u", [0], "x", [0]>, AxesEqual<"w", [0], "x", [1]>, SameShape<"x", ["y"]>, DoneIf<(empty $x)>];
  dag mean = (div (sum $u, $n), (extent $n));
  dag variance = (div (sum (square (sub $u, $mean)), $n), (extent $n));
  dag beside = (div (sum (sigmoid (sub $w, $mean)), $c), (extent $c));
  dag last = (div (sum (sigmoid (sub $u, $beside)), $n), (extent $n));
  let results = (outs (mul (add $x, (sum $x, $c)), (add $variance, $last)):$y);
}
