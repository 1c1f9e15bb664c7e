//===- Formula.td - the operators of a formula ----------------------------===//
//
// A formula is a dag whose operators are the defs of this file, each with the
// name of the op it becomes and what its arguments are. `$name` is a parameter,
// a dim or an intermediate result; ints and decimal strings are constants. Ops
// that are compositions of others are functions with a body, here or in any
// file of a user. Nothing here computes; meaning belongs to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_FORMULA_TD
#define LOSSGRAD_FORMULA_TD

include "Dtypes.td"

//===- What stands at one place of a dag ----------------------------------===//

/// `attr` is the attribute of the op that a name becomes; values become operands.
/// A name is written `$name`, or "name" where a class computes it.
class Arg<string kind_, string attr_, string text> {
  string kind = kind_;
  string attr = attr_;
  string doc = text;
}
def Val : Arg<"value", "", "a value">;
class Name<string kind, string text, string attr = "name"> : Arg<kind, attr, text>;
def Tensor_ : Name<"tensor", "the name of a tensor parameter">;
def OtherTensor_ : Name<"tensor", "the name of another", "other">;
def Given : Name<"pointer", "the name of a tensor parameter, workspaceSize or executor">;
def Sized : Name<"sized", "the name of a tensor parameter or of a dim">;
def Along : Name<"dim", "the name of a dim">;
def Over : Name<"dim", "the name of a dim", "over">;
def OverDims : Name<"dims", "the names of one or more dims", "over">;
def Onto : Name<"part", "the name of a dim declared as a part of a broadcast pack", "to">;
def AttrValue : Arg<"attribute", "", "an attribute">;
def DimsOf : Name<"dims of", "the name of a tensor parameter", "dims">;
def Position : Arg<"int", "axis", "an axis number">;
def Choice : Arg<"choice", "", "one of the choices of the attribute, as a string">;
def Families : Arg<"families", "products", "one or more product families">;
def OwnFamilies : Arg<"own families", "products", "">; // takes no argument

//===- Operators ----------------------------------------------------------===//

/// Common base of all defs that may stand first in a formula's dag.
class FormulaOperator<list<Arg> args_, string text> {
  list<Arg> args = args_;
  string doc = text;
}

/// An op of the dialect; without a name the value of its argument. `kinds` says which values fit:
///   number       reals or ints; ints become real if a real is among them
///   real         ints become real
///   int, bool, dtype, shape
///   alike        any, all of one kind after numbers are adapted
///   choose       a bool, then alike
///   lookup       a table, an int, and a value like the table's
///   as real, as int   converts its argument
///   any
/// The last `optional` arguments may be left out; an `nary` operator takes two or more values and works from
/// left to right. Fixed attributes are in MLIR syntax.
class FormulaOp<string mlirOp_, list<Arg> args, string kinds_, string text> : FormulaOperator<args, text> {
  string mlirOp = mlirOp_;
  string kinds = kinds_;
  bit nary = 0;
  int optional = 0;
  list<string> fixedNames = [];
  list<string> fixedValues = [];
}

/// A composition: `body` with each of `names` replaced by an argument. Those of `names` that are also in `dims` are
/// names of dims, the others values; only a function with a rule of its own (Derivatives.td) needs to say so.
class Function<list<string> names_, dag body_, string text> : FormulaOperator<[], text> {
  list<string> names = names_;
  dag body = body_;
  list<string> dims = [];
}

