"""For each operator record of a folder: imports without a message, reads back
as the same text, gives the same bytes twice, and takes at most 35 lines from
`def` to the closing brace (classes and forwards that it uses are not counted)."""
import pathlib
import re
import subprocess
import sys


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def check(path, record):
    lines = record.count("\n")
    if lines > 35:
        return f"has {lines} lines"
    first = run("lossgrad-tblgen", str(path))
    if run("lossgrad-tblgen", str(path)) != first:
        return "differs from run to run"
    if run("lossgrad-opt", "-", text=first) != first:
        return "does not read back as the same text"
    return "ok"


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.td")):
    for record in re.finditer(r"^def (\w+)\s+: (\w+)<(?:\w+, )?\"\w+\".*?^\}\n", path.read_text(), re.M | re.S):
        if record.group(2) != "Loss" and not record.group(2).endswith("Forward"):
            print(record.group(1), check(path, record.group(0)))
