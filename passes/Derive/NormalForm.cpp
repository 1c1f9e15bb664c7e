//===- NormalForm.cpp - Sums of products over atoms -----------------------===//
//
// See the header. Names of identities refer to Identities.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "dialect/LossGrad/IR/Predicates.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

void lossgrad::collectConjuncts(Node condition, SmallVectorImpl<Node> &parts) {
  if (!condition->is("and")) {
    parts.push_back(condition);
    return;
  }
  for (Node arg : condition->args)
    collectConjuncts(arg, parts);
}

Node Normalizer::conditionOf(Node atom) {
  bool isIndicator =
      atom->is("cast") && atom->args[0]->type.getKind() == Kind::Bool;
  return isIndicator ? atom->args[0] : nullptr;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Polynomial Normalizer::atom(Node node, int halves) {
  atoms[node->id] = node;
  return {{{{node->id, halves}}, 1.0}};
}

Polynomial Normalizer::plus(const Polynomial &p, const Polynomial &q,
                            double times) {
  Polynomial sum = p;
  for (const auto &[m, c] : q) {
    double &value = sum[m];
    value += times * c;
    if (value == 0)
      sum.erase(m);
  }
  return sum;
}

static bool implies(Node stronger, Node weaker) {
  SmallVector<Node> all, wanted;
  collectConjuncts(stronger, all);
  collectConjuncts(weaker, wanted);
  return all.size() > wanted.size() && llvm::all_of(wanted, [&](Node n) {
           return llvm::is_contained(all, n);
         });
}

/// None for a product that is 0: a condition and its negation.
std::optional<Monomial> Normalizer::times(const Monomial &a,
                                          const Monomial &b) {
  std::map<unsigned, int> exponents(a.begin(), a.end());
  for (auto [id, halves] : b)
    exponents[id] += halves;
  SmallVector<Node> guards;
  for (auto &[id, halves] : exponents)
    if (Node condition = conditionOf(at(id))) {
      halves = 2;
      guards.push_back(condition);
    }
  Monomial product;
  for (auto [id, halves] : exponents) {
    if (halves == 0)
      continue;
    if (Node condition = conditionOf(at(id));
        condition && uses(Identity::GuardImplies)) {
      if (llvm::is_contained(guards, pool.lnot(condition)))
        return std::nullopt;
      if (llvm::any_of(guards,
                       [&](Node other) { return implies(other, condition); }))
        continue;
    }
    product.emplace_back(id, halves);
  }
  return product;
}

/// A product of more terms than this is not multiplied out.
static constexpr size_t kMaxTerms = 1000;

Polynomial Normalizer::times(const Polynomial &p, const Polynomial &q) {
  if (p.size() * q.size() > kMaxTerms)
    return atom(pool.mul({build(p), build(q)}));
  Polynomial product;
  for (const auto &[a, c] : p)
    for (const auto &[b, d] : q)
      if (std::optional<Monomial> m = times(a, b))
        product = plus(product, {{*m, c * d}});
  return product;
}

static bool isPositive(Node node);

static bool isNonNegative(Node node) {
  if (isPositive(node) || node->is("abs") || node->is("sqrt") ||
      node->isCall("relu"))
    return true;
  if (node->is("power"))
    return int(node->number) % 4 == 0;
  if (node->is("add") || node->isSum())
    return llvm::all_of(node->args, isNonNegative);
  if (node->is("mul")) // what occurs twice is a square
    return llvm::all_of(node->args, [&](Node arg) {
      return isNonNegative(arg) || llvm::count(node->args, arg) % 2 == 0;
    });
  return false;
}

/// Known to be greater than 0, so that roots may be multiplied out.
static bool isPositive(Node node) {
  if (node->is("exp"))
    return true;
  if (node->isConst())
    return node->number > 0;
  if (node->is("add"))
    return llvm::all_of(node->args, isNonNegative) &&
           llvm::any_of(node->args, isPositive);
  if (node->is("mul") || node->is("div"))
    return llvm::all_of(node->args, isPositive);
  return false;
}

Polynomial Normalizer::toPower(Node node, int halves) {
  bool whole = halves % 2 == 0;
  // A product is not multiplied out first.
  if (node->is("mul") && (whole || isPositive(node))) {
    Polynomial product{{{}, 1.0}};
    for (Node factor : node->args)
      product = times(product, toPower(factor, halves));
    return product;
  }
  if (node->isConst() && node->number > 0)
    return {{{}, std::pow(node->number, halves / 2.0)}};
  Polynomial p = normalize(node);
  if (p.empty() && halves > 0)
    return {};
  if (p.size() == 1) {
    const auto &[m, c] = *p.begin();
    bool roots = c == 1 && llvm::all_of(m, [&](auto entry) {
                   return entry.second % 2 == 0 && isPositive(at(entry.first));
                 });
    bool guards = llvm::any_of(
        m, [&](auto entry) { return conditionOf(at(entry.first)); });
    if ((whole || roots) && !guards) {
      Monomial power;
      for (auto [id, exponent] : m)
        power.emplace_back(id, exponent * halves / 2);
      return {{power, whole ? std::pow(c, halves / 2) : 1.0}};
    }
  }
  return atom(build(p), halves);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Polynomial Normalizer::normalize(Node node) {
  auto it = known.find(node);
  if (it != known.end())
    return it->second;
  Polynomial p = compute(node);
  known[node] = p;
  return p;
}

Polynomial Normalizer::compute(Node node) {
  if (node->isConst())
    return node->number == 0 ? Polynomial() : Polynomial{{{}, node->number}};
  if (node->leaf)
    return atom(node);
  if (node->is("add")) {
    Polynomial sum;
    for (Node arg : node->args)
      sum = plus(sum, normalize(arg));
    return sum;
  }
  if (node->is("mul")) {
    Polynomial product{{{}, 1.0}};
    for (Node arg : node->args)
      product = times(product, normalize(arg));
    return product;
  }
  if (node->is("div"))
    return times(normalize(node->args[0]), toPower(node->args[1], -2));
  if (node->is("power"))
    return toPower(node->args[0], node->number);
  if (node->is("sqrt"))
    return toPower(node->args[0], 1);
  if (node->is("exp"))
    return ofExp(node);
  if (node->is("select"))
    return ofSelect(node);
  if (node->isCall("sigmoid"))
    return ofSigmoid(node);
  if (Node condition = conditionOf(node))
    return ofIndicator(condition);
  if (node->is("gather"))
    return ofGather(node);
  if (node->isSum()) {
    Polynomial p = normalize(node->args[0]);
    for (auto dim :
         node->attrs.getAs<ArrayAttr>("over").getAsRange<StringAttr>())
      p = sumOver(p, dim);
    return p;
  }
  // Anything else is an atom over simplified operands.
  SmallVector<Node> args;
  for (Node arg : node->args)
    args.push_back(arg->isReal() ? build(normalize(arg)) : canonical(arg));
  if (node->is("reduce") || node->is("apply"))
    for (auto [before, after] : llvm::zip(node->args, args))
      if (before->type != after->type)
        return atom(node); // a dim that it works over would be gone
  return atom(pool.rebuild(node, args));
}

Polynomial Normalizer::ofExp(Node node) {
  Polynomial p = normalize(node->args[0]);
  if (p.size() == 1 && p.begin()->second == 1 && p.begin()->first.size() == 1 &&
      p.begin()->first[0].second == 2) {
    Node inner = at(p.begin()->first[0].first);
    if (inner->is("log") && uses(Identity::ExpOfLog))
      return normalize(inner->args[0]);
  }
  return atom(pool.unary("exp", build(p)));
}

Polynomial Normalizer::ofSigmoid(Node node) {
  Polynomial p = normalize(node->args[0]);
  Node x = build(p);
  if (sigmoids == SigmoidForm::ByLog)
    return atom(pool.unary("exp", pool.call("log_sigmoid", x, nullptr)));
  bool flipped = !p.empty() && p.begin()->second < 0;
  if ((sigmoids == SigmoidForm::Positive && flipped) ||
      (sigmoids == SigmoidForm::Negative && !flipped)) {
    Node mirrored = pool.call("sigmoid", build(plus({}, p, -1)), node);
    return plus({{{}, 1.0}}, atom(mirrored), -1);
  }
  return atom(pool.call("sigmoid", x, node));
}

Polynomial Normalizer::ofIndicator(Node condition) {
  SmallVector<Node> parts;
  collectConjuncts(condition, parts);
  auto isHot = [](Node part) { return part->is("onehot"); };
  if (parts.size() > 1 && llvm::any_of(parts, isHot) &&
      uses(Identity::OneHotProduct)) {
    Node rest = nullptr;
    Polynomial product{{{}, 1.0}};
    for (Node part : parts) {
      if (isHot(part))
        product = times(product, atom(pool.indicator(part)));
      else
        rest = rest ? pool.land(rest, part) : part;
    }
    return rest ? times(ofIndicator(rest), product) : product;
  }
  Node known = pool.indicator(canonical(condition));
  if (known->isConst())
    return normalize(known);
  if (conditionOf(known)->is("not"))
    return atom(known);
  return atom(known);
}

Polynomial Normalizer::ofSelect(Node node) {
  Node condition = node->args[0], yes = node->args[1], no = node->args[2];
  bool guards = yes->isConst(0) || no->isConst(0);
  if (!uses(Identity::SelectIsGuards) || (isUniformNode(condition) && !guards))
    return atom(pool.select(canonical(condition), build(normalize(yes)),
                            build(normalize(no))));
  Polynomial a = normalize(underGuard(yes, condition)), b = normalize(no);
  // Where nothing else is, the indicator may fall apart.
  if (b.empty())
    return times(ofIndicator(condition), a);
  Node c = canonical(condition);
  if (c->is("not")) {
    std::swap(a, b);
    c = c->args[0];
  }
  return mergeGuards(plus(times(atom(pool.indicator(c)), a),
                          times(atom(pool.indicator(pool.lnot(c))), b)));
}

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

/// The largest such nodes under a value as atoms, and back.
static void closeElsewhere(ExpressionPool &pool, Node node,
                           ArrayRef<StringAttr> dims,
                           DenseMap<Node, Node> &close,
                           DenseMap<Node, Node> &open,
                           llvm::DenseSet<Node> &seen) {
  if (!seen.insert(node).second)
    return;
  if (looksElsewhere(node, dims)) {
    Node whole = pool.make(("#" + Twine(node->id)).str(), {}, {}, node->type);
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

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

Node Normalizer::inRange(Node index, StringAttr dim) {
  MLIRContext *context = dim.getContext();
  Builder builder(context);
  auto scalar = ValueType::get(context, Kind::Int);
  NamedAttribute zero(builder.getStringAttr("value"),
                      builder.getI64IntegerAttr(0));
  NamedAttribute name(builder.getStringAttr("name"), dim);
  Node low = pool.make("constant", builder.getDictionaryAttr(zero), {}, scalar);
  Node high = pool.make("extent", builder.getDictionaryAttr(name), {}, scalar);
  return pool.land(pool.compare(Predicate::ge, index, low),
                   pool.compare(Predicate::lt, index, high));
}

Polynomial Normalizer::ofGather(Node node) {
  Node table = build(normalize(node->args[0]));
  Node otherwise = build(normalize(node->args[2]));
  if (!table->type.hasDim(node->getOver()))
    return normalize(
        pool.select(inRange(node->args[1], node->getOver()), table, otherwise));
  return atom(pool.rebuild(node, {table, node->args[1], otherwise}));
}

/// exp(x - logsumexp(x over d)), whatever its logsumexp is called.
bool Normalizer::isSoftmax(Node node, StringAttr dim) {
  if (!node->is("exp"))
    return false;
  auto open = [&](Node n) {
    Node definition = pool.trustedDefinition.lookup(n);
    return definition ? definition : n;
  };
  Polynomial exponent = normalize(open(node->args[0]));
  for (const auto &[m, c] : exponent) {
    if (c != -1 || m.size() != 1 || m[0].second != 2)
      continue;
    Node sum = open(at(m[0].first));
    if (sum->isCall("logsumexp") && sum->getOver() == dim &&
        plus(exponent, {{m, 1.0}}) == normalize(sum->args[0]))
      return true;
  }
  return false;
}

Polynomial Normalizer::sumOfProduct(const Monomial &inside, StringAttr dim) {
  Monomial rest;
  Node hot = nullptr;
  bool guards = false;
  for (auto [id, halves] : inside) {
    Node condition = conditionOf(at(id));
    if (!hot && condition && condition->is("onehot") &&
        condition->getOver() == dim) {
      hot = condition;
      continue;
    }
    guards |= condition != nullptr;
    rest.emplace_back(id, halves);
  }
  if (hot && !guards && uses(Identity::OneHotSum)) {
    Node index = hot->args[0];
    if (rest.empty())
      return atom(pool.indicator(inRange(index, dim)));
    Builder builder(dim.getContext());
    NamedAttribute over(builder.getStringAttr("over"), dim);
    Node table = build({{rest, 1.0}});
    if (!table->type.hasDim(dim))
      return times(atom(pool.indicator(inRange(index, dim))), normalize(table));
    Node like =
        pool.make("gather", builder.getDictionaryAttr(over), {}, table->type);
    return atom(pool.rebuild(like, {table, index, pool.constant(0)}));
  }
  if (inside.size() == 1 && inside[0].second == 2 &&
      isSoftmax(at(inside[0].first), dim) && uses(Identity::SoftmaxSum))
    return {{{}, 1.0}};
  return atom(pool.reduce(ReduceKind::sum, build({{inside, 1.0}}), dim));
}

Polynomial Normalizer::sumOver(Polynomial p, StringAttr dim) {
  Polynomial sum;
  for (const auto &[m, c] : p) {
    Monomial inside, outside;
    for (auto entry : m)
      (at(entry.first)->type.hasDim(dim) ? inside : outside).push_back(entry);
    if (!uses(Identity::ConstantSum) && !inside.empty())
      std::tie(inside, outside) = std::pair(m, Monomial());
    Polynomial q =
        inside.empty() ? atom(pool.numel(dim)) : sumOfProduct(inside, dim);
    sum = plus(sum, times({{outside, c}}, q));
  }
  return sum;
}
