// log(cosh(self - target)): quadratic near 0, linear far away, smooth everywhere.
include "Base.td"

def LogCosh : ElementwiseLoss<"LogCosh", ["self", "target"]> {
  dag x = (sub $self, $target);
  let perElement = (sub (add $x, (softplus (mul -2, $x))), "0.6931471805599453");
}
