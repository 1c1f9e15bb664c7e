//===- Cost.cpp - Vector ops of an expression -----------------------------===//
//
// How many vector instructions an element of the largest dims costs, as a
// literal translation would need them; what lacks a dim is computed per row or
// call and counts nothing. What conditions of the call choose between is not in
// one kernel: a body costs what it does in the dearest case. Choosing between
// equal formulas is all it is for: schedules and the cost model know better
// what a kernel takes.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/Derive.h"
#include "passes/Derive/Expression.h"
#include "passes/Derive/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lossgrad;

namespace {
class Counter {
public:
  Counter(ArrayRef<Node> roots, const ModuleRules &rules);
  unsigned count();

private:
  bool isElement(Node node) const { return node->dims().size() == most; }
  enum class Elsewhere { IsFalse, IsTrue, IsPerRow, Varies };
  Elsewhere elsewhere(Node condition) const;
  bool isHot(Node condition) const;
  bool isFix(Node term) const;
  unsigned countOne(Node node);
  unsigned countSum(Node node);
  unsigned countProduct(Node node);
  unsigned countCall(Node node);
  unsigned countLogic(Node node);
  void collect(Node node, bool isRoot, SmallVectorImpl<Node> &above,
               SmallVectorImpl<Node> &below);

  const ModuleRules &rules;
  std::vector<Node> nodes;
  DenseMap<Node, unsigned> uses;
  llvm::DenseSet<Node> merged; // into the product or sum that uses them
  size_t most = 0;
};
} // namespace

Counter::Counter(ArrayRef<Node> roots, const ModuleRules &rules)
    : rules(rules), nodes(inOrder(roots)) {
  for (Node node : nodes) {
    most = std::max(most, node->dims().size());
    for (Node arg : node->args)
      ++uses[arg];
  }
}

/// What a condition is apart from one position of each row. `and(not hot, c)`
/// is c there, so its elements have to be compared and chosen as for c alone.
Counter::Elsewhere Counter::elsewhere(Node condition) const {
  if (condition->is("onehot"))
    return Elsewhere::IsFalse;
  if (!isElement(condition))
    return Elsewhere::IsPerRow;
  if (condition->is("not")) {
    Elsewhere inner = elsewhere(condition->args[0]);
    return inner == Elsewhere::IsFalse  ? Elsewhere::IsTrue
           : inner == Elsewhere::IsTrue ? Elsewhere::IsFalse
                                        : inner;
  }
  if (!condition->is("and") && !condition->is("or"))
    return Elsewhere::Varies;
  auto decides = condition->is("and") ? Elsewhere::IsFalse : Elsewhere::IsTrue;
  auto leaves = condition->is("and") ? Elsewhere::IsTrue : Elsewhere::IsFalse;
  Elsewhere all = leaves;
  for (Node arg : condition->args) {
    Elsewhere one = elsewhere(arg);
    if (one == decides)
      return one;
    if (one == Elsewhere::Varies || all == leaves)
      all = one;
  }
  return all;
}

/// The one element that differs is repaired by itself.
bool Counter::isHot(Node condition) const {
  Elsewhere rest = elsewhere(condition);
  return rest == Elsewhere::IsPerRow ? isElement(condition)
                                     : rest != Elsewhere::Varies;
}

/// What is left to combine without the repaired element.
unsigned Counter::countLogic(Node node) {
  if (isHot(node))
    return 0;
  if (node->is("not"))
    return 1;
  return llvm::count_if(node->args, [&](Node arg) { return !isHot(arg); }) - 1;
}

bool Counter::isFix(Node term) const {
  if (term->is("select") || term->is("cast"))
    return isHot(term->args[0]);
  if (!term->is("mul"))
    return false;
  unsigned elements = 0;
  bool fix = false;
  for (Node factor : term->args)
    if (isElement(factor)) {
      ++elements;
      fix |= isFix(factor);
    }
  return fix && elements == 1;
}

