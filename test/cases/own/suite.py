"""What own cases are made of: tensors and their views, and the cases of one
operator with their file."""
import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
FLOATS = ["float32", "float16", "bfloat16"]
INVALID, NULL = 161002, 161001


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
    """The cases of one operator. `output` is a name or a list of names; `ranges` holds what is not drawn from [-3, 3]; `difference` says that the
    result is the difference of larger terms, by which it is judged then."""

    def __init__(self, file, op, inputs, output, ranges=None, difference=False, **attrs):
        self.file, self.op, self.inputs, self.attrs, self.ranges = file, op, inputs, attrs, ranges or {}
        self.expect = {"largest_term_ulps": 32} if difference else {}
        self.outputs = output if isinstance(output, list) else [output]
        self.output = self.outputs[0]
        self.cases = []

    def add(self, name, tensors, out=None, status=0, kind="numeric", pointers=None, other_view=None, **attrs):
        """`other_view`: further outputs lie so; without it as the first."""
        plain = {k: out[k] for k in ("dtype", "shape") if k in out}
        outs = [out] + [{"name": n, **plain, **other_view} if other_view is not None else {**out, "name": n} for n in self.outputs[1:]]
        case = {"id": f"own/{self.file}/{name}", "op": self.op, "kind": kind, "level": "aclnn", "inputs": tensors,
                "attrs": {**self.attrs, **attrs}, "outputs": outs, "expect": {"status": status, **self.expect}, "source": "own"}
        if pointers:
            case["null_pointers"] = pointers
        self.cases.append(case)

    def shaped(self, name, shapes, dtypes=None, views=None, out_view=None, out_shape=None, contents=None, **rest):
        """One case by shapes; single ones hold for all inputs."""
        shapes = shapes if shapes and isinstance(shapes[0], (list, tuple)) else [shapes] * len(self.inputs)
        dtypes = [dtypes or "float32"] * (len(self.inputs) + 1) if not isinstance(dtypes, (list, tuple)) else dtypes
        tensors = []
        for i, (input_name, shape) in enumerate(zip(self.inputs, shapes)):
            keys = {"range": self.ranges.get(input_name, [-3, 3]), **(contents or {}).get(input_name, {})}
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
