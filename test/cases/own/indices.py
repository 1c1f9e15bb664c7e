"""Own cases of operators with class indices: one-hot results, weights that are
looked up, sums over all rows."""
import itertools

from suite import FLOATS, Suite, sliced, stepped, tensor, transposed

INTS = ["int64", "int32", "uint8"]
VIEWS = {"transposed": transposed, "sliced": sliced, "stepped": stepped}
# Rows and classes: tails, whole rows in a tile, rows longer than a tile, one row, one class, more rows than one step of a sum takes.
SHAPES = [(1, 1), (1, 7), (7, 1), (3, 8), (73, 9), (73, 17), (1500, 10), (5, 64), (40, 513), (9, 2041), (3, 7001), (2, 40003), (300, 33)]


def text(shape):
    return "x".join(map(str, shape))


def noise(index, count):
    """Any bits, the same in every run."""
    bits = {"int64": 64, "int32": 32, "uint8": 8}[index]
    values = [(k * 0x9E3779B97F4A7C15 + (k << 61)) % 2**64 >> (64 - bits) for k in range(1, count + 1)]
    return values if index == "uint8" else [value - 2 ** (bits - 1) for value in values]


def null(name):
    return {"name": name, "null": True}


class IndexSuite(Suite):
    """`rows`: inputs of one element per row; `lanes`: of one per class; `tiles`: of both. What is not named is left out."""

    def __init__(self, file, op, inputs, output, rows, lanes, tiles, target="target", scalars=(), ranges=None, **attrs):
        super().__init__(file, op, inputs, output, ranges, difference=True, **attrs)
        self.rows, self.lanes, self.tiles, self.target, self.scalars = rows, lanes, tiles, target, scalars

    def case(self, name, shape, dtype="float32", index="int64", without=(), shapes=None, contents=None, views=None, out_view=None, single=(), **rest):
        n, c = shape
        tensors = []
        for each in self.inputs:
            if each in without:
                tensors.append(null(each))
                continue
            own = (shapes or {}).get(each, [n] if each in self.rows or each == self.target else [c] if each in self.lanes else [n, c] if each in self.tiles else [1])
            own = [1] if each in single else own
            keys = {"range": [-1, c] if each == self.target else self.ranges.get(each, [-3, 3])}
            if each == self.target and index == "uint8":
                keys = {"range": [0, min(c, 255)]}
            keys.update((contents or {}).get(each, {}))
            if "values" in keys:
                keys.pop("range", None)
            held = index if each == self.target else self.ranges.get(each + "/dtype", dtype)
            tensors.append(tensor(each, own, held, **keys, **((views or {}).get(each, {}))))
        self.add(name, tensors, tensor(self.output, [n, c], dtype, **(out_view or {})), **rest)


def common(s, indices, single, reductions):
    """What all of them have to stand: every kernel, types, tails, indices that are none, views, one gradient for all rows."""
    for dtype, shape in itertools.product(FLOATS, SHAPES):
        s.case(f"rows/{dtype}/{text(shape)}", shape, dtype)
    for index, shape in itertools.product(indices, ((5, 3), (73, 17), (3, 7001))):
        s.case(f"index/{index}/{text(shape)}", shape, index=index)
    wild = {"int64": [-2**63, -2**32, -2**31, -1, 0, 6, 7, 2**31, 2**32, 2**32 + 3, 2**63 - 1], "int32": [-2**31, -1, 0, 3, 6, 7, 2**31 - 1, 2**30], "uint8": [0, 6, 7, 255]}
    for index in indices:
        values = wild[index]
        s.case(f"index/{index}/wild", (len(values), 7), index=index, contents={s.target: {"values": values}})
    for reduction, shape in itertools.product(reductions, ((7, 5), (73, 17), (3, 7001))):
        for dtype in FLOATS:
            s.case(f"reduction/{reduction}/{dtype}/{text(shape)}", shape, dtype, single=() if reduction in (0, "none") else single, **{s.reduction: reduction})
    for (name, view), dtype in itertools.product(VIEWS.items(), FLOATS):
        for shape in ((6, 35), (5, 4099)):
            s.case(f"view/{name}/{dtype}/{text(shape)}", shape, dtype, views={n: view(list(shape)) for n in s.tiles})
            s.case(f"view/rows/{name}/{dtype}/{text(shape)}", shape, dtype, views={n: {"strides": [3], "storage_shape": [3 * shape[0]]} for n in (*s.rows, s.target)})
    # One class makes no axis, and the rows are several tiles.
    for dtype in FLOATS:
        s.case(f"view/rows/one-class/{dtype}", (1500, 1), dtype, views={n: {"strides": [3], "storage_shape": [4500]} for n in (*s.rows, s.target)})


