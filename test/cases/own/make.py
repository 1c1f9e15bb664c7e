#!/usr/bin/env python3
"""Writes our own cases, which the vendor's suites lack: tails, ranks, empty and
single elements, views of every kind, dtype mixes, special values, refused calls.

    test/cases/own/make.py          writes <operator>.jsonl beside this file
    test/cases/own/make.py --check  fails if they are not what it would write

The files are committed, so that a case keeps its data; expected statuses are
written down here by hand, from the specifications, not computed by our tools.
"""
import itertools
import sys

sys.dont_write_bytecode = True  # the folder holds what is committed, nothing else

import indices  # noqa: E402
import rows  # noqa: E402
import sums  # noqa: E402
from suite import FLOATS, NULL, Suite, expanded, sliced, stepped, tensor, transposed  # noqa: E402

# Around blocks of 32 bytes, repeats of 256, and the tiles that fit UB.
TAILS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 513, 1021, 2047, 2049, 4093, 4097,
         8191, 8193, 12289, 16383, 16385, 65537, 163841, 300007]


def common(s):
    """What every elementwise operator with broadcasting has to stand."""
    first, second, third = s.inputs[:3]
    for dtype in FLOATS:
        for n in TAILS:
            s.shaped(f"tail/{dtype}/{n}", [n], dtype, reduction=n % 3)
    for rank in range(9):
        shape = [(2, 3, 1, 2, 4, 1, 3, 5)[i] for i in range(rank)]
        s.shaped(f"rank/{rank}", shape, FLOATS[rank % 3], reduction=1)
    s.refused("rank/9", shapes=[1] * 9)

    for name, shape in {"first": [0, 4], "last": [4, 0], "only": [0], "all": [0, 0], "rank8": [1, 2, 1, 2, 0, 2, 1, 2]}.items():
        s.shaped(f"empty/{name}", shape, FLOATS[len(shape) % 3], reduction=1)

    views = {"transposed": transposed, "sliced": sliced, "stepped": stepped, "deep": lambda x: sliced(x, 17, 31)}
    for (name, view), dtype in itertools.product(views.items(), FLOATS):
        for shape in ([5, 33], [3, 4, 65], [2, 257]):
            text = "x".join(map(str, shape))
            s.shaped(f"view/{name}/{dtype}/{text}", shape, dtype, views={n: view(shape) for n in s.inputs[:3]}, reduction=1)
            s.shaped(f"view/{name}-one/{dtype}/{text}", shape, dtype, views={second: view(shape)}, reduction=2)
            s.shaped(f"view/{name}-out/{dtype}/{text}", shape, dtype, out_view=view(shape))
    s.shaped("view/all-different", [4, 6, 35], views={first: transposed([4, 6, 35]), second: sliced([4, 6, 35]), third: stepped([4, 6, 35])},
             out_view=sliced([4, 6, 35], 5, 3), reduction=1)
    for axes in ([0], [1], [0, 1], [2], [0, 2]):
        text = "".join(map(str, axes))
        s.shaped(f"view/expanded/{text}", [3, 5, 67], "float16", views={third: expanded([3, 5, 67], axes)})
        s.shaped(f"view/expanded-first/{text}", [3, 5, 67], views={first: expanded([3, 5, 67], axes)}, reduction=1)
    s.shaped("view/offset", [100], views={second: {"strides": [1], "offset": 13, "storage_shape": [120]}})
    s.shaped("view/one-element", [1, 1], views={second: {"strides": [7, 3], "offset": 2, "storage_shape": [11]}})
    # Layout tags say nothing about where elements are: strides do.
    for layout in ("NCHW", "HWCN", "NDHWC"):
        s.shaped(f"layout/{layout}", [2, 3, 4, 5], views={n: {"format": layout} for n in s.inputs}, out_view={"format": layout}, reduction=1)

    for r in (0, 1, 2):
        s.shaped(f"reduction/{r}", [6, 50], FLOATS[r], reduction=r)
        s.shaped(f"reduction/{r}/one-gradient", [[1], [6, 50], [6, 50]] + [[6, 50]] * (len(s.inputs) - 3), FLOATS[r], reduction=r)
    for r in (-1, 3, 2**40):
        s.refused(f"reduction/{r}", reduction=r)

    for name in s.inputs[:3]:
        # Products of weights and labels beyond float32 are no values of that operator.
        large = 1e18 if len(s.inputs) > 3 else 3e38
        for values in (["nan"] * 6, ["inf", "-inf", "nan", 0, 1, -1], [0] * 6, [1e-40, -1e-40, large, -large, 65504, 1e-8]):
            s.shaped(f"special/{name}/{'-'.join(map(str, values[:3]))}", [6], contents={name: {"values": values}})
    for name in s.inputs[:3]:
        tensors = [tensor(n, [2], range=[0, 1]) for n in s.inputs]
        tensors[s.inputs.index(name)] = {"name": name, "null": True}
        s.add(f"null/{name}", tensors, tensor(s.output, [2]), status=NULL, kind="validate")
    s.add("null/output", [tensor(n, [2], range=[0, 1]) for n in s.inputs], {"name": s.output, "null": True}, status=NULL, kind="validate")
    for pointer in ("workspaceSize", "executor"):
        s.refused(f"null/{pointer}", NULL, pointers=[pointer])
    s.refused("shape/output", out_shape=[3, 2])
    for dtype in ("int32", "float64", "bool"):
        s.refused(f"dtype/{dtype}", dtypes=[dtype] * (len(s.inputs) + 1))


