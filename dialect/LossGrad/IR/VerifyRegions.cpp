//===- VerifyRegions.cpp - Do contract and body fit the operator? ---------===//
//
// The checks that need the whole operator: names are declared and used for what
// they are, types list dims in declared order, every output is computed.
// Declarations themselves are verified before, in VerifyDeclarations.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Conditions.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class RegionVerifier {
public:
  explicit RegionVerifier(OperatorOp op) : op(op) {}

  LogicalResult run();
  LogicalResult runOnVariant(VariantOp variant);

private:
  LogicalResult verifyArguments();
  LogicalResult verifyParts(ArrayAttr parts, StringRef word);
  LogicalResult verifyVariantArguments();
  LogicalResult verifyYield(YieldOp yield);
  LogicalResult verifyPlace(Operation *inner, bool inContract);
  LogicalResult verifyType(Operation *inner, Type type);
  LogicalResult verifyNames(Operation *inner, bool inContract);

  LogicalResult wantTensor(Operation *inner, StringRef name);
  LogicalResult wantTensorOrDim(Operation *inner, StringRef name);
  LogicalResult wantDim(Operation *inner, StringRef name);
  LogicalResult wantAxis(Operation *inner, StringRef name, StringRef why);
  LogicalResult verifyAttribute(AttributeOp inner);
  LogicalResult verifyPresent(PresentOp inner, bool inContract);
  LogicalResult verifyExtent(ExtentOp inner);
  LogicalResult verifyReduceOnto(ReduceOntoOp inner);

  InFlightDiagnostic unknown(Operation *inner, StringRef name,
                             StringRef wanted);
  /// Whether the variant tells the axes of a part from the others of its pack.
  bool isSplit(StringAttr part) {
    return variant && llvm::is_contained(variant.getSplit(), part);
  }
  SmallVector<StringAttr> getDimsOf(ParamAttr param) {
    return variant ? variant.getDimsOf(param)
                   : SmallVector<StringAttr>(param.getShape().getDims());
  }

  OperatorOp op;
  VariantOp variant; // null for the body of the operator
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "names 'targt', which is not a tensor; did you mean 'target'?"
InFlightDiagnostic RegionVerifier::unknown(Operation *inner, StringRef name,
                                           StringRef wanted) {
  InFlightDiagnostic diagnostic =
      inner->emitOpError() << "names '" << name << "', which is not " << wanted;
  StringRef nearest;
  unsigned best = 3;
  auto consider = [&](StringRef candidate) {
    unsigned distance = name.edit_distance(candidate);
    if (distance > 0 && distance < best) {
      best = distance;
      nearest = candidate;
    }
  };
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    consider(param.getName());
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    consider(dim.getName());
  if (!nearest.empty())
    diagnostic << "; did you mean '" << nearest << "'?";
  return diagnostic;
}

LogicalResult RegionVerifier::wantTensor(Operation *inner, StringRef name) {
  ParamAttr param = op.findParam(name);
  if (!param || !param.isTensor())
    return unknown(inner, name, "a tensor parameter");
  return success();
}

LogicalResult RegionVerifier::wantTensorOrDim(Operation *inner,
                                              StringRef name) {
  ParamAttr param = op.findParam(name);
  if ((!param || !param.isTensor()) && !op.findDim(name))
    return unknown(inner, name, "a tensor parameter or a dim");
  return success();
}

LogicalResult RegionVerifier::wantDim(Operation *inner, StringRef name) {
  if (!op.findDim(name))
    return unknown(inner, name, "a dim");
  return success();
}

LogicalResult RegionVerifier::wantAxis(Operation *inner, StringRef name,
                                       StringRef why) {
  DimAttr dim = op.findDim(name);
  if (!dim)
    return unknown(inner, name, "a dim");
  if (dim.isPack())
    return inner->emitOpError() << why << " one axis, but '" << name
                                << "' is a pack of any number of axes";
  return success();
}

LogicalResult RegionVerifier::verifyAttribute(AttributeOp inner) {
  ParamAttr param = op.findParam(inner.getName());
  if (!param || param.getRole() != Role::Attr)
    return unknown(inner, inner.getName(), "an attribute parameter");
  Kind kind = cast<ValueType>(inner.getType()).getKind();
  if (kind != param.getKind())
    return inner.emitOpError()
           << "reads '" << inner.getName() << "' as " << stringifyKind(kind)
           << ", but it is declared as " << stringifyKind(param.getKind());
  return success();
}

