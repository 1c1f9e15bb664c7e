//===- VerifyDeclarations.cpp - Do an operator's declarations fit? --------===//
//
// Dims, parameters and products of an operator, without its regions (see
// VerifyRegions.cpp). Messages say what is wrong, what was found, and what
// would be right.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Semantics.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class DeclarationVerifier {
public:
  explicit DeclarationVerifier(OperatorOp op) : op(op) {}

  LogicalResult run();

private:
  LogicalResult declareNames();
  LogicalResult declare(StringRef name, StringRef what);
  LogicalResult verifyDim(DimAttr dim);
  LogicalResult verifyBroadcast(DimAttr dim);
  LogicalResult verifyPart(DimAttr dim);
  LogicalResult verifyParam(ParamAttr param);
  LogicalResult verifyAttribute(ParamAttr param);
  LogicalResult verifyShape(ParamAttr param);
  LogicalResult verifyCondition(ParamAttr param);
  LogicalResult verifyInPlace(ParamAttr param);
  LogicalResult verifyObjective();
  LogicalResult verifyDTypes(ParamAttr param);
  LogicalResult verifyRow(ParamAttr param, DTypeRowAttr row,
                          llvm::StringMap<int> &rowsPerProduct);

  static bool lists(ParamAttr param, StringAttr dim) {
    return param.isTensor() && param.getShape() &&
           llvm::is_contained(param.getShape().getDims(), dim);
  }

  OperatorOp op;
  llvm::StringMap<std::string> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Names become identifiers of the emitted C++.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult DeclarationVerifier::declare(StringRef name, StringRef what) {
  if (!isIdentifier(name))
    return op.emitOpError() << "has a " << what << " named '" << name
                            << "'; names are letters, digits and underscores";
  if (name == kWorkspaceSizeArg || name == kExecutorArg)
    return op.emitOpError() << "declares '" << name << "' as a " << what
                            << "; every operator has this argument already";
  auto [it, inserted] = names.try_emplace(name, what);
  if (!inserted)
    return op.emitOpError() << "declares '" << name << "' twice, as a "
                            << it->second << " and as a " << what;
  return success();
}

