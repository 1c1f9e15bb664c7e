"""Own cases of operators with a reduced axis or several."""
import itertools
import math

from suite import FLOATS, INVALID, NULL, Suite, expanded, sliced, stepped, tensor, transposed


def along_an_axis(s):
    """What every operator with one reduced axis has to stand: every kernel, tails of the axis, views, types, special values."""
    first, second = s.inputs
    # The axis last: many rows per tile, one row resident, read twice, split over cores; tails everywhere.
    for dtype, r in itertools.product(FLOATS, (1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 511, 513, 2039, 2041, 4097)):
        s.shaped(f"rows/{dtype}/{r}", [73 if r < 512 else 5, r], dtype, dim=-1)
    for dtype, shape in itertools.product(FLOATS, ([50, 7001], [25, 15001], [49, 20011], [50, 37003], [49, 50021], [49, 80021], [1, 16384], [3, 100003], [20, 33001])):
        s.shaped(f"long/{dtype}/{'x'.join(map(str, shape))}", shape, dtype, dim=1)
    # The axis first or in the middle.
    for dtype, shape in itertools.product(FLOATS, ([4, 2], [7, 65], [64, 16, 64], [3, 5, 33], [2, 248, 17], [2, 249, 17], [3, 1001, 5], [2, 7, 4099], [1, 3, 1], [5, 1, 9])):
        s.shaped(f"columns/{dtype}/{'x'.join(map(str, shape))}", shape, dtype, dim=len(shape) - 2)
    # Shapes of the vendor's lists, none of them large.
    for shape, dim in (([4, 2], 0), ([20000, 4], 1), ([9, 20], 1), ([2, 2, 20], 2), ([1396, 194], 0), ([77, 1111], 0), ([3, 14109], 1), ([4, 21376], 1),
                       ([3, 1, 10, 5, 13, 9, 23], 5), ([2, 2, 2, 234, 2, 2, 2, 3], 3), ([43, 43, 43], 1), ([92, 8, 92], 1), ([21053, 21], 1), ([10035, 11], 1)):
        s.shaped(f"shape/{'x'.join(map(str, shape))}", shape, FLOATS[shape[0] % 3], dim=dim)
    for rank in range(9):
        shape = [(2, 3, 1, 2, 4, 1, 3, 5)[i] for i in range(rank)]
        s.shaped(f"rank/{rank}", shape, FLOATS[rank % 3], dim=rank // 2 if rank else 0)
        s.shaped(f"rank/{rank}/from-end", shape, FLOATS[rank % 3], dim=-1)
    s.refused("rank/9", shapes=[1] * 9, dim=0)
    for dim in (2, -3, 2**40):
        s.refused(f"dim/{dim}", dim=dim)
    for name, shape in {"axis": [3, 0], "rows": [0, 3], "all": [0, 0]}.items():
        s.shaped(f"empty/{name}", shape, dim=1)
    views = {"transposed": transposed, "sliced": sliced, "stepped": stepped}
    for (name, view), dtype, dim in itertools.product(views.items(), FLOATS, (0, 1, 2)):
        shape = [5, 6, 35]
        s.shaped(f"view/{name}/{dtype}/{dim}", shape, dtype, views={n: view(shape) for n in s.inputs}, dim=dim)
        s.shaped(f"view/{name}-one/{dtype}/{dim}", shape, dtype, views={first: view(shape)}, dim=dim)
        s.shaped(f"view/{name}-out/{dtype}/{dim}", shape, dtype, out_view=view(shape), dim=dim)
    for dim in (0, 1):
        s.shaped(f"view/columns-dense/{dim}", [5, 4], views={n: {"strides": [1, 5], "storage_shape": [4, 5]} for n in s.inputs}, dim=dim)
        s.shaped(f"view/expanded/{dim}", [6, 67], views={first: expanded([6, 67], [dim])}, dim=1)
        s.shaped(f"view/expanded-first/{dim}", [6, 67], "bfloat16", views={first: expanded([6, 67], [dim])}, dim=0)
        s.shaped(f"view/one-number/{dim}", [6, 67], views={first: expanded([6, 67], [0, 1])}, dim=dim)
    for (dtype, out), dim in itertools.product(itertools.permutations(FLOATS, 2), (0, 1)):
        s.shaped(f"mix/{dtype}-{out}/{dim}", [9, 130], [dtype, dtype, out], dim=dim)
        s.shaped(f"mix/{dtype}-{out}/{dim}/long", [3, 9001] if dim else [9001, 3], [dtype, dtype, out], dim=dim)
    for name, values in {"nan": ["nan", 1, 2, 3], "inf": ["inf", "-inf", 1, 2], "one-inf": ["inf", 1, 2, 3], "large": [1e38, 1e38, 1, 1], "tiny": [1e-40, -1e-40, 1e-45, 0]}.items():
        for n, dim in itertools.product(s.inputs, (0, 1)):
            rows = values + [0.5, -0.5, 0.25, 1]
            s.shaped(f"special/{n}/{name}/{dim}", [2, 4], contents={n: {"values": rows}}, dim=dim)
    for name in s.inputs:
        tensors = [tensor(n, [2, 3], range=[0, 1]) for n in s.inputs]
        tensors[s.inputs.index(name)] = {"name": name, "null": True}
        s.add(f"null/{name}", tensors, tensor(s.output, [2, 3]), status=NULL, kind="validate", dim=0)
    s.add("null/result", [tensor(n, [2, 3], range=[0, 1]) for n in s.inputs], {"name": s.output, "null": True}, status=NULL, kind="validate", dim=0)
    for pointer in ("workspaceSize", "executor"):
        s.refused(f"null/{pointer}", NULL, pointers=[pointer], dim=0)
    s.refused("shape/output", out_shape=[3, 2], dim=0)
    s.refused("shape/inputs", shapes=[[2, 3], [2, 4]], out_shape=[2, 3], dim=0)
    s.refused("dtype/mixed", dtypes=["float32", "float16", "float32"], dim=0)
    for dtype in ("int32", "float64"):
        s.refused(f"dtype/{dtype}", dtypes=[dtype] * 3, dim=0)


def log_softmax():
    s = Suite("log_softmax_backward", "aclnnLogSoftmaxBackward", ["gradOutput", "output"], "out", difference=True, dim=-1)
    along_an_axis(s)
    # The document's example, along both axes, and genuine log-probabilities of the logits 1, 2, 3.
    for dim in (0, 1):
        s.shaped(f"document/{dim}", [4, 2], contents={"gradOutput": {"values": [0, 1, 2, 3, 4, 5, 6, 7]}, "output": {"values": [1, 1, 1, 2, 2, 2, 3, 3]}}, dim=dim)
    s.shaped("genuine", [3], contents={"gradOutput": {"values": [0.1, -0.2, 0.4]}, "output": {"values": [-2.40760596, -1.40760596, -0.40760596]}}, dim=0)
    for r in (10, 1000, 50000): # equal logits
        s.shaped(f"genuine/{r}", [5, r], contents={"output": {"range": [-math.log(r), -math.log(r)]}}, dim=1)
    s.shaped("overflow", [4, 64], contents={"output": {"range": [85, 95]}}, dim=1)
    s.shaped("masked", [2, 4], contents={"output": {"values": ["-inf", -0.7, -0.7, "-inf", "-inf", "-inf", "-inf", 0]}}, dim=1)
    # Empty calls are done before anything else is looked at: no row of the definition has these dtypes, and the result is not empty.
    for dtype in ("float64", "int32"):
        s.shaped(f"empty/{dtype}", [3, 0], dtype, dim=1)
    s.shaped("empty/mixed", [3, 0], ["float16", "int64", "bool"], kind="validate", dim=7)
    s.shaped("empty/result", [3, 0], "int32", out_shape=[3, 4], kind="validate", dim=1)
    return s


def softmax():
    s = Suite("softmax_backward", "aclnnSoftmaxBackward", ["gradOutput", "output"], "gradInput", ranges={"output": [0, 1]}, difference=True, dim=-1)
    along_an_axis(s)
    return s


def text(shape):
    return "x".join(map(str, shape))


def labels(shape, first=0):
    """1, -1 and, seldom, 0, which is neither: few of them one by one, many of them all alike."""
    count = math.prod(shape)
    return {"values": [(1, -1, -1, 1, 0)[(i + first) % 5] for i in range(count)]} if count <= 400 else {"range": [1 - 2 * (count % 2)] * 2}


class ReducedSuite(Suite):
    """The cases of an operator whose gradient has one element per row, or one for all with a reduction. `kept`: the axes of the row tensors."""

    def __init__(self, *rest, row_tensors, kept, **attrs):
        super().__init__(*rest, difference=True, reduction=0, **attrs)
        self.row_tensors, self.kept = row_tensors, kept

    def rows(self, name, shape, dtypes=None, one=(1,), contents=None, **rest):
        """One case by the shape of the data."""
        kept = self.kept(list(shape))
        shapes = [kept if n in self.row_tensors else list(shape) for n in self.inputs]
        if rest.get("reduction", 0):
            shapes[0] = list(one)
        if "target" in self.row_tensors:
            contents = {"target": labels(kept), **(contents or {})}
        self.shaped(name, shapes, dtypes, out_shape=list(shape), contents=contents, **rest)

    def refuse(self, name, status=INVALID, shape=(2, 3, 4), **rest):
        self.rows("refused/" + name, shape, status=status, kind="validate", **rest)


def with_rows(s):
    """What these operators have to stand apart from their formulas."""
    views = {"transposed": transposed, "sliced": sliced, "stepped": stepped}
    data = [n for n in s.inputs if n not in s.row_tensors]
    gradient = s.inputs[0]
    shape = [5, 6, 35]
    kept = s.kept(shape)
    for (name, view), dtype in itertools.product(views.items(), FLOATS):
        s.rows(f"view/{name}/{dtype}", shape, dtype, views={n: view(shape) for n in data}, reduction=1)
        s.rows(f"view/{name}-one/{dtype}", shape, dtype, views={data[0]: view(shape)})
        s.rows(f"view/{name}-rows/{dtype}", shape, dtype, views={n: view(kept) for n in s.row_tensors})
        s.rows(f"view/{name}-out/{dtype}", shape, dtype, out_view=view(shape), reduction=2)
        s.rows(f"view/{name}-flat/{dtype}", [9, 40], dtype, views={n: view([9, 40]) for n in data}, reduction=1)
    for axis in (0, 1, 2):
        s.rows(f"view/expanded/{axis}", shape, FLOATS[axis], views={data[1]: expanded(shape, [axis])})
    for axis in (0, 1):
        s.rows(f"view/expanded-gradient/{axis}", shape, FLOATS[axis], views={gradient: expanded(kept, [axis])})
    s.rows("view/one-number", shape, views={gradient: expanded(kept, [0, 1]), data[0]: expanded(shape, [0, 1, 2])})

    count = len(s.inputs) + 1
    for k, (a, b) in enumerate(itertools.permutations(FLOATS, 2)):
        s.rows(f"mix/{a}-{b}", [6, 9, 33], [(a, b)[i % 2] for i in range(count)], reduction=k % 3)
        s.rows(f"mix/{a}-{b}/out", [5, 130], [a] * (count - 1) + [b], reduction=k % 3)
        # The rows' own tensors may be of another type than the data without a kernel of their own.
        s.rows(f"mix/{a}-{b}/rows", [7, 5, 65], [b if n in s.row_tensors else a for n in s.inputs] + [a])
        s.rows(f"mix/{a}-{b}/one", [7, 5, 65], [b if n == gradient else a for n in s.inputs] + [a], reduction=1 + k % 2)
    for r, (i, one) in itertools.product((1, 2), enumerate(([], [1]))):
        s.rows(f"reduction/{r}/one-element/{i}", [6, 5, 20], FLOATS[i], one=one, reduction=r)
    for name, empty in {"first": [0, 3, 4], "second": [3, 0, 4], "last": [3, 4, 0], "flat": [0, 3]}.items():
        s.rows(f"empty/{name}", empty, FLOATS[len(name) % 3])
    s.rows("empty/mean", [0, 3, 4], reduction=1)
    for rank in range(2, 9):
        s.rows(f"rank/{rank}", [2, 3, 1, 2, 4, 1, 3, 5][:rank], FLOATS[rank % 3], reduction=rank % 3)
    for name, values in {"nan": ["nan", 1, 0.5, 0.25], "inf": ["inf", 1, 0.5, 0.25], "zero": [0, 0, 0, 0]}.items():
        for n in data:
            s.rows(f"special/{n}/{name}", [3, 4, 1], contents={n: {"values": values + [0.5, 0.25, 1, 0.75, 1, 0.5, 0.125, 0]}})
    s.rows("special/gradient", [2, 2, 3], contents={gradient: {"values": (["nan", "inf", "-inf", 0] * 2)[:math.prod(s.kept([2, 2, 3]))]}})

    for r in (-1, 3, 2**40):
        s.refuse(f"reduction/{r}", reduction=r)
    s.refuse("rank/9", shape=[1] * 9)
    s.refuse("gradient/mean", one=[2], reduction=1)
    s.refuse("gradient/rank", one=[1, 1], reduction=1)
    s.refuse("gradient/sum", one=[2, 3], reduction=2)
    for name in s.inputs:
        shapes = [s.kept([2, 3, 4]) if n in s.row_tensors else [2, 3, 4] for n in s.inputs]
        at = s.inputs.index(name)
        wrong = shapes[:at] + [shapes[at][:-1] + [5]] + shapes[at + 1:]
        s.shaped(f"refused/shape/{name}", wrong, out_shape=[2, 3, 4], status=INVALID, kind="validate")
        tensors = [{"name": n, "null": True} if n == name else tensor(n, x, range=[0, 1]) for n, x in zip(s.inputs, shapes)]
        s.add(f"refused/null/{name}", tensors, tensor(s.output, [2, 3, 4]), status=NULL, kind="validate")
        s.refuse(f"dtype/{name}", dtypes=["int32" if n == name else "float32" for n in s.inputs] + ["float32"])
    s.refuse("null/output", NULL, out_view={"null": True})
    s.refuse("dtype/output", dtypes=["float32"] * len(s.inputs) + ["float64"])
    for pointer in ("workspaceSize", "executor"):
        s.refuse(f"null/{pointer}", NULL, pointers=[pointer])


def cosine_embedding():
    s = ReducedSuite("cosine_embedding_loss_backward", "aclnnCosineEmbeddingLossBackward", ["gradOutput", "input1", "input2", "target"],
                     ["gradInput1", "gradInput2"], row_tensors=["gradOutput", "target"], kept=lambda x: x[:1] + x[2:], margin=0.0)
    # Features last, as in most calls: many rows per tile, one row resident, read twice, split over cores.
    for dtype, f in itertools.product(FLOATS, (1, 2, 7, 8, 9, 17, 63, 64, 65, 511, 513, 2041)):
        s.rows(f"rows/{dtype}/{f}", [73 if f < 512 else 5, f], dtype, reduction=f % 3)
    for dtype, shape in itertools.product(FLOATS, ([1, 9], [49, 4097], [49, 9001], [5, 15013], [25, 40003], [3, 16385], [2, 70001])):
        s.rows(f"long/{dtype}/{text(shape)}", shape, dtype, reduction=shape[1] % 3)
    # Features along an axis in the middle.
    for dtype, shape in itertools.product(FLOATS, ([3, 5, 33], [64, 16, 64], [2, 130, 17], [2, 300, 17], [2, 7, 4099], [1, 3, 1], [5, 1, 9], [2, 5, 3, 7])):
        s.rows(f"columns/{dtype}/{text(shape)}", shape, dtype, reduction=shape[1] % 3)
    with_rows(s)
    # Outputs that neither lie alike nor are of one type.
    for name, other in {"sliced": sliced([5, 33]), "transposed": transposed([5, 33]), "float16": {"dtype": "float16"}, "bfloat16": {"dtype": "bfloat16"}}.items():
        s.rows(f"view/second-output/{name}", [5, 33], other_view=other)
    # Pairs of known cosines: 1, 0.6, 0.8, 0, -1 and -0.6, on both sides of the margin, for every label and for one that is none.
    one = [3, 4, 1, 0, 3, 4, 1, 0, 1, 2, 1, 0]
    two = [3, 4, 3, 4, 4, 3, 0, 1, -1, -2, -3, 4]
    for y, margin in itertools.product((1, -1, 0, 0.5), (-2, -0.5, 0.25, 0.7, 2)):
        s.rows(f"margin/{y}/{margin}", [6, 2], contents={"input1": {"values": one}, "input2": {"values": two}, "target": {"range": [y, y]}}, margin=margin)
    s.rows("target/nan", [5, 8], contents={"target": {"values": ["nan", 1, "inf", -1, "-inf"]}})
    s.rows("zero/both", [2, 8], contents={"input1": {"range": [0, 0]}, "input2": {"range": [0, 0]}})
    s.rows("tiny", [4, 8], contents={"input1": {"range": [-1e-7, 1e-7]}, "input2": {"range": [-1e-5, 1e-5]}, "target": {"range": [1, 1]}})
    s.rows("large", [4, 8], contents={"input1": {"range": [1e15, 2e15]}, "target": {"range": [1, 1]}})
    s.shaped("refused/rank/1", [[], [4], [4], []], out_shape=[4], status=INVALID, kind="validate")
    s.shaped("refused/target/one", [[2], [2, 3], [2, 3], [1]], out_shape=[2, 3], status=INVALID, kind="validate")
    s.refuse("shape/output", other_view={"shape": [2, 3, 5]})
    return s


def dice():
    s = ReducedSuite("dice_loss_backward", "aclnnDiceLossBackward", ["gradOutput", "self", "target"], "gradInput", {"self": [0, 1], "target": [0, 1]},
                     row_tensors=["gradOutput"], kept=lambda x: x[:2], smooth=1.0, squared=False)
    # All pixels of a class are a row: many rows per tile, one row resident, read twice, split over cores.
    for dtype, pixels in itertools.product(FLOATS, (1, 2, 7, 8, 9, 17, 63, 64, 65, 511, 513, 2041)):
        s.rows(f"rows/{dtype}/{pixels}", [5, 15 if pixels < 512 else 1, pixels], dtype, reduction=pixels % 3, squared=pixels % 2 == 0)
    for (dtype, shape), squared in itertools.product(itertools.product(FLOATS, ([1, 1, 9], [7, 7, 4097], [7, 7, 9001], [3, 1, 16385], [1, 2, 70001])), (False, True)):
        s.rows(f"long/{dtype}/{text(shape)}/{squared}", shape, dtype, reduction=shape[2] % 3, squared=squared)
    # Images, volumes, and none at all: then every element is its own sum. Classes last in storage make the sums columns.
    for dtype, shape in itertools.product(FLOATS, ([3, 5], [70, 40], [2, 3, 17, 19], [2, 21, 32, 32], [2, 3, 5, 6, 7], [1, 1, 1, 1])):
        s.rows(f"images/{dtype}/{text(shape)}", shape, dtype, reduction=shape[1] % 3, squared=shape[0] == 2)
    for dtype, (n, c, p) in itertools.product(FLOATS, ((2, 19, 33), (2, 65, 300), (1, 4099, 7))):
        view = transposed([n, c, p])
        for squared in (False, True):
            s.rows(f"columns/{dtype}/{text([n, c, p])}/{squared}", [n, c, p], dtype, views={"self": view, "target": view}, out_view=view,
                   reduction=c % 3, squared=squared)
            s.rows(f"columns/mix-{dtype}/{text([n, c, p])}/{squared}", [n, c, p], ["float32", dtype, "float16", "bfloat16"],
                   views={"self": view, "target": view}, out_view=view, reduction=c % 3, squared=squared)
    with_rows(s)
    for (name, view), dtype in itertools.product({"transposed": transposed, "sliced": sliced, "stepped": stepped}.items(), FLOATS):
        views = {n: view([5, 6, 35]) for n in ("self", "target")}
        s.rows(f"view/{name}-squared/{dtype}", [5, 6, 35], dtype, views=views, reduction=1, squared=True)
        s.rows(f"view/{name}-squared-mix/{dtype}", [5, 6, 35], ["float32", dtype, "float16", "bfloat16"], views=views, squared=True)
    for (smooth, squared), r in itertools.product(itertools.product((0, 1e-6, 0.5, 1e4, -0.25), (False, True)), (0, 1, 2)):
        s.rows(f"smooth/{smooth}/{squared}/{r}", [3, 4, 25], FLOATS[r], smooth=smooth, squared=squared, reduction=r)
    for squared in (False, True):
        # Hard labels; nothing predicted, nothing there.
        s.rows(f"labels/{squared}", [2, 2, 8], contents={"target": {"values": [0, 1, 1, 0, 1, 0, 0, 1] * 4}}, squared=squared)
        s.rows(f"absent/{squared}", [2, 3, 40], contents={"self": {"range": [0, 0]}, "target": {"range": [0, 0]}}, squared=squared, reduction=1)
        s.rows(f"absent/{squared}/no-smooth", [2, 3, 4], contents={"self": {"range": [0, 0]}, "target": {"range": [0, 0]}}, squared=squared, smooth=0)
    for smooth in ("nan", "inf", "-inf"):
        s.refuse(f"smooth/{smooth}", smooth=smooth)
    s.shaped("refused/rank/1", [[4], [4], [4]], out_shape=[4], status=INVALID, kind="validate")
    s.shaped("refused/gradient/rank-3", [[2, 3, 1], [2, 3, 4], [2, 3, 4]], out_shape=[2, 3, 4], status=INVALID, kind="validate")
    s.shaped("refused/gradient/one", [[1, 1], [2, 3, 4], [2, 3, 4]], out_shape=[2, 3, 4], status=INVALID, kind="validate")
    s.shaped("refused/shape/output", [[2, 3], [2, 3, 4], [2, 3, 4]], out_shape=[2, 3, 5], status=INVALID, kind="validate")
    return s


def softmax_focal():
    s = ReducedSuite("softmax_focal_loss_backward", "aclnnSoftmaxFocalLossBackward", ["gradOutput", "pred", "target"], "gradInput",
                     {"pred": [0.01, 0.99], "target": [0, 1]}, row_tensors=["gradOutput"], kept=lambda x: x[:1] + x[2:], gamma=2.0, alpha=0.25)
    for dtype, classes in itertools.product(FLOATS, (1, 2, 7, 8, 9, 17, 63, 64, 65, 511, 513, 2041)):
        s.rows(f"rows/{dtype}/{classes}", [73 if classes < 512 else 5, classes], dtype, reduction=classes % 3)
    for dtype, shape in itertools.product(FLOATS, ([1, 9], [49, 4097], [5, 15013], [25, 40003], [2, 70001])):
        s.rows(f"long/{dtype}/{text(shape)}", shape, dtype, reduction=shape[1] % 3)
    # Classes of pixels: the reduced axis is in the middle.
    for dtype, shape in itertools.product(FLOATS, ([3, 5, 33], [64, 16, 64], [2, 300, 17], [2, 7, 4099], [1, 3, 1], [5, 1, 9], [2, 5, 3, 7])):
        s.rows(f"columns/{dtype}/{text(shape)}", shape, dtype, reduction=shape[1] % 3)
    with_rows(s)
    # One-hot labels, certain and impossible classes, every kind of exponent.
    p = [1, 0, 0, 0, 0, 1, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0, 0, 1e-30, 1, 0, 0, 0.9999, 0.0001, 0, 0]
    t = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    for gamma, r in itertools.product((0, 0.5, 1, 2, 5), (0, 1, 2)):
        tensors = [tensor("gradOutput", [1] if r else [6], values=[3] if r else [1, 2, 3, -4, 5, 0.5]), tensor("pred", [6, 4], values=p), tensor("target", [6, 4], values=t)]
        s.add(f"gamma/{gamma}/{r}", tensors, tensor("gradInput", [6, 4]), gamma=gamma, reduction=r)
    # Large exponents of 1 - p, whose rounding shows where p is small.
    for gamma, shape in itertools.product((200, 20000), ([5, 300], [2, 70, 33])):
        tensors = [tensor("gradOutput", s.kept(shape), range=[0.5, 2]), tensor("pred", shape, range=[0, 1 / gamma]), tensor("target", shape, range=[0, 1])]
        s.add(f"gamma/{gamma}/{text(shape)}", tensors, tensor("gradInput", shape), gamma=gamma, reduction=0)
    for dtype, shape, r in itertools.product(FLOATS, ([9, 40], [3, 4097], [2, 5, 33]), (0, 1)):
        kept = [1] if r else s.kept(shape)
        tensors = [tensor("gradOutput", kept, dtype, range=[-2, 2]), tensor("pred", shape, dtype, range=[0.01, 0.99]), tensor("target", shape, dtype, range=[0, 1]),
                   tensor("weightOptional", shape, dtype, range=[0.1, 2])]
        s.add(f"weight/{dtype}/{text(shape)}/{r}", tensors, tensor("gradInput", shape, dtype), gamma=1.5, reduction=r)
    s.refuse("gamma/negative", gamma=-0.5)
    s.refuse("alpha/nan", alpha="nan")
    s.shaped("refused/rank/1", [[], [4], [4]], out_shape=[4], status=INVALID, kind="validate")
    s.shaped("refused/shape/output", [[2, 4], [2, 3, 4], [2, 3, 4]], out_shape=[2, 3, 5], status=INVALID, kind="validate")
    return s


SUITES = (log_softmax, softmax, cosine_embedding, dice, softmax_focal)
