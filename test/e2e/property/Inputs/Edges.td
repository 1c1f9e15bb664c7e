// Formulas whose results were wrong once: variants for calls that do not exist, coefficients and bounds that
// float32 does not hold, a uniform NaN, conversions out of range. edges.jsonl has the calls.
include "Base.td"
class Edge<string n, list<string> outs_> : LossBackward<n> {
  let summary = "Formulas at the edges of float32.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x", "y", "w"]>];
  let params = [In<"x", OnlyFloat32, ["b"], "input">, In<"y", OnlyFloat32, ["b"], "input">, OptionalIn<"w", OnlyFloat32, ["b"], "input">,
    Attr<"a", "float", "a number", "0.5">, Attr<"c", "float", "a number", "0.5">, Attr<"d", "double", "a number", "0.5">, Attr<"i", "int64_t", "a number", "1">] # !foreach(o, outs_, Out<o, OnlyFloat32, ["b"], "result">);
  let checks = [ArgPointers, NullCheck<["x", "y"] # outs_>, ProductCheck, DtypeCheck<["x", "y"] # outs_>, RankAtMost<8, ["x", "y"]>,
    BroadcastCheck<["x", "y"]>, IfPresent<"w", [DtypeCheck<["w"]>, RankAtMost<8, ["w"]>, BroadcastsInto<"w", ["x", "y"]>]>] # !foreach(o, outs_, BroadcastShapeIs<["x", "y"], o>) # [DoneIf<(or (empty $x), (empty $y))>];
}
def EdgesBackward : Edge<"EdgesBackward", ["o1", "o2", "o3", "o4", "o5", "o6"]> {
  let results = (outs (div (div $x, $a), $c):$o1, (mul $x, $y, $a, $c):$o2, (mul (clamp $x, 1, -1), -2):$o3, (select (ge $x, $i), $x, $y):$o4, (max $x, $a):$o5,
    (mul $x, (to_real (to_int $d))):$o6);
}
def DeadBackward : Edge<"DeadBackward", ["o"]> {
  dag weight = (select (present $w), $w, 1);
  let results = (outs (select (lt $weight, "0.5"), $x, (mul $x, $y)):$o);
}
def CrashBackward : Edge<"CrashBackward", ["o"]> {
  let results = (outs (select (or (gt $x, 0), (not (gt $a, 1))), $y, (select (gt $a, 1), (exp (clamp $y, -1, 1)), (add $x, (mul $a, 3)))):$o);
}
// One value for two results, and results that do not depend on data.
def SameBackward : Edge<"SameBackward", ["o1", "o2", "o3", "o4", "o5"]> {
  let results = (outs (mul $x, $y):$o1, (mul $x, $y):$o2, (add $x, $y):$o3, (add 1, 0):$o4, (mul $a, 2):$o5);
}
// A constant that a branch meets first, and one that follows it.
def StepBackward : Edge<"StepBackward", ["o"]> {
  let results = (outs (max (select (eq (numel $x), 1), $y, (mul $y, "0.5")), "0.5"):$o);
}
// So many dtypes that the definition does not list their combinations: tensors travel as bytes. Ten inputs in one pack, one of them optional, two results.
def ManyBackward : LossBackward<"ManyBackward"> {
  let summary = "Ten inputs of any float type.";
  let products = [A2];
  defvar required = ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"];
  let dims = [BroadcastPack<"b", required # ["w"]>];
  let params = !foreach(x, required, In<x, Floats, ["b"], "input">) # [OptionalIn<"w", Floats, ["b"], "input">, Attr<"a", "float", "a number", "0.5">,
    Out<"o1", Floats, ["b"], "result">, Out<"o2", Floats, ["b"], "result">];
  let checks = [ArgPointers, NullCheck<required # ["o1", "o2"]>, ProductCheck, DoneIf<(empty $x0)>, DtypeCheck<required # ["o1", "o2"]>, RankAtMost<8, required>,
    BroadcastCheck<required>, IfPresent<"w", [DtypeCheck<["w"]>, RankAtMost<8, ["w"]>, BroadcastsInto<"w", required>]>,
    BroadcastShapeIs<required, "o1">, BroadcastShapeIs<required, "o2">, DoneIf<(or (empty $x1), (empty $x2), (empty $x3), (empty $x4), (empty $x5), (empty $x6), (empty $x7), (empty $x8))>];
  dag weight = (select (present $w), $w, 1);
  let results = (outs (mul (add $x0, $x1, $x2, $x3, $x4), $weight, $a):$o1, (sub (mul $x5, $x6), (mul $x7, $x8)):$o2);
}
