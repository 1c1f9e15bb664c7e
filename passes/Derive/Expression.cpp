//===- Expression.cpp - Bodies as shared expressions ----------------------===//
//
// Construction of nodes. Only what never changes a value is folded here: 0 and
// 1 in sums and products, constants, a choice of equals.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

StringRef Expression::getFunction() const {
  if (op != "apply")
    return {};
  return attrs.getAs<StringAttr>("function").getValue();
}

bool Expression::isCall(StringRef function) const {
  return op == "apply" && getFunction() == function;
}

Predicate Expression::getPredicate() const {
  return attrs.getAs<PredicateAttr>("predicate").getValue();
}

StringAttr Expression::getOver() const {
  Attribute over = attrs ? attrs.get("over") : Attribute();
  if (auto list = dyn_cast_or_null<ArrayAttr>(over))
    return list.size() == 1 ? cast<StringAttr>(list[0]) : StringAttr();
  return dyn_cast_or_null<StringAttr>(over);
}

bool Expression::isSum() const {
  return op == "reduce" &&
         attrs.getAs<ReduceKindAttr>("reduceKind").getValue() ==
             ReduceKind::sum;
}

bool lossgrad::isUniformNode(Node node) { return node->uniform; }

//===----------------------------------------------------------------------===//
// Interning
//===----------------------------------------------------------------------===//

Node ExpressionPool::intern(Expression &&node) {
  std::vector<unsigned> ids;
  for (Node arg : node.args)
    ids.push_back(arg->id);
  Key key{node.op.str(), node.attrs.getAsOpaquePointer(),
          ids,           node.type.getAsOpaquePointer(),
          node.number,   node.leaf.getAsOpaquePointer()};
  auto [it, isNew] = nodes.try_emplace(key);
  if (isNew) {
    node.id = nodes.size();
    node.uniform = !node.leaf && node.dims().empty() &&
                   llvm::all_of(node.args, isUniformNode);
    // The name outlives the caller: it is the key's own copy.
    node.op = std::get<0>(it->first);
    it->second = std::make_unique<Expression>(std::move(node));
  }
  return it->second.get();
}

ValueType ExpressionPool::unionType(ArrayRef<Node> args, Kind kind) {
  SmallVector<Type> types;
  for (Node arg : args)
    types.push_back(arg->type);
  return ValueType::get(op.getContext(), unionOfDims(types, op), kind);
}

Node ExpressionPool::make(StringRef name, DictionaryAttr attrs,
                          ArrayRef<Node> args, ValueType type) {
  Expression node;
  node.op = name;
  node.attrs = attrs ? attrs : DictionaryAttr::get(op.getContext());
  node.args.assign(args.begin(), args.end());
  node.type = type;
  return intern(std::move(node));
}

Node ExpressionPool::close(Node node) {
  Node whole = make(("#" + Twine(node->id)).str(), {}, {}, node->type);
  closed[whole] = node;
  return whole;
}

Node ExpressionPool::open(Node node) const {
  Node whole = closed.lookup(node);
  return whole ? whole : node;
}

