//===- LossGradBodyOps.td - What a body is made of ----------*- tablegen -*-===//
//
// Pure dataflow over values with dims. All but the ops that need dims are
// equally at home in a contract. Meaning at the edges (NaN, out of range) is
// part of each description: folders, lowerings and the interpreter follow it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_BODY_OPS
#define LOSSGRAD_BODY_OPS

include "LossGradOps.td"

/// Each element of the result depends only on the same element of the
/// (broadcast) operands.
def LossGrad_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::lossgrad";
}
/// The op speaks of the call, not of data; it stands only in a contract.
def LossGrad_ContractOnly : NativeOpTrait<"ContractOnly"> {
  let cppNamespace = "::lossgrad";
}
/// The op needs dims; it stands only in a body.
def LossGrad_BodyOnly : NativeOpTrait<"BodyOnly"> {
  let cppNamespace = "::lossgrad";
}

/// An op with one result. The textual name of the result becomes the name of
/// its location.
class LossGrad_ResultOp<string mnemonic, string syntax, list<Trait> traits = []>
    : LossGrad_Op<mnemonic, !listconcat([
          Pure,
          DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>
        ], traits)> {
  let results = (outs LossGrad_Value:$result);
  let hasCustomAssemblyFormat = 1;
  code textMethods = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameFromLocation(getOperation(), setName);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return detail::parse}] # syntax # [{<$cppClass>(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      detail::print}] # syntax # [{(printer, *this);
    }
  }];
  let extraClassDefinition = textMethods;
}

