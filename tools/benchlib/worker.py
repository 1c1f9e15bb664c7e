"""The measuring side of tools/bench, one process per task.

    worker.py profile < case.json     one call; the library's profile mode writes the model's result at exit
    worker.py wall < cases.json       fast mode beside PyTorch, one line of JSON per case

A process of its own because the library reads its mode from the environment
once, and because the memory of one operator should be gone before the next.
"""
import json
import statistics
import sys
import time

import acl
from cases import Case


def tensors_for(library, case):
    return {name: acl.Tensor(library, t["shape"], t["dtype"]) for name, t in case.tensors.items() if not t.get("host")}


def profile(sdk, case, operators=None):
    library = acl.Library(sdk, operators)
    acl.Call(library, case.function, tensors_for(library, case), case.attributes).run()


# --- Beside PyTorch -----------------------------------------------------------

def names_for(torch):
    """What expressions of the table may use beside the tensors."""
    import torch.nn.functional as F
    return {"F": F, "torch": torch}


def fill(torch, tensor, all_tensors, before):
    """Data of one tensor; what the kinds mean is in operators.json."""
    dtype = getattr(torch, tensor["dtype"])
    shape, kind = tensor["shape"], tensor.get("fill", "normal")
    if "below" in tensor:
        return torch.randint(0, tensor["below"], shape, dtype=dtype)
    if kind.startswith("= "):
        return eval(kind[2:], {**names_for(torch), **before}).to(dtype).contiguous()
    if kind == "bits":
        return torch.randint(2, shape).to(dtype)
    if kind == "signs":
        return (torch.randint(2, shape) * 2 - 1).to(dtype)
    if kind in ("zeros", "ones"):
        return torch.full(shape, float(kind == "ones"), dtype=dtype)
    if kind == "count-of-target":
        return torch.full(shape, float(acl.numel(all_tensors["target"]["shape"])), dtype=dtype)
    if kind == "unit":
        return torch.rand(shape, dtype=torch.float32).to(dtype)
    if kind == "positive":
        return (torch.rand(shape, dtype=torch.float32) + 0.5).to(dtype)
    if kind == "log-softmax":
        data = torch.randn(shape, dtype=torch.float32)
        return torch.log_softmax(data, dim=1 if len(shape) > 1 else -1).to(dtype)
    if kind == "normal":
        return torch.randn(shape, dtype=torch.float32).to(dtype)
    raise ValueError(f"unknown fill '{kind}'")


def interleaved(first, second, least_runs, least_seconds):
    """Times of both in turn, so that a change of the machine's load meets both; the second may be missing."""
    sides = (first, second) if second else (first,)
    for run in sides:
        run()  # pages, caches, thread pools
    times = ([], [])
    end = time.perf_counter() + least_seconds
    while len(times[0]) < least_runs or (time.perf_counter() < end and len(times[0]) < 25):
        for run, into in zip(sides, times):
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            into.append((time.perf_counter() - wall, time.process_time() - cpu))
    return times


def summary(name, times):
    """Best and median wall-clock, best processor time, in ms."""
    walls, cpus = zip(*times)
    return {f"{name}Ms": min(walls) * 1e3, f"{name}MedianMs": statistics.median(walls) * 1e3, f"{name}CpuMs": min(cpus) * 1e3}


def difference(torch, ours, theirs):
    """Largest difference, as a share of the largest magnitude."""
    largest, scale = 0.0, 0.0
    for a, b in zip(ours.flatten().split(1 << 24), theirs.flatten().split(1 << 24)):
        largest = max(largest, (a.float() - b.float()).abs().max().item())
        scale = max(scale, b.float().abs().max().item())
    return largest / scale if scale else largest


def torch_backward(torch, case, host):
    """The backward to time, or nothing and the reason: not every loss has every type on a CPU."""
    leaves = [host[name].requires_grad_() for name in case.leaf.split()]
    try:
        loss = eval(case.torch, {**names_for(torch), **host})
        grad = host[case.grad].reshape(loss.shape)
        backward = lambda: torch.autograd.grad(loss, leaves, grad, retain_graph=True)[0]
        backward()
    except RuntimeError as error:
        if "not implemented for" not in str(error):
            raise
        return None, f"PyTorch has no {case.dtype} here"
    return backward, ""


def wall_case(torch, library, case, settings):
    torch.manual_seed(1)
    host = {}
    for name, t in case.tensors.items():
        if name != case.result:
            host[name] = fill(torch, t, case.tensors, host)
    device = tensors_for(library, case)
    for name in device.keys() & host.keys():
        tensor = host[name]
        library.upload(device[name].address, tensor.data_ptr(), device[name].size)
    call = acl.Call(library, case.function, device, case.attributes)

    backward, why = torch_backward(torch, case, host)
    ours, theirs = interleaved(call.run, backward, settings["runs"], settings["seconds"])
    shown = {"case": case.name, "runs": len(ours), **summary("fast", ours)}
    if backward:
        result = torch.empty(case.tensors[case.result]["shape"], dtype=getattr(torch, case.dtype))
        library.download(result.data_ptr(), device[case.result].address, device[case.result].size)
        shown.update(**summary("torch", theirs), difference=difference(torch, result, backward()))
    else:
        shown["noTorch"] = why
    if call.workspace:
        library.free(call.workspace)
    for tensor in device.values():
        tensor.release()
    return shown


def wall(sdk, cases, settings):
    import torch
    torch.set_num_threads(settings["threads"])
    library = acl.Library(sdk)
    for case in cases:
        try:
            line = wall_case(torch, library, case, settings)
        except (acl.AclError, RuntimeError, NotImplementedError, MemoryError) as error:
            line = {"case": case.name, "error": str(error).splitlines()[0]}
        print(json.dumps(line), flush=True)


def main():
    task = json.load(sys.stdin)
    cases = [Case(**case) for case in task["cases"]]
    if sys.argv[1] == "profile":
        try:
            profile(task["sdk"], cases[0], task.get("operators"))
        except acl.AclError as error:
            sys.exit(f"{error}")
    else:
        wall(task["sdk"], cases, task["settings"])


if __name__ == "__main__":
    main()
