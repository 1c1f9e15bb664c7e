#!/usr/bin/env python3
"""Every operator's body against PyTorch, or against finite differences of the
forward where PyTorch has no such loss.

    agree.py --binaries build/bin --records ops_td [--only NAME]

Ends with "N passed, N failed"; exits with 1 if any failed, with 77 (skipped)
where PyTorch is not installed.
"""

import itertools
import sys
import warnings

import harness  # first: it says so where PyTorch is not installed
import torch
import torch.nn.functional as F
from harness import REDUCTIONS, differences, gradients, labels, real

warnings.filterwarnings("ignore", message=".*batchmean.*")

CASES = []
BY_DIFFERENCES = 1e-6  # tolerance where the reference is a difference quotient


def cases(operator):
    """Registers a generator of (label, inputs, attrs, {output: reference}, tolerance)."""
    def register(function):
        CASES.append((operator, function))
        return function
    return register


def upstream(generator, reduction, *shape):
    return real(generator, *shape) if reduction == "none" else real(generator)


def per_reduction(generator, shape):
    for number, reduction in enumerate(REDUCTIONS):
        yield number, reduction, upstream(generator, reduction, *shape)


@cases("SmoothL1LossBackward")
def smooth_l1(gen):
    for beta in (1.0, 0.25, 2.5):
        for number, reduction, g in per_reduction(gen, (5, 7)):
            x, y = real(gen, 5, 7), real(gen, 5, 7)
            want, = gradients(lambda x: F.smooth_l1_loss(x, y, reduction=reduction, beta=beta), [x], g)
            yield f"{reduction}, beta {beta}", dict(gradOut=g, self=x, target=y), dict(reduction=number, beta=beta), dict(gradInput=want)
    # target broadcast against self; beta 0 is the L1 loss
    x, y, g = real(gen, 4, 3), real(gen, 3), real(gen, 4, 3)
    want, = gradients(lambda x: F.l1_loss(x, y.expand(4, 3), reduction="none"), [x], g)
    yield "beta 0, broadcast", dict(gradOut=g, self=x, target=y), dict(reduction=0, beta=0.0), dict(gradInput=want)


@cases("MseLossBackward")
def mse(gen):
    for number, reduction, g in per_reduction(gen, (3, 4, 2)):
        x, y = real(gen, 3, 4, 2), real(gen, 3, 4, 2)
        want, = gradients(lambda x: F.mse_loss(x, y, reduction=reduction), [x], g)
        yield reduction, dict(gradOutput=g, self=x, target=y), dict(reduction=number), dict(out=want)


@cases("BinaryCrossEntropyWithLogitsBackward")
def bce_logits(gen):
    for number, reduction, g in per_reduction(gen, (6, 3)):
        for weighted in (False, True):
            for positive in (False, True):
                x, y = real(gen, 6, 3), real(gen, 6, 3, low=0, high=1)
                w = real(gen, 6, 3, low=0.1) if weighted else None
                p = real(gen, 3, low=0.1) if positive else None
                want, = gradients(lambda x: F.binary_cross_entropy_with_logits(x, y, w, reduction=reduction, pos_weight=p), [x], g)
                yield (f"{reduction}, weight {weighted}, posWeight {positive}",
                       dict(gradOutput=g, self=x, target=y, weightOptional=w, posWeightOptional=p), dict(reduction=number), dict(out=want))


@cases("L1LossBackward")
def l1(gen):
    for number, reduction, g in per_reduction(gen, (5, 7)):
        x, y = real(gen, 5, 7), real(gen, 5, 7)
        y[0, :3] = x[0, :3]  # equal: the sign is 0
        x[1, 1] = float("nan")
        want, = gradients(lambda x: F.l1_loss(x, y, reduction=reduction), [x], g)
        yield reduction, dict(gradOutput=g, self=x, target=y), dict(reduction=number), dict(gradInput=want)
    # mean divides by the broadcast count
    x, y, g = real(gen, 3), real(gen, 4, 3), real(gen)
    want, = gradients(lambda x: F.l1_loss(x, y), [x.expand(4, 3)], g)
    yield "mean, broadcast", dict(gradOutput=g, self=x, target=y), dict(reduction=1), dict(gradInput=want)


