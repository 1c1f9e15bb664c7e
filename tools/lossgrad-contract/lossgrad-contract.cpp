//===- lossgrad-contract.cpp - Would this call be accepted? ---------------===//
//
// Evaluates the contract of an operator on described calls and prints how the
// first phase would end: the status, the check that failed, and its condition
// with the values of the call. Needs no runtime and no memory for tensors. With
// expected statuses in the calls it is a test: it counts and exits accordingly.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "dialect/LossGrad/Contract/Contract.h"
#include "dialect/LossGrad/Contract/Deviations.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "lossgrad/Targets.h"
#include "tools/ToolMain.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lossgrad;

static cl::OptionCategory category("lossgrad-contract options");
static cl::list<std::string>
    files(cl::Positional, cl::OneOrMore,
          cl::desc("<operators.td|.mlir> <calls.json|.jsonl> ..."),
          cl::cat(category));
static cl::opt<std::string>
    productName("product", cl::init("A2"), cl::value_desc("family"),
                cl::desc("Product family of calls that name none (default A2)"),
                cl::cat(category));
static cl::opt<std::string>
    filter("filter", cl::value_desc("text"),
           cl::desc("Only calls whose id contains this"), cl::cat(category));
static cl::opt<std::string>
    deviationFile("deviations", cl::value_desc("file.json"),
                  cl::desc("Table of calls for which another status than the "
                           "expected one is right"),
                  cl::cat(category));
static cl::opt<bool>
    asJson("json", cl::desc("Print one JSON object per call instead of text"),
           cl::cat(category));
static cl::opt<bool> quiet("quiet",
                           cl::desc("Print failures and the count only"),
                           cl::cat(category));
static cl::list<std::string> includeDirs("I", cl::Prefix, cl::value_desc("dir"),
                                         cl::desc("Include path for records"),
                                         cl::cat(category));

static const char overview[] =
    R"(lossgrad-contract: how the first phase of a call would end

Reads operators (records or IR) and calls (one JSON object, or one per line), and
evaluates for each call the contract of the operator that its "op" names.

  lossgrad-contract ops_td/SmoothL1LossBackward.td call.json
  lossgrad-contract ops_td/*.td test/cases/*.jsonl --deviations test/cases/deviations.json --quiet

A call that carries "expect": {"status": N} is compared with it. The last line counts
passed, failed and skipped calls; the exit status is 1 if any failed, 2
if the command or its input is at fault.
)";

namespace {

class Tool {
public:
  explicit Tool(mlir::MLIRContext &context) : context(context) {}

  bool loadOperators(StringRef path);
  bool loadDeviations(StringRef path);
  bool runFile(StringRef path);
  int finish();

private:
  void runCall(const json::Object &object, StringRef where);
  void runOn(OperatorOp op, Call &call, StringRef id,
             std::optional<int64_t> expected);
  void printJson(const ContractOutcome &outcome, const Call &call, StringRef id,
                 bool right);
  void printText(const ContractOutcome &outcome, const Call &call, StringRef id,
                 std::optional<int64_t> expected, StringRef reason);
  bool fail(const Twine &message) {
    errs() << "lossgrad-contract: " << message << '\n';
    broken = true;
    return false;
  }

  mlir::MLIRContext &context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  StringMap<OperatorOp> operators; // by aclnn function
  StringMap<Deviation> deviations; // of the contract
  StringSet<> neededDeviations;
  unsigned passed = 0, failed = 0, skipped = 0;
  bool broken = false;
};

} // namespace

bool Tool::loadOperators(StringRef path) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (path.ends_with(".td")) {
    auto buffer = MemoryBuffer::getFile(path);
    if (!buffer)
      return fail(path + ": " + buffer.getError().message());
    SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
    ImportOptions options;
    options.includeDirs = includeDirs;
    module = importRecords(sources, options, &context);
  } else {
    module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  }
  if (!module)
    return fail(path + ": no operators could be read");
  for (auto op : module->getOps<OperatorOp>())
    operators[("aclnn" + op.getSymName()).str()] = op;
  modules.push_back(std::move(module));
  return true;
}

bool Tool::loadDeviations(StringRef path) {
  Expected<StringMap<Deviation>> table = readDeviations(path);
  if (!table)
    return fail(toString(table.takeError()));
  for (auto &entry : *table)
    if (!entry.second.isByLibrary)
      deviations.insert({entry.first(), std::move(entry.second)});
  return true;
}

bool Tool::runFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return fail(path + ": " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (Expected<json::Value> whole = parseJson(text)) {
    if (const json::Object *object = whole->getAsObject())
      runCall(*object, path);
    else
      return fail(path + ": a call must be a JSON object");
    return true;
  } else {
    consumeError(whole.takeError());
  }
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [first, rest] = text.split('\n');
    text = rest;
    if (first.trim().empty())
      continue;
    std::string where = formatv("{0}:{1}", path, line);
    Expected<json::Value> value = parseJson(first);
    if (!value)
      return fail(where + ": " + toString(value.takeError()));
    const json::Object *object = value->getAsObject();
    if (!object)
      return fail(where + ": a call must be a JSON object");
    runCall(*object, where);
  }
  return true;
}

void Tool::runCall(const json::Object &object, StringRef where) {
  StringRef id = object.getString("id").value_or(where);
  if (!id.contains(filter))
    return;
  auto function = object.getString("op");
  OperatorOp op = function                ? operators.lookup(*function)
                  : operators.size() == 1 ? operators.begin()->second
                                          : OperatorOp();
  if (!op) {
    ++skipped;
    if (!quiet)
      outs() << id << ": skipped, no operator '" << function.value_or("")
             << "' was read\n";
    return;
  }
  if (object.getString("level") == StringRef("kernel")) {
    ++skipped; // written for a bare kernel, beyond the documented interface
    return;
  }
  Expected<Call> call = parseCall(object, /*withContents=*/false);
  if (!call) {
    fail(where + ": " + toString(call.takeError()));
    return;
  }
  if (const json::Array *pointers = object.getArray("null_pointers"))
    for (const json::Value &pointer : *pointers) {
      StringRef name = pointer.getAsString().value_or("");
      if (name == kWorkspaceSizeArg)
        call->hasWorkspaceSize = false;
      else if (name == kExecutorArg)
        call->hasExecutor = false;
      else
        fail(where + ": 'null_pointers' may list '" + kWorkspaceSizeArg +
             "' and '" + kExecutorArg + "', not '" + name + "'");
    }
  std::optional<int64_t> expected;
  if (const json::Object *expect = object.getObject("expect"))
    expected = expect->getInteger("status");

  SmallVector<StringRef> units;
  object.getString("soc").value_or("").split(units, '|', -1, false);
  if (units.empty()) {
    call->product = productName;
    runOn(op, *call, id, expected);
    return;
  }
  for (StringRef unit : units) {
    const targets::Family *family = targets::findComputeUnit(unit.str());
    if (!family) {
      ++skipped;
      if (!quiet)
        outs() << id << ": skipped, '" << unit << "' is no compute unit\n";
      continue;
    }
    call->product = family->key;
    runOn(op, *call, id, expected);
  }
}

