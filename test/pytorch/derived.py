#!/usr/bin/env python3
"""Derived gradients against PyTorch's autograd, in float64: the losses of
ops_td/losses, of which only the forward is written, and every rule of
ops_td/base/Derivatives.td, also at kinks and at both ends.

    derived.py --binaries build/bin --records ops_td [--only NAME]

Ends with "N passed, N failed"; exits with 1 if any failed, with 77 (skipped)
where PyTorch is not installed.
"""

import os
import re
import sys

import harness  # first: it says so where PyTorch is not installed
import torch
import torch.nn.functional as F
from harness import REDUCTIONS, gradients, labels, real

LOSSES = []
INF, NAN = float("inf"), float("nan")


def loss(name):
    """Registers a generator of (label, inputs, attrs, {output: reference}) for the backward of a forward."""
    def register(function):
        LOSSES.append((name, function))
        return function
    return register


def reduce(values, reduction):
    return {"none": values, "mean": values.mean(), "sum": values.sum()}[reduction]


def elementwise(gen, names, forward, attrs, wanted, ranges=None):
    """Attributes are numbers that float32 has. All reductions, with tensors that broadcast and without; gradients in the broadcast shape."""
    for number, reduction in enumerate(REDUCTIONS):
        for shapes in ([(4, 5)] * len(names), [(4, 5)] + [(5,)] * (len(names) - 1)):
            low, high = ranges or (-3.0, 3.0)
            inputs = {n: real(gen, *s, low=low, high=high) for n, s in zip(names, shapes)}
            g = real(gen, 4, 5) if reduction == "none" else real(gen)
            whole = [inputs[n].expand(4, 5) for n in names]
            def value(*moved):
                all_ = dict(zip(names, whole))
                all_.update(zip(wanted, moved))
                return reduce(forward(*[all_[n] for n in names]), reduction)
            want = gradients(value, [inputs[n].expand(4, 5).contiguous() for n in wanted], g)
            outputs = {"grad" + n[0].upper() + n[1:]: w for n, w in zip(wanted, want)}
            yield f"{reduction}, {shapes[-1]}", dict(gradOutput=g, **inputs), dict(reduction=number, **attrs), outputs


@loss("LogCosh")
def log_cosh(gen):
    yield from elementwise(gen, ["self", "target"], lambda x, y: torch.log(torch.cosh(x - y)), {}, ["self"])


@loss("Pinball")
def pinball(gen):
    for q in (0.5, 0.125):
        yield from elementwise(gen, ["self", "target"], lambda x, y: torch.maximum(q * (y - x), (q - 1) * (y - x)), dict(quantile=q), ["self"])


@loss("Charbonnier")
def charbonnier(gen):
    for eps in (0.125, 2.0):
        yield from elementwise(gen, ["self", "target"], lambda x, y: torch.sqrt((x - y) ** 2 + eps * eps), dict(eps=eps), ["self"])


@loss("Kto")
def kto(gen):
    def forward(policy, reference, divergence, label):
        z = 0.25 * (policy - reference - divergence)
        return torch.where(label > 0, 1 - torch.sigmoid(z), 1 - torch.sigmoid(-z))
    yield from elementwise(gen, ["policy", "reference", "divergence", "label"], forward, dict(beta=0.25), ["policy"])


@loss("SimPo")
def simpo(gen):
    yield from elementwise(gen, ["chosen", "rejected"], lambda c, r: -F.logsigmoid(2.0 * (c - r) - 0.5), dict(beta=2.0, gamma=0.5), ["chosen", "rejected"])


@loss("Orpo")
def orpo(gen):
    def forward(chosen, rejected):
        odds = (chosen - rejected) - (torch.log1p(-torch.exp(chosen)) - torch.log1p(-torch.exp(rejected)))
        return -0.125 * F.logsigmoid(odds)
    yield from elementwise(gen, ["chosen", "rejected"], forward, dict(beta=0.125), ["chosen", "rejected"], (-4.0, -0.05))


@loss("Tversky")
def tversky(gen):
    for shape in ((3, 7), (2, 4, 5)):
        x, y, g = real(gen, *shape), real(gen, *shape, low=0, high=1), real(gen, shape[0])
        def forward(x):
            p, dims = torch.sigmoid(x), tuple(range(1, len(shape)))
            tp, fp, fn = (p * y).sum(dims), (p * (1 - y)).sum(dims), ((1 - p) * y).sum(dims)
            return 1 - (tp + 1.0) / (tp + 0.25 * fp + 0.75 * fn + 1.0)
        want, = gradients(forward, [x], g)
        yield str(shape), dict(gradOutput=g, self=x, target=y), dict(alpha=0.25, beta=0.75, smooth=1.0), dict(gradSelf=want)