static void sortById(SmallVectorImpl<Node> &nodes) {
  llvm::sort(nodes, [](Node a, Node b) { return a->id < b->id; });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

double lossgrad::tidy(double number) {
  int exponent;
  double scaled = std::ldexp(std::frexp(number, &exponent), 32);
  double round = std::round(scaled);
  return std::abs(scaled - round) <= 0x1p-19 ? std::ldexp(round, exponent - 32)
                                             : number;
}

Node ExpressionPool::constant(double value) {
  Expression node;
  node.op = "const";
  node.number = value;
  node.type = ValueType::get(op.getContext(), Kind::Real);
  return intern(std::move(node));
}

Node ExpressionPool::add(ArrayRef<Node> terms) {
  SmallVector<Node> all;
  double number = 0;
  for (Node term : terms) {
    if (term->isConst())
      number += term->number;
    else if (term->is("add") && !term->name)
      llvm::append_range(all, term->args);
    else
      all.push_back(term);
  }
  if (number != 0 || all.empty())
    all.push_back(constant(number));
  if (all.size() == 1)
    return all.front();
  sortById(all);
  return make("add", {}, all, unionType(all, Kind::Real));
}

Node ExpressionPool::mul(ArrayRef<Node> factors) {
  SmallVector<Node> all;
  double number = 1;
  for (Node factor : factors) {
    if (factor->isConst())
      number *= factor->number;
    else if (factor->is("mul") && !factor->name)
      for (Node inner : factor->args) {
        if (inner->isConst())
          number *= inner->number;
        else
          all.push_back(inner);
      }
    else
      all.push_back(factor);
  }
  number = tidy(number);
  if (number == 0)
    return constant(0);
  if (number != 1 || all.empty())
    all.push_back(constant(number));
  if (all.size() == 1)
    return all.front();
  sortById(all);
  return make("mul", {}, all, unionType(all, Kind::Real));
}

Node ExpressionPool::div(Node x, Node y) {
  if (y->isConst(1) || x->isConst(0))
    return x;
  if (x->isConst() && y->isConst() && y->number != 0)
    return constant(tidy(x->number / y->number));
  return make("div", {}, {x, y}, unionType({x, y}, Kind::Real));
}

Node ExpressionPool::power(Node x, int halves) {
  if (halves == 0)
    return constant(1);
  if (halves == 2)
    return x;
  if (halves == 1)
    return unary("sqrt", x);
  if (halves < 0)
    return div(constant(1), power(x, -halves));
  if (halves % 2)
    return mul({power(x, halves - 1), unary("sqrt", x)});
  Expression node;
  node.op = "power";
  node.number = halves;
  node.args = {x};
  node.type = x->type;
  return intern(std::move(node));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static std::optional<bool> asBool(Node node) {
  if (!node->is("constant"))
    return std::nullopt;
  if (auto flag = node->attrs.getAs<BoolAttr>("value"))
    return flag.getValue();
  return std::nullopt;
}

Node ExpressionPool::boolean(bool value) {
  Builder builder(op.getContext());
  NamedAttribute attr(builder.getStringAttr("value"),
                      builder.getBoolAttr(value));
  return make("constant", builder.getDictionaryAttr(attr), {},
              ValueType::get(op.getContext(), Kind::Bool));
}

Node ExpressionPool::select(Node condition, Node yes, Node no) {
  if (std::optional<bool> known = asBool(condition))
    return *known ? yes : no;
  if (yes == no)
    return yes;
  if (condition->is("not"))
    return select(condition->args[0], no, yes);
  return make("select", {}, {condition, yes, no},
              unionType({condition, yes, no}, yes->type.getKind()));
}

Node ExpressionPool::lnot(Node condition) {
  if (condition->is("not"))
    return condition->args[0];
  return make("not", {}, {condition}, condition->type);
}

Node ExpressionPool::land(Node a, Node b) {
  if (a == b)
    return a;
  return make("and", {}, {a, b}, unionType({a, b}, Kind::Bool));
}

Node ExpressionPool::indicator(Node condition) {
  if (std::optional<bool> known = asBool(condition))
    return constant(*known);
  return make("cast", {}, {condition}, condition->type.withKind(Kind::Real));
}

Node ExpressionPool::compare(Predicate predicate, Node x, Node y) {
  Builder builder(op.getContext());
  NamedAttribute attr(builder.getStringAttr("predicate"),
                      PredicateAttr::get(op.getContext(), predicate));
  return make("compare", builder.getDictionaryAttr(attr), {x, y},
              unionType({x, y}, Kind::Bool));
}

//===----------------------------------------------------------------------===//
// Dims and functions
//===----------------------------------------------------------------------===//

static ValueType without(ValueType type, ArrayRef<StringAttr> removed) {
  SmallVector<StringAttr> dims(type.getDims());
  llvm::erase_if(
      dims, [&](StringAttr dim) { return llvm::is_contained(removed, dim); });
  return ValueType::get(type.getContext(), dims, type.getKind());
}

Node ExpressionPool::reduce(ReduceKind kind, Node x,
                            ArrayRef<StringAttr> over) {
  Builder builder(op.getContext());
  llvm::SmallDenseSet<StringAttr> all;
  SmallVector<Node> factors;
  for (StringAttr dim : over) {
    if (x->type.hasDim(dim))
      all.insert(dim);
    else if (kind == ReduceKind::sum) // as many times the same
      factors.push_back(numel(dim));
  }
  if (!all.empty()) {
    // A sum of sums is one over the dims of both.
    while (kind == ReduceKind::sum && x->isSum() && !x->name) {
      all.insert_range(
          x->attrs.getAs<ArrayAttr>("over").getAsRange<StringAttr>());
      x = x->args[0];
    }
    SmallVector<Attribute> dims;
    for (StringAttr dim : x->dims())
      if (all.contains(dim))
        dims.push_back(dim);
    NamedAttribute attrs[] = {
        {builder.getStringAttr("over"), builder.getArrayAttr(dims)},
        {builder.getStringAttr("reduceKind"),
         ReduceKindAttr::get(op.getContext(), kind)}};
    x = make("reduce", builder.getDictionaryAttr(attrs), {x},
             without(x->type, llvm::to_vector(all)));
  }
  if (factors.empty())
    return x;
  factors.push_back(x);
  return mul(factors);
}

Node ExpressionPool::numel(StringAttr dim) {
  Builder builder(op.getContext());
  NamedAttribute attr(builder.getStringAttr("name"), dim);
  // The elements of one axis are its extent, and written so.
  Node count = make(op.findDim(dim).isPack() ? "numel" : "extent",
                    builder.getDictionaryAttr(attr), {},
                    ValueType::get(op.getContext(), Kind::Int));
  return make("cast", {}, {count}, ValueType::get(op.getContext(), Kind::Real));
}

Node ExpressionPool::call(StringRef function, ArrayRef<Node> args, Node like) {
  Builder builder(op.getContext());
  NamedAttrList attrs(like ? like->attrs : DictionaryAttr());
  attrs.set("function", builder.getStringAttr(function));
  ValueType type = unionType(args, Kind::Real);
  if (auto over = dyn_cast_or_null<ArrayAttr>(attrs.get("over")))
    type = without(type, llvm::to_vector(over.getAsRange<StringAttr>()));
  return make("apply", attrs.getDictionary(op.getContext()), args, type);
}

Node ExpressionPool::rebuild(Node node, ArrayRef<Node> args) {
  if (ArrayRef<Node>(node->args) == args)
    return node;
  if (node->is("add"))
    return add(args);
  if (node->is("mul"))
    return mul(args);
  if (node->is("div"))
    return div(args[0], args[1]);
  if (node->is("power"))
    return power(args[0], node->number);
  if (node->is("select"))
    return select(args[0], args[1], args[2]);
  if (node->is("not"))
    return lnot(args[0]);
  if (node->is("apply"))
    return call(node->getFunction(), args, node);
  if (node->is("reduce"))
    return reduce(
        node->attrs.getAs<ReduceKindAttr>("reduceKind").getValue(), args[0],
        llvm::to_vector(
            node->attrs.getAs<ArrayAttr>("over").getAsRange<StringAttr>()));
  // A gather or one-hot changes its own dim; the others follow the operands.
  ValueType type = unionType(args, node->type.getKind());
  if (node->is("gather") && !args[1]->type.hasDim(node->getOver()))
    type = without(type, node->getOver());
  if (node->is("onehot")) {
    SmallVector<Type> types = {
        type, ValueType::get(op.getContext(), node->getOver(), Kind::Bool)};
    type = ValueType::get(op.getContext(), unionOfDims(types, op), Kind::Bool);
  }
  if (node->is("reduce_onto"))
    type = node->type;
  return make(node->op, node->attrs, args, type);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

std::vector<Node> lossgrad::inOrder(ArrayRef<Node> roots) {
  std::vector<Node> order;
  llvm::DenseSet<Node> seen;
  std::function<void(Node)> visit = [&](Node node) {
    if (!seen.insert(node).second)
      return;
    for (Node arg : node->args)
      visit(arg);
    order.push_back(node);
  };
  for (Node root : roots)
    visit(root);
  return order;
}

SmallVector<Node> lossgrad::substitute(ExpressionPool &pool,
                                       ArrayRef<Node> roots,
                                       const DenseMap<Node, Node> &table,
                                       bool keepNames) {
  DenseMap<Node, Node> done;
  std::function<Node(Node)> visit = [&](Node node) -> Node {
    if (Node known = done.lookup(node))
      return known;
    Node result = table.lookup(node);
    if (!result) {
      SmallVector<Node> args;
      for (Node arg : node->args)
        args.push_back(visit(arg));
      result = pool.rebuild(node, args);
      if (keepNames && result != node && node->name && !result->name)
        result->name = node->name;
      if (Node again = table.lookup(result))
        result = again;
    }
    return done[node] = result;
  };
  SmallVector<Node> results;
  for (Node root : roots)
    results.push_back(visit(root));
  return results;
}
