//===- ParameterTypes.cpp - What a parameter of a record holds ------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/ParameterTypes.h"
#include "codegen/Import/Texts.h"
#include "dialect/LossGrad/IR/Semantics.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Adds a row of a set, as far as it is for these products.
static LogicalResult addRow(const Record &row, const RecordSource &source,
                            ArrayRef<StringAttr> products, Location loc,
                            SmallVectorImpl<DTypeRowAttr> &rows) {
  Builder builder(source.getContext());
  RecordFields of(row, source);
  auto families = of.getDefs("families"), dtypes = of.getDefs("dtypes");
  if (failed(families) || failed(dtypes))
    return failure();
  SmallVector<DType> types;
  for (const Record *dtype : *dtypes) {
    std::optional<DType> type = symbolizeDType(dtype->getName().lower());
    if (!type || !getKindOf(*type))
      return emitError(loc)
             << "a tensor cannot have dtype " << dtype->getName();
    types.push_back(*type);
  }
  // A set may serve operators with different products.
  SmallVector<StringAttr> names;
  for (const Record *family : *families) {
    StringAttr name = builder.getStringAttr(family->getName());
    if (llvm::is_contained(products, name))
      names.push_back(name);
  }
  if (!names.empty())
    rows.push_back(DTypeRowAttr::get(builder.getContext(), types, names));
  return success();
}

FailureOr<SmallVector<DTypeRowAttr>>
lossgrad::readDtypes(const Record &set, const RecordSource &source,
                     StringRef param, ArrayRef<StringAttr> products,
                     Location loc, Kind &kind) {
  auto rowRecords = RecordFields(set, source).getDefs("rows");
  if (failed(rowRecords))
    return failure();
  SmallVector<DTypeRowAttr> rows;
  for (const Record *row : *rowRecords)
    if (failed(addRow(*row, source, products, loc, rows)))
      return failure();

  std::optional<Kind> common;
  for (DTypeRowAttr row : rows)
    for (DType dtype : row.getDtypes()) {
      std::optional<Kind> one = getKindOf(dtype);
      if (common && one != common) {
        emitError(loc) << "dtypes of '" << param << "' mix "
                       << stringifyKind(*common) << " and "
                       << stringifyKind(*one)
                       << "; a tensor holds values of one kind";
        return failure();
      }
      common = one;
    }
  for (StringAttr product : products) {
    bool has = llvm::any_of(rows, [&](DTypeRowAttr row) {
      return llvm::is_contained(row.getProducts(), product) &&
             !row.getDtypes().empty();
    });
    if (!has) {
      InFlightDiagnostic diagnostic = emitError(loc);
      diagnostic << "'" << param << "' has no dtypes on " << product.getValue()
                 << ", which the operator supports";
      diagnostic.attachNote(source.locate(set)) << "its dtype set is this one";
      return failure();
    }
  }
  kind = common.value_or(Kind::Real);
  return rows;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static std::optional<Kind> kindOfCType(StringRef cType) {
  return llvm::StringSwitch<std::optional<Kind>>(cType)
      .Case("int64_t", Kind::Int)
      .Cases({"float", "double"}, Kind::Real)
      .Case("bool", Kind::Bool)
      .Case("char *", Kind::String)
      .Default(std::nullopt);
}

static FailureOr<Attribute> readDefault(const Record &param,
                                        const RecordSource &source, Kind kind,
                                        ArrayRef<StringRef> choices,
                                        Location loc) {
  Builder builder(source.getContext());
  RecordFields of(param, source);
  FailureOr<StringRef> text = of.getString("defaultValue");
  if (failed(text))
    return failure();
  if (text->empty())
    return Attribute();
  int64_t number;
  double real;
  if (!choices.empty()) {
    const StringRef *it = llvm::find(choices, *text);
    if (it != choices.end())
      return kind == Kind::Int
                 ? Attribute(builder.getI64IntegerAttr(it - choices.begin()))
                 : Attribute(builder.getStringAttr(*text));
  } else if (kind == Kind::Int && !text->getAsInteger(10, number)) {
    return Attribute(builder.getI64IntegerAttr(number));
  } else if (kind == Kind::Real && !text->getAsDouble(real)) {
    return Attribute(builder.getF64FloatAttr(real));
  } else if (kind == Kind::Bool && (*text == "true" || *text == "false")) {
    return Attribute(builder.getBoolAttr(*text == "true"));
  } else if (kind == Kind::String) {
    return Attribute(builder.getStringAttr(*text));
  }
  emitError(loc) << "default value '" << *text << "' is not "
                 << (choices.empty() ? stringifyKind(kind)
                                     : "one of the choices");
  return failure();
}

FailureOr<ParamAttr> lossgrad::readAttribute(const Record &param,
                                             const RecordSource &source,
                                             StringRef name, Location loc) {
  Builder builder(source.getContext());
  RecordFields of(param, source);
  auto doc = of.getString("doc"), cType = of.getString("cType");
  auto choices = of.getStrings("choices");
  if (failed(doc) || failed(cType) || failed(choices))
    return failure();
  std::optional<Kind> kind = kindOfCType(*cType);
  if (!kind) {
    emitError(loc) << "attribute '" << name << "' has C type '" << *cType
                   << "'; expected int64_t, float, double, bool or "
                      "char *";
    return failure();
  }
  if (!choices->empty() && *kind != Kind::Int && *kind != Kind::String) {
    emitError(loc) << "attribute '" << name << "' has choices and C "
                   << "type '" << *cType << "'; expected int64_t or char *";
    return failure();
  }
  for (StringRef choice : *choices)
    if (failed(checkWord(choice, ("a choice of '" + name + "'").str(), loc)))
      return failure();
  FailureOr<Attribute> value = readDefault(param, source, *kind, *choices, loc);
  if (failed(value))
    return failure();
  SmallVector<StringAttr> choiceAttrs = llvm::map_to_vector(
      *choices, [&](StringRef text) { return builder.getStringAttr(text); });
  return ParamAttr::get(builder.getContext(), builder.getStringAttr(name),
                        Role::Attr, *kind, builder.getStringAttr(*cType),
                        nullptr, {}, *value, choiceAttrs,
                        builder.getStringAttr(*doc));
}