LogicalResult RegionVerifier::verifyPresent(PresentOp inner, bool inContract) {
  StringRef name = inner.getName();
  if (inContract && (name == kWorkspaceSizeArg || name == kExecutorArg))
    return success();
  return wantTensor(inner, name);
}

LogicalResult RegionVerifier::verifyExtent(ExtentOp inner) {
  if (inner.getAxis())
    return wantTensorOrDim(inner, inner.getName());
  if (op.findParam(inner.getName()))
    return inner.emitOpError() << "of the parameter '" << inner.getName()
                               << "' needs to say which axis: extent "
                               << inner.getName() << " at 0";
  return wantAxis(inner, inner.getName(), "without 'at' is about");
}

LogicalResult RegionVerifier::verifyReduceOnto(ReduceOntoOp inner) {
  if (failed(wantDim(inner, inner.getFrom())) ||
      failed(wantDim(inner, inner.getTo())))
    return failure();
  DimAttr to = op.findDim(inner.getTo());
  if (to.getKind() != DimKind::Part || to.getRefs().size() != 2 ||
      to.getRefs()[0] != inner.getFrom())
    return inner.emitOpError()
           << "goes from '" << inner.getFrom() << "' to '" << inner.getTo()
           << "', which is not declared as a part of it: " << inner.getTo()
           << "... = " << inner.getFrom() << " of <parameter>";
  return success();
}

