//===- CaseRunner.cpp - Running and judging one case ----------------------===//

#include "CaseRunner.h"
#include "Judge.h"
#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "lossgrad/Targets.h"
#include "passes/Derive/Differences.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

static void skip(CaseResult &result, std::string reason) {
  result.outcome = Outcome::Skipped;
  result.reasons.push_back(std::move(reason));
}

Error CaseRunner::openRuntime() {
  if (runtime)
    return Error::success();
  Expected<std::unique_ptr<AclRuntime>> opened =
      AclRuntime::open(options.library);
  if (!opened)
    return opened.takeError();
  runtime = std::move(*opened);
  return Error::success();
}

/// Reads the description of a call. Pointers that end it may be null. The form
/// of the case was checked when it was read.
static Expected<Call> describe(const Case &test) {
  Expected<Call> call = parseCall(test.json, /*withContents=*/false);
  if (!call)
    return call.takeError();
  const json::Array *pointers = test.json.getArray("null_pointers");
  for (size_t i = 0; pointers && i < pointers->size(); ++i) {
    bool isSize = (*pointers)[i].getAsString() == kWorkspaceSizeArg;
    (isSize ? call->hasWorkspaceSize : call->hasExecutor) = false;
  }
  return call;
}

/// Free for new processes, in bytes; everything where the system does not say.
static uint64_t getFreeMemory() {
  auto text = MemoryBuffer::getFileAsStream("/proc/meminfo");
  uint64_t kibibytes = 0;
  if (text) {
    StringRef rest = (*text)->getBuffer();
    rest = rest.drop_front(std::min(rest.find("MemAvailable:"), rest.size()));
    if (rest.consume_front("MemAvailable:") &&
        !rest.ltrim().consumeInteger(10, kibibytes))
      return kibibytes << 10;
  }
  return UINT64_MAX;
}

std::optional<std::string> run::whyTooLarge(const StringMap<View> &views,
                                            int64_t maxElements,
                                            uint64_t freeMemory) {
  // Contents as float64, storage here, on the device and on the way; the
  // reference holds about ten values per element at a time, with their terms.
  double bytes = 0;
  int64_t largest = 0;
  for (const auto &entry : views) {
    int64_t elements = std::max(entry.second.getStorageElements(),
                                entry.second.getNumElements());
    largest = std::max(largest, elements);
    bytes += elements * (8.0 + 3.0 * getElementBytes(entry.second.dtype));
  }
  bytes += 80.0 * largest;
  if (largest > maxElements)
    return "a tensor has more elements than --max-elements";
  if (bytes > static_cast<double>(freeMemory))
    return formatv("needs about {0} GiB of memory, {1} GiB are free",
                   static_cast<uint64_t>(bytes / (1 << 30)) + 1,
                   freeMemory >> 30)
        .str();
  return std::nullopt;
}

/// Skips what is not for this machine or this operator.
bool CaseRunner::mayRun(OperatorOp op, const Case &test, CaseResult &result) {
  if (!hasFunction(*runtime, test.op)) {
    skip(result, "the library has no " + test.op);
    return false;
  }
  Expected<StringMap<View>> views = parseViews(test);
  if (!views) {
    result.fail(test.where + ": " + toString(views.takeError()));
    return false;
  }
  if (!test.validateOnly && test.expectedStatus == 0)
    if (auto reason =
            whyTooLarge(*views, options.maxElements,
                        getFreeMemory() / std::max(options.jobs, 1u))) {
      skip(result, std::move(*reason));
      return false;
    }
  // Cases of a bare kernel that notes speak against were asked for: only
  // those that the contract accepts.
  if (test.kernelLevel && any_of(test.notes, [](StringRef note) {
        return !note.starts_with("weak:");
      })) {
    Expected<Call> call = describe(test);
    if (!call) {
      result.fail(test.where + ": " + toString(call.takeError()));
      return false;
    }
    call->product = options.selection.family->key;
    mlir::FailureOr<ContractOutcome> outcome = evaluateContract(op, *call);
    if (mlir::failed(outcome) || outcome->status != 0) {
      skip(result, "written for a bare kernel; the public function refuses it");
      return false;
    }
  }
  return true;
}