def broadcasting(s):
    """Any of the three may be the one that is enlarged."""
    shapes = {"rows": ([5, 1], [5, 65], [1, 65]), "self": ([4, 2], [1, 2], [4, 2]), "gradient": ([3, 7, 33], [33], [7, 1]),
              "scalar": ([], [17, 3], []), "outer": ([2, 1, 4, 1], [1, 3, 1, 129], [2, 3, 4, 129]), "target": ([1], [1], [6, 200]),
              "alternating": ([2, 1, 3, 1, 2, 1, 3, 1], [1, 2, 1, 3, 1, 2, 1, 3], [2, 2, 3, 3, 2, 2, 3, 3]),
              "long": ([1, 5000], [7, 1], [7, 5000]), "column": ([700, 1], [700, 9], [1, 9])}
    for (name, (g, x, y)), dtype, r in itertools.product(shapes.items(), FLOATS, (0, 1)):
        s.shaped(f"broadcast/{name}/{dtype}/{r}", [g, x, y], dtype, reduction=r)
    s.shaped("broadcast/view", [[5, 33], [33], [5, 33]], views={s.inputs[0]: transposed([5, 33]), s.inputs[1]: stepped([33], 3)})
    s.shaped("empty/broadcast", [[0, 1], [1, 5], [0, 5]], reduction=1)
    s.shaped("empty/against-one", [[1], [0], [1]])
    for layout in ("NCHW", "HWCN", "NDHWC"):
        s.shaped(f"layout/{layout}-one", [2, 3, 4, 5], views={s.inputs[1]: {"format": layout, **transposed([2, 3, 4, 5])}},
                 out_view={"format": layout, **sliced([2, 3, 4, 5])})
    s.refused("broadcast/conflict", shapes=[[2], [3], [3]], out_shape=[3])
    s.refused("broadcast/target-conflict", shapes=[[1], [3], [4]], out_shape=[4])
    s.refused("broadcast/zero-against-two", shapes=[[1], [0], [2]], out_shape=[0])
    s.refused("broadcast/output-too-small", shapes=[[1], [3], [3]], out_shape=[1])


def smooth_l1():
    s = Suite("smooth_l1_loss_backward", "aclnnSmoothL1LossBackward", ["gradOut", "self", "target"], "gradInput", reduction=0, beta=1.0)
    common(s)
    broadcasting(s)
    for mix in itertools.product(FLOATS, repeat=4):
        s.shaped("mix/" + "-".join(mix), [3, 37], mix, reduction=1)
        if len(set(mix)) == 3:
            s.shaped("mix-broadcast/" + "-".join(mix), [[3, 1], [37], [3, 37]], mix, reduction=1)
    # Both sides of the switch point, and exactly on it.
    x = [-41, -2, -1, -0.5, -1e-3, -1e-7, 0, 1e-7, 1e-3, 0.5, 1, 2, 41, "nan", "inf", "-inf"]
    for beta in (0, 1e-45, 1e-38, 1e-7, 1e-6, 1e-3, 0.007, 0.5, 0.7, 1, 2.5, 41, 3e38, "inf"):
        for r in (0, 1):
            s.shaped(f"beta/{beta}/{r}", [16], contents={"self": {"values": x}, "target": {"range": [0, 0]}}, beta=beta, reduction=r)
            s.shaped(f"beta/{beta}/{r}/one-gradient", [[1], [16], [16]],
                     contents={"gradOut": {"values": [3]}, "self": {"values": x}, "target": {"range": [0, 0]}}, beta=beta, reduction=r)
    for beta in (0, 1, "inf"):
        s.shaped(f"beta/{beta}/infinite-gradient", [5], contents={"gradOut": {"values": ["inf", "-inf", "inf", "nan", 0]},
                                                               "self": {"values": [0, 0, 2, 1, "inf"]}, "target": {"range": [0, 0]}}, beta=beta)
    for beta in (-1, -1e-45, "nan", "-inf"):
        s.refused(f"beta/{beta}", beta=beta)
    for name in s.inputs:
        s.refused(f"dtype/{name}", dtypes=["int8" if n == name else "float32" for n in s.inputs] + ["float32"])
    return s


