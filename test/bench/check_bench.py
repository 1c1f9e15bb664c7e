"""Runs tools/bench --quick and holds its output against what it promises.

    check_bench.py tools/bench BUILD_FOLDER OUTPUT_FOLDER

Structure, counts and relations only: no wall-clock is judged here. Exit status
77 if the library holds no operator (a build without the compiler).
"""
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

bench, build, output = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, str(pathlib.Path(bench).resolve().parent / "benchlib"))
import acl  # noqa: E402
import cases  # noqa: E402

# Largest difference to PyTorch that rounding explains, as a share of the largest value.
TOLERANCE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}

TOP = {"format", "version", "note", "soc", "threads", "torch", "quick", "cases", "families", "skipped", "compile"}
CASE = {"function", "variant", "dtype", "shape", "modelled", "wall"}
MODELLED = {"us", "floorUs", "nominalUs", "expectedUs", "vectorUs", "byFloor", "byExpected", "byVector", "launches", "cores",
            "criticalPipe", "utilisation", "loadBalance", "readsMissingData", "bankConflictShare",
            "bytesMoved", "bytesOfTensors"}
WALL = {"fastMs", "fastMedianMs", "fastCpuMs", "runs"}
WALL_BESIDE = WALL | {"torchMs", "torchMedianMs", "torchCpuMs", "difference"}


def run(*arguments):
    return subprocess.run([bench, "--build", build, "--output", str(output), *arguments], capture_output=True, text=True)


def expect(condition, words):
    if not condition:
        sys.exit(f"check_bench: {words}")


def check_case(case):
    name = f"{case['function']} {case['variant']} {case['dtype']} {case['shape']}"
    expect(set(case) == CASE, f"{name}: fields {sorted(case)}")
    m, w = case["modelled"], case["wall"]
    expect(set(m) == MODELLED, f"{name}: fields of the model {sorted(m)}")
    expect(m["byFloor"] > 1, f"{name}: modelled below the floor, which is impossible: {m['byFloor']}")
    expect(0.8 < m["byExpected"] < 100, f"{name}: modelled {m['byExpected']} of expected")
    expect(abs(m["byExpected"] * m["expectedUs"] - m["us"]) < 1e-6 * m["us"], f"{name}: ratio and times disagree")
    expect(m["us"] > m["vectorUs"] > 0, f"{name}: less than the vector unit needs")
    expect(1 <= m["cores"] <= 48, f"{name}: {m['cores']} cores")
    if "torchMs" in w:
        expect(set(w) == WALL_BESIDE, f"{name}: fields of the wall-clock {sorted(w)}")
        expect(w["difference"] < TOLERANCE[case["dtype"]], f"{name}: differs from PyTorch by {w['difference']}")
    else:
        expect(set(w) in ({"skipped"}, WALL | {"noTorch"}), f"{name}: fields of the wall-clock {sorted(w)}")


def check_names():
    """A whole name wins over being a part of others."""
    functions = {f"aclnn{name}" for name in ("CrossEntropyLossGrad", "BinaryCrossEntropyBackward", "NLLLossBackward",
                                             "BinaryCrossEntropyWithLogitsBackward", "NLLLoss2dBackward", "MseLossBackward")}
    for part, wanted in {"CrossEntropy": {"CrossEntropyLossGrad"}, "binarycrossentropy": {"BinaryCrossEntropyBackward"},
                         "aclnnNLLLossBackward": {"NLLLossBackward"}, "NLLLoss": {"NLLLossBackward"}, "Mse": {"MseLossBackward"},
                         "NLL": {"NLLLossBackward"}, "NLLL": {"NLLLossBackward", "NLLLoss2dBackward"}, "Huber": set(),
                         "Entropy": {"CrossEntropyLossGrad", "BinaryCrossEntropyBackward", "BinaryCrossEntropyWithLogitsBackward"}}.items():
        found = cases.named(part, functions)
        expect(found == {f"aclnn{name}" for name in wanted}, f"{part} means {sorted(found)}")


def main():
    check_names()
    available = acl.signatures(pathlib.Path(build, "sdk", "include"))
    if not available:
        print("the library holds no operator")
        sys.exit(77)
    done = run("--quick")
    expect(done.returncode == 0, f"status {done.returncode}:\n{done.stdout}{done.stderr}")
    results = json.loads((output / "bench.json").read_text())
    expect(set(results) == TOP, f"fields {sorted(results)}")
    expect(results["format"] == "lossgrad-bench" and results["soc"] == "Ascend910B1" and results["quick"], "header")

    table = cases.read_table()
    listed = {operator["function"] for operator in table["operators"]}
    measured = {case["function"] for case in results["cases"]}
    expect(listed >= set(available), f"no row in the table: {sorted(set(available) - listed)}")
    expect(measured == listed & set(available), f"measured {sorted(measured)}, the library holds {sorted(available)}")
    expect({s["function"] for s in results["skipped"]} == listed ^ set(available), f"skipped {results['skipped']}")
    for operator in table["operators"]:
        count = sum(case["function"] == operator["function"] for case in results["cases"])
        wanted = len(list(cases.cases_of(operator, table, True))) if operator["function"] in available else 0
        expect(count == wanted, f"{operator['function']}: {count} cases, expected {wanted}")
    for case in results["cases"]:
        check_case(case)
    for function in measured:
        expect("passSeconds" in results["compile"][function], f"no compile time of {function}")

    drawn = xml.parse(output / "bench.svg").getroot()
    bars = [e for e in drawn.iter("{http://www.w3.org/2000/svg}rect") if e.get("class") == "bar"]
    expect(len(bars) >= len(results["cases"]), f"{len(bars)} bars for {len(results['cases'])} cases")

    few = run("--quick", "--operators", "Mse", "--shapes", "64x513", "--dtypes", "float16", "--no-torch", "--no-compile")
    rows = json.loads((output / "bench.json").read_text())["cases"] if "aclnnMseLossBackward" in available else []
    expect(few.returncode == 0 or not rows, few.stderr)
    expect({(row["dtype"], *row["shape"]) for row in rows} <= {("float16", 64, 513)}, f"filters: {rows}")
    expect(all(row["wall"] == {"skipped": "not asked for"} for row in rows), f"{rows}")

    # No word of the model where it is not asked for.
    silent = run("--quick", "--operators", "mse", "--shapes", "64x513", "--dtypes", "float32", "--no-model", "--no-compile")
    words = silent.stdout + silent.stderr
    expect("odel" not in words and "not asked for" not in words, words)

    wrong = run("--operators", "NoSuchLoss")
    expect(wrong.returncode == 1 and "no operator has 'NoSuchLoss' in its name; there are aclnn" in wrong.stderr, wrong.stderr)
    none = run("--quick", "--threads", "0")
    expect(none.returncode == 2 and "--threads is 0, must be at least 1" in none.stderr, none.stderr)
    nowhere = subprocess.run([bench, "--build", build, "--output", str(output / "bench.json" / "x")], capture_output=True, text=True)
    expect(nowhere.returncode == 2 and "bench.json/x: Not a directory" in nowhere.stderr, nowhere.stderr)
    nothing = subprocess.run([bench, "--sdk", str(output / "absent")], capture_output=True, text=True)
    expect(nothing.returncode == 2 and "holds no lib/libopapi.so: build the project first" in nothing.stderr, nothing.stderr)
    print(f"{len(results['cases'])} cases of {len(measured)} operators")


main()
