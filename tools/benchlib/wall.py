"""Wall-clock of many cases in measuring processes that may die.

A case may need more memory than the machine has: the kernel then kills the
process that measures. That costs this case, not the ones behind it.
"""
import json
import math
import pathlib
import subprocess

import acl

FLOAT_BYTES = 4


def free_bytes(path="/proc/meminfo"):
    """Memory that can be had without swapping; no limit where the system does not tell."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return math.inf
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return math.inf


def needed_bytes(case):
    """What measuring takes at most: all tensors on both sides, and four times the
    largest one as floats, for making the data and for what PyTorch keeps between
    forward and backward."""
    largest = max(acl.numel(t["shape"]) for t in case.tensors.values())
    return 2 * case.bytes + 4 * FLOAT_BYTES * largest


def too_large(case, free):
    """Why a case is left out, or nothing."""
    needed = needed_bytes(case)
    if needed <= free:
        return None
    return f"needs {needed / (1 << 30):.1f} GiB, {free / (1 << 30):.1f} are free"


def measure(cases, start, report):
    """Results by the name of the case. start(cases) is a process that takes them
    one after the other and prints a line of JSON for each; when it dies, another
    one goes on behind the case that it died of."""
    results, left = {}, list(cases)
    while left:
        process = start(left)
        for line in process.stdout:
            result = json.loads(line)
            name = result.pop("case")
            results[name] = result
            report(name, result)
        process.wait()
        left = [case for case in left if case.name not in results]
        if not left:
            break
        dead = left.pop(0)
        results[dead.name] = {"error": f"the measuring process ended with {process.returncode}"}
        report(dead.name, results[dead.name])
    return results


def started(command, task, environment):
    """A process that reads its task from its input."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        process.stdin.write(json.dumps(task))
        process.stdin.close()
    except BrokenPipeError:
        pass  # it died before it had read all; its status tells
    return process
