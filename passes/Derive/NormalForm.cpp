//===- NormalForm.cpp - Sums of products over atoms -----------------------===//
//
// See the header. Names of identities refer to Identities.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "passes/Derive/Rules.h"
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
    double largest = std::max(std::abs(value), std::abs(times * c));
    value += times * c;
    // Nothing, or what rounding left of products of decimals.
    if (std::abs(value) <= 0x1p-50 * largest)
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
        product = plus(product, {{*m, tidy(c * d)}});
  return product;
}

static bool isPositive(Node node, const ExpressionPool &pool);

static bool isNonNegative(Node closed, const ExpressionPool &pool) {
  Node node = pool.open(closed);
  auto isOne = [&](Node arg) { return isNonNegative(arg, pool); };
  if (isPositive(node, pool) || node->is("abs") || node->is("sqrt") ||
      node->isCall("relu"))
    return true;
  if (node->is("power"))
    return int(node->number) % 4 == 0;
  if (node->is("add") || node->isSum())
    return llvm::all_of(node->args, isOne);
  if (node->is("mul")) // what occurs twice is a square
    return llvm::all_of(node->args, [&](Node arg) {
      return isOne(arg) || llvm::count(node->args, arg) % 2 == 0;
    });
  return false;
}

/// Known to be greater than 0, so that roots may be multiplied out.
static bool isPositive(Node closed, const ExpressionPool &pool) {
  Node node = pool.open(closed);
  auto isOne = [&](Node arg) { return isPositive(arg, pool); };
  if (node->is("exp"))
    return true;
  if (node->isConst())
    return node->number > 0;
  if (node->is("add"))
    return llvm::any_of(node->args, isOne) &&
           llvm::all_of(node->args,
                        [&](Node arg) { return isNonNegative(arg, pool); });
  if (node->is("mul") || node->is("div"))
    return llvm::all_of(node->args, isOne);
  if (node->is("max") || node->isCall("clamp_min"))
    return llvm::any_of(node->args, isOne);
  return false;
}

Polynomial Normalizer::toPower(Node node, int halves) {
  bool whole = halves % 2 == 0;
  // A product is not multiplied out first.
  if (node->is("mul") && (whole || isPositive(node, pool))) {
    Polynomial product{{{}, 1.0}};
    for (Node factor : node->args)
      product = times(product, toPower(factor, halves));
    return product;
  }
  if (node->isConst() && node->number > 0)
    return {{{}, tidy(std::pow(node->number, halves / 2.0))}};
  Polynomial p = normalize(node);
  if (p.empty() && halves > 0)
    return {};
  if (p.size() == 1) {
    const auto &[m, c] = *p.begin();
    bool roots =
        c == 1 && llvm::all_of(m, [&](auto entry) {
          return entry.second % 2 == 0 && isPositive(at(entry.first), pool);
        });
    bool guards = llvm::any_of(
        m, [&](auto entry) { return conditionOf(at(entry.first)); });
    if ((whole || roots) && !guards) {
      Monomial power;
      for (auto [id, exponent] : m)
        power.emplace_back(id, exponent * halves / 2);
      return {{power, whole ? tidy(std::pow(c, halves / 2)) : 1.0}};
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
  if (choices.splitPowers)
    if (Polynomial product = splitPower(p); !product.empty())
      return product;
  return atom(pool.unary("exp", build(p)));
}

/// What a value is the logarithm of, also by the definition of a function; null
/// if it is none.
Node Normalizer::findBase(Node logarithm) {
  if (logarithm->is("log"))
    return logarithm->args[0];
  RuleOp rule = logarithm->is("apply")
                    ? pool.rules.find(logarithm->getFunction())
                    : RuleOp();
  if (!rule || !rule.isFunction() || rule.getOverAttr())
    return nullptr;
  Block &body = rule.getDefinition().front();
  DenseMap<Node, Node> given;
  for (auto [argument, arg] :
       llvm::zip_equal(body.getArguments(), logarithm->args))
    given[pool.read(argument)] = arg;
  Node definition =
      substitute(pool, pool.read(body.back().getOperand(0)), given).front();
  Polynomial p = normalize(definition);
  if (p.size() != 1 || p.begin()->second != 1 || p.begin()->first.size() != 1 ||
      p.begin()->first[0].second != 2)
    return nullptr;
  Node inner = at(p.begin()->first[0].first);
  return inner->is("log") ? inner->args[0] : nullptr;
}

/// The power that an exponential is, as its base and the next lower power;
/// empty if it is none, or its base may be 0.
Polynomial Normalizer::splitPower(const Polynomial &exponent) {
  if (exponent.size() != 1 || !uses(Identity::SplitPower))
    return {};
  Node logarithm = nullptr;
  for (auto [id, halves] : exponent.begin()->first) {
    if (isUniformNode(at(id)))
      continue;
    if (logarithm || halves != 2)
      return {};
    logarithm = at(id);
  }
  Node base = logarithm ? findBase(logarithm) : nullptr;
  if (!base || !isPositive(base, pool))
    return {};
  Polynomial less = plus(exponent, atom(logarithm), -1);
  return times(normalize(base), less.empty()
                                    ? Polynomial{{{}, 1.0}}
                                    : atom(pool.unary("exp", build(less))));
}

Polynomial Normalizer::ofSigmoid(Node node) {
  Polynomial p = normalize(node->args[0]);
  Node x = build(p);
  if (choices.sigmoids == SigmoidForm::ByLog)
    return atom(pool.unary("exp", pool.call("log_sigmoid", x, nullptr)));
  bool flipped = !p.empty() && p.begin()->second < 0;
  if ((choices.sigmoids == SigmoidForm::Positive && flipped) ||
      (choices.sigmoids == SigmoidForm::Negative && !flipped)) {
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
  return known->isConst() ? normalize(known) : atom(known);
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
  Node summand = build({{inside, 1.0}});
  if (inside.size() > 1)
    summands.emplace_back(inside, summand);
  return atom(pool.reduce(ReduceKind::sum, summand, dim));
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
