#!/usr/bin/env python3
"""Cuts tests into seeds for the fuzzers, one file per case: IR of dialects and passes, and operator cases.

  make_seeds.py [--opt lossgrad-opt] OUTDIR FILE.mlir...
  make_seeds.py OUTDIR FILE.jsonl...

Small seeds make a fast fuzzer. With --opt each valid case is also written in
the generic form, where ops have operands and attributes that the custom parsers
would never let through.
"""
import argparse
import json
import math
import pathlib
import subprocess


def cut_cases(path, outdir, limit=12):
    """Cases of different shapes: every so many lines, without those whose tensors are large."""
    lines = [line for line in path.read_text().splitlines() if len(line) < 2000]
    small = [line for line in lines if all(elements(each) <= 256 for group in ("inputs", "outputs") for each in json.loads(line)[group])]
    for number, line in enumerate(small[::max(1, len(small) // limit)]):
        (outdir / f"{path.stem}-{number}.jsonl").write_text(line + "\n")


def elements(tensor):
    return math.prod(tensor.get("shape", []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", help="lossgrad-opt, to write generic forms too")
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.outdir.mkdir(parents=True, exist_ok=True)
    for path in args.files:
        if path.suffix == ".jsonl":
            cut_cases(path, args.outdir)
            continue
        # A test of one file per case, and files with several operators.
        text = path.read_text().replace("\nlossgrad.operator", "// -----\n\nlossgrad.operator")
        for number, case in enumerate(text.split("// -----\n")):
            lines = [l for l in case.splitlines() if not l.strip().startswith("//")]
            case = "\n".join(lines).strip() + "\n"
            if not case.strip():
                continue
            (args.outdir / f"{path.parent.name}-{path.stem}-{number}.mlir").write_text(case)
            if not args.opt:
                continue
            result = subprocess.run([args.opt, "--mlir-print-op-generic"], input=case,
                                    capture_output=True, text=True)
            if result.returncode == 0:
                (args.outdir / f"{path.parent.name}-{path.stem}-{number}-generic.mlir").write_text(result.stdout)


if __name__ == "__main__":
    main()
