#!/usr/bin/env python3
"""Runs the emitted first phase of an operator and compares it with its contract.

    drive_phase1.py inner HEADER.h PROTO.h OUTPUT-DIR
    drive_phase1.py run --library LIB --header HEADER.h --record FILE.td --contract lossgrad-contract CALLS...

`inner` writes a stand-in for the function that the op build generates: it accepts every call and returns the number of strides as workspace size.
`run` makes each call (cases, one per line, or a plan of test/contract) through the library, on the product of the call, and compares status and message
with those of lossgrad-contract, and the strides with the ranks of the tensors. Ends with "N passed, N failed"; exit status 1 if any failed.
"""

import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "contract"))
import mutate

SOCS = {"A2": "Ascend910B1", "A3": "Ascend910_9391", "A310P": "Ascend310P3", "A910": "Ascend910A", "A950": "Ascend950PR_9599"}
DTYPES = {"float32": 0, "float": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8, "int64": 9, "uint64": 10,
          "float64": 11, "double": 11, "bool": 12, "complex64": 16, "complex128": 17, "bfloat16": 27}
FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "HWCN": 16, "NDHWC": 27, "FRACTAL_NZ": 29, "NCDHW": 30, "NC": 35, "NCL": 47}
SCALARS = {"int64_t": ctypes.c_int64, "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool}


def prototype(header):
    """Name of the API and its (C type, name) parameters."""
    with open(header) as file:
        match = re.search(r"aclnnStatus (aclnn\w+)GetWorkspaceSize\((.*?)\);", file.read(), re.S)
    parameters = [re.match(r"(.*?)(\w+)$", text.strip()).groups() for text in match.group(2).split(",")]
    return match.group(1), [(kind.strip(), name) for kind, name in parameters]


def write_inner(header, proto, folder):
    api, parameters = prototype(header)
    with open(proto) as file:
        text = file.read()
    outputs = set(re.findall(r"\.OUTPUT\((\w+),", text))
    kind = re.search(r"REG_OP\((\w+)\)", text).group(1)
    snake = lambda name: re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", re.sub("Optional$", "", name)).lower()
    tensors = [name for ctype, name in parameters if "aclTensor" in ctype]
    attributes = [({"float": "double", "const char *": "char *"}.get(ctype, ctype), name) for ctype, name in parameters
                  if ctype in SCALARS or "char" in ctype]
    declared = ["const aclTensor *" + name for name in tensors if snake(name) not in outputs]
    declared += [ctype + ("" if ctype.endswith("*") else " ") + name for ctype, name in attributes]
    lists = re.findall(r"\.ATTR\((\w+), ListInt,", text)
    declared += ["const aclIntArray *" + name for name in lists] + ["const aclTensor *" + name for name in tensors if snake(name) in outputs]
    declared += ["uint64_t *workspaceSize", "aclOpExecutor **executor"]
    base = os.path.join(folder, "aclnnInner_" + os.path.basename(proto).replace("_proto.h", ""))
    phase1 = f"extern \"C\" aclnnStatus aclnnInner{kind}GetWorkspaceSize({', '.join(declared)})"
    phase2 = f"extern \"C\" aclnnStatus aclnnInner{kind}(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)"
    with open(base + ".h", "w") as file:
        file.write(f'#include "aclnn/aclnn_base.h"\n{phase1};\n{phase2};\n')
    with open(base + ".cpp", "w") as file:
        file.write(f'#include "{os.path.basename(base)}.h"\n{phase1} {{ return aclGetIntArraySize(strides, workspaceSize); }}\n{phase2} {{ return OK; }}\n')


class Caller:
    """The library in this process, on the product that the environment names."""

    def __init__(self, library, header):
        self.library = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.api, self.parameters = prototype(header)
        self.library.aclCreateTensor.restype = ctypes.c_void_p
        self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.library.aclrtSetDevice(0)

    def tensor(self, described):
        if described is None or described.get("null"):
            return None
        shape = described["shape"]
        dims = (ctypes.c_int64 * len(shape))(*shape)
        strides = (ctypes.c_int64 * len(shape))(*described["strides"]) if "strides" in described else None
        storage = described.get("storage_shape", shape)
        return self.library.aclCreateTensor(
            dims, ctypes.c_uint64(len(shape)), DTYPES[described["dtype"]], strides, ctypes.c_int64(described.get("offset", 0)),
            FORMATS[described.get("format", "ND")], (ctypes.c_int64 * len(storage))(*storage), ctypes.c_uint64(len(storage)), None)

    def call(self, case):
        described = {each["name"]: each for group in ("inputs", "outputs") for each in case[group]}
        attributes = case.get("attrs", {})
        size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
        null = case.get("null_pointers", [])
        arguments, tensors = [], []
        for ctype, name in self.parameters:
            if name == "workspaceSize":
                arguments.append(None if name in null else ctypes.byref(size))
            elif name == "executor":
                arguments.append(None if name in null else ctypes.byref(executor))
            elif "aclTensor" in ctype:
                tensors.append(self.tensor(described.get(name)))
                arguments.append(ctypes.c_void_p(tensors[-1]))
            elif "char" in ctype:
                text = attributes.get(name)
                arguments.append(None if text is None else ctypes.c_char_p(text.encode()))
            else:
                value = attributes[name]
                arguments.append(SCALARS[ctype](float(value) if "float" in ctype or "double" in ctype else value))
        self.library.aclGetRecentErrMsg()
        status = getattr(self.library, self.api + "GetWorkspaceSize")(*arguments)
        message = self.library.aclGetRecentErrMsg()
        for tensor in tensors:
            self.library.aclDestroyTensor(ctypes.c_void_p(tensor))
        present = [each for each in described.values() if not each.get("null")]
        return {"id": case["id"], "status": status, "message": (message or b"").decode(), "strides": size.value,
                "ranks": sum(len(each["shape"]) for each in present)}


def read_calls(paths):
    calls = []
    for path in paths:
        with open(path) as file:
            if path.endswith(".jsonl"):
                calls += [json.loads(line) for line in file]
                continue
            plan = json.load(file)
        calls.append(dict(plan["base"], id="base"))
        for index, change in enumerate(plan["changes"]):
            calls.append(dict(mutate.mutated(plan["base"], change), id=f"change {index}"))
    return calls


def contract_rows(options, calls):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(call) + "\n" for call in calls)
        file.flush()
        done = subprocess.run([options.contract, "--json", options.record, file.name], capture_output=True, text=True)
    if done.returncode == 2:
        sys.exit("lossgrad-contract failed: " + done.stderr)
    return {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}