/// An op whose result type follows from operands and attributes.
class LossGrad_ValueOp<string mnemonic, string syntax, list<Trait> traits = []>
    : LossGrad_ResultOp<mnemonic, syntax, !listconcat([
          InferTypeOpAdaptorWithIsCompatible], traits)> {
  let extraClassDefinition = textMethods # [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
      return detail::sameUpToOrder(l, r);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// `add %a, %b : [n, c] real, [n] real`; one type stands for all operands.
/// Where the dims of the result would not come out in declared order, the
/// result type follows: `mul %w, %g : [c] real, [n] real -> [n, c] real`.
class LossGrad_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : LossGrad_ValueOp<mnemonic, "Elementwise",
                       !listconcat([LossGrad_Elementwise], traits)> {
  let hasFolder = 1;
}

class LossGrad_UnaryOp<string mnemonic, Type operand, string what>
    : LossGrad_ElementwiseOp<mnemonic> {
  let summary = what;
  let arguments = (ins operand:$operand);
  let description = what # ".\n\n```mlir\n%y = " # mnemonic
      # " %x : [n] real\n```";
}

class LossGrad_BinaryOp<string mnemonic, Type operand, string what,
                        list<Trait> traits = []>
    : LossGrad_ElementwiseOp<mnemonic, traits> {
  let summary = what;
  let arguments = (ins operand:$lhs, operand:$rhs);
  let description = what # ". Both operands have the same kind.\n\n```mlir\n%z = "
      # mnemonic # " %x, %y : [n, c] real, [n] real\n```";
}

def LossGrad_AddOp : LossGrad_BinaryOp<"add", LossGrad_Numeric, "sum; ints wrap around", [Commutative]>;
def LossGrad_SubOp : LossGrad_BinaryOp<"sub", LossGrad_Numeric, "difference; ints wrap around">;
def LossGrad_MulOp : LossGrad_BinaryOp<"mul", LossGrad_Numeric, "product; ints wrap around", [Commutative]>;
def LossGrad_DivOp : LossGrad_BinaryOp<"div", LossGrad_Real, "IEEE quotient of reals: x/0 is an infinity, 0/0 NaN">;
def LossGrad_MinOp : LossGrad_BinaryOp<"min", LossGrad_Numeric, "smaller of two; NaN if either is NaN", [Commutative]>;
def LossGrad_MaxOp : LossGrad_BinaryOp<"max", LossGrad_Numeric, "larger of two; NaN if either is NaN", [Commutative]>;
def LossGrad_PowOp : LossGrad_BinaryOp<"pow", LossGrad_Real, "power of reals, as C's pow, but NaN below 0 where the exponent is no whole number, of -inf, too, and of 1 where the exponent is not finite">;

def LossGrad_NegOp : LossGrad_UnaryOp<"neg", LossGrad_Numeric, "negation">;
def LossGrad_AbsOp : LossGrad_UnaryOp<"abs", LossGrad_Numeric, "absolute value; NaN stays NaN">;
def LossGrad_SignOp : LossGrad_UnaryOp<"sign", LossGrad_Numeric, "-1, 0 or 1; NaN stays NaN, the sign of a zero result is not significant">;
def LossGrad_ExpOp : LossGrad_UnaryOp<"exp", LossGrad_Real, "exponential">;
def LossGrad_LogOp : LossGrad_UnaryOp<"log", LossGrad_Real, "natural logarithm; -inf at 0, NaN below">;
def LossGrad_SqrtOp : LossGrad_UnaryOp<"sqrt", LossGrad_Real, "square root; NaN below 0">;
def LossGrad_SinOp : LossGrad_UnaryOp<"sin", LossGrad_Real, "sine; only of uniform values, which the host computes">;
def LossGrad_CosOp : LossGrad_UnaryOp<"cos", LossGrad_Real, "cosine; only of uniform values, which the host computes">;

// Data is compared in float32. What it is compared with may be no float32, and
// rounding it to the nearest would change the answer next to it.
def LossGrad_Float32AtLeastOp : LossGrad_UnaryOp<"float32_at_least", LossGrad_Real, "smallest float32 that is not below a uniform value; NaN stays NaN">;
def LossGrad_Float32AtMostOp : LossGrad_UnaryOp<"float32_at_most", LossGrad_Real, "largest float32 that is not above a uniform value; NaN stays NaN">;
def LossGrad_Float32ExactlyOp : LossGrad_UnaryOp<"float32_exactly", LossGrad_Real, "a uniform value if it is a float32, else NaN">;

def LossGrad_ClampOp : LossGrad_ElementwiseOp<"clamp"> {
  let summary = "value limited to an interval";
  let description = [{
    `min(max(value, low), high)`: `high` wins where `low > high`, NaN in any
    operand gives NaN.

    ```mlir
    %d = clamp %x, %minusOne, %one : [b] real, [] real, [] real
    ```
  }];
  let arguments = (ins LossGrad_Numeric:$value, LossGrad_Numeric:$low,
                       LossGrad_Numeric:$high);
}

def LossGrad_CompareOp : LossGrad_ValueOp<"compare", "Compare", [LossGrad_Elementwise]> {
  let summary = "comparison";
  let description = [{
    `eq`, `ne`, `lt`, `le`, `gt` or `ge` of two values of one kind. With NaN
    every comparison is false but `ne`, which is true. Kinds other than real
    and int know only `eq` and `ne`; an undefined dtype or shape behaves like
    NaN.

    ```mlir
    %isMean = compare eq %reduction, %one : [] int
    ```
  }];
  let arguments = (ins LossGrad_PredicateAttr:$predicate, LossGrad_Value:$lhs,
                       LossGrad_Value:$rhs);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def LossGrad_AndOp : LossGrad_BinaryOp<"and", LossGrad_Bool, "both; in a contract the second is evaluated only if the first holds">;
def LossGrad_OrOp : LossGrad_BinaryOp<"or", LossGrad_Bool, "either; in a contract the second is evaluated only if the first fails">;
def LossGrad_NotOp : LossGrad_UnaryOp<"not", LossGrad_Bool, "negation of a bool">;

def LossGrad_SelectOp : LossGrad_ElementwiseOp<"select"> {
  let summary = "one of two values";
  let description = [{
    The first value where the condition holds, else the second. The value not
    chosen has no influence, NaN or not. A select at the yield between a value
    and a constant whose condition lacks a dim of the value is a *guard*: what
    feeds only the value need not be read where the condition is false.

    ```mlir
    %k = select %isMean, %mean, %one : [] bool, [] real, [] real
    ```
  }];
  let arguments = (ins LossGrad_Bool:$condition, LossGrad_Value:$trueValue,
                       LossGrad_Value:$falseValue);
  let hasCanonicalizer = 1;
}

def LossGrad_CastOp : LossGrad_ResultOp<"cast", "Cast", [LossGrad_Elementwise]> {
  let summary = "change of kind";
  let description = [{
    Between real, int and bool. bool to int or real gives 0 or 1; real to int
    rounds toward zero, saturates, and makes NaN 0; to bool asks for != 0 (NaN
    is true).

    ```mlir
    %m = cast %valid : [n] bool to real
    ```
  }];
  let arguments = (ins LossGrad_Value:$operand);
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Uniform sources
//===----------------------------------------------------------------------===//

def LossGrad_ConstantOp : LossGrad_ValueOp<"constant", "Constant", [ConstantLike]> {
  let summary = "a constant";
  let description = [{
    The kind follows from the literal: `1.0`, `1.0e-12`, `inf`, `minus_inf`, `nan`
    are real, `-100` is int, `true` is bool, `"mean"` is a string and `dtype
    float32` a dtype.

    ```mlir
    %one = constant 1.0
    ```
  }];
  let arguments = (ins AnyAttr:$value);
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// An op that names a parameter (or dim) instead of taking its contents, so
/// that asking for a shape is not reading the tensor.
class LossGrad_QueryOp<string mnemonic, string syntax, list<Trait> traits = []>
    : LossGrad_ValueOp<mnemonic, syntax, traits> {
  let arguments = (ins StrAttr:$name);
}

def LossGrad_AttributeOp : LossGrad_QueryOp<"attribute", "Attribute"> {
  let summary = "the value of an attribute parameter";
  let description = [{
    ```mlir
    %beta = attribute beta : real
    ```
  }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<LossGrad_Value>:$type);
  let hasVerifier = 1;
}

def LossGrad_PresentOp : LossGrad_QueryOp<"present", "Query"> {
  let summary = "whether the caller passed a parameter";
  let description = [{
    True if the pointer is not null. In a contract `workspaceSize` and
    `executor`, the two pointers that end every first-phase call, may be named
    too.

    ```mlir
    %weighted = present weightOptional
    ```
  }];
}

def LossGrad_NumelOp : LossGrad_QueryOp<"numel", "Query"> {
  let summary = "number of elements of a parameter or dim";
  let description = [{
    Of a parameter as the caller passed it, before any broadcasting. 1 for rank 0
    and for a pack without axes.

    ```mlir
    %count = numel self
    ```
  }];
}

def LossGrad_RankOp : LossGrad_QueryOp<"rank", "Query"> {
  let summary = "number of axes of a parameter or dim";
  let description = [{
    ```mlir
    %rank = rank self
    ```
  }];
}

def LossGrad_ExtentOp : LossGrad_QueryOp<"extent", "Extent"> {
  let summary = "extent of one axis of a parameter or dim";
  let description = [{
    `extent c` of a dim with one axis; `extent b at 0` of one axis of a pack or
    parameter. A negative index counts from the end; an axis that is not there
    has extent 1.

    ```mlir
    %classes = extent c
    %batch = extent b at 0
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$axis);
}

//===----------------------------------------------------------------------===//
// Ops over dims
//===----------------------------------------------------------------------===//

def LossGrad_IotaOp : LossGrad_QueryOp<"iota", "Query", [LossGrad_BodyOnly]> {
  let summary = "position along a dim of one axis";
  let description = [{
    ```mlir
    %j = iota c           // [c] int: 0, 1, 2, ...
    ```
  }];
}

def LossGrad_ReduceOp : LossGrad_ValueOp<"reduce", "Reduce", [LossGrad_BodyOnly]> {
  let summary = "reduction over dims";
  let description = [{
    `sum`, `max` or `min` over the listed dims, all of which the operand has.
    `max` and `min` keep NaN. Over no elements sum is 0, max -inf and min +inf
    (for ints the smallest and largest).

    ```mlir
    %s = reduce sum %gradOutput over [r] : [a1, r, a0] real
    ```
  }];
  let arguments = (ins LossGrad_ReduceKindAttr:$reduceKind,
                       LossGrad_Numeric:$operand, StrArrayAttr:$over);
  let hasVerifier = 1;
}

def LossGrad_ReduceOntoOp : LossGrad_ValueOp<"reduce_onto", "ReduceOnto", [LossGrad_BodyOnly]> {
  let summary = "reduction onto a part of a broadcast pack";
  let description = [{
    Reduces over the axes of a broadcast pack where a parameter was broadcast.
    The target is a dim declared as a part, `v... = b of self`; it takes the
    place of `b`.

    ```mlir
    %out = reduce_onto sum %g from b to v : [b] real       // [v] real
    ```
  }];
  let arguments = (ins LossGrad_ReduceKindAttr:$reduceKind,
                       LossGrad_Numeric:$operand, StrAttr:$from, StrAttr:$to);
  let hasVerifier = 1;
}

def LossGrad_GatherOp : LossGrad_ValueOp<"gather", "Gather", [LossGrad_BodyOnly]> {
  let summary = "element of a table at an index along a dim";
  let description = [{
    `table[index]` along the dim, which the result lacks unless the index has
    it; other dims of the table and the index broadcast. An index outside of
    the dim gives `otherwise`, and reads nothing.

    ```mlir
    %wt = gather %weight[%target] over c else %zero : [c] real, [n] int, [] real
    ```
  }];
  let arguments = (ins LossGrad_Value:$table, LossGrad_Int:$index,
                       LossGrad_Value:$otherwise, StrAttr:$over);
  let hasVerifier = 1;
}

def LossGrad_OneHotOp : LossGrad_ValueOp<"onehot", "OneHot", [LossGrad_BodyOnly]> {
  let summary = "whether a position along a dim is the index";
  let description = [{
    True where the position along the dim equals the index; all false for an
    index outside of the dim.

    ```mlir
    %hit = onehot %target over c : [n] int       // [n, c] bool
    ```
  }];
  let arguments = (ins LossGrad_Int:$index, StrAttr:$over);
  let hasVerifier = 1;
}

#endif // LOSSGRAD_BODY_OPS