def mse():
    s = Suite("mse_loss_backward", "aclnnMseLossBackward", ["gradOutput", "self", "target"], "out", reduction=0)
    common(s)
    broadcasting(s)
    for dtype, out in itertools.product(FLOATS, repeat=2):
        s.shaped(f"mix/{dtype}-{out}", [3, 37], [dtype] * 3 + [out], reduction=1)
    s.refused("dtype/mixed", dtypes=["float32", "float16", "float32", "float32"])
    return s


def bce_with_logits():
    names = ["gradOutput", "self", "target", "weightOptional", "posWeightOptional"]
    s = Suite("binary_cross_entropy_with_logits_backward", "aclnnBinaryCrossEntropyWithLogitsBackward", names, "out", reduction=0)
    common(s)
    for present in itertools.product((False, True), repeat=2):
        for dtype, r in itertools.product(FLOATS, (0, 1)):
            tensors = [tensor(n, [5, 67], dtype, range=[0, 1] if n == "target" else [-4, 4]) for n in names[:3]]
            for name, there in zip(names[3:], present):
                tensors.append(tensor(name, [67], dtype, range=[0.1, 2]) if there else {"name": name, "null": True})
            text = "".join("01"[p] for p in present)
            s.add(f"weights/{text}/{dtype}/{r}", tensors, tensor("out", [5, 67], dtype), reduction=r)
    for value in (0, 20, 90, 120, 700):
        s.shaped(f"logits/{value}", [64], contents={"self": {"range": [-value, value]}, "target": {"range": [0, 1]}})
    for weight in ([], [1], [1, 33], [5, 1]):
        tensors = [tensor(n, [5, 33], range=[0, 1]) for n in names[:3]] + [tensor(n, weight, range=[0.5, 2]) for n in names[3:]]
        s.add(f"weights/shape/{'x'.join(map(str, weight))}", tensors, tensor("out", [5, 33]), reduction=1)
    return s


def l1():
    s = Suite("l1_loss_backward", "aclnnL1LossBackward", ["gradOutput", "self", "target"], "gradInput", reduction=0)
    common(s)
    broadcasting(s)
    for mix in itertools.product(FLOATS, repeat=4):
        s.shaped("mix/" + "-".join(mix), [3, 37], mix, reduction=1)
    # Equal, next to each other, and differences that are NaN or vanish in a narrower type.
    x = [1, 1, 1, 0, -0.0, "inf", "-inf", "inf", "nan", 1e-45, 3e38, -3e38]
    y = [1, 1.0000001, 0.9999999, -0.0, 0, "inf", "-inf", "-inf", 0, 0, -3e38, 3e38]
    for r in (0, 1):
        s.shaped(f"special/sign/{r}", [12], contents={"self": {"values": x}, "target": {"values": y}}, reduction=r)
    s.shaped("special/infinite-gradient", [4], contents={"gradOutput": {"values": ["inf", "-inf", "nan", "inf"]}, "self": {"values": [1, 1, 2, 2]},
                                                         "target": {"values": [0, 2, 0, 2]}})
    return s


def soft_margin():
    s = Suite("soft_margin_loss_backward", "aclnnSoftMarginLossBackward", ["gradOutput", "self", "target"], "out", reduction=0)
    common(s)
    broadcasting(s)
    for mix in itertools.product(FLOATS, repeat=4):
        s.shaped("mix/" + "-".join(mix), [3, 37], mix, reduction=1)
    # Where exp overflows or vanishes, on both sides.
    x = [-1000, -104, -103, -89, -88, -87, -20, -1, 0, 1, 20, 87, 88, 89, 103, 104, 1000, "inf", "-inf", "nan"]
    for y in (1, -1, 0, 0.5, 2.5):
        s.shaped(f"special/exp/{y}", [20], contents={"self": {"values": x}, "target": {"range": [y, y]}})
    return s