LogicalResult DeclarationVerifier::declareNames() {
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    if (failed(declare(dim.getName(), "dim")))
      return failure();
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (failed(declare(param.getName(), "parameter")))
      return failure();
  llvm::StringMap<int> products;
  for (auto product : op.getProducts().getAsRange<StringAttr>())
    if (products[product]++)
      return op.emitOpError()
             << "lists the product '" << product.getValue() << "' twice";
  if (products.empty())
    return op.emitOpError() << "lists no products";
  return success();
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

LogicalResult DeclarationVerifier::verifyDim(DimAttr dim) {
  bool isListed = llvm::any_of(
      op.getParams().getAsRange<ParamAttr>(),
      [&](ParamAttr param) { return lists(param, dim.getName()); });
  if (!isListed)
    return op.emitOpError() << "declares the dim '" << dim.getName().getValue()
                            << "', which no parameter has";
  switch (dim.getKind()) {
  case DimKind::Axis:
  case DimKind::Pack:
    return success();
  case DimKind::Broadcast:
    return verifyBroadcast(dim);
  case DimKind::Part:
    return verifyPart(dim);
  case DimKind::Split:
    break;
  }
  ParamAttr param =
      dim.getRefs().size() == 1 ? op.findParam(dim.getRefs()[0]) : nullptr;
  if (!param || param.getRole() != Role::Attr || param.getKind() != Kind::Int)
    return op.emitOpError()
           << "splits at '"
           << (dim.getRefs().empty() ? "" : dim.getRefs()[0].getValue())
           << "' to find the dim '" << dim.getName().getValue()
           << "'; expected an int attribute";
  return success();
}

/// Not every operand that lists the pack need take part in making it: the
/// upstream gradient of the KL divergence must fit, but may not enlarge.
LogicalResult DeclarationVerifier::verifyBroadcast(DimAttr dim) {
  StringRef name = dim.getName();
  if (dim.getRefs().empty())
    return op.emitOpError()
           << "has the dim '" << name << "' as the broadcast of no parameters";
  for (StringAttr ref : dim.getRefs()) {
    ParamAttr param = op.findParam(ref);
    if (!param || !param.isInput())
      return op.emitOpError()
             << "has the dim '" << name << "' as a broadcast of '"
             << ref.getValue() << "', which is not an input tensor";
    if (!lists(param, dim.getName()))
      return op.emitOpError()
             << "has the dim '" << name << "' as a broadcast of '"
             << ref.getValue() << "', whose shape does not list it";
  }
  return success();
}

LogicalResult DeclarationVerifier::verifyPart(DimAttr dim) {
  StringRef name = dim.getName();
  ArrayRef<StringAttr> refs = dim.getRefs();
  DimAttr whole = refs.size() == 2 ? op.findDim(refs[0]) : nullptr;
  if (!whole || whole.getKind() != DimKind::Broadcast)
    return op.emitOpError() << "has the dim '" << name << "' as a part of '"
                            << (refs.empty() ? "" : refs[0].getValue())
                            << "', which is not a broadcast pack";
  ParamAttr param = op.findParam(refs[1]);
  if (!param || !lists(param, whole.getName()))
    return op.emitOpError()
           << "has the dim '" << name << "' as '" << whole.getName().getValue()
           << "' of '" << refs[1].getValue()
           << "', which is not a tensor with this dim";
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

LogicalResult DeclarationVerifier::verifyParam(ParamAttr param) {
  if (!param.isTensor())
    return verifyAttribute(param);
  if (!isDataKind(param.getKind()))
    return op.emitOpError() << "has the tensor '" << param.getName().getValue()
                            << "' of kind " << stringifyKind(param.getKind())
                            << "; tensors are real, int or bool";
  if (param.getDefaultValue() || !param.getChoices().empty())
    return op.emitOpError()
           << "gives the tensor '" << param.getName().getValue()
           << "' a default or choices; only attributes have them";
  return failure(failed(verifyShape(param)) || failed(verifyDTypes(param)) ||
                 failed(verifyInPlace(param)));
}

LogicalResult DeclarationVerifier::verifyAttribute(ParamAttr param) {
  StringRef name = param.getName();
  Kind kind = param.getKind();
  if (kind == Kind::DType || kind == Kind::Shape)
    return op.emitOpError() << "has the attribute '" << name << "' of kind "
                            << stringifyKind(kind)
                            << "; attributes are real, int, bool or string";
  if (param.getShape() || !param.getDtypes().empty())
    return op.emitOpError() << "gives the attribute '" << name
                            << "' a shape or dtypes; only tensors have them";
  if (param.getDefaultValue() &&
      getKindOfLiteral(param.getDefaultValue()) != kind)
    return op.emitOpError()
           << "has the attribute '" << name << "' of kind "
           << stringifyKind(kind)
           << " with a default of another kind: " << param.getDefaultValue();
  if (!param.getChoices().empty() && kind != Kind::Int && kind != Kind::String)
    return op.emitOpError()
           << "names choices of the attribute '" << name << "' of kind "
           << stringifyKind(kind) << "; only ints and strings have them";
  return success();
}

LogicalResult DeclarationVerifier::verifyShape(ParamAttr param) {
  StringRef name = param.getName();
  if (!param.getShape())
    return op.emitOpError() << "has the tensor '" << name << "' without shape";
  int64_t previous = -1;
  for (StringAttr dim : param.getShape().getDims()) {
    int64_t index = op.getDimIndex(dim);
    if (index < 0)
      return op.emitOpError() << "has '" << name << "' with the dim '"
                              << dim.getValue() << "', which is not declared";
    if (index <= previous)
      return op.emitOpError()
             << "has '" << name << "' with the dim '" << dim.getValue()
             << "' twice or against the order of declaration";
    previous = index;
  }
  return verifyCondition(param);
}

LogicalResult DeclarationVerifier::verifyCondition(ParamAttr param) {
  ShapeAttr shape = param.getShape();
  if (!shape.getConditionName())
    return success();
  ParamAttr attribute = op.findParam(shape.getConditionName());
  if (!attribute || attribute.getRole() != Role::Attr)
    return op.emitOpError()
           << "makes the shape of '" << param.getName().getValue()
           << "' depend on '" << shape.getConditionName().getValue()
           << "', which is not an attribute";
  if (!shape.getConditionValue() ||
      getKindOfLiteral(shape.getConditionValue()) != attribute.getKind())
    return op.emitOpError()
           << "compares the attribute '" << attribute.getName().getValue()
           << "' of kind " << stringifyKind(attribute.getKind())
           << " with a value of another kind: " << shape.getConditionValue();
  return success();
}

/// An output that may lie over an input has an element for each of its.
LogicalResult DeclarationVerifier::verifyInPlace(ParamAttr param) {
  if (!param.getInPlaceOf())
    return success();
  StringRef name = param.getName(), over = param.getInPlaceOf();
  ParamAttr input = op.findParam(over);
  if (param.isInput() || !input || !input.isInput())
    return op.emitOpError() << "has '" << name << "' in place of '" << over
                            << "'; expected an output and an input tensor";
  if (input.getShape() != param.getShape())
    return op.emitOpError() << "has '" << name << "' in place of '" << over
                            << "', which is declared with another shape";
  for (ParamAttr other : op.getOutputs())
    if (other != param && other.getInPlaceOf() == param.getInPlaceOf())
      return op.emitOpError()
             << "has both '" << name << "' and '" << other.getName().getValue()
             << "' in place of '" << over << "'";
  return success();
}

LogicalResult
DeclarationVerifier::verifyRow(ParamAttr param, DTypeRowAttr row,
                               llvm::StringMap<int> &rowsPerProduct) {
  StringRef name = param.getName();
  for (DType dtype : row.getDtypes())
    if (getKindOf(dtype) != param.getKind())
      return op.emitOpError() << "has '" << name << "' of kind "
                              << stringifyKind(param.getKind())
                              << " with the dtype " << stringifyDType(dtype);
  for (StringAttr product : row.getProducts())
    if (!op.hasProduct(product))
      return op.emitOpError()
             << "has dtypes of '" << name << "' on '" << product.getValue()
             << "', which is not one of its products";
  for (auto product : op.getProducts().getAsRange<StringAttr>())
    if (row.getProducts().empty() ||
        llvm::is_contained(row.getProducts(), product))
      ++rowsPerProduct[product];
  return success();
}

LogicalResult DeclarationVerifier::verifyDTypes(ParamAttr param) {
  llvm::StringMap<int> rowsPerProduct;
  for (DTypeRowAttr row : param.getDtypes())
    if (failed(verifyRow(param, row, rowsPerProduct)))
      return failure();
  for (auto product : op.getProducts().getAsRange<StringAttr>())
    if (int rows = rowsPerProduct.lookup(product); rows != 1)
      return op.emitOpError()
             << "has " << (rows ? "several lists of" : "no") << " dtypes of '"
             << param.getName().getValue() << "' on '" << product.getValue()
             << "'; expected one list per product";
  return success();
}

/// What the forward of a gradient says of its inputs.
LogicalResult DeclarationVerifier::verifyObjective() {
  if (static_cast<bool>(op.getGradients()) !=
      static_cast<bool>(op.getUpstream()))
    return op.emitOpError()
           << "has one of 'gradients' and 'upstream'; both belong together";
  if (!op.getGradients())
    return success();
  SmallVector<Attribute> inputs(op.getUpstreamAttr().getValue());
  for (NamedAttribute gradient : op.getGradientsAttr())
    inputs.push_back(gradient.getValue());
  for (Attribute input : inputs) {
    auto name = dyn_cast<StringAttr>(input);
    ParamAttr param = name ? op.findParam(name) : ParamAttr();
    if (!param || !param.isInput())
      return op.emitOpError()
             << "has " << input << " in the place of the name of an input";
  }
  return success();
}

LogicalResult DeclarationVerifier::run() {
  if (failed(declareNames()))
    return failure();
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (failed(verifyParam(param)))
      return failure();
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    if (failed(verifyDim(dim)))
      return failure();
  if (op.getOutputs().empty())
    return op.emitOpError() << "has no output";
  return verifyObjective();
}

LogicalResult OperatorOp::verify() { return DeclarationVerifier(*this).run(); }
