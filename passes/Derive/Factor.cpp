//===- Factor.cpp - From the normal form back to formulas -----------------===//
//
// The second half of Normalizer: factors sums by level, guards first to last as
// selects. Every rewrite is an identity of Identities.h or the distributive
// law; where two are possible, the one with fewer vector ops is taken.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

size_t Normalizer::dimsOf(const Monomial &m) const {
  SmallVector<Node> nodes;
  for (auto [id, halves] : m)
    nodes.push_back(at(id));
  return pool.unionType(nodes, Kind::Real).getDims().size();
}

size_t Normalizer::dimsOf(const Polynomial &p) const {
  SmallVector<Node> nodes;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m)
      nodes.push_back(at(id));
  return pool.unionType(nodes, Kind::Real).getDims().size();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Node Normalizer::guarded(Node value, ArrayRef<Node> conditions) {
  for (Node condition : conditions)
    value = pool.select(condition, value, pool.constant(0));
  return value;
}

void Normalizer::addFactor(Node node, int halves, SmallVectorImpl<Node> &above,
                           SmallVectorImpl<Node> &below) {
  if (node->isCall("sigmoid") && halves == 2 &&
      uses(Identity::SigmoidIsQuotient)) {
    Node x = build(plus({}, normalize(node->args[0]), -1));
    below.push_back(pool.add({pool.constant(1), pool.unary("exp", x)}));
    return;
  }
  (halves > 0 ? above : below).push_back(pool.power(node, std::abs(halves)));
}

/// What divides a row or the whole call does so once.
Node Normalizer::quotient(ArrayRef<Node> above, ArrayRef<Node> below) {
  if (below.empty())
    return pool.mul(above);
  size_t most = 0;
  for (Node factor : above)
    most = std::max(most, factor->dims().size());
  if (llvm::any_of(below, [&](Node n) { return n->dims().size() >= most; })) {
    // The sign stays outside, where a sum takes it in.
    Node number = pool.mul(above);
    bool isNegative = getCoefficient(number) == -1;
    Node value =
        pool.div(isNegative ? pool.neg(number) : number, pool.mul(below));
    return isNegative ? pool.neg(value) : value;
  }
  SmallVector<Node> low, high;
  for (Node factor : above)
    (factor->dims().size() < most ? low : high).push_back(factor);
  high.push_back(choices.stepwise && uses(Identity::StepwiseQuotient)
                     ? divideStepwise(low, below)
                     : pool.div(pool.mul(low), pool.mul(below)));
  return pool.mul(high);
}

/// (a / c) b / d instead of (a b) / (c d), roots by themselves: products of
/// what rows are divided by leave the range of float32 before quotients do.
Node Normalizer::divideStepwise(ArrayRef<Node> above, ArrayRef<Node> below) {
  SmallVector<Node> divisors;
  for (Node factor : below)
    for (Node part : getFactors(factor))
      divisors.append(part->is("power") ? int(part->number) / 2 : 1,
                      part->is("power") ? part->args[0] : part);
  Node value = above.empty() ? pool.constant(1) : above.front();
  ArrayRef<Node> left = above.drop_front(above.empty() ? 0 : 1);
  for (Node divisor : divisors) {
    value = pool.div(value, divisor);
    if (!left.empty()) {
      value = pool.mul({value, left.front()});
      left = left.drop_front();
    }
  }
  SmallVector<Node> factors(left);
  factors.push_back(value);
  return pool.mul(factors);
}

Node Normalizer::buildProduct(const Monomial &m, double coefficient) {
  SmallVector<Node> conditions, above, below;
  if (coefficient != 1 || m.empty())
    above.push_back(pool.constant(coefficient));
  for (auto [id, halves] : m) {
    if (Node condition = conditionOf(at(id)))
      conditions.push_back(condition);
    else
      addFactor(at(id), halves, above, below);
  }
  // A bare indicator stays one: 0 or 1.
  if (above.empty() && below.empty() && conditions.size() == 1)
    return pool.indicator(conditions[0]);
  return guarded(quotient(above, below), conditions);
}

