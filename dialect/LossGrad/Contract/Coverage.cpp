//===- Coverage.cpp - Does a contract imply its declarations? -------------===//
//
// See the header. The work is bounded: a few dozen calls to start from, one
// change at a time.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Contract/Coverage.h"

#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Interpreter/DimBinding.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <set>

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Numbers that the contract compares with, and their neighbours.
static std::vector<double> mentionedNumbers(OperatorOp op) {
  std::vector<double> numbers;
  for (auto constant : op.getContract().getOps<ConstantOp>()) {
    double value;
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      value = real.getValueAsDouble();
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue());
             integer && !isa<BoolAttr>(constant.getValue()))
      value = static_cast<double>(integer.getInt());
    else
      continue;
    for (double each : {value, -value, value + 1, value - 1, value + 0.5,
                        value - 0.5, value / 2})
      if (std::fabs(each) < 1e30)
        numbers.push_back(each);
  }
  return numbers;
}

std::vector<AttributeValue> lossgrad::suggestValues(OperatorOp op,
                                                    ParamAttr attribute) {
  std::vector<AttributeValue> values;
  auto add = [&](AttributeValue value) {
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  };
  Call nothing;
  if (auto value = nothing.getAttribute(attribute))
    add(*value);
  else
    llvm::consumeError(value.takeError());
  switch (attribute.getKind()) {
  case Kind::Bool:
    add(true);
    add(false);
    return values;
  case Kind::Real:
    for (double each : {0.5, 1.0, 2.0, 0.1, 0.0, -1.0, 10.0, 100.0, 1e-6, 1e6})
      add(each);
    for (double each : mentionedNumbers(op))
      add(each);
    return values;
  case Kind::Int:
    for (int64_t i = 0, e = attribute.getChoices().size(); i < e; ++i)
      add(i);
    if (!attribute.getChoices().empty())
      return values;
    for (int64_t each : {0, 1, -1, 2, -2, 100, -100})
      add(each);
    for (double each : mentionedNumbers(op))
      if (std::trunc(each) == each && std::fabs(each) < 9e15)
        add(static_cast<int64_t>(each));
    return values;
  default:
    for (StringAttr choice : attribute.getChoices())
      add(choice.str());
    if (attribute.getChoices().empty())
      add(std::string());
    return values;
  }
}

//===----------------------------------------------------------------------===//
// Calls that fit
//===----------------------------------------------------------------------===//

namespace {

/// What the declarations leave open in a call that fits them.
struct Plan {
  unsigned packRank, oneElementRank;
  bool withOptional;
};

class Search {
public:
  explicit Search(OperatorOp op) : op(op) {}
  Coverage run();

private:
  using Attributes = llvm::StringMap<AttributeValue>;

  std::vector<Attributes> listAttributes();
  Call makeCall(StringRef product, const Attributes &attributes,
                const Plan &plan);
  void collectCalls();
  bool isNew(const Call &call, const Plan &plan);

  enum class Answer { Refused, Accepted, Unable };
  /// What the contract says of a call; nothing to do counts as refused.
  Answer ask(const Call &call);
  void spoil(const Call &call);
  void spoilTensor(Call call, ParamAttr param);
  void spoilPlace(Call call, ParamAttr param);
  void spoilShape(Call call, ParamAttr param);
  void spoilAttribute(Call call, ParamAttr param);
  void expectFit(const Call &call, ParamAttr changed);
  llvm::StringSet<> findRead(const Call &call);
  std::string describeMisfit(const Call &call, ParamAttr param);
  void report(GapKind kind, StringRef name, std::string found);

  OperatorOp op;
  Coverage coverage;
  std::vector<Call> calls;
  llvm::StringSet<> seen;
  std::set<std::pair<GapKind, std::string>> reported;
};

} // namespace

/// Combinations of attributes. Choices and flags vary in all ways, since checks
/// and shapes depend on them; of numbers, one at a time leaves the first value.
std::vector<Search::Attributes> Search::listAttributes() {
  constexpr size_t kMost = 96;
  std::vector<Attributes> all(1);
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor())
      continue;
    std::vector<AttributeValue> values = suggestValues(op, param);
    std::vector<Attributes> next;
    for (const AttributeValue &value : values)
      for (const Attributes &each : all)
        if (next.size() < kMost) {
          next.push_back(each);
          next.back()[param.getName()] = value;
        }
    all = std::move(next);
  }
  return all;
}

