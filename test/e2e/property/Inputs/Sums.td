// Results that have only kept dims: sums per row or per column, alone and beside a result that has all dims. sums.jsonl has the calls.
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
