"""Own cases of operators that sum onto the shape of an input that was
broadcast: along which axes only the call tells."""
import itertools

from suite import FLOATS, INVALID, Suite, broadcast, expanded, sliced, stepped, transposed

VIEWS = {"transposed": transposed, "sliced": sliced, "stepped": stepped}

# The shape of what is summed onto, and the one that it is broadcast to: rows, columns, both, none, axes in the middle, several at a time, all of
# them; tails; few results of many elements, which all cores share, and many results of few.
ONTO = [([1], [9]), ([], [65]), ([1], [20011]), ([1, 1], [3, 5]), ([3, 1], [3, 5]), ([1, 5], [3, 5]), ([5], [3, 5]), ([3, 5], [3, 5]),
        ([73, 1], [73, 1]), ([73, 1], [73, 2]), ([73, 1], [73, 17]), ([5, 1], [5, 513]), ([300, 1], [300, 65]), ([3, 1], [3, 16385]), ([2, 1], [2, 70001]),
        ([25, 1], [25, 40003]), ([1, 2], [70001, 2]), ([1, 50], [3001, 50]), ([50], [3001, 50]), ([1, 257], [1001, 257]), ([1, 4099], [7, 4099]), ([4099], [249, 4099]),
        ([2, 1, 17], [2, 248, 17]), ([2, 1, 17], [2, 249, 17]), ([3, 1, 5], [3, 1001, 5]), ([1, 7, 1], [5, 7, 33]), ([4, 1, 6], [4, 5, 6]),
        ([1, 3, 1, 5], [2, 3, 4, 5]), ([3, 1, 5, 1], [3, 4, 5, 6]), ([1, 3, 1, 5, 1], [2, 3, 4, 5, 6]), ([3, 1, 1], [4, 3, 5, 7]),
        ([2, 1, 2, 1, 2, 1, 2, 1], [2, 3, 2, 3, 2, 3, 2, 3]), ([1, 2, 1, 2, 1, 2, 1, 2], [3, 2, 3, 2, 3, 2, 3, 2]), ([2, 1, 1, 1, 1, 1, 1, 2], [2, 2, 1, 2, 3, 2, 1, 2])]


def text(shape):
    return "x".join(map(str, shape)) or "scalar"


class SumSuite(Suite):
    """`onto`: the input with the shape of what is summed; all others have the broadcast shape unless a case says otherwise."""

    def __init__(self, *rest, onto, **attrs):
        super().__init__(*rest, difference=True, reduction=0, **attrs)
        self.onto = onto

    def sums(self, name, small, whole, dtypes=None, shapes=None, **rest):
        shapes = {n: list(whole) for n in self.inputs} | {self.onto: list(small)} | (shapes or {})
        if len(self.outputs) > 1:  # the last of two has the shape of what is summed onto
            rest["other_view"] = {"shape": list(small), **rest.get("other_view", {})}
            out_shape = list(whole)
        else:
            out_shape = list(small)
        self.shaped(name, [shapes[n] for n in self.inputs], dtypes, out_shape=out_shape, **rest)