Call Search::makeCall(StringRef product, const Attributes &attributes,
                      const Plan &plan) {
  // Different extents everywhere, so that no two axes are equal by chance.
  static constexpr int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  Call call;
  call.product = product.str();
  call.attributes = attributes;
  llvm::StringMap<Extents> extents;
  size_t next = 0;
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    if (dim.getKind() == DimKind::Part) {
      extents[dim.getName()] = extents[dim.getRefs()[0]];
      continue;
    }
    // The packs before an axis at an attribute say which one it is.
    if (dim.getKind() == DimKind::Split) {
      int64_t position = 0;
      for (auto before : op.getDims().getAsRange<DimAttr>()) {
        if (before == dim)
          break;
        position += extents[before.getName()].size();
      }
      call.attributes[dim.getRefs()[0]] = position;
    }
    for (unsigned i = 0, e = dim.isPack() ? plan.packRank : 1; i < e; ++i)
      extents[dim.getName()].push_back(primes[next++ % std::size(primes)]);
  }
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (!param.isTensor() ||
        (param.getRole() == Role::Optional && !plan.withOptional))
      continue;
    Tensor &tensor = call.tensors[param.getName()];
    if (ArrayRef<DType> dtypes = param.getDTypesOn(product); !dtypes.empty())
      tensor.dtype = dtypes.front();
    llvm::Expected<bool> full = call.holds(op, param.getShape());
    if (!full)
      llvm::consumeError(full.takeError());
    else if (*full && !param.getShape().getDims().empty()) {
      for (StringAttr dim : param.getShape().getDims())
        tensor.shape.append(extents[dim]);
      continue;
    }
    tensor.shape.assign(plan.oneElementRank, 1);
  }
  return call;
}

/// Whether a call has a choice, flag, product or form that none before had.
bool Search::isNew(const Call &call, const Plan &plan) {
  bool isNew = seen.insert("product " + call.product).second;
  isNew |= seen.insert("rank " + std::to_string(plan.packRank)).second;
  isNew |= seen.insert(plan.withOptional ? "all" : "required").second;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor() ||
        (param.getChoices().empty() && param.getKind() != Kind::Bool))
      continue;
    std::string value;
    const AttributeValue &given = call.attributes.find(param.getName())->second;
    if (auto *text = std::get_if<std::string>(&given))
      value = *text;
    else if (auto *integer = std::get_if<int64_t>(&given))
      value = std::to_string(*integer);
    else
      value = std::get<bool>(given) ? "true" : "false";
    isNew |= seen.insert(param.getName().str() + "=" + value).second;
  }
  return isNew;
}

void Search::collectCalls() {
  constexpr size_t kMost = 24;
  std::vector<Attributes> attributes = listAttributes();
  for (auto product : op.getProducts().getAsRange<StringAttr>())
    for (const Attributes &each : attributes)
      for (Plan plan : {Plan{2, 1, true}, Plan{2, 1, false}, Plan{1, 1, true},
                        Plan{2, 0, true}, Plan{2, 0, false}}) {
        if (calls.size() >= kMost)
          return;
        Call call = makeCall(product, each, plan);
        if (ask(call) != Answer::Accepted)
          continue;
        coverage.anyAccepted = true;
        if (isNew(call, plan))
          calls.push_back(std::move(call));
      }
}

//===----------------------------------------------------------------------===//
// Calls that do not
//===----------------------------------------------------------------------===//

void Search::report(GapKind kind, StringRef name, std::string found) {
  if (reported.insert({kind, name.str()}).second)
    coverage.gaps.push_back({kind, name.str(), std::move(found)});
}

Search::Answer Search::ask(const Call &call) {
  FailureOr<ContractOutcome> outcome = evaluateContract(op, call);
  if (failed(outcome))
    return Answer::Unable;
  return outcome->status == 0 && !outcome->nothingToDo ? Answer::Accepted
                                                       : Answer::Refused;
}

/// Extents other than 1: where elements lie does not depend on the others.
static Extents squeeze(ArrayRef<int64_t> shape) {
  return Extents(
      llvm::make_filter_range(shape, [](int64_t e) { return e != 1; }));
}

/// What is wrong with the shape of a present tensor; empty if its dims can
/// have it.
std::string Search::describeMisfit(const Call &call, ParamAttr param) {
  DimBinding dims(op, call);
  const Extents &shape = call.find(param.getName())->shape;
  std::string actual = "shape " + toString(shape);
  llvm::Expected<bool> full = call.holds(op, param.getShape());
  if (!full)
    return llvm::consumeError(full.takeError()), "";
  llvm::Expected<Extents> wanted =
      param.isInput() ? dims.getShape(param.getShape().getDims())
                      : dims.getOutputShape(param);
  if (!wanted) {
    llvm::consumeError(wanted.takeError());
    return actual + ", which its dims cannot have";
  }
  // What is written must be all there, and no more.
  if (!param.isInput() && !param.getShape().getFlat())
    return squeeze(shape) == squeeze(*wanted)
               ? ""
               : actual + ", must be " + toString(*wanted);
  llvm::Expected<TensorView> view = dims.getView(param);
  if (view)
    return "";
  llvm::consumeError(view.takeError());
  return *full ? actual + ", must fit " + toString(*wanted)
               : actual + ", must have one element";
}

/// The inputs whose elements the body reads in this call: what stands in the
/// other branch of a select on attributes or presence may be anything.
llvm::StringSet<> Search::findRead(const Call &call) {
  llvm::StringSet<> read;
  Block &body = op.getBody().front();
  SmallVector<Value> pending(body.getTerminator()->getOperands());
  llvm::DenseSet<Value> visited;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      read.insert(op.getInputs()[argument.getArgNumber()].getName());
      continue;
    }
    if (auto select = value.getDefiningOp<SelectOp>())
      if (FailureOr<bool> holds =
              evaluateCondition(op, call, select.getCondition());
          succeeded(holds)) {
        pending.push_back(*holds ? select.getTrueValue()
                                 : select.getFalseValue());
        continue;
      }
    pending.append(value.getDefiningOp()->operand_begin(),
                   value.getDefiningOp()->operand_end());
  }
  return read;
}

