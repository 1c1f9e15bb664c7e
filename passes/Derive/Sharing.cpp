//===- Sharing.cpp - What is computed once --------------------------------===//
//
// The end of Normalizer: outputs one after the other, each built from its
// normal form, with what earlier outputs and sums have computed; and what may
// leave the guards around it. Names of identities refer to Identities.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// What leaves its guards
//===----------------------------------------------------------------------===//

/// Whether an input may be absent; then its elements are NaN. `present` is not.
static bool mayBeAbsent(Value leaf, OperatorOp op, StringRef present) {
  auto argument = dyn_cast<BlockArgument>(leaf);
  if (!argument)
    return false;
  ParamAttr input = op.getInputs()[argument.getArgNumber()];
  return input.getRole() == Role::Optional && input.getName() != present;
}

/// Whether a number of the call is divided by an attribute, which a condition
/// around it may rule out to be 0.
static bool mayDivideByZero(Node node) {
  return llvm::any_of(inOrder(node), [](Node inner) {
    return inner->is("div") &&
           llvm::any_of(inOrder(inner->args[1]),
                        [](Node below) { return below->is("attribute"); });
  });
}

bool lossgrad::isTame(Node node, OperatorOp op, StringRef present) {
  if (node->leaf)
    return !mayBeAbsent(node->leaf, op, present);
  if (node->isConst())
    return true;
  if (isUniformNode(node))
    return !mayDivideByZero(node);
  static constexpr StringLiteral kTame[] = {"add",  "mul",   "power", "abs",
                                            "sign", "min",   "max",   "clamp",
                                            "cast", "select"};
  if (node->is("gather"))
    return isTame(node->args[0], op, present) &&
           isTame(node->args[2], op, present);
  if (node->type.getKind() == Kind::Bool)
    return true;
  if (node->is("select") && node->args[0]->is("present"))
    return isTame(node->args[1], op,
                  node->args[0]->attrs.getAs<StringAttr>("name")) &&
           isTame(node->args[2], op, present);
  return (llvm::is_contained(kTame, node->op) || node->op.starts_with("#") ||
          node->isCall("sigmoid")) &&
         llvm::all_of(node->args,
                      [&](Node arg) { return isTame(arg, op, present); });
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// What is left of a product without a factor; none if it lacks it.
static std::optional<Monomial> divide(const Monomial &product,
                                      const Monomial &factor) {
  std::map<unsigned, int> exponents(product.begin(), product.end());
  for (auto [id, halves] : factor) {
    int &exponent = exponents[id];
    if ((exponent > 0) != (halves > 0) || std::abs(exponent) < std::abs(halves))
      return std::nullopt;
    if ((exponent -= halves) == 0)
      exponents.erase(id);
  }
  return Monomial(exponents.begin(), exponents.end());
}

/// Terms that have an earlier output, which is one product, as a factor.
Polynomial Normalizer::shareOutputs(Polynomial p, ArrayRef<Polynomial> forms,
                                    ArrayRef<Node> results) {
  for (auto [form, result] : llvm::zip_equal(forms, results)) {
    if (form.size() != 1 || hasGuards(form) || result->is("reduce_onto") ||
        form.begin()->first.size() < 2)
      continue;
    const auto &[factor, coefficient] = *form.begin();
    Polynomial shared;
    for (const auto &[m, c] : p) {
      std::optional<Monomial> rest = divide(m, factor);
      shared =
          plus(shared, rest ? times({{*rest, c / coefficient}}, atom(result))
                            : Polynomial{{m, c}});
    }
    p = shared;
  }
  return p;
}

/// Numbers of the call that come from sizes alone are not 0 where there are
/// elements.
bool Normalizer::mayLeaveGuards(Node node, int halves) {
  if (halves < 0 &&
      (!isUniformNode(node) || llvm::any_of(inOrder(node), [](Node inner) {
        return inner->is("attribute");
      })))
    return false;
  return isTame(node, pool.getOperator());
}

/// Terms that have what a sum adds up as a factor. A guard that is part of it
/// is left behind with it: the rest then counts everywhere.
Polynomial Normalizer::shareSummands(Polynomial p) {
  // One may be a factor of another.
  llvm::stable_sort(summands, [](const auto &a, const auto &b) {
    return a.first.size() > b.first.size();
  });
  for (const auto &[summand, node] : summands) {
    bool isGuarded = hasGuards({{summand, 1.0}});
    Polynomial shared;
    for (const auto &[m, c] : p) {
      std::optional<Monomial> rest = divide(m, summand);
      bool fits = rest && (!isGuarded || llvm::all_of(*rest, [&](auto entry) {
                    return mayLeaveGuards(at(entry.first), entry.second);
                  }));
      shared = plus(shared, fits ? times({{*rest, c}}, atom(node))
                                 : Polynomial{{m, c}});
    }
    p = shared;
  }
  return p;
}

SmallVector<Node> Normalizer::simplify(ArrayRef<Node> outputs) {
  SmallVector<Node> results;
  SmallVector<Polynomial> forms;
  for (Node output : outputs) {
    // A sum onto a part of a pack stands outside of what is simplified.
    Node inner = output->is("reduce_onto") ? output->args[0] : output;
    Polynomial p = normalize(inner);
    Node result = nullptr;
    for (auto [i, other] : llvm::enumerate(forms))
      if (uses(Identity::NegatedOutput) && !p.empty() && plus(other, p).empty())
        result = pool.unary("neg", results[i]);
    if (!result && choices.shared && uses(Identity::SharedOutput))
      p = shareOutputs(p, forms, results);
    forms.push_back(p);
    if (!result && choices.shared && uses(Identity::SharedSummand))
      p = shareSummands(p);
    if (!result)
      result = build(p);
    if (inner != output)
      result = pool.rebuild(output, result);
    results.push_back(result);
  }
  return results;
}
