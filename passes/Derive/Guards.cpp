//===- Guards.cpp - What conditions say -----------------------------------===//
//
// The part of Normalizer that is about conditions: what a guard makes of the
// value under it, one form for comparisons that mean the same, guards that
// meet, and clamps that were written as cases. Names of identities refer to
// Identities.h.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Predicates.h"
#include "passes/Derive/NormalForm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Values under guards
//===----------------------------------------------------------------------===//

/// Whether a node has other elements of `dims` than the one where it stands.
static bool looksElsewhere(Node node, ArrayRef<StringAttr> dims) {
  if (!node->attrs)
    return false;
  Attribute over = node->attrs.get("over");
  auto isOne = [&](Attribute dim) {
    return llvm::is_contained(dims, cast<StringAttr>(dim));
  };
  if (auto list = dyn_cast_or_null<ArrayAttr>(over))
    return llvm::any_of(list, isOne);
  return over && isa<StringAttr>(over) && isOne(over);
}

/// Whether a node asks where the extremum of a row is. Both sides of = are
/// computed alike, so neither changes by itself.
static bool findsElement(Node node, ArrayRef<StringAttr> dims) {
  return node->is("compare") && node->args[0]->isReal() &&
         (node->getPredicate() == Predicate::eq ||
          node->getPredicate() == Predicate::ne) &&
         llvm::any_of(inOrder(node->args),
                      [&](Node arg) { return looksElsewhere(arg, dims); });
}

/// The largest such nodes under a value as atoms, and back.
static void closeElsewhere(ExpressionPool &pool, Node node,
                           ArrayRef<StringAttr> dims,
                           DenseMap<Node, Node> &close,
                           DenseMap<Node, Node> &open,
                           llvm::DenseSet<Node> &seen) {
  if (!seen.insert(node).second)
    return;
  if (looksElsewhere(node, dims) || findsElement(node, dims)) {
    Node whole = pool.close(node);
    close[node] = whole;
    open[whole] = node;
    return;
  }
  for (Node arg : node->args)
    closeElsewhere(pool, arg, dims, close, open, seen);
}

/// What a guard makes of functions that limit a value to where it lies anyway.
/// It says nothing of other elements, which sums and extrema have.
Node Normalizer::underGuard(Node value, Node condition) {
  if (!uses(Identity::ClampUnderGuard))
    return value;
  DenseMap<Node, Node> close, open;
  llvm::DenseSet<Node> seen;
  closeElsewhere(pool, value, condition->dims(), close, open, seen);
  Node closed = substitute(pool, value, close).front();
  Node result = underGuardHere(closed, condition);
  return result == closed ? value : substitute(pool, result, open).front();
}

