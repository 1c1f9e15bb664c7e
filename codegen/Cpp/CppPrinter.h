//===- CppPrinter.h - arith and scf as C++ ----------------------*- C++ -*-===//
//
// Prints the scalar subset of the IR: arithmetic as expressions with as few
// parentheses as C++ needs, scf as statements. Emitters derive from it and add
// their own ops. A value with a name is a variable; one without is printed
// where it is used. It decides nothing about the program.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_CPP_CPPPRINTER_H
#define LOSSGRAD_CODEGEN_CPP_CPPPRINTER_H

#include "codegen/Cpp/Names.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/IndentedOstream.h"

namespace lossgrad::cpp {

/// How tightly an expression binds; larger binds tighter.
enum Precedence {
  Conditional = 1,
  LogicalOr,
  LogicalAnd,
  Equality,
  Relational,
  Additive,
  Multiplicative,
  Unary,
  Primary,
};

struct Expression {
  std::string text;
  Precedence precedence = Primary;
};

class CppPrinter {
public:
  explicit CppPrinter(llvm::raw_ostream &out) : os(out) {}
  virtual ~CppPrinter() = default;

  Names &getNames() { return names; }
  mlir::raw_indented_ostream &getStream() { return os; }

  /// All statements of a block, in a scope of their own.
  llvm::LogicalResult printBlock(mlir::Block &block);
  /// A value in a place that binds at least this tightly; after a failure,
  /// which is reported at the op, the text is empty.
  std::string expression(mlir::Value value, Precedence around = Conditional);
  /// The opposite of a condition.
  std::string negation(mlir::Value condition);

  /// The C++ type of a scalar; empty if there is none.
  virtual std::string spellType(mlir::Type type);

protected:
  /// A statement; false if the op is not known here.
  virtual bool printStatement(mlir::Operation *op);
  /// The expression of an op that the arith subset does not have.
  virtual std::optional<Expression> extraExpression(mlir::Operation *op) {
    return std::nullopt;
  }
  /// Declares `type name = expression;` for a named result.
  void printDefinition(mlir::Operation *op, llvm::StringRef text);
  void reportUnknown(mlir::Operation *op);
  /// Emitted sources are indented by four columns, two steps of the stream.
  void indent() { os.indent().indent(); }
  void unindent() { os.unindent().unindent(); }

  mlir::raw_indented_ostream os;
  Names names;
  bool failed = false;

private:
  std::optional<Expression> arithmetic(mlir::Operation *op);
  std::string operand(mlir::Operation *op, unsigned index, Precedence around);
  Expression binary(mlir::Operation *op, llvm::StringRef symbol,
                    Precedence precedence);
  void printFor(mlir::Operation *op);
  void printIf(mlir::Operation *op);
  void printBranches(mlir::Operation *op);
  void printSwitch(mlir::Operation *op);
  void printBody(mlir::Block &block, mlir::ValueRange targets);
  void declareResults(mlir::Operation *op, mlir::ValueRange results,
                      mlir::ValueRange inits);
  void assignYield(mlir::Block &block, mlir::ValueRange targets);
};

} // namespace lossgrad::cpp

#endif // LOSSGRAD_CODEGEN_CPP_CPPPRINTER_H