@cases("SoftMarginLossBackward")
def soft_margin(gen):
    for number, reduction, g in per_reduction(gen, (4, 6)):
        x, y = real(gen, 4, 6, low=-20, high=20), labels(gen, 2, 4, 6).double() * 2 - 1
        want, = gradients(lambda x: F.soft_margin_loss(x, y, reduction=reduction), [x], g)
        yield reduction, dict(gradOutput=g, self=x, target=y), dict(reduction=number), dict(out=want)
    # where exp(-self * target) is no float64, PyTorch's quotient is NaN; the limit is -target * gradOutput
    x, y, g = torch.tensor([-800.0, 800.0]).double(), torch.tensor([1.0, -1.0]).double(), real(gen, 2)
    yield "beyond exp", dict(gradOutput=g, self=x, target=y), dict(reduction=0), dict(out=-y * g)


@cases("BinaryCrossEntropyBackward")
def bce(gen):
    for number, reduction, g in per_reduction(gen, (6, 3)):
        for weighted in (False, True):
            x, y = real(gen, 6, 3, low=0, high=1), real(gen, 6, 3, low=0, high=1)
            x[0], y[0] = torch.tensor([0.0, 1.0, 0.0]), torch.tensor([0.0, 0.0, 1.0])  # the floor of the denominator decides
            w = real(gen, 3, low=0.1) if weighted else None
            want, = gradients(lambda x: F.binary_cross_entropy(x, y, w, reduction=reduction), [x], g)
            # PyTorch's floor is 1e-12 as a float32
            yield (f"{reduction}, weight {weighted}", dict(gradOutput=g, self=x, target=y, weightOptional=w), dict(reduction=number),
                   dict(out=want), 1e-8)


@cases("HuberLossBackward")
def huber(gen):
    for delta in (1.0, 0.25, 2.5):
        for number, reduction, g in per_reduction(gen, (5, 7)):
            x, y = real(gen, 5, 7), real(gen, 5, 7)
            want, = gradients(lambda x: F.huber_loss(x, y, reduction=reduction, delta=delta), [x], g)
            yield f"{reduction}, delta {delta}", dict(gradOut=g, self=x, target=y), dict(reduction=number, delta=delta), dict(gradInput=want)


@cases("PoissonNLLLossBackward")
def poisson_nll(gen):
    for log_input in (True, False):
        for full in (True, False):
            for number, reduction, g in per_reduction(gen, (4, 5)):
                x, y = real(gen, 4, 5, low=-3 if log_input else 0), real(gen, 4, 5, low=0, high=9)
                want, = gradients(lambda x: F.poisson_nll_loss(x, y, log_input=log_input, full=full, eps=2**-10, reduction=reduction), [x], g)
                yield (f"{reduction}, logInput {log_input}, full {full}", dict(gradOutput=g, self=x, target=y),
                       dict(logInput=log_input, eps=2**-10, reduction=number), dict(gradInput=want))


@cases("HingeLossGrad")
def hinge(gen):
    x, y, g = real(gen, 6, 7), labels(gen, 2, 6, 7).double() * 2 - 1, real(gen, 6, 7)
    want, = gradients(lambda x: (1 - y * x).clamp(min=0), [x], g)
    yield "labels", dict(predict=x, target=y, gradOutput=g), {}, dict(gradInput=want)


@cases("HingeEmbeddingLossBackward")
def hinge_embedding(gen):
    for number, reduction, g in per_reduction(gen, (8, 5)):
        x, y = real(gen, 8, 5), labels(gen, 3, 8, 5).double() - 1  # 0 is a label that counts as both
        x[2] = 0.75  # on the margin
        want, = gradients(lambda x: F.hinge_embedding_loss(x, y, margin=0.75, reduction=reduction), [x], g)
        yield reduction, dict(gradOutput=g, self=x, target=y), dict(margin=0.75, reduction=number), dict(gradInput=want)


