// Distillation: divergence of the student's distribution from the teacher's, per row. Both sums of exponentials are saved.
include "Base.td"

def KlFromLogits : Loss<"KlFromLogits"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"student", Floats, ["n", "c"], "logits">, In<"teacher", Floats, ["n", "c"], "logits">,
                Attr<"temperature", "float", "divides the logits", "1.0">, Out<"loss", Floats, ["n"], "divergence">,
                Out<"studentLse", OnlyFloat32, ["n"], "log of the sum of exponentials">, Out<"teacherLse", OnlyFloat32, ["n"], "the teacher's">];
  // Below, exponents have too few digits in float32.
  let checks = [AttrRange<"temperature", "0.5", "100">];
  dag s = (div $student, $temperature);
  dag t = (div $teacher, $temperature);
  dag lseS = (logsumexp $s, $c);
  dag lseT = (logsumexp $t, $c);
  dag logq = (sub $s, $lseS);
  dag logp = (sub $t, $lseT);
  let results = (outs (sum (mul (exp $logp), (sub $logp, $logq)), $c):$loss, (value $lseS):$studentLse, (value $lseT):$teacherLse);
}
def KlFromLogitsBackward : GradientOf<KlFromLogits, ["student"], [Saved<"lseS", "studentLse", 1>, Saved<"lseT", "teacherLse", 1>], ["student"]>;
