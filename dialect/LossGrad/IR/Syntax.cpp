//===- Syntax.cpp - Shared parsing and printing of ops --------------------===//
//
// The pieces that Syntax.h declares. Nothing here knows a particular op.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace lossgrad::detail {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

ParseResult parseName(AsmParser &parser, StringAttr &name, bool *isPack) {
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&text))
    return failure();
  StringRef word = text;
  bool pack = word.consume_back("...");
  if (pack && !isPack)
    return parser.emitError(loc) << "'" << text << "': the dots of a pack are "
                                 << "written only where it is declared";
  if (isPack)
    *isPack = pack;
  if (word.empty())
    return parser.emitError(loc, "expected a name");
  name = StringAttr::get(parser.getContext(), word);
  return success();
}

void printName(AsmPrinter &printer, StringRef name) {
  printer.printKeywordOrString(name);
}

ParseResult parseNameList(AsmParser &parser,
                          SmallVectorImpl<StringAttr> &names) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseName(parser, names.emplace_back());
  });
}

void printNameList(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  printer << '[';
  llvm::interleaveComma(names, printer.getStream(), [&](StringAttr name) {
    printName(printer, name.getValue());
  });
  printer << ']';
}

ParseResult parseNameArray(AsmParser &parser, ArrayAttr &names) {
  SmallVector<StringAttr> list;
  if (parseNameList(parser, list))
    return failure();
  names = ArrayAttr::get(parser.getContext(),
                         SmallVector<Attribute>(list.begin(), list.end()));
  return success();
}

void printNameArray(AsmPrinter &printer, ArrayAttr names) {
  printNameList(printer, llvm::to_vector(names.getAsRange<StringAttr>()));
}

//===----------------------------------------------------------------------===//
// Kinds, dtypes, types
//===----------------------------------------------------------------------===//

ParseResult parseKind(AsmParser &parser, Kind &kind) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Kind> parsed = symbolizeKind(keyword);
  if (!parsed)
    return parser.emitError(loc)
           << "unknown kind '" << keyword
           << "'; expected real, int, bool, string, dtype or shape";
  kind = *parsed;
  return success();
}

ParseResult parseDType(AsmParser &parser, DType &dtype) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<DType> parsed = symbolizeDType(keyword);
  if (!parsed)
    return parser.emitError(loc)
           << "unknown dtype '" << keyword
           << "'; expected float32, float16, bfloat16, int64, ...";
  dtype = *parsed;
  return success();
}

ParseResult parseShortType(AsmParser &parser, Type &type) {
  SmallVector<StringAttr> dims;
  Kind kind = Kind::Real;
  SMLoc loc = parser.getCurrentLocation();
  if (parseNameList(parser, dims) || parseKind(parser, kind))
    return failure();
  type = ValueType::getChecked([&] { return parser.emitError(loc); },
                               parser.getContext(), ArrayRef(dims), kind);
  return success(bool(type));
}

void printShortType(AsmPrinter &printer, Type type) {
  // Invalid IR is printed in generic form, but a type may also be printed for
  // a message before anything was verified.
  auto value = dyn_cast<ValueType>(type);
  if (!value) {
    printer << type;
    return;
  }
  printNameList(printer, value.getDims());
  printer << ' ' << stringifyKind(value.getKind());
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

/// The shortest decimal that reads back as the same double, recognisable as a
/// real by a point or exponent.
static void printReal(AsmPrinter &printer, double value) {
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    llvm::raw_string_ostream(text = "") << llvm::format("%.*g", digits, value);
    double back;
    if (!StringRef(text).getAsDouble(back) && back == value)
      break;
  }
  // The lexer wants digits, a point and digits before an exponent.
  if (!StringRef(text).contains('.')) {
    size_t exponent = text.find('e');
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  printer << text;
}

ParseResult parseLiteral(AsmParser &parser, Attribute &literal) {
  MLIRContext *context = parser.getContext();
  Type f64 = Float64Type::get(context);
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(
          &keyword, {"inf", "minus_inf", "nan", "dtype"}))) {
    if (keyword == "dtype") {
      DType dtype = DType::Undefined;
      if (parseDType(parser, dtype))
        return failure();
      literal = DTypeAttr::get(context, dtype);
      return success();
    }
    double value = keyword == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                    : std::numeric_limits<double>::infinity();
    literal = FloatAttr::get(f64, keyword == "minus_inf" ? -value : value);
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAttribute(literal))
    return failure();
  if (!getKindOfLiteral(literal))
    return parser.emitError(loc)
           << "expected a real (1.0), an int (1), a bool, a string or a dtype, "
              "found "
           << literal;
  return success();
}

