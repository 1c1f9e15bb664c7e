//===- ByTypeOps.cpp - what depends on a kernel's type parameter ----------===//
//
// Text form and rules of ascendc.by_type and of what stands in its cases.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

/// A case without results.
void GiveOp::build(OpBuilder &, OperationState &) {}

/// `[f16, bf16]`
static ParseResult parseTypes(OpAsmParser &parser, Attribute &list) {
  SmallVector<Attribute> types;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        Type type;
        if (parser.parseType(type))
          return failure();
        types.push_back(TypeAttr::get(type));
        return success();
      }))
    return failure();
  list = ArrayAttr::get(parser.getContext(), types);
  return success();
}

ParseResult ByTypeOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Type param;
  if (parser.parseType(param))
    return failure();
  properties.param = TypeAttr::get(param);
  if (succeeded(parser.parseOptionalKeyword("names")) &&
      parser.parseAttribute(properties.names))
    return failure();
  SmallVector<Attribute> cases;
  while (succeeded(parser.parseOptionalKeyword("case"))) {
    Region *body = state.addRegion();
    if (parseTypes(parser, cases.emplace_back()) || parser.parseRegion(*body))
      return failure();
    ensureTerminator(*body, parser.getBuilder(), state.location);
  }
  properties.cases = parser.getBuilder().getArrayAttr(cases);
  if (succeeded(parser.parseOptionalArrow()) &&
      parser.parseTypeList(state.types))
    return failure();
  return parser.parseOptionalAttrDictWithKeyword(state.attributes);
}

void ByTypeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getParam();
  if (!getNames().empty())
    printer << " names " << getNames();
  for (auto [types, body] :
       llvm::zip_equal(getCases().getAsRange<ArrayAttr>(), getBodies())) {
    printer << " case ";
    printer.printStrippedAttrOrType(types);
    printer << ' ';
    printer.printRegion(body, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/getNumResults() != 0);
  }
  if (getNumResults() != 0)
    printer << " -> " << getResultTypes();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
}

LogicalResult ByTypeOp::verify() {
  auto param = dyn_cast<TypeParamType>(getParam());
  if (!param)
    return emitOpError() << "needs a template parameter, found " << getParam();
  if (getCases().size() != getBodies().size())
    return emitOpError() << "has " << getCases().size() << " lists of types for "
                         << getBodies().size() << " cases";
  llvm::SmallPtrSet<const void *, 4> seen;
  for (ArrayAttr types : getCases().getAsRange<ArrayAttr>()) {
    if (types.empty())
      return emitOpError("has a case without types");
    for (TypeAttr type : types.getAsRange<TypeAttr>()) {
      if (!llvm::is_contained(param.getCandidates(), type.getValue()))
        return emitOpError() << "has a case for " << type.getValue()
                             << ", which is not a candidate of " << param;
      if (!seen.insert(type.getAsOpaquePointer()).second)
        return emitOpError()
               << "has two cases for " << type.getValue();
    }
  }
  if (getNumResults() != getNames().size())
    return emitOpError() << "has " << getNames().size() << " names for "
                         << getNumResults() << " results";
  if (getNumResults() != 0 && seen.size() != param.getCandidates().size())
    return emitOpError("has results but no case for some candidate");
  for (Region &body : getBodies()) {
    auto give = cast<GiveOp>(body.front().getTerminator());
    if (give.getValues().getTypes() != getResultTypes())
      return give.emitOpError() << "gives (" << give.getValues().getTypes()
                                << "), expected (" << getResultTypes() << ")";
  }
  return success();
}

/// The element type of a tensor; null for anything else.
static Type elementOf(Type type) {
  if (auto local = dyn_cast<LocalTensorType>(type))
    return local.getElementType();
  auto global = dyn_cast<GlobalTensorType>(type);
  return global ? global.getElementType() : Type();
}

LogicalResult InstanceOp::verify() {
  Type from = elementOf(getValue().getType()),
       to = elementOf(getResult().getType());
  bool isLocal = isa<LocalTensorType>(getValue().getType());
  if (!from || !to || isLocal != isa<LocalTensorType>(getResult().getType()))
    return emitOpError("is of tensors in the same memory");
  auto around = (*this)->getParentOfType<ByTypeOp>();
  if (!around)
    return emitOpError("stands outside of a case");
  auto param = dyn_cast<TypeParamType>(from);
  if (from == to || (param && llvm::all_of(candidateTypes(to), [&](Type type) {
                       return llvm::is_contained(param.getCandidates(), type);
                     })))
    return success();
  // The other way round: what the case knows becomes the parameter again.
  param = dyn_cast<TypeParamType>(to);
  if (param && llvm::all_of(candidateTypes(from), [&](Type type) {
        return llvm::is_contained(param.getCandidates(), type);
      }))
    return success();
  return emitOpError() << "takes " << from << " for " << to
                       << ", which is no candidate of it";
}
