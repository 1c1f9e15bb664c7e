#!/usr/bin/env python3
"""Writes our own cases, which the vendor's suites lack: tails, ranks, empty and
single elements, views of every kind, dtype mixes, special values, refused calls.

    test/cases/own/make.py          writes <operator>.jsonl beside this file
    test/cases/own/make.py --check  fails if they are not what it would write

The files are committed, so that a case keeps its data; expected statuses are
written down here by hand, from the specifications, not computed by our tools.
"""
import itertools
import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
FLOATS = ["float32", "float16", "bfloat16"]
INVALID, NULL = 161002, 161001

# Around blocks of 32 bytes, repeats of 256, and the tiles that fit UB.
TAILS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 513, 1021, 2047, 2049, 4093, 4097,
         8191, 8193, 12289, 16383, 16385, 65537, 163841, 300007]


def tensor(name, shape, dtype="float32", **keys):
    return {"name": name, "dtype": dtype, "shape": list(shape), **keys}


def broadcast(shapes):
    rank = max(map(len, shapes))
    padded = [[1] * (rank - len(s)) + list(s) for s in shapes]
    return [next((e for e in axis if e != 1), 1) for axis in zip(*padded)]


def transposed(shape):
    """A view whose last two axes lie the other way round in storage."""
    *outer, m, n = shape
    strides = [0] * len(shape)
    step = m * n
    for axis in reversed(range(len(outer))):
        strides[axis] = step
        step *= outer[axis]
    strides[-2:] = [1, m]
    return {"strides": strides, "storage_shape": outer + [n, m]}


def sliced(shape, before=1, after=2):
    """Rows of a wider storage."""
    *outer, n = shape
    width = n + before + after
    strides, step = [1] * len(shape), width
    for axis in reversed(range(len(outer))):
        strides[axis] = step
        step *= outer[axis]
    return {"strides": strides, "offset": before, "storage_shape": outer + [width]}


def stepped(shape, step=2):
    """Every step-th element of a storage."""
    *outer, n = shape
    strides, size = [step] * len(shape), n * step
    for axis in reversed(range(len(outer))):
        strides[axis] = size
        size *= outer[axis]
    return {"strides": strides, "storage_shape": outer + [n * step]}


def expanded(shape, axes):
    """Repeats along the axes without being there more than once."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape))):
        if axis not in axes:
            strides[axis] = step
            step *= shape[axis]
    return {"strides": strides, "storage_shape": [step]}


class Suite:
    def __init__(self, file, op, inputs, output, **attrs):
        self.file, self.op, self.inputs, self.output, self.attrs = file, op, inputs, output, attrs
        self.cases = []

    def add(self, name, tensors, out=None, status=0, kind="numeric", pointers=None, **attrs):
        case = {"id": f"own/{self.file}/{name}", "op": self.op, "kind": kind, "level": "aclnn", "inputs": tensors,
                "attrs": {**self.attrs, **attrs}, "outputs": [out], "expect": {"status": status}, "source": "own"}
        if pointers:
            case["null_pointers"] = pointers
        self.cases.append(case)

    def shaped(self, name, shapes, dtypes=None, views=None, out_view=None, out_shape=None, contents=None, **rest):
        """One case by shapes; single ones hold for all inputs."""
        shapes = shapes if shapes and isinstance(shapes[0], (list, tuple)) else [shapes] * len(self.inputs)
        dtypes = [dtypes or "float32"] * (len(self.inputs) + 1) if not isinstance(dtypes, (list, tuple)) else dtypes
        tensors = []
        for i, (input_name, shape) in enumerate(zip(self.inputs, shapes)):
            keys = {"range": [-3, 3], **(contents or {}).get(input_name, {})}
            if "values" in keys:
                del keys["range"]
            tensors.append(tensor(input_name, shape, dtypes[i], **keys, **((views or {}).get(input_name, {}))))
        shape = out_shape if out_shape is not None else broadcast(shapes)
        self.add(name, tensors, tensor(self.output, shape, dtypes[-1], **(out_view or {})), **rest)

    def refused(self, name, status=INVALID, **rest):
        self.shaped(name, rest.pop("shapes", [2, 3]), status=status, kind="validate", **rest)

    def write(self, check):
        text = "".join(json.dumps(case) + "\n" for case in self.cases)
        path = os.path.join(FOLDER, self.file + ".jsonl")
        if check:
            with open(path) as file:
                if file.read() != text:
                    sys.exit(f"{path} is not what make.py writes; run it")
        else:
            with open(path, "w") as file:
                file.write(text)


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


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for suite in (smooth_l1(), mse(), bce_with_logits()):
        suite.write(check=bool(sys.argv[1:]))
