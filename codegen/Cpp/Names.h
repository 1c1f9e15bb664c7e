//===- Names.h - C++ names for values ---------------------------*- C++ -*-===//
//
// Chooses the identifier of each value that is printed as a variable: what the
// IR calls it (an attribute or label), made a legal identifier and unique in
// its scope. It prints nothing.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_CPP_NAMES_H
#define LOSSGRAD_CODEGEN_CPP_NAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace lossgrad::cpp {

/// The name that the IR gives a value; empty if it has none.
llvm::StringRef nameOf(mlir::Value value);
/// The name of an op, which is that of its result or of a loop's variable.
llvm::StringRef nameOf(mlir::Operation *op);

class Names {
public:
  /// Opens a scope whose names hide nothing of the scopes around it.
  struct Scope {
    explicit Scope(Names &names) : names(names) { names.scopes.emplace_back(); }
    ~Scope() { names.scopes.pop_back(); }
    Names &names;
  };

  Names() { scopes.emplace_back(); }

  /// Gives `value` the wanted name, or the next free variation of it.
  llvm::StringRef declare(mlir::Value value, llvm::StringRef wanted);
  /// Another value that is the same variable.
  void alias(mlir::Value value, llvm::StringRef name) {
    table[value] = name.str();
  }
  /// Takes a name that belongs to no value.
  void reserve(llvm::StringRef name) { scopes.back()[name] = true; }
  /// The name of a declared value; empty if it was never declared.
  llvm::StringRef lookup(mlir::Value value) const;

private:
  bool isTaken(llvm::StringRef name) const;

  llvm::DenseMap<mlir::Value, std::string> table;
  std::vector<llvm::StringMap<bool>> scopes;
};

} // namespace lossgrad::cpp

#endif // LOSSGRAD_CODEGEN_CPP_NAMES_H
