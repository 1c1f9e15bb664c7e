//===- Objective.cpp - What gradients are gradients of --------------------===//
//
// An objective takes all inputs of forward and backward, so that nothing is
// missing, and gives what the backward would be handed.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/ForwardImporter.h"
#include "passes/Derive/Differences.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

namespace {
/// Made as the body is: a parameter for every value that is given or wanted.
struct ObjectiveParts {
  Declarations all;
  OperatorOp op;
};

class Objective : ObjectiveParts, ForwardImporter {
public:
  Objective(const Record &record, const RecordSource &source,
            const Declarations &own, const RuleTable &rules, OperatorOp op,
            OpBuilder &module)
      : ObjectiveParts{own, op}, ForwardImporter(record, source, all, rules,
                                                 op.getBody().front(), module) {
    llvm::erase_if(all.params,
                   [](ParamAttr p) { return p.getRole() == Role::Out; });
  }

  LogicalResult import();

private:
  void declare(const Twine &name, Role role, Kind kind, ShapeAttr shape);
  void declareInputs();
  Value freeze(Value value, OpBuilder &builder);
  LogicalResult replaceRedirects(const RuleTable &redirects);
  LogicalResult nameGradients();
  LogicalResult yieldAll();

  SmallVector<ParamAttr> results;
  SmallVector<Value> saved, yielded;
};
} // namespace

void Objective::declare(const Twine &name, Role role, Kind kind,
                        ShapeAttr shape) {
  MLIRContext *context = op.getContext();
  DType dtype = kind == Kind::Real   ? DType::Float32
                : kind == Kind::Bool ? DType::Bool
                                     : DType::Int64;
  (role == Role::Out ? results : all.params)
      .push_back(ParamAttr::get(
          context, StringAttr::get(context, name), role, kind,
          StringAttr::get(context, role == Role::Out ? "aclTensor *"
                                                     : "const aclTensor *"),
          shape, DTypeRowAttr::get(context, dtype, {}), {}, {},
          StringAttr::get(context, "")));
}

/// Those of the backward, and the forward's that it lacks.
void Objective::declareInputs() {
  for (ParamAttr param : theirs.params)
    if (param.isInput() && !all.findParam(param.getName()))
      declare(param.getName().getValue(), param.getRole(), param.getKind(),
              param.getShape());
  for (ParamAttr param : all.params)
    if (param.isInput())
      block.addArgument(ValueType::get(op.getContext(),
                                       param.getShape().getDims(),
                                       param.getKind()),
                        NameLoc::get(param.getName(), op.getLoc()));
}

/// A value as it is before anything is shifted: given by the caller, who gets
/// it as an output first.
Value Objective::freeze(Value value, OpBuilder &builder) {
  auto type = cast<ValueType>(value.getType());
  auto shape = ShapeAttr::get(builder.getContext(), type.getDims());
  std::string name = (kFrozenPrefix + Twine(yielded.size())).str();
  declare(name, Role::In, Kind::Real, shape);
  declare(kNowPrefix + name, Role::Out, Kind::Real, shape);
  yielded.push_back(value);
  return block.addArgument(type, value.getLoc());
}

/// The value of the first operand, which does not move; the operands that a
/// gradient flows to move it.
LogicalResult Objective::replaceRedirects(const RuleTable &redirects) {
  for (auto apply : llvm::make_early_inc_range(block.getOps<ApplyOp>())) {
    auto receives = redirects.getReceivers(apply.getFunction(), source);
    if (failed(receives))
      return failure();
    OpBuilder builder(apply);
    Location loc = apply.getLoc();
    Value value = freeze(apply.getOperands().front(), builder);
    for (auto [operand, moves] :
         llvm::zip_equal(apply.getOperands(), *receives)) {
      if (!moves)
        continue;
      Value shift =
          SubOp::create(builder, loc, operand, freeze(operand, builder));
      value = AddOp::create(builder, loc, value, shift);
    }
    for (SmallVector<Value> *held : {&outputs, &upstream, &saved})
      llvm::replace(*held, Value(apply.getResult()), value);
    apply.replaceAllUsesWith(value);
    apply.erase();
  }
  return success();
}