@loss("KlFromLogits")
def kl(gen):
    for t in (1.0, 2.0):
        s, teacher, g = real(gen, 4, 9), real(gen, 4, 9), real(gen, 4)
        forward = lambda s: F.kl_div(F.log_softmax(s / t, -1), F.log_softmax(teacher / t, -1), reduction="none", log_target=True).sum(-1)
        want, = gradients(forward, [s], g)
        yield f"temperature {t}", dict(gradOutput=g, student=s, teacher=teacher, studentLse=torch.logsumexp(s / t, -1),
                                       teacherLse=torch.logsumexp(teacher / t, -1)), dict(temperature=t), dict(gradStudent=want)


@loss("JsdFromLogits")
def jsd(gen):
    for beta in (0.5, 0.25):
        s, teacher, g = real(gen, 4, 9), real(gen, 4, 9), real(gen, 4)
        def forward(s):
            q, p = F.log_softmax(s, -1), F.log_softmax(teacher, -1)
            m = torch.log(beta * p.exp() + (1 - beta) * q.exp())
            return (beta * p.exp() * (p - m) + (1 - beta) * q.exp() * (q - m)).sum(-1)
        want, = gradients(forward, [s], g)
        yield f"beta {beta}", dict(gradOutput=g, student=s, teacher=teacher, studentLse=torch.logsumexp(s, -1),
                                   teacherLse=torch.logsumexp(teacher, -1)), dict(beta=beta), dict(gradStudent=want)


@loss("SelectedLogProb")
def selected(gen):
    for t in (1.0, 0.625):
        x, token, g = real(gen, 5, 11), labels(gen, 11, 5), real(gen, 5)
        want, = gradients(lambda x: F.log_softmax(x / t, -1).gather(1, token[:, None])[:, 0], [x], g)
        yield f"temperature {t}", dict(gradOutput=g, logits=x, token=token, lse=torch.logsumexp(x / t, -1)), dict(temperature=t), dict(gradLogits=want)


@loss("LogProbAndEntropy")
def entropy(gen):
    x, token, g, h = real(gen, 5, 11), labels(gen, 11, 5), real(gen, 5), real(gen, 5)
    def forward(x):
        logp = F.log_softmax(x, -1)
        return g * logp.gather(1, token[:, None])[:, 0] - h * (logp.exp() * logp).sum(-1)
    want, = gradients(forward, [x], torch.ones(5, dtype=torch.float64))
    yield "both", dict(gradLogProb=g, gradEntropy=h, logits=x, token=token, lse=torch.logsumexp(x, -1)), {}, dict(gradLogits=want)


@loss("LogitsCrossEntropy")
def cross_entropy(gen):
    for number, reduction in enumerate(REDUCTIONS):
        for weighted in (False, True):
            for smoothing, others in ((0.0, False), (0.125, False), (0.125, True)):
                for z_scale, cap in ((0.0, 0.0), (2**-10, 0.0), (2**-10, 2.5)):
                    c = 7
                    x, target = real(gen, 6, c), labels(gen, c, 6, ignore=-100)
                    w = real(gen, c, low=0.1) if weighted else None
                    g = real(gen, 6) if reduction == "none" else real(gen)
                    valid = target != -100
                    weight = w if weighted else torch.ones(c, dtype=torch.float64)
                    cap_logits = lambda x: cap * torch.tanh(x / cap) if cap > 0 else x
                    total = weight[target.clamp(min=0)][valid].sum()
                    def forward(x):
                        z = cap_logits(x)
                        if others:
                            # q is (1 - s) at the label and s / (C - 1) elsewhere, by hand.
                            q = torch.full((6, c), smoothing / (c - 1), dtype=torch.float64)
                            q.scatter_(1, target.clamp(min=0)[:, None], 1 - smoothing)
                            rows = -(q * weight * F.log_softmax(z, -1)).sum(-1) * valid
                        else:
                            rows = F.cross_entropy(z, target, w, reduction="none", label_smoothing=smoothing)
                        rows = rows + valid * z_scale * torch.logsumexp(z, -1) ** 2
                        return {"none": rows, "sum": rows.sum(), "mean": rows.sum() / total}[reduction]
                    want, = gradients(forward, [x], g)
                    yield (f"{reduction}, weight {weighted}, smoothing {smoothing} {others}, z {z_scale}, cap {cap}",
                           dict(gradOutput=g, logits=x, target=target, weightOptional=w, lse=torch.logsumexp(cap_logits(x), -1), totalWeight=total),
                           dict(reduction=number, ignoreIndex=-100, labelSmoothing=smoothing, smoothOthers=others, zScale=z_scale, softcap=cap),
                           dict(gradLogits=want))


