"""Runs an operator's body in the float64 interpreter and compares the result;
what the programs beside it have in common, their options and counts included.

Everything is float64, on both sides: the body is compared as mathematics. What
dtypes a call may have is the contract's business. Nothing here knows an operator.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (Debian package python3-torch)")
    sys.exit(77)

TOLERANCE = 1e-9
REDUCTIONS = ["none", "mean", "sum"]


class Mismatch(Exception):
    pass


def real(generator, *shape, low=-3.0, high=3.0):
    return torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low


def labels(generator, classes, *shape, ignore=None):
    """Class labels; every fifth one is `ignore`, if given."""
    values = torch.randint(0, classes, shape, generator=generator)
    if ignore is not None:
        flat = values.view(-1)
        flat[::5] = ignore
    return values


def _describe(name, value):
    if value is None:
        return {"name": name, "null": True}
    dtype = "int64" if value.dtype == torch.int64 else "float64"
    flat = [x if x == x and abs(x) != float("inf") else ("nan" if x != x else "inf" if x > 0 else "-inf")
            for x in value.detach().reshape(-1).tolist()]
    return {"name": name, "dtype": dtype, "shape": list(value.shape), "values": flat}


class Interpreter:
    """The interpreter for the operators of record files."""

    def __init__(self, binaries, records):
        self.binaries = binaries
        self.records = records
        self.scratch = tempfile.TemporaryDirectory(prefix="lossgrad-agree-")  # goes with this object
        self.folder = self.scratch.name
        self.files = {}  # of operators that are not in a file of their own name
        self.imported = {}

    def module(self, operator):
        path = self.files.get(operator, os.path.join(self.records, operator + ".td"))
        if path not in self.imported:
            self.imported[path] = os.path.join(self.folder, os.path.basename(path) + ".mlir")
            subprocess.run([os.path.join(self.binaries, "lossgrad-tblgen"), path, "-o", self.imported[path]], check=True)
        return self.imported[path]

    def run(self, operator, inputs, attrs):
        call = {"id": operator, "op": "aclnn" + operator, "attrs": attrs,
                "inputs": [_describe(n, v) for n, v in inputs.items()]}
        path = os.path.join(self.folder, "call.json")
        with open(path, "w") as file:
            json.dump(call, file)
        done = subprocess.run([os.path.join(self.binaries, "lossgrad-interpret"), self.module(operator), path, "--operator", operator],
                              capture_output=True, text=True)
        if done.returncode:
            raise Mismatch("the interpreter refused the call: " + done.stderr.strip())
        outputs = {}
        for out in json.loads(done.stdout)["outputs"]:
            values = torch.tensor([float(v) for v in out["values"]], dtype=torch.float64)
            outputs[out["name"]] = values.reshape(out["shape"])
        return outputs


def compare(name, got, wanted, tolerance):
    if list(got.shape) != list(wanted.shape):
        raise Mismatch(f"{name} has shape {list(got.shape)}, the reference {list(wanted.shape)}")
    error = (got - wanted).abs() / (wanted.abs() + 1e-6)
    error[(got == wanted) | (got.isnan() & wanted.isnan())] = 0
    if error.numel() and not bool((error < tolerance).all()):
        at = int(error.nan_to_num(nan=float("inf")).reshape(-1).argmax())
        raise Mismatch(f"{name}[{at}] is {got.reshape(-1)[at].item()}, the reference "
                       f"{wanted.reshape(-1)[at].item()}, relative error {error.reshape(-1)[at].item():.3g}")


def gradients(loss, wrt, upstream):
    """Gradients of loss() by autograd; `upstream` has the shape of the loss."""
    leaves = [w.clone().requires_grad_(True) for w in wrt]
    return torch.autograd.grad(loss(*leaves), leaves, upstream)


def differences(loss, wrt, upstream, step=1e-5):
    """The same by central differences: no derivative is taken on trust."""
    result = []
    for index, tensor in enumerate(wrt):
        grad = torch.zeros_like(tensor)
        for at in range(tensor.numel()):
            def value(delta):
                moved = [w.clone() for w in wrt]
                moved[index].view(-1)[at] += delta
                return (loss(*moved) * upstream).sum()
            # Fourth order, so that the error is far below the tolerance of a
            # comparison by differences.
            grad.view(-1)[at] = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step)
        result.append(grad)
    return result


class Run:
    """A program's run: its options, an interpreter, and how many comparisons passed."""

    def __init__(self, description):
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--binaries", required=True, help="folder of lossgrad-tblgen and lossgrad-interpret")
        parser.add_argument("--records", required=True, help="folder of the operator records")
        parser.add_argument("--only", default="", help="only what has this in its name")
        self.options = parser.parse_args()
        self.interpreter = Interpreter(self.options.binaries, self.options.records)
        self.passed = self.failed = 0

    def wants(self, name):
        return self.options.only in name

    def check(self, operator, label, inputs, attrs, wanted, tolerance=TOLERANCE):
        """Whether the operator's outputs are the references of `wanted`."""
        try:
            outputs = self.interpreter.run(operator, inputs, attrs)
            for name, reference in wanted.items():
                compare(name, outputs[name], reference, tolerance)
            self.passed += 1
        except (Mismatch, KeyError) as problem:
            self.fail(f"{operator} ({label})", problem)

    def fail(self, what, problem):
        self.failed += 1
        print(f"FAILED {what}: {problem}")

    def finish(self):
        """The exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0
