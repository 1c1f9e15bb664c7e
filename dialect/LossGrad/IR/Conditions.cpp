//===- Conditions.cpp - What conditions on a call say ---------------------===//
//
// See the header. Conditions become nodes over variables; a search gives
// variables one sample after the other and evaluates all nodes each time, with
// what is still open as a third answer, so that most of the space is never
// visited.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Conditions.h"
#include "dialect/LossGrad/IR/Predicates.h"
#include "dialect/LossGrad/IR/Semantics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace lossgrad;

/// How many nodes are evaluated for one question, and for all of them: enough
/// for what operators ask. Conditions made to be hard count as possible.
static constexpr size_t kMaxWork = 1 << 21, kMaxTotal = 1 << 25;

//===----------------------------------------------------------------------===//
// Nodes and variables
//===----------------------------------------------------------------------===//

static Kind kindOf(Value value) {
  return cast<ValueType>(value.getType()).getKind();
}

/// The same number for values that are computed alike, in whatever region.
unsigned Conditions::identify(Value value) {
  auto known = identityOf.find(value);
  if (known != identityOf.end())
    return known->second;
  std::vector<const void *> key;
  if (Operation *op = value.getDefiningOp()) {
    key = {op->getName().getAsOpaquePointer(),
           op->getAttrDictionary().getAsOpaquePointer(),
           value.getType().getAsOpaquePointer()};
    for (Value operand : op->getOperands())
      key.push_back(reinterpret_cast<const void *>(
          static_cast<uintptr_t>(identify(operand))));
  } else {
    key = {value.getAsOpaquePointer()};
  }
  unsigned identity =
      identities.try_emplace(key, identities.size()).first->second;
  identityOf[value] = identity;
  return identity;
}

unsigned Conditions::add(Node node) {
  nodes.push_back(node);
  return nodes.size() - 1;
}

unsigned Conditions::addVariable(Domain domain, unsigned identity,
                                 unsigned other, Value subject) {
  auto [entry, isNew] = variableOf.try_emplace(
      {static_cast<int>(domain), identity, other}, variables.size());
  if (isNew)
    variables.push_back({domain, subject, {}, {}, std::nullopt});
  return entry->second;
}

unsigned Conditions::choose(unsigned condition, unsigned yes, unsigned no) {
  return add({Form::Choose, {condition, yes, no}});
}

unsigned Conditions::getNode(Value condition) {
  unsigned identity = identify(condition);
  auto known = nodeOf.find(identity);
  if (known != nodeOf.end())
    return known->second;
  auto make = [&]() -> unsigned {
    Operation *op = condition.getDefiningOp();
    if (auto constant = dyn_cast_or_null<ConstantOp>(op))
      if (auto flag = dyn_cast<BoolAttr>(constant.getValue())) {
        Node node{Form::Literal};
        node.integer = flag.getValue();
        return add(node);
      }
    if (auto inverse = dyn_cast_or_null<NotOp>(op))
      return add({Form::Not, {getNode(inverse.getOperand())}});
    if (isa_and_nonnull<AndOp, OrOp>(op)) {
      unsigned lhs = getNode(op->getOperand(0)),
               rhs = getNode(op->getOperand(1));
      return add({isa<AndOp>(op) ? Form::And : Form::Or, {lhs, rhs}});
    }
    if (auto select = dyn_cast_or_null<SelectOp>(op)) {
      unsigned which = getNode(select.getCondition()),
               yes = getNode(select.getTrueValue()),
               no = getNode(select.getFalseValue());
      return choose(which, yes, no);
    }
    if (auto compare = dyn_cast_or_null<CompareOp>(op))
      return getComparison(compare.getPredicate(), compare.getLhs(),
                           compare.getRhs());
    Node node{Form::Bool};
    node.variable = addVariable(Domain::Bool, identity, 0, condition);
    return add(node);
  };
  unsigned node = make();
  nodeOf[identity] = node;
  return node;
}

