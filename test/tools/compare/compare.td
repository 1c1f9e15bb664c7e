// RUN: lossgrad-tblgen %s -o %t.before.mlir
// RUN: lossgrad-opt %t.before.mlir --pass-pipeline='builtin.module(canonicalize,cse,lossgrad.operator(lossgrad-optimize))' -o %t.after.mlir
// RUN: lossgrad-compare %t.before.mlir %t.after.mlir --float32 --calls 40 | FileCheck %s
// RUN: sed 's/mul %%x, %%y/add %%x, %%y/' %t.before.mlir > %t.wrong.mlir
// RUN: not lossgrad-compare %t.before.mlir %t.wrong.mlir --float32 --calls 40 2>&1 | FileCheck %s --check-prefix=WRONG
// A result must be right wherever the formula as it stands is, but not where it is so by accident: two subnormal numbers that cancel, which become
// zero on some units, and a NaN of the reference that is there because float64 underflowed.

// CHECK: 3 operators, 120 calls, {{[0-9]+}} elements, {{[1-9][0-9]*}} beyond float32 as written, 0 failures
// WRONG: ProductBackward: o at element
// WRONG: {{[1-9][0-9]*}} failures
include "Base.td"
class Two<string n> : LossBackward<n> {
  let summary = "Two inputs.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x", "y"]>];
  let params = [In<"x", OnlyFloat32, ["b"], "input">, In<"y", OnlyFloat32, ["b"], "input">, Out<"o", OnlyFloat32, ["b"], "result">];
  let checks = [ArgPointers, NullCheck<["x", "y", "o"]>, ProductCheck, DtypeCheck<["x", "y", "o"]>, RankAtMost<8, ["x", "y"]>, BroadcastCheck<["x", "y"]>,
    BroadcastShapeIs<["x", "y"], "o">, DoneIf<(or (empty $x), (empty $y))>];
}
def ProductBackward : Two<"ProductBackward"> {
  let results = (outs (mul $x, $y):$o);
}
def SubnormalBackward : Two<"SubnormalBackward"> {
  let results = (outs (add (div (select (gt $x, 0), "1e-45", "-1e19"), "1e-45"), $y):$o);
}
def UnderflowBackward : Two<"UnderflowBackward"> {
  let results = (outs (mul (square (mul $x, "1e60", "1e-300")), $y):$o);
}
