// out = 2 * self, for a library that gets it wrong on request.
include "Base.td"

def FaultyLossBackward : LossBackward<"FaultyLossBackward"> {
  let summary = "Twice self.";
  let products = [A2];
  let dims = [BroadcastPack<"b", ["self"]>];
  let params = [In<"self", OnlyFloat32, ["b"], "any value">, Attr<"fault", "int64_t", "which fault to show", "0">,
                InPlaceOut<"out", OnlyFloat32, ["b"], "twice self", "self">];
  let checks = [ArgPointers, NullCheck<["self", "out"]>, DtypeCheck<["self", "out"]>, SameShape<"self", ["out"]>,
                InPlaceCheck<"out", "self">];
  let results = (outs (mul $self, 2):$out);
}
