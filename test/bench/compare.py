#!/usr/bin/python3
"""Two libraries under the same benchmark program: is one slower?

    test/bench/compare.py PROGRAM BEFORE.so AFTER.so [--filter REGEX] [--rounds N]

PROGRAM is vector-bench or kernel-bench, the libraries are two builds of
libtikicpulib.so. Runs them in turn, takes the best CPU time of each benchmark,
and prints the ratio. Exit status 1 if the geometric mean of the emulated
benchmarks is more than 5 % worse; single ones vary by more on a busy machine.
"""
import argparse
import json
import math
import os
import subprocess
import sys


def measure(program, library, pattern):
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.05", f"--benchmark_filter={pattern}"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": os.path.abspath(library)})
    if done.returncode:
        sys.exit(f"compare.py: {program} with {library} ended with {done.returncode}:\n{done.stderr}")
    return {row["name"]: row["cpu_time"] for row in json.loads(done.stdout)["benchmarks"] if not row.get("error_occurred")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--filter", default="emulated/")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    best = ({}, {})
    for _ in range(options.rounds):
        for library, into in zip((options.before, options.after), best):
            for name, time in measure(options.program, library, options.filter).items():
                into[name] = min(time, into.get(name, math.inf))
    names = [name for name in best[0] if name in best[1]]
    if not names:
        sys.exit(f"compare.py: no benchmark matches '{options.filter}'")
    ratios = [best[1][name] / best[0][name] for name in names]
    for name, ratio in zip(names, ratios):
        print(f"{name:40} {best[0][name]:12.1f} ns {best[1][name]:12.1f} ns {ratio:6.3f}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean':40} {'':15} {'':15} {mean:6.3f}")
    return 1 if mean > 1.05 else 0


if __name__ == "__main__":
    sys.exit(main())
