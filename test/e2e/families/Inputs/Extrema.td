// The gradient of the log of a sum of exponentials per row: its rows are folded for their largest element, too.
include "Base.td"
def LargestOfRows : Loss<"LargestOfRows"> {
  let products = [A950, A3, A2, A310P, A910];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "scores">, Out<"loss", OnlyFloat32, ["n"], "loss">];
  let results = (outs (logsumexp $x, $c):$loss);
}
