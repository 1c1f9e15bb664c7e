//===- Syntax.h - Shared parsing and printing of ops ------------*- C++ -*-===//
//
// The few textual forms that all ops of the dialect share. Parsing is by hand
// and not by assemblyFormat for two reasons: types are written short ([n]
// real), and the name of a result (%rowSum) is kept as the name of its
// location, so that names survive every tool.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_SYNTAX_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_SYNTAX_H

#include "dialect/LossGrad/IR/LossGrad.h"

namespace lossgrad::detail {
using namespace mlir;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// A name, quoted if it is not a plain word. A trailing `...` is reported
/// through `isPack` and refused where that is null.
ParseResult parseName(AsmParser &parser, StringAttr &name,
                      bool *isPack = nullptr);
void printName(AsmPrinter &printer, StringRef name);
/// `[a, b, c]`
ParseResult parseNameList(AsmParser &parser,
                          SmallVectorImpl<StringAttr> &names);
void printNameList(AsmPrinter &printer, ArrayRef<StringAttr> names);
ParseResult parseNameArray(AsmParser &parser, ArrayAttr &names);
void printNameArray(AsmPrinter &printer, ArrayAttr names);

/// `real`, `int`, ...
ParseResult parseKind(AsmParser &parser, Kind &kind);
/// `[n, c] real`
ParseResult parseShortType(AsmParser &parser, Type &type);
void printShortType(AsmPrinter &printer, Type type);

/// A literal: `1.5`, `inf`, `minus_inf`, `nan`, `-100`, `true`, `"mean"`,
/// `dtype float32`.
ParseResult parseLiteral(AsmParser &parser, Attribute &literal);
void printLiteral(AsmPrinter &printer, Attribute literal);

ParseResult parseDType(AsmParser &parser, DType &dtype);

/// A dim or parameter declaration as it stands in an operator. Their parse
/// methods accept both this and the generic form's angle brackets.
void printBare(AsmPrinter &printer, Attribute attribute);

/// `(%x: [b] real, %y: [] real) { ... }`. The name of an argument becomes the
/// name of its location.
ParseResult parseNamedBody(OpAsmParser &parser, Region &region);
void printNamedBody(OpAsmPrinter &printer, Region &region);
void nameArguments(Region &region, OpAsmSetValueNameFn setName);

/// `keyword [a, b]`, left out where the list is empty.
ParseResult parseOptionalNames(OpAsmParser &parser, StringRef keyword,
                               ArrayAttr &names);
void printOptionalNames(OpAsmPrinter &printer, StringRef keyword,
                        ArrayAttr names);

/// Makes the textual name of the op's only result the name of its location.
void keepResultName(OpAsmParser &parser, OperationState &state);
void nameFromLocation(Operation *op, OpAsmSetValueNameFn setName);

/// Same kinds and the same dims, in any order.
bool sameUpToOrder(TypeRange lhs, TypeRange rhs);

//===----------------------------------------------------------------------===//
// Halves of an op: operands with types, and the inferred result
//===----------------------------------------------------------------------===//

using UnresolvedOperands = SmallVector<OpAsmParser::UnresolvedOperand, 3>;

/// `{attrs} : types [-> type]` after the operands; resolves and infers.
ParseResult
parseTypesAndInfer(OpAsmParser &parser, OperationState &state,
                   ArrayRef<OpAsmParser::UnresolvedOperand> operands);
void printTypes(OpAsmPrinter &printer, Operation *op);

/// `{attrs}`, then the result type is inferred. For ops without typed operands.
ParseResult parseEndAndInfer(OpAsmParser &parser, OperationState &state);
void printEnd(OpAsmPrinter &printer, Operation *op);

/// Resolves operands of a fixed scalar kind.
ParseResult resolveScalars(OpAsmParser &parser, OperationState &state,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                           Kind kind);

ParseResult parseOperands(OpAsmParser &parser, UnresolvedOperands &operands,
                          unsigned count);

//===----------------------------------------------------------------------===//
// Whole ops. The template parameter gives access to the op's properties.
//===----------------------------------------------------------------------===//

template <typename OpTy> auto &props(OperationState &state) {
  return state.getOrAddProperties<typename OpTy::Properties>();
}

/// `add %a, %b : [n, c] real, [n] real`
template <typename OpTy>
ParseResult parseElementwise(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands;
  if (parser.parseOperandList(operands))
    return failure();
  return parseTypesAndInfer(parser, state, operands);
}
void printElementwise(OpAsmPrinter &printer, Operation *op);

/// `compare lt %a, %b : [n] real`
template <typename OpTy>
ParseResult parseCompare(OpAsmParser &parser, OperationState &state) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Predicate> predicate = symbolizePredicate(keyword);
  if (!predicate)
    return parser.emitError(loc) << "unknown comparison '" << keyword
                                 << "'; expected eq, ne, lt, le, gt or ge";
  props<OpTy>(state).predicate =
      PredicateAttr::get(parser.getContext(), *predicate);
  return parseElementwise<OpTy>(parser, state);
}
template <typename OpTy> void printCompare(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << stringifyPredicate(op.getPredicate());
  printElementwise(printer, op);
}