Node Normalizer::buildCommon(const Polynomial &p, const Monomial &common) {
  Polynomial rest;
  for (const auto &[m, c] : p) {
    std::map<unsigned, int> exponents(m.begin(), m.end());
    for (auto [id, halves] : common)
      if ((exponents[id] -= halves) == 0)
        exponents.erase(id);
    rest[Monomial(exponents.begin(), exponents.end())] = c;
  }
  SmallVector<Node> conditions, above, below;
  for (auto [id, halves] : common) {
    if (Node condition = conditionOf(at(id)))
      conditions.push_back(condition);
    else
      addFactor(at(id), halves, above, below);
  }
  above.push_back(build(rest));
  return guarded(quotient(above, below), conditions);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// What all terms have in common.
static Monomial findCommon(const Polynomial &p) {
  std::map<unsigned, int> common(p.begin()->first.begin(),
                                 p.begin()->first.end());
  for (const auto &[m, c] : p) {
    std::map<unsigned, int> here(m.begin(), m.end()), both;
    for (auto [id, halves] : common) {
      auto it = here.find(id);
      if (it != here.end() && (it->second > 0) == (halves > 0))
        both[id] =
            std::abs(halves) <= std::abs(it->second) ? halves : it->second;
    }
    common = std::move(both);
  }
  return Monomial(common.begin(), common.end());
}

bool Normalizer::hasGuards(const Polynomial &p) const {
  return llvm::any_of(p, [&](const auto &term) {
    return llvm::any_of(term.first, [&](auto entry) {
      return conditionOf(at(entry.first)) != nullptr;
    });
  });
}

Node Normalizer::build(const Polynomial &p) {
  auto &kept = built[fractions];
  auto it = kept.find(p);
  if (it != kept.end())
    return it->second;
  Node node = buildAnew(p);
  return kept[p] = node;
}

Node Normalizer::buildAnew(Polynomial p) {
  p = findClamp(mergeGuards(std::move(p)));
  if (p.empty())
    return pool.constant(0);
  if (p.size() == 1)
    return buildProduct(p.begin()->first, p.begin()->second);
  double content = std::abs(p.begin()->second);
  if (content != 1 && llvm::all_of(p, [&](const auto &term) {
        return std::abs(term.second) == content;
      })) {
    Polynomial units;
    for (const auto &[m, c] : p)
      units[m] = c > 0 ? 1 : -1;
    return pool.mul({pool.constant(content), build(units)});
  }
  size_t most = dimsOf(p);
  const bool rowFactors =
      choices.rowFactors && uses(Identity::RowFactor) && most;
  if (rowFactors) {
    // 2 f - a = 2 (f - a / 2). There need not be such an f: values per row and
    // per class have all dims only together.
    double factor = 0;
    bool isOne = true;
    for (const auto &[m, c] : p)
      if (dimsOf(m) == most) {
        isOne &= factor == 0 || factor == std::abs(c);
        factor = std::abs(c);
      }
    if (isOne && factor != 0 && factor != 1)
      return pool.mul({pool.constant(factor), build(plus({}, p, 1 / factor))});
  }
  Monomial common = uses(Identity::CommonFactor) ? findCommon(p) : Monomial();
  auto isHigh = [&](std::pair<unsigned, int> entry) {
    return at(entry.first)->dims().size() == most ||
           conditionOf(at(entry.first));
  };
  bool guards = hasGuards(p);
  if (guards) {
    // Conditions of all terms go around all of them.
    Monomial conditions;
    llvm::copy_if(common, std::back_inserter(conditions),
                  [&](auto entry) { return conditionOf(at(entry.first)); });
    if (!conditions.empty())
      return buildCommon(p, conditions);
    if (!coversAllCases(p))
      llvm::erase_if(common, [&](auto entry) {
        return entry.second < 0 || !isTame(at(entry.first), pool.getOperator());
      });
  }
  if (rowFactors && !guards && !common.empty() &&
      llvm::all_of(common, [](auto entry) { return entry.second > 0; }))
    return buildCommon(p, common);
  if (most && !common.empty()) {
    if (llvm::none_of(common, isHigh)) {
      Node a = buildCommon(p, common), b = buildGroups(p);
      return isCheaper(a, b) ? a : b;
    }
    llvm::erase_if(common, [&](auto entry) { return !isHigh(entry); });
  }
  if (!guards)
    if (Node fraction = buildFraction(p, most))
      return fraction;
  return common.empty() ? buildGroups(p) : buildCommon(p, common);
}

/// One fraction instead of several, if that is cheaper.
Node Normalizer::buildFraction(const Polynomial &p, size_t most) {
  if (!fractions || !most || !uses(Identity::OneFraction))
    return nullptr;
  std::map<unsigned, int> below;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m)
      if (halves < 0 && halves % 2 == 0 && at(id)->dims().size() == most)
        below[id] = std::max(below[id], -halves);
  if (below.size() < 2)
    return nullptr;
  Polynomial above;
  for (const auto &[m, c] : p) {
    std::map<unsigned, int> exponents(m.begin(), m.end());
    Polynomial term{{{}, c}};
    for (auto [id, halves] : below) {
      int left = halves + exponents[id];
      exponents.erase(id);
      for (int i = 0; i < left / 2; ++i)
        term = times(term, normalize(at(id)));
    }
    Monomial rest(exponents.begin(), exponents.end());
    above = plus(above, times(term, {{rest, 1.0}}));
  }
  SmallVector<Node> denominators;
  for (auto [id, halves] : below)
    denominators.push_back(pool.power(at(id), halves));
  fractions = false;
  Node one = quotient(build(above), denominators), several = build(p);
  fractions = true;
  return isCheaper(one, several) ? one : several;
}

