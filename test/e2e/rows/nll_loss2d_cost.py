"""What the NLLLoss2dBackward kernels move and take, as the stand-in's profile
mode counts it: the gradient is written once, the targets (and the gradient of
each pixel) are read once, and `self`, which only has a shape, is not read at
all. Large planes take about the time of their stores.

usage: nll_loss2d_cost.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

IMAGES, CLASSES, CORES = 8, 21, 48
# Vector cycles per 64 elements with what pixels have once, and modelled us with the launch; 79 and 41 us are expected of
# kernels that do nothing but store.
LARGE = {"float32": (5.7, 58), "float16": (4.7, 47.5), "bfloat16": (4.7, 47.5)}
# Per launch: name, bytes of an element, whether each pixel has a gradient of its own, pixels along a side.
LAUNCHES = [(name, size, own, 96) for name, size in (("float32", 4), ("float16", 2), ("bfloat16", 2)) for own in (False, True)]
LAUNCHES += [(name, size, False, 512) for name, size in (("float32", 4), ("float16", 2), ("bfloat16", 2))]
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
    for (dtype, size, own, side), launch in zip(LAUNCHES, launches):
        name = f"{dtype}, {'none' if own else 'mean'}, {side} x {side}"
        pixels = IMAGES * side * side
        elements = pixels * CLASSES
        loaded, stored = launch["bytes"]["load"], launch["bytes"]["store"]
        wanted = pixels * (8 + size * own)
        # Weights and the total are read by every core, and so are pixels whose classes two cores share.
        most = wanted + CORES * 4096 if side < 512 else wanted * 1.07
        expect(wanted <= loaded <= most, name, f"{loaded} bytes loaded, expected {wanted} and a few")
        expect(stored == elements * size, name, f"{stored} bytes stored, expected {elements * size}")
        expect(launch["cores"] == CORES, name, f"{launch['cores']} of {CORES} cores busy")
        time = launch["modelled"]["totalUs"]
        busy = sum(row["cycles"] for row in launch["kinds"] if row["pipe"] == "V") / elements * 64
        if side == 512:
            expect(busy <= LARGE[dtype][0], name, f"{busy:.2f} vector cycles per 64 elements, expected {LARGE[dtype][0]} at most")
            expect(time <= LARGE[dtype][1], name, f"{time:.1f} us modelled, expected {LARGE[dtype][1]} at most")
        print(f"{name}: {loaded / pixels:.2f} bytes loaded per pixel, {stored / elements:.2f} stored per element, "
              f"{busy:.2f} vector cycles per 64 elements, {time:.2f} us modelled")
    print("\n".join(failures) or "all hold")
    sys.exit(1 if failures else 0)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