unsigned Conditions::getComparison(Predicate predicate, Value lhs, Value rhs) {
  unsigned left = identify(lhs), right = identify(rhs);
  std::tuple key(static_cast<int>(predicate), left, right);
  auto known = comparisonOf.find(key);
  if (known != comparisonOf.end())
    return known->second;
  auto make = [&]() -> unsigned {
    // A comparison of a choice is a choice of comparisons.
    for (bool isLeft : {true, false})
      if (auto select = (isLeft ? lhs : rhs).getDefiningOp<SelectOp>()) {
        auto with = [&](Value side) {
          return isLeft ? getComparison(predicate, side, rhs)
                        : getComparison(predicate, lhs, side);
        };
        unsigned which = getNode(select.getCondition()),
                 yes = with(select.getTrueValue()),
                 no = with(select.getFalseValue());
        return choose(which, yes, no);
      }
    Kind kind = kindOf(lhs);
    if (kind == Kind::Real || kind == Kind::Int)
      return compareNumbers(predicate, lhs, rhs);
    if (kind == Kind::Bool) {
      unsigned a = getNode(lhs), b = getNode(rhs);
      unsigned inverse = add({Form::Not, {b}});
      return predicate == Predicate::eq ? choose(a, b, inverse)
                                        : choose(a, inverse, b);
    }
    // Texts: equal to one of the constants, or to none.
    if (lhs.getDefiningOp<ConstantOp>())
      std::swap(lhs, rhs), std::swap(left, right);
    Node node{Form::Text};
    node.predicate = predicate;
    bool constant = bool(rhs.getDefiningOp<ConstantOp>());
    node.variable =
        addVariable(Domain::Text, left, constant ? 0 : right + 1, lhs);
    node.integer = constant ? right : 0;
    variables[node.variable].constants.push_back({0, node.integer});
    return add(node);
  };
  unsigned node = make();
  comparisonOf[key] = node;
  return node;
}

static std::optional<Element> getConstant(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return toElement(constant.getValue());
  return std::nullopt;
}

