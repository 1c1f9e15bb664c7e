#!/usr/bin/env python3
"""Bodies that are small as graphs and huge as trees.

  deep_bodies.py write [DEPTH]    operators whose values each use the one before twice
  deep_bodies.py count            per operator or variant of the standard input: how many ops its body has

A pass that follows uses without remembering where it was takes 2^DEPTH steps or
makes as many ops.
"""
import re
import sys

OPERATOR = """lossgrad.operator @{name}
    summary "" products [A2]
    dims [b... = broadcast(self)]
    params [in self : [b] real "const aclTensor *" dtypes {{[float32]}}, attr flag : bool "bool", attr a : real "float", attr c : real "float",
            out y : [b] real "aclTensor *" dtypes {{[float32]}}]
    contract {{}}
    body(%self: [b] real) {{
      %flag = attribute flag : bool
      %a = attribute a : real
      %c = attribute c : real
      %one = constant 1.0
{body}
      yield y = %y : [b] real
    }}
"""


def chain(depth, first, step):
    """`step` is a line with {new} and {old}; values of a chain have numbers for names, which are no names."""
    lines = [step.format(new=f"%{first}{i + 1}", old=f"%{first}{i}") for i in range(depth)]
    return lines


def operators(depth):
    def body(*lines):
        return "\n".join(f"      {line}" for line in lines)

    # A choice between two towers on the same data.
    yield "Merge", body("%p0 = mul %self, %a : [b] real, [] real", "%q0 = mul %self, %c : [b] real, [] real",
                        *chain(depth, "p", "{new} = add {old}, {old} : [b] real"), *chain(depth, "q", "{new} = add {old}, {old} : [b] real"),
                        f"%y = select %flag, %p{depth}, %q{depth} : [] bool, [b] real, [b] real")
    # The same, but it turns out at the bottom that they differ.
    yield "Differ", body("%p0 = exp %self : [b] real", "%q0 = mul %self, %c : [b] real, [] real",
                         *chain(depth, "p", "{new} = add {old}, {old} : [b] real"), *chain(depth, "q", "{new} = add {old}, {old} : [b] real"),
                         f"%y = select %flag, %p{depth}, %q{depth} : [] bool, [b] real, [b] real")
    # Uniform values: squares of squares, and choices between what was chosen before.
    yield "Squares", body("%u0 = add %a, %one : [] real", *chain(depth, "u", "{new} = mul {old}, {old} : [] real"),
                          "%m = mul %self, %c : [b] real, [] real", f"%n = clamp %m, %a, %u{depth} : [b] real, [] real, [] real",
                          f"%y = mul %n, %u{depth} : [b] real, [] real")
    yield "Choices", body("%u0 = add %a, %one : [] real",
                          *(line for i in range(depth) for line in (
                              f"%k{i} = constant {i}.0", f"%c{i} = compare gt %c, %k{i} : [] real", f"%s{i} = mul %u{i}, %c : [] real",
                              f"%u{i + 1} = select %c{i}, %u{i}, %s{i} : [] bool, [] real, [] real")),
                          f"%r = compare gt %u{depth}, %one : [] real", "%e = exp %self : [b] real",
                          f"%m = mul %self, %u{depth} : [b] real, [] real", "%y = select %r, %e, %m : [] bool, [b] real, [b] real")
    # Data: squares of squares, and one factor after the other.
    yield "Powers", body("%x0 = exp %self : [b] real", *chain(depth, "x", "{new} = mul {old}, {old} : [b] real"),
                         f"%y = mul %x{depth}, %a : [b] real, [] real")
    # The same of an input as it is, which may be one number for all.
    yield "Inputs", body("%x0 = mul %self, %a : [b] real, [] real", *chain(depth, "x", "{new} = mul {old}, {old} : [b] real"),
                         f"%y = mul %x{depth}, %self : [b] real")
    yield "Factors", body("%x0 = exp %self : [b] real", *chain(depth, "x", "{new} = mul {old}, %c : [b] real, [] real"),
                          f"%y = mul %x{depth}, %a : [b] real, [] real")


def write(depth):
    for name, body in operators(depth):
        # Names would be kept, and cut texts short; %0, %1, ... are none.
        numbers = {}
        for value in re.findall(r"%([a-z]\d+)\b", body):
            numbers.setdefault(value, str(len(numbers)))
        body = re.sub(r"%([a-z]\d+)\b", lambda match: "%" + numbers[match.group(1)], body)
        print(OPERATOR.format(name=name, body=body))


def count():
    text = sys.stdin.read()
    print(f"{len(text)} characters")
    for part in re.split(r"\n  lossgrad\.(?:operator|variant) @", text)[1:]:
        body = part[part.rindex("body("):]
        name = re.match(r"\w+", part).group()
        print(f"{name}: {sum(' = ' in line for line in body.splitlines())} ops")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    else:
        count()
