// What the scalar unit of 910 reads and writes one by one.
include "Base.td"

// Rows are folded for their largest element by it, also in calls that leave out what is folded.
def LargestOrOneBackward : LossBackward<"LargestOrOneBackward"> {
  let summary = "The largest element of each row, or 1, times the gradient.";
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"gradOut", OnlyFloat32, ["n", "c"], "gradient">, In<"self", OnlyFloat32, ["n", "c"], "input">,
    ReductionAttr<["none", "mean", "sum"]>, Attr<"one", "float", "instead", "1.0">, Attr<"by", "double", "factor", "0.25">,
    Out<"out", OnlyFloat32, ["n", "c"], "result">];
  let checks = [
    ArgPointers, NullCheck<["gradOut", "self", "out"]>, ProductCheck, DtypeCheck<["gradOut", "self", "out"]>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>, SameShape<"self", ["gradOut", "out"]>, DoneIf<(empty $self)>];
  dag largest = (reduce_max $self, $c);
  dag isNone = (is $reduction, "none");
  let results = (outs (mul (select $isNone, (to_real (to_int $one)), (select $isNone, (neg $largest), (mul $largest, $by))), $gradOut):$out);
}

// Elements are looked up into the place of their indices, which it read where they are no whole block.
def LookedUpBackward : LossBackward<"LookedUpBackward"> {
  let summary = "The element of each row at its class, added to the row but at the class.";
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [
    In<"self", OnlyFloat32, ["n", "c"], "input">, In<"perRow", OnlyFloat32, ["n"], "factor">, In<"target", ClassIndices, ["n"], "classes">,
    Out<"out", OnlyFloat32, ["n", "c"], "result">];
  let checks = [
    ArgPointers, NullCheck<["self", "perRow", "target", "out"]>, ProductCheck, DtypeCheck<["self", "perRow", "target", "out"]>,
    DeclaredShape<["self", "perRow", "target", "out"]>, AxesEqual<"perRow", [0], "self", [0]>,
    AxesEqual<"target", [0], "self", [0]>, DoneIf<(empty $self)>];
  let results = (outs (add (select (onehot $target, $c), (mul 9, $perRow), (gather (mul "0.1", $self), $target, $c, 0)), $self):$out);
}
