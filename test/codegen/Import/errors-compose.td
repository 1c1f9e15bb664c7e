// What does not fit in a Composed record is said at the record.
// RUN: not lossgrad-tblgen %s 2>&1 | FileCheck %s --implicit-check-not=error:

include "Base.td"
class Simple<string name> : LossBackward<name> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"n">];
  let params = [In<"x", Floats, ["n"], "">, Attr<"a", "float", "">, Out<"y", Floats, ["n"], "">];
  let checks = [ArgPointers, NullCheck<["x", "y"]>, ProductCheck, DtypeCheck<["x", "y"]>, DeclaredShape<["x", "y"]>];
}
def Scale : Simple<"Scale"> {
  let results = (outs (mul $x, $a):$y);
}
class Of<string name, Part part> : Composed<name> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"m">, Axis<"k">];
  let params = [In<"x", Floats, ["m"], "">, In<"z", Floats, ["m", "k"], "">, Out<"y", Floats, ["m"], "">];
  let checks = [ArgPointers, NullCheck<["x", "z", "y"]>, ProductCheck, DtypeCheck<["x", "z", "y"]>, DeclaredShape<["x", "z", "y"]>];
  let parts = [part];
  let results = (outs (value $scaled):$y);
}
// CHECK-DAG: error: in the part 'Scale': its dim 'n' is 'n' here, which is not declared; say what it is with As<"n", [...]>
def A1 : Of<"A1", Part<Scale, ["scaled"], (args 2:$a)>>;
// CHECK-DAG: error: in the part 'Scale': 'n' is one axis, not 2
def A2_ : Of<"A2_", Part<Scale, ["scaled"], (args 2:$a), [As<"n", ["m", "k"]>]>>;
// CHECK-DAG: error: in the part 'Scale': 'b' is not an input or attribute of it
def A3_ : Of<"A3_", Part<Scale, ["scaled"], (args 2:$b), [As<"n", ["m"]>]>>;
// CHECK-DAG: error: in the part 'Scale': nothing says what its attribute 'a' is; add it to args, or declare it here as it is declared there
def A4 : Of<"A4", Part<Scale, ["scaled"], (args), [As<"n", ["m"]>]>>;
// CHECK-DAG: error: in the part 'Scale': its input 'x' is [m] real here, the argument [m, k] real
def A5 : Of<"A5", Part<Scale, ["scaled"], (args 2:$a, (value $z):$x), [As<"n", ["m"]>]>>;
// CHECK-DAG: error: in the part 'Scale': it has 1 output(s), for which there are 2 name(s)
def A6 : Of<"A6", Part<Scale, ["scaled", "more"], (args 2:$a), [As<"n", ["m"]>]>>;
// CHECK-DAG: error: in the part 'Scale': its result is called 'x', which is taken
def A7 : Of<"A7", Part<Scale, ["x"], (args 2:$a), [As<"n", ["m"]>]>>;