def cross_entropy():
    s = IndexSuite("cross_entropy_loss_grad", "aclnnCrossEntropyLossGrad",
                   ["gradLoss", "logProb", "target", "weightOptional", "gradZlossOptional", "lseForZlossOptional"], "out",
                   ["gradLoss", "gradZlossOptional", "lseForZlossOptional"], ["weightOptional"], ["logProb"],
                   ranges={"logProb": [-9, -0.01], "weightOptional": [0.1, 1], "weightOptional/dtype": "float32", "lseForZlossOptional": [0, 9]},
                   reductionOptional="none", ignoreIndex=-100, labelSmoothing=0.0, lseSquareScaleForZloss=0.0)
    s.reduction = "reductionOptional"
    plain = ("gradZlossOptional", "lseForZlossOptional")
    base = s.case
    s.case = lambda name, shape, *rest, **keys: base(name, shape, *rest, **{"without": plain, **keys})
    common(s, ["int64", "int32"], ("gradLoss",), ("none", "mean", "sum"))
    features = {"smooth": {"labelSmoothing": 0.1}, "all-smooth": {"labelSmoothing": 1.0}, "zloss": {"lseSquareScaleForZloss": 0.01}, "both": {"labelSmoothing": 0.3, "lseSquareScaleForZloss": -0.5}}
    for (feature, attrs), weight, reduction, shape in itertools.product(features.items(), (True, False), ("none", "mean", "sum"), ((7, 5), (73, 17), (3, 7001), (1500, 3))):
        without = () if weight else ("weightOptional",)
        if not attrs.get("lseSquareScaleForZloss"):
            without += plain
        dtype = FLOATS[(shape[0] + weight) % 3]
        single = ("gradLoss", "gradZlossOptional") if reduction != "none" else ()
        s.case(f"feature/{feature}/{'weight' if weight else 'plain'}/{reduction}/{text(shape)}", shape, dtype, without=without, single=single, reductionOptional=reduction, **attrs)
        if "lseSquareScaleForZloss" in attrs:
            s.case(f"feature/{feature}-one/{'weight' if weight else 'plain'}/{reduction}/{text(shape)}", shape, dtype, without=without + ("gradZlossOptional",), single=single, reductionOptional=reduction, **attrs)
    for reduction, ignored in itertools.product(("none", "mean", "sum"), (-100, 0, 3, 2**31, 2**40, -2**63)):
        s.case(f"ignore/{reduction}/{ignored}", (11, 7), single=("gradLoss",) if reduction != "none" else (), ignoreIndex=ignored, reductionOptional=reduction,
               contents={"target": {"values": [0, 1, 2, 3, 4, 5, 6, ignored, 3, 0, 6]}})
    s.case("ignore/all/mean", (6, 9), single=("gradLoss",), ignoreIndex=4, reductionOptional="mean", contents={"target": {"range": [4, 4]}, "logProb": {"values": ["nan"] * 54}})
    for n in (1023, 1024, 1025, 4096, 4097, 20011):
        s.case(f"mean/{n}", (n, 5), FLOATS[n % 3], single=("gradLoss",), reductionOptional="mean")
    s.case("mean/long/5000", (5000, 3001), "bfloat16", single=("gradLoss",), reductionOptional="mean")
    # Rows one by one: several in a tile, one in a tile, parts of one; fewer rows than cores, and rows that cores share.
    sizes = [(61, 512), (500, 515), (257, 1000), (100, 4095), (70, 4096), (3, 9001), (33, 20000), (5, 32000), (2, 128256), (1, 151936), (2, 248320), (1, 2**20)]
    for (i, shape), reduction in itertools.product(enumerate(sizes), ("none", "mean")):
        s.case(f"single/{reduction}/{text(shape)}", shape, FLOATS[i % 3], single=("gradLoss",) if reduction == "mean" else (), reductionOptional=reduction)
    s.case("single/none/1x1600000", (1, 1600000), "bfloat16", contents={"target": {"values": [1599999]}})
    for (feature, attrs), shape in itertools.product(features.items(), ((61, 700), (5, 20011))):
        s.case(f"single/{feature}/{text(shape)}", shape, FLOATS[shape[0] % 3], without=() if "lseSquareScaleForZloss" in attrs else plain, **attrs)
    # Rows that are ignored are not computed, whatever they hold.
    for dtype, (n, c) in [*((dtype, (6, 520)) for dtype in FLOATS), ("float32", (4, 4100))]:
        targets = [[-100, 0, c - 1, c, -1, c // 2][row % 6] for row in range(n)]
        held = ["nan" if row % 6 in (0, 3, 4) else -0.5 - (lane % 7) for row in range(n) for lane in range(c)]
        s.case(f"single/ignored/{dtype}/{text((n, c))}", (n, c), dtype, contents={"target": {"values": targets}, "logProb": {"values": held}})
        s.case(f"single/all-ignored/{dtype}/{text((n, c))}", (n, c), dtype, single=("gradLoss",), reductionOptional="mean", contents={"target": {"values": [-100] * n}})
    # Any bits as targets; weights of nothing; many rows.
    for c in (7, 600, 20000):
        for index in ("int64", "int32"):
            s.case(f"noise/{index}/{c}", (64, c), index=index, contents={"target": {"values": noise(index, 64)}})
    s.case("weights/zero/none", (9, 600), contents={"weightOptional": {"range": [0, 0]}})
    s.case("weights/zero/mean", (9, 7), single=("gradLoss",), reductionOptional="mean", contents={"weightOptional": {"range": [0, 0]}})
    s.case("rows/1000000", (1000000, 2), "float16", single=("gradLoss",), reductionOptional="mean")
    s.case("empty/rows/long", (0, 4096))
    # Without a z-loss its inputs do not matter, whatever they are.
    s.case("unused/empty", (5, 7), without=("gradZlossOptional",), shapes={"lseForZlossOptional": [0]}, kind="validate")
    s.case("unused/other", (5, 7), without=("gradZlossOptional",), shapes={"lseForZlossOptional": [3]}, kind="validate")
    for dtype in ("int32", "float64", "bool"):
        s.case(f"unused/{dtype}", (5, 7), without=("gradZlossOptional",))
        s.cases[-1]["inputs"][-1] = tensor("lseForZlossOptional", [5], dtype, range=[0, 1])
    s.case("empty/rows", (0, 7))
    return s


def nll(rank2d):
    def make():
        name, op = ("nll_loss_backward", "aclnnNLLLossBackward")
        s = IndexSuite(name, op, ["gradOutput", "self", "target", "weight", "totalWeight"], "out", ["gradOutput"], ["weight"], ["self"], ranges={"totalWeight": [1, 9]},
                       reduction=0, ignoreIndex=-100)
        s.reduction = "reduction"
        common(s, INTS, ("gradOutput",), (0, 1, 2))
        for ignored in (-100, 0, 3, 255, 2**40):
            s.case(f"ignore/{ignored}", (9, 7), ignoreIndex=ignored)
        s.case("special", (6, 3), contents={"gradOutput": {"values": ["nan", "inf", "-inf", 1, 0, 2]}, "target": {"values": [0, 1, 2, -1, 2, 3]}})
        for view in VIEWS:
            s.case(f"view/out/{view}", (6, 35), out_view=VIEWS[view]([6, 35]))
        for index, c in itertools.product(INTS, (7, 600, 20000)):
            s.case(f"noise/{index}/{c}", (64, c), index=index, contents={"target": {"values": noise(index, 64)}})
        for c in (9, 520, 9001):
            s.case(f"ignore/all/{c}", (6, c), single=("gradOutput",), reduction=1, ignoreIndex=4, contents={"target": {"range": [4, 4]}, "totalWeight": {"values": [0]}})
        s.case("weights/zero", (9, 600), contents={"weight": {"range": [0, 0]}})
        s.case("rows/1000000", (1000000, 2), "float16", single=("gradOutput",), reduction=1)
        s.case(f"rows/{2**20}", (1, 2**20), "bfloat16", contents={"target": {"values": [2**20 - 1]}})
        for c in (7, 4096):
            s.case(f"empty/rows/{c}", (0, c))
        return s

    def make2d():
        s = Suite("nll_loss2d_backward", "aclnnNLLLoss2dBackward", ["gradOutput", "self", "target", "weight", "totalWeight"], "out", difference=True, reduction=0, ignoreIndex=-100)

        def case(name, n, c, h, w, dtype="float32", index="int64", single=False, weight=None, views=None, out_view=None, targets=None, values=None, **attrs):
            shapes = [[1] if single else [n, h, w], [n, c, h, w], [n, h, w], weight or [c], [1]]
            top = min(c, 255) if index == "uint8" else c
            ranges = [[-3, 3], [-3, 3], targets or [0 if index == "uint8" else -1, top], [0.1, 2], [1, 9]]
            dtypes = [dtype, dtype, index, dtype, dtype]
            held = [{"values": values} if values and i == "target" else {"range": r} for i, r in zip(s.inputs, ranges)]
            tensors = [tensor(i, shape, d, **keys, **((views or {}).get(i, {}))) for i, shape, d, keys in zip(s.inputs, shapes, dtypes, held)]
            s.add(name, tensors, tensor("out", [n, c, h, w], dtype, **(out_view or {})), **attrs)

        for dtype, (n, c, h, w) in itertools.product(FLOATS, ((1, 1, 1, 1), (2, 3, 4, 5), (1, 21, 33, 17), (3, 7, 1, 1), (2, 5, 1, 9), (1, 19, 128, 65), (1, 248, 3, 7), (2, 249, 5, 13), (1, 1001, 4, 4), (4, 2, 70, 70), (300, 10, 1, 1))):
            case(f"shape/{dtype}/{n}x{c}x{h}x{w}", n, c, h, w, dtype)
            for reduction in (1, 2):
                case(f"reduction/{reduction}/{dtype}/{n}x{c}x{h}x{w}", n, c, h, w, dtype, single=True, reduction=reduction)
        for index in INTS:
            case(f"index/{index}", 2, 9, 5, 7, index=index)
            case(f"index/{index}/ignore", 2, 9, 5, 7, "bfloat16", index=index, ignoreIndex=4)
        for (name, view), dtype in itertools.product(VIEWS.items(), FLOATS):
            case(f"view/target/{name}/{dtype}", 2, 5, 6, 35, dtype, views={"target": view([2, 6, 35])})
            case(f"view/gradient/{name}/{dtype}", 2, 5, 6, 35, dtype, views={"gradOutput": view([2, 6, 35])})
            case(f"view/out/{name}/{dtype}", 2, 5, 6, 35, dtype, out_view=view([2, 5, 6, 35]))
            case(f"view/one-class/target/{name}/{dtype}", 2, 1, 30, 35, dtype, views={"target": view([2, 30, 35])})
            case(f"view/one-class/gradient/{name}/{dtype}", 2, 1, 30, 35, dtype, views={"gradOutput": view([2, 30, 35])})
        case("weight/shape", 2, 6, 3, 3, weight=[2, 3])
        # Planes of thousands of lanes: an odd number of them, all kinds of targets, one class, and more than a table in UB has.
        for index, dtype in itertools.product(INTS, FLOATS):
            case(f"planes/{index}/{dtype}", 2, 9, 23, 37, dtype, index=index)
            case(f"planes/{index}/{dtype}/ignore", 1, 4, 61, 97, dtype, index=index, single=True, reduction=1, ignoreIndex=3)
        for dtype in FLOATS:
            case(f"planes/far/{dtype}", 2, 6, 23, 37, dtype, targets=[-2**40, 2**40])
            case(f"planes/few/{dtype}", 3, 1, 40, 40, dtype)
            case(f"planes/many/{dtype}", 1, 2049, 16, 33, dtype)
        case("planes/view/weight", 2, 5, 23, 37, "bfloat16", views={"weight": {"strides": [2], "storage_shape": [10]}})
        for index, (n, c, h, w) in itertools.product(INTS, ((1, 3, 3, 5), (2, 9, 23, 37), (1, 300, 4, 16), (64, 21, 1, 1))):
            case(f"noise/{index}/{n}x{c}x{h}x{w}", n, c, h, w, index=index, values=noise(index, n * h * w))
        for n, c, h, w in ((2, 5, 4, 4), (1, 3, 40, 40)):
            case(f"ignore/all/{n}x{c}x{h}x{w}", n, c, h, w, single=True, reduction=1, ignoreIndex=2, targets=[2, 2])
            case(f"empty/images/{c}x{h}x{w}", 0, c, h, w)
        case("pixels/1048576", 1, 2, 1024, 1024, "float16", single=True, reduction=1)
        case("images/300000", 300000, 3, 1, 1, "bfloat16", single=True, reduction=1)
        for name, view in VIEWS.items():
            case(f"planes/view/target/{name}", 2, 5, 23, 37, views={"target": view([2, 23, 37])})
            case(f"planes/view/gradient/{name}", 2, 5, 23, 37, "float16", views={"gradOutput": view([2, 23, 37])})
            case(f"planes/view/out/{name}", 2, 5, 23, 37, "float16", out_view=view([2, 5, 23, 37]))
        return s
    return make2d() if rank2d else make()


def multi_margin():
    s = IndexSuite("multi_margin_loss_backward", "aclnnMultiMarginLossBackward", ["gradOutput", "self", "target", "weightOptional"], "gradInput", ["gradOutput"], ["weightOptional"], ["self"],
                   p=1, margin=1.0, reduction=0)
    s.reduction = "reduction"
    common(s, INTS, ("gradOutput",), (0, 1, 2))
    for p, weight, shape in itertools.product((1, 2), (True, False), ((7, 5), (73, 17), (3, 7001))):
        s.case(f"p/{p}/{'weight' if weight else 'plain'}/{text(shape)}", shape, p=p, without=() if weight else ("weightOptional",))
    return s


def poly():
    s = IndexSuite("poly_loss_backward", "aclnnPolyLossBackward", ["gradOutput", "self", "target"], "out", ["gradOutput"], [], ["self"], epsilon=1.0, reduction=0, ignoreIndex=-100)
    s.reduction = "reduction"
    common(s, INTS, ("gradOutput",), (0, 1, 2))
    s.case("special", (4, 3), contents={"self": {"values": ["nan", 1, 2, "inf", 1, 2, "-inf", 0, 1, 80, 90, 100]}, "target": {"values": [0, 1, 2, 0]}})
    return s


def vocab_parallel():
    s = IndexSuite("vocab_parallel_cross_entropy_backward", "aclnnVocabParallelCrossEntropyBackward",
                   ["gradOutput", "vocabParallelLogits", "logitsMax", "sumExpLogits", "target"], "gradLogits", ["gradOutput", "logitsMax", "sumExpLogits"], [], ["vocabParallelLogits"],
                   ranges={"gradOutput/dtype": "float32", "logitsMax": [3, 4], "logitsMax/dtype": "float32", "sumExpLogits": [1, 50], "sumExpLogits/dtype": "float32"}, vocabStart=0)
    for dtype, shape in itertools.product(FLOATS, SHAPES):
        s.case(f"rows/{dtype}/{text(shape)}", shape, dtype)
    # Kernels tell ints apart that int32 holds; those beyond are no class of any shard.
    for start in (0, 2, 7, 2**31 - 9, 2**40):
        s.case(f"start/{start}", (9, 5), vocabStart=start, contents={"target": {"values": [0, 1, 2, 3, 4, 6, 7, 2**31 - 7, 2**41]}})
    return s


SUITES = (cross_entropy, lambda: nll(False), lambda: nll(True), multi_margin, poly, vocab_parallel)