/// `cast %x : [n] bool to real`
ParseResult parseCastImpl(OpAsmParser &parser, OperationState &state);
template <typename OpTy>
ParseResult parseCast(OpAsmParser &parser, OperationState &state) {
  return parseCastImpl(parser, state);
}
void printCast(OpAsmPrinter &printer, Operation *op);

/// `constant 1.0`
template <typename OpTy>
ParseResult parseConstant(OpAsmParser &parser, OperationState &state) {
  if (parseLiteral(parser, props<OpTy>(state).value))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printConstant(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printLiteral(printer, op.getValue());
  printEnd(printer, op);
}

/// `numel self`
template <typename OpTy>
ParseResult parseQuery(OpAsmParser &parser, OperationState &state) {
  if (parseName(parser, props<OpTy>(state).name))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printQuery(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printName(printer, op.getName());
  printEnd(printer, op);
}

/// `attribute beta : real`
template <typename OpTy>
ParseResult parseAttribute(OpAsmParser &parser, OperationState &state) {
  Kind kind = Kind::Real;
  if (parseName(parser, props<OpTy>(state).name) || parser.parseColon() ||
      parseKind(parser, kind))
    return failure();
  props<OpTy>(state).type =
      TypeAttr::get(ValueType::get(parser.getContext(), kind));
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printAttribute(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printName(printer, op.getName());
  printer << " : "
          << stringifyKind(cast<ValueType>(op.getResult().getType()).getKind());
  printEnd(printer, op);
}

/// `extent c`, `extent b at 0`
template <typename OpTy>
ParseResult parseExtent(OpAsmParser &parser, OperationState &state) {
  if (parseName(parser, props<OpTy>(state).name))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at"))) {
    int64_t axis = 0;
    if (parser.parseInteger(axis))
      return failure();
    props<OpTy>(state).axis = parser.getBuilder().getI64IntegerAttr(axis);
  }
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printExtent(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printName(printer, op.getName());
  if (std::optional<int64_t> axis = op.getAxis())
    printer << " at " << *axis;
  printEnd(printer, op);
}

/// `sum %x`, the common start of both reductions.
ParseResult parseReduceStart(OpAsmParser &parser, ReduceKindAttr &kind,
                             UnresolvedOperands &operands);

/// `reduce sum %x over [r] : [a, r] real`
template <typename OpTy>
ParseResult parseReduce(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands;
  auto &properties = props<OpTy>(state);
  if (parseReduceStart(parser, properties.reduceKind, operands) ||
      parser.parseKeyword("over") || parseNameArray(parser, properties.over))
    return failure();
  return parseTypesAndInfer(parser, state, operands);
}
template <typename OpTy> void printReduce(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << stringifyReduceKind(op.getReduceKind()) << ' '
          << op.getOperand() << " over ";
  printNameArray(printer, op.getOver());
  printTypes(printer, op);
}

/// `reduce_onto sum %x from b to v : [b] real`
template <typename OpTy>
ParseResult parseReduceOnto(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands;
  auto &properties = props<OpTy>(state);
  if (parseReduceStart(parser, properties.reduceKind, operands) ||
      parser.parseKeyword("from") || parseName(parser, properties.from) ||
      parser.parseKeyword("to") || parseName(parser, properties.to))
    return failure();
  return parseTypesAndInfer(parser, state, operands);
}
template <typename OpTy> void printReduceOnto(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << stringifyReduceKind(op.getReduceKind()) << ' '
          << op.getOperand() << " from ";
  printName(printer, op.getFrom());
  printer << " to ";
  printName(printer, op.getTo());
  printTypes(printer, op);
}

/// `gather %table[%index] over c else %zero : [c] real, [n] int, [] real`
template <typename OpTy>
ParseResult parseGather(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands(3);
  if (parser.parseOperand(operands[0]) || parser.parseLSquare() ||
      parser.parseOperand(operands[1]) || parser.parseRSquare() ||
      parser.parseKeyword("over") ||
      parseName(parser, props<OpTy>(state).over) ||
      parser.parseKeyword("else") || parser.parseOperand(operands[2]))
    return failure();
  return parseTypesAndInfer(parser, state, operands);
}
template <typename OpTy> void printGather(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << op.getTable() << '[' << op.getIndex() << "] over ";
  printName(printer, op.getOver());
  printer << " else " << op.getOtherwise();
  printTypes(printer, op);
}

/// `onehot %index over c : [n] int`
template <typename OpTy>
ParseResult parseOneHot(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands(1);
  if (parser.parseOperand(operands[0]) || parser.parseKeyword("over") ||
      parseName(parser, props<OpTy>(state).over))
    return failure();
  return parseTypesAndInfer(parser, state, operands);
}
template <typename OpTy> void printOneHot(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << op.getIndex() << " over ";
  printName(printer, op.getOver());
  printTypes(printer, op);
}

/// `dtype_in %d, [float32, float16]`
ParseResult parseDTypeArray(OpAsmParser &parser, ArrayAttr &dtypes);
void printDTypeArray(OpAsmPrinter &printer, ArrayAttr dtypes);
template <typename OpTy>
ParseResult parseDTypeIn(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands;
  if (parseOperands(parser, operands, 1) || parser.parseComma() ||
      parseDTypeArray(parser, props<OpTy>(state).dtypes) ||
      resolveScalars(parser, state, operands, Kind::DType))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printDTypeIn(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << op.getOperand() << ", ";
  printDTypeArray(printer, op.getDtypes());
  printEnd(printer, op);
}

/// `same_or_apart out, self`
template <typename OpTy>
ParseResult parsePair(OpAsmParser &parser, OperationState &state) {
  if (parseName(parser, props<OpTy>(state).name) || parser.parseComma() ||
      parseName(parser, props<OpTy>(state).other))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printPair(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printName(printer, op.getName());
  printer << ", ";
  printName(printer, op.getOther());
  printEnd(printer, op);
}

/// `dtype_declared %d for self`
template <typename OpTy>
ParseResult parseDTypeDeclared(OpAsmParser &parser, OperationState &state) {
  UnresolvedOperands operands;
  if (parseOperands(parser, operands, 1) || parser.parseKeyword("for") ||
      parseName(parser, props<OpTy>(state).name) ||
      resolveScalars(parser, state, operands, Kind::DType))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy>
void printDTypeDeclared(OpAsmPrinter &printer, OpTy op) {
  printer << ' ' << op.getOperand() << " for ";
  printName(printer, op.getName());
  printEnd(printer, op);
}

/// `dtype_promote %a, %b`, `shape_broadcast %a, %b`
ParseResult parseScalarBinary(OpAsmParser &parser, OperationState &state,
                              Kind kind);
void printScalarBinary(OpAsmPrinter &printer, Operation *op);
template <typename OpTy>
ParseResult parseDTypeBinary(OpAsmParser &parser, OperationState &state) {
  return parseScalarBinary(parser, state, Kind::DType);
}
inline void printDTypeBinary(OpAsmPrinter &printer, Operation *op) {
  printScalarBinary(printer, op);
}
template <typename OpTy>
ParseResult parseShapeBinary(OpAsmParser &parser, OperationState &state) {
  return parseScalarBinary(parser, state, Kind::Shape);
}
inline void printShapeBinary(OpAsmPrinter &printer, Operation *op) {
  printScalarBinary(printer, op);
}

/// `shape self`, `shape [n, c]`
template <typename OpTy>
ParseResult parseShape(OpAsmParser &parser, OperationState &state) {
  std::string name;
  if (succeeded(parser.parseOptionalKeywordOrString(&name)))
    props<OpTy>(state).name = parser.getBuilder().getStringAttr(name);
  else if (parseNameArray(parser, props<OpTy>(state).dims))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printShape(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  if (op.getNameAttr())
    printName(printer, op.getNameAttr().getValue());
  else
    printNameArray(printer, op.getDimsAttr());
  printEnd(printer, op);
}

/// `product_in [A2, A3]`
template <typename OpTy>
ParseResult parseProductIn(OpAsmParser &parser, OperationState &state) {
  if (parseNameArray(parser, props<OpTy>(state).products))
    return failure();
  return parseEndAndInfer(parser, state);
}
template <typename OpTy> void printProductIn(OpAsmPrinter &printer, OpTy op) {
  printer << ' ';
  printNameArray(printer, op.getProducts());
  printEnd(printer, op);
}

} // namespace lossgrad::detail

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_SYNTAX_H