def run(options):
    calls = read_calls(options.calls)
    rows = contract_rows(options, [call for call in calls if call.get("level") != "kernel"])
    calls = {call["id"]: call for call in calls if call["id"] in rows}
    failed = 0
    for product in sorted({row["product"] for row in rows.values()}):
        chosen = [calls[key] for key, row in rows.items() if row["product"] == product]
        child = subprocess.run([sys.executable, __file__, "child", options.library, options.header], input=json.dumps(chosen), text=True,
                               stdout=subprocess.PIPE, env=dict(os.environ, LOSSGRAD_SOC=SOCS[product], LOSSGRAD_LOG_LEVEL="error"),
                               stderr=subprocess.DEVNULL)
        if child.returncode:
            sys.exit(f"the process for {product} ended with {child.returncode}")
        for got in json.loads(child.stdout):
            wanted = rows[got["id"]]
            right = got["status"] == wanted["status"] and wanted["message"] in got["message"]
            if right and got["status"] == 0 and got["strides"] != got["ranks"]:
                right = False
            if not right:
                failed += 1
                print(f"FAILED {got['id']} on {product}: {got}, the contract says {wanted['status']} \"{wanted['message']}\"")
    print(f"{len(calls) - failed} passed, {failed} failed")
    return 1 if failed or not calls else 0


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "inner":
        return write_inner(*sys.argv[2:])
    if len(sys.argv) > 1 and sys.argv[1] == "child":
        caller = Caller(*sys.argv[2:])
        print(json.dumps([caller.call(case) for case in json.load(sys.stdin)]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run"])
    for option in ("--library", "--header", "--record", "--contract"):
        parser.add_argument(option, required=True)
    parser.add_argument("calls", nargs="+")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
