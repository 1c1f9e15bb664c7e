// What the two NLL gradients share: one non-zero element per position.
include "Base.td"

/// `n` and `s` together are the positions, `c` the classes. The subclass says how
/// the axes lie and which checks its function makes.
class NLLGradient<string functionName> : LossBackward<functionName> {
  let description = [{
    -gradOutput * weight[c] where c is the target of the position, for mean divided by totalWeight as supplied; exact zero everywhere else, also where the
    target is ignoreIndex or no class. self is never read.
  }];
  let products = [A950, A3, A2, A910];
  dag valid = (and (ne $target, $ignoreIndex), (ge $target, 0), (lt $target, (extent $c)));
  dag g = (select (is $reduction, "mean"), (div $gradOutput, $totalWeight), $gradOutput);
  dag hit = (and $valid, (onehot $target, $c));
  let results = (outs (select $hit, (neg (mul $g, $weight)), 0):$out);
}