template <typename T> static bool compares(Predicate predicate, T a, T b) {
  switch (predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::lt:
    return a < b;
  case Predicate::le:
    return a <= b;
  case Predicate::gt:
    return a > b;
  case Predicate::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

unsigned Conditions::compareNumbers(Predicate predicate, Value lhs, Value rhs) {
  bool isReal = kindOf(lhs) == Kind::Real;
  std::optional<Element> a = getConstant(lhs), b = getConstant(rhs);
  if (a && b) {
    Node node{Form::Literal};
    node.integer = isReal ? compares(predicate, a->real, b->real)
                          : compares(predicate, a->integer, b->integer);
    return add(node);
  }
  unsigned left = identify(lhs), right = identify(rhs);
  if (a || (!b && right < left)) {
    std::swap(lhs, rhs), std::swap(a, b), std::swap(left, right);
    predicate = mirrored(predicate);
  }
  Node node{b ? Form::Compare : Form::Order};
  node.predicate = predicate;
  if (b) {
    node.variable =
        addVariable(isReal ? Domain::Real : Domain::Int, left, 0, lhs);
    (isReal ? void(node.real = b->real) : void(node.integer = b->integer));
    variables[node.variable].constants.push_back({node.real, node.integer});
    return add(node);
  }
  node.variable = addVariable(Domain::Order, left, right + 1, lhs);
  // Before, equal or behind; NaN is none of these, and ints have no NaN.
  SmallVector<Sample, 4> &ways = variables[node.variable].constants;
  ways = {{0, 0}};
  if (left != right)
    ways.append({{-1, 0}, {1, 0}});
  if (isReal)
    ways.push_back({std::numeric_limits<double>::quiet_NaN(), 0});
  return add(node);
}

//===----------------------------------------------------------------------===//
// What to try
//===----------------------------------------------------------------------===//

/// The constants, one number between each two, one beyond each end, and NaN.
static void sampleReals(ArrayRef<double> constants,
                        SmallVectorImpl<double> &samples) {
  double inf = std::numeric_limits<double>::infinity();
  double last = -inf;
  for (double constant : constants) {
    // Halves do not overflow; of neighbours they are one or the other.
    double between = last / 2 + constant / 2;
    if (std::isinf(last))
      between = std::nextafter(constant, -inf);
    else if (std::isinf(constant))
      between = std::nextafter(last, inf);
    samples.append({last, between, constant});
    last = constant;
  }
  samples.append({std::nextafter(last, inf), inf,
                  std::numeric_limits<double>::quiet_NaN()});
}

static void sampleInts(ArrayRef<int64_t> constants,
                       SmallVectorImpl<int64_t> &samples) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min(),
                    most = std::numeric_limits<int64_t>::max();
  samples.append({least, most});
  for (int64_t constant : constants) {
    samples.push_back(constant);
    if (constant != least)
      samples.push_back(constant - 1);
    if (constant != most)
      samples.push_back(constant + 1);
  }
}

template <typename T> static void sortUnique(SmallVectorImpl<T> &list) {
  llvm::sort(list);
  list.erase(llvm::unique(list), list.end());
}

void Conditions::sample(Variable &variable) {
  variable.samples.clear();
  variable.chosen = std::nullopt;
  switch (variable.domain) {
  case Domain::Bool:
    variable.samples = {{0, 1}, {0, 0}};
    return;
  case Domain::Order:
    llvm::append_range(variable.samples, variable.constants);
    return;
  case Domain::Text:
    // Something else than all constants is called -1.
    variable.samples = {{0, -1}};
    for (const Sample &constant : variable.constants)
      if (llvm::none_of(variable.samples, [&](const Sample &known) {
            return known.integer == constant.integer;
          }))
        variable.samples.push_back(constant);
    return;
  case Domain::Real: {
    SmallVector<double> constants, samples;
    for (const Sample &constant : variable.constants)
      if (!std::isnan(constant.real))
        constants.push_back(constant.real);
    sortUnique(constants);
    sampleReals(constants, samples);
    for (double real : samples)
      variable.samples.push_back({real, 0});
    return;
  }
  case Domain::Int: {
    SmallVector<int64_t> constants, samples;
    for (const Sample &constant : variable.constants)
      constants.push_back(constant.integer);
    sortUnique(constants);
    sampleInts(constants, samples);
    sortUnique(samples);
    for (int64_t integer : samples)
      variable.samples.push_back({0, integer});
    return;
  }
  }
}

void Conditions::prepare() {
  for (Variable &variable : variables)
    sample(variable);
  answers.assign(nodes.size(), Answer::Open);
  limit = std::min(work + kMaxWork, kMaxTotal);
}

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

Conditions::Answer Conditions::compare(const Node &node) const {
  const Variable &variable = variables[node.variable];
  if (!variable.chosen)
    return Answer::Open;
  const Sample &sample = variable.samples[*variable.chosen];
  auto answer = [](bool yes) { return yes ? Answer::Yes : Answer::No; };
  switch (variable.domain) {
  case Domain::Bool:
    return answer(sample.integer);
  case Domain::Real:
    return answer(compares(node.predicate, sample.real, node.real));
  case Domain::Order:
    return answer(compares(node.predicate, sample.real, 0.0));
  case Domain::Int:
  case Domain::Text:
    return answer(compares(node.predicate, sample.integer, node.integer));
  }
  llvm_unreachable("unknown domain");
}

Conditions::Answer Conditions::evaluate(const Node &node) const {
  auto of = [&](unsigned i) { return answers[node.operands[i]]; };
  switch (node.form) {
  case Form::Literal:
    return node.integer ? Answer::Yes : Answer::No;
  case Form::Not:
    return of(0) == Answer::Open  ? Answer::Open
           : of(0) == Answer::Yes ? Answer::No
                                  : Answer::Yes;
  case Form::And:
  case Form::Or: {
    Answer decisive = node.form == Form::And ? Answer::No : Answer::Yes;
    if (of(0) == decisive || of(1) == decisive)
      return decisive;
    return of(0) == Answer::Open ? Answer::Open : of(1);
  }
  case Form::Choose:
    if (of(0) != Answer::Open)
      return of(of(0) == Answer::Yes ? 1 : 2);
    return of(1) == of(2) ? of(1) : Answer::Open;
  default:
    return compare(node);
  }
}

void Conditions::evaluate() {
  work += nodes.size();
  for (auto [node, answer] : llvm::zip_equal(nodes, answers))
    answer = evaluate(node);
}

unsigned Conditions::findOpenVariable(unsigned at) const {
  while (true) {
    const Node &node = nodes[at];
    unsigned count = node.form == Form::Not                            ? 1
                     : node.form == Form::And || node.form == Form::Or ? 2
                     : node.form == Form::Choose                       ? 3
                                                                       : 0;
    if (!count)
      return node.variable;
    for (unsigned i = 0; i != count; ++i)
      if (answers[node.operands[i]] == Answer::Open) {
        at = node.operands[i];
        break;
      }
  }
}

/// Whether some assignment gives all wanted answers; nothing if that takes too
/// long to find out.
std::optional<bool>
Conditions::search(ArrayRef<std::pair<unsigned, bool>> wanted) {
  if (work >= limit)
    return std::nullopt;
  evaluate();
  std::optional<unsigned> open;
  for (auto [node, yes] : wanted) {
    if (answers[node] == Answer::Open)
      open = open ? open : findOpenVariable(node);
    else if ((answers[node] == Answer::Yes) != yes)
      return false;
  }
  if (!open)
    return true;
  bool sure = true;
  for (unsigned i = 0, e = variables[*open].samples.size(); i != e; ++i) {
    variables[*open].chosen = i;
    std::optional<bool> found = search(wanted);
    variables[*open].chosen = std::nullopt;
    if (found == true)
      return true;
    sure &= found.has_value();
  }
  return sure ? std::optional(false) : std::nullopt;
}

bool Conditions::canHold(ArrayRef<Literal> literals) {
  SmallVector<std::pair<unsigned, bool>> wanted;
  for (Literal literal : literals)
    wanted.push_back({getNode(literal.condition), literal.holds});
  prepare();
  return search(wanted).value_or(true);
}

std::optional<bool> Conditions::decide(Value given, Value condition) {
  bool canBe = canHold({{given, true}, {condition, true}});
  bool canFail = canHold({{given, true}, {condition, false}});
  if (canBe == canFail)
    return std::nullopt;
  return canBe;
}

//===----------------------------------------------------------------------===//
// Exactly one
//===----------------------------------------------------------------------===//

/// `reduction = 1, no weight`: what the assigned variables say of the call.
std::string Conditions::describeCall() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Variable &variable : variables) {
    if (!variable.chosen)
      continue;
    os << (text.empty() ? "" : ", ");
    Operation *op = variable.subject.getDefiningOp();
    auto name = op ? op->getAttrOfType<StringAttr>("name") : StringAttr();
    if (op && !isa<AttributeOp>(op))
      os << op->getName().stripDialect() << ' ';
    os << (name ? name.getValue() : getValueName(variable.subject));
    const Sample &sample = variable.samples[*variable.chosen];
    switch (variable.domain) {
    case Domain::Bool:
      os << (sample.integer ? " is true" : " is false");
      break;
    case Domain::Int:
      os << " is " << sample.integer;
      break;
    case Domain::Real:
      os << " is " << sample.real;
      break;
    case Domain::Order:
      os << (std::isnan(sample.real) ? " is NaN"
             : sample.real < 0       ? " is less than the other"
             : sample.real > 0       ? " is greater than the other"
                                     : " equals the other");
      break;
    case Domain::Text:
      os << (sample.integer < 0 ? " is some other text" : " is a known text");
      break;
    }
  }
  return text.empty() ? "any call" : text;
}

std::optional<Conditions::Violation>
Conditions::partition(ArrayRef<unsigned> list) {
  if (work >= limit)
    return std::nullopt;
  evaluate();
  std::optional<unsigned> open;
  SmallVector<size_t, 2> holding;
  for (auto [i, node] : llvm::enumerate(list)) {
    if (answers[node] == Answer::Open)
      open = open ? open : findOpenVariable(node);
    else if (answers[node] == Answer::Yes)
      holding.push_back(i);
  }
  if (holding.size() > 1 || (holding.empty() && !open))
    return Violation{holding, describeCall()};
  if (!open)
    return std::nullopt;
  for (unsigned i = 0, e = variables[*open].samples.size(); i != e; ++i) {
    variables[*open].chosen = i;
    std::optional<Violation> found = partition(list);
    variables[*open].chosen = std::nullopt;
    if (found)
      return found;
  }
  return std::nullopt;
}

std::optional<Conditions::Violation>
Conditions::findViolation(ArrayRef<Value> list) {
  SmallVector<unsigned> conditions;
  for (Value condition : list)
    conditions.push_back(getNode(condition));
  prepare();
  return partition(conditions);
}
