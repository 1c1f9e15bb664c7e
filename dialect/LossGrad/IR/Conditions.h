//===- Conditions.h - What conditions on a call say -------------*- C++ -*-===//
//
// Decides questions about uniform conditions by trying every way in which calls
// can differ for them: whether some call satisfies several conditions at once,
// and whether exactly one of a list holds in every call. A question about an
// attribute, a size or presence is one variable, whatever region it is asked
// in, and a number that is compared with constants has as many values to try
// as the constants tell apart, NaN among them. Values that are not understood
// count as free, so a call found here may not exist; one that is not found
// does not.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_CONDITIONS_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_CONDITIONS_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include <map>

namespace lossgrad {

class Conditions {
public:
  /// A condition that holds, or does not.
  struct Literal {
    mlir::Value condition;
    bool holds;
  };

  /// False only if no call satisfies all literals.
  bool canHold(llvm::ArrayRef<Literal> literals);

  /// Whether a condition holds in every call in which `given` does, or in none;
  /// nothing if it depends on the call.
  std::optional<bool> decide(mlir::Value given, mlir::Value condition);

  /// A call in which none or several of a list of conditions hold.
  struct Violation {
    llvm::SmallVector<size_t, 2> holding;
    std::string call;
  };
  std::optional<Violation> findViolation(llvm::ArrayRef<mlir::Value> list);

private:
  enum class Form { Literal, Bool, Compare, Order, Text, Not, And, Or, Choose };
  /// A condition in terms of others, which come before it, or of a variable.
  struct Node {
    Form form;
    unsigned operands[3] = {0, 0, 0};
    unsigned variable = 0;
    Predicate predicate = Predicate::eq;
    double real = 0;     ///< what a real variable is compared with
    int64_t integer = 0; ///< the same for ints, texts; the value of a literal
  };
  enum class Domain { Bool, Real, Int, Order, Text };
  /// One way in which calls differ.
  struct Sample {
    double real = 0;
    int64_t integer = 0;
  };
  struct Variable {
    Domain domain;
    mlir::Value subject;
    llvm::SmallVector<Sample, 4> constants; ///< what it is compared with
    llvm::SmallVector<Sample, 8> samples;
    std::optional<unsigned> chosen;
  };
  /// Yes, no, or open; conditions that an assignment leaves open are neither.
  enum class Answer : int8_t { No, Yes, Open };

  unsigned identify(mlir::Value value);
  unsigned add(Node node);
  unsigned addVariable(Domain domain, unsigned identity, unsigned other,
                       mlir::Value subject);
  unsigned getNode(mlir::Value condition);
  unsigned getComparison(Predicate predicate, mlir::Value lhs, mlir::Value rhs);
  unsigned compareNumbers(Predicate predicate, mlir::Value lhs,
                          mlir::Value rhs);
  unsigned choose(unsigned condition, unsigned yes, unsigned no);

  void prepare();
  static void sample(Variable &variable);
  void evaluate();
  Answer evaluate(const Node &node) const;
  Answer compare(const Node &node) const;
  /// A variable that an open condition waits for.
  unsigned findOpenVariable(unsigned node) const;
  std::optional<bool> search(llvm::ArrayRef<std::pair<unsigned, bool>> wanted);
  std::optional<Violation> partition(llvm::ArrayRef<unsigned> list);
  std::string describeCall() const;

  std::vector<Node> nodes;
  std::vector<Variable> variables;
  std::vector<Answer> answers;
  std::map<std::vector<const void *>, unsigned> identities;
  llvm::DenseMap<mlir::Value, unsigned> identityOf;
  std::map<std::tuple<int, unsigned, unsigned>, unsigned> variableOf,
      comparisonOf;
  llvm::DenseMap<unsigned, unsigned> nodeOf; // by identity
  size_t work = 0, limit = 0; // evaluated nodes
};

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_CONDITIONS_H