void Tool::runOn(OperatorOp op, Call &call, StringRef id,
                 std::optional<int64_t> expected) {
  mlir::FailureOr<ContractOutcome> outcome = evaluateContract(op, call);
  if (mlir::failed(outcome)) {
    broken = true;
    return;
  }
  std::string reason;
  auto deviation = deviations.find(id);
  if (deviation != deviations.end()) {
    neededDeviations.insert(id);
    expected = deviation->second.status;
    reason = " (deviation: " + deviation->second.reason + ")";
  }
  bool right = !expected || *expected == outcome->status;
  ++(right ? passed : failed);
  if (quiet && right)
    return;
  if (asJson)
    printJson(*outcome, call, id, right);
  else
    printText(*outcome, call, id, right ? std::nullopt : expected, reason);
}

void Tool::printJson(const ContractOutcome &outcome, const Call &call,
                     StringRef id, bool right) {
  json::OStream os(outs());
  os.object([&] {
    os.attribute("id", id);
    os.attribute("product", call.product);
    os.attribute("status", outcome.status);
    os.attribute("right", right);
    os.attribute("step", outcome.position);
    os.attribute("nothing_to_do", outcome.nothingToDo);
    os.attribute("message", outcome.message);
    os.attribute("predicate", outcome.predicate);
  });
  outs() << '\n';
}

/// With `expected`, the call failed.
void Tool::printText(const ContractOutcome &outcome, const Call &call,
                     StringRef id, std::optional<int64_t> expected,
                     StringRef reason) {
  raw_ostream &os = outs();
  os << id << ": ";
  if (expected)
    os << "FAILED, expected status " << *expected << ", got ";
  os << "status " << outcome.status << " on " << call.product;
  if (outcome.endedBy)
    os << (outcome.nothingToDo ? ", nothing to do by step "
                               : ", refused by step ")
       << outcome.position
       << (outcome.message.empty() ? "" : ": " + outcome.message) << "\n    "
       << outcome.predicate;
  os << reason << '\n';
}

int Tool::finish() {
  if (filter.empty())
    for (const auto &entry : deviations)
      if (!neededDeviations.contains(entry.first()))
        fail("deviation '" + entry.first() + "' was never needed");
  (asJson ? errs() : outs()) << formatv("{0} passed, {1} failed, {2} skipped\n",
                                        passed, failed, skipped);
  return broken ? 2 : failed != 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  lossgrad::tools::setVersion("lossgrad-contract");
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return 2;

  if (!targets::findFamily(productName)) {
    errs() << "lossgrad-contract: unknown product family '" << productName
           << "'; known are:";
    for (const auto *f = targets::familiesBegin(); f != targets::familiesEnd();
         ++f)
      errs() << ' ' << f->key;
    errs() << '\n';
    return 2;
  }
  mlir::MLIRContext context;
  context.loadDialect<LossGradDialect>();
  Tool tool(context);
  auto isCalls = [](StringRef path) {
    return path.ends_with(".json") || path.ends_with(".jsonl") || path == "-";
  };
  bool ok = true;
  for (StringRef path : files)
    if (!isCalls(path))
      ok &= tool.loadOperators(path);
  if (!ok)
    return 2;
  if (!deviationFile.empty() && !tool.loadDeviations(deviationFile))
    return 2;
  for (StringRef path : files)
    if (isCalls(path))
      ok &= tool.runFile(path);
  return ok ? tool.finish() : 2;
}