/// All tensors of an accepted call fit; otherwise the one that was changed is
/// what the contract should have looked at.
void Search::expectFit(const Call &call, ParamAttr changed) {
  llvm::StringSet<> read = findRead(call);
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (!param.isTensor() || !call.find(param.getName()) ||
        (param.isInput() && !read.contains(param.getName())))
      continue;
    std::string misfit = describeMisfit(call, param);
    if (misfit.empty())
      continue;
    if (!changed.isTensor()) {
      report(GapKind::Attribute, changed.getName(),
             "'" + param.getName().str() + "' has " + misfit);
      return;
    }
    report(GapKind::Shape, param.getName(), misfit);
    return;
  }
}

void Search::spoilShape(Call call, ParamAttr param) {
  Tensor &tensor = call.tensors[param.getName()];
  const Extents shape = tensor.shape;
  std::vector<Extents> others{{}, {1}, {4}, {2, 2}, {getNumElements(shape)}};
  for (int64_t extra : {1, 4}) {
    others.push_back(shape);
    others.back().push_back(extra);
    others.push_back(shape);
    others.back().insert(others.back().begin(), extra);
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (int64_t extent :
         {int64_t(1), shape[axis] - 1, shape[axis] + 1, shape[axis] * 2}) {
      others.push_back(shape);
      others.back()[axis] = extent;
    }
    others.push_back(shape);
    others.back().erase(others.back().begin() + axis);
  }
  others.push_back(Extents(llvm::reverse(shape)));
  for (const Extents &other : others) {
    if (other == shape)
      continue;
    tensor.shape = other;
    if (ask(call) != Answer::Refused)
      expectFit(call, param);
  }
}

void Search::spoilTensor(Call call, ParamAttr param) {
  Tensor tensor = call.tensors[param.getName()];
  call.tensors.erase(param.getName());
  Answer withNull = ask(call);
  if (withNull == Answer::Unable)
    report(GapKind::Order, param.getName(), "");
  else if (withNull == Answer::Accepted &&
           (param.getRole() != Role::Optional ||
            findRead(call).contains(param.getName())))
    report(GapKind::Null, param.getName(), "");
  call.tensors[param.getName()] = tensor;
  if (param.isInput() && !findRead(call).contains(param.getName()))
    return;
  for (unsigned i = 0; i <= getMaxEnumValForDType(); ++i) {
    std::optional<DType> dtype = symbolizeDType(i);
    if (!dtype || *dtype == DType::Undefined ||
        llvm::is_contained(param.getDTypesOn(call.product), *dtype))
      continue;
    call.tensors[param.getName()].dtype = *dtype;
    if (ask(call) == Answer::Refused)
      continue;
    report(GapKind::DType, param.getName(), stringifyDType(*dtype).str());
    break;
  }
  call.tensors[param.getName()] = tensor;
  if (param.getInPlaceOf())
    spoilPlace(call, param);
  spoilShape(std::move(call), param);
}

/// An output that may lie over an input must not lie across it.
void Search::spoilPlace(Call call, ParamAttr param) {
  Tensor &output = call.tensors[param.getName()];
  const Tensor *input = call.find(param.getInPlaceOf());
  if (!input || getNumElements(output.shape) < 2)
    return;
  output.over = param.getInPlaceOf().str();
  output.dtype = input->dtype;
  if (ask(call) != Answer::Accepted)
    report(GapKind::Overlap, param.getName(), "the same memory is refused");
  output.offset = 1;
  if (ask(call) != Answer::Refused)
    report(GapKind::Overlap, param.getName(), "it begins one element later");
}

void Search::spoilAttribute(Call call, ParamAttr param) {
  for (const AttributeValue &value : suggestValues(op, param)) {
    call.attributes[param.getName()] = value;
    if (ask(call) != Answer::Refused)
      expectFit(call, param);
  }
}

void Search::spoil(const Call &call) {
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (!param.isTensor())
      spoilAttribute(call, param);
    else if (call.find(param.getName()))
      spoilTensor(call, param);
  Call other = call;
  other.product = "";
  if (ask(other) != Answer::Refused)
    report(GapKind::Product, "", "");
  other = call;
  other.hasWorkspaceSize = false;
  if (ask(other) != Answer::Refused)
    report(GapKind::Null, kWorkspaceSizeArg, "");
  other = call;
  other.hasExecutor = false;
  if (ask(other) != Answer::Refused)
    report(GapKind::Null, kExecutorArg, "");
}

Coverage Search::run() {
  // What the contract says of calls that it cannot judge is not for the user.
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  collectCalls();
  for (const Call &call : calls)
    spoil(call);
  return std::move(coverage);
}

Coverage lossgrad::findGaps(OperatorOp op) { return Search(op).run(); }
