#!/usr/bin/env python3
"""Cuts the tests of dialects and passes into seeds for mlir_fuzzer: one file per case.

  make_seeds.py [--opt lossgrad-opt] OUTDIR FILE.mlir...

Small seeds make a fast fuzzer. With --opt each valid case is also written in
the generic form, where ops have operands and attributes that the custom parsers
would never let through.
"""
import argparse
import pathlib
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opt", help="lossgrad-opt, to write generic forms too")
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.outdir.mkdir(parents=True, exist_ok=True)
    for path in args.files:
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