class Unary<string op, string kinds, string text> : FormulaOp<op, [Val], kinds, text>;
class Binary<string op, string kinds, string text> : FormulaOp<op, [Val, Val], kinds, text>;
class Nary<string op, string kinds, string text> : Binary<op, kinds, text> {
  let nary = 1;
}
class Compare<string predicate, string text> : Binary<"compare", "alike", text> {
  let fixedNames = ["predicate"];
  let fixedValues = ["#lossgrad<predicate " # predicate # ">"];
}
class Reduce<string kind, string text> : FormulaOp<"reduce", [Val, OverDims], "number", text> {
  let fixedNames = ["reduceKind"];
  let fixedValues = ["#lossgrad<reduce_kind " # kind # ">"];
}

//===- Arithmetic and logic -----------------------------------------------===//

def add : Nary<"add", "number", "sum">;
def sub : Binary<"sub", "number", "difference">;
def mul : Nary<"mul", "number", "product">;
def div : Binary<"div", "real", "quotient">;
def min : Nary<"min", "number", "smallest; keeps NaN">;
def max : Nary<"max", "number", "largest; keeps NaN">;
def pow : Binary<"pow", "real", "power">;
def neg : Unary<"neg", "number", "negation">;
def abs : Unary<"abs", "number", "absolute value; keeps NaN">;
def sign : Unary<"sign", "number", "-1, 0 or 1; keeps NaN">;
def exp : Unary<"exp", "real", "exponential">;
def log : Unary<"log", "real", "natural logarithm">;
def sqrt : Unary<"sqrt", "real", "square root">;
def sin : Unary<"sin", "real", "sine of a uniform value">;
def cos : Unary<"cos", "real", "cosine of a uniform value">;
def clamp : FormulaOp<"clamp", [Val, Val, Val], "number", "value, low, high: the value limited to an interval; keeps NaN">;

def eq : Compare<"eq", "equal; false with NaN">;
def ne : Compare<"ne", "not equal; true with NaN">;
def lt : Compare<"lt", "less; false with NaN">;
def le : Compare<"le", "less or equal; false with NaN">;
def gt : Compare<"gt", "greater; false with NaN">;
def ge : Compare<"ge", "greater or equal; false with NaN">;
def and : Nary<"and", "bool", "all hold">;
def or : Nary<"or", "bool", "one holds">;
def not : Unary<"not", "bool", "does not hold">;
def select : FormulaOp<"select", [Val, Val, Val], "choose", "condition, value, other: the value where the condition holds, else the other">;
def to_real : Unary<"", "as real", "a bool or int as a real">;
def to_int : Unary<"", "as int", "a bool or real as an int">;
def value : Unary<"", "any", "the value itself, where a formula is wanted and a name is had">;

//===- Dims and indices ---------------------------------------------------===//

def sum : Reduce<"sum", "value, dims: sum over the dims">;
def reduce_max : Reduce<"max", "value, dims: largest over the dims">;
def reduce_min : Reduce<"min", "value, dims: smallest over the dims">;
def sum_onto : FormulaOp<"reduce_onto", [Val, Onto], "number", "value, part: sum over the axes along which the part's parameter was broadcast"> {
  let fixedNames = ["reduceKind"];
  let fixedValues = ["#lossgrad<reduce_kind sum>"];
}
def iota : FormulaOp<"iota", [Along], "any", "dim: 0, 1, 2, ... along it">;
def onehot : FormulaOp<"onehot", [Val, Over], "int", "index, dim: true at the index; all false if out of range">;
def gather : FormulaOp<"gather", [Val, Val, Over, Val], "lookup", "table, index, dim, otherwise: the element at the index along the dim; otherwise if out of range">;

def finish : FormulaOp<"reduced", [Val, Val, Val, Val], "any", "loss, count, none, mean: the loss, or its sum, for mean divided by the count">;

//===- The call: attributes, sizes, presence ------------------------------===//

def attr : FormulaOp<"", [AttrValue], "any", "an attribute; $name is the same">;
def numel : FormulaOp<"numel", [Sized], "any", "number of elements of a tensor before broadcasting, or of a dim">;
def rank : FormulaOp<"rank", [Sized], "any", "number of axes of a tensor or dim">;
def extent : FormulaOp<"extent", [Sized, Position], "any", "length of a dim of one axis, or of one axis of a tensor or pack"> {
  let optional = 1;
}
def present : FormulaOp<"present", [Given], "any", "not null">;
def is : FormulaOp<"compare", [AttrValue, Choice], "alike", "attribute, choice: the attribute has this choice"> {
  let fixedNames = ["predicate"];
  let fixedValues = ["#lossgrad<predicate eq>"];
}

//===- Only in checks -----------------------------------------------------===//

def dtype : FormulaOp<"dtype", [Tensor_], "any", "dtype of a tensor">;
def dtype_in : FormulaOp<"dtype_declared", [Val, Tensor_], "dtype", "dtype, tensor: the dtype is in the tensor's set on this product">;
def promote : Nary<"dtype_promote", "dtype", "common dtype; may be undefined">;
def castable : Binary<"dtype_castable", "dtype", "from, to: the dtype may be cast">;
def shape : FormulaOp<"shape", [Tensor_], "any", "shape of a tensor">;
def declared_shape : FormulaOp<"shape", [DimsOf], "any", "shape that the dims of a tensor's declaration make in this call">;
def broadcast : Nary<"shape_broadcast", "shape", "common shape; may be undefined">;
def defined : Unary<"defined", "any", "a dtype or shape is not undefined">;
def format : FormulaOp<"format", [Tensor_], "any", "storage format of a tensor, as a string">;
def dense : FormulaOp<"contiguous", [Tensor_], "any", "contiguous in row-major order">;
def same_or_apart : FormulaOp<"same_or_apart", [Tensor_, OtherTensor_], "any", "two tensors that are the same elements, or share no memory">;
def on_family : FormulaOp<"product_in", [Families], "any", "the call runs on one of the families">;
def on_supported_family : FormulaOp<"product_in", [OwnFamilies], "any", "the call runs on a product of the operator">;

//===- Functions ----------------------------------------------------------===//

def outs; // the operator of `results`
def empty : Function<["x"], (eq (numel $x), 0), "tensor or dim without elements">;
def sigmoid : Function<["x"], (div 1, (add 1, (exp (neg $x)))), "1 / (1 + exp(-x))">;
def square : Function<["x"], (mul $x, $x), "x * x">;
def reduced_by : Function<["loss", "count", "attribute"], (finish (to_real $loss), (to_real $count), (is $attribute, "none"), (is $attribute, "mean")),
                          "loss, count, attribute: the loss as the choice of the attribute (none, mean, sum) says; mean divides by the count">;
def reduced : Function<["loss", "count"], (reduced_by $loss, $count, "reduction"), "loss, count: the loss as the attribute reduction says">;
def relu : Function<["x"], (max $x, 0), "x where it is positive, otherwise 0">;
def clamp_min : Function<["x", "low"], (max $x, $low), "x, but not below low">;
def clamp_max : Function<["x", "high"], (min $x, $high), "x, but not above high">;
def stop : Function<["x"], (value $x), "x, through which no gradient flows">;
def pass : Function<["x", "to"], (value $x), "x, whose gradient flows to another value">;
// The rounding of 1 + x is made good by the factor x / ((1 + x) - 1).
def log1p_finite : Function<["x"], (select (eq (add 1, $x), 1), $x, (mul (log (add 1, $x)), (div $x, (sub (add 1, $x), 1)))),
                            "log(1 + x) of a finite x, exact to rounding also for small x">;
def log1p : Function<["x"], (select (lt $x, "inf"), (log1p_finite $x), $x), "log(1 + x), exact to rounding also for small x">;
// The rounding of exp(x) is made good by the factor x / log(exp(x)); far from 0 there is nothing to correct.
def expm1 : Function<["x"], (select (eq (exp $x), 1), $x, (select (and (gt (exp $x), "1e-30"), (lt (exp $x), "1e30")),
                            (mul (sub (exp $x), 1), (div $x, (log (exp $x)))), (sub (exp $x), 1))), "exp(x) - 1, exact to rounding also for small x">;
def tanh : Function<["x"], (mul (sign $x), (neg (div (expm1 (mul -2, (abs $x))), (add 2, (expm1 (mul -2, (abs $x))))))),
                    "hyperbolic tangent, exact to rounding also for small x">;
def softplus : Function<["x"], (add (max $x, 0), (log1p_finite (exp (neg (abs $x))))), "log(1 + exp(x)), without overflow">;
def log_sigmoid : Function<["x"], (sub (min $x, 0), (log1p_finite (exp (neg (abs $x))))), "log(sigmoid(x)), without underflow">;
// W. J. Cody, Rational Chebyshev approximation for the error function (1969): x P(x^2) / Q(x^2) near 0, and 1 - exp(-x^2) R(x)
// beyond. Past 6 the result is 1, and powers of x stay within float32.
// A polynomial in $y, highest power first.
class Horner<list<string> coefficients> {
  dag polynomial = !foldl((value !head(coefficients)), !tail(coefficients), sum, c, (add (mul sum, $y), c));
}
def erf_near : Function<["x", "y"], (div (mul $x, Horner<["0.185777706184603153", "3.16112374387056560", "113.864154151050156", "377.485237685302021",
                            "3209.37758913846947"]>.polynomial), Horner<["1", "23.6012909523441209", "244.024637934444173", "1282.61652607737228",
                            "2844.23683343917062"]>.polynomial), "erf(x) for |x| < 1/2; y is x * x">;
def erf_far : Function<["y"], (sub 1, (mul (exp (neg (mul $y, $y))), (div
    Horner<["2.15311535474403846e-8", "0.564188496988670089", "8.88314979438837594", "66.1191906371416295", "298.635138197400131", "881.952221241769090",
            "1712.04761263407058", "2051.07837782607147", "1230.33935479799725"]>.polynomial,
    Horner<["1", "15.7449261107098347", "117.693950891312499", "537.181101862009858", "1621.38957456669019", "3290.79923573345963", "4362.61909014324716",
            "3439.36767414372164", "1230.33935480374942"]>.polynomial))), "erf(y) for y from 1/2 to 6">;
def erf : Function<["x"], (select (lt (abs $x), "0.46875"), (erf_near $x, (square $x)), (mul (sign $x), (erf_far (min (abs $x), 6)))),
                   "error function, exact to rounding also for small x">;
// A row of -inf, or with inf, keeps its meaning: what is taken off is finite.
def finite_max : Function<["x", "d"], (select (lt (abs (reduce_max $x, $d)), "inf"), (reduce_max $x, $d), 0), "largest over the dim; 0 if that is infinite">;
def logsumexp : Function<["x", "d"], (add (finite_max $x, $d), (log (sum (exp (sub $x, (finite_max $x, $d))), $d))),
                         "value, dim: log of the sum of exponentials over the dim, without overflow"> {
  let dims = ["d"];
}

//===- Names that others have ---------------------------------------------===//

/// How what is called differently elsewhere is written here. Read for messages only.
class Elsewhere<list<string> names_, string here_> {
  list<string> names = names_;
  string here = here_;
}
def : Elsewhere<["+", "plus"], "(add x, y, ...)">;
def : Elsewhere<["-", "minus", "subtract"], "(sub x, y)">;
def : Elsewhere<["*", "times", "multiply", "prod"], "(mul x, y, ...)">;
def : Elsewhere<["/", "divide", "true_divide"], "(div x, y)">;
def : Elsewhere<["reciprocal", "rcp", "inv"], "(div 1, x)">;
def : Elsewhere<["**", "^", "power"], "(pow x, y)">;
def : Elsewhere<["negative"], "(neg x)">;
def : Elsewhere<["absolute", "fabs"], "(abs x)">;
def : Elsewhere<["sgn", "signum"], "(sign x)">;
def : Elsewhere<["ln"], "(log x)">;
def : Elsewhere<["log2"], "(div (log x), (log 2))">;
def : Elsewhere<["log10"], "(div (log x), (log 10))">;
def : Elsewhere<["exp2"], "(exp (mul x, (log 2)))">;
def : Elsewhere<["rsqrt"], "(div 1, (sqrt x))">;
def : Elsewhere<["sinh"], "(mul \"0.5\", (sub (expm1 x), (expm1 (neg x))))">;
def : Elsewhere<["cosh"], "(mul \"0.5\", (add (exp x), (exp (neg x))))">;
def : Elsewhere<["expit", "logistic"], "(sigmoid x)">;
def : Elsewhere<["gelu"], "(mul \"0.5\", x, (add 1, (erf (div x, (sqrt 2)))))">;
def : Elsewhere<["silu", "swish"], "(mul x, (sigmoid x))">;
def : Elsewhere<["maximum", "fmax"], "(max x, y, ...)">;
def : Elsewhere<["minimum", "fmin"], "(min x, y, ...)">;
def : Elsewhere<["amax"], "(reduce_max x, $d)">;
def : Elsewhere<["amin"], "(reduce_min x, $d)">;
def : Elsewhere<["clip"], "(clamp x, low, high)">;
def : Elsewhere<["where", "if", "cond", "ifelse"], "(select condition, x, y)">;
def : Elsewhere<["mean", "average", "avg"], "(div (sum x, $d), (extent $d))">;
def : Elsewhere<["softmax"], "(exp (sub x, (logsumexp x, $d)))">;
def : Elsewhere<["log_softmax", "logsoftmax"], "(sub x, (logsumexp x, $d))">;
def : Elsewhere<["one_hot"], "(onehot index, $d)">;
def : Elsewhere<[">", "greater"], "(gt x, y)">;
def : Elsewhere<["<", "less"], "(lt x, y)">;
def : Elsewhere<[">=", "greater_equal", "gte"], "(ge x, y)">;
def : Elsewhere<["<=", "less_equal", "lte"], "(le x, y)">;
def : Elsewhere<["==", "=", "equal", "equals"], "(eq x, y)">;
def : Elsewhere<["!=", "not_equal", "neq"], "(ne x, y)">;
def : Elsewhere<["&", "&&", "logical_and"], "(and x, y, ...)">;
def : Elsewhere<["|", "||", "logical_or"], "(or x, y, ...)">;
def : Elsewhere<["!", "~", "logical_not"], "(not x)">;
def : Elsewhere<["cast", "float"], "(to_real x) or (to_int x)">;
def : Elsewhere<["detach", "stop_gradient", "no_grad"], "(stop x)">;
#endif
