#!/usr/bin/env python3
"""Cases of the losses over rows of logits at the lengths of vocabularies, odd
ones too: few rows each, so that a row lies in UB, is read twice, or is shared by
cores; the gradient in a tensor of its own and over the logits.

    vocabularies.py > vocabularies.jsonl
"""

import itertools
import json

LENGTHS = [32000, 128256, 151936, 152064, 248320, 262144, 50257, 32001]
ROWS = 2


def tensor(name, dtype, shape, low=-2.0, high=2.0, **more):
    return dict(name=name, dtype=dtype, shape=shape, range=[low, high], **more)


def of_rows(*names):
    return [tensor(name, "float32", [ROWS]) for name in names]


def logits(name, dtype, length):
    return tensor(name, dtype, [ROWS, length], -6, 6)


def classes(name, length, ignore=False):
    if ignore:
        return dict(name=name, dtype="int64", shape=[ROWS], values=[-100, length - 1])
    return tensor(name, "int64", [ROWS], 0, length - 1)


def lse(name):
    """Of about the size that rows of such logits have, so that their probabilities are of all sizes."""
    return tensor(name, "float32", [ROWS], 12, 16)


def losses(dtype, length):
    """(label, inputs, attributes, the input that the gradient may overwrite)"""
    x, sums = logits("logits", dtype, length), lse("lse")
    token = classes("token", length)
    yield "SelectedLogProb", of_rows("gradOutput") + [x, token, sums], dict(temperature=0.75), "logits"
    yield "LogProbAndEntropy", of_rows("gradLogProb", "gradEntropy") + [x, token, sums], {}, "logits"
    yield "Grpo", of_rows("gradOutput") + [x, token] + of_rows("old", "advantage", "reference") + [sums], {}, "logits"
    yield "Cispo", of_rows("gradOutput") + [x, token] + of_rows("old", "advantage") + [sums], {}, "logits"
    for label, attrs, weighted, ignore in (
            ("mean", dict(reduction=1), False, True),
            ("weight-smoothing", dict(reduction=0, labelSmoothing=0.125), True, False),
            ("z-others", dict(reduction=2, labelSmoothing=0.125, smoothOthers=True, zScale=0.25), False, True),
            ("softcap", dict(reduction=1, softcap=4.0), False, False)):
        upstream = tensor("gradOutput", "float32", [ROWS] if attrs["reduction"] == 0 else [])
        weight = [tensor("weightOptional", "float32", [length], 0.5, 1.5)] if weighted else [dict(name="weightOptional", null=True)]
        yield (f"LogitsCrossEntropy/{label}", [upstream, x, classes("target", length, ignore)] + weight +
               [sums, tensor("totalWeight", "float32", [], 1, 4)], attrs, "logits")
    yield "SoftmaxCrossEntropy", [tensor("gradOutput", "float32", []), x, classes("target", length, True)], dict(reduction=1), "logits"
    yield "LabelSmoothedNll", [tensor("gradOutput", "float32", []), tensor("logProb", dtype, [ROWS, length], -16, 0), classes("target", length, True),
                               tensor("weightOptional", "float32", [length], 0.5, 1.5)], dict(reduction=1, labelSmoothing=0.125), "logProb"
    student, teacher = logits("student", dtype, length), logits("teacher", dtype, length)
    both = [student, teacher, lse("studentLse"), lse("teacherLse")]
    yield "KlFromLogits", of_rows("gradOutput") + both, dict(temperature=2.0), "student"
    yield "JsdFromLogits", of_rows("gradOutput") + both, dict(beta=0.25), "student"


def main():
    for number, length in enumerate(LENGTHS):
        for dtype, in_place in itertools.product(("float32", "bfloat16"), (False, True)):
            for order, (label, inputs, attrs, over) in enumerate(losses(dtype, length)):
                # Every loss at every length and, over the lengths, in both ways for both dtypes.
                if in_place != ((number + order + (dtype == "float32")) % 2 == 0):
                    continue
                output = dict(name="grad" + over[0].upper() + over[1:], dtype=dtype, shape=[ROWS, length], **({"over": over} if in_place else {}))
                case = dict(id=f"{label}/{length}/{dtype}" + ("/in-place" if in_place else ""), op=f"aclnn{label.split('/')[0]}Backward",
                            inputs=inputs, attrs=attrs, outputs=[output])
                print(json.dumps(case))


if __name__ == "__main__":
    main()
