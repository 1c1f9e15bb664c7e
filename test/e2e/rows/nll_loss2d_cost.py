"""Bytes that the NLLLoss2dBackward kernels move, as the stand-in's profile mode
counts them: the gradient is written once, the targets (and the gradient of each
pixel) are read once, and `self`, which only has a shape, is not read at all.

usage: nll_loss2d_cost.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

PIXELS, CLASSES, CORES = 8 * 96 * 96, 21, 48
# Per launch: name, bytes of an element, whether each pixel has a gradient of its own.
LAUNCHES = [(f"{name}, {'none' if own else 'mean'}", size, own)
            for name, size in (("float32", 4), ("float16", 2), ("bfloat16", 2)) for own in (False, True)]
failures = []


def expect(condition, launch, message):
    if not condition:
        failures.append(f"{launch}: {message}")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LOSSGRAD_MODE="profile", LOSSGRAD_PROFILE_DIR=folder)
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        launches = json.load(open(os.path.join(folder, "profile.json")))["launches"]
    if len(launches) != len(LAUNCHES):
        sys.exit(f"{len(launches)} launches, expected {len(LAUNCHES)}")
    for (name, size, own), launch in zip(LAUNCHES, launches):
        loaded, stored = launch["bytes"]["load"], launch["bytes"]["store"]
        wanted = PIXELS * (8 + size * own)
        # Weights and the total are read by every core for every tile.
        expect(wanted <= loaded <= wanted + CORES * 4096, name, f"{loaded} bytes loaded, expected {wanted} and a few")
        expect(stored == PIXELS * CLASSES * size, name, f"{stored} bytes stored, expected {PIXELS * CLASSES * size}")
        expect(launch["cores"] == CORES, name, f"{launch['cores']} of {CORES} cores busy")
        print(f"{name}: {loaded / PIXELS:.2f} bytes loaded per pixel, {stored / PIXELS / CLASSES:.2f} stored per element, "
              f"{launch['modelled']['us']:.2f} us modelled")
    print("\n".join(failures) or "all hold")
    sys.exit(1 if failures else 0)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
