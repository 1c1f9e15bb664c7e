"""Quality of the SmoothL1LossBackward kernels, as the stand-in's profile mode
counts it from the running kernels: bytes of global memory per element, vector
cycles per 64 elements, busy cores, overlap of loads and computation, no barrier
over all pipes. Numbers are modelled, so only exact counts are pinned.

usage: smooth_l1_cost.py PROGRAM KERNEL_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ELEMENTS = 48 * 9216
# Per launch: name, elements, bytes moved per element, casts per element.
FLAT = [
    ("f32, tensor gradOut", ELEMENTS, 16, 0),
    ("f32, one-element gradOut", ELEMENTS, 12, 0),
    ("f16, tensor gradOut", ELEMENTS, 8, 4),
    ("f16, one-element gradOut", ELEMENTS, 6, 4),
    ("bf16, tensor gradOut", ELEMENTS, 8, 4),
    ("bf16, one-element gradOut", ELEMENTS, 6, 4),
]
OTHER = ["f32, 48 smallest tiles", "f32, (2048, 48) broadcast"]
ARITHMETIC = {"Sub", "Muls", "Mul", "Maxs", "Mins"}
failures = []


def expect(condition, launch, message):
    if not condition:
        failures.append(f"{launch}: {message}")


def check_bytes(name, launch, elements, per_element):
    moved = launch["bytes"]["load"] + launch["bytes"]["store"]
    # A single element is read by every core, a line of it at most.
    expect(abs(moved - elements * per_element) <= 48 * 64, name,
           f"{moved / elements:.3f} bytes per element, expected {per_element}")


def check_vector(name, launch, elements, casts, head):
    """At most one cycle per 64 elements and arithmetic call or cast, beside the
    head of a call that waits for the one before."""
    repeats = elements / 64
    rows = [row for row in launch["kinds"] if row["pipe"] == "V"]
    by_call = {row["call"]: row for row in rows}
    heads = sum(row["times"] for row in rows) * head
    total = sum(row["cycles"] for row in rows)
    limit = (5 + casts + 1 + 2) * repeats  # Compare 1, Select 2 with its mask
    expect(total <= limit + heads, name,
           f"{total / repeats:.2f} vector cycles per 64 elements, expected at "
           f"most {limit / repeats:.1f} and {heads / repeats:.2f} for heads")
    arithmetic = [row for row in rows if row["call"] in ARITHMETIC]
    cycles = sum(row["cycles"] - row["times"] * head for row in arithmetic)
    expect(cycles == 5 * repeats, name,
           f"arithmetic takes {cycles / repeats:.3f} cycles per 64 elements, expected 5")
    known = ARITHMETIC | {"Compare", "Select", "Cast"}
    expect(set(by_call) <= known, name, f"vector calls {sorted(set(by_call) - known)}")
    cast = by_call.get("Cast", {"elements": 0, "cycles": 0})
    # A one-element gradOut is cast once per core, not once per element.
    expect(cast["elements"] <= casts * elements, name,
           f"{cast['elements'] / elements:.2f} casts per element, expected {casts}")
    for row in rows:
        if row["call"] != "Select":
            expect(row["conflictCycles"] == 0, name,
                   f"{row['call']} has bank conflicts: {row['conflictCycles']} cycles")
    print(f"{name}: {total / repeats:.2f} vector cycles per 64 elements "
          f"({heads / repeats:.2f} of them heads), "
          f"{launch['modelled']['us']:.2f} us modelled")


def check_cores(name, launch):
    expect(launch["cores"] == 48, name, f"{launch['cores']} of 48 cores busy")
    expect(launch["loadBalance"] <= 1.25, name,
           f"slowest core takes {launch['loadBalance']:.2f} of the mean")
    expect(launch["impliedBarriers"] == 0, name,
           f"{launch['impliedBarriers']} barriers are missing")


def check_overlap(trace):
    """Double buffering: a tile is loaded while the one before is computed."""
    events = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == 0]
    loads = [e for e in events if e["cat"] == "MTE2"]
    computations = [e for e in events if e["cat"] == "V"]
    overlaps = sum(load["ts"] < c["ts"] + c["dur"] and c["ts"] < load["ts"] + load["dur"]
                   for load in loads for c in computations)
    expect(overlaps > 0, "f32, tensor gradOut", "no load runs beside a computation")


def main(program, kernel_folder):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LOSSGRAD_MODE="profile", LOSSGRAD_PROFILE_DIR=folder)
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL)
        profile = json.load(open(os.path.join(folder, "profile.json")))
        trace = json.load(open(os.path.join(folder, "trace.json")))
    launches = profile["launches"]
    if len(launches) != len(FLAT) + len(OTHER):
        sys.exit(f"{len(launches)} launches, expected {len(FLAT) + len(OTHER)}")
    head = profile["parameters"][launches[0]["model"]]["vectorHead"]["value"]
    for (name, elements, per_element, casts), launch in zip(FLAT, launches):
        check_bytes(name, launch, elements, per_element)
        check_vector(name, launch, elements, casts, head)
        check_cores(name, launch)
    for name, launch in zip(OTHER, launches[len(FLAT):]):
        check_cores(name, launch)
    check_overlap(trace)
    sources = [path for path in pathlib.Path(kernel_folder).rglob("*") if path.is_file()]
    expect(sources, "sources", f"none in {kernel_folder}")
    for path in sources:
        expect("PIPE_ALL" not in path.read_text(), path.name, "waits for all pipes")
    print("\n".join(failures) or "all hold")
    sys.exit(1 if failures else 0)


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
