// Powers of data, and results that lack dims of their tensor in some calls, or in all. powers.jsonl has the calls.
include "Base.td"
class Elements<string n, list<string> outs_> : LossBackward<n> {
  let summary = "Powers of data.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x", "y"]>];
  let params = [In<"x", Floats, ["b"], "base">, In<"y", Floats, ["b"], "exponent">, Attr<"p", "float", "exponent", "1.5">] # !foreach(o, outs_, Out<o, Floats, ["b"], "result">);
  let checks = [ArgPointers, NullCheck<["x", "y"] # outs_>, ProductCheck, DtypeCheck<["x", "y"] # outs_>, RankAtMost<8, ["x", "y"]>, BroadcastCheck<["x", "y"]>]
    # !foreach(o, outs_, BroadcastShapeIs<["x", "y"], o>) # [DoneIf<(or (empty $x), (empty $y))>];
}
def PowersBackward : Elements<"PowersBackward", ["o1", "o2", "o3", "o4", "o5", "o6", "o7"]> {
  let results = (outs (mul (pow $x, 3), $y):$o1, (mul (pow $x, -2), $y):$o2, (mul (pow (abs $x), "-2.5"), $y):$o3, (mul (pow $x, "0.3"), $y):$o4, (mul (pow $x, 9), $y):$o5,
    (pow (square $x), $y):$o6, (mul (pow $x, "-0.5"), $y):$o7);
}
// The exponent of an attribute, and one less, as a gradient has it.
def PowerBackward : Elements<"PowerBackward", ["o"]> {
  let results = (outs (select (eq $p, 0), 0, (mul $y, $p, (pow $x, (sub $p, 1)))):$o);
}
class Lacking<string n, dag other> : LossBackward<n> {
  let summary = "A result that lacks dims in some calls.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, ["n"], "per row">, In<"x", Floats, ["n", "c"], "input">, In<"w", Floats, ["c"], "per lane">, Attr<"which", "int64_t", "a choice", "0">,
                Out<"o", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["g", "x", "w", "o"]>, ProductCheck, DtypeCheck<["g", "x", "w", "o"]>, DeclaredShape<["g", "x", "w", "o"]>, DoneIf<(empty $o)>];
  dag instead = other;
  let results = (outs (select (eq $which, 0), (mul $x, (sum $x, $c), $w, $g), $instead):$o);
}
def LacksRowsBackward : Lacking<"LacksRowsBackward", (exp $w)>;
def LacksLanesBackward : Lacking<"LacksLanesBackward", (exp $g)>;
def LacksAllBackward : Lacking<"LacksAllBackward", (mul "0.5", $which)>;
// In every call.
def SpreadBackward : LossBackward<"SpreadBackward"> {
  let summary = "A value per row for all of the row.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, ["n"], "per row">, UnreadIn<"x", Floats, ["n", "c"], "like the result">, Out<"o", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["g", "x", "o"]>, ProductCheck, DtypeCheck<["g", "x", "o"]>, DeclaredShape<["g", "x", "o"]>, DoneIf<(empty $o)>];
  let results = (outs (exp $g):$o);
}
