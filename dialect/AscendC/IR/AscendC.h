//===- AscendC.h - The ascendc dialect --------------------------*- C++ -*-===//
//
// Everything a user of the level-3 dialect includes: enums, types, the call
// interface and the ops. Planning and synchronisation are passes.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_IR_ASCENDC_H
#define LOSSGRAD_DIALECT_ASCENDC_IR_ASCENDC_H

#include "dialect/AscendC/IR/CallArguments.h"
#include "lossgrad/Targets.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/AscendC/IR/AscendCDialect.h.inc"
#include "dialect/AscendC/IR/AscendCEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/AscendC/IR/AscendCAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/AscendC/IR/AscendCTypes.h.inc"

namespace lossgrad::ascendc {

class ApiCallInterface;
class KernelOp;
class ProcessOp;
class ProgramOp;
class TilingStructOp;

/// Groups of calls with one price per repeat in the cost model.
enum class CostClass {
  Elementwise,
  Transcendental,
  Division,
  Axpy,
  FusedMultiplyAdd,
  Conversion,
  Comparison,
  Selection,
  Fill,
  Gather,
  BlockReduction,
  WholeReduction,
  Transfer,
  Scalar,
  Sync,
};

/// The types that an element type may stand for: the candidates of a template
/// parameter, else the type itself.
llvm::SmallVector<mlir::Type, 2> candidateTypes(mlir::Type element);
/// The row of the product tables for an element type, if there is one. Bit
/// masks (i1) are stored in bytes.
std::optional<targets::Dtype> toDtype(mlir::Type element);
/// Width of an element in bits; 1 for bit masks.
unsigned elementBits(mlir::Type element);
/// The C++ spelling of an element type or scalar.
std::string cppSpelling(mlir::Type type);
std::string upperCase(llvm::StringRef text);
/// The families that the code around `op` is for; empty outside a program.
llvm::SmallVector<const targets::Family *> familiesAround(mlir::Operation *op);

/// Ops that are printed as something of the shared tile header.
template <typename ConcreteType>
class OfTileHeader
    : public mlir::OpTrait::TraitBase<ConcreteType, OfTileHeader> {};

/// Ops that are printed as something of the header of rows.
template <typename ConcreteType>
class OfRowHeader
    : public mlir::OpTrait::TraitBase<ConcreteType, OfRowHeader> {};

/// Ops that are printed as something of the header of indices.
template <typename ConcreteType>
class OfIndexHeader
    : public mlir::OpTrait::TraitBase<ConcreteType, OfIndexHeader> {};

/// Whether the program needs the shared tile header.
bool usesTileHeader(ProgramOp program);
/// Whether it needs the header of rows, which includes the other.
bool usesRowHeader(ProgramOp program);
/// Whether it needs the header of indices, which includes both.
bool usesIndexHeader(ProgramOp program);

/// Whether the product tables list a call with its element types for every
/// product of its program.
bool isListed(mlir::Operation *call);

namespace detail {
mlir::LogicalResult verifyApiCall(mlir::Operation *op);
/// The word with a capital.
std::string capitalized(llvm::StringRef word);
/// Whether a product has all the calls that a call of the tile header is made
/// of.
mlir::LogicalResult verifyHas(mlir::Operation *op,
                              const targets::Family &family,
                              llvm::ArrayRef<llvm::StringRef> rows);
/// The element type of the first tensor that the call writes.
void destinationElementType(mlir::Operation *op,
                            llvm::SmallVectorImpl<mlir::Type> &types);
llvm::SmallVector<mlir::OpFoldResult>
mixedStrides(mlir::Operation *op,
             std::optional<llvm::ArrayRef<int64_t>> staticStrides,
             mlir::ValueRange strides);
bool mayOverwrite(mlir::OpOperand &source,
                  llvm::ArrayRef<mlir::OpFoldResult> strides);
mlir::LogicalResult verifyShape(mlir::Operation *op, mlir::Value count,
                                mlir::Value mask, mlir::Value repeat,
                                llvm::ArrayRef<mlir::OpFoldResult> strides,
                                unsigned expected);
mlir::LogicalResult verifyStrides(mlir::Operation *op, size_t actual,
                                  size_t expected);
void shapeArguments(CallArguments &arguments, mlir::Value count,
                    mlir::Value mask, mlir::Value repeat,
                    llvm::StringRef params,
                    llvm::ArrayRef<mlir::OpFoldResult> strides);
void reduceArguments(CallArguments &arguments, mlir::Operation *op,
                     bool maskFirst);
} // namespace detail

} // namespace lossgrad::ascendc

#include "dialect/AscendC/IR/AscendCInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/AscendC/IR/AscendCOps.h.inc"

#endif // LOSSGRAD_DIALECT_ASCENDC_IR_ASCENDC_H