/// Factors of a chain of products and quotients that nothing else uses.
void Counter::collect(Node node, bool isRoot, SmallVectorImpl<Node> &above,
                      SmallVectorImpl<Node> &below) {
  bool opens = isElement(node) && (isRoot || uses.lookup(node) == 1);
  if (opens && node->is("mul")) {
    if (!isRoot)
      merged.insert(node);
    for (Node factor : node->args)
      collect(factor, false, above, below);
  } else if (opens && node->is("div")) {
    if (!isRoot)
      merged.insert(node);
    collect(node->args[0], false, above, below);
    collect(node->args[1], false, below, above);
  } else {
    above.push_back(node);
  }
}

unsigned Counter::countProduct(Node node) {
  SmallVector<Node> above, below;
  collect(node, true, above, below);
  auto elements = [&](ArrayRef<Node> list) -> unsigned {
    return llvm::count_if(list, [&](Node n) { return isElement(n); });
  };
  unsigned up = elements(above), down = elements(below);
  bool scaled = above.size() > up || below.size() > down;
  unsigned count = (up ? up - 1 : 0) + (scaled && up ? 1 : 0);
  return count + down;
}

unsigned Counter::countSum(Node node) {
  unsigned elements = 0;
  bool others = false;
  for (Node term : node->args) {
    if (!isElement(term)) {
      others = true;
    } else if (!isFix(term)) {
      ++elements;
      // A term that is taken away needs no negation.
      if (term->is("mul") && term->args.size() == 2 &&
          getCoefficient(term) == -1)
        merged.insert(term);
    }
  }
  return (elements ? elements - 1 : 0) + (others && elements ? 1 : 0);
}

unsigned Counter::countCall(Node node) {
  RuleOp rule = rules.find(node->getFunction());
  unsigned count = 0;
  if (rule && rule.isFunction())
    for (Operation &op : rule.getDefinition().front())
      count += !isa<ConstantOp, YieldOp>(op);
  return count;
}

unsigned Counter::countOne(Node node) {
  if (node->is("reduce"))
    return isElement(node->args[0]);
  if (!isElement(node) || node->leaf || merged.contains(node))
    return 0;
  if (node->is("add"))
    return countSum(node);
  if (node->is("mul") || node->is("div"))
    return countProduct(node);
  if (node->is("select") || node->is("cast"))
    return isElement(node->args[0]) && !isHot(node->args[0]);
  if (node->is("and") || node->is("or") || node->is("not"))
    return countLogic(node);
  if (node->is("apply"))
    return countCall(node);
  return llvm::StringSwitch<unsigned>(node->op)
      .Case("power", node->number == 4 ? 1 : 2)
      .Case("clamp", 2)
      .Case("sign", 3)
      .Cases({"onehot", "iota"}, 0)
      .Default(1);
}

unsigned Counter::count() {
  // Users first, so that what a chain takes in is known.
  unsigned total = 0;
  for (Node node : llvm::reverse(nodes))
    total += countOne(node);
  return total;
}

unsigned lossgrad::countVectorOps(ArrayRef<Node> roots,
                                  const ModuleRules &rules) {
  return Counter(roots, rules).count();
}

/// More conditions than these are not told apart.
static constexpr size_t kMaxConditions = 6;

BodyCost lossgrad::countSpecialised(ExpressionPool &pool,
                                    ArrayRef<Node> roots) {
  SmallVector<Node> conditions;
  for (Node node : inOrder(roots))
    if (node->is("select") && isUniformNode(node->args[0]) &&
        !isUniformNode(node) && !llvm::is_contained(conditions, node->args[0]))
      conditions.push_back(node->args[0]);
  if (conditions.size() > kMaxConditions)
    conditions.truncate(kMaxConditions);
  BodyCost cost;
  for (unsigned bits = 0; bits < (1u << conditions.size()); ++bits) {
    DenseMap<Node, Node> decided;
    for (auto [i, condition] : llvm::enumerate(conditions))
      decided[condition] = pool.boolean(bits >> i & 1);
    unsigned count = countVectorOps(
        substitute(pool, roots, decided, /*keepNames=*/false), pool.rules);
    cost.most = std::max(cost.most, count);
    cost.all += count;
  }
  return cost;
}

unsigned lossgrad::countVectorOps(OperatorOp op) {
  ModuleRules none(op->getParentOfType<ModuleOp>());
  ExpressionPool pool(op, none);
  SmallVector<Node> outputs;
  for (Value value : op.getYield().getValues())
    outputs.push_back(pool.read(value));
  return countSpecialised(pool, outputs).most;
}
