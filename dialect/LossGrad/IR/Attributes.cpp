//===- Attributes.cpp - Dims and parameters -------------------------------===//
//
// Text of the attributes that describe an operator's interface. The same text
// stands inside an operator and, behind `#lossgrad.param<...>` and so on, in
// the generic form.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::detail;

#define GET_ATTRDEF_CLASSES
#include "dialect/LossGrad/IR/LossGradAttrs.cpp.inc"

void LossGradDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/LossGrad/IR/LossGradAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DimAttr
//===----------------------------------------------------------------------===//

bool DimAttr::isPack() const {
  return getKind() != DimKind::Axis && getKind() != DimKind::Split;
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  StringAttr name, ref, source;
  SmallVector<StringAttr> refs;
  bool isPack;
  // In the generic form the text stands in angle brackets; an operator leaves
  // them out.
  bool bracketed = succeeded(parser.parseOptionalLess());
  if (parseName(parser, name, &isPack))
    return {};
  DimKind kind = isPack ? DimKind::Pack : DimKind::Axis;
  if (!isPack && succeeded(parser.parseOptionalKeyword("at"))) {
    kind = DimKind::Split;
    if (parseName(parser, refs.emplace_back()))
      return {};
  } else if (isPack && succeeded(parser.parseOptionalEqual())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parseName(parser, ref))
      return {};
    if (succeeded(parser.parseOptionalLParen())) {
      kind = DimKind::Broadcast;
      if (ref.getValue() != "broadcast")
        return parser.emitError(loc)
                   << "expected 'broadcast', found '" << ref.getValue() << "'",
               Attribute();
      if (parser.parseCommaSeparatedList(
              [&] { return parseName(parser, refs.emplace_back()); }) ||
          parser.parseRParen())
        return {};
    } else {
      kind = DimKind::Part;
      if (parser.parseKeyword("of") || parseName(parser, source))
        return {};
      refs = {ref, source};
    }
  }
  if (bracketed && parser.parseGreater())
    return {};
  return get(parser.getContext(), name, kind, refs);
}

static void printDim(AsmPrinter &printer, DimAttr dim) {
  auto printRef = [&](StringAttr ref) { printName(printer, ref.getValue()); };
  std::string name = dim.getName().str();
  printName(printer, dim.isPack() ? name + "..." : name);
  ArrayRef<StringAttr> refs = dim.getRefs();
  switch (dim.getKind()) {
  case DimKind::Axis:
  case DimKind::Pack:
    break;
  case DimKind::Broadcast:
    printer << " = broadcast(";
    llvm::interleaveComma(refs, printer.getStream(), printRef);
    printer << ')';
    break;
  case DimKind::Split:
    printer << " at ";
    llvm::interleaveComma(refs, printer.getStream(), printRef);
    break;
  case DimKind::Part:
    printer << " = ";
    llvm::interleave(refs, printer.getStream(), printRef, " of ");
    break;
  }
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ShapeAttr
//===----------------------------------------------------------------------===//

static ShapeAttr parseShapeText(AsmParser &parser) {
  SmallVector<StringAttr> dims;
  StringAttr name;
  Attribute value;
  bool negated = false;
  bool flat = succeeded(parser.parseOptionalKeyword("flat"));
  if (parseNameList(parser, dims))
    return {};
  return ShapeAttr::get(parser.getContext(), dims, flat, name, value, negated);
}

/// The condition stands after the kind: `[n] real if reduction is "none"`.
static ParseResult parseShapeCondition(AsmParser &parser, ShapeAttr &shape) {
  if (failed(parser.parseOptionalKeyword("if")))
    return success();
  StringAttr name;
  Attribute value;
  if (parseName(parser, name) || parser.parseKeyword("is"))
    return failure();
  bool negated = succeeded(parser.parseOptionalKeyword("not"));
  if (parseLiteral(parser, value))
    return failure();
  shape = ShapeAttr::get(parser.getContext(), shape.getDims(), shape.getFlat(),
                         name, value, negated);
  return success();
}

static void printShapeText(AsmPrinter &printer, ShapeAttr shape) {
  if (shape.getFlat())
    printer << "flat ";
  printNameList(printer, shape.getDims());
}

static void printShapeCondition(AsmPrinter &printer, ShapeAttr shape) {
  if (!shape.getConditionName() || !shape.getConditionValue())
    return;
  printer << " if ";
  printName(printer, shape.getConditionName().getValue());
  printer << (shape.getConditionNegated() ? " is not " : " is ");
  printLiteral(printer, shape.getConditionValue());
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  ShapeAttr shape;
  if (parser.parseLess() || !(shape = parseShapeText(parser)) ||
      parseShapeCondition(parser, shape) || parser.parseGreater())
    return {};
  return shape;
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printShapeText(printer, *this);
  printShapeCondition(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// DTypeRowAttr
//===----------------------------------------------------------------------===//

static DTypeRowAttr parseRowText(AsmParser &parser) {
  SmallVector<DType> dtypes;
  SmallVector<StringAttr> products;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseDType(parser, dtypes.emplace_back());
      }))
    return {};
  if (succeeded(parser.parseOptionalKeyword("on")) &&
      parseNameList(parser, products))
    return {};
  return DTypeRowAttr::get(parser.getContext(), dtypes, products);
}

