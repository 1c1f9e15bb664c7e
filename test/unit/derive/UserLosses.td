// Losses that users ask for, from their forwards only. UserLossesTest.cpp checks
// every gradient against differences of its forward.
include "Base.td"

class Elementwise<string name, list<string> inputs, list<Parameter> attributes = []> : Loss<name> {
  let dims = [BroadcastPack<"b", inputs>];
  let params = !foreach(i, inputs, !cast<Parameter>(In<i, Floats, ["b"], "">)) # attributes # [
    ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "", (is $reduction, "none")>];
  dag l;
  let results = (outs (reduced $l, (numel $b)):$loss);
}

def LogCosh : Elementwise<"LogCosh", ["self", "target"]> {
  dag x = (sub $self, $target);
  let l = (sub (add $x, (softplus (mul -2, $x))), "0.6931471805599453");
}
def LogCoshBackward : GradientOf<LogCosh, ["self", "target"]>;

def Pinball : Elementwise<"Pinball", ["self", "target"], [Attr<"quantile", "float", "", "0.3">]> {
  dag x = (sub $target, $self);
  let l = (select (ge $x, 0), (mul $quantile, $x), (mul (sub $quantile, 1), $x));
}
def PinballBackward : GradientOf<Pinball>;

def Charbonnier : Elementwise<"Charbonnier", ["self", "target"], [Attr<"eps", "float", "", "0.1">]> {
  let l = (sqrt (add (square (sub $self, $target)), (mul $eps, $eps)));
}
def CharbonnierBackward : GradientOf<Charbonnier>;

def Kto : Elementwise<"Kto", ["policy", "reference", "label"], [Attr<"beta", "float", "", "0.2">, Attr<"kl", "float", "", "0.4">]> {
  dag z = (mul $beta, (sub (sub $policy, $reference), $kl));
  let l = (sub 1, (select (gt $label, 0), (sigmoid $z), (sigmoid (neg $z))));
}
def KtoBackward : GradientOf<Kto>;

def SimPo : Elementwise<"SimPo", ["chosen", "rejected"], [Attr<"beta", "float", "", "2.0">, Attr<"gamma", "float", "", "0.5">]> {
  let l = (neg (log_sigmoid (sub (mul $beta, (sub $chosen, $rejected)), $gamma)));
}
def SimPoBackward : GradientOf<SimPo, ["chosen", "rejected"]>;

// Log-probabilities are negative; elsewhere the loss is not defined.
def OrPo : Loss<"OrPo"> {
  let dims = [Pack<"s">];
  let params = [In<"chosen", Floats, ["s"], "">, In<"rejected", Floats, ["s"], "">, Out<"loss", Floats, ["s"], "">];
  dag odds = (sub (sub $chosen, $rejected), (sub (log (neg (expm1 $chosen))), (log (neg (expm1 $rejected)))));
  let results = (outs (neg (log_sigmoid $odds)):$loss);
}
def OrPoBackward : GradientOf<OrPo, ["chosen", "rejected"]>;

def Tversky : Loss<"Tversky"> {
  let dims = [Axis<"n">, Pack<"s">];
  let params = [In<"self", Floats, ["n", "s"], "">, In<"target", Floats, ["n", "s"], "">, Attr<"alpha", "float", "", "0.3">, Attr<"beta", "float", "", "0.7">,
                Out<"loss", Floats, ["n"], "">];
  dag p = (sigmoid $self);
  dag hits = (sum (mul $p, $target), $s);
  dag misses = (add (mul $alpha, (sum (mul $p, (sub 1, $target)), $s)), (mul $beta, (sum (mul (sub 1, $p), $target), $s)));
  let results = (outs (sub 1, (div (add $hits, 40), (add $hits, $misses, 40))):$loss);
}
def TverskyBackward : GradientOf<Tversky>;

class FromLogits<string name, list<Parameter> more = []> : Loss<name> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"logits", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">] # more # [Out<"loss", Floats, ["n"], "">];
}

def SelectedLogProb : FromLogits<"SelectedLogProb", [Attr<"temperature", "float", "", "0.7">]> {
  dag z = (div $logits, $temperature);
  let results = (outs (gather (sub $z, (logsumexp $z, $c)), $target, $c, 0):$loss);
}
def SelectedLogProbBackward : GradientOf<SelectedLogProb>;

def LogProbAndEntropy : FromLogits<"LogProbAndEntropy", [Out<"entropy", Floats, ["n"], "">]> {
  dag logp = (sub $logits, (logsumexp $logits, $c));
  let results = (outs (gather $logp, $target, $c, 0):$loss, (neg (sum (mul (exp $logp), $logp), $c)):$entropy);
}
def LogProbAndEntropyBackward : GradientOf<LogProbAndEntropy>;

def SoftcapCrossEntropy : FromLogits<"SoftcapCrossEntropy", [Attr<"cap", "float", "", "2.5">]> {
  dag z = (mul $cap, (tanh (div $logits, $cap)));
  dag valid = (and (ge $target, 0), (lt $target, (extent $c)));
  let results = (outs (select $valid, (sub (logsumexp $z, $c), (gather $z, $target, $c, 0)), 0):$loss);
}
def SoftcapCrossEntropyBackward : GradientOf<SoftcapCrossEntropy>;

defvar rows = [In<"old", Floats, ["n"], "">, In<"reference", Floats, ["n"], "">, In<"advantage", Floats, ["n"], "">];
def Grpo : FromLogits<"Grpo", rows # [Attr<"epsilon", "float", "", "0.2">, Attr<"beta", "float", "", "0.04">]> {
  dag logp = (sub (gather $logits, $target, $c, 0), (logsumexp $logits, $c));
  dag ratio = (exp (sub $logp, $old));
  dag d = (sub $reference, $logp);
  dag clipped = (clamp $ratio, (sub 1, $epsilon), (add 1, $epsilon));
  let results = (outs (add (neg (min (mul $ratio, $advantage), (mul $clipped, $advantage))), (mul $beta, (sub (sub (exp $d), $d), 1))):$loss);
}
def GrpoBackward : GradientOf<Grpo>;

def KlFromLogits : Loss<"KlFromLogits"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"student", Floats, ["n", "c"], "">, In<"teacher", Floats, ["n", "c"], "">, Attr<"temperature", "float", "", "2.0">, Out<"loss", Floats, ["n"], "">];
  dag s = (div $student, $temperature);
  dag t = (div $teacher, $temperature);
  dag logq = (sub $s, (logsumexp $s, $c));
  dag logp = (sub $t, (logsumexp $t, $c));
  let results = (outs (sum (mul (exp $logp), (sub $logp, $logq)), $c):$loss);
}
def KlFromLogitsBackward : GradientOf<KlFromLogits, ["student", "teacher"]>;

def JsdFromLogits : Loss<"JsdFromLogits"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"student", Floats, ["n", "c"], "">, In<"teacher", Floats, ["n", "c"], "">, Attr<"beta", "float", "", "0.4">, Out<"loss", Floats, ["n"], "">];
  dag logq = (sub $student, (logsumexp $student, $c));
  dag logp = (sub $teacher, (logsumexp $teacher, $c));
  dag m = (log (add (mul $beta, (exp $logp)), (mul (sub 1, $beta), (exp $logq))));
  let results = (outs (sum (add (mul $beta, (exp $logp), (sub $logp, $m)), (mul (sub 1, $beta), (exp $logq), (sub $logq, $m))), $c):$loss);
}
def JsdFromLogitsBackward : GradientOf<JsdFromLogits>;
