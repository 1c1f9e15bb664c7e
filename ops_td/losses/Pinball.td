// Quantile regression: under- and overestimates cost differently.
include "Base.td"

def Pinball : ElementwiseLoss<"Pinball", ["self", "target"], [Attr<"quantile", "float", "in (0, 1)", "0.5">]> {
  dag x = (sub $target, $self);
  let perElement = (select (ge $x, 0), (mul $quantile, $x), (mul (sub $quantile, 1), $x));
}
