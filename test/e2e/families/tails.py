#!/usr/bin/env python3
"""Tails of every kernel on one product, in check mode.

    tails.py RUN CHIP PROJECT [--but KERNELS]... RECORD...

Runs cases with a size of 1, 7, 8, 15, 17, 31, 33, 513 or a prime, or that much
more than whole tiles, along every kind of axis, in every element type. Tiling
keys are read from the log: a kernel of the emitted program that no case ran is
a failure, but for those that a pattern KERNELS matches as FILE:NAME. The project of
the records is made where there is none."""
import argparse
import json
import os
import re
import subprocess
import sys

SIZES = (1, 7, 8, 15, 17, 31, 33, 513, 1009)
FEW = (1, 17)  # where a case is large


def tensor(name, shape, dtype, low=-3, high=3, **keys):
    return {"name": name, "dtype": dtype, "shape": list(shape), "range": [low, high], **keys}


def smooth_l1(floats):
    """Flat runs, runs of several types, broadcast axes."""
    def case(name, dtypes, gradOut, self, target, reduction=0):
        names = ("gradOut", "self", "target")
        out = [max(a, b) for a, b in zip(self, target)]
        yield f"smooth_l1/{name}", "aclnnSmoothL1LossBackward", [
            tensor(n, s, d) for n, s, d in zip(names, (gradOut, self, target), dtypes)
        ], {"reduction": reduction, "beta": 0.5}, {"name": "gradInput", "dtype": dtypes[3], "shape": out}
    for dtype in floats:
        other = floats[floats.index(dtype) - 1]
        for t in SIZES:
            yield from case(f"flat/{dtype}/{t}", [dtype] * 4, [t], [t], [t])
            yield from case(f"single/{dtype}/{t}", [dtype] * 4, [1], [t], [t], 1)
            yield from case(f"mixed/{dtype}/{t}", [dtype, other, dtype, other], [t], [t], [t])
            yield from case(f"mixed-single/{dtype}/{t}", [dtype, other, dtype, other], [1], [t], [t], 1)
            yield from case(f"lanes/{dtype}/{t}", [dtype] * 4, [t], [11, t], [11, t])
            yield from case(f"rows/{dtype}/{t}", [dtype] * 4, [t, 5], [t, 5], [t, 1])
            yield from case(f"one-row/{dtype}/{t}", [dtype] * 4, [1], [11, t], [1, t], 1)
            yield from case(f"mixed-rows/{dtype}/{t}", [dtype, other, dtype, other], [1, 1], [t, 37], [1, 37], 0)
        for t in FEW:
            yield from case(f"long/{dtype}/{t}", [dtype] * 4, [40960 + t], [40960 + t], [40960 + t])


def log_softmax(floats, cores):
    """Sums along rows and columns."""
    many = cores // 2 + 1  # rows that are not split over cores

    def case(name, dtype, shape, dim, out=None):
        yield f"log_softmax/{name}/{dtype}/{'x'.join(map(str, shape))}", "aclnnLogSoftmaxBackward", [
            tensor("gradOutput", shape, dtype, -1, 1), tensor("output", shape, dtype, -9, -6)
        ], {"dim": dim}, {"name": "out", "dtype": out or dtype, "shape": list(shape)}
    for dtype in floats:
        other = floats[floats.index(dtype) - 1]
        wide = 60000 if dtype == "float32" else 120000  # of which no row stays in UB
        for t in SIZES:
            yield from case("rows", dtype, [37, t], 1)
            yield from case("lanes", dtype, [5, 9, t], 1)
            yield from case("columns", dtype, [3, t, 90], 1)
            yield from case("mixed-rows", dtype, [9, t], 1, other)
            yield from case("mixed-columns", dtype, [t, 9], 0, other)
        for t in FEW:
            yield from case("packed", dtype, [401 + t, 7, 3], 1)
            yield from case("packed-rows", dtype, [4001 + t, 2], 1)
            yield from case("walked-columns", dtype, [2, 300 + t, 150 + t], 1)
            yield from case("split-rows", dtype, [3, 16384 + t], 1)
            yield from case("split-columns", dtype, [4096 + t, 21 + t], 0)
            yield from case("mixed-long", dtype, [3, 16384 + t], 1, other)
        yield from case("widened", dtype, [many, 12000 + 17], 1)
        yield from case("resident", dtype, [many, 60000 + 17], 1)
        yield from case("walked-rows", dtype, [many, wide + 17], 1)


