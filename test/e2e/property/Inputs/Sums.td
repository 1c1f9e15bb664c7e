// Results that have only kept dims: sums per row or per column, alone and beside a result that has all dims; sums of all
// rows or lanes of what other such sums give; such a sum beside one along the same axis; and sums of what is one-hot. sums.jsonl has the calls.
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
def BesideSumsBackward : LossBackward<"BesideSumsBackward"> {
  let summary = "A sum of all rows beside a sum per column.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "input">, In<"w", Floats, ["n"], "one factor per row">, Out<"y", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["x", "w", "y"]>, ProductCheck, DtypeCheck<["x", "w", "y"]>, RankIs<2, ["x"]>, RankIs<1, ["w"]>,
    AxesEqual<"w", [0], "x", [0]>, SameShape<"x", ["y"]>, DoneIf<(empty $x)>];
  dag total = (sum (sigmoid $w), $n);
  dag column = (sum $x, $n);
  let results = (outs (add (add (mul $x, $w), $column), $total):$y);
}
def OneHotSumsBackward : LossBackward<"OneHotSumsBackward"> {
  let summary = "How many classes a row has: one, or none.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "input">, In<"t", ClassIndices, ["n"], "a class">, Out<"y", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["x", "t", "y"]>, ProductCheck, DtypeCheck<["x", "t", "y"]>, RankIs<2, ["x"]>, RankIs<1, ["t"]>,
    AxesEqual<"t", [0], "x", [0]>, SameShape<"x", ["y"]>, DoneIf<(empty $x)>];
  dag hit = (to_real (onehot $t, $c));
  let results = (outs (mul $x, (sum $hit, $c)):$y);
}
