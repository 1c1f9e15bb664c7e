//===- Call.h - A described call of an operator -----------------*- C++ -*-===//
//
// A call without its memory: which tensors with which shape, strides and dtype,
// which attributes, which null pointers, which product, and a recipe for the
// contents. Read from JSON, one object per call. What a call means is for the
// contract and the interpreter to say.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_CALL_CALL_H
#define LOSSGRAD_DIALECT_LOSSGRAD_CALL_CALL_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <variant>

namespace lossgrad {

/// Uniform within both ends; equal ends are a constant. Ends may be infinite or
/// NaN.
struct RangeContents {
  double low = 0, high = 0;
};

/// Every element, row-major.
struct ListedContents {
  std::vector<double> values;
};

/// Normal, mean and deviation themselves drawn once from these spans.
struct NormalContents {
  double meanLow = 0, meanHigh = 0, deviationLow = 0, deviationHigh = 0;
};

using Contents =
    std::variant<std::monostate, RangeContents, ListedContents, NormalContents>;

struct TensorArgument {
  bool null = false;
  DType dtype = DType::Undefined;
  llvm::SmallVector<int64_t> shape;
  /// In elements; absent where the tensor is dense.
  std::optional<llvm::SmallVector<int64_t>> strides;
  int64_t offset = 0;
  std::string format = "ND";
  Contents contents;

  int64_t getNumElements() const;
  /// Dense in row-major order, axes of extent 1 aside; the offset does not
  /// matter.
  bool isContiguous() const;
};

using AttributeArgument = std::variant<int64_t, double, bool, std::string>;

struct Call {
  std::string id;
  /// The aclnn function.
  std::string function;
  /// Compute units, e.g. ascend910b; empty where the description names none.
  llvm::SmallVector<std::string> computeUnits;
  std::map<std::string, TensorArgument, std::less<>> tensors;
  std::map<std::string, AttributeArgument, std::less<>> attributes;
  /// Of `workspaceSize` and `executor`: those that are null.
  llvm::SmallVector<std::string> nullPointers;
  std::optional<int64_t> expectedStatus;
  /// numeric or validate, and aclnn or kernel; empty where not given.
  std::string kind, level;
  std::string note;

  /// The tensor of that parameter, or null if there is none or the pointer is
  /// null.
  const TensorArgument *findTensor(llvm::StringRef name) const;
};

/// Reads one call. Unknown keys are errors, so that a misspelt key is not a
/// silently different call.
llvm::Expected<Call> parseCall(const llvm::json::Value &value);

/// Reads a file of calls: JSON Lines, or a single JSON object. An error names
/// file and line.
llvm::Expected<std::vector<Call>> readCalls(llvm::StringRef path);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_CALL_CALL_H
