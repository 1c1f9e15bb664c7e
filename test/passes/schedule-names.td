// RUN: lossgrad-tblgen %s | lossgrad-opt --lossgrad-to-ascendc=soc=A2 | FileCheck %s
// The first part of a factor called `axis` is not the member of the tiling data that every schedule has.
include "Base.td"

// CHECK: ascendc.tiling_struct @AxisBackwardTilingData
// CHECK: ascendc.tiling_member @firstAxis : i32
// CHECK: ascendc.tiling_member @firstAxis1 : f32
def AxisBackward : LossBackward<"AxisBackward"> {
  let summary = "A factor that float32 may not hold.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["x"]>];
  let params = [In<"x", OnlyFloat32, ["b"], "input">, Attr<"a", "double", "a number", "1.0">, Out<"o", OnlyFloat32, ["b"], "result">];
  let checks = [ArgPointers, NullCheck<["x", "o"]>, ProductCheck, DtypeCheck<["x", "o"]>, RankAtMost<8, ["x"]>, BroadcastCheck<["x"]>, BroadcastShapeIs<["x"], "o">];
  dag axis = (mul $a, 3);
  let results = (outs (mul $x, $axis):$o);
}
