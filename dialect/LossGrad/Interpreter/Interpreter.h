//===- Interpreter.h - Running a body in float64 ----------------*- C++ -*-===//
//
// The second opinion for everything: evaluates the body of an operator on a
// call, op by op, in float64 and int64. It shares no code with any lowering and
// makes no attempt to be fast.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_INTERPRETER_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_INTERPRETER_H

#include "dialect/LossGrad/Interpreter/DimBinding.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lossgrad {

/// A value of a running body: elements in row-major order over its dims, each
/// dim taken as one axis (packs are flattened), or a string.
struct RuntimeValue {
  Kind kind = Kind::Real;
  Extents extents;
  std::vector<Element> elements;
  std::string text;
};

struct OutputTensor {
  std::string name;
  DType dtype = DType::Float32;
  Kind kind = Kind::Real;
  Extents shape;
  /// In float64 or int64; not rounded to the dtype.
  std::vector<Element> elements;
  /// With `trackTerms`: per element, the magnitude of the largest of the terms
  /// that it is a sum of (see Terms.h).
  std::vector<double> largestTerms;
};

struct InterpreterOptions {
  /// Called for every op result after it was computed.
  llvm::function_ref<void(mlir::Value, const RuntimeValue &)> onResult;
  /// Also find the largest term of each element of the outputs.
  bool trackTerms = false;
  /// With `trackTerms`: exponentials pass on the terms of their exponents.
  bool termsOfExponents = false;
  /// Compute like a kernel: every result that depends on data is rounded to
  /// float32, and so is every uniform value where data meets it. What a literal
  /// translation gives, to see where a rewrite leaves float32 and it does not.
  bool inFloat32 = false;
  /// With `inFloat32`: what is below the normal numbers becomes zero, as some
  /// units have it.
  bool flushSubnormals = false;
};

/// Runs the body. The contract is not evaluated, but shapes must fit the
/// declared ones. The elements of an absent optional tensor are NaN (ints: the
/// smallest, bools: false).
llvm::Expected<std::vector<OutputTensor>>
interpret(OperatorOp op, const Call &call, InterpreterOptions options = {});

/// Runs the body of a variant, on a call that satisfies its condition.
llvm::Expected<std::vector<OutputTensor>>
interpret(VariantOp variant, const Call &call, InterpreterOptions options = {});

/// Whether a call satisfies the condition of a variant.
llvm::Expected<bool> holds(VariantOp variant, const Call &call);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_INTERPRETER_H