@loss("SoftmaxCrossEntropy")
def softmax_cross_entropy(gen):
    for number, reduction in enumerate(REDUCTIONS):
        x, target = real(gen, 6, 7), labels(gen, 7, 6, ignore=-100)
        g = real(gen, 6) if reduction == "none" else real(gen)
        want, = gradients(lambda x: F.cross_entropy(x, target, reduction=reduction), [x], g)
        yield reduction, dict(gradOutput=g, logits=x, target=target), dict(reduction=number, ignoreIndex=-100), dict(gradLogits=want)


@loss("LabelSmoothedNll")
def label_smoothed_nll(gen):
    for number, reduction in enumerate(REDUCTIONS):
        for weighted in (False, True):
            for smoothing in (0.0, 0.125, 1.0):
                x, target = real(gen, 6, 7, low=-6, high=0), labels(gen, 7, 6, ignore=-100)
                w = real(gen, 7, low=0.1) if weighted else None
                g = real(gen, 6) if reduction == "none" else real(gen)
                weight = w if weighted else torch.ones(7, dtype=torch.float64)
                # Of log-probabilities that nothing normalises; cross_entropy would.
                def forward(x):
                    one = F.nll_loss(x, target, w, reduction="none")
                    rows = (1 - smoothing) * one + smoothing / 7 * -(x * weight).sum(-1) * (target != -100)
                    total = weight[target.clamp(min=0)][target != -100].sum()
                    return {"none": rows, "sum": rows.sum(), "mean": rows.sum() / total}[reduction]
                want, = gradients(forward, [x], g)
                yield (f"{reduction}, weight {weighted}, smoothing {smoothing}", dict(gradOutput=g, logProb=x, target=target, weightOptional=w),
                       dict(reduction=number, ignoreIndex=-100, labelSmoothing=smoothing), dict(gradLogProb=want))


def policy(gen):
    x, token = real(gen, 8, 11), labels(gen, 11, 8)
    now = F.log_softmax(x, -1).gather(1, token[:, None])[:, 0]
    # Ratios within and beyond both clips, advantages of both signs.
    old = now + torch.tensor([0.0, 0.05, -0.05, 0.5, -0.5, 2.0, -2.0, 0.1], dtype=torch.float64)
    advantage = torch.tensor([1, -1, 0.5, 1, -1, -2, 2, 0.7], dtype=torch.float64)
    logp = lambda x: F.log_softmax(x, -1).gather(1, token[:, None])[:, 0]
    return x, token, old, advantage, logp


@loss("Grpo")
def grpo(gen):
    for beta in (0.0, 0.0625):
        x, token, old, advantage, logp = policy(gen)
        reference, g = real(gen, 8, low=-4, high=0), real(gen, 8)
        def forward(x):
            p = logp(x)
            ratio = torch.exp(p - old)
            d = reference - p
            return -torch.min(ratio * advantage, ratio.clamp(0.75, 1.5) * advantage) + beta * (torch.exp(d) - d - 1)
        want, = gradients(forward, [x], g)
        yield f"beta {beta}", dict(gradOutput=g, logits=x, token=token, old=old, advantage=advantage, reference=reference,
                                   lse=torch.logsumexp(x, -1)), dict(epsilonLow=0.25, epsilonHigh=0.5, beta=beta), dict(gradLogits=want)


@loss("Cispo")
def cispo(gen):
    x, token, old, advantage, logp = policy(gen)
    g = real(gen, 8)
    forward = lambda x: -torch.exp(logp(x) - old).clamp(0.75, 1.5).detach() * advantage * logp(x)
    want, = gradients(forward, [x], g)
    yield "clipped", dict(gradOutput=g, logits=x, token=token, old=old, advantage=advantage,
                          lse=torch.logsumexp(x, -1)), dict(epsilonLow=0.25, epsilonHigh=0.5), dict(gradLogits=want)


