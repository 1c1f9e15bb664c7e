//===- Call.h - One call of an operator -------------------------*- C++ -*-===//
//
// What a caller hands over: tensors (or null), attributes, and the product it
// runs on. Contents are kept in float64 or int64, already rounded to the
// tensor's dtype, in row-major order of the elements whatever the strides.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALL_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALL_H

#include "dialect/LossGrad/IR/Semantics.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <variant>
#include <vector>

namespace lossgrad {

using Extents = llvm::SmallVector<int64_t, 4>;

/// The number of elements; 1 for no axes. Saturates instead of overflowing.
int64_t getNumElements(llvm::ArrayRef<int64_t> extents);

/// The common shape, aligned at the right, or nothing.
std::optional<Extents> broadcastShapes(llvm::ArrayRef<int64_t> lhs,
                                       llvm::ArrayRef<int64_t> rhs);

/// `[2, 3]`
std::string toString(llvm::ArrayRef<int64_t> extents);

struct Tensor {
  bool isNull = false;
  DType dtype = DType::Float32;
  Extents shape;
  /// Empty for a dense tensor.
  Extents strides;
  /// Where the first element stands, in elements, counted from the beginning of
  /// the memory of `over`; empty: a tensor has memory of its own.
  int64_t offset = 0;
  std::string over;
  std::string format = "ND";
  /// One element each; empty where only the description matters.
  std::vector<Element> elements;

  bool isContiguous() const;
};

/// Whether two tensors of one memory are the same elements, or the bytes from
/// the first to the last of one lie before or after those of the other.
bool areSameOrApart(const Tensor &a, const Tensor &b);

/// int64_t, double, bool or string.
using AttributeValue = std::variant<int64_t, double, bool, std::string>;

struct Call {
  std::string product;
  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<AttributeValue> attributes;
  /// Whether the pointers that end a first-phase call are null.
  bool hasWorkspaceSize = true, hasExecutor = true;

  /// The tensor a caller passed, or null.
  const Tensor *find(llvm::StringRef name) const;

  /// The value of an attribute, converted to the declared kind; the declared
  /// default where the call leaves it out. An error if there is none, or if
  /// the kinds do not fit.
  llvm::Expected<AttributeValue> getAttribute(ParamAttr param) const;

  /// Whether the condition of a shape holds. A shape without condition: true.
  llvm::Expected<bool> holds(OperatorOp op, ShapeAttr shape) const;
};

/// Bytes of one element; 0 for a dtype that has no plain elements.
unsigned getElementBytes(DType dtype);

/// The nearest value of the dtype, ties to even; ints wrap around.
double roundTo(DType dtype, double value);
int64_t roundTo(DType dtype, int64_t value);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_CALL_H
