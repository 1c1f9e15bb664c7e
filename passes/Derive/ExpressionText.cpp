//===- ExpressionText.cpp - Expressions from ops and back -----------------===//
//
// Reading gives every value of a body its node. Writing puts factors and terms
// with few dims first, so that what is the same for a row or a call is computed
// there.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/Expression.h"
#include "passes/Derive/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

/// Before the names of arithmetic on ints, which has no normal form.
static constexpr StringLiteral kOnInts = "int.";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The operand that a function is, by its definition; none if it computes.
static std::optional<unsigned> getPassedOperand(RuleOp rule) {
  if (!rule || !rule.isFunction())
    return std::nullopt;
  Value value = rule.getDefinition().front().back().getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber();
  return std::nullopt;
}

Node ExpressionPool::readArithmetic(Operation *each, ArrayRef<Node> args) {
  if (isa<AddOp>(each))
    return add(args);
  if (isa<SubOp>(each))
    return sub(args[0], args[1]);
  if (isa<MulOp>(each))
    return mul(args);
  if (isa<NegOp>(each))
    return neg(args[0]);
  if (isa<DivOp>(each))
    return div(args[0], args[1]);
  if (isa<PowOp>(each) && args[1]->isConst()) {
    double halves = 2 * args[1]->number;
    if (halves == std::round(halves) && std::abs(halves) <= 16)
      return power(args[0], halves);
  }
  return nullptr;
}

Node ExpressionPool::readOp(Operation *each) {
  if (auto constantOp = dyn_cast<ConstantOp>(each))
    if (auto real = dyn_cast<FloatAttr>(constantOp.getValue()))
      if (double value = real.getValueAsDouble(); std::isfinite(value))
        return constant(value);
  if (auto saved = dyn_cast<SavedOp>(each)) {
    Node definition = read(saved.getDefinition()),
         given = read(saved.getGiven());
    savedAs[definition] = given;
    if (saved.getTrusted())
      trustedDefinition[given] = definition;
    return given;
  }
  SmallVector<Node> args;
  for (Value operand : each->getOperands())
    args.push_back(read(operand));
  auto type = cast<ValueType>(each->getResult(0).getType());
  StringRef name = each->getName().stripDialect();
  if (auto apply = dyn_cast<ApplyOp>(each))
    if (auto passed = getPassedOperand(rules.find(apply.getFunction()));
        passed && args[*passed]->type == type)
      return args[*passed];
  if (type.getKind() == Kind::Real) {
    if (Node node = readArithmetic(each, args))
      return node;
  } else if (isa<AddOp, SubOp, MulOp, NegOp>(each)) {
    return make((kOnInts + name).str(), each->getAttrDictionary(), args, type);
  }
  if (auto numel = dyn_cast<NumelOp>(each))
    if (DimAttr dim = op.findDim(numel.getNameAttr()))
      return this->numel(dim.getName())->args[0];
  if (isa<SelectOp>(each))
    return select(args[0], args[1], args[2]);
  if (isa<NotOp>(each))
    return lnot(args[0]);
  // What is read may have fewer dims than the op: select(c, 0, 0) is 0.
  if (auto sum = dyn_cast<ReduceOp>(each))
    return reduce(sum.getReduceKind(), args[0],
                  llvm::to_vector(sum.getOver().getAsRange<StringAttr>()));
  if (each->hasTrait<Elementwise>())
    type = unionType(args, type.getKind());
  return make(name, each->getAttrDictionary(), args, type);
}