Node Normalizer::underGuardHere(Node value, Node condition) {
  SmallVector<Node> parts;
  collectConjuncts(condition, parts);
  auto holds = [&](Node x, Predicate strict, Predicate loose, Node bound) {
    return llvm::any_of(parts, [&](Node part) {
      return part->is("compare") && part->args[0] == x &&
             (part->args[1] == bound ||
              (bound->isConst() && part->args[1]->isConst(bound->number))) &&
             (part->getPredicate() == strict || part->getPredicate() == loose);
    });
  };
  DenseMap<Node, Node> table;
  for (Node node : inOrder(value)) {
    if (node->isCall("relu") &&
        holds(node->args[0], Predicate::gt, Predicate::ge, pool.constant(0)))
      table[node] = node->args[0];
    if (node->isCall("clamp_min") &&
        holds(node->args[0], Predicate::gt, Predicate::ge, node->args[1]))
      table[node] = node->args[0];
    if (node->isCall("clamp_max") &&
        holds(node->args[0], Predicate::lt, Predicate::le, node->args[1]))
      table[node] = node->args[0];
    if (node->is("clamp") &&
        holds(node->args[0], Predicate::gt, Predicate::ge, node->args[1]) &&
        holds(node->args[0], Predicate::lt, Predicate::le, node->args[2]))
      table[node] = node->args[0];
  }
  if (table.empty())
    return value;
  Node result = substitute(pool, value, table).front();
  // A comparison of a value with its limit is one with itself now. What was
  // written as one asks for NaN.
  std::vector<Node> before = inOrder(value);
  DenseMap<Node, Node> decided;
  for (Node node : inOrder(result))
    if (node->is("compare") && node->args[0] == node->args[1] &&
        !llvm::is_contained(before, node))
      decided[node] = pool.boolean(node->getPredicate() == Predicate::eq ||
                                   node->getPredicate() == Predicate::le ||
                                   node->getPredicate() == Predicate::ge);
  return substitute(pool, result, decided).front();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// What has dims stands on the left, the rest on the right.
Node Normalizer::canonicalCompare(Node compare) {
  Node x = compare->args[0], y = compare->args[1];
  if (!x->isReal() || !uses(Identity::CompareDifference))
    return compare;
  Polynomial left, right;
  for (const auto &[m, c] : plus(normalize(x), normalize(y), -1))
    (dimsOf(m) ? left : right)[m] = dimsOf(m) ? c : -c;
  Predicate predicate = compare->getPredicate();
  if (left.empty())
    return pool.compare(predicate, build(normalize(x)), build(normalize(y)));
  if (left.size() == 2 && right.empty()) {
    auto first = left.begin(), second = std::next(first);
    if (first->second == -second->second) {
      if (first->second < 0)
        std::swap(first, second);
      return pool.compare(predicate, buildProduct(first->first, 1),
                          buildProduct(second->first, 1));
    }
  }
  // What is equal to a sum need not be equal to it once a term has changed
  // sides: the largest of x + a is where x + a is, not where x is it less a.
  if (predicate == Predicate::eq || predicate == Predicate::ne)
    return pool.compare(predicate, build(normalize(x)), build(normalize(y)));
  if (llvm::all_of(left, [](const auto &term) { return term.second < 0; })) {
    left = plus({}, left, -1);
    right = plus({}, right, -1);
    predicate = mirrored(predicate);
  }
  return pool.compare(predicate, build(left), build(right));
}

Node Normalizer::canonical(Node condition) {
  if (condition->is("compare"))
    return canonicalCompare(condition);
  if (condition->is("not"))
    return pool.lnot(canonical(condition->args[0]));
  if (condition->is("and") || condition->is("or")) {
    SmallVector<Node> args;
    for (Node arg : condition->args)
      args.push_back(canonical(arg));
    return pool.rebuild(condition, args);
  }
  return condition;
}

Polynomial Normalizer::mergeGuards(Polynomial p) {
  if (!uses(Identity::GuardsMeet))
    return p;
  auto mergeOne = [&]() {
    for (const auto &[m, c] : p)
      for (size_t i = 0; i < m.size(); ++i) {
        Node condition = conditionOf(at(m[i].first));
        if (!condition || !condition->is("not"))
          continue;
        Monomial rest = m;
        rest.erase(rest.begin() + i);
        Polynomial other = atom(pool.indicator(condition->args[0]));
        std::optional<Monomial> with = times(rest, other.begin()->first);
        auto twin = with ? p.find(*with) : p.end();
        if (twin == p.end() || twin->second != c)
          continue;
        double value = c;
        p.erase(twin);
        p.erase(p.find(m));
        p = plus(p, {{rest, value}});
        return true;
      }
    return false;
  };
  while (mergeOne())
    ;
  return p;
}

/// A linear part within bounds and their signs outside of them.
Polynomial Normalizer::findClamp(const Polynomial &p) {
  if (!uses(Identity::ClampFromCases))
    return p;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m) {
      Node inside = conditionOf(at(id));
      if (!inside || !inside->is("compare") || !inside->args[0]->is("abs") ||
          !isUniformNode(inside->args[1]) ||
          (inside->getPredicate() != Predicate::lt &&
           inside->getPredicate() != Predicate::le))
        continue;
      Node x = inside->args[0]->args[0], b = inside->args[1];
      unsigned outside =
          atom(pool.indicator(pool.lnot(inside))).begin()->first[0].first;
      unsigned sign = atom(pool.unary("sign", x)).begin()->first[0].first;
      Polynomial linear, constant, rest;
      bool fits = true;
      for (const auto &[term, value] : p) {
        auto drop = [&](unsigned what, Monomial &from) {
          auto it = llvm::find(from, std::pair<unsigned, int>(what, 2));
          bool found = it != from.end();
          if (found)
            from.erase(it);
          return found;
        };
        Monomial left = term;
        if (drop(id, left))
          linear[left] = value;
        else if (drop(outside, left))
          fits &= drop(sign, left), constant[left] = value;
        else
          rest[term] = value;
      }
      if (!fits || constant.empty() ||
          plus(times(constant, normalize(x)), times(linear, normalize(b)),
               -1) != Polynomial())
        continue;
      Node clamp = pool.make("clamp", {}, {x, pool.neg(b), b}, x->type);
      Polynomial within = times(times(constant, toPower(b, -2)), atom(clamp));
      Node positive = pool.compare(Predicate::gt, b, pool.constant(0));
      if ((b->isConst() && b->number > 0) || pool.facts.contains(positive))
        return plus(rest, within);
      Polynomial signs = times(constant, atom(pool.unary("sign", x)));
      return plus(
          rest, plus(times(atom(pool.indicator(positive)), within),
                     times(atom(pool.indicator(pool.lnot(positive))), signs)));
    }
  return p;
}
