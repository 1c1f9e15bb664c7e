"""Compiles records twice, with and without threads, through all stages. The same
input must give the same bytes, and compiling an operator with all its variants
must take well under a second of processor time (the machine may be busy, so
elapsed time is not judged).

usage: compile_twice.py RECORD...
"""
import resource
import subprocess
import sys

MOST_SECONDS = 1.0


def run(command, text):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout


def compile_once(record, flags):
    module = run(["lossgrad-tblgen", "--locations", record], None)
    kernels = run(["lossgrad-opt", "--lossgrad-to-ascendc"] + flags, module)
    return [module, kernels, run(["lossgrad-translate", "--mlir-to-ascendc"], kernels),
            run(["lossgrad-translate", "--mlir-to-tiling"], kernels)]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if len(sys.argv) < 2:
    sys.exit(__doc__)
for record in sys.argv[1:]:
    before = processor_seconds()
    first = compile_once(record, [])
    seconds = processor_seconds() - before
    second = compile_once(record, ["--mlir-disable-threading"])
    if not all(first):
        sys.exit(f"{record}: a stage printed nothing")
    if first != second:
        sys.exit(f"{record}: two compilations differ")
    if seconds > MOST_SECONDS:
        sys.exit(f"{record}: {seconds:.2f} s of processor time, expected at most {MOST_SECONDS}")
    print(f"{record}: the same bytes twice, {seconds:.2f} s")
