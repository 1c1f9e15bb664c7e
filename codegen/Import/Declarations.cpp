//===- Declarations.cpp - Dims and parameters of a record -----------------===//
//
// Reads products, dims and parameters. Every message names the parameter or dim
// at its own place in the record. What a parameter holds is read by
// ParameterTypes.h.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Declarations.h"
#include "codegen/Import/ParameterTypes.h"
#include "codegen/Import/Texts.h"
#include "dialect/LossGrad/IR/Semantics.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

ParamAttr Declarations::findParam(StringRef name) const {
  for (ParamAttr param : params)
    if (param.getName() == name)
      return param;
  return {};
}

DimAttr Declarations::findDim(StringRef name) const {
  for (DimAttr dim : dims)
    if (dim.getName() == name)
      return dim;
  return {};
}

bool Declarations::isLet(StringRef name) const {
  return llvm::is_contained(lets, name);
}

Location Declarations::getPlace(StringRef name, Location otherwise) const {
  auto it = places.find(name);
  return it == places.end() ? otherwise : it->second;
}

namespace {
/// Reads one record. `ok` turns false with the first error.
class Reader {
public:
  Reader(const Record &record, const RecordSource &source)
      : record(record), source(source), fields(record, source),
        builder(source.getContext()) {}

  FailureOr<Declarations> read();

private:
  LogicalResult readProducts();
  LogicalResult readDim(const Record &dim);
  LogicalResult readParam(const Record &param);
  LogicalResult readLets();
  FailureOr<ParamAttr> readTensor(const Record &param, StringRef name);

  LogicalResult declare(StringRef name, StringRef what, Location loc);
  Location locateDim(const Record &dim, StringRef name) const {
    return source.locateElement(record, "dims", dim, quote(name));
  }
  Location locateParam(const Record &param, StringRef name) const {
    return source.locateElement(record, "params", param, quote(name));
  }
  static std::string quote(StringRef name) {
    return ("\"" + name + "\"").str();
  }
  LogicalResult checkNames();
  LogicalResult checkShapes();
  LogicalResult checkShape(ParamAttr param, Location loc);
  LogicalResult checkDimRefs(DimAttr dim, Location loc);
  FailureOr<ShapeAttr> readCondition(const Record &param, ParamAttr tensor,
                                     Location loc);