def nll(floats):
    """Classes along rows, or apart from each other in a result that is transposed or has gaps."""
    def case(name, dtype, n, c, out, index, strides=None):
        result = {"name": "out", "dtype": out, "shape": [n, c], **({"strides": strides} if strides else {})}
        for reduction, gradient in ((0, n), (1, 1)):
            yield f"nll/{name}/{reduction}", "aclnnNLLLossBackward", [
                tensor("gradOutput", [gradient], dtype), tensor("self", [n, c], dtype), tensor("target", [n], index, 0, min(c, 200)),
                tensor("weight", [c], dtype, 0.1, 2), tensor("totalWeight", [1], dtype, 1, 9)
            ], {"reduction": reduction, "ignoreIndex": 3}, result
    for dtype in floats:
        other = floats[floats.index(dtype) - 1]
        for t in SIZES + (16384 + 17,):
            yield from case(f"classes/{dtype}/{t}", dtype, 3 if t > 9999 else 37, t, dtype, "int64")
            yield from case(f"rows/{dtype}/{t}", dtype, t % 2048, 21, dtype, "int32")
            yield from case(f"mixed/{dtype}/{t}", dtype, 9, t, other, "uint8" if t < 256 else "int32")
        for t in FEW:
            for kind, gap in (("transposed", 1), ("gaps", 3)):
                n, c = 300 + t, 270 + t
                yield from case(f"{kind}/{dtype}/{t}", dtype, n, c, dtype, "int64", [gap, gap * n])
                yield from case(f"{kind}-rows/{dtype}/{t}", dtype, n, c, dtype, "int64", [gap * c, gap])


def kernels_of(project, arch):
    """The kernels of an architecture by operator's file and tiling key."""
    found = {}
    folder = os.path.join(project, "op_kernel", f"arch{arch}")
    for name in os.listdir(folder):
        text = open(os.path.join(folder, name)).read()
        for key, kernel in re.findall(r"TILING_KEY_IS\((\d+)\)\) \{\s*LossgradTile::Run<kernels::(\w+(?:<[^>]*>)?)", text):
            found[os.path.splitext(name)[0], int(key)] = kernel
    return found


# By the start of a chip's name: architecture, cores, whether it has bfloat16. Ascend910A is of the first generation.
CHIPS = {"Ascend310P": (2002, 8, False), "Ascend950": (3510, 72, True), "Ascend910_93": (2201, 48, True), "Ascend910B1": (2201, 48, True), "Ascend910A": (1001, 32, False)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("chip")
    parser.add_argument("project")
    parser.add_argument("--but", action="append", default=[])
    parser.add_argument("records", nargs="+")
    options = parser.parse_args()
    sys.exit(check(options.run, options.records, options.chip, options.project, options.but))


def check(run, records, chip, project, tested):
    arch, cores, hasBfloat16 = next(facts for start, facts in CHIPS.items() if chip.startswith(start))
    floats = ["float32", "float16"] + ["bfloat16"] * hasBfloat16
    made = {"SmoothL1LossBackward": smooth_l1(floats), "LogSoftmaxBackward": log_softmax(floats, cores), "NLLLossBackward": nll(floats)}
    cases = [case for record in records for case in made[os.path.splitext(os.path.basename(record))[0]]]
    os.makedirs(os.path.dirname(project) or ".", exist_ok=True)
    with open(project + "-tails.jsonl", "w") as file:
        for name, op, inputs, attrs, output in cases:
            json.dump({"id": name, "op": op, "inputs": inputs, "attrs": attrs, "outputs": [output], "expect": {"largest_term_ulps": 32}}, file)
            file.write("\n")
    result = subprocess.run([run, *records, "--project", project, "--soc", chip, "--mode", "check", "--jobs", "2", "--cases", project + "-tails.jsonl",
                             "--at-least", str(len(cases)), "--json", project + "-tails.json"], env={**os.environ, "LOSSGRAD_LOG_LEVEL": "info"})
    if result.returncode:
        return result.returncode
    seen = set()
    for case in json.load(open(project + "-tails.json"))["cases"]:
        seen.update((kernel, int(key)) for kernel, key in re.findall(r"kernel (\w+) with tiling key (\d+)", case.get("log", "")))
    kernels = kernels_of(project, arch)
    missed = sorted(f"{name} ({file}, key {key})" for (file, key), name in kernels.items()
                    if (file, key) not in seen and not any(re.fullmatch(pattern, f"{file}:{name}") for pattern in tested))
    print(f"{len(cases)} cases ran {len(seen)} of {len(kernels)} kernels on {chip}")
    for name in missed:
        print(f"no case ran {name}")
    return 1 if missed or not kernels else 0


if __name__ == "__main__":
    main()
