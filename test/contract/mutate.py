#!/usr/bin/env python3
"""Every check of a contract refuses something, with its own status.

    mutate.py --binaries build/bin --records ops_td FILE.json...

A file describes one accepted call of an operator and changes to it; each changed
call must be refused with the given status and message. Together the changes must
reach every check of the contract, except those listed as unreachable with a
reason. Ends with "N passed, N failed".
"""

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import tempfile


def mutated(base, change):
    """The base call with tensors (merged by name, null for None), attributes, pointers and product replaced."""
    call = copy.deepcopy(base)
    for name, fields in change.get("tensors", {}).items():
        for group in ("inputs", "outputs"):
            for tensor in call[group]:
                if tensor["name"] == name:
                    if fields is None:
                        tensor["null"] = True
                    else:
                        tensor.update(fields)
                        tensor.pop("null", None)
    call.setdefault("attrs", {}).update(change.get("attrs", {}))
    for key in ("null_pointers", "soc"):
        if key in change:
            call[key] = change[key]
    return call


def checks_of(binaries, record):
    """Messages of the checks in their order; None for a done_if, which refuses nothing."""
    text = subprocess.run([os.path.join(binaries, "lossgrad-tblgen"), record], check=True, capture_output=True, text=True).stdout
    steps = []
    for line in text.splitlines():
        match = re.match(r'\s*check .* else \d+ "(.*?)"', line)
        if match:
            steps.append(match.group(1))
        elif re.match(r"\s*done_if", line):
            steps.append(None)
    return steps


def run(binaries, record, calls):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for call in calls:
            file.write(json.dumps(call) + "\n")
        file.flush()
        done = subprocess.run([os.path.join(binaries, "lossgrad-contract"), "--json", record, file.name],
                              capture_output=True, text=True)
    if done.returncode == 2:
        sys.exit("lossgrad-contract failed: " + done.stderr)
    return {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}


def check_file(path, options):
    with open(path) as file:
        plan = json.load(file)
    record = os.path.join(options.records, plan["operator"] + ".td")
    steps = checks_of(options.binaries, record)
    calls, wanted = [dict(plan["base"], id="base")], {"base": (0, "")}
    for index, change in enumerate(plan["changes"]):
        calls.append(dict(mutated(plan["base"], change), id=f"change {index}"))
        wanted[f"change {index}"] = (change["status"], change.get("message", ""))
    rows = run(options.binaries, record, calls)
    problems, reached = [], set()
    for key, (status, message) in wanted.items():
        row = rows[key]
        reached.add(row["step"])
        if (row["status"], row["message"]) != (status, message):
            problems.append(f"{key}: status {row['status']} \"{row['message']}\", expected {status} \"{message}\"")
    unreachable = {item["message"] for item in plan.get("unreachable", []) if item["reason"]}
    for number, text in enumerate(steps, 1):
        if text is not None and (number in reached) == (text in unreachable):
            problems.append(f"check {number} \"{text}\" " + ("is reached but listed as unreachable" if number in reached else "is reached by no change"))
    for problem in problems:
        print(f"FAILED {plan['operator']}: {problem}")
    return len(wanted), len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, help="folder of lossgrad-tblgen and lossgrad-contract")
    parser.add_argument("--records", required=True, help="folder of the operator records")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    results = [check_file(path, options) for path in options.files]
    total, failed = sum(r[0] for r in results), sum(r[1] for r in results)
    print(f"{max(total - failed, 0)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