@cases("MarginRankingLossBackward")
def margin_ranking(gen):
    for number, reduction, g in per_reduction(gen, (8, 5)):
        a, b, y = real(gen, 8, 5), real(gen, 8, 5), labels(gen, 2, 8, 5).double() * 2 - 1
        b[2], y[2] = a[2] - 0.5, 1  # on the margin, up to rounding of the difference
        a[2] = b[2] + 0.5
        want = gradients(lambda a, b: F.margin_ranking_loss(a, b, y, margin=0.5, reduction=reduction), [a, b], g)
        yield (reduction, dict(gradOutput=g, input1=a, input2=b, target=y), dict(margin=0.5, reduction=number),
               dict(gradInput1=want[0], gradInput2=want[1]))


@cases("LogitGrad")
def logit(gen):
    for eps in (-1.0, 0.0, 0.125):
        x, g = real(gen, 5, 9, low=-0.25, high=1.25), real(gen, 5, 9)
        x[0, :4] = torch.tensor([0.125, 0.875, 0.5, float("nan")])
        want, = gradients(lambda x: torch.logit(x, eps=None if eps < 0 else eps), [x], g)
        yield f"eps {eps}", dict(x=x, dy=g), dict(eps=eps), dict(out=want)


@cases("LogSigmoidBackward")
def log_sigmoid(gen):
    x, g = real(gen, 4, 9, low=-50, high=50), real(gen, 4, 9)
    want, = gradients(F.logsigmoid, [x], g)
    yield "values", dict(gradOutput=g, self=x, buffer=torch.zeros_like(x)), {}, dict(gradInput=want)


def preference(gen, loss):
    """Both gradients of a loss of how much more the policy prefers the chosen answer than the reference does."""
    for number, reduction, g in per_reduction(gen, (9,)):
        chosen, rejected, reference_chosen, reference_rejected = (real(gen, 9, low=-9, high=0) for _ in range(4))

        def forward(chosen, rejected):
            each = loss((chosen - rejected) - (reference_chosen - reference_rejected))
            return each if reduction == "none" else each.mean() if reduction == "mean" else each.sum()
        want = gradients(forward, [chosen, rejected], g)
        yield (reduction, dict(gradOutput=g, policyChosen=chosen, policyRejected=rejected, referenceChosen=reference_chosen,
                               referenceRejected=reference_rejected), number, dict(gradChosen=want[0], gradRejected=want[1]))


@cases("DpoLossBackward")
def dpo(gen):
    for beta, e in ((0.125, 0.0), (0.5, 0.25)):
        loss = lambda h: -(1 - e) * F.logsigmoid(beta * h) - e * F.logsigmoid(-beta * h)
        for label, inputs, number, want in preference(gen, loss):
            yield f"{label}, beta {beta}, smoothing {e}", inputs, dict(beta=beta, labelSmoothing=e, reduction=number), want


@cases("IpoLossBackward")
def ipo(gen):
    for label, inputs, number, want in preference(gen, lambda h: (h - 1 / (2 * 0.25)).square()):
        yield label, inputs, dict(beta=0.25, reduction=number), want


@cases("SigmoidFocalLossBackward")
def sigmoid_focal(gen):
    """The forward as it is usually written, torchvision's label convention and the detectors'."""
    for gamma, alpha, positive in ((2.0, 0.25, 1), (0.0, 0.5, 0), (1.5, 0.75, 0)):
        for number, reduction, g in per_reduction(gen, (6, 5)):
            for weighted in (False, True):
                x, y = real(gen, 6, 5, low=-6, high=6), labels(gen, 2, 6, 5)
                w = real(gen, 5, low=0.1) if weighted else None

                def forward(x):
                    is_positive = y == positive
                    p = torch.where(is_positive, torch.sigmoid(x), torch.sigmoid(-x))
                    share = torch.where(is_positive, alpha, 1 - alpha)
                    each = -share * (1 - p) ** gamma * p.log() * (w if weighted else 1)
                    return each if reduction == "none" else each.mean() if reduction == "mean" else each.sum()
                want, = gradients(forward, [x], g)
                yield (f"{reduction}, gamma {gamma}, positive {positive}, weight {weighted}",
                       dict(gradOutput=g, self=x, target=y.double(), weightOptional=w),
                       dict(gamma=gamma, alpha=alpha, positiveLabel=positive, reduction=number), dict(gradInput=want))