Node ExpressionPool::read(Value value) {
  if (Node node = known.lookup(value))
    return node;
  Operation *each = value.getDefiningOp();
  Node node;
  if (!each || isa<MissingOp>(each)) {
    Expression leaf;
    leaf.op = "leaf";
    leaf.leaf = value;
    leaf.type = cast<ValueType>(value.getType());
    node = intern(std::move(leaf));
  } else {
    node = readOp(each);
    StringRef name = getValueName(value);
    if (!name.empty() && !node->name && !node->args.empty()) {
      node->name = StringAttr::get(op.getContext(), name);
      if (node->isReal())
        named.push_back(node);
    }
  }
  return known[value] = node;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

ArrayRef<Node> lossgrad::getFactors(const Node &node) {
  return node->is("mul") ? ArrayRef<Node>(node->args) : ArrayRef<Node>(node);
}

double lossgrad::getCoefficient(Node node) {
  for (Node factor : getFactors(node))
    if (factor->isConst())
      return factor->number;
  return 1;
}

/// Few dims first, otherwise in the given order.
static void sortByDims(SmallVectorImpl<Node> &nodes) {
  llvm::stable_sort(nodes, [](Node a, Node b) {
    return a->dims().size() < b->dims().size();
  });
}

static Location locationOf(Node node, Location otherwise) {
  return node->name ? Location(NameLoc::get(node->name, otherwise)) : otherwise;
}

Value ExpressionPool::writeSum(Node node, OpBuilder &builder,
                               DenseMap<Node, Value> &made) {
  Location loc = builder.getUnknownLoc();
  SmallVector<Node> terms(ArrayRef<Node>(node->args));
  sortByDims(terms);
  // A sum starts with what is added, if anything is.
  auto isTaken = [](Node term) {
    return getCoefficient(term) < 0 && !term->name;
  };
  auto *first = llvm::find_if_not(terms, isTaken);
  if (first != terms.end())
    std::rotate(terms.begin(), first, first + 1);
  Value sum;
  for (Node term : terms) {
    bool taken = sum && isTaken(term);
    Value value = write(taken ? neg(term) : term, builder, made);
    sum = !sum    ? value
          : taken ? SubOp::create(builder, loc, sum, value).getResult()
                  : AddOp::create(builder, loc, sum, value).getResult();
  }
  return sum;
}

Value ExpressionPool::writeProduct(Node node, OpBuilder &builder,
                                   DenseMap<Node, Value> &made) {
  Location loc = builder.getUnknownLoc();
  SmallVector<Node> factors;
  bool negative = false;
  for (Node factor : node->args) {
    if (factor->isConst(-1))
      negative = true;
    else
      factors.push_back(factor);
  }
  sortByDims(factors);
  Value product;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    Value value = write(factor, builder, made);
    product = product ? MulOp::create(builder, loc, product, value).getResult()
                      : value;
    // The sign goes where it is cheapest: to what has the fewest dims.
    if (negative && (i + 1 == factors.size() ||
                     factors[i + 1]->dims().size() > factor->dims().size())) {
      product = NegOp::create(builder, loc, product);
      negative = false;
    }
  }
  return product;
}

Value ExpressionPool::writeOp(Node node, OpBuilder &builder,
                              DenseMap<Node, Value> &made) {
  StringRef name = node->op;
  name.consume_front(kOnInts);
  OperationState state(builder.getUnknownLoc(), ("lossgrad." + name).str());
  for (Node arg : node->args)
    state.addOperands(write(arg, builder, made));
  state.addAttributes(node->attrs.getValue());
  state.addTypes(node->type);
  return builder.create(state)->getResult(0);
}

Value ExpressionPool::write(Node node, OpBuilder &builder,
                            DenseMap<Node, Value> &made) {
  if (node->leaf)
    return node->leaf;
  if (Value value = made.lookup(node))
    return value;
  Value value;
  if (node->isConst()) {
    value = ConstantOp::create(builder, builder.getUnknownLoc(),
                               builder.getF64FloatAttr(node->number));
  } else if (node->is("add")) {
    value = writeSum(node, builder, made);
  } else if (node->is("mul")) {
    value = writeProduct(node, builder, made);
  } else if (node->is("power")) {
    int whole = node->number / 2;
    value = write(node->args[0], builder, made);
    Value base = value;
    for (int i = 1; i < whole; ++i)
      value = MulOp::create(builder, builder.getUnknownLoc(), value, base);
  } else {
    value = writeOp(node, builder, made);
  }
  // A value that is another's keeps the name that it has.
  if (value.getDefiningOp() && getValueName(value).empty())
    value.setLoc(locationOf(node, builder.getUnknownLoc()));
  return made[node] = value;
}
