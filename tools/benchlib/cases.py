"""From the table to single cases: shapes, types, bytes and names."""
import dataclasses
import json
import pathlib

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
        return sum(acl.numel(t["shape"]) * acl.TYPE_BYTES[t["dtype"]] for t in self.tensors.values())


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