def bce():
    names = ["gradOutput", "self", "target", "weightOptional"]
    s = Suite("binary_cross_entropy_backward", "aclnnBinaryCrossEntropyBackward", names, "out",
              ranges={"self": [0.001, 0.999], "target": [0, 1]}, reduction=0)
    common(s)
    for present, dtype, r in itertools.product((False, True), FLOATS, (0, 1)):
        tensors = [tensor(n, [5, 67], dtype, range=[-4, 4] if n == "gradOutput" else [0, 1]) for n in names[:3]]
        tensors.append(tensor("weightOptional", [67], dtype, range=[0.1, 2]) if present else {"name": "weightOptional", "null": True})
        s.add(f"weights/{int(present)}/{dtype}/{r}", tensors, tensor("out", [5, 67], dtype), reduction=r)
    for shape in ([], [1], [1, 33], [5, 1]):
        tensors = [tensor("gradOutput", shape, range=[-4, 4]), tensor("self", [5, 33], range=[0, 1]), tensor("target", shape, range=[0, 1]),
                   tensor("weightOptional", shape, range=[0.5, 2])]
        s.add(f"broadcast/{'x'.join(map(str, shape))}", tensors, tensor("out", [5, 33]), reduction=1)
    # Probabilities of 0 and 1 and beyond: the floor of the denominator decides.
    x = [0, 0, 0, 1, 1, 1, 1e-13, 1e-7, 0.9999999, 1e-40, -0.5, 1.5, "nan", "inf", "-inf", 0.5]
    y = [0, 1, 0.5, 0, 1, 0.5, 0, 0, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, "nan"]
    for weighted in (False, True):
        tensors = [tensor("gradOutput", [], values=[-3]), tensor("self", [16], values=x), tensor("target", [16], values=y),
                   tensor("weightOptional", [16], range=[0.5, 2]) if weighted else {"name": "weightOptional", "null": True}]
        for r in (0, 1):
            s.add(f"special/floor/{int(weighted)}/{r}", tensors, tensor("out", [16]), reduction=r)
    for mix in itertools.product(FLOATS, repeat=3):
        s.shaped("mix/" + "-".join(mix), [3, 37], [mix[0], mix[1], mix[2], mix[0], mix[1]], reduction=1)
    s.refused("weights/too-large", shapes=[[2, 3], [2, 3], [2, 3], [2, 2, 3]], out_shape=[2, 3])
    return s


def brief(s, gradient, equal=False):
    """A smaller set for operators whose kernels differ from the others' only in the formula. `equal`: shapes and dtypes have to be equal."""
    reduced = (lambda r: {"reduction": r}) if "reduction" in s.attrs else (lambda r: {})
    first, last = s.inputs[0], s.inputs[-1]
    for dtype, n in itertools.product(FLOATS, (1, 7, 33, 513, 4097, 16385)):
        s.shaped(f"tail/{dtype}/{n}", [n], dtype, **reduced(n % 3))
    for shape in ([], [2, 3, 5], [2, 3, 1, 2, 4, 1, 3, 5]):
        s.shaped(f"rank/{len(shape)}", shape, "float16", **reduced(1))
    for shape in ([0], [4, 0]):
        s.shaped(f"empty/{len(shape)}", shape, **reduced(1))
    for (name, view), dtype in itertools.product({"transposed": transposed, "sliced": sliced, "stepped": stepped}.items(), FLOATS):
        s.shaped(f"view/{name}/{dtype}", [5, 33], dtype, views={n: view([5, 33]) for n in s.inputs}, **reduced(1))
        s.shaped(f"view/{name}-out/{dtype}", [5, 33], dtype, out_view=view([5, 33]))
    s.shaped("view/expanded", [3, 67], views={first: expanded([3, 67], [0]), last: expanded([3, 67], [1])})
    for name in s.inputs:
        s.shaped(f"special/{name}", [8], contents={name: {"values": ["inf", "-inf", "nan", 0, 1, -1, 1e-40, 65504]}})
    if equal:
        s.refused("shape/gradient", shapes=[[1] if n == gradient else [2, 3] for n in s.inputs], out_shape=[2, 3])
        s.refused("dtype/gradient", dtypes=["float16" if n == gradient else "float32" for n in s.inputs] + ["float32"])
        return
    at = s.inputs.index(gradient)
    for r, (dtype, shape) in itertools.product((0, 1, 2), zip(FLOATS, ([], [1, 50], [6, 1]))):
        s.shaped(f"reduction/{r}/{dtype}", [shape if n == gradient else [6, 50] for n in s.inputs], dtype, **reduced(r))
    for k in range(3):
        mix = [FLOATS[(i + k) % 3] for i in range(len(s.inputs) + 1)]
        s.shaped("mix/" + "-".join(mix), [3, 37], mix, **reduced(1))
    s.refused("broadcast/gradient", shapes=[[4, 2, 3] if i == at else [2, 3] for i in range(len(s.inputs))], out_shape=[2, 3])


