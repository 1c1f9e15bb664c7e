//===- Coverage.h - Does a contract imply its declarations? -----*- C++ -*-===//
//
// Kernels rely on what an operator declares: tensors that are there, of the
// declared dtypes, in shapes that their dims make. Nothing behind the contract
// tests that again. This looks for calls that a contract lets through although
// they break the declarations: it takes calls that fit, spoils one thing at a
// time and asks the contract. A search finds what a proof over arbitrary
// conditions could not decide; what it finds is a real call.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_COVERAGE_H
#define LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_COVERAGE_H

#include "dialect/LossGrad/Interpreter/Call.h"

namespace lossgrad {

/// What a contract fails to refuse.
enum class GapKind { Null, DType, Shape, Attribute, Product, Order, Overlap };

struct Gap {
  GapKind kind;
  /// The parameter at fault; empty for the product.
  std::string name;
  /// What the call has there and what it should have: `shape [3], must be
  /// [2]`.
  std::string found;
};

struct Coverage {
  /// At most one per kind and parameter, in the order of parameters.
  std::vector<Gap> gaps;
  /// False if no call that fits the declarations was accepted, so that there
  /// was nothing to spoil.
  bool anyAccepted = false;
};

Coverage findGaps(OperatorOp op);

/// Values of an attribute that are worth trying: default, choices, both sides
/// of every number that the contract mentions, and the usual ones.
std::vector<AttributeValue> suggestValues(OperatorOp op, ParamAttr attribute);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_CONTRACT_COVERAGE_H
