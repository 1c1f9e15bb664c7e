// sqrt((self - target)^2 + eps^2), the smooth L1 loss of image restoration.
include "Base.td"

def Charbonnier : ElementwiseLoss<"Charbonnier", ["self", "target"], [Attr<"eps", "float", "width of the quadratic part, > 0", "1e-3">]> {
  dag x = (sub $self, $target);
  let perElement = (sqrt (add (square $x), (mul $eps, $eps)));
}
