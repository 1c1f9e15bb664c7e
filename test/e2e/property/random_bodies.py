#!/usr/bin/env python3
"""Random elementwise losses through the whole compiler.

    random_bodies.py --binaries build/bin --folder DIR [--compile N] [--run N] [--seed S]

Writes records whose formulas are drawn at random from every op that elementwise
schedules carry. All of them must become a project; the first few are also
built, run on random calls (in fast and in check mode) and compared with the
float64 interpreter. The same seed gives the same records, so a failure names
the record to look at. Formulas keep out of regions where float32 and float64
rightly disagree: exp of large values, division by what may be near zero.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys

RECORD = """include "Base.td"
def {name} : LossBackward<"{name}"> {{
  let summary = "A formula drawn at random.";
  let products = [A3, A2];
  let dims = [BroadcastPack<"b", ["gradOut", "self", "target"]>];
  let params = [
    In<"gradOut", Floats, ["b"], "upstream gradient">, In<"self", Floats, ["b"], "prediction">, In<"target", Floats, ["b"], "label">,
    ReductionAttr<["none", "mean", "sum"]>, Attr<"delta", "float", "a bound", "1.0">, Out<"gradInput", Floats, ["b"], "result">];
  defvar inputs = ["gradOut", "self", "target"];
  let checks = [
    ArgPointers, NullCheck<inputs # ["gradInput"]>, ProductCheck, DtypeCheck<inputs # ["gradInput"]>, RankAtMost<8, inputs>,
    ChoiceCheck<"reduction", ["none", "mean", "sum"]>,
    BroadcastCheck<inputs>, BroadcastShapeIs<inputs, "gradInput">, DoneIf<(or (empty $gradOut), (empty $self), (empty $target))>];
{fields}
  let results = (outs {result}:$gradInput);
}}
"""
TENSORS = ["$self", "$target", "$gradOut"]
UNIFORM = ["$delta", "$k", '"0.5"', '"2.0"', '"-1.0"', '"1e-3"']  # decimals: whole numbers would make integers of what is made of them alone
MEAN_FACTOR = '(select (is $reduction, "mean"), (div 1, (numel $self)), 1)'


class Formula:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def leaf(self):
        return self.random.choice(TENSORS * 2 + UNIFORM)

    def real(self, depth):
        if depth == 0:
            return self.leaf()
        kind = self.random.choice(["add", "sub", "mul", "mul", "min", "max", "div", "neg", "abs", "sign", "exp", "log", "sqrt",
                                   "clamp", "square", "select", "select"])
        x = self.real(depth - 1)
        if kind in ("add", "sub", "mul", "min", "max"):
            return f"({kind} {x}, {self.real(depth - 1)})"
        if kind in ("neg", "abs", "sign"):
            return f"({kind} {x})"
        if kind == "select":
            return f"(select {self.condition(depth - 1)}, {x}, {self.real(depth - 1)})"
        return {"div": f"(div {x}, (add 1, (abs {self.leaf()})))",
                "exp": f"(exp (clamp {x}, -3, 3))",
                "log": f'(log (max (abs {x}), "1e-3"))',
                "sqrt": f"(sqrt (abs {x}))",
                "clamp": f"(clamp {x}, -1, $delta)",
                "square": f"(mul {x}, {x})"}[kind]

    def condition(self, depth):
        kind = self.random.choice(["lt", "le", "gt", "ge", "eq", "ne", "is"] + (["and", "or", "not"] if depth > 0 else []))
        if kind == "is":
            return '(is $reduction, "mean")'
        if kind == "not":
            return f"(not {self.condition(depth - 1)})"
        if kind in ("and", "or"):
            return f"({kind} {self.condition(depth - 1)}, {self.condition(depth - 1)})"
        return f"({kind} {self.real(min(depth, 1))}, {self.real(min(depth, 1))})"

    def record(self, name):
        """A sum or a product with the gradient, sometimes with results that are used twice."""
        fields = [self.real(2) for _ in range(self.random.randint(0, 2))]
        result = f"({self.random.choice(['mul', 'add'])} {self.real(3)}, $gradOut)"
        for i in range(len(fields)):
            result = f"(add {result}, (mul $v{i}, (add 1, $v{i})))"
        lines = [f"  dag v{i} = {field};" for i, field in enumerate(fields)]
        if "$k" in result + "".join(lines):
            lines.insert(0, f"  dag k = {MEAN_FACTOR};")
        return RECORD.format(name=name, fields="\n".join(lines), result=result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", required=True, help="folder of lossgrad-project and lossgrad-run")
    parser.add_argument("--folder", required=True, help="where records and projects go; emptied first")
    parser.add_argument("--compile", type=int, default=100, help="records to compile")
    parser.add_argument("--run", type=int, default=3, help="how many of them to build and run")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(options.folder)
    records = []
    for i in range(options.compile):
        name = f"Random{options.seed + i}Backward"
        records.append(name + ".td")
        with open(os.path.join(options.folder, name + ".td"), "w") as file:
            file.write(Formula(options.seed + i).record(name))

    def call(tool, *arguments):
        command = [os.path.join(os.path.abspath(options.binaries), tool), *arguments]
        if subprocess.run(command, cwd=options.folder).returncode:
            sys.exit(f"{tool} failed; the records are in {options.folder}")

    call("lossgrad-project", "-q", *records, "-o", "project", "--require-all")
    print(f"{options.compile} records compiled", flush=True)
    if options.run:
        for mode in ("fast", "check"):
            call("lossgrad-run", *records[:options.run], "--project", "run", "--random", "24", "--mode", mode)


if __name__ == "__main__":
    main()
