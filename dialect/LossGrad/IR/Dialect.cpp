//===- Dialect.cpp - Registration, the value type, shared helpers ---------===//
//
// What the rest of the dialect stands on. Ops are in OperatorOp.cpp,
// BodyOps.cpp and ContractOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lossgrad;

#include "dialect/LossGrad/IR/LossGradDialect.cpp.inc"
#include "llvm/ADT/StringExtras.h"

#include "dialect/LossGrad/IR/LossGradEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/LossGrad/IR/LossGradTypes.cpp.inc"

void LossGradDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/LossGrad/IR/LossGradTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/LossGrad/IR/LossGradOps.cpp.inc"
      >();
}

Operation *LossGradDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  std::optional<Kind> kind = getKindOfLiteral(value);
  // A constant has no dims; a value with dims cannot be replaced by one.
  if (!kind || type != ValueType::get(builder.getContext(), *kind))
    return nullptr;
  return ConstantOp::create(builder, loc, type, value);
}

/// Ops of other dialects have three attributes of this one and no more: what a
/// pass is to find on an op of this dialect is an attribute of the op itself.
LogicalResult
LossGradDialect::verifyOperationAttribute(Operation *op,
                                          NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool isOfTiling = name == kTilingOperatorAttr || name == kTilingStructAttr;
  if (!isOfTiling && name != kFromForwardAttr)
    return op->emitOpError()
           << "has '" << name << "', which is no attribute of the dialect";
  if (isOfTiling) {
    if (isa<FunctionOpInterface>(op) &&
        isa<FlatSymbolRefAttr>(attribute.getValue()))
      return success();
    return op->emitOpError()
           << "has '" << name << "', which names a symbol on a function";
  }
  auto names = dyn_cast<ArrayAttr>(attribute.getValue());
  if (isa<ModuleOp>(op) && names &&
      llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitOpError() << "has '" << name
                           << "', which is a list of names on a module";
}

//===----------------------------------------------------------------------===//
// ValueType
//===----------------------------------------------------------------------===//

LogicalResult ValueType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> dims, Kind kind) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (llvm::is_contained(dims.take_front(i), dim))
      return emitError() << "dim '" << dim.getValue()
                         << "' appears twice in a value type";
  if (!isDataKind(kind) && !dims.empty())
    return emitError() << "a value of kind " << stringifyKind(kind)
                       << " has no dims; write [] " << stringifyKind(kind);
  return success();
}

Type ValueType::parse(AsmParser &parser) {
  SmallVector<StringAttr> dims;
  Kind kind = Kind::Real;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || detail::parseNameList(parser, dims) ||
      parser.parseComma() || detail::parseKind(parser, kind) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(dims), kind);
}

void ValueType::print(AsmPrinter &printer) const {
  printer << '<';
  detail::printNameList(printer, getDims());
  printer << ", " << stringifyKind(getKind()) << '>';
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

std::string lossgrad::toString(ValueType type) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(type.getDims(), os,
                        [&](StringAttr dim) { os << dim.getValue(); });
  os << "] " << stringifyKind(type.getKind());
  return text;
}

/// An op with several results has one location, which names all of them.
static ArrayAttr getResultNames(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  auto names =
      fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  bool isList = names && names.size() == op->getNumResults() &&
                llvm::all_of(names, llvm::IsaPred<StringAttr>);
  return isList ? names : ArrayAttr();
}

StringRef lossgrad::getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast_or_null<OperatorOp>(argument.getOwner()->getParentOp());
    if (!op) { // level 2: the location carries the name
      auto named = argument.getLoc()->findInstanceOf<NameLoc>();
      return named ? named.getName().getValue() : StringRef();
    }
    SmallVector<ParamAttr> inputs = op.getInputs();
    return argument.getArgNumber() < inputs.size()
               ? inputs[argument.getArgNumber()].getName().getValue()
               : StringRef();
  }
  if (auto names = getResultNames(value.getDefiningOp()))
    return cast<StringAttr>(names[cast<OpResult>(value).getResultNumber()]);
  auto named = value.getLoc()->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

void lossgrad::setResultNames(Operation *op, ArrayRef<std::string> names) {
  Builder builder(op->getContext());
  if (names.size() == 1) {
    if (!names[0].empty())
      op->setLoc(NameLoc::get(builder.getStringAttr(names[0]), op->getLoc()));
    return;
  }
  SmallVector<StringRef> texts(names.begin(), names.end());
  op->setLoc(FusedLoc::get({op->getLoc()}, builder.getStrArrayAttr(texts),
                           op->getContext()));
}

SmallVector<StringAttr> lossgrad::unionOfDims(TypeRange types, OperatorOp op) {
  llvm::SmallSetVector<StringAttr, 4> dims;
  for (Type type : types)
    if (auto value = dyn_cast<ValueType>(type))
      dims.insert_range(value.getDims());
  SmallVector<StringAttr> result(dims.begin(), dims.end());
  if (op)
    op.sortDims(result);
  return result;
}

std::optional<Kind> lossgrad::getKindOfLiteral(Attribute literal) {
  return llvm::TypeSwitch<Attribute, std::optional<Kind>>(literal)
      .Case([](BoolAttr) { return Kind::Bool; })
      .Case([](IntegerAttr value) -> std::optional<Kind> {
        return value.getType().isSignlessInteger(64) ? std::optional(Kind::Int)
                                                     : std::nullopt;
      })
      .Case([](FloatAttr value) -> std::optional<Kind> {
        return value.getType().isF64() ? std::optional(Kind::Real)
                                       : std::nullopt;
      })
      .Case([](StringAttr) { return Kind::String; })
      .Case([](DTypeAttr) { return Kind::DType; })
      .Default([](Attribute) { return std::nullopt; });
}
