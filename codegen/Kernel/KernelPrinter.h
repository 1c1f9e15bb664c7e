//===- KernelPrinter.h - kernels and entry as C++ ---------------*- C++ -*-===//
//
// Prints one program: its kernel classes and the kernel function. API calls are
// printed from ApiCallInterface; only the frame and views are known by name.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_KERNEL_KERNELPRINTER_H
#define LOSSGRAD_CODEGEN_KERNEL_KERNELPRINTER_H

#include "codegen/Cpp/CppPrinter.h"
#include "dialect/AscendC/IR/AscendC.h"

namespace lossgrad {

/// The tiling keys that launch a kernel: "2, 3".
std::string listKeys(ascendc::KernelOp kernel);

class KernelPrinter : public cpp::CppPrinter {
public:
  using CppPrinter::CppPrinter;

  llvm::LogicalResult printKernel(ascendc::KernelOp kernel);
  llvm::LogicalResult printEntry(ascendc::EntryOp entry,
                                 llvm::StringRef nameSpace);

  std::string spellType(mlir::Type type) override;

private:
  bool printStatement(mlir::Operation *op) override;
  std::optional<cpp::Expression> extraExpression(mlir::Operation *op) override;

  void declareMembers(ascendc::KernelOp kernel);
  void printInit(ascendc::KernelOp kernel);
  void printMemberInit(mlir::Operation *op);
  void printInitBuffer(mlir::Value member, mlir::Value bytes,
                       mlir::Operation *op);
  void printByType(ascendc::ByTypeOp byType);
  void printCase(ascendc::ByTypeOp byType, mlir::Block &block);
  void printStage(ascendc::StageOp stage);
  void printProcess(ascendc::ProcessOp process);
  void printMembers(ascendc::KernelOp kernel);
  void printCall(ascendc::ApiCallInterface call);
  std::string callText(ascendc::ApiCallInterface call);
  std::string viewText(ascendc::ViewOp view);
  std::string list(llvm::ArrayRef<ascendc::CallArgument> arguments);
  std::string argument(const ascendc::CallArgument &argument);
  std::string convertedScalar(mlir::Value value, mlir::Type element);
};

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_KERNEL_KERNELPRINTER_H