def huber():
    s = Suite("huber_loss_backward", "aclnnHuberLossBackward", ["gradOut", "self", "target"], "gradInput", reduction=0, delta=1.0)
    brief(s, "gradOut")
    s.cases.pop()  # a larger gradient broadcasts here
    for delta in (1e-38, 0.5, 2, 3e38, "inf"):
        s.shaped(f"delta/{delta}", [10], contents={"self": {"values": [-41, -2, -0.5, -0.0, 0, 1e-7, 0.5, 2, 3e38, "inf"]},
                                                   "target": {"range": [0, 0]}}, delta=delta)
    return s


def poisson_nll():
    s = Suite("poisson_nll_loss_backward", "aclnnPoissonNLLLossBackward", ["gradOutput", "self", "target"], "gradInput",
              ranges={"target": [0, 9]}, logInput=True, eps=1e-8, reduction=0)
    brief(s, "gradOutput")
    for dtype, r in itertools.product(FLOATS, (0, 1)):
        s.shaped(f"rates/{dtype}/{r}", [5, 67], dtype, contents={"self": {"range": [0.01, 9]}}, logInput=False, eps=1e-3, reduction=r)
    s.shaped("rates/special", [6], contents={"self": {"values": [0, 1e-8, 1, 1e30, "inf", "nan"]}}, logInput=False)
    s.shaped("logarithms/special", [7], contents={"self": {"values": [-200, -90, 0, 80, 88, 90, 200]}})
    return s


def hinge():
    s = Suite("hinge_loss_grad", "aclnnHingeLossGrad", ["predict", "target", "gradOutput"], "gradInput")
    brief(s, "gradOutput", equal=True)
    s.shaped("margin", [8], contents={"predict": {"values": [1, -1, 0.9999999, 1.0000001, 2, -2, 0, 0.5]}, "target": {"values": [1, -1, 1, 1, 1, 1, 1, 2]}})
    return s


def hinge_embedding():
    s = Suite("hinge_embedding_loss_backward", "aclnnHingeEmbeddingLossBackward", ["gradOutput", "self", "target"], "gradInput",
              ranges={"target": [-1, -1]}, margin=1.0, reduction=0)
    brief(s, "gradOutput")
    for y in (1, -1, 0):
        s.shaped(f"margin/{y}", [6], contents={"self": {"values": [-1, 0, 0.5, 0.75, 1, "nan"]}, "target": {"range": [y, y]}}, margin=0.75)
    return s


def margin_ranking():
    s = Suite("margin_ranking_loss_backward", "aclnnMarginRankingLossBackward", ["gradOutput", "input1", "input2", "target"],
              ["gradInput1", "gradInput2"], ranges={"target": [1, 1]}, margin=0.5, reduction=0)
    brief(s, "gradOutput")
    # The outputs need not lie alike.
    views = {"dense": {}, "transposed": transposed([5, 33]), "sliced": sliced([5, 33]), "stepped": stepped([5, 33])}
    for (a, one), (b, two) in itertools.permutations(views.items(), 2):
        s.shaped(f"view/outputs/{a}-{b}", [5, 33], FLOATS[len(a + b) % 3], out_view=one, other_view=two, reduction=1)
    for y in (1, -1, 0):
        s.shaped(f"margin/{y}", [5], contents={"input1": {"values": [0, 0.5, 1, -0.5, "inf"]}, "input2": {"values": [0, 0, 0, 0, "inf"]},
                                               "target": {"range": [y, y]}})
    return s