void printLiteral(AsmPrinter &printer, Attribute literal) {
  if (auto dtype = dyn_cast<DTypeAttr>(literal)) {
    printer << "dtype " << stringifyDType(dtype.getValue());
    return;
  }
  auto real = dyn_cast<FloatAttr>(literal);
  if (!real || !real.getType().isF64()) {
    printer.printAttributeWithoutType(literal);
    return;
  }
  double value = real.getValueAsDouble();
  if (std::isnan(value))
    printer << "nan";
  else if (std::isinf(value))
    printer << (value < 0 ? "minus_inf" : "inf");
  else
    printReal(printer, value);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void keepResultName(OpAsmParser &parser, OperationState &state) {
  if (parser.getNumResults() != 1)
    return;
  StringRef name = parser.getResultName(0).first;
  if (name.empty() || llvm::isDigit(name.front()))
    return;
  state.location =
      NameLoc::get(StringAttr::get(parser.getContext(), name), state.location);
}

void nameFromLocation(Operation *op, OpAsmSetValueNameFn setName) {
  StringRef name = getValueName(op->getResult(0));
  if (!name.empty())
    setName(op->getResult(0), name);
}

bool sameUpToOrder(TypeRange lhs, TypeRange rhs) {
  return llvm::all_of_zip(lhs, rhs, [](Type l, Type r) {
    auto left = dyn_cast<ValueType>(l), right = dyn_cast<ValueType>(r);
    return left && right && left.getKind() == right.getKind() &&
           left.getDims().size() == right.getDims().size() &&
           llvm::all_of(left.getDims(),
                        [&](StringAttr dim) { return right.hasDim(dim); });
  });
}

/// Infers the result type from what the state holds so far.
static LogicalResult inferResult(OperationState &state, Type &type) {
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (failed(inference->inferReturnTypes(
          state.getContext(), state.location, state.operands,
          state.attributes.getDictionary(state.getContext()),
          state.getRawProperties(), state.regions, types)))
    return failure();
  type = types.front();
  return success();
}

ParseResult
parseTypesAndInfer(OpAsmParser &parser, OperationState &state,
                   ArrayRef<OpAsmParser::UnresolvedOperand> operands) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type, 3> types;
  Type result;
  keepResultName(parser, state);
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseCommaSeparatedList(
          [&] { return parseShortType(parser, types.emplace_back()); }))
    return failure();
  if (types.size() == 1)
    types.resize(operands.size(), types.front());
  if (parser.resolveOperands(operands, types, loc, state.operands))
    return failure();
  if (succeeded(parser.parseOptionalArrow()))
    return failure(parseShortType(parser, result) ||
                   parser.addTypeToList(result, state.types));
  if (failed(inferResult(state, result)))
    return failure();
  return parser.addTypeToList(result, state.types);
}

void printTypes(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  TypeRange types = op->getOperandTypes();
  if (llvm::all_equal(types))
    types = types.take_front();
  llvm::interleaveComma(types, printer.getStream(),
                        [&](Type type) { printShortType(printer, type); });
  // The parser infers without knowing the order of declaration: dims in order
  // of appearance, those the op adds at the end (see resultDims).
  auto actual = cast<ValueType>(op->getResult(0).getType());
  SmallVector<StringAttr> inOrder = llvm::filter_to_vector(
      unionOfDims(op->getOperandTypes()),
      [&](StringAttr dim) { return actual.hasDim(dim); });
  for (StringAttr dim : actual.getDims())
    if (!llvm::is_contained(inOrder, dim))
      inOrder.push_back(dim);
  if (actual.getDims() != ArrayRef(inOrder)) {
    printer << " -> ";
    printShortType(printer, actual);
  }
}