/// Which output of the backward is the gradient for which input.
LogicalResult Objective::nameGradients() {
  auto list = fields.getDefs("gradients");
  if (failed(list))
    return failure();
  Builder builder(op.getContext());
  SmallVector<NamedAttribute> inputOf;
  for (const Record *each : *list) {
    RecordFields of(*each, source);
    auto input = of.getString("input"), output = of.getString("output");
    if (failed(input) || failed(output))
      return failure();
    inputOf.push_back(
        builder.getNamedAttr(*output, builder.getStringAttr(*input)));
  }
  op.setGradientsAttr(builder.getDictionaryAttr(inputOf));
  SmallVector<Attribute> fromBehind;
  for (ParamAttr param : own.params)
    if (param.isInput() && !theirs.findParam(param.getName()))
      fromBehind.push_back(param.getName());
  op.setUpstreamAttr(builder.getArrayAttr(fromBehind));
  return success();
}

LogicalResult Objective::yieldAll() {
  auto upstreams = fields.getDefs("upstream"),
       savings = fields.getDefs("saved");
  if (failed(upstreams) || failed(savings))
    return failure();
  for (auto [each, value, by] :
       llvm::zip_equal(*upstreams, outputs, upstream)) {
    StringRef name = *RecordFields(*each, source).getString("output");
    ShapeAttr shape = theirs.findParam(name).getShape();
    declare(kOutputPrefix + name, Role::Out, Kind::Real, shape);
    // Also where the output has one element: whether it is one number.
    declare(kUpstreamPrefix + name, Role::Out, Kind::Real,
            ShapeAttr::get(op.getContext(), shape.getDims()));
    yielded.append({value, by});
  }
  for (auto [each, value] : llvm::zip_equal(*savings, saved)) {
    StringRef name = *RecordFields(*each, source).getString("param");
    declare(kNowPrefix + name, Role::Out, Kind::Real,
            own.findParam(name).getShape());
    yielded.push_back(value);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Attribute> names, params(all.params.begin(), all.params.end());
  for (ParamAttr result : results)
    names.push_back(result.getName());
  params.append(results.begin(), results.end());
  YieldOp::create(builder, op.getLoc(), yielded, builder.getArrayAttr(names));
  op.setParamsAttr(builder.getArrayAttr(params));
  // A part of a pack may have been the gradient's alone.
  SmallVector<Attribute> dims;
  for (DimAttr dim : all.dims)
    if (llvm::any_of(params, [&](Attribute param) {
          ShapeAttr shape = cast<ParamAttr>(param).getShape();
          return shape && llvm::is_contained(shape.getDims(), dim.getName());
        }))
      dims.push_back(dim);
  op.setDimsAttr(builder.getArrayAttr(dims));
  return success();
}

LogicalResult Objective::import() {
  auto redirects = rules.getRedirects(source);
  if (failed(redirects) || failed(readForward()))
    return failure();
  declareInputs();
  FormulaImporter formulas(*forward, source, theirs, block,
                           FormulaImporter::Place::Body);
  FormulaImporter ownFormulas(record, source, own, block,
                              FormulaImporter::Place::Body);
  formulas.keepFunctions(*redirects);
  bindInputs(formulas);
  auto results = importSaved(formulas);
  if (failed(results) || failed(importOutputs(formulas, ownFormulas)) ||
      failed(nameGradients()))
    return failure();
  saved = *results;
  if (failed(replaceRedirects(*redirects)))
    return failure();
  return yieldAll();
}

FailureOr<OperatorOp>
lossgrad::importObjective(const Record &record, const RecordSource &source,
                          const Declarations &declarations,
                          const RuleTable &rules, OperatorOp backward,
                          OpBuilder &module) {
  auto forward = RecordFields(record, source).getDef("forward");
  if (failed(forward))
    return failure();
  auto overrides = RecordFields(**forward, source).getDefs("overrides");
  if (failed(overrides))
    return failure();
  if (!overrides->empty())
    return OperatorOp();
  auto op = OperatorOp::create(module, backward.getLoc(),
                               (backward.getSymName() + kObjectiveSuffix).str(),
                               backward.getSummary(), StringAttr(),
                               backward.getProducts(), backward.getDims(),
                               backward.getParams(), /*formula=*/nullptr,
                               /*header=*/nullptr, /*forward=*/false,
                               /*derived=*/false, /*gradients=*/nullptr,
                               /*upstream=*/nullptr);
  op.getContract().emplaceBlock();
  op.getBody().emplaceBlock();
  if (succeeded(
          Objective(record, source, declarations, rules, op, module).import()))
    return op;
  op.erase();
  return failure();
}