COMPOSED = []


def composed(name):
    def register(function):
        COMPOSED.append((name, function))
        return function
    return register


@composed("CrossEntropy2dBackward")
def cross_entropy_2d(gen):
    for number, reduction in enumerate(REDUCTIONS):
        x, target = real(gen, 2, 5, 3, 4), labels(gen, 5, 2, 3, 4, ignore=-100)
        w = real(gen, 5, low=0.1, high=2)
        g = real(gen, 2, 3, 4) if reduction == "none" else real(gen)
        want, = gradients(lambda x: F.cross_entropy(x, target, w, reduction=reduction), [x], g)
        total = w[target.clamp(min=0)][target != -100].sum()
        yield (reduction, dict(gradOutput=g, logProb=F.log_softmax(x, 1), target=target, weight=w, totalWeight=total),
               dict(reduction=number, ignoreIndex=-100), dict(out=want))


# The rules: what each operator is in PyTorch, and where it is asked: the points are those at which the conventions show,
# and both ends. `logsumexp` works on the pack as a row.
REAL = [-INF, -1e4, -50.0, -20.0, -1.0, -0.3, -1e-8, 0.0, 1e-8, 0.3, 1.0, 2.0, 20.0, 50.0, 1e4, INF, NAN]
SOME = [-1e4, -20.0, -1.0, -0.3, 0.0, 0.3, 1.0, 2.0, 20.0, 1e4]
NEAR = [-2.0, -1.0, -0.3, 0.0, 0.3, 1.0, 2.0, NAN]
POSITIVE = [1e-8, 0.3, 1.0, 2.0, 1e4]
RULES = {
    "add": ("(add $x, $y)", lambda x, y: x + y, REAL),
    "sub": ("(sub $x, $y)", lambda x, y: x - y, REAL),
    "mul": ("(mul $x, $y)", lambda x, y: x * y, SOME),
    "div": ("(div $x, $y)", lambda x, y: x / y, [v for v in SOME if v]),
    "neg": ("(neg $x)", lambda x, y: -x, REAL),
    "exp": ("(exp $x)", lambda x, y: torch.exp(x), REAL),
    "log": ("(log $x)", lambda x, y: torch.log(x), [0.0, *POSITIVE, INF, NAN]),
    "sqrt": ("(sqrt $x)", lambda x, y: torch.sqrt(x), [0.0, *POSITIVE, INF, NAN]),
    "pow": ("(pow $x, $y)", lambda x, y: torch.pow(x, y), [0.0, 0.3, 1.0, 2.0, 20.0]),
    "abs": ("(abs $x)", lambda x, y: torch.abs(x), [v for v in REAL if v == v]),
    "sign": ("(sign $x)", lambda x, y: torch.sign(x), REAL),
    "min": ("(min $x, $y)", lambda x, y: torch.minimum(x, y), [v for v in REAL if v == v]),
    "max": ("(max $x, $y)", lambda x, y: torch.maximum(x, y), [v for v in REAL if v == v]),
    "clamp": ("(clamp $x, -1, 1)", lambda x, y: torch.clamp(x, -1, 1), REAL),
    "relu": ("(relu $x)", lambda x, y: torch.relu(x), [v for v in REAL if v == v]),
    "clamp_min": ("(clamp_min $x, $y)", lambda x, y: torch.clamp(x, min=y), [v for v in REAL if v == v]),
    "clamp_max": ("(clamp_max $x, $y)", lambda x, y: torch.clamp(x, max=y), [v for v in REAL if v == v]),
    "stop": ("(add (stop $x), $y)", lambda x, y: x.detach() + y, REAL),
    "pass": ("(pass $x, $y)", lambda x, y: (x - y).detach() + y, NEAR),
    "sigmoid": ("(sigmoid $x)", lambda x, y: torch.sigmoid(x), REAL),
    "softplus": ("(softplus $x)", lambda x, y: F.softplus(x, threshold=1e9), [v for v in REAL if v < 600 or v != v]),
    "log_sigmoid": ("(log_sigmoid $x)", lambda x, y: F.logsigmoid(x), REAL),
    "log1p": ("(log1p $x)", lambda x, y: torch.log1p(x), [-0.3, -1e-8, 0.0, *POSITIVE, INF, NAN]),
    "expm1": ("(expm1 $x)", lambda x, y: torch.expm1(x), [v for v in REAL if v != -INF]),
    "tanh": ("(tanh $x)", lambda x, y: torch.tanh(x), [v for v in REAL if abs(v) < 15 or v != v]),
    "erf": ("(erf $x)", lambda x, y: torch.erf(x), REAL),
    "logsumexp": ("(add (logsumexp $x, $s), (mul 0, $y))", lambda x, y: torch.logsumexp(x, 0) + 0 * y, SOME),
    "select": ("(select (gt $x, $y), (mul $x, $y), (add $x, (mul 2, $y)))", lambda x, y: torch.where(x > y, x * y, x + 2 * y), SOME),
    "sum": ("(add (sum $x, $s), $y)", lambda x, y: x.sum() + y, SOME),
    "reduce_max": ("(add (reduce_max $x, $s), $y)", lambda x, y: torch.amax(x, 0) + y, SOME + [1e4, -1e4, 1e4]),
    "reduce_min": ("(add (reduce_min $x, $s), $y)", lambda x, y: torch.amin(x, 0) + y, SOME + [1e4, -1e4, -1e4]),
}
# Points are a row together.
ROWS = {"logsumexp", "sum", "reduce_max", "reduce_min"}
# Built-in rules that only losses can ask for: an index, an attribute, or nothing to differentiate.
IN_LOSSES = {"gather", "finish", "to_real"}