def onto(s, choices):
    """What every such operator has to stand; `choices` are attributes that choose other kernels."""
    gradient = s.inputs[0]
    others = [n for n in s.inputs if n != s.onto]
    for i, (small, whole) in enumerate(ONTO):
        for dtype in FLOATS:
            attrs = choices[(i + FLOATS.index(dtype)) % len(choices)]
            s.sums(f"onto/{dtype}/{text(small)}-{text(whole)}", small, whole, dtype, reduction=i % 3, **attrs)
        s.sums(f"onto/one-gradient/{text(small)}-{text(whole)}", small, whole, FLOATS[i % 3], {gradient: [1]}, reduction=1 + i % 2, **choices[i % len(choices)])
    # The gradient broadcast along axes that are summed, kept, or both.
    for i, (small, whole, gradients) in enumerate([([5, 1], [5, 70], ([5, 1], [1, 70], [70], [])), ([1, 70], [5, 70], ([5, 1], [1, 70], [])),
                                                   ([3, 1, 9], [3, 4, 9], ([3, 1, 1], [4, 1], [1, 1, 9], [3, 4, 1]))]):
        for g in gradients:
            s.sums(f"gradient/{text(small)}/{text(g)}", small, whole, FLOATS[i], {gradient: g}, **choices[i % len(choices)])
    shapes = ([5, 6, 1], [5, 1, 35], [1, 6, 35], [1, 6, 1], [1, 1, 1], [5, 6, 35])
    for (name, view), (i, small), dtype in itertools.product(VIEWS.items(), enumerate(shapes), FLOATS):
        whole = [5, 6, 35]
        attrs = choices[i % len(choices)]
        s.sums(f"view/{name}/{dtype}/{text(small)}", small, whole, dtype, views={n: view(whole) for n in others}, **attrs)
        s.sums(f"view/{name}-one/{dtype}/{text(small)}", small, whole, dtype, views={others[1]: view(whole)}, reduction=1, **attrs)
        if len(s.outputs) > 1:
            s.sums(f"view/{name}-out/{dtype}/{text(small)}", small, whole, dtype, out_view=view(whole), other_view=view(small), **attrs)
        else:
            s.sums(f"view/{name}-out/{dtype}/{text(small)}", small, whole, dtype, out_view=view(small), **attrs)
    for axes in ([0], [1], [2], [0, 2]):
        s.sums(f"view/expanded/{text(axes)}", [4, 1, 1], [4, 5, 67], FLOATS[len(axes)], views={others[1]: expanded([4, 5, 67], axes)})
    count = len(s.inputs) + 1
    for k, (a, b) in enumerate(itertools.permutations(FLOATS, 2)):
        for small in ([9, 1], [1, 130], [9, 130]):
            s.sums(f"mix/{a}-{b}/{text(small)}", small, [9, 130], [(a, b)[i % 2] for i in range(count)], **choices[k % len(choices)])
            s.sums(f"mix/{a}-{b}/out/{text(small)}", small, [9, 130], [a] * (count - 1) + [b], {gradient: [1]}, reduction=1)
    for name, values in {"nan": ["nan", 1, 0.5, 0.25], "inf": ["inf", 1, 0.5, 0.25], "both": ["inf", "-inf", 1, 2], "zero": [0, 0.5, 0.5, 1]}.items():
        for n, small in itertools.product(others, ([4, 1], [1, 4], [4, 4])):
            s.sums(f"special/{n}/{name}/{text(small)}", small, [4, 4], contents={n: {"values": values + [0.5, 0.25, 1, 0.75] * 3}})
    # Sums of no elements are zero.
    for i, (small, whole) in enumerate([([1, 3], [0, 3]), ([3, 1], [3, 0]), ([1], [0]), ([], [0]), ([2, 1, 300], [2, 0, 300]), ([70, 1, 1], [70, 0, 5]), ([1, 3], [2, 0, 3])]):
        if len(small) <= len(whole) and broadcast([small, whole]) == whole:
            s.sums(f"empty/{text(small)}-{text(whole)}", small, whole, FLOATS[i % 3], reduction=i % 3, **choices[i % len(choices)])
    s.sums("empty/all", [0, 3], [0, 3])
    s.sums("empty/onto", [0, 1], [0, 3], reduction=1)


def kl_div():
    s = SumSuite("kl_div_backward", "aclnnKlDivBackward", ["gradOutput", "self", "target"], "out", onto="self", logTarget=False)
    choices = ({"logTarget": False}, {"logTarget": True})
    onto(s, choices)
    # Both broadcast; what is divided by counts the elements, or the first axis, of the common shape.
    for r, log in itertools.product((0, 1, 2, 3, 6, -1), (False, True)):
        for small, target, whole in (([7, 1], [1, 9], [7, 9]), ([1, 9], [7, 1], [7, 9]), ([9], [7, 1], [7, 9]), ([2, 1, 4], [3, 1], [2, 3, 4])):
            s.sums(f"reduction/{r}/{log}/{text(small)}-{text(target)}", small, whole, FLOATS[r % 3], {"target": target}, reduction=r, logTarget=log)
            s.sums(f"reduction/{r}/{log}/{text(small)}-{text(target)}/one-gradient", small, whole, FLOATS[r % 3], {"target": target, "gradOutput": [1]},
                   reduction=r, logTarget=log)
    s.sums("scalar", [], [], reduction=3)
    s.sums("overflow", [2, 1], [2, 3], contents={"gradOutput": {"range": [1, 1]}, "target": {"values": [88, 89, 100, 1, 2, -1000]}}, logTarget=True)
    s.shaped("document", [2, 2], contents={n: {"values": [2, 3, 5, 8]} for n in s.inputs})
    s.refused("gradient/enlarges", shapes=[[2, 3, 4], [3, 4], [4]], out_shape=[3, 4])
    s.refused("target/no-broadcast", shapes=[[3, 4], [3, 4], [5]], out_shape=[3, 4])
    s.refused("out/shape", shapes=[[3, 4], [4], [3, 4]], out_shape=[3, 4])
    return s


def kl_div_target():
    s = SumSuite("kl_div_target_backward", "aclnnKlDivTargetBackward", ["gradOutput", "self", "target"], "gradTarget", {"target": [0.1, 2]}, onto="target",
                 logTarget=False)
    onto(s, ({"logTarget": False}, {"logTarget": True}))
    s.refused("out/shape", shapes=[[3, 4], [3, 4], [4]], out_shape=[3, 4])
    s.refused("rank/9", shapes=[1] * 9)
    return s


def gaussian_nll():
    s = SumSuite("gaussian_nll_loss_backward", "aclnnGaussianNLLLossBackward", ["gradOutput", "self", "target", "var"], ["gradInput", "gradVar"],
                 {"var": [0.2, 3]}, onto="var", eps=1e-6)
    onto(s, ({}, {"eps": 0.5}))
    s.refused("eps/0", INVALID, shapes=[2, 3], eps=0)
    return s


SUITES = (kl_div, kl_div_target, gaussian_nll)
