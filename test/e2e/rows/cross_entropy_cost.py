"""Quality of the CrossEntropyLossGrad kernels, as the stand-in's profile mode
counts it from the running kernels: bytes of global memory and vector cycles per
element, busy cores, rows that are ignored and not read. Numbers are modelled, so
only exact counts are pinned.

usage: cross_entropy_cost.py PROGRAM KERNEL_FOLDER
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Per launch: name, rows, classes, bytes of an element loaded and stored, vector cycles per 64 elements, those of a core for what rows have once, share
# of the rows that are read, bytes per element for what lanes have.
LAUNCHES = [
    ("float32, 96 x 32000", 96, 32000, 8, 3, 300, 1),
    ("float32, 3072 x 512", 3072, 512, 8, 3, 300, 1),
    ("float16, 96 x 32000", 96, 32000, 4, 5, 300, 1),
    ("float16, 3072 x 512", 3072, 512, 4, 5, 300, 1),
    ("bfloat16, 96 x 32000", 96, 32000, 4, 5, 300, 1),
    ("bfloat16, 3072 x 512", 3072, 512, 4, 5, 300, 1),
    ("float32, weights and mean", 96, 32000, 8, 3, 600, 1),
    ("float32, 3 x 131072", 3, 131072, 8, 3, 300, 1),
    ("float32, half of the rows ignored", 96, 32000, 8, 3, 300, 0.5),
]
# Every feature, and rows of 64: exp (two), its product, what lanes have (one; all rows have one gradient, so that its product with the row is there
# already, but for short rows), one-hot where rows are short (three and a half). Weights are loaded once per 16 rows and once per core.
for dtype, bytes_, casts in (("float32", 8, 0), ("bfloat16", 4, 2.1)):
    for weights, more, product in (("no weights", 0.03, 0), ("weights", 0.54, 1.6)):
        LAUNCHES += [
            (f"{dtype}, smoothing and z-loss, {weights}, 768 x 32000", 768, 32000, bytes_, 4 + casts, 2800, 1, more),
            (f"{dtype}, smoothing and z-loss, {weights}, 12288 x 512", 12288, 512, bytes_, 4 + casts, 2800, 1, more),
            (f"{dtype}, {weights}, 24576 x 64", 24576, 64, bytes_, 6 + casts, 1850, 1, more),
            (f"{dtype}, smoothing and z-loss, {weights}, 24576 x 64", 24576, 64, bytes_, 5.2 + product + casts, 3200, 1, more),
        ]
# The mask, which groups without such rows do without.
LAUNCHES.append(("float32, half of the rows ignored, 24576 x 64", 24576, 64, 8, 7.6, 1850, 1, 0.5))
# And with all heads, per 64 elements at most: how large tiles are counts, too.
TOTALS = [
    4, 5.15, 5.6, 7, 6.1, 7.5, 4.65, 8.75, 2.9,
    4.65, 5.9, 12.2, 14.7, 5.4, 6.65, 12.2, 17.05,
    6.75, 8.25, 14.35, 16.95, 7.7, 8.95, 14.3, 18.9, 14.35,
]
MAX_KEYS = 32
failures = []


def expect(condition, launch, message):
    if not condition:
        failures.append(f"{launch}: {message}")


def check(name, launch, most, head, rows, classes, per_element, cycles, per_core, share, more=0):
    elements = rows * classes
    loaded, stored = launch["bytes"]["load"], launch["bytes"]["store"]
    # What rows have once: target and gradient, and an element of a weight, each a copy of a block at most; several cores
    # may have rows of one group.
    small = rows * 128 + 48 * 1280 + more * elements
    wanted = elements * per_element / 2
    expect(wanted * share <= loaded <= wanted * share + small, name, f"{loaded} bytes loaded, expected {wanted * share:.0f} and up to {small}")
    expect(wanted <= stored <= wanted + small, name, f"{stored} bytes stored, expected {wanted:.0f}")
    # Short tables are copied as a whole: what is looked up in them takes no copy per row.
    copies = sum(row["times"] for row in launch["kinds"] if row["pipe"] == "MTE2")
    expect(classes > 1024 or copies <= rows / 2 + 48 * 16, name, f"{copies} copies for {rows} rows")
    vector = [row for row in launch["kinds"] if row["pipe"] == "V"]
    total = sum(row["cycles"] for row in vector)
    heads = sum(row["times"] for row in vector) * head
    per_repeat = total / (elements / 64)
    print(f"{name}: {per_repeat:.2f} vector cycles per 64 elements ({heads / (elements / 64):.2f} heads at most), "
          f"{(loaded + stored) / elements:.2f} bytes per element, {launch['modelled']['us']:.2f} us modelled, "
          + ", ".join(f"{row['call']} {row['cycles'] / (elements / 64):.2f}" for row in sorted(vector, key=lambda row: -row["cycles"])[:6]))
    limit = cycles * elements / 64 + per_core * 48
    expect(total <= limit + heads, name, f"{per_repeat:.2f} vector cycles per 64 elements, expected {cycles}, {per_core} per core, and heads")
    expect(per_repeat <= most, name, f"{per_repeat:.2f} vector cycles per 64 elements with heads, expected at most {most}")
    expect(launch["cores"] == 48, name, f"{launch['cores']} of 48 cores busy")
    expect(launch["loadBalance"] <= 1.3, name, f"slowest core takes {launch['loadBalance']:.2f} of the mean")
    expect(launch["impliedBarriers"] == 0, name, f"{launch['impliedBarriers']} barriers are missing")


def main(program, kernel_folder):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LOSSGRAD_MODE="profile", LOSSGRAD_PROFILE_DIR=folder)
        subprocess.run([program], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        profile = json.load(open(os.path.join(folder, "profile.json")))
    launches = profile["launches"]
    if len(launches) != len(LAUNCHES):
        sys.exit(f"{len(launches)} launches, expected {len(LAUNCHES)}")
    head = profile["parameters"][launches[0]["model"]]["vectorHead"]["value"]
    for (name, *numbers), launch, most in zip(LAUNCHES, launches, TOTALS, strict=True):
        check(name, launch, most, head, *numbers)
    sources = [path for path in pathlib.Path(kernel_folder).rglob("*") if path.is_file()]
    expect(sources, "sources", f"none in {kernel_folder}")
    keys = set()
    for path in sources:
        text = path.read_text()
        expect("PIPE_ALL" not in text, path.name, "waits for all pipes")
        keys |= set(re.findall(r"TILING_KEY_IS\((\d+)\)", text))
    expect(0 < len(keys) <= MAX_KEYS, "keys", f"{len(keys)}, at most {MAX_KEYS} are allowed")
    print("\n".join(failures) or f"all hold, {len(keys)} keys")
    sys.exit(1 if failures else 0)


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