CaseResult CaseRunner::run(const Case &test) {
  auto start = std::chrono::steady_clock::now();
  CaseResult result;
  result.id = test.id;
  result.op = test.op;
  result.expectedStatus = test.expectedStatus;
  result.deviation = test.deviation;
  Expected<OperatorOp> op = records.find(test.op);
  if (!op)
    result.fail(toString(op.takeError()));
  else if (!*op)
    skip(result, "no record of " + test.op + records.suggest(test.op));
  else if (Error error = openRuntime())
    result.fail(toString(std::move(error)));
  else if (mayRun(*op, test, result)) {
    if (test.validateOnly)
      runValidate(*op, test, result);
    else
      runNumeric(*op, test, result);
    for (std::string &finding : runtime->takeFindings())
      result.fail("check mode: " + finding);
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

void CaseRunner::checkStatus(const CallOutcome &outcome, CaseResult &result) {
  result.status = outcome.status;
  if (outcome.status != result.expectedStatus)
    result.fail(formatv(
        "status {0}, expected {1}{2}{3}", outcome.status, result.expectedStatus,
        outcome.errorText.empty() ? "" : ": ", outcome.errorText));
  for (const std::string &damage : outcome.damages)
    result.fail(damage);
}

void CaseRunner::runValidate(OperatorOp op, const Case &test,
                             CaseResult &result) {
  Expected<Call> call = describe(test);
  if (!call)
    return result.fail(test.where + ": " + toString(call.takeError()));
  Expected<StringMap<View>> views = parseViews(test);
  if (!views)
    return result.fail(test.where + ": " + toString(views.takeError()));
  CallArguments arguments{op, &*call, std::move(*views)};
  Expected<CallOutcome> outcome = callFirstPhase(*runtime, arguments);
  if (!outcome)
    return result.fail(toString(outcome.takeError()));
  checkStatus(*outcome, result);
}

void CaseRunner::runNumeric(OperatorOp op, const Case &test,
                            CaseResult &result) {
  // A call that is expected to be refused has no result.
  if (test.expectedStatus != 0)
    return runValidate(op, test, result);
  Expected<GoldenCall> golden =
      makeGolden(op, test, options.seed, options.rules.lookup(test.op),
                 records.findObjective(op));
  if (!golden)
    return result.fail("no reference: " + toString(golden.takeError()));
  result.allowance = golden->allowance;
  CallArguments arguments{op, &golden->call, {}};
  Expected<CallOutcome> outcome =
      callBothPhases(*runtime, arguments, golden->storage);
  if (!outcome)
    return result.fail(toString(outcome.takeError()));
  checkStatus(*outcome, result);
  if (outcome->status != 0)
    return;
  judgeOutputs(op, test, *golden, result);
  compareWithForward(op, test, *golden, result);
}

/// The index of the i-th element of a shape.
static std::vector<int64_t> indexOf(size_t i, ArrayRef<int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = i % shape[axis];
    i /= shape[axis];
  }
  return index;
}

static void failOutput(const OutputTensor &output, const Verdict &verdict,
                       StringRef what, CaseResult &result) {
  result.fail((output.name + ": " + what + verdict.reason).str());
  if (!result.wrong && !output.elements.empty())
    result.wrong =
        WrongElement{output.name, indexOf(verdict.index, output.shape),
                     verdict.got, verdict.expected, verdict.error};
}

void CaseRunner::keepOutput(const OutputTensor &output,
                            ArrayRef<Element> actual, CaseResult &result) {
  if (options.keepElements == 0)
    return;
  ComputedTensor kept{output.name,
                      stringifyDType(output.dtype).str(),
                      {output.shape.begin(), output.shape.end()},
                      {}};
  if (actual.size() <= options.keepElements)
    for (const Element &element : actual)
      kept.values.push_back(output.kind == Kind::Real
                                ? element.real
                                : static_cast<double>(element.integer));
  result.outputs.push_back(std::move(kept));
}

/// Only float32 shows how well a formula keeps its digits: the others round
/// more of them away than it loses.
static void noteExactness(const OutputTensor &output, ArrayRef<Element> actual,
                          const Verdict &verdict, CaseResult &result) {
  if (output.dtype != DType::Float32 || verdict.worstRelative == 0 ||
      (result.lessExact && result.lessExact->error >= verdict.worstRelative))
    return;
  size_t i = verdict.worstIndex;
  result.lessExact =
      WrongElement{output.name, indexOf(i, output.shape), actual[i].real,
                   output.elements[i].real, verdict.worstRelative};
}

void CaseRunner::judgeOutputs(OperatorOp op, const Case &test,
                              GoldenCall &golden, CaseResult &result) {
  Expected<bool> divides = agreesWithDivisor(op, test, golden);
  if (!divides)
    return result.fail(toString(divides.takeError()));
  if (!*divides)
    result.fail("the record divides a mean by another number than the case's "
                "divisor");
  std::vector<OutputTensor> inFloat32;
  for (auto [i, output] : enumerate(golden.outputs)) {
    auto storage = golden.storage.find(output.name);
    if (storage == golden.storage.end())
      continue; // an output that the case leaves out
    std::vector<Element> actual = storage->second.gather();
    keepOutput(output, actual, result);
    Reference reference{output.elements, output.largestTerms, golden.termUlps,
                        golden.tolerance, saturates()};
    Verdict verdict = judge(output.dtype, reference, actual);
    if (!verdict.right && golden.float32Range) {
      if (inFloat32.empty()) {
        auto computed = computeInFloat32(op, golden);
        if (!computed)
          return result.fail(toString(computed.takeError()));
        inFloat32 = std::move(*computed);
      }
      reference.inFloat32 = inFloat32[i].elements;
      verdict = judge(output.dtype, reference, actual);
    }
    noteExactness(output, actual, verdict, result);
    result.meanError = std::max(result.meanError, verdict.meanError);
    result.maxError = std::max(result.maxError, verdict.maxError);
    if (verdict.right)
      continue;
    failOutput(output, verdict, "", result);
  }
  for (const OutputTensor &output : golden.outputs)
    judgeExpectation(output, golden, result);
}

/// The reference that the kernel was judged by is itself judged by the forward,
/// on the data of the case.
void CaseRunner::compareWithForward(OperatorOp op, const Case &test,
                                    const GoldenCall &golden,
                                    CaseResult &result) {
  // Every element costs ten runs of the forward.
  constexpr size_t kMostElements = 20000;
  constexpr unsigned kPerOutput = 4;
  OperatorOp objective = records.findObjective(op);
  if (!objective)
    return;
  for (ParamAttr param : op.getInputs())
    if (const Tensor *tensor = golden.call.find(param.getName()))
      if (tensor->elements.empty() || tensor->elements.size() > kMostElements)
        return;
  Expected<GradientCheck> check =
      compareWithDifferences(op, objective, golden.call, kPerOutput, test.id);
  if (!check)
    return result.fail("no differences: " + toString(check.takeError()));
  result.differentiated = check->compared;
  result.notDifferentiable = check->leftOut;
  if (!check->wrong)
    return;
  const GradientCheck::Wrong &wrong = *check->wrong;
  result.fail(formatv("{0}: not the gradient of the forward", wrong.output));
  if (!result.wrong)
    result.wrong = WrongElement{wrong.output, indexOf(wrong.index, wrong.shape),
                                wrong.gradient, wrong.difference,
                                std::fabs(wrong.gradient - wrong.difference) /
                                    (std::fabs(wrong.difference) + 1e-7)};
}

/// The values that the case itself gives for an output: by the same rules, with
/// the file's numbers in the place of the reference.
void CaseRunner::judgeExpectation(const OutputTensor &output,
                                  GoldenCall &golden, CaseResult &result) {
  auto storage = golden.storage.find(output.name);
  const Tensor *given = golden.call.find(output.name);
  if (storage == golden.storage.end() || !given || given->elements.empty())
    return;
  Verdict verdict = judge(
      output.dtype,
      {given->elements, output.largestTerms, golden.termUlps, golden.tolerance,
       saturates()},
      storage->second.gather());
  if (!verdict.right)
    failOutput(output, verdict, "against the values of the case: ", result);
}
