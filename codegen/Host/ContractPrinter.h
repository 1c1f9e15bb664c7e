//===- ContractPrinter.h - Contracts as C++ ---------------------*- C++ -*-===//
//
// Prints the checks of an operator, in their order, as C++11 statements over
// the helper header. Every question has an answer for a null tensor, so that
// the order of evaluation inside one condition does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_HOST_CONTRACTPRINTER_H
#define LOSSGRAD_CODEGEN_HOST_CONTRACTPRINTER_H

#include "codegen/Cpp/Names.h"
#include "codegen/Host/HostModel.h"
#include "llvm/Support/raw_ostream.h"

namespace lossgrad::host {

class ContractPrinter {
public:
  ContractPrinter(HostModel &model, llvm::raw_ostream &os);

  /// One function per list of dtypes that the checks ask about.
  void printDTypeFunctions();

  /// All checks as the statements of one function body, indented by 4.
  mlir::LogicalResult print();

  /// The variable with the description of a tensor parameter.
  static std::string tensorVariable(ParamAttr param);
  /// The variable with the value of an attribute, defaults applied.
  static std::string attributeVariable(ParamAttr param);

private:
  std::string expression(mlir::Value value);
  std::string compute(mlir::Operation *op);
  std::string compare(CompareOp op);
  std::string constant(ConstantOp op);
  std::string tensorQuery(mlir::Operation *op, llvm::StringRef name,
                          llvm::StringRef question);
  std::string dimShape(mlir::Operation *op, llvm::StringRef dim);
  std::string dtypeFunction(ParamAttr param);
  std::string negation(mlir::Value value);
  /// Declares what the values of a statement share with others.
  void declareShared(mlir::Value value);
  void printCheck(CheckOp check);
  void printDone(DoneIfOp done);
  std::string message(CheckOp check, std::vector<std::string> &arguments);
  std::string fail(mlir::Operation *op);

  HostModel &model;
  llvm::raw_ostream &os;
  cpp::Names names;
  bool failed = false;
};

/// A C string literal with its quotes.
std::string quoted(llvm::StringRef text);

} // namespace lossgrad::host

#endif // LOSSGRAD_CODEGEN_HOST_CONTRACTPRINTER_H
