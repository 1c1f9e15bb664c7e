//===- Dialect.cpp - registration and types of the ascendc dialect --------===//
//
// Registers ops, types and attributes, and verifies types. The ops have files
// of their own.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/AscendC/IR/NameAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lossgrad::ascendc;

#include "dialect/AscendC/IR/AscendCDialect.cpp.inc"
#include "dialect/AscendC/IR/AscendCEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/AscendC/IR/AscendCAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/AscendC/IR/AscendCTypes.cpp.inc"

void AscendCDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/AscendC/IR/AscendCAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/AscendC/IR/AscendCTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/AscendC/IR/AscendCOps.cpp.inc"
      >();
}

/// What ops of any dialect carry for the emitted text, and what is known of a
/// loop.
LogicalResult
AscendCDialect::verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto refuse = [&](StringRef expected) {
    return op->emitOpError() << "has '" << name << "', which is " << expected;
  };
  if (name == kNameAttr || name == kCommentAttr)
    return isa<StringAttr>(value) ? success() : refuse("a string");
  if (name == kArgumentNamesAttr || name == kHeldAttr) {
    auto names = dyn_cast<ArrayAttr>(value);
    if (names && llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return success();
    return refuse("a list of strings");
  }
  if (name == kIndependentAttr)
    return isa<LoopLikeOpInterface>(op) && isa<UnitAttr>(value)
               ? success()
               : refuse("a mark on a loop");
  return refuse("no attribute of the dialect");
}

LogicalResult
TypeParamType::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringRef name, ArrayRef<Type> candidates) {
  if (name.empty() || candidates.empty())
    return emitError() << "a template parameter needs a name and at least one "
                          "candidate type";
  for (Type candidate : candidates) {
    if (isa<TypeParamType>(candidate) || !toDtype(candidate))
      return emitError() << "candidate " << candidate << " of '" << name
                         << "' is not an element type";
  }
  return success();
}

static LogicalResult
verifyElementType(function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (isa<TypeParamType>(element) || toDtype(element))
    return success();
  return emitError() << element
                     << " is not an element type of AscendC tensors; expected "
                        "f32, f16, bf16, a sized integer or a template "
                        "parameter";
}

LogicalResult
LocalTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Type element) {
  return verifyElementType(emitError, element);
}

LogicalResult
GlobalTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                         Type element) {
  return verifyElementType(emitError, element);
}