@cases("LogSoftmaxBackward")
def log_softmax(gen):
    for shape, dim in (((5, 9), -1), ((3, 4, 5), 1), ((3, 4, 5), 0), ((7,), 0), ((), 0), ((2, 3, 2, 4), -2)):
        x, g = real(gen, *shape), real(gen, *shape)
        want, = gradients(lambda x: F.log_softmax(x, dim), [x], g)
        y = F.log_softmax(x, dim)
        yield f"{shape}, dim {dim}", dict(gradOutput=g, output=y), dict(dim=dim), dict(out=want)


@cases("KlDivBackward")
def kl_div(gen):
    for log_target in (False, True):
        for number, reduction in enumerate(REDUCTIONS + ["batchmean"]):
            x, y = real(gen, 4, 6), real(gen, 4, 6, low=0.1, high=1)
            g = upstream(gen, reduction, 4, 6)
            want, = gradients(lambda x: F.kl_div(x, y, reduction=reduction, log_target=log_target), [x], g)
            yield (f"{reduction}, logTarget {log_target}", dict(gradOutput=g, self=x, target=y),
                   dict(reduction=number, logTarget=log_target), dict(out=want))
    # self broadcast: the gradient is summed back onto its shape
    x, y, g = real(gen, 6), real(gen, 4, 6, low=0.1, high=1), real(gen, 4, 6)
    want, = gradients(lambda x: y * (y.log() - x.expand(4, 6)), [x], g)
    yield "sum onto self", dict(gradOutput=g, self=x, target=y), dict(reduction=0, logTarget=False), dict(out=want)


@cases("KlDivTargetBackward")
def kl_div_target(gen):
    for log_target in (False, True):
        for number, reduction in enumerate(REDUCTIONS + ["batchmean"]):
            x, y = real(gen, 4, 6), real(gen, 4, 6, low=0.1, high=1)
            g = upstream(gen, reduction, 4, 6)
            want, = gradients(lambda y: F.kl_div(x, y, reduction=reduction, log_target=log_target), [y], g)
            yield (f"{reduction}, logTarget {log_target}", dict(gradOutput=g, self=x, target=y),
                   dict(reduction=number, logTarget=log_target), dict(gradTarget=want))
    # target broadcast: the gradient is summed back onto its shape
    x, y, g = real(gen, 4, 6), real(gen, 4, 1, low=0.1, high=1), real(gen, 4, 6)
    want, = gradients(lambda y: y * (y.log() - x), [y], g)
    yield "sum onto target", dict(gradOutput=g, self=x, target=y), dict(reduction=0, logTarget=False), dict(gradTarget=want)


def nll(gen, shape, positions):
    classes = shape[1] if len(shape) > 1 else shape[0]
    for ignore in (-100, 2):
        for number, reduction in enumerate(REDUCTIONS):
            t = labels(gen, classes, *positions, ignore=ignore)
            x, w, g = real(gen, *shape), real(gen, classes, low=0.1), upstream(gen, reduction, *positions)
            valid = t != ignore
            total = w[t[valid]].sum()
            want, = gradients(lambda x: F.nll_loss(x, t, w, ignore_index=ignore, reduction=reduction), [x], g)
            yield (f"{shape}, {reduction}, ignore {ignore}", dict(gradOutput=g, self=x, target=t, weight=w, totalWeight=total),
                   dict(reduction=number, ignoreIndex=ignore), dict(out=want), 1e-6)


@cases("NLLLossBackward")
def nll1d(gen):
    yield from nll(gen, (11, 5), (11,))


@cases("NLLLoss2dBackward")
def nll2d(gen):
    yield from nll(gen, (2, 5, 3, 4), (2, 3, 4))


