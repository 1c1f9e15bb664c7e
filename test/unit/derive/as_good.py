#!/usr/bin/env python3
"""Which records would lose nothing by keeping only their forward.

Lowers every body of ops_td that is written by hand, and what is derived in its
place, to kernels of A2, and compares their vector calls and tiling keys. A body
may go to ByHand where the derived one has as many of both or fewer, no value of
it is listed in differences.json, and derive.Records/DerivedBodies.* pass, which
compare the rounding.

    test/unit/derive/as_good.py [build/bin]
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CALLS = re.compile(r"\b(?:Add|Sub|Mul|Div|Muls|Adds|Exp|Ln|Sqrt|Abs|Neg|Max|Min|Maxs|Mins|Compare|CompareScalar|Select|Cast|And|Or|Not|"
                   r"Reciprocal|Duplicate|Axpy|Brcb)\(")


def kernels(tools, record, *options):
    text = None
    for command in ([tools / "lossgrad-tblgen", *options, record], [tools / "lossgrad-opt", "--lossgrad-to-ascendc=soc=A2"],
                    [tools / "lossgrad-translate", "--mlir-to-ascendc"]):
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return len(CALLS.findall(text)), text.count("TILING_KEY_IS")


def main():
    tools = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin")
    listed = {each["record"] for each in json.loads((ROOT / "test/unit/derive/differences.json").read_text())}
    for record in sorted((ROOT / "ops_td").glob("*.td")):
        by_hand, derived = kernels(tools, record), kernels(tools, record, "--ignore-results")
        good = derived[0] <= by_hand[0] and derived[1] == by_hand[1] and record.stem not in listed
        kept = (ROOT / "test/unit/derive/ByHand" / record.name).exists()
        verdict = "has its forward only" if kept else "as good" if good else "other values" if record.stem in listed else "dearer or other kernels"
        print(f"{record.stem:38} calls {by_hand[0]:4} -> {derived[0]:4}  keys {by_hand[1]:3} -> {derived[1]:3}  {verdict}")


if __name__ == "__main__":
    main()