static void printRowText(AsmPrinter &printer, DTypeRowAttr row) {
  printer << '[';
  llvm::interleaveComma(row.getDtypes(), printer.getStream(),
                        [&](DType dtype) { printer << stringifyDType(dtype); });
  printer << ']';
  if (!row.getProducts().empty()) {
    printer << " on ";
    printNameList(printer, row.getProducts());
  }
}

Attribute DTypeRowAttr::parse(AsmParser &parser, Type) {
  DTypeRowAttr row;
  if (parser.parseLess() || !(row = parseRowText(parser)) ||
      parser.parseGreater())
    return {};
  return row;
}

void DTypeRowAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printRowText(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ParamAttr
//===----------------------------------------------------------------------===//

ArrayRef<DType> ParamAttr::getDTypesOn(StringRef product) const {
  for (DTypeRowAttr row : getDtypes())
    if (row.getProducts().empty() ||
        llvm::any_of(row.getProducts(),
                     [&](StringAttr name) { return name == product; }))
      return row.getDtypes();
  return {};
}

static ParseResult parseParamOptions(AsmParser &parser,
                                     SmallVectorImpl<DTypeRowAttr> &rows,
                                     Attribute &defaultValue,
                                     SmallVectorImpl<StringAttr> &choices) {
  if (succeeded(parser.parseOptionalKeyword("dtypes")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
        return success(bool(rows.emplace_back(parseRowText(parser))));
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("default")) &&
      parseLiteral(parser, defaultValue))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("choices")))
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      std::string text;
      if (parser.parseString(&text))
        return failure();
      choices.push_back(StringAttr::get(parser.getContext(), text));
      return success();
    });
  return success();
}

Attribute ParamAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  StringAttr name;
  ShapeAttr shape;
  Kind kind = Kind::Real;
  std::string cType, doc;
  SmallVector<DTypeRowAttr> rows;
  Attribute defaultValue;
  SmallVector<StringAttr> choices;
  StringAttr inPlaceOf;
  MLIRContext *context = parser.getContext();

  bool bracketed = succeeded(parser.parseOptionalLess());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<Role> role = symbolizeRole(keyword);
  if (!role)
    return parser.emitError(loc) << "unknown role '" << keyword
                                 << "'; expected in, optional, out or attr",
           Attribute();
  if (parseName(parser, name) || parser.parseColon())
    return {};
  if (*role != Role::Attr && !(shape = parseShapeText(parser)))
    return {};
  if (parseKind(parser, kind) ||
      (shape && parseShapeCondition(parser, shape)) ||
      parser.parseString(&cType) ||
      (succeeded(parser.parseOptionalKeyword("in_place_of")) &&
       parseName(parser, inPlaceOf)) ||
      parseParamOptions(parser, rows, defaultValue, choices))
    return {};
  if (succeeded(parser.parseOptionalKeyword("doc")) && parser.parseString(&doc))
    return {};
  if (bracketed && parser.parseGreater())
    return {};
  return get(context, name, *role, kind, StringAttr::get(context, cType), shape,
             rows, defaultValue, choices, StringAttr::get(context, doc),
             inPlaceOf);
}

static void printParam(AsmPrinter &printer, ParamAttr param) {
  printer << stringifyRole(param.getRole()) << ' ';
  printName(printer, param.getName().getValue());
  printer << " : ";
  ShapeAttr shape = param.isTensor() ? param.getShape() : nullptr;
  if (shape) {
    printShapeText(printer, shape);
    printer << ' ';
  }
  printer << stringifyKind(param.getKind());
  if (shape)
    printShapeCondition(printer, shape);
  printer << ' ' << param.getCType();
  if (param.getInPlaceOf()) {
    printer << " in_place_of ";
    printName(printer, param.getInPlaceOf().getValue());
  }
  if (!param.getDtypes().empty()) {
    printer << " dtypes {";
    llvm::interleaveComma(
        param.getDtypes(), printer.getStream(),
        [&](DTypeRowAttr row) { printRowText(printer, row); });
    printer << '}';
  }
  if (param.getDefaultValue()) {
    printer << " default ";
    printLiteral(printer, param.getDefaultValue());
  }
  if (!param.getChoices().empty()) {
    printer << " choices [";
    llvm::interleaveComma(param.getChoices(), printer.getStream(),
                          [&](StringAttr choice) { printer << choice; });
    printer << ']';
  }
  if (!param.getDoc().empty())
    printer << " doc " << param.getDoc();
}

void ParamAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printParam(printer, *this);
  printer << '>';
}

void lossgrad::detail::printBare(AsmPrinter &printer, Attribute attribute) {
  if (auto dim = dyn_cast<DimAttr>(attribute))
    printDim(printer, dim);
  else
    printParam(printer, cast<ParamAttr>(attribute));
}
