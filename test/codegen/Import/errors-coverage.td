// Checks that let a call through which breaks the declarations: nothing behind them tests it again.
// RUN: not lossgrad-tblgen %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

include "Base.td"

class Scaled<string name> : LossBackward<name> {
  let summary = "x times z.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x"]>];
  let params = [In<"x", Floats, ["b"], "data">, In<"z", Floats, ["b"], "factor">, Attr<"a", "float", "a number", "1.0">,
                Out<"y", Floats, ["b"], "result">];
  let results = (outs (mul $x, $z, $a):$y);
}
defvar all = ["x", "z", "y"];

// CHECK-DAG: [[@LINE+4]]:5: error: the checks accept null for 'workspaceSize' or 'executor'; add ArgPointers
// CHECK-DAG: [[@LINE+3]]:5: error: the checks accept null for 'x', 'z', 'y'; add NullCheck<["x", "z", "y"]>
// CHECK-DAG: [[@LINE+2]]:5: error: the checks accept dtypes that are not declared for 'x', 'z', 'y'; add DtypeCheck<["x", "z", "y"]>
// CHECK-DAG: [[@LINE+1]]:5: error: the checks accept 'z' with shape {{.*}}; add BroadcastsInto<"z", ["x"]>
def NoChecks : Scaled<"NoChecks">;
// CHECK-DAG: [[@LINE-1]]:5: error: the checks accept 'y' with shape {{.*}}; add BroadcastShapeIs<["x"], "y">
// CHECK-DAG: [[@LINE-2]]:5: error: the checks accept products that the operator does not support; add ProductCheck

// The larger output that a kernel would have read behind its inputs for.
def NoOutputShape : Scaled<"NoOutputShape"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks accept 'y' with shape [2, 3], must be [4, 2, 3]; add BroadcastShapeIs<["x"], "y">
  let checks = [ArgPointers, NullCheck<all>, DtypeCheck<all>, BroadcastsInto<"z", ["x"]>];
}

def NoDtypes : Scaled<"NoDtypes"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks accept dtypes that are not declared for 'z'; add DtypeCheck<["z"]>
  let checks = [ArgPointers, NullCheck<all>, DtypeCheck<["x", "y"]>, BroadcastsInto<"z", ["x"]>, SameShape<"x", ["y"]>];
}

// An output over an input, and nobody looks whether it lies there or across.
def NoPlace : Scaled<"NoPlace"> {
  let params = [In<"x", Floats, ["b"], "data">, In<"z", Floats, ["b"], "factor">, Attr<"a", "float", "a number", "1.0">,
                InPlaceOut<"y", Floats, ["b"], "result", "x">];
  // CHECK-DAG: [[@LINE+1]]:7: error: 'y' may lie in place of an input, but the checks do not say how: it begins one element later; add InPlaceCheck<"y", "x">
  let checks = [ArgPointers, NullCheck<all>, DtypeCheck<all>, BroadcastsInto<"z", ["x"]>, SameShape<"x", ["y"]>];
}

// A check that comes too late.
def Order : Scaled<"Order"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks ask about 'z' where it is null; first comes NullCheck<["z"]>
  let checks = [ArgPointers, NullCheck<["x", "y"]>, DtypeCheck<all>, NullCheck<["z"]>, BroadcastsInto<"z", ["x"]>, SameShape<"x", ["y"]>];
}

// A shape that is looked at under one choice only.
def OneChoice : LossBackward<"OneChoice"> {
  let summary = "x plus g.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "data">, In<"g", Floats, ["n"], "per row", (is $reduction, "none")>, ReductionAttr<["none", "mean"]>,
                Out<"y", Floats, ["n", "c"], "result">];
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks accept 'g' with shape [4], must have one element; add a check of its shape under each condition
  let checks = [ArgPointers, NullCheck<["x", "g", "y"]>, DtypeCheck<["x", "g", "y"]>, DeclaredShape<["x", "y"]>,
                When<(is "reduction", "none"), [DeclaredShape<["g"]>]>];
  let results = (outs (add $x, $g):$y);
}

def Axes : LossBackward<"Axes"> {
  let summary = "x minus its sum.";
  let products = [A2];
  let dims = [Pack<"outer">, SplitAt<"r", "dim">, Pack<"inner">];
  let params = [In<"x", Floats, ["outer", "r", "inner"], "data">, Attr<"dim", "int64_t", "an axis", "0">,
                Out<"y", Floats, ["outer", "r", "inner"], "result">];
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks accept values of 'dim' with which 'x' has shape [2, 3, 5, 7, 11], which its dims cannot have; add AttrIsAxis<"dim", ...> or another check of it
  let checks = [ArgPointers, NullCheck<["x", "y"]>, DtypeCheck<["x", "y"]>, SameShape<"x", ["y"]>];
  let results = (outs (sub $x, (sum $x, $r)):$y);
}

// An optional tensor where it is not there.
class Weighted<string name> : LossBackward<name> {
  let summary = "x times w.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x"]>];
  let params = [In<"x", Floats, ["b"], "data">, OptionalIn<"w", Floats, ["b"], "factor">, Out<"y", Floats, ["b"], "result">];
  list<Check> common = [ArgPointers, NullCheck<["x", "y"]>, DtypeCheck<["x", "y"]>, SameShape<"x", ["y"]>];
  let results = (outs (select (present $w), (mul $x, $w), $x):$y);
}
def Unguarded : Weighted<"Unguarded"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the formulas read optional 'w' where it is null; read it under (select (present $w), ...)
  let checks = common # [IfPresent<"w", [DtypeCheck<["w"]>, BroadcastsInto<"w", ["x"]>]>];
  let results = (outs (mul $x, $w):$y);
}
def AskedUnguarded : Weighted<"AskedUnguarded"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the checks ask about 'w' where it is null; put them under IfPresent<"w", ...>
  let checks = common # [DtypeCheck<["w"]>, BroadcastsInto<"w", ["x"]>];
}
def Sound : Weighted<"Sound"> {
  let checks = common # [IfPresent<"w", [DtypeCheck<["w"]>, BroadcastsInto<"w", ["x"]>]>];
}

// Nothing to look at.
def Never : Scaled<"Never"> {
  // CHECK-DAG: [[@LINE+1]]:7: warning: no call was found that the checks accept, so that nobody knows whether they refuse what they must
  let checks = [ArgPointers, Require<(gt (attr "a"), "1e37"), "too small">, AttrRange<"a", "0", "1">];
}