/// Terms by what they have at the highest level; the rest is a coefficient.
std::map<Monomial, Polynomial> Normalizer::groupByLevel(const Polynomial &p,
                                                        size_t most) const {
  std::map<Monomial, Polynomial> groups;
  for (const auto &[m, c] : p) {
    Monomial high, low;
    for (auto entry : m)
      (most && at(entry.first)->dims().size() == most ? high : low)
          .push_back(entry);
    groups[high][low] = c;
  }
  return groups;
}

Node Normalizer::buildCoefficients(const Polynomial &p, size_t most) {
  std::map<Monomial, Polynomial> groups = groupByLevel(p, most);
  bool gathers = groups.size() < p.size() && groups.size() > 1;
  bool factors = groups.size() == 1 && !groups.begin()->first.empty();
  if (!gathers && !factors)
    return nullptr;
  // What is not tame stays within its guards, unless it counts without them as
  // well.
  auto mayGather = [&](const Monomial &high, const Polynomial &low) {
    bool always = llvm::any_of(low, [&](const auto &term) {
      return !hasGuards({{term.first, term.second}});
    });
    return always || !hasGuards(low) || llvm::none_of(high, [&](auto entry) {
             return entry.second < 0 ||
                    !isTame(at(entry.first), pool.getOperator());
           });
  };
  SmallVector<Node> terms;
  if (llvm::none_of(groups, [&](const auto &group) {
        return mayGather(group.first, group.second) &&
               (factors || group.second.size() > 1);
      }))
    return nullptr;
  for (const auto &[high, low] : groups) {
    if (!mayGather(high, low)) {
      terms.push_back(build(times({{high, 1.0}}, low)));
      continue;
    }
    SmallVector<Node> conditions, above = {build(low)}, below;
    for (auto [id, halves] : high) {
      if (Node condition = conditionOf(at(id)))
        conditions.push_back(condition);
      else
        addFactor(at(id), halves, above, below);
    }
    terms.push_back(guarded(quotient(above, below), conditions));
  }
  return pool.add(terms);
}

/// Whether each term counts in one case of a condition and there are terms for
/// both: what all of them have in common then counts always.
bool Normalizer::coversAllCases(const Polynomial &p) const {
  Node first = nullptr;
  bool sides[2] = {false, false};
  for (const auto &[m, c] : p) {
    Node own = nullptr;
    for (auto [id, halves] : m)
      if (Node condition = conditionOf(at(id))) {
        if (own)
          return false;
        own = condition;
      }
    if (!own)
      return false;
    Node plain = own->is("not") ? own->args[0] : own;
    if (first && first != plain)
      return false;
    first = plain;
    sides[own == plain] = true;
  }
  return sides[0] && sides[1];
}

/// select(c, a f, b f) as select(c, a, b) f, where a and b lack a dim of f;
/// null if the sides have no such factor.
Node Normalizer::buildProportional(Node condition, const Polynomial &yes,
                                   const Polynomial &no) {
  if (!uses(Identity::SelectOfFactors) || hasGuards(yes) || hasGuards(no))
    return nullptr;
  size_t most = std::max(dimsOf(yes), dimsOf(no));
  if (yes.size() == no.size() && !yes.empty() && most) {
    double ratio = no.begin()->second / yes.begin()->second;
    if (plus(no, yes, -ratio).empty())
      return pool.mul(
          {pool.select(condition, pool.constant(1), pool.constant(ratio)),
           build(yes)});
  }
  auto groups = groupByLevel(yes, most), others = groupByLevel(no, most);
  if (!most || groups.size() != others.size() || groups.empty())
    return nullptr;
  const Polynomial &a = groups.begin()->second, &b = others.begin()->second;
  Polynomial f;
  for (const auto &[group, other] : llvm::zip_equal(groups, others)) {
    if (group.first != other.first || group.first.empty())
      return nullptr;
    double ratio = group.second.begin()->second / a.begin()->second;
    if (group.second != plus({}, a, ratio) ||
        other.second != plus({}, b, ratio))
      return nullptr;
    f[group.first] = ratio;
  }
  return pool.mul({pool.select(condition, build(a), build(b)), build(f)});
}

