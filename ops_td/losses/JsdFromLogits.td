// Generalised Jensen-Shannon divergence between student and teacher, per row; beta weighs the teacher. The mixture is formed
// from log-probabilities, so that neither side may underflow alone.
include "Base.td"

def JsdFromLogits : Loss<"JsdFromLogits"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"student", Floats, ["n", "c"], "logits">, In<"teacher", Floats, ["n", "c"], "logits">,
                Attr<"beta", "float", "weight of the teacher, in (0, 1)", "0.5">, Out<"loss", Floats, ["n"], "divergence">,
                Out<"studentLse", OnlyFloat32, ["n"], "log of the sum of exponentials">, Out<"teacherLse", OnlyFloat32, ["n"], "the teacher's">];
  dag lseS = (logsumexp $student, $c);
  dag lseT = (logsumexp $teacher, $c);
  dag logq = (sub $student, $lseS);
  dag logp = (sub $teacher, $lseT);
  dag m = (log (add (mul $beta, (exp $logp)), (mul (sub 1, $beta), (exp $logq))));
  let results = (outs (sum (add (mul $beta, (exp $logp), (sub $logp, $m)), (mul (sub 1, $beta), (exp $logq), (sub $logq, $m))), $c):$loss,
                      (value $lseS):$studentLse, (value $lseT):$teacherLse);
}
def JsdFromLogitsBackward : GradientOf<JsdFromLogits, ["student"], [Saved<"lseS", "studentLse", 1>, Saved<"lseT", "teacherLse", 1>], ["student"]>;