void printElementwise(OpAsmPrinter &printer, Operation *op) {
  printer << ' ';
  printer.printOperands(op->getOperands());
  printTypes(printer, op);
}

ParseResult parseEndAndInfer(OpAsmParser &parser, OperationState &state) {
  Type result;
  keepResultName(parser, state);
  if (parser.parseOptionalAttrDict(state.attributes) ||
      failed(inferResult(state, result)))
    return failure();
  return parser.addTypeToList(result, state.types);
}

void printEnd(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
}

ParseResult resolveScalars(OpAsmParser &parser, OperationState &state,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                           Kind kind) {
  return parser.resolveOperands(
      operands, ValueType::get(parser.getContext(), kind), state.operands);
}

ParseResult parseOperands(OpAsmParser &parser, UnresolvedOperands &operands,
                          unsigned count) {
  // Not parseOperandList: it would take the comma before what follows.
  for (unsigned i = 0; i < count; ++i)
    if ((i > 0 && parser.parseComma()) ||
        parser.parseOperand(operands.emplace_back()))
      return failure();
  return success();
}

ParseResult parseCastImpl(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  Kind kind = Kind::Real;
  keepResultName(parser, state);
  if (parser.parseOperand(operand) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parseShortType(parser, type) || parser.parseKeyword("to") ||
      parseKind(parser, kind) ||
      parser.resolveOperand(operand, type, state.operands))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Type result = ValueType::getChecked([&] { return parser.emitError(loc); },
                                      parser.getContext(),
                                      cast<ValueType>(type).getDims(), kind);
  return failure(!result || parser.addTypeToList(result, state.types));
}

void printCast(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperand(0);
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  printShortType(printer, op->getOperand(0).getType());
  printer << " to "
          << stringifyKind(
                 cast<ValueType>(op->getResult(0).getType()).getKind());
}

ParseResult parseReduceStart(OpAsmParser &parser, ReduceKindAttr &kind,
                             UnresolvedOperands &operands) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<ReduceKind> parsed = symbolizeReduceKind(keyword);
  if (!parsed)
    return parser.emitError(loc)
           << "unknown reduction '" << keyword << "'; expected sum, max or min";
  kind = ReduceKindAttr::get(parser.getContext(), *parsed);
  return parser.parseOperand(operands.emplace_back());
}

ParseResult parseDTypeArray(OpAsmParser &parser, ArrayAttr &dtypes) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        DType dtype = DType::Undefined;
        if (parseDType(parser, dtype))
          return failure();
        list.push_back(DTypeAttr::get(parser.getContext(), dtype));
        return success();
      }))
    return failure();
  dtypes = ArrayAttr::get(parser.getContext(), list);
  return success();
}

void printDTypeArray(OpAsmPrinter &printer, ArrayAttr dtypes) {
  printer << '[';
  llvm::interleaveComma(
      dtypes.getAsRange<DTypeAttr>(), printer.getStream(),
      [&](DTypeAttr dtype) { printer << stringifyDType(dtype.getValue()); });
  printer << ']';
}

ParseResult parseScalarBinary(OpAsmParser &parser, OperationState &state,
                              Kind kind) {
  UnresolvedOperands operands;
  if (parseOperands(parser, operands, 2) ||
      resolveScalars(parser, state, operands, kind))
    return failure();
  return parseEndAndInfer(parser, state);
}

void printScalarBinary(OpAsmPrinter &printer, Operation *op) {
  printer << ' ';
  printer.printOperands(op->getOperands());
  printEnd(printer, op);
}

} // namespace lossgrad::detail
