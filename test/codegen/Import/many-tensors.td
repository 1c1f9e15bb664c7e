// RUN: lossgrad-tblgen %s | FileCheck %s
// RUN: not lossgrad-project %s -o %t --require-all 2>&1 | FileCheck %s --check-prefix=PROJECT
// What the checks say of thirty tensors takes as long as thirty times what they say of one, not two to the power of it: the test ends.
include "Base.td"

defvar inputs = !foreach(i, !range(30), "x" # i);
// CHECK: lossgrad.operator @ManyBackward
// CHECK: "shapes of x0, x1, {{.*}}, x29 do not broadcast: {0}, {1}, {{.*}}, {29}"
// PROJECT: error: operator 'ManyBackward' cannot be generated: has 31 tensors; tiling functions and kernels take at most 16
def ManyBackward : LossBackward<"ManyBackward"> {
  let summary = "Thirty inputs.";
  let products = [A2];
  let dims = [BroadcastPack<"b", inputs>];
  let params = !foreach(x, inputs, In<x, Floats, ["b"], "input">) # [Out<"o", Floats, ["b"], "result">];
  let checks = [ArgPointers, NullCheck<inputs # ["o"]>, ProductCheck, DtypeCheck<inputs # ["o"]>, RankAtMost<8, inputs>, BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "o">];
  let results = (outs (add $x0, $x1, $x2, $x3, $x4, $x5, $x6, $x7, $x8, $x9, $x10, $x11, $x12, $x13, $x14, $x15, $x16, $x17, $x18, $x19, $x20, $x21, $x22, $x23, $x24, $x25, $x26, $x27, $x28, $x29):$o);
}
