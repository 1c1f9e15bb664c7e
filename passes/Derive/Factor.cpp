//===- Factor.cpp - From the normal form back to formulas -----------------===//
//
// The second half of Normalizer: factors sums by level, guards first to last as
// selects. Every rewrite is an identity of Identities.h or the distributive
// law; where two are possible, the one with fewer vector ops is taken.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
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
  if (llvm::any_of(below, [&](Node n) { return n->dims().size() >= most; }))
    return pool.div(pool.mul(above), pool.mul(below));
  SmallVector<Node> low, high;
  for (Node factor : above)
    (factor->dims().size() < most ? low : high).push_back(factor);
  high.push_back(pool.div(pool.mul(low), pool.mul(below)));
  return pool.mul(high);
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

/// Whether an input may be absent; then its elements are NaN.
static bool mayBeAbsent(Value leaf, OperatorOp op) {
  auto argument = dyn_cast<BlockArgument>(leaf);
  return argument &&
         op.getInputs()[argument.getArgNumber()].getRole() == Role::Optional;
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

/// Finite for finite inputs that are not huge. Anything else stays inside of
/// the selects that guard it: 0 * inf would be NaN where it is not wanted.
static bool isTame(Node node, OperatorOp op) {
  if (node->leaf)
    return !mayBeAbsent(node->leaf, op);
  if (node->isConst())
    return true;
  if (isUniformNode(node))
    return !mayDivideByZero(node);
  static constexpr StringLiteral kTame[] = {"add",  "mul",   "power", "abs",
                                            "sign", "min",   "max",   "clamp",
                                            "cast", "select"};
  if (node->is("gather"))
    return isTame(node->args[0], op);
  if (node->type.getKind() == Kind::Bool)
    return true;
  return (llvm::is_contained(kTame, node->op) || node->op.starts_with("#") ||
          node->isCall("sigmoid")) &&
         llvm::all_of(node->args, [&](Node arg) { return isTame(arg, op); });
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
    llvm::erase_if(common, [&](auto entry) {
      return entry.second < 0 || !isTame(at(entry.first), pool.getOperator());
    });
  }
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
Node Normalizer::buildCoefficients(const Polynomial &p, size_t most) {
  std::map<Monomial, Polynomial> groups;
  for (const auto &[m, c] : p) {
    Monomial high, low;
    for (auto entry : m)
      (most && at(entry.first)->dims().size() == most ? high : low)
          .push_back(entry);
    groups[high][low] = c;
  }
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
  Node choice = pool.select(condition, build(sides[0]), build(sides[1]));
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

Node Normalizer::buildGroups(const Polynomial &p) {
  size_t most = dimsOf(p);
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

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

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
        result = pool.neg(results[i]);
    forms.push_back(p);
    if (!result)
      result = build(p);
    if (inner != output)
      result = pool.rebuild(output, result);
    results.push_back(result);
  }
  return results;
}

/// A factor that a condition of the call guards, or null.
static Node findGuarded(ArrayRef<Node> factors) {
  for (Node factor : factors)
    if (factor->is("select") && isUniformNode(factor->args[0]) &&
        !isUniformNode(factor) &&
        (factor->args[1]->isConst(0) || factor->args[2]->isConst(0)))
      return factor;
  return nullptr;
}

SmallVector<Node> lossgrad::hoistGuards(ExpressionPool &pool,
                                        ArrayRef<Node> roots) {
  std::vector<Node> nodes = inOrder(roots);
  size_t most = 0;
  for (Node node : nodes)
    most = std::max(most, node->dims().size());
  DenseMap<Node, Node> moved;
  auto make = [&](Node node, ArrayRef<Node> args) {
    return args.empty() ? node : pool.rebuild(node, args);
  };
  for (Node node : nodes) {
    SmallVector<Node> args;
    for (Node arg : node->args)
      args.push_back(moved.lookup(arg));
    Node guarded = node->is("mul")   ? findGuarded(args)
                   : node->is("div") ? findGuarded(args[0])
                                     : nullptr;
    // A select of elements instead of one per row would cost more.
    if (!guarded ||
        (node->dims().size() == most && guarded->type != node->type)) {
      moved[node] = make(node, args);
      continue;
    }
    auto side = [&](Node value) {
      if (value->isConst(0))
        return value;
      SmallVector<Node> inside(args);
      *llvm::find(inside, guarded) = value;
      return make(node, inside);
    };
    moved[node] = pool.select(guarded->args[0], side(guarded->args[1]),
                              side(guarded->args[2]));
  }
  return llvm::map_to_vector(roots, [&](Node n) { return moved.lookup(n); });
}

SmallVector<Node> lossgrad::decideSelects(ExpressionPool &pool,
                                          ArrayRef<Node> roots) {
  DenseMap<Node, Node> decided;
  for (Node node : inOrder(roots)) {
    SmallVector<Node> args;
    for (Node arg : node->args)
      args.push_back(decided.lookup(arg));
    if (node->is("select") && isUniformNode(args[0])) {
      Node condition = args[0];
      for (unsigned side : {1, 2}) {
        DenseMap<Node, Node> table;
        for (Node inner : inOrder(args[side]))
          // A side with fewer dims would change what is summed up.
          if (inner->is("select") && inner->args[0] == condition &&
              inner->args[side]->type == inner->type)
            table[inner] = inner->args[side];
        args[side] = substitute(pool, args[side], table).front();
      }
    }
    decided[node] = args.empty() ? node : pool.rebuild(node, args);
  }
  return llvm::map_to_vector(roots, [&](Node n) { return decided.lookup(n); });
}

SmallVector<Node> lossgrad::writeSoftmax(ExpressionPool &pool,
                                         ArrayRef<Node> roots) {
  // exp(x - logsumexp(x over d)), with what both are made of.
  DenseMap<Node, Node> table;
  for (Node node : inOrder(roots)) {
    if (!node->is("exp") || !node->args[0]->is("add") ||
        node->args[0]->args.size() != 2)
      continue;
    for (unsigned i : {0, 1}) {
      Node x = node->args[0]->args[1 - i];
      Node sum = pool.neg(node->args[0]->args[i]);
      if (!sum->isCall("logsumexp") || sum->args[0] != x)
        continue;
      Node largest = pool.reduce(ReduceKind::max, x, sum->getOver());
      Node e = pool.unary("exp", pool.sub(x, largest));
      Node total = pool.reduce(ReduceKind::sum, e, sum->getOver());
      table[node] = pool.mul({e, pool.div(pool.constant(1), total)});
      table[sum] = pool.add({largest, pool.unary("log", total)});
    }
  }
  return table.empty() ? SmallVector<Node>(roots)
                       : substitute(pool, roots, table);
}
