//===- Identities.h - What simplification knows -----------------*- C++ -*-===//
//
// The identities that lossgrad-simplify uses, in one table: a name, what is
// equal, and when. Each can be left out by its name, which is how its test
// shows what it does.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_IDENTITIES_H
#define LOSSGRAD_PASSES_DERIVE_IDENTITIES_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <bitset>

namespace lossgrad {

enum class Identity {
  SelectIsGuards,
  GuardsMeet,
  GuardImplies,
  DecidedSelect,
  ClampUnderGuard,
  ClampFromCases,
  OneHotSum,
  ConstantSum,
  OneHotProduct,
  CompareDifference,
  ExpOfLog,
  SoftmaxSum,
  Softmax,
  SplitPower,
  SigmoidMirror,
  SigmoidByLog,
  SigmoidIsQuotient,
  CommonFactor,
  RowCoefficients,
  RowFactor,
  SelectOfFactors,
  FrequentFactor,
  OneFraction,
  StepwiseQuotient,
  NegatedOutput,
  SharedOutput,
  SharedSummand,
  Count
};

struct IdentityText {
  llvm::StringRef name, statement, condition;
};

inline constexpr std::array<IdentityText, size_t(Identity::Count)> kIdentities{{
    {"select-is-guards", "select(c, a, b) = [c] a + [not c] b",
     "a condition on data, or one side is 0; guards become selects again"},
    {"guards-meet", "[c] m + [not c] m = m", ""},
    {"guard-implies", "[c] [c and d] = [c and d]; [c] [not c] = 0", ""},
    {"decided-select", "select(c, f(select(c, a, b)), d) = select(c, f(a), d)",
     "a choice; c is the same for a call"},
    {"clamp-under-guard",
     "[x > low] clamp_min(x, low) = [x > low] x, and so for clamp_max, relu "
     "and clamp",
     "the guard is a bound of the function"},
    {"clamp-from-cases",
     "[|x| < b] a x + [|x| >= b] a b sign(x) = a clamp(x, -b, b)",
     "b > 0, which becomes a condition where it is not known"},
    {"onehot-sum", "sum([d = i] f over d) = f at i", "i is the same along d"},
    {"constant-sum",
     "sum(f over d) = numel(d) f; sum(f g over d) = f sum(g over d)",
     "f lacks d"},
    {"onehot-product", "[c and d = i] = [c] [d = i]", ""},
    {"compare-difference", "a - b > 0 is a > b",
     "reals; no term of a sum changes sides of ="},
    {"exp-of-log", "exp(log(x)) = x", ""},
    {"softmax-sum", "sum(exp(x - logsumexp(x over d)) over d) = 1",
     "a saved logsumexp only where it is trusted"},
    {"softmax",
     "exp(x - logsumexp(x over d)) = e / sum(e over d) with e = exp(x - max(x "
     "over d))",
     ""},
    {"split-power", "exp(a log(x)) = x exp((a - 1) log(x))",
     "a choice; a is the same for a call, x is known to be positive"},
    {"sigmoid-mirror", "sigmoid(-x) = 1 - sigmoid(x)",
     "a choice: both ways are tried"},
    {"sigmoid-by-log", "sigmoid(x) = exp(log_sigmoid(x))", "a choice"},
    {"sigmoid-is-quotient", "a sigmoid(x) = a / (1 + exp(-x))", ""},
    {"common-factor", "a b + a c = a (b + c)",
     "a has all dims of the sum, or the result costs less"},
    {"row-coefficients", "a f + b f = (a + b) f",
     "a and b lack a dim that f has"},
    {"row-factor", "a f + a g + h = a (f + g) + h; b f + c = b (f + c / b)",
     "a choice; a lacks a dim that f has, b is a number"},
    {"select-of-factors", "select(c, a f, b f) = select(c, a, b) f",
     "a and b lack a dim that f has"},
    {"frequent-factor", "a b + a c + d = a (b + c) + d", ""},
    {"one-fraction", "a / b + c / d = (a d + c b) / (b d)",
     "if that costs less"},
    {"stepwise-quotient", "(a b) / (c d) = (a / c) b / d",
     "a choice; all lack a dim that the product has"},
    {"negated-output",
     "an output that is the negative of another is its negation", ""},
    {"shared-output", "a product that is an output is used in the others",
     "a choice"},
    {"shared-summand", "what a sum adds up is used where it is a factor",
     "a choice; what is moved out of its guards is finite"},
}};

/// Which identities are used.
using IdentitySet = std::bitset<size_t(Identity::Count)>;

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_IDENTITIES_H