def rule_record(name, formula):
    return f"""
def {name.title().replace('_', '')}F : Loss<"{name.title().replace('_', '')}F"> {{
  let dims = [Axis<"s">];
  let params = [In<"x", Floats, ["s"], "">, In<"y", Floats, ["s"], "">, Out<"z", Floats, ["s"], "">];
  let results = (outs {formula}:$z);
}}
def {name.title().replace('_', '')}FBackward : GradientOf<{name.title().replace('_', '')}F, ["x", "y"]>;
"""


def rule_cases(name):
    _, forward, points = RULES[name]
    pairs = [(p, 1.0) for p in points] if name in ROWS else [(p, q) for p in points for q in points]
    x, y = (torch.tensor(list(v), dtype=torch.float64) for v in zip(*pairs))
    g = torch.linspace(0.5, 1.5, len(pairs), dtype=torch.float64)
    leaves = [x.clone().requires_grad_(True), y.clone().requires_grad_(True)]
    want = torch.autograd.grad(forward(*leaves), leaves, g, allow_unused=True)
    want = [torch.zeros_like(x) if w is None else w for w in want]
    return dict(gradOutput=g, x=x, y=y), dict(gradX=want[0], gradY=want[1])


def check_folder(run, name, suffix, registered):
    """The operators of a folder of records, each of which must be registered."""
    folder = os.path.join(run.options.records, name)
    for each in sorted({file[:-3] for file in os.listdir(folder)} - {each for each, _ in registered}):
        run.fail(each, "nothing here says what it is in PyTorch")
    for each, function in registered:
        if run.wants(each):
            run.interpreter.files[each + suffix] = os.path.join(folder, each + ".td")
            for case in function(torch.Generator().manual_seed(11)):
                run.check(each + suffix, *case)


def check_rules(run):
    with open(os.path.join(run.options.records, "base", "Derivatives.td")) as file:
        rules = set(re.findall(r"^def : (?:Derivative|Redirect|BuiltInRule)<(\w+)", file.read(), re.M))
    for name in sorted(rules - set(RULES) - IN_LOSSES):
        run.fail(name, "nothing here says what it is in PyTorch")
    text = os.path.join(run.interpreter.folder, "rules.td")
    with open(text, "w") as file:
        file.write('include "Base.td"\n' + "".join(rule_record(n, RULES[n][0]) for n in RULES))
    for name in filter(run.wants, RULES):
        operator = name.title().replace("_", "") + "FBackward"
        run.interpreter.files[operator] = text
        inputs, wanted = rule_cases(name)
        run.check(operator, "rule", inputs, {}, wanted)


def main():
    run = harness.Run(__doc__)
    check_folder(run, "losses", "Backward", LOSSES)
    check_folder(run, "composed", "", COMPOSED)
    check_rules(run)
    return run.finish()


if __name__ == "__main__":
    sys.exit(main())