@cases("CrossEntropyLossGrad")
def cross_entropy(gen):
    for ignore in (-100, 1):
        for smoothing in (0.0, 0.25):
            for weighted in (False, True):
                for reduction in REDUCTIONS:
                    t = labels(gen, 6, 9, ignore=ignore)
                    x, g = real(gen, 9, 6), upstream(gen, reduction, 9)
                    w = real(gen, 6, low=0.1) if weighted else None
                    want, = gradients(lambda x: F.cross_entropy(x, t, w, ignore_index=ignore, reduction=reduction,
                                                                label_smoothing=smoothing), [x], g)
                    yield (f"{reduction}, ignore {ignore}, smoothing {smoothing}, weight {weighted}",
                           dict(gradLoss=g, logProb=F.log_softmax(x, 1), target=t, weightOptional=w, gradZlossOptional=None,
                                lseForZlossOptional=None),
                           dict(reductionOptional=reduction, ignoreIndex=ignore, labelSmoothing=smoothing, lseSquareScaleForZloss=0.0),
                           dict(out=want))


@cases("CrossEntropyLossGrad")
def z_loss(gen):
    """No function of PyTorch has a z-loss; its autograd has, through logsumexp. It is part of the loss and an output of its own."""
    scale = 0.125
    for reduction, smoothing, weighted, own in itertools.product(REDUCTIONS, (0.0, 0.25), (False, True), (False, True)):
        t = labels(gen, 5, 6, ignore=-100)
        valid = (t != -100).double()
        x, g, gz = real(gen, 6, 5), upstream(gen, reduction, 6), upstream(gen, reduction, 6)
        w = real(gen, 5, low=0.1) if weighted else None
        def forward(x):
            z = scale * torch.logsumexp(x, 1).square() * valid
            ce = F.cross_entropy(x, t, w, reduction=reduction, label_smoothing=smoothing)
            z = z if reduction == "none" else z.sum() / (valid.sum() if reduction == "mean" else 1)
            return ce * g + z * (g + gz if own else g)
        want, = gradients(forward, [x], torch.ones_like(g))
        yield (f"z-loss, {reduction}, smoothing {smoothing}, weight {weighted}, upstream of its own {own}",
               dict(gradLoss=g, logProb=F.log_softmax(x, 1), target=t, weightOptional=w, gradZlossOptional=gz if own else None,
                    lseForZlossOptional=torch.logsumexp(x, 1)),
               dict(reductionOptional=reduction, ignoreIndex=-100, labelSmoothing=smoothing, lseSquareScaleForZloss=scale),
               dict(out=want))


@cases("GaussianNLLLossBackward")
def gaussian_nll(gen):
    for number, reduction, g in per_reduction(gen, (4, 5)):
        for full in (True, False):
            x, y = real(gen, 4, 5), real(gen, 4, 5)
            v = real(gen, 4, 5 if full else 1, low=0.2)

            def forward(x, v):
                # PyTorch clamps var without recording it; above eps that is the same.
                loss = 0.5 * (v.log() + (x - y).square() / v)
                return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()
            gx, gv = gradients(forward, [x, v], g)
            yield (f"{reduction}, var {'full' if full else 'broadcast'}", dict(gradOutput=g, self=x, target=y, var=v),
                   dict(eps=1e-6, reduction=number), dict(gradInput=gx, gradVar=gv))


@cases("MultiMarginLossBackward")
def multi_margin(gen):
    for p in (1, 2):
        for weighted in (False, True):
            for number, reduction, g in per_reduction(gen, (7,)):
                x, t = real(gen, 7, 4), labels(gen, 4, 7)
                w = real(gen, 4, low=0.1) if weighted else None
                want, = gradients(lambda x: F.multi_margin_loss(x, t, p=p, margin=0.75, weight=w, reduction=reduction), [x], g)
                yield (f"p {p}, {reduction}, weight {weighted}", dict(gradOutput=g, self=x, target=t, weightOptional=w),
                       dict(p=p, margin=0.75, reduction=number), dict(gradInput=want))


