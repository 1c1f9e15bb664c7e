"""Quality of the LogSoftmaxBackward kernels, as the stand-in's profile mode
counts it from the running kernels: bytes of global memory per element, vector
cycles per 64 elements with heads and bank conflicts, reads past L2, busy cores.
Numbers are modelled.

usage: log_softmax_cost.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

# Per launch: name, elements, bytes moved per element, vector cycles per 64
# elements at most, us at most (None: not pinned).
LAUNCHES = [
    ("f32, 4096 x 512", 4096 * 512, 12, 6.25, None),
    ("f32, 96 x 32000", 96 * 32000, 12, 6.05, None),
    ("f32, 480 x 9000", 480 * 9000, 12, 6.45, None),
    ("f32, 480 x 5000", 480 * 5000, 12, 7.1, None),
    ("f32, 480 x 3000", 480 * 3000, 12, 7.1, None),
    ("f32, 960 x 2000", 960 * 2000, 12, 7.45, None),
    ("f32, 48 x 128256", 48 * 128256, 16, 5.5, None),
    ("f32, 65536 x 512", 65536 * 512, 12, 6.25, 200),
    ("f32, 1024 x 1000", 1024 * 1000, 12, 7.1, 12),
    ("f32, 1000000 x 3 x 2", 6000000, 12, 32, 42),
    ("f32, 1000000 x 3", 3000000, 12, 33, 26),
    ("f32, 8 x 81 x 25276", 8 * 81 * 25276, 16, 7.1, 117),
    ("bf16, 4096 x 512", 4096 * 512, 6, 9.4, None),
    ("bf16, 96 x 32000", 96 * 32000, 6, 9.4, None),
    ("bf16, 480 x 9000", 480 * 9000, 6, 9.25, None),
    ("bf16, 480 x 5000", 480 * 5000, 6, 10.35, None),
    ("bf16, 480 x 3000", 480 * 3000, 6, 10.35, None),
    ("bf16, 960 x 2000", 960 * 2000, 6, 10.75, None),
    ("bf16, 48 x 128256", 48 * 128256, 8, 9.75, None),
    ("bf16, 65536 x 512", 65536 * 512, 6, 9.4, 105),
    ("bf16, 1024 x 1000", 1024 * 1000, 6, 10.4, 9.5),
    ("bf16, 1000000 x 3 x 2", 6000000, 6, 35, 50),
    ("bf16, 1000000 x 3", 3000000, 6, 36, 28),
    ("bf16, 8 x 81 x 25276", 8 * 81 * 25276, 8, 12.6, 119),
]
# 20000 x 4, 64 x 16 x 64 along the middle, 3 x 1000000, 73 rows twice, 21 columns:
# all cores.
CALLS = 3 * 6
failures = []


def expect(condition, launch, message):
    if not condition:
        failures.append(f"{launch}: {message}")


def check(name, launch, elements, per_element, most, us):
    moved = launch["bytes"]["load"] + launch["bytes"]["store"]
    expect(moved == elements * per_element, name,
           f"{moved / elements:.3f} bytes per element, expected {per_element}")
    rows = [row for row in launch["kinds"] if row["pipe"] == "V"]
    cycles = sum(row["cycles"] for row in rows) * 64 / elements
    conflicts = sum(row["conflictCycles"] for row in rows) * 64 / elements
    expect(cycles <= most, name, f"{cycles:.2f} vector cycles per 64 elements, expected at most {most}")
    expect(launch["cores"] == 48, name, f"{launch['cores']} of 48 cores busy")
    expect(launch["impliedBarriers"] == 0, name, f"{launch['impliedBarriers']} barriers are missing")
    modelled = launch["modelled"]["totalUs"]
    expect(us is None or modelled <= us, name, f"{modelled:.1f} us modelled, expected at most {us}")
    print(f"{name}: {cycles:.2f} vector cycles per 64 elements ({conflicts:.2f} of them conflicts), {modelled:.1f} us modelled")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LOSSGRAD_MODE="profile", LOSSGRAD_PROFILE="timing-only", LOSSGRAD_PROFILE_DIR=folder)
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "profile.json")) as file:
            launches = json.load(file)["launches"]
    if len(launches) != len(LAUNCHES):
        sys.exit(f"{len(launches)} launches, expected {len(LAUNCHES)}")
    for expected, launch in zip(LAUNCHES, launches):
        name, *numbers = expected
        check(name, launch, *numbers)
    blocks = subprocess.run([program, "blocks"], check=True, capture_output=True, text=True).stdout.split()
    expect(blocks == ["48"] * CALLS, "blocks", f"{' '.join(blocks)}, expected 48 {CALLS} times")
    print("\n".join(failures) or "all hold")
    sys.exit(1 if failures else 0)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
