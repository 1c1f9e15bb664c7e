"""Measuring goes on behind a case that its process dies of, and what does not
fit the machine's memory is left out by its size.

    check_wall.py tools/benchlib

The process measured with is this file itself: it kills itself where a case says
so, as the kernel does for want of memory.
"""
import json
import os
import pathlib
import signal
import sys
import tempfile
import types


def die_or_answer():
    for case in json.load(sys.stdin)["cases"]:
        if case["dies"] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if case["dies"] == "exit":
            sys.exit(3)
        print(json.dumps({"case": case["name"], "fastMs": 1.0}), flush=True)


def expect(condition, words):
    if not condition:
        sys.exit(f"check_wall: {words}")


def check_deaths(wall):
    names = {"first": "", "killed": "kill", "between": "", "left": "exit", "also": "kill", "last": ""}
    cases = [types.SimpleNamespace(name=name, dies=dies) for name, dies in names.items()]
    starts, reports = [], []

    def start(left):
        starts.append([case.name for case in left])
        return wall.started([sys.executable, __file__], {"cases": [vars(case) for case in left]}, dict(os.environ))

    results = wall.measure(cases, start, lambda name, result: reports.append(name))
    expect(starts == [list(names), list(names)[2:], list(names)[4:], list(names)[5:]], f"started for {starts}")
    expect(reports == list(names) and set(results) == set(names), f"reported {reports}")
    for name, dies in names.items():
        status = {"kill": "-9", "exit": "3"}.get(dies)
        wanted = {"error": f"the measuring process ended with {status}"} if dies else {"fastMs": 1.0}
        expect(results[name] == wanted, f"{name}: {results[name]}")
    expect(wall.measure([], start, None) == {} and len(starts) == 4, "no cases need no process")


def check_sizes(wall):
    with tempfile.TemporaryDirectory() as folder:
        told = pathlib.Path(folder, "meminfo")
        told.write_text("MemTotal:       24000000 kB\nMemFree:          100000 kB\nMemAvailable:   22000000 kB\n")
        free = wall.free_bytes(told)
        expect(free == 22000000 * 1024, f"free: {free}")
        expect(wall.free_bytes(folder + "/absent") == float("inf"), "no limit where nothing tells")
    # A target of 3.9 GiB, of which the machine above cannot hold what PyTorch keeps.
    row = {"shape": [1, 128256]}
    case = types.SimpleNamespace(bytes=4 * 8192 * 128256, tensors={"self": row, "target": {"shape": [8192, 128256]}})
    why = wall.too_large(case, free)
    expect(why == "needs 23.5 GiB, 21.0 are free", why)
    expect(wall.too_large(case, 24 << 30) is None, "it fits 24 GiB")
    half = types.SimpleNamespace(bytes=2 * 8192 * 128256, tensors=case.tensors)
    expect(wall.too_large(half, free) is None, "half of the bytes fit")


if len(sys.argv) == 1:
    die_or_answer()
else:
    sys.path.insert(0, sys.argv[1])
    import wall as measured

    check_deaths(measured)
    check_sizes(measured)
    print("measuring goes on")
