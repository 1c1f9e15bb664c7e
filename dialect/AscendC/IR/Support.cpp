//===- Support.cpp - element types and the product tables -----------------===//
//
// The bridge between MLIR types and the generated tables of ops_td/targets.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

SmallVector<Type, 2> ascendc::candidateTypes(Type element) {
  if (auto param = dyn_cast<TypeParamType>(element))
    return SmallVector<Type, 2>(param.getCandidates());
  return {element};
}

std::optional<targets::Dtype> ascendc::toDtype(Type element) {
  using targets::Dtype;
  if (element.isF32())
    return Dtype::Float32;
  if (element.isF16())
    return Dtype::Float16;
  if (element.isBF16())
    return Dtype::Bfloat16;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1: // a bit mask lives in bytes
    return Dtype::UInt8;
  case 8:
    return isUnsigned ? Dtype::UInt8 : Dtype::Int8;
  case 16:
    return isUnsigned ? Dtype::UInt16 : Dtype::Int16;
  case 32:
    return isUnsigned ? Dtype::UInt32 : Dtype::Int32;
  case 64:
    return isUnsigned ? Dtype::UInt64 : Dtype::Int64;
  default:
    return std::nullopt;
  }
}

unsigned ascendc::elementBits(Type element) {
  Type type = candidateTypes(element).front();
  return type.getIntOrFloatBitWidth();
}

std::string ascendc::cppSpelling(Type type) {
  if (auto param = dyn_cast<TypeParamType>(type))
    return param.getName().str();
  std::optional<targets::Dtype> dtype = toDtype(type);
  return dtype ? targets::spelling(*dtype) : std::string();
}

std::string ascendc::upperCase(StringRef text) { return text.upper(); }

SmallVector<const targets::Family *> ascendc::familiesAround(Operation *op) {
  auto program = op->getParentOfType<ProgramOp>();
  if (!program)
    return {};
  return program.getFamilyTables();
}
