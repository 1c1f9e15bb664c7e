//===- CallOps.cpp - verifiers and arguments of single calls --------------===//
//
// What the ODS classes cannot say in one line: product rules of Cast and
// Compare, the parameter structs of the copies, buffers and their shapes.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

//===----------------------------------------------------------------------===//
// Vector calls
//===----------------------------------------------------------------------===//

/// The rounding modes of one conversion as text.
static std::string listModes(const targets::Family &family, targets::Dtype from,
                             targets::Dtype to) {
  SmallVector<std::string> names;
  for (uint32_t i = 0; i <= getMaxEnumValForRoundMode(); ++i)
    if (family.casts(from, to, static_cast<targets::Round>(i)))
      names.push_back(stringifyRoundMode(static_cast<RoundMode>(i)).str());
  return llvm::join(names, ", ");
}

LogicalResult CastOp::verifyOnFamily(const targets::Family &family) {
  for (Type source : candidateTypes(getSrc().getType().getElementType())) {
    for (Type destination :
         candidateTypes(getDst().getType().getElementType())) {
      targets::Dtype from = *toDtype(source), to = *toDtype(destination);
      if (family.casts(from, to, static_cast<targets::Round>(getRound())))
        continue;
      std::string modes = listModes(family, from, to);
      InFlightDiagnostic error =
          emitOpError() << "Cast from " << targets::spelling(from) << " to "
                        << targets::spelling(to) << " on " << family.title;
      if (modes.empty())
        return error << " does not exist";
      return error << " has no rounding mode " << stringifyRoundMode(getRound())
                   << "; it has " << modes;
    }
  }
  return success();
}

StringRef CompareOp::getSupportRow() {
  // 32-bit integers can be tested for equality only.
  bool isInt = getSrc0().getType().getElementType().isInteger(32);
  return isInt && getMode() == CompareMode::EQ ? "CompareEqual" : "Compare";
}

bool BrcbOp::usesReservedUb() {
  // Built in software on products without the instruction.
  return llvm::any_of(familiesAround(*this), [](const targets::Family *family) {
    return !family->splitCores;
  });
}

LogicalResult BrcbOp::verify() {
  return detail::verifyStrides(*this, getStaticStrides().size(), 2);
}

