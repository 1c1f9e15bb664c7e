// What the two NLL gradients share: one non-zero element per position.
include "Base.td"

/// `n` and `s` together are the positions, `c` the classes. The subclass says how
/// the axes lie and which checks its function makes.
class NLLForward<string functionName> : Loss<functionName> {
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag l = (select $valid, (neg (mul (gather $weight, $target, $c, 0), (gather $self, $target, $c, 0))), 0);
  dag total; // sum of the weights of all targets that count
  let results = (outs (reduced $l, $total):$loss);
}
class NLLGradient<Loss forward, string functionName> : BackwardOf<forward, functionName> {
  let description = [{
    -gradOutput * weight[c] where c is the target of the position, for mean divided by totalWeight as supplied; exact zero everywhere else, also where the
    target is ignoreIndex or no class. self is never read.
  }];
  let products = [A950, A3, A2, A910];
  let upstream = [Upstream<"loss", (value $gradOutput)>];
  let gradients = [Gradient<"self", "out">];
  let saved = [Saved<"total", "totalWeight">];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag g = (select (is $reduction, "mean"), (div $gradOutput, $totalWeight), $gradOutput);
  dag hit = (and $valid, (onehot $target, $c));
  let results = (outs (select $hit, (neg (mul $g, $weight)), 0):$out);
}
