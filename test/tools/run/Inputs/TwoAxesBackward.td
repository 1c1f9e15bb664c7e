// Sums over two axes, each by itself, which no schedule carries.
include "Base.td"
def TwoAxesBackward : LossBackward<"TwoAxesBackward"> {
  let summary = "Each element times the sums of its row and its column.";
  let products = [A3, A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"self", Floats, ["n", "c"], "input">, Out<"out", Floats, ["n", "c"], "result">];
  let checks = [ArgPointers, NullCheck<["self", "out"]>, ProductCheck, DtypeCheck<["self", "out"]>, RankIs<2, ["self"]>, SameShape<"self", ["out"]>,
                DoneIf<(empty $self)>];
  let results = (outs (mul $self, (sum $self, $c), (sum $self, $n)):$out);
}