/// One select per condition, the most frequent first.
Node Normalizer::buildGuards(const Polynomial &p) {
  std::map<unsigned, std::pair<unsigned, Node>> counts;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m)
      if (Node condition = conditionOf(at(id))) {
        Node plain = condition->is("not") ? condition->args[0] : condition;
        auto &entry = counts[plain->id];
        ++entry.first;
        entry.second = plain;
      }
  if (counts.empty())
    return nullptr;
  Node condition = nullptr;
  unsigned best = 0;
  for (const auto &[id, entry] : counts)
    if (entry.first > best)
      std::tie(best, condition) = entry;
  Polynomial sides[2], rest;
  for (const auto &[m, c] : p) {
    Monomial left;
    int side = -1;
    for (auto entry : m) {
      Node each = conditionOf(at(entry.first));
      if (each == condition)
        side = 0;
      else if (each && each == pool.lnot(condition))
        side = 1;
      else
        left.push_back(entry);
    }
    if (side < 0)
      rest[m] = c;
    else
      sides[side] = plus(sides[side], {{left, c}});
  }
  Node choice = buildProportional(condition, sides[0], sides[1]);
  if (!choice)
    choice = pool.select(condition, build(sides[0]), build(sides[1]));
  return rest.empty() ? choice : pool.add({choice, build(rest)});
}

Node Normalizer::buildFrequent(const Polynomial &p, size_t most) {
  if (!uses(Identity::FrequentFactor))
    return nullptr;
  std::map<std::pair<unsigned, bool>, unsigned> counts;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m)
      if (std::abs(halves) >= 2 && (!most || at(id)->dims().size() == most))
        ++counts[{id, halves > 0}];
  // Of two as frequent, what is computed goes before what is read.
  std::pair<unsigned, bool> factor;
  std::pair<unsigned, bool> best{1, true};
  for (const auto &[key, count] : counts)
    if (std::pair now{count, !at(key.first)->args.empty()}; now > best)
      std::tie(factor, best) = std::pair(key, now);
  if (best.first < 2)
    return nullptr;
  auto [id, isAbove] = factor;
  Polynomial with, rest;
  for (const auto &[m, c] : p) {
    std::map<unsigned, int> exponents(m.begin(), m.end());
    auto it = exponents.find(id);
    if (it == exponents.end() || (it->second > 0) != isAbove ||
        std::abs(it->second) < 2) {
      rest[m] = c;
      continue;
    }
    it->second -= isAbove ? 2 : -2;
    if (it->second == 0)
      exponents.erase(it);
    with[Monomial(exponents.begin(), exponents.end())] = c;
  }
  SmallVector<Node> above = {build(with)}, below;
  addFactor(at(id), isAbove ? 2 : -2, above, below);
  Node product = quotient(above, below);
  return rest.empty() ? product : pool.add({product, build(rest)});
}

/// What is the same for a row in several terms, the most frequent first.
Node Normalizer::buildRowFactor(const Polynomial &p, size_t most) {
  if (!uses(Identity::RowFactor) || hasGuards(p))
    return nullptr;
  std::map<unsigned, unsigned> counts;
  for (const auto &[m, c] : p)
    for (auto [id, halves] : m)
      if (halves >= 2 && !isUniformNode(at(id)) && at(id)->dims().size() < most)
        ++counts[id];
  unsigned best = 1, factor = 0;
  for (auto [id, count] : counts)
    if (count > best)
      std::tie(best, factor) = std::pair(count, id);
  if (best < 2 || best == p.size())
    return nullptr;
  Polynomial with, rest;
  for (const auto &[m, c] : p) {
    Monomial left = m;
    auto it = llvm::find_if(left, [&](auto entry) {
      return entry.first == factor && entry.second >= 2;
    });
    if (it == left.end()) {
      rest[m] = c;
      continue;
    }
    it->second -= 2;
    if (it->second == 0)
      left.erase(it);
    with[left] = c;
  }
  return pool.add({pool.mul({at(factor), build(with)}), build(rest)});
}

Node Normalizer::buildGroups(const Polynomial &p) {
  size_t most = dimsOf(p);
  if (choices.rowFactors)
    if (Node node = buildRowFactor(p, most))
      return node;
  if (uses(Identity::RowCoefficients))
    if (Node node = buildCoefficients(p, most))
      return node;
  if (Node node = buildGuards(p))
    return node;
  if (Node node = buildFrequent(p, most))
    return node;
  SmallVector<Node> terms;
  for (const auto &[m, c] : p)
    terms.push_back(buildProduct(m, c));
  return pool.add(terms);
}