def logit():
    s = Suite("logit_grad", "aclnnLogitGrad", ["x", "dy"], "out", ranges={"x": [-0.25, 1.25]}, eps=0.0625)
    brief(s, "dy", equal=True)
    x = [-0.1, -0.0, 0, 1e-40, 1e-7, 0.125, 0.124, 0.5, 0.875, 0.876, 0.9999999, 1, 1.0000001, "inf", "-inf", "nan"]
    for eps in (-1, -1e-9, 0, 1e-7, 0.125, 0.5, 0.75, "nan"):
        s.shaped(f"eps/{eps}", [16], contents={"x": {"values": x}}, eps=eps)
        s.shaped(f"eps/{eps}/float16", [2, 65], "float16", eps=eps)
    return s


def log_sigmoid():
    s = Suite("log_sigmoid_backward", "aclnnLogSigmoidBackward", ["gradOutput", "self", "buffer"], "gradInput")
    brief(s, "gradOutput", equal=True)
    s.shaped("exp", [12], contents={"self": {"values": [-1000, -104, -89, -88, -20, 0, 20, 88, 89, 104, 1000, "inf"]}})
    # What the forward keeps for itself may have any shape and dtype.
    s.shaped("buffer/empty", [[5, 7], [5, 7], [0]], out_shape=[5, 7])
    s.shaped("buffer/int32", [[5, 7], [5, 7], [3, 2]], ["float16", "float16", "int32", "float16"], out_shape=[5, 7])
    s.shaped("buffer/other", [[5, 7], [5, 7], [3]], ["float16", "float16", "float32", "float16"], out_shape=[5, 7])
    return s


PREFERENCES = ["gradOutput", "policyChosen", "policyRejected", "referenceChosen", "referenceRejected"]


def dpo():
    s = Suite("dpo_loss_backward", "aclnnDpoLossBackward", PREFERENCES, ["gradChosen", "gradRejected"],
              ranges={n: [-30, 0] for n in PREFERENCES[1:]}, difference=True, beta=0.1, labelSmoothing=0.0, reduction=0)
    brief(s, "gradOutput")
    for beta, smoothing in ((0.5, 0.25), (10, 0.1), (100, 1), (0.01, 0)):
        s.shaped(f"beta/{beta}", [3, 100], beta=beta, labelSmoothing=smoothing, reduction=1)
    return s


def ipo():
    s = Suite("ipo_loss_backward", "aclnnIpoLossBackward", PREFERENCES, ["gradChosen", "gradRejected"],
              ranges={n: [-30, 0] for n in PREFERENCES[1:]}, difference=True, beta=0.1, reduction=0)
    brief(s, "gradOutput")
    for beta in (0.001, 0.5, 1e38):
        s.shaped(f"beta/{beta}", [3, 100], beta=beta, reduction=1)
    return s


def sigmoid_focal():
    names = ["gradOutput", "self", "target", "weightOptional"]
    s = Suite("sigmoid_focal_loss_backward", "aclnnSigmoidFocalLossBackward", names, "gradInput", ranges={"target": [1, 1], "weightOptional": [0.1, 2]},
              gamma=2.0, alpha=0.25, positiveLabel=1, reduction=0)
    brief(s, "gradOutput")
    x = [-1000, -104, -89, -20, -5, -1, -0.5, 0, 0.5, 1, 5, 10, 20, 89, 104, 1000]
    for gamma, label, y in itertools.product((0, 0.5, 2, 5), (0, 1), (0, 1)):
        tensors = [tensor("gradOutput", [1], values=[3]), tensor("self", [16], values=x), tensor("target", [16], range=[y, y]),
                   {"name": "weightOptional", "null": True}]
        s.add(f"gamma/{gamma}/{label}/{y}", tensors, tensor("gradInput", [16]), gamma=gamma, positiveLabel=label, reduction=1)
    # Tiny factors under a large gradient: every part is exact relative to itself.
    for gamma in (0.5, 1, 2):
        tensors = [tensor("gradOutput", [], values=[1e8]), tensor("self", [64], range=[-2, 12]), tensor("target", [64], range=[1, 1]),
                   {"name": "weightOptional", "null": True}]
        s.add(f"precise/{gamma}", tensors, tensor("gradInput", [64]), gamma=gamma)
    return s


SUITES = (smooth_l1, mse, bce_with_logits, l1, soft_margin, bce, huber, poisson_nll, hinge, hinge_embedding, margin_ranking, logit, log_sigmoid,
          dpo, ipo, sigmoid_focal, *rows.SUITES, *sums.SUITES, *indices.SUITES)

if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for suite in SUITES:
        suite().write(check=bool(sys.argv[1:]))