@cases("CosineEmbeddingLossBackward")
def cosine_embedding(gen):
    for number, reduction, g in per_reduction(gen, (8,)):
        a, b = real(gen, 8, 5), real(gen, 8, 5)
        y = labels(gen, 2, 8).double() * 2 - 1
        want = gradients(lambda a, b: F.cosine_embedding_loss(a, b, y, margin=0.1, reduction=reduction), [a, b], g)
        yield (reduction, dict(gradOutput=g, input1=a, input2=b, target=y), dict(margin=0.1, reduction=number),
               dict(gradInput1=want[0], gradInput2=want[1]))


@cases("PolyLossBackward")
def poly(gen):
    for number, reduction, g in per_reduction(gen, (6,)):
        x, t = real(gen, 6, 4), labels(gen, 4, 6, ignore=-100)
        valid = t != -100

        def forward(x):
            logp = F.log_softmax(x, 1).gather(1, t.clamp(min=0)[:, None])[:, 0]
            loss = torch.where(valid, -logp + 1.5 * (1 - logp.exp()), torch.zeros_like(logp))
            return loss if reduction == "none" else loss.sum() / (valid.sum() if reduction == "mean" else 1)
        want, = differences(forward, [x], g)
        yield (reduction, dict(gradOutput=g, self=x, target=t), dict(epsilon=1.5, reduction=number, ignoreIndex=-100),
               dict(out=want), BY_DIFFERENCES)


@cases("SoftmaxFocalLossBackward")
def softmax_focal(gen):
    for gamma in (0.5, 2.0):
        for number, reduction, g in per_reduction(gen, (3, 4)):
            x, w = real(gen, 3, 5, 4), real(gen, 3, 5, 4, low=0.1, high=2)
            t = F.one_hot(labels(gen, 5, 3, 4), 5).movedim(-1, 1).double()

            def forward(x):
                p = x.softmax(1)
                loss = (0.25 * (1 - p) ** gamma * t).sum(1) * (-p.log() * t * w).sum(1)
                return loss if reduction == "none" else loss.sum() / (x.numel() if reduction == "mean" else 1)
            want, = gradients(forward, [x], g)
            yield (f"{reduction}, gamma {gamma}", dict(gradOutput=g, pred=x.softmax(1), target=t, weightOptional=w),
                   dict(gamma=gamma, alpha=0.25, reduction=number), dict(gradInput=want))


@cases("DiceLossBackward")
def dice(gen):
    for squared in (False, True):
        for number, reduction, g in per_reduction(gen, (2, 3)):
            p, y = real(gen, 2, 3, 5, low=0.05, high=1), real(gen, 2, 3, 5, low=0, high=1)

            def forward(p):
                u = (p.square() + y.square() if squared else p + y).sum(2) + 0.5
                loss = 1 - (2 * (p * y).sum(2) + 0.5) / u
                return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()
            want, = differences(forward, [p], g)
            yield (f"{reduction}, squared {squared}", dict(gradOutput=g, self=p, target=y),
                   dict(smooth=0.5, squared=squared, reduction=number), dict(gradInput=want), BY_DIFFERENCES)


@cases("VocabParallelCrossEntropyBackward")
def vocab_parallel(gen):
    whole, t, g = real(gen, 5, 12), labels(gen, 12, 5), real(gen, 5)
    want, = differences(lambda x: F.cross_entropy(x, t, reduction="none"), [whole], g)
    top = whole.max(1).values
    total = (whole - top[:, None]).exp().sum(1)
    for start in (0, 4, 8):
        yield (f"shard {start}", dict(gradOutput=g, vocabParallelLogits=whole[:, start:start + 4].contiguous(), logitsMax=top,
                                      sumExpLogits=total, target=t),
               dict(vocabStart=start), dict(gradLogits=want[:, start:start + 4]), BY_DIFFERENCES)


def main():
    run = harness.Run(__doc__)
    for operator, function in CASES:
        if run.wants(operator):
            for case in function(torch.Generator().manual_seed(7)):
                run.check(operator, *case)
    return run.finish()


if __name__ == "__main__":
    sys.exit(main())
