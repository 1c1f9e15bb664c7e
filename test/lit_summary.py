#!/usr/bin/env python3
"""How many lit tests ran and which were skipped, and why, from the file that lit -o writes.

lit is one entry of ctest, whose summary does not show what a suite left out.
    lit_summary.py RESULTS
"""
import collections
import json
import re
import sys


def reason(test):
    found = re.search(r"(?:unavailable features|following unsupported features|not in feature set)[^:]*:\s*(.*)", test.get("output", ""))
    return "needs " + found.group(1).strip() if found else (test.get("output", "").strip().splitlines() or ["no reason given"])[-1]


def main(path):
    with open(path) as file:
        tests = json.load(file)["tests"]
    codes = collections.Counter(test["code"] for test in tests)
    left_out = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}
    ran = sum(count for code, count in codes.items() if code not in left_out)
    skipped = [test for test in tests if test["code"] in left_out]
    print(f"lit: {ran} tests ran ({', '.join(f'{count} {code.lower()}' for code, count in sorted(codes.items()) if code not in left_out)}), {len(skipped)} skipped")
    by_reason = collections.defaultdict(list)
    for test in skipped:
        by_reason[reason(test)].append(test["name"].split(" :: ")[-1])
    for why, names in sorted(by_reason.items()):
        print(f"  skipped, {why}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main(sys.argv[1])
