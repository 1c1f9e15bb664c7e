//===- UniformNames.h - Names of what the host hands to kernels -*- C++ -*-===//
//
// What all variants of an operator read of the host lies in one struct. A
// member of it is one value in all of them: equal values share a member, and a
// member can be said to be something.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_UNIFORMNAMES_H
#define LOSSGRAD_PASSES_UNIFORMNAMES_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace lossgrad {

/// Numbers values: two have one number if they are computed alike, in whatever
/// body.
class ValueNumbers {
public:
  unsigned get(mlir::Value value);

private:
  using Key = std::pair<std::vector<const void *>, std::vector<unsigned>>;

  std::map<Key, unsigned> numbers;
  llvm::DenseMap<mlir::Value, unsigned> known;
};

/// Names for the uniform values that bodies of one operator read, unique and
/// valid in C++.
class UniformNames {
public:
  explicit UniformNames(OperatorOp op);

  /// Those of one body, in its order. A value that has a name in the operator's
  /// formula is one value there, whatever a variant knows of it.
  llvm::SmallVector<std::string> get(llvm::ArrayRef<mlir::Value> values);

private:
  llvm::StringSet<> formula, taken;
  ValueNumbers numbers;
  /// By what it is called after, by its number, or by its place among those of
  /// its body that are called after the same.
  std::map<std::tuple<std::string, bool, unsigned>, std::string> names;
};

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_UNIFORMNAMES_H
