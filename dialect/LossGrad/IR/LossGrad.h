//===- LossGrad.h - The lossgrad dialect ------------------------*- C++ -*-===//
//
// Everything a user of the level-1 dialect includes: enums, attributes, the
// value type, operations and traits. Analyses and the interpreter have headers
// of their own.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_LOSSGRAD_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_LOSSGRAD_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lossgrad {

/// Each element of the result depends only on the same element of the
/// (broadcast) operands.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
};

/// The op asks about the call; it stands only in a contract.
template <typename ConcreteType>
class ContractOnly
    : public mlir::OpTrait::TraitBase<ConcreteType, ContractOnly> {};

/// The op needs dims; it stands only in a body.
template <typename ConcreteType>
class BodyOnly : public mlir::OpTrait::TraitBase<ConcreteType, BodyOnly> {};

} // namespace lossgrad

#include "dialect/LossGrad/IR/LossGradDialect.h.inc"
#include "dialect/LossGrad/IR/LossGradEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/LossGrad/IR/LossGradAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/LossGrad/IR/LossGradTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/LossGrad/IR/LossGradOps.h.inc"

namespace lossgrad {

/// The two pointers that end every first-phase call. They are not declared as
/// parameters, but a contract may ask whether they are null.
inline constexpr llvm::StringLiteral kWorkspaceSizeArg = "workspaceSize";
inline constexpr llvm::StringLiteral kExecutorArg = "executor";

/// The attributes of the dialect that ops of other dialects have: of which
/// operator a function is the tiling function, and what struct it fills.
inline constexpr llvm::StringLiteral kTilingOperatorAttr = "lossgrad.operator";
inline constexpr llvm::StringLiteral kTilingStructAttr = "lossgrad.tiling";
/// On a module with forwards: the operators whose bodies were derived.
inline constexpr llvm::StringLiteral kFromForwardAttr = "lossgrad.from_forward";

/// True for the kinds that may have dims: real, int and bool.
inline bool isDataKind(Kind kind) {
  return kind == Kind::Real || kind == Kind::Int || kind == Kind::Bool;
}

/// The name of a value: of the parameter for a block argument, of the location
/// for a result, or empty.
llvm::StringRef getValueName(mlir::Value value);

/// Names the results of an op; an empty name is none.
void setResultNames(mlir::Operation *op, llvm::ArrayRef<std::string> names);

/// All dims of the given types: in declared order where `op` is known,
/// otherwise in order of appearance.
llvm::SmallVector<mlir::StringAttr> unionOfDims(mlir::TypeRange types,
                                                OperatorOp op = nullptr);

/// The kind of a constant's literal, or nothing if it is not one of ours.
std::optional<Kind> getKindOfLiteral(mlir::Attribute literal);

/// Prints a value type as in an op: `[n, c] real`.
std::string toString(ValueType type);

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_LOSSGRAD_H
