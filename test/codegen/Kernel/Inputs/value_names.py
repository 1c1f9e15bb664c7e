"""value_names.py FOLDER: no tensor of the emitted kernels is called after a value
of the formula, or after a parameter, with a number behind it.

A number says that another tensor had the name already: then one of the two is
called after what it is not. Numbers remain where calls are alike that have no
name (product2).
"""
import pathlib
import re
import sys


def declared(text):
    """The names of all local tensors and buffers."""
    for names in re.findall(r"LocalTensor<\w+> ([^;=]*?)(?: = [^;]*)?;", text):
        yield from (name.strip() for name in names.split(","))
    for names in re.findall(r"TBuf<[\w:]+> ([^;]*);", text):
        yield from (name.strip().removesuffix("Buf") for name in names.split(","))


def is_numbered(name, known):
    match = re.fullmatch(r"(.*?)(F32|Ints)?\d+", name)
    return name not in known and bool(match) and match[1] in known


kernels = [path for path in pathlib.Path(sys.argv[1]).glob("op_kernel/arch*/*.h")
           if path.name not in ("lossgrad_tile.h", "lossgrad_rows.h", "lossgrad_index.h")]
count, wrong = 0, []
for path in sorted(kernels):
    text = path.read_text()
    known = set(re.findall(r"^ \*   (\w+) = ", text, re.M)) | set(re.findall(r"GM_ADDR (\w+)", text))
    for name in declared(text):
        count += 1
        if is_numbered(name, known):
            wrong.append(f"{path}: {name}")
print("\n".join(wrong))
print(f"{len(kernels)} files, {count} names, {len(wrong)} with a number")
sys.exit(bool(wrong) or len(kernels) < 60 or count < 10000)
