// Gradient of the logit function; elementwise, equal shapes.
include "Base.td"

def Logit : Loss<"Logit"> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, Attr<"eps", "double", "">, Out<"y", Floats, ["s"], "">];
  dag clamps = (ge $eps, 0);
  dag xc = (clamp $x, (select $clamps, $eps, "-inf"), (select $clamps, (sub 1, $eps), "inf"));
  let results = (outs (sub (log $xc), (log (sub 1, $xc))):$y);
}

def LogitGrad : BackwardOf<Logit, "LogitGrad"> {
  let summary = "Gradient of the logit function, log(x / (1 - x)), with respect to x.";
  let description = [{
    dy / (x * (1 - x)) where x is in [eps, 1 - eps], elsewhere 0. With eps < 0 the interval is [0, 1], and the result is NaN elsewhere.
  }];
  let products = [A950, A3, A2];
  let dims = [Pack<"s">];
  let params = [
    In<"x", Floats, ["s"], "argument of the logit">,
    In<"dy", Floats, ["s"], "upstream gradient">,
    Attr<"eps", "double", "distance from 0 and 1 within which x was clamped; negative: not at all", "-1.0">,
    ConstOut<"out", Floats, ["s"], "gradient for x">];
  let checks = [
    ArgPointers, NullCheck<["x", "dy", "out"]>, ProductCheck, DtypeCheck<["x"]>, SameDtype<"x", ["dy", "out"]>,
    RankAtMost<8, ["x"]>, SameShape<"x", ["dy", "out"]>, DoneIf<(empty $x)>];
  let upstream = [Upstream<"y", (value $dy)>];
  let gradients = [Gradient<"x", "out">];
  dag clamps = (ge $eps, 0);
  dag low = (select $clamps, $eps, 0);
  dag high = (sub 1, $low);
  dag inside = (and (ge $x, $low), (le $x, $high));
  dag beyond = (select $clamps, 0, "nan");
  let results = (outs (select $inside, (div $dy, (mul $x, (sub 1, $x))), $beyond):$out);
}