LogicalResult CopyOp::verify() {
  return detail::verifyStrides(*this, getStaticStrides().size(), 4);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> BufferOp::getMixedShape() {
  return getMixedValues(getStaticShape(), getShape(), getContext());
}

LogicalResult BufferOp::verify() {
  for (Value extent : getShape())
    if (!extent.getDefiningOp<TilingFieldOp>())
      return emitOpError("has an extent that is neither a number nor a member "
                         "of the tiling data; the UB budget could not be "
                         "stated to the host");
  SmallVector<Type, 2> types = candidateTypes(getType().getElementType());
  for (Type type : types)
    if (elementBits(type) != elementBits(types.front()))
      return emitOpError() << "holds elements of " << types.front() << " or "
                           << type << ", which differ in width";
  return success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifySameElement(Op op) {
  Type local = op.getLocal().getType().getElementType();
  Type global = op.getGlobal().getType().getElementType();
  if (local == global)
    return success();
  return op.emitOpError() << "copies between element types " << global
                          << " and " << local << "; they must be equal";
}

LogicalResult DataCopyInOp::verify() { return verifySameElement(*this); }
LogicalResult DataCopyOutOp::verify() { return verifySameElement(*this); }
LogicalResult DataCopyPadInOp::verify() { return verifySameElement(*this); }
LogicalResult DataCopyPadOutOp::verify() { return verifySameElement(*this); }

void DataCopyInOp::getCallArguments(CallArguments &arguments) {
  arguments.value(getLocal()).at(getGlobal(), getOffset()).value(getCount());
}

void DataCopyOutOp::getCallArguments(CallArguments &arguments) {
  arguments.at(getGlobal(), getOffset()).value(getLocal()).value(getCount());
}

/// An optional value, or 0.
static void optional(CallArguments &fields, Value value, StringRef cppType) {
  if (value)
    fields.converted(value, cppType);
  else
    fields.integer(0);
}

/// DataCopyExtParams{rows, bytes, source gap, destination gap, 0}. The gap in
/// global memory is in bytes, the one in UB in blocks of 32 bytes.
template <typename Op> static CallArguments copyFields(Op op, bool toLocal) {
  CallArguments fields;
  if (op.getRows())
    fields.converted(op.getRows(), "uint16_t");
  else
    fields.integer(1);
  Type element = op.getLocal().getType().getElementType();
  fields.bytes(op.getLength(), element, "uint32_t");
  auto gmGap = [&] {
    if (op.getGmGap())
      fields.bytes(op.getGmGap(), element, "uint32_t");
    else
      fields.integer(0);
  };
  if (toLocal)
    gmGap();
  optional(fields, op.getUbGap(), "uint32_t");
  if (!toLocal)
    gmGap();
  fields.integer(0);
  return fields;
}

void DataCopyPadInOp::getCallArguments(CallArguments &arguments) {
  Type element = getLocal().getType().getElementType();
  arguments.value(getLocal()).at(getGlobal(), getOffset());
  arguments.braces("DataCopyExtParams", {}, copyFields(*this, true));
  CallArguments pad;
  if (getPad()) {
    pad.text("true").integer(0).converted(getPad(), "uint8_t");
    pad.scalar(getValue(), element);
  } else {
    pad.text("false").integer(0).integer(0).integer(0);
  }
  arguments.braces("DataCopyPadExtParams", element, std::move(pad));
}

void DataCopyPadOutOp::getCallArguments(CallArguments &arguments) {
  arguments.at(getGlobal(), getOffset()).value(getLocal());
  arguments.braces("DataCopyExtParams", {}, copyFields(*this, false));
}

/// Bytes need the number of their element type, and only they.
template <typename Op> static LogicalResult verifyDense(Op op) {
  Type element = op.getLocal().getType().getElementType();
  bool isBytes = llvm::any_of(candidateTypes(element), [](Type type) {
    return type.isUnsignedInteger(8);
  });
  if (isBytes == static_cast<bool>(op.getDtype()))
    return verifySameElement(op);
  return op.emitOpError() << (isBytes ? "moves bytes without the number of "
                                        "their element type"
                                      : "is given the number of an element "
                                        "type although the tensors have one");
}

LogicalResult LoadDenseOp::verify() { return verifyDense(*this); }
LogicalResult StoreDenseOp::verify() { return verifyDense(*this); }

LogicalResult ReadElementOp::verify() {
  if (getGlobal().getType().getElementType().isF32())
    return emitOpError("reads one f32, which the scalar unit reads itself; use "
                       "ascendc.global_get_value");
  return verifyDense(*this);
}

void LoadDenseOp::getCallArguments(CallArguments &arguments) {
  arguments.value(getLocal()).value(getGlobal());
  arguments.value(getOffset()).value(getCount());
  if (getDtype())
    arguments.value(getDtype());
}

void StoreDenseOp::getCallArguments(CallArguments &arguments) {
  arguments.value(getGlobal()).value(getLocal());
  arguments.value(getOffset()).value(getCount());
  if (getDtype())
    arguments.value(getDtype());
}

//===----------------------------------------------------------------------===//
// Scalar access
//===----------------------------------------------------------------------===//

/// 16-bit floats have no portable scalar arithmetic: cast them on the vector
/// unit first.
template <typename Op>
static LogicalResult verifyScalarAccess(Op op, Type scalar) {
  Type element = op.getTensor().getType().getElementType();
  bool fits = element.isF32()
                  ? scalar.isF32()
                  : isa<IntegerType>(element) && isa<IntegerType>(scalar);
  if (fits)
    return success();
  return op.emitOpError() << "accesses one " << element << " as " << scalar
                          << "; only f32 and integers have scalar access, "
                             "convert with Cast first";
}

LogicalResult GetValueOp::verify() {
  return verifyScalarAccess(*this, getResult().getType());
}
LogicalResult GlobalGetValueOp::verify() {
  return verifyScalarAccess(*this, getResult().getType());
}
LogicalResult SetValueOp::verify() {
  return verifyScalarAccess(*this, getValue().getType());
}
LogicalResult GlobalSetValueOp::verify() {
  return verifyScalarAccess(*this, getValue().getType());
}