LogicalResult RegionVerifier::verifyNames(Operation *inner, bool inContract) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(inner)
      .Case([&](AttributeOp o) { return verifyAttribute(o); })
      .Case([&](PresentOp o) { return verifyPresent(o, inContract); })
      .Case([&](ExtentOp o) { return verifyExtent(o); })
      .Case<NumelOp, RankOp>(
          [&](auto o) { return wantTensorOrDim(o, o.getName()); })
      .Case<DTypeOfOp, FormatOp, ContiguousOp, DTypeDeclaredOp>(
          [&](auto o) { return wantTensor(o, o.getName()); })
      .Case([&](SameOrApartOp o) {
        return failure(failed(wantTensor(o, o.getName())) ||
                       failed(wantTensor(o, o.getOther())));
      })
      .Case([&](ShapeOfOp o) {
        if (o.getNameAttr())
          return wantTensor(o, *o.getName());
        for (auto dim : o.getDimsAttr().getAsRange<StringAttr>())
          if (failed(wantDim(o, dim)))
            return failure();
        return success();
      })
      .Case([&](IotaOp o) { return wantAxis(o, o.getName(), "counts along"); })
      .Case([&](OneHotOp o) {
        return wantAxis(o, o.getOver(), "spreads its index over");
      })
      .Case([&](GatherOp o) {
        return wantAxis(o, o.getOver(), "looks up along");
      })
      .Case([&](ReduceOntoOp o) { return verifyReduceOnto(o); })
      .Default([](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Types and places
//===----------------------------------------------------------------------===//

LogicalResult RegionVerifier::verifyType(Operation *inner, Type type) {
  auto value = dyn_cast<ValueType>(type);
  if (!value)
    return inner->emitOpError()
           << "has a result of type " << type << "; expected !lossgrad.value";
  for (StringAttr dim : value.getDims()) {
    DimAttr declared = op.findDim(dim);
    if (!declared)
      return inner->emitOpError()
             << "has type " << toString(value) << ", but '" << dim.getValue()
             << "' is not a dim of the operator";
    if (declared.getKind() == DimKind::Part && !isSplit(dim) &&
        value.hasDim(declared.getRefs().front()))
      return inner->emitOpError()
             << "mixes '" << declared.getRefs().front().getValue()
             << "' with its part '" << dim.getValue() << "' in "
             << toString(value);
  }
  SmallVector<StringAttr> sorted(value.getDims());
  op.sortDims(sorted);
  if (ArrayRef(sorted) != value.getDims())
    return inner->emitOpError()
           << "has its dims against the order of declaration: found "
           << toString(value) << ", expected "
           << toString(
                  ValueType::get(value.getContext(), sorted, value.getKind()))
           << "; write the result type after '->'";
  return success();
}

LogicalResult RegionVerifier::verifyPlace(Operation *inner, bool inContract) {
  if (!isa_and_nonnull<LossGradDialect>(inner->getDialect()))
    return inner->emitOpError() << "does not belong into an operator";
  if (inContract &&
      (inner->hasTrait<BodyOnly>() || isa<YieldOp, OperatorOp>(inner)))
    return inner->emitOpError() << "stands in a contract; it belongs into a "
                                   "body";
  if (!inContract &&
      (inner->hasTrait<ContractOnly>() || isa<OperatorOp>(inner)))
    return inner->emitOpError() << "stands in a body; it belongs into a "
                                   "contract";
  for (Type type : inner->getResultTypes())
    if (failed(verifyType(inner, type)))
      return failure();
  if (isa<SinOp, CosOp, Float32AtLeastOp, Float32AtMostOp, Float32ExactlyOp>(
          inner) &&
      !cast<ValueType>(inner->getResult(0).getType()).getDims().empty())
    return inner->emitOpError()
           << "is computed on the host only; its operand has the type "
           << toString(cast<ValueType>(inner->getOperand(0).getType()))
           << ", expected [] real";
  return verifyNames(inner, inContract);
}

//===----------------------------------------------------------------------===//
// Arguments and yield
//===----------------------------------------------------------------------===//

LogicalResult RegionVerifier::verifyArguments() {
  if (op.getContract().getNumArguments())
    return op.emitOpError() << "has a contract with arguments";
  SmallVector<ParamAttr> inputs = op.getInputs();
  Region &body = op.getBody();
  if (body.getNumArguments() != inputs.size())
    return op.emitOpError()
           << "has " << inputs.size() << " input tensor(s), but its body has "
           << body.getNumArguments() << " argument(s)";
  for (auto [param, argument] : llvm::zip_equal(inputs, body.getArguments())) {
    auto wanted = ValueType::get(op.getContext(), param.getShape().getDims(),
                                 param.getKind());
    if (argument.getType() != wanted)
      return op.emitOpError()
             << "has a body whose argument for '" << param.getName().getValue()
             << "' has type " << argument.getType() << "; expected " << wanted;
  }
  return success();
}

LogicalResult RegionVerifier::verifyYield(YieldOp yield) {
  SmallVector<ParamAttr> outputs = op.getOutputs();
  auto names = llvm::to_vector(yield.getOutputs().getAsRange<StringAttr>());
  auto wanted = llvm::map_to_vector(
      outputs, [](ParamAttr output) { return output.getName(); });
  if (names != wanted) {
    InFlightDiagnostic diagnostic = yield.emitOpError() << "gives (";
    llvm::interleaveComma(names, diagnostic,
                          [&](StringAttr n) { diagnostic << n.getValue(); });
    diagnostic << "); expected the outputs in C order: (";
    llvm::interleaveComma(wanted, diagnostic,
                          [&](StringAttr n) { diagnostic << n.getValue(); });
    return diagnostic << ")";
  }
  for (auto [param, value] : llvm::zip_equal(outputs, yield.getValues())) {
    ParamAttr output = param;
    auto type = cast<ValueType>(value.getType());
    SmallVector<StringAttr> dims = getDimsOf(output);
    bool fits = type.getKind() == output.getKind() &&
                llvm::all_of(type.getDims(), [&](StringAttr dim) {
                  return llvm::is_contained(dims, dim);
                });
    if (!fits)
      return yield.emitOpError()
             << "gives '" << output.getName().getValue() << "' a value of type "
             << toString(type) << "; it is declared as "
             << toString(
                    ValueType::get(op.getContext(), dims, output.getKind()));
  }
  return success();
}

LogicalResult RegionVerifier::run() {
  if (failed(verifyArguments()))
    return failure();
  for (Region *region : {&op.getContract(), &op.getBody()})
    for (Operation &inner : region->front())
      if (failed(verifyPlace(&inner, region == &op.getContract())))
        return failure();
  for (Operation &inner : op.getBody().front())
    if (isa<YieldOp>(inner) && &inner != &op.getBody().front().back())
      return inner.emitOpError() << "must be the last op of a body";
  if (!op.getYield())
    return op.emitOpError() << "has a body that does not end with yield";
  return verifyYield(op.getYield());
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Parts of broadcast packs that a variant knows more about, each once.
LogicalResult RegionVerifier::verifyParts(ArrayAttr parts, StringRef word) {
  for (auto name : parts.getAsRange<StringAttr>()) {
    DimAttr dim = op.findDim(name);
    if (!dim || dim.getKind() != DimKind::Part)
      return variant.emitOpError()
             << "has '" << name.getValue() << "' as a " << word
             << " part, which is not declared as a part of a pack";
    if (llvm::count(variant.getWhole(), name) +
            llvm::count(variant.getSplit(), name) !=
        1)
      return variant.emitOpError()
             << "says twice what part '" << name.getValue() << "' is";
  }
  return success();
}

/// The inputs of the operator; those of one element have no dims.
LogicalResult RegionVerifier::verifyVariantArguments() {
  SmallVector<ParamAttr> inputs = op.getInputs();
  Region &body = variant.getBody();
  if (body.getNumArguments() != inputs.size())
    return variant.emitOpError() << "has a body with " << body.getNumArguments()
                                 << " argument(s), but its operator has "
                                 << inputs.size() << " input tensor(s)";
  auto single =
      llvm::to_vector(variant.getOneElement().getAsRange<StringAttr>());
  for (StringAttr name : single)
    if (llvm::none_of(inputs,
                      [&](ParamAttr param) { return param.getName() == name; }))
      return variant.emitOpError() << "has one element of '" << name.getValue()
                                   << "', which is no input of its operator";
  for (auto [param, argument] : llvm::zip_equal(inputs, body.getArguments())) {
    auto wanted = ValueType::get(op.getContext(), variant.getDimsOf(param),
                                 param.getKind());
    if (argument.getType() != wanted)
      return variant.emitOpError()
             << "has a body whose argument for '" << param.getName().getValue()
             << "' has type " << argument.getType() << "; expected " << wanted;
  }
  return success();
}

/// Element types are told where data comes in and goes out, and nowhere else.
static LogicalResult verifyBorders(VariantOp variant) {
  for (BlockArgument argument : variant.getBody().getArguments())
    for (Operation *user : argument.getUsers())
      if (!isa<WidenOp>(user))
        return user->emitOpError()
               << "reads an input of a typed variant; expected a widen";
  for (Value value : variant.getYield().getValues())
    if (!value.getDefiningOp<NarrowOp>())
      return variant.getYield().emitOpError()
             << "gives a result of a typed variant that no narrow rounded";
  return success();
}

LogicalResult RegionVerifier::runOnVariant(VariantOp each) {
  variant = each;
  if (failed(verifyParts(variant.getWhole(), "whole")) ||
      failed(verifyParts(variant.getSplit(), "split")) ||
      failed(verifyVariantArguments()))
    return failure();
  if (variant.getCondition().getNumArguments())
    return variant.emitOpError() << "has a condition with arguments";
  for (Region *region : {&variant.getCondition(), &variant.getBody()})
    for (Operation &inner : region->front()) {
      if (failed(verifyPlace(&inner, /*inContract=*/false)))
        return failure();
      bool isLast = &inner == &region->front().back();
      if (isa<YieldOp, HoldsOp>(inner) && !isLast)
        return inner.emitOpError() << "must be the last op of its region";
    }
  if (failed(verifyYield(variant.getYield())))
    return failure();
  return variant.getFamilies() ? verifyBorders(variant) : success();
}

/// Of the variants of an operator exactly one runs in every call. The first one
/// speaks for all.
static LogicalResult verifyPartition(VariantOp variant) {
  SmallVector<VariantOp> all;
  SmallVector<Value> conditions;
  for (auto each : variant->getBlock()->getOps<VariantOp>())
    if (each.getOperator_Attr() == variant.getOperator_Attr() &&
        !each.getFamilies()) {
      if (all.empty() && each != variant)
        return success();
      all.push_back(each);
      conditions.push_back(each.getHolds().getCondition());
    }
  std::optional<Conditions::Violation> found =
      Conditions().findViolation(conditions);
  if (!found)
    return success();
  if (found->holding.empty())
    return variant.emitOpError()
           << "and its siblings leave a call without a body: " << found->call;
  InFlightDiagnostic diagnostic =
      all[found->holding[1]].emitOpError()
      << "runs in the same call as another variant: " << found->call;
  diagnostic.attachNote(all[found->holding[0]].getLoc()) << "the other variant";
  return diagnostic;
}

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto op = symbols.lookupNearestSymbolFrom<OperatorOp>((*this)->getParentOp(),
                                                        getOperator_Attr());
  if (!op)
    return emitOpError() << "is of " << getOperator_Attr()
                         << ", which is not an operator of this module";
  if (failed(RegionVerifier(op).runOnVariant(*this)))
    return failure();
  return getFamilies() ? success() : verifyPartition(*this);
}

LogicalResult OperatorOp::verifyRegions() {
  return RegionVerifier(*this).run();
}

LogicalResult YieldOp::verify() {
  if (!isa_and_nonnull<OperatorOp, VariantOp, SweepOp, RuleOp>(
          (*this)->getParentOp()))
    return emitOpError() << "belongs into the body of an operator";
  if (getOutputs().size() != getValues().size())
    return emitOpError() << "names " << getOutputs().size()
                         << " output(s) but has " << getValues().size()
                         << " value(s)";
  return success();
}
