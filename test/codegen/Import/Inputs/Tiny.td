// A small operator for the tests of messages: each test spoils one thing.
include "Base.td"

/// Checks that imply what is declared of these tensors.
class Sound<list<string> tensors> {
  list<Check> checks = [ArgPointers, NullCheck<tensors>, ProductCheck, DtypeCheck<tensors>, DeclaredShape<tensors>];
}

class Tiny<string name> : LossBackward<name> {
  let summary = "A small operator.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"x", Floats, ["n", "c"], "data">,
    In<"target", ClassIndices, ["n"], "classes">,
    Attr<"beta", "double", "a number">,
    ReductionAttr<["none", "mean", "sum"]>,
    Out<"y", Floats, ["n", "c"], "result">];
}
