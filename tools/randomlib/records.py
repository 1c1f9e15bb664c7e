"""Records whose formulas are drawn at random.

A `Space` says which tensors there are and which dims they have, a `Taste` which
of the possible formulas to draw, and `Record` draws one record. To draw
something new, add a method that returns an expression to `Record.KINDS`
(values) or `Record.CONDITIONS`, or a `Space`. The same seed gives the same text.

Expressions know whether they are uniform and which dims they have, because a
record may not mix them freely: a result must depend on data in every call,
otherwise there is nothing to launch, and formulas keep to regions where float32
and float64 agree: a condition compares inputs and uniform values, never
what was rounded before, exponents are clamped, divisors are kept from zero.
"""
import random
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Expression:
    text: str
    dims: frozenset = frozenset()
    data: bool = False


@dataclass(frozen=True)
class Space:
    """Dims of a record, its tensors (name: dims), the dims of results and what
    may be reduced; `checks` gives the checks of shapes for a list of outputs."""
    dims: str
    tensors: dict
    result: list
    checks: callable
    attributes: str = ""
    reducible: tuple = ()
    onto: str = ""  # the part of a pack onto which the first result is summed
    classes: bool = False  # `target` has a class of axis c for each row of axis n


def quoted(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def elementwise(count, optional):
    """One broadcast pack; inputs called w0, w1, ... may be null."""
    names = ["self", "target", "gradOut"][:count]
    extra = [f"w{i}" for i in range(optional)]

    def checks(outputs):
        listed = [f"RankAtMost<8, {quoted(names)}>", f"BroadcastCheck<{quoted(names)}>"]
        listed += [f'IfPresent<"{w}", [DtypeCheck<["{w}"]>, RankAtMost<8, ["{w}"]>, BroadcastsInto<"{w}", {quoted(names)}>]>' for w in extra]
        listed += [f'BroadcastShapeIs<{quoted(names)}, "{out}">' for out in outputs]
        empty = ", ".join(f"(empty ${n})" for n in names)
        return listed + [f"DoneIf<(or {empty})>"]

    tensors = {name: ["b"] for name in names + extra}
    return Space(f'[BroadcastPack<"b", {quoted(names + extra)}>]', tensors, ["b"], checks)


def rows():
    """Two named axes, sums over either."""
    def checks(outputs):
        return ['RankIs<2, ["gradOut", "self"]>', 'RankIs<1, ["perRow", "perClass"]>', 'SameShape<"self", ["gradOut"]>',
                'AxesEqual<"perRow", [0], "self", [0]>', 'AxesEqual<"perClass", [0], "self", [1]>', f'SameShape<"self", {quoted(outputs)}>',
                "DoneIf<(empty $self)>"]

    tensors = {"gradOut": ["n", "c"], "self": ["n", "c"], "perRow": ["n"], "perClass": ["c"]}
    return Space('[Axis<"n">, Axis<"c">]', tensors, ["n", "c"], checks, reducible=("c", "n"))


def classes():
    """A class for each row: look-ups, one-hot choices, rows that do not count, sums over one axis or over all rows."""
    def checks(outputs):
        return ['RankIs<2, ["gradOut", "self"]>', 'RankIs<1, ["perRow", "perClass", "target"]>', 'SameShape<"self", ["gradOut"]>',
                'AxesEqual<"perRow", [0], "self", [0]>', 'AxesEqual<"target", [0], "self", [0]>', 'AxesEqual<"perClass", [0], "self", [1]>',
                f'SameShape<"self", {quoted(outputs)}>', "DoneIf<(empty $self)>"]

    tensors = {"gradOut": ["n", "c"], "self": ["n", "c"], "perRow": ["n"], "perClass": ["c"]}
    return Space('[Axis<"n">, Axis<"c">]', tensors, ["n", "c"], checks, attributes='Attr<"ignored", "int64_t", "a class without gradient", "-100">, ',
                 reducible=("c",), classes=True)


def split():
    """One axis that an attribute names, with packs on both sides."""
    def checks(outputs):
        return ['RankAtMost<8, ["gradOut", "self"]>', f'SameShape<"self", {quoted(["gradOut"] + outputs)}>', 'AttrIsAxis<"dim", "self">',
                "DoneIf<(empty $self)>"]

    dims = ["a1", "r", "a0"]
    return Space('[Pack<"a1">, SplitAt<"r", "dim">, Pack<"a0">]', {"gradOut": dims, "self": dims}, dims, checks,
                 attributes='Attr<"dim", "int64_t", "the axis">, ', reducible=("r",))


def onto():
    """One broadcast pack; the first result has the shape of self."""
    names = ["self", "target", "gradOut"]

    def checks(outputs):
        listed = [f"RankAtMost<8, {quoted(names)}>", f"BroadcastCheck<{quoted(names)}>", f'SameShape<"self", ["{outputs[0]}"]>']
        return listed + [f'BroadcastShapeIs<{quoted(names)}, "{out}">' for out in outputs[1:]] + ["DoneIf<(empty $self)>"]

    return Space(f'[BroadcastPack<"b", {quoted(names)}>, PartOf<"v", "b", "self">]', {name: ["b"] for name in names}, ["b"], checks, onto="v")


@dataclass
class Taste:
    outputs: int = 2         # at most
    optional: int = 1        # optional inputs, at most
    depth: int = 3
    splits: int = 2          # uniform conditions that choose between computations, at most
    wild: bool = False       # constants and factors at the ends of the range
    unnamed: bool = False    # uniform values without a name of their own
    reductions: str = ""     # "rows" or "split": sums and maxima over an axis; "onto": sums onto the shape of an input; "classes": look-ups by class
    dtypes: str = "OnlyFloat32"
    product: str = "A2"


RECORD = """include "Base.td"
def {name} : LossBackward<"{name}"> {{
  let summary = "Formulas drawn at random.";
  let products = [{product}];
  let dims = {dims};
  let params = [
    {params}];
  let checks = [
    {checks}];
{fields}
  let results = (outs {results});
}}
"""
TAME = ['"0.5"', '"2.0"', '"-1.0"', '"0.1"', '"3.0"', '"-0.75"']
WILD = ['"1e30"', '"1e-30"', '"-1e19"', '"3e38"', '"1.2e-38"', '"1e60"', '"1e-60"', '"16777217.0"', '"0.0"']


class Record:
    KINDS = ["sum", "sum", "product", "product", "scaled", "scaled", "quotient", "limit", "clamped", "unary", "choice", "choice", "shared", "shared",
             "square", "safe", "reduced"]
    OF_CLASSES = ["looked_up", "looked_up", "hit", "hit", "counted", "averaged"]
    CONDITIONS = ["compare", "compare", "attribute", "size", "present", "logic", "logic", "inverse"]

    def __init__(self, seed, taste):
        self.random = random.Random(seed)
        self.taste = taste
        pick = self.random.randint
        self.optional = pick(0, taste.optional)
        if taste.reductions:
            self.optional = 0
            self.space = {"rows": rows, "split": split, "onto": onto, "classes": classes}[taste.reductions]()
        else:
            self.space = elementwise(pick(2, 3), self.optional)
        self.kinds = self.KINDS + (self.OF_CLASSES if self.space.classes else [])
        self.attributes = []
        for kind in self.random.sample(["float", "float", "double", "int64_t", "bool"], pick(1, 4)):
            self.attributes.append((f"{kind[0]}{len(self.attributes)}", kind))
        self.fields, self.shared, self.conditions, self.uniforms = [], [], [], []
        self.splits, self.counted = 0, {}

    # Pieces

    def field(self, prefix, text):
        name = f"{prefix}{sum(line.startswith(f'  dag {prefix}') for line in self.fields)}"
        self.fields.append(f"  dag {name} = {text if text.startswith('(') else f'(value {text})'};")
        return "$" + name

    def constant(self):
        return self.random.choice(WILD + TAME if self.taste.wild else TAME)

    def leaf(self):
        name = self.random.choice(list(self.space.tensors))
        dims = frozenset(self.space.tensors[name])
        if name.startswith("w"):  # optional: read only where it is there; what stands for it is data, and a float32
            return self.once(f"(select (present ${name}), ${name}, {self.random.choice(TAME)})", dims)
        return Expression("$" + name, dims, True)

    def once(self, text, dims):
        """An expression that has one name wherever it is used."""
        for known in self.shared:
            if known[0] == text:
                return known[1]
        value = Expression(self.field("v", text), dims, False)
        self.shared.append((text, value))
        return value

    def data(self):
        """An input that is always there, with all dims of the results."""
        full = [n for n, dims in self.space.tensors.items() if dims == self.space.result and not n.startswith("w")]
        return Expression("$" + self.random.choice(full), frozenset(self.space.result), True)

    # Uniform values and conditions

    def uniform(self, depth):
        numbers = ["$" + n for n, kind in self.attributes if kind in ("float", "double")]
        if depth == 0:
            return self.random.choice(numbers * 2 + [self.constant(), '(div 1, (numel $self))', "$k"]) if numbers else self.constant()
        x, y = self.uniform(depth - 1), self.uniform(depth - 1)
        kinds = [f"(mul {x}, {y})", f"(add {x}, {y})", f"(sub {x}, {y})", f"(div {x}, {y})", f"(min {x}, {y})", f"(max {x}, {y})", f"(abs {x})", f"(sign {x})",
                 f"(sqrt (abs {x}))", f"(clamp {x}, -2, 2)", f"(mul {x}, {x})", f"(to_real (to_int {x}))",
                 f"(select {self.uniform_condition(1)}, {x}, {y})", f"(select {self.uniform_condition(1)}, {x}, {y})"]
        ints = ["$" + n for n, kind in self.attributes if kind == "int64_t"]
        kinds += [f"(to_real {i})" for i in ints]
        text = self.random.choice(kinds)
        if self.random.random() < 0.3 and self.uniforms:
            return self.random.choice(self.uniforms)
        if not self.taste.unnamed:
            text = self.field("u", text)
            self.uniforms.append(text)
        return text

    def uniform_condition(self, depth):
        kind = self.random.choice(self.CONDITIONS)
        tensor = self.random.choice(list(self.space.tensors))
        flags = ["$" + n for n, type in self.attributes if type == "bool"]
        if depth > 0 and kind == "logic":
            return f"({self.random.choice(['and', 'or'])} {self.uniform_condition(depth - 1)}, {self.uniform_condition(depth - 1)})"
        if depth > 0 and kind == "inverse":
            return f"(not {self.uniform_condition(depth - 1)})"
        if kind == "present" and self.optional:
            return f"(present $w{self.random.randrange(self.optional)})"
        if kind == "size":
            return f"(eq (numel ${tensor}), 1)" if not tensor.startswith("w") else "(is $reduction, \"sum\")"
        if kind == "attribute":
            return self.random.choice(flags + ['(is $reduction, "mean")', '(is $reduction, "none")'])
        relation = self.random.choice(["lt", "le", "gt", "ge", "eq", "ne"])
        name, type = self.random.choice(self.attributes)
        if type == "bool":
            return "$" + name
        return f"({relation} ${name}, {self.random.choice(['0', '1', '2'] if type == 'int64_t' else ['0', '1', chr(34) + '0.5' + chr(34)])})"

    def choice_condition(self):
        """A uniform condition that chooses between computations; only a few, as each may double the variants."""
        if self.splits < self.taste.splits:
            self.splits += 1
            self.conditions.append(self.field("c", self.uniform_condition(2)))
        if not self.conditions:
            return None
        condition = self.random.choice(self.conditions)
        if self.random.random() > 0.2:
            return condition
        inverse = f"(not {condition})"
        return inverse if self.taste.unnamed else self.field("c", inverse)

    def condition(self):
        """A condition on data, with or without a uniform part."""
        a = self.leaf()
        b = self.leaf() if self.random.random() < 0.5 else Expression(self.uniform(1))
        text = f"({self.random.choice(['lt', 'le', 'gt', 'ge', 'eq', 'ne'])} {a.text}, {b.text})"
        roll = self.random.random()
        if roll < 0.2:
            text = f"(not {text})"
        elif roll < 0.4 and (uniform := self.choice_condition()):
            text = f"({self.random.choice(['and', 'or'])} {text}, {uniform})"
        elif roll < 0.6:
            c, d = self.leaf(), self.leaf()
            text = f"({self.random.choice(['and', 'or'])} {text}, (gt {c.text}, {d.text}))"
            a = Expression(a.text, a.dims | c.dims | d.dims)
        return Expression(text, a.dims | b.dims)

    # Values

    def value(self, depth):
        if depth == 0:
            return self.leaf() if self.random.random() < 0.75 else Expression(self.uniform(self.random.randint(0, 1)))
        return getattr(self, "draw_" + self.random.choice(self.kinds))(depth)

    def root(self):
        """The value of a result; classes are part of it where there are any."""
        kinds = self.OF_CLASSES if self.space.classes else self.kinds
        return getattr(self, "draw_" + self.random.choice(kinds))(self.taste.depth)

    def both(self, operator, depth):
        a, b = self.value(depth - 1), self.value(depth - 1)
        return Expression(f"({operator} {a.text}, {b.text})", a.dims | b.dims)

    def draw_sum(self, depth):
        return self.both(self.random.choice(["add", "sub"]), depth)

    def draw_product(self, depth):
        return self.both("mul", depth)

    def draw_limit(self, depth):
        return self.both(self.random.choice(["min", "max"]), depth)

    def draw_scaled(self, depth):
        x = self.value(depth - 1)
        factors = ", ".join(self.uniform(self.random.randint(0, 2)) for _ in range(self.random.randint(1, 3)))
        return Expression(f"(mul {x.text}, {factors})", x.dims)

    def draw_quotient(self, depth):
        x = self.value(depth - 1)
        text = f"(div {x.text}, {self.uniform(1)})"
        if self.random.random() < 0.3:
            text = f"(div {text}, {self.uniform(0)})"
        return Expression(text, x.dims)

    def draw_safe(self, depth):
        x, y = self.value(depth - 1), self.leaf()
        return Expression(f"(div {x.text}, (add 1, (abs {y.text})))", x.dims | y.dims)

    def draw_clamped(self, depth):
        x = self.value(depth - 1)
        bounds = self.random.choice(["-1, 1", "1, -1", f"{self.uniform(0)}, {self.uniform(0)}", f"0, {self.uniform(1)}"])
        text = f"(clamp {x.text}, {bounds})"
        if self.random.random() < 0.6:
            text = f"(mul {text}, {self.random.choice(['-2', self.uniform(0), self.constant()])})"
        return Expression(text, x.dims)

    def draw_unary(self, depth):
        x, leaf = self.value(depth - 1), self.leaf()
        text, dims = self.random.choice([
            (f"(neg {x.text})", x.dims), (f"(abs {x.text})", x.dims), (f"(sqrt (abs {x.text}))", x.dims), (f"(exp (clamp {x.text}, -3, 3))", x.dims),
            (f'(log (max (abs {x.text}), "1e-3"))', x.dims), (f"(sign {leaf.text})", leaf.dims), (f"(sigmoid (clamp {x.text}, -8, 8))", x.dims)])
        return Expression(text, dims)

    def draw_square(self, depth):
        x = self.value(depth - 1)
        return Expression(f"(square {x.text})", x.dims)

    def draw_choice(self, depth):
        a, b = self.value(depth - 1), self.value(depth - 1)
        uniform = self.choice_condition() if self.random.random() < 0.6 else None
        condition = Expression(uniform) if uniform else self.condition()
        if self.random.random() < 0.2:  # equal work with other coefficients
            b = Expression(f"(mul {a.text}, {self.uniform(0)})", a.dims)
            a = Expression(f"(mul {a.text}, {self.uniform(0)})", a.dims)
        return Expression(f"(select {condition.text}, {a.text}, {b.text})", condition.dims | a.dims | b.dims)

    def draw_shared(self, depth):
        values = [value for _, value in self.shared]
        if values and self.random.random() < 0.6:
            return self.random.choice(values)
        x = self.value(depth - 1)
        return self.once(x.text, x.dims) if x.text.startswith("(") else x

    def draw_reduced(self, depth):
        over = [dim for dim in self.space.reducible]
        if not over:
            return self.draw_sum(depth)
        x = self.value(depth - 1)
        dim = self.random.choice(over)
        if dim not in x.dims:
            return x
        operator = self.random.choice(["sum", "sum", "reduce_max", "reduce_min"])
        return self.once(f"({operator} {x.text}, ${dim})", x.dims - {dim})

    # Values by class

    def counts(self):
        """Which rows count."""
        whole = "(and (ge $target, 0), (lt $target, (extent $c)))"
        text = self.random.choice([whole, f"(and (ne $target, $ignored), {whole[5:-1]})", "(ne $target, $ignored)", "(eq $target, 1)"])
        if text not in self.counted:
            self.counted[text] = Expression(self.field("valid", text), frozenset("n"))
        return self.counted[text]

    def draw_looked_up(self, depth):
        table = self.leaf() if self.random.random() < 0.8 else self.value(depth - 1)
        if "c" not in table.dims:
            return table
        otherwise = self.random.choice(["0", '"-0.5"', "$perRow"])
        return self.once(f"(gather {table.text}, $target, $c, {otherwise})", (table.dims - {"c"}) | {"n"})

    def draw_hit(self, depth):
        if self.random.random() < 0.3:
            return Expression("(to_real (onehot $target, $c))", frozenset("nc"))
        a, b = self.value(depth - 1), self.value(depth - 1)
        return Expression(f"(select (onehot $target, $c), {a.text}, {b.text})", frozenset("nc"))

    def draw_counted(self, depth):
        a, b, counts = self.value(depth - 1), self.value(depth - 1), self.counts()
        return Expression(f"(select {counts.text}, {a.text}, {b.text})", a.dims | b.dims | counts.dims)

    def draw_averaged(self, depth):
        """Divided by what is summed over all rows."""
        x, counts = self.value(depth - 1), self.counts()
        weight = self.random.choice(['"1.0"', "$perRow", "(gather $perClass, $target, $c, 0)"])
        total = self.once(f"(sum (select {counts.text}, (abs {weight}), 0), $n)", frozenset())
        return Expression(f"(div {x.text}, (add 1, {total.text}))", x.dims)

    # The record

    def used_fields(self, results):
        """Some were drawn and then not taken."""
        lines = {line.split()[1]: line for line in self.fields}
        wanted, pending = set(), list(results)
        while pending:
            for name in re.findall(r"\$(\w+)", pending.pop()):
                if name in lines and name not in wanted:
                    wanted.add(name)
                    pending.append(lines[name].split("=", 1)[1])
        return [line for name, line in lines.items() if name in wanted]

    def text(self, name):
        self.fields.append('  dag k = (select (is $reduction, "mean"), (div 1, (numel $self)), 1);')
        outputs = [f"out{i}" for i in range(self.random.randint(1, self.taste.outputs))]
        results = []
        for i, output in enumerate(outputs):
            x = self.root()
            # Different outputs have different values, and all depend on data.
            results.append(f"({self.random.choice(['add', 'mul'])} {x.text}, {self.data().text}):${output}" if i == 0 else
                           f'(add (mul {self.data().text}, "{i}.5"), {x.text}):${output}')
        shapes = {output: self.space.result for output in outputs}
        if self.space.onto:
            value, stored = results[0].rsplit(":", 1)
            results[0] = f"(sum_onto {value}, ${self.space.onto}):{stored}"
            shapes[outputs[0]] = [self.space.onto]
        tensors = self.space.tensors
        fields = self.used_fields(results)
        params = [f'{"OptionalIn" if n.startswith("w") else "In"}<"{n}", {self.taste.dtypes}, {quoted(dims)}, "input">' for n, dims in tensors.items()]
        if self.space.classes:
            params.append('In<"target", ClassIndices, ["n"], "classes">')
        params.append(self.space.attributes + 'ReductionAttr<["none", "mean", "sum"]>')
        defaults = {"float": "0.5", "double": "0.25", "int64_t": "1", "bool": "true"}
        params += [f'Attr<"{n}", "{kind}", "a number", "{defaults[kind]}">' for n, kind in self.attributes]
        params += [f'Out<"{o}", {self.taste.dtypes}, {quoted(shapes[o])}, "result">' for o in outputs]
        required = ["target"] * self.space.classes + [name for name in tensors if not name.startswith("w")] + outputs
        checks = ["ArgPointers", f"NullCheck<{quoted(required)}>", "ProductCheck", f"DtypeCheck<{quoted(required)}>",
                  'ChoiceCheck<"reduction", ["none", "mean", "sum"]>'] + self.space.checks(outputs)
        return RECORD.format(name=name, product=self.taste.product, dims=self.space.dims, params=",\n    ".join(params), checks=",\n    ".join(checks),
                             fields="\n".join(fields), results=", ".join(results))
