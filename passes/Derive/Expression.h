//===- Expression.h - Bodies as shared expressions --------------*- C++ -*-===//
//
// The values of a body as nodes that exist once: equal formulas are the same
// node, sums and products have any number of operands in a fixed order,
// differences and negations are products with -1. What an op means is not known
// here; it keeps its name and attributes. Simplification works on nodes and
// writes them back as ops.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_DERIVE_EXPRESSION_H
#define LOSSGRAD_PASSES_DERIVE_EXPRESSION_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <memory>
#include <vector>

namespace lossgrad {

class ModuleRules;
class ExpressionPool;

/// A node. `op` is the name of an op of the dialect, or one of
///   leaf   an input tensor or a missing input
///   const  a real number
///   add, mul   of two or more
///   power  to `number` / 2, a whole number
struct Expression {
  llvm::StringRef op;
  mlir::DictionaryAttr attrs; // of the op; null for the above
  llvm::SmallVector<const Expression *, 3> args;
  ValueType type;
  double number = 0;
  mlir::Value leaf;
  unsigned id = 0;
  bool uniform = false; // see isUniformNode
  /// The name that the formula had in the record, or empty.
  mutable mlir::StringAttr name;

  llvm::ArrayRef<mlir::StringAttr> dims() const { return type.getDims(); }
  bool is(llvm::StringRef wanted) const { return op == wanted; }
  bool isConst() const { return op == "const"; }
  bool isConst(double value) const { return isConst() && number == value; }
  bool isReal() const { return type.getKind() == Kind::Real; }
  /// `apply` of this function.
  bool isCall(llvm::StringRef function) const;
  llvm::StringRef getFunction() const;
  Predicate getPredicate() const;
  /// Of ops over one dim: `over` as a name, or as a list with one name.
  mlir::StringAttr getOver() const;
  bool isSum() const;
};
using Node = const Expression *;

class ExpressionPool {
public:
  ExpressionPool(OperatorOp op, const ModuleRules &rules)
      : rules(rules), op(op) {}

  //===- Building ---------------------------------------------------------===//
  Node constant(double value);
  Node add(llvm::ArrayRef<Node> terms);
  Node mul(llvm::ArrayRef<Node> factors);
  Node neg(Node x) { return mul({constant(-1), x}); }
  Node sub(Node x, Node y) { return add({x, neg(y)}); }
  Node div(Node x, Node y);
  /// `x` to the power of halves / 2.
  Node power(Node x, int halves);
  Node boolean(bool value);
  Node select(Node condition, Node yes, Node no);
  Node lnot(Node condition);
  Node land(Node a, Node b);
  /// A bool as 0 or 1.
  Node indicator(Node condition);
  Node compare(Predicate predicate, Node x, Node y);
  /// Over dims that `x` lacks, too.
  Node reduce(ReduceKind kind, Node x, llvm::ArrayRef<mlir::StringAttr> over);
  Node numel(mlir::StringAttr dim); // as a real
  Node call(llvm::StringRef function, llvm::ArrayRef<Node> args, Node like);
  Node unary(llvm::StringRef op, Node x) { return make(op, {}, {x}, x->type); }
  /// A node of any op. The type is that of the operands together, of the
  /// given kind, if there is none.
  Node make(llvm::StringRef op, mlir::DictionaryAttr attrs,
            llvm::ArrayRef<Node> args, ValueType type);
  /// The same op on other operands; dims follow.
  Node rebuild(Node node, llvm::ArrayRef<Node> args);

  ValueType unionType(llvm::ArrayRef<Node> args, Kind kind);

  //===- From and to ops --------------------------------------------------===//
  Node read(mlir::Value value);
  /// Makes ops at the builder's place; values made before are used again.
  mlir::Value write(Node node, mlir::OpBuilder &builder,
                    llvm::DenseMap<Node, mlir::Value> &made);

  /// What `saved` says: definitions by what is given for them, and the other
  /// way round for those that are trusted.
  llvm::DenseMap<Node, Node> savedAs, trustedDefinition;
  /// Conditions that hold in every call that the contract accepts.
  llvm::DenseSet<Node> facts;
  /// An atom that stands for a node, which stays whole then.
  Node close(Node node);
  /// The node that such an atom stands for; any other node is itself.
  Node open(Node node) const;

  /// Named results of the forward, in order.
  std::vector<Node> named;

  OperatorOp getOperator() { return op; }
  const ModuleRules &rules;

private:
  Node intern(Expression &&node);
  Node readOp(mlir::Operation *op);
  Node readArithmetic(mlir::Operation *op, llvm::ArrayRef<Node> args);
  mlir::Value writeSum(Node node, mlir::OpBuilder &builder,
                       llvm::DenseMap<Node, mlir::Value> &made);
  mlir::Value writeProduct(Node node, mlir::OpBuilder &builder,
                           llvm::DenseMap<Node, mlir::Value> &made);
  mlir::Value writeOp(Node node, mlir::OpBuilder &builder,
                      llvm::DenseMap<Node, mlir::Value> &made);

  using Key = std::tuple<std::string, const void *, std::vector<unsigned>,
                         const void *, double, const void *>;
  OperatorOp op;
  std::map<Key, std::unique_ptr<Expression>> nodes;
  llvm::DenseMap<mlir::Value, Node> known;
  llvm::DenseMap<Node, Node> closed;
};

/// Every node below the roots once, operands first.
std::vector<Node> inOrder(llvm::ArrayRef<Node> roots);

/// The roots with nodes replaced, also those that only become equal to a key
/// by a replacement below. What a node with a name becomes has its name, if it
/// has none of its own, unless that is not wanted.
llvm::SmallVector<Node> substitute(ExpressionPool &pool,
                                   llvm::ArrayRef<Node> roots,
                                   const llvm::DenseMap<Node, Node> &table,
                                   bool keepNames = true);

/// Whether the host computes it: no dims and no tensor on the way.
bool isUniformNode(Node node);

/// The vector ops that the nodes cost per element of the largest dims,
/// functions by the size of their definitions.
unsigned countVectorOps(llvm::ArrayRef<Node> roots, const ModuleRules &rules);

/// The same for every case of the conditions that are the same for a call: that
/// of the dearest one, which counts first, and of all together.
struct BodyCost {
  unsigned most = 0, all = 0;
  bool operator<(const BodyCost &other) const {
    return std::pair(most, all) < std::pair(other.most, other.all);
  }
};
BodyCost countSpecialised(ExpressionPool &pool, llvm::ArrayRef<Node> roots);

/// A product of decimals that rounding has put beside a number of few digits is
/// that number: 0.7071067811865476 squared is 0.5.
double tidy(double number);

/// The factors of a product, negative numbers included; the node itself if it
/// is none.
llvm::ArrayRef<Node> getFactors(const Node &node);
/// The number among the factors, otherwise 1.
double getCoefficient(Node node);

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_DERIVE_EXPRESSION_H
