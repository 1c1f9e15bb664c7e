"""Runs an operator's body in the float64 interpreter and compares the result.

Everything is float64, on both sides: the body is compared as mathematics. What
dtypes a call may have is the contract's business. Nothing here knows an operator.
"""

import json
import os
import subprocess
import tempfile

import torch

TOLERANCE = 1e-9


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
    """The interpreter for the operators of one record file."""

    def __init__(self, binaries, records):
        self.binaries = binaries
        self.records = records
        self.scratch = tempfile.TemporaryDirectory(prefix="lossgrad-agree-")  # goes with this object
        self.folder = self.scratch.name
        self.imported = {}

    def module(self, operator):
        if operator not in self.imported:
            path = os.path.join(self.folder, operator + ".mlir")
            subprocess.run([os.path.join(self.binaries, "lossgrad-tblgen"),
                            os.path.join(self.records, operator + ".td"), "-o", path], check=True)
            self.imported[operator] = path
        return self.imported[operator]

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


def compare(name, got, wanted):
    if list(got.shape) != list(wanted.shape):
        raise Mismatch(f"{name} has shape {list(got.shape)}, the reference {list(wanted.shape)}")
    error = (got - wanted).abs() / (wanted.abs() + 1e-6)
    error[(got == wanted) | (got.isnan() & wanted.isnan())] = 0
    if error.numel() and not bool((error < TOLERANCE).all()):
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