  const Record &record;
  const RecordSource &source;
  RecordFields fields;
  Builder builder;
  Declarations result;
  SmallVector<const Record *> paramRecords;
};
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult Reader::declare(StringRef name, StringRef what, Location loc) {
  if (!isIdentifier(name))
    return emitError(loc) << "'" << name << "' cannot name a " << what
                          << ": expected a C identifier";
  if (name == kWorkspaceSizeArg || name == kExecutorArg)
    return emitError(loc) << "'" << name << "' cannot name a " << what
                          << ": it belongs to every first-phase function";
  if (std::string why = whyNoName(name); !why.empty())
    return emitError(loc) << "'" << name << "' cannot name a " << what << ": "
                          << why;
  auto [it, isNew] = result.places.try_emplace(name, loc);
  if (isNew)
    return success();
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "'" << name << "' is declared twice";
  diagnostic.attachNote(it->second) << "first declared here";
  return diagnostic;
}

static InFlightDiagnostic unknown(Location loc, StringRef what, StringRef name,
                                  ArrayRef<StringRef> known) {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "'" << name << "' is not " << what;
  suggest(diagnostic, name, known);
  return diagnostic;
}

static SmallVector<StringRef> namesOf(ArrayRef<DimAttr> dims) {
  return llvm::map_to_vector(
      dims, [](DimAttr dim) { return dim.getName().getValue(); });
}

static SmallVector<StringRef>
namesOf(ArrayRef<ParamAttr> params, llvm::function_ref<bool(ParamAttr)> keep) {
  SmallVector<StringRef> names;
  for (ParamAttr param : params)
    if (keep(param))
      names.push_back(param.getName());
  return names;
}

//===----------------------------------------------------------------------===//
// Products and dims
//===----------------------------------------------------------------------===//

LogicalResult Reader::readProducts() {
  FailureOr<SmallVector<const Record *>> families = fields.getDefs("products");
  if (failed(families))
    return failure();
  if (families->empty())
    return fields.error("products") << "the operator supports no product";
  for (const Record *family : *families) {
    StringAttr name = builder.getStringAttr(family->getName());
    if (llvm::is_contained(result.products, name))
      return fields.error("products")
             << "product " << name.getValue() << " is listed twice";
    result.products.push_back(name);
  }
  return success();
}

LogicalResult Reader::readDim(const Record &dim) {
  RecordFields of(dim, source);
  FailureOr<StringRef> name = of.getString("name"), kind = of.getString("kind");
  FailureOr<SmallVector<StringRef>> refs = of.getStrings("refs");
  if (failed(name) || failed(kind) || failed(refs) ||
      failed(declare(*name, "dim", locateDim(dim, *name))))
    return failure();
  std::optional<DimKind> known = symbolizeDimKind(*kind);
  if (!known)
    return emitError(of.getLoc())
           << "dim '" << *name << "' has unknown kind '" << *kind << "'";
  SmallVector<StringAttr> attrs = llvm::map_to_vector(
      *refs, [&](StringRef ref) { return builder.getStringAttr(ref); });
  result.dims.push_back(DimAttr::get(
      builder.getContext(), builder.getStringAttr(*name), *known, attrs));
  return success();
}

LogicalResult Reader::checkDimRefs(DimAttr dim, Location loc) {
  auto isTensor = [](ParamAttr param) { return param.isInput(); };
  auto isAttribute = [](ParamAttr param) { return !param.isTensor(); };
  ArrayRef<StringAttr> refs = dim.getRefs();
  bool ok = true;
  auto expectTensor = [&](StringRef name) {
    ParamAttr param = result.findParam(name);
    if (param && isTensor(param))
      return;
    unknown(loc, "an input tensor", name, namesOf(result.params, isTensor));
    ok = false;
  };
  switch (dim.getKind()) {
  case DimKind::Axis:
  case DimKind::Pack:
    break;
  case DimKind::Broadcast:
    for (StringAttr ref : refs)
      expectTensor(ref);
    break;
  case DimKind::Split: {
    ParamAttr param = refs.empty() ? ParamAttr() : result.findParam(refs[0]);
    if (param && isAttribute(param) && param.getKind() == Kind::Int)
      break;
    return unknown(loc, "an int64_t attribute",
                   refs.empty() ? "" : refs[0].getValue(),
                   namesOf(result.params, isAttribute));
  }
  case DimKind::Part: {
    if (refs.size() != 2)
      return emitError(loc) << "a part names a broadcast pack and a tensor";
    DimAttr pack = result.findDim(refs[0]);
    if (!pack || pack.getKind() != DimKind::Broadcast)
      return unknown(loc, "a broadcast pack", refs[0], namesOf(result.dims));
    expectTensor(refs[1]);
    break;
  }
  }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<ParamAttr> Reader::readTensor(const Record &param, StringRef name) {
  RecordFields of(param, source);
  auto doc = of.getString("doc"), cType = of.getString("cType");
  auto inPlaceOf = of.getString("inPlaceOf");
  auto set = of.getDef("dtypes");
  auto shape = of.getStrings("shape");
  auto flat = of.getBit("flat"), output = of.getBit("output"),
       optional = of.getBit("optional"), unread = of.getBit("unread");
  if (failed(doc) || failed(cType) || failed(set) || failed(shape) ||
      failed(flat) || failed(output) || failed(optional) || failed(unread) ||
      failed(inPlaceOf))
    return failure();
  if (*unread)
    result.unread.insert(name);
  if (*cType != "const aclTensor *" && *cType != "aclTensor *") {
    emitError(locateParam(param, name))
        << "tensor '" << name << "' has C type '" << *cType
        << "'; expected const aclTensor * or aclTensor *";
    return failure();
  }
  Kind kind = Kind::Real;
  auto rows = readDtypes(**set, source, name, result.products,
                         locateParam(param, name), kind);
  if (failed(rows))
    return failure();
  SmallVector<StringAttr> dims = llvm::map_to_vector(
      *shape, [&](StringRef dim) { return builder.getStringAttr(dim); });
  Role role = *output ? Role::Out : *optional ? Role::Optional : Role::In;
  MLIRContext *context = builder.getContext();
  return ParamAttr::get(
      context, builder.getStringAttr(name), role, kind,
      builder.getStringAttr(*cType),
      ShapeAttr::get(context, dims, *flat, nullptr, nullptr, false), *rows,
      nullptr, {}, builder.getStringAttr(*doc),
      inPlaceOf->empty() ? nullptr : builder.getStringAttr(*inPlaceOf));
}

/// Reads `(is $attribute, "choice")`, maybe under `not`, into the shape.
FailureOr<ShapeAttr> Reader::readCondition(const Record &param,
                                           ParamAttr tensor, Location loc) {
  auto full = RecordFields(param, source).getDag("full");
  if (failed(full))
    return failure();
  ShapeAttr shape = tensor.getShape();
  auto operatorName = [](const llvm::DagInit *dag) -> StringRef {
    auto *def = llvm::dyn_cast<llvm::DefInit>(dag->getOperator());
    return def ? def->getDef()->getName() : StringRef();
  };
  const llvm::DagInit *dag = *full;
  if (operatorName(dag) == "always")
    return shape;
  bool negated = operatorName(dag) == "not" && dag->getNumArgs() == 1;
  if (negated)
    if (auto *inner = llvm::dyn_cast<llvm::DagInit>(dag->getArg(0)))
      dag = inner;
  auto *choice = dag->getNumArgs() == 2
                     ? llvm::dyn_cast<llvm::StringInit>(dag->getArg(1))
                     : nullptr;
  if (operatorName(dag) != "is" || !choice) {
    emitError(loc) << "condition of the shape of '"
                   << tensor.getName().getValue() << "' is "
                   << (*full)->getAsString()
                   << "; expected (is $attribute, \"choice\") or its not";
    return failure();
  }
  StringRef name = dag->getArgNameStr(0);
  if (auto *text = llvm::dyn_cast<llvm::StringInit>(dag->getArg(0)))
    name = text->getValue();
  ParamAttr attribute = result.findParam(name);
  if (!attribute || attribute.getChoices().empty()) {
    unknown(loc, "an attribute with choices", name,
            namesOf(result.params,
                    [](ParamAttr p) { return !p.getChoices().empty(); }));
    return failure();
  }
  StringAttr wanted = builder.getStringAttr(choice->getValue());
  auto *it = llvm::find(attribute.getChoices(), wanted);
  if (it == attribute.getChoices().end()) {
    emitError(loc) << "'" << choice->getValue() << "' is not a choice of '"
                   << name << "'";
    return failure();
  }
  Attribute value = wanted;
  if (attribute.getKind() == Kind::Int)
    value = builder.getI64IntegerAttr(it - attribute.getChoices().begin());
  return ShapeAttr::get(builder.getContext(), shape.getDims(), shape.getFlat(),
                        builder.getStringAttr(name), value, negated);
}

LogicalResult Reader::checkShape(ParamAttr param, Location loc) {
  ArrayRef<StringAttr> dims = param.getShape().getDims();
  int64_t last = -1;
  for (StringAttr dim : dims) {
    // Kernels walk the axes of a pack, which a flat tensor does not have.
    if (DimAttr known = result.findDim(dim);
        known && known.isPack() && param.getShape().getFlat())
      return emitError(loc)
             << "'" << param.getName().getValue() << "' is flat over the pack '"
             << dim.getValue()
             << "', which kernels cannot read; declare it with the axes of the "
                "pack (In), or over single axes";
    auto *it = llvm::find_if(
        result.dims, [&](DimAttr other) { return other.getName() == dim; });
    if (it == result.dims.end())
      return unknown(loc, "a dim", dim, namesOf(result.dims));
    int64_t index = it - result.dims.begin();
    if (index <= last)
      return emitError(loc) << "shape of '" << param.getName().getValue()
                            << "' names dim '" << dim.getValue() << "' "
                            << (index == last ? "twice" : "out of order")
                            << "; shapes follow the order of 'dims'";
    last = index;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

LogicalResult Reader::readParam(const Record &param) {
  RecordFields of(param, source);
  FailureOr<StringRef> name = of.getString("name");
  if (failed(name) ||
      failed(declare(*name, "parameter", locateParam(param, *name))))
    return failure();
  if (std::string why = whyNoNameBeside(
          *name, namesOf(result.params, [](ParamAttr) { return true; }));
      !why.empty())
    return emitError(locateParam(param, *name))
           << "'" << *name << "' cannot name a parameter " << why;
  FailureOr<ParamAttr> attr = failure();
  if (param.isSubClassOf("Tensor"))
    attr = readTensor(param, *name);
  else if (param.isSubClassOf("Attr"))
    attr = readAttribute(param, source, *name, locateParam(param, *name));
  else
    emitError(locateParam(param, *name))
        << "'" << *name
        << "' is neither a tensor (In, OptionalIn, Out) nor "
           "an attribute (Attr)";
  if (failed(attr) ||
      failed(checkProse(attr->getDoc(), ("the text of '" + *name + "'").str(),
                        locateParam(param, *name))))
    return failure();
  // The inner functions that the toolkit generates have outputs last.
  if (!result.params.empty() && attr->getRole() != Role::Out &&
      result.params.back().getRole() == Role::Out)
    return emitError(locateParam(param, *name))
           << "'" << *name << "' stands after the output '"
           << result.params.back().getName().getValue()
           << "'; outputs come last";
  result.params.push_back(*attr);
  paramRecords.push_back(&param);
  return success();
}

/// Everything of type dag that LossBackward does not have.
LogicalResult Reader::readLets() {
  const Record *base = record.getRecords().getClass("LossBackward");
  bool ok = true;
  for (const llvm::RecordVal &field : record.getValues()) {
    if (!llvm::isa<llvm::DagRecTy>(field.getType()) ||
        (base && base->getValue(field.getNameInit())) || field.isTemplateArg())
      continue;
    StringRef name = field.getName();
    Location loc = source.locateField(record, name);
    ok &= succeeded(declare(name, "result", loc));
    result.lets.push_back(name);
  }
  return success(ok);
}

/// Of parameters that are no outputs, beside those that are.
LogicalResult Reader::checkNames() {
  auto isOutput = [](ParamAttr param) { return param.getRole() == Role::Out; };
  SmallVector<StringRef> outputs = namesOf(result.params, isOutput);
  bool ok = true;
  for (auto [param, from] : llvm::zip_equal(result.params, paramRecords)) {
    if (isOutput(param))
      continue;
    StringRef name = param.getName();
    if (std::string why = whyNoInputName(name, outputs); !why.empty()) {
      emitError(locateParam(*from, name))
          << "'" << name << "' cannot name a parameter " << why;
      ok = false;
    }
  }
  return success(ok);
}

LogicalResult Reader::checkShapes() {
  bool ok = true;
  for (DimAttr dim : result.dims)
    ok &= succeeded(checkDimRefs(
        dim, result.getPlace(dim.getName(), source.locate(record))));
  for (auto [param, from] : llvm::zip_equal(result.params, paramRecords)) {
    if (!param.isTensor())
      continue;
    Location loc = locateParam(*from, param.getName());
    FailureOr<ShapeAttr> shape = readCondition(*from, param, loc);
    if (failed(shape) || failed(checkShape(param, loc))) {
      ok = false;
      continue;
    }
    param = ParamAttr::get(
        builder.getContext(), param.getName(), param.getRole(), param.getKind(),
        param.getCType(), *shape, param.getDtypes(), param.getDefaultValue(),
        param.getChoices(), param.getDoc(), param.getInPlaceOf());
  }
  return success(ok);
}

FailureOr<Declarations> Reader::read() {
  auto dims = fields.getDefs("dims"), params = fields.getDefs("params");
  if (failed(readProducts()) || failed(dims) || failed(params))
    return failure();
  bool ok = true;
  for (const Record *dim : *dims)
    ok &= succeeded(readDim(*dim));
  for (const Record *param : *params)
    ok &= succeeded(readParam(*param));
  ok &= succeeded(readLets());
  if (!ok || failed(checkNames()) || failed(checkShapes()))
    return failure();
  if (llvm::none_of(result.params, [](ParamAttr param) {
        return param.getRole() == Role::Out;
      }))
    return fields.error("params") << "the operator has no output";
  return std::move(result);
}

FailureOr<Declarations>
lossgrad::importDeclarations(const Record &record, const RecordSource &source) {
  return Reader(record, source).read();
}
