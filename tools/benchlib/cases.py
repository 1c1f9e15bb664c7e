"""From the table to single cases: shapes, types, bytes and names."""
import dataclasses
import json
import pathlib
import re

import acl

TABLE = pathlib.Path(__file__).with_name("operators.json")


@dataclasses.dataclass
class Case:
    function: str
    variant: str
    dtype: str
    shape: list
    tensors: dict      # name -> {"shape", "dtype", "fill", ...}
    attributes: dict
    torch: str         # forward expression, may be empty
    leaf: str
    grad: str
    result: str

    @property
    def name(self):
        return f"{self.function} {self.variant} {self.dtype} {'x'.join(map(str, self.shape))}"

    @property
    def bytes(self):
        return sum(acl.numel(t["shape"]) * acl.TYPE_BYTES[t["dtype"]] for t in self.tensors.values() if not t.get("host"))


def named(part, functions):
    """The functions that are called so, by their whole names or without aclnn and
    what all of them end with; or else those that have it in their names."""
    part = part.lower()
    short = lambda name: re.sub("^aclnn", "", name).lower()
    for means in (lambda name: part in (name.lower(), short(name)),
                  lambda name: re.fullmatch(re.escape(part) + "(loss)?(backward|grad)", short(name)),
                  lambda name: part in name.lower()):
        found = {name for name in functions if means(name)}
        if found:
            return found
    return set()


def expand(description, shape, dtype):
    axes = description.get("axes", "all")
    tensor = dict(description)
    tensor["shape"] = list(shape) if axes == "all" else [shape[axis] for axis in axes]
    tensor["dtype"] = description.get("dtype", dtype)
    if "below" in description:
        tensor["below"] = shape[description["below"]]
    return tensor


def read_table(path=TABLE):
    table = json.loads(pathlib.Path(path).read_text())
    for key in ("dtypes", "shapes", "quick", "operators"):
        if key not in table:
            raise ValueError(f"{path}: '{key}' is missing")
    return table


def cases_of(operator, table, quick):
    """All cases of one row of the table."""
    for variant in operator["cases"]:
        for shape in table["quick" if quick else "shapes"][operator["shapes"]]:
            for dtype in table["dtypes"]:
                described = {**operator["tensors"], **variant.get("tensors", {})}
                yield Case(
                    function=operator["function"], variant=variant["name"], dtype=dtype, shape=shape,
                    tensors={name: expand(t, shape, dtype) for name, t in described.items()},
                    attributes=variant["attributes"], torch=variant.get("torch", ""),
                    leaf=operator["leaf"], grad=operator["grad"], result=operator["result"])
