//===- NormalForm.h - Sums of products over atoms ---------------*- C++ -*-===//
//
// The normal form of a formula is a sum of products of atoms, with numbers as
// coefficients and powers of halves as exponents; conditions are factors that
// are 0 or 1 and only occur once in a product. Building a formula from it
// factors it again, by level: what has all dims, what is the same for a row,
// what is the same for a call.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_NORMALFORM_H
#define LOSSGRAD_PASSES_DERIVE_NORMALFORM_H

#include "passes/Derive/Expression.h"
#include "passes/Derive/Identities.h"

namespace lossgrad {

/// Atoms by id with their exponents in halves, sorted.
using Monomial = std::vector<std::pair<unsigned, int>>;
using Polynomial = std::map<Monomial, double>;

/// How sigmoids are written.
enum class SigmoidForm { AsIs, Positive, Negative, ByLog };

/// What formulas that are equal may be written as; which is better depends on
/// the rest of the body, and is found by trying.
struct Choices {
  SigmoidForm sigmoids = SigmoidForm::AsIs;
  /// What is the same for a row or a call stands before sums.
  bool rowFactors = false;
  /// Rows are divided by one divisor after the other.
  bool stepwise = false;
  /// Powers are products of their base and the next lower power.
  bool splitPowers = false;
  /// An output that is a factor of another one is used there, and so is what a
  /// sum adds up.
  bool shared = false;
};

class Normalizer {
public:
  Normalizer(ExpressionPool &pool, IdentitySet enabled, Choices choices)
      : pool(pool), enabled(enabled), choices(choices) {}

  Polynomial normalize(Node node);
  Node build(const Polynomial &p);
  llvm::SmallVector<Node> simplify(llvm::ArrayRef<Node> outputs);

private:
  bool uses(Identity identity) const { return enabled[size_t(identity)]; }

  // Normal form.
  Polynomial compute(Node node);
  Polynomial atom(Node node, int halves = 2);
  Polynomial toPower(Node node, int halves);
  Polynomial ofExp(Node node);
  Polynomial splitPower(const Polynomial &exponent);
  Node findBase(Node logarithm);
  Polynomial ofSelect(Node node);
  Polynomial ofSigmoid(Node node);
  Polynomial ofIndicator(Node condition);
  Polynomial ofGather(Node node);
  Polynomial sumOver(Polynomial p, mlir::StringAttr dim);
  Polynomial sumOfProduct(const Monomial &inside, mlir::StringAttr dim);
  Node canonical(Node condition);
  Node canonicalCompare(Node compare);
  Node underGuard(Node value, Node condition);
  Node underGuardHere(Node value, Node condition);
  bool isSoftmax(Node node, mlir::StringAttr dim);

  static Polynomial plus(const Polynomial &p, const Polynomial &q,
                         double times = 1);
  Polynomial times(const Polynomial &p, const Polynomial &q);
  std::optional<Monomial> times(const Monomial &a, const Monomial &b);
  Polynomial mergeGuards(Polynomial p);
  Polynomial findClamp(const Polynomial &p);
  Node inRange(Node index, mlir::StringAttr dim);

  // Back to formulas.
  Node buildAnew(Polynomial p);
  Node buildProduct(const Monomial &m, double coefficient);
  Node buildCommon(const Polynomial &p, const Monomial &common);
  Node buildGroups(const Polynomial &p);
  Node buildCoefficients(const Polynomial &p, size_t most);
  Node buildGuards(const Polynomial &p);
  Node buildProportional(Node condition, const Polynomial &yes,
                         const Polynomial &no);
  Node buildRowFactor(const Polynomial &p, size_t most);
  std::map<Monomial, Polynomial> groupByLevel(const Polynomial &p,
                                              size_t most) const;
  bool coversAllCases(const Polynomial &p) const;
  Polynomial shareOutputs(Polynomial p, llvm::ArrayRef<Polynomial> forms,
                          llvm::ArrayRef<Node> results);
  Polynomial shareSummands(Polynomial p);
  bool mayLeaveGuards(Node node, int halves);
  Node buildFrequent(const Polynomial &p, size_t most);
  Node buildFraction(const Polynomial &p, size_t most);
  void addFactor(Node node, int halves, llvm::SmallVectorImpl<Node> &above,
                 llvm::SmallVectorImpl<Node> &below);
  Node guarded(Node value, llvm::ArrayRef<Node> conditions);
  Node quotient(llvm::ArrayRef<Node> above, llvm::ArrayRef<Node> below);
  Node divideStepwise(llvm::ArrayRef<Node> above, llvm::ArrayRef<Node> below);
  bool hasGuards(const Polynomial &p) const;
  bool isCheaper(Node a, Node b) {
    return countVectorOps(a, pool.rules) < countVectorOps(b, pool.rules);
  }

  Node at(unsigned id) const { return atoms.lookup(id); }
  /// The condition of an indicator, or null.
  static Node conditionOf(Node atom);
  size_t dimsOf(const Monomial &m) const;
  size_t dimsOf(const Polynomial &p) const;

  ExpressionPool &pool;
  IdentitySet enabled;
  Choices choices;
  bool fractions = true;
  llvm::DenseMap<unsigned, Node> atoms;
  llvm::DenseMap<Node, Polynomial> known;
  /// Products that sums add up, and the formula of each.
  std::vector<std::pair<Monomial, Node>> summands;
  /// What was built, with and without fractions.
  std::map<Polynomial, Node> built[2];
};

/// The parts of a conjunction.
void collectConjuncts(Node condition, llvm::SmallVectorImpl<Node> &parts);

/// Finite for finite inputs that are not huge. Anything else stays inside of
/// the selects that guard it: 0 * inf would be NaN where it is not wanted. The
/// optional input `present` is there.
bool isTame(Node node, OperatorOp op, llvm::StringRef present = "");

/// [c] (a f) instead of ([c] a) f where c is the same for a call: 0 times what
/// is infinite would be NaN in a branch that is not taken.
llvm::SmallVector<Node> hoistGuards(ExpressionPool &pool,
                                    llvm::ArrayRef<Node> roots);

/// A select within a side of another one on the same condition of the call is
/// that side of it.
llvm::SmallVector<Node> decideSelects(ExpressionPool &pool,
                                      llvm::ArrayRef<Node> roots);

/// Factors of a product that choose by the same condition as one choice.
llvm::SmallVector<Node> mergeSelects(ExpressionPool &pool,
                                     llvm::ArrayRef<Node> roots);

/// Exponentials of a row over their sum, where a formula has them.
llvm::SmallVector<Node> writeSoftmax(ExpressionPool &pool,
                                     llvm::ArrayRef<Node> roots);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_NORMALFORM_H
