//===- lossgrad-interpret.cpp - Run an operator's body in float64 ---------===//
//
// A thin main around the interpreter library: operator and call in, outputs
// and, on request, every intermediate value out, as JSON.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "dialect/LossGrad/Interpreter/CallJson.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "tools/ToolMain.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lossgrad;

static cl::OptionCategory category("lossgrad-interpret options");
static cl::opt<std::string> operatorFile(cl::Positional, cl::Required,
                                         cl::desc("<operator.td|.mlir>"),
                                         cl::cat(category));
static cl::opt<std::string> callFile(cl::Positional, cl::Required,
                                     cl::desc("<call.json>"),
                                     cl::cat(category));
static cl::opt<std::string>
    operatorName("operator", cl::value_desc("name"),
                 cl::desc("Operator to run, if the file holds several"),
                 cl::cat(category));
static cl::list<std::string> includeDirs("I", cl::Prefix, cl::value_desc("dir"),
                                         cl::desc("Include path for records"),
                                         cl::cat(category));
static cl::opt<std::string>
    caseId("case", cl::value_desc("id"),
           cl::desc("Case to run, if the call file has one case per line"),
           cl::cat(category));
static cl::opt<std::string>
    dump("dump", cl::value_desc("names|all"),
         cl::desc("Print these intermediate values too, separated by commas"),
         cl::cat(category));
static cl::opt<bool>
    roundOutputs("round",
                 cl::desc("Round outputs to the dtypes that the call gives"),
                 cl::cat(category));

static cl::opt<double> tolerance(
    "check", cl::value_desc("tolerance"), cl::init(-1),
    cl::desc("Fail unless outputs agree with the values that the call gives "
             "for them, within this relative and absolute tolerance; with "
             "--round both are rounded first"),
    cl::cat(category));

static const char overview[] =
    R"(lossgrad-interpret: run the body of an operator in float64

Reads an operator (a record or IR) and a call, and prints the outputs as JSON.

  lossgrad-interpret SmoothL1LossBackward.td call.json
  lossgrad-interpret SmoothL1.mlir call.json
  lossgrad-interpret SmoothL1.mlir cases.jsonl --case smooth_l1/7 --dump all
  lossgrad-interpret losses.mlir call.json --operator KlDivBackward --dump gB,k
  lossgrad-interpret SmoothL1.mlir call.json --check 1e-6

A call is a JSON object; an output's shape follows from the inputs:

  {"inputs":  [{"name": "self", "dtype": "float32", "shape": [2], "values": [1, 2]},
               {"name": "target", "dtype": "float32", "shape": [2], "range": [-1, 1]},
               {"name": "weight", "null": true}],
   "attrs":   {"reduction": 1, "beta": 0.5},
   "outputs": [{"name": "out", "dtype": "float16", "shape": [2]}]}

Values of inputs are rounded to the tensor's dtype first. A "range" (or "normal") is drawn
from the call's "id" and the tensor's name: the same data in every run.
)";

static ExitOnError exitOnError("lossgrad-interpret: ");

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path +
                                 "': " + buffer.getError().message());
  return std::move(*buffer);
}

/// Records or IR, by the name of the file. Null after diagnostics.
static mlir::OwningOpRef<mlir::ModuleOp>
readModule(SourceMgr &sources, mlir::MLIRContext &context) {
  if (!StringRef(operatorFile).ends_with(".td"))
    return mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  ImportOptions options;
  options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
  return importRecords(sources, options, &context);
}

static Expected<OperatorOp> findOperator(mlir::ModuleOp module) {
  SmallVector<OperatorOp> found;
  std::string names;
  for (auto op : module.getOps<OperatorOp>()) {
    names += (names.empty() ? "" : ", ") + op.getSymName().str();
    if (operatorName.empty() || op.getSymName() == operatorName)
      found.push_back(op);
  }
  if (found.size() == 1)
    return found.front();
  if (names.empty())
    return createStringError("'" + operatorFile + "' holds no operator");
  return createStringError(
      (found.empty() ? "no operator '" + operatorName + "'"
                     : std::string("several operators; choose one with "
                                   "--operator")) +
      ": '" + operatorFile + "' holds " + names);
}

/// The file as one object, or the line of the case that was asked for.
static Expected<json::Value> findCall(StringRef text) {
  if (caseId.empty()) {
    Expected<json::Value> value = parseJson(text);
    if (!value)
      return joinErrors(
          createStringError("'" + callFile +
                            "' is not one JSON object (choose a line of a file "
                            "with one case per line by --case)"),
          value.takeError());
    return value;
  }
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (!line.contains(caseId))
      continue;
    Expected<json::Value> value = parseJson(line);
    if (!value)
      return value.takeError();
    if (value->getAsObject() &&
        value->getAsObject()->getString("id") == caseId.getValue())
      return value;
  }
  return createStringError("no case '" + caseId + "' in '" + callFile + "'");
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static void writeIntermediate(json::OStream &json, mlir::Value value,
                              const RuntimeValue &result) {
  auto type = cast<ValueType>(value.getType());
  json.object([&] {
    json.attribute("name", getValueName(value));
    json.attributeArray("dims", [&] {
      for (mlir::StringAttr dim : type.getDims())
        json.value(dim.getValue());
    });
    json.attributeArray("extents", [&] {
      for (int64_t extent : result.extents)
        json.value(extent);
    });
    json.attribute("kind", stringifyKind(result.kind));
    json.attributeBegin("values");
    if (result.kind == Kind::String)
      json.value(result.text);
    else
      writeElements(json, result.elements, result.kind);
    json.attributeEnd();
  });
}

static Element rounded(Element element, Kind kind, DType dtype) {
  if (kind == Kind::Real)
    element.real = roundTo(dtype, element.real);
  else
    element.integer = roundTo(dtype, element.integer);
  return element;
}

static void writeOutput(json::OStream &json, OutputTensor &output) {
  if (roundOutputs)
    for (Element &element : output.elements)
      element = rounded(element, output.kind, output.dtype);
  json.object([&] {
    json.attribute("name", output.name);
    json.attributeArray("shape", [&] {
      for (int64_t extent : output.shape)
        json.value(extent);
    });
    json.attributeBegin("values");
    writeElements(json, output.elements, output.kind);
    json.attributeEnd();
  });
}

static Error checkDumpNames(OperatorOp op, ArrayRef<StringRef> wanted) {
  for (StringRef name : wanted) {
    bool known = name == "all";
    for (mlir::Operation &inner : op.getBody().front())
      known |= inner.getNumResults() == 1 &&
               getValueName(inner.getResult(0)) == name;
    if (!known)
      return createStringError("--dump: the body of " + op.getSymName() +
                               " has no value named '" + name + "'");
  }
  return Error::success();
}

static bool agree(double actual, double expected) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual))
    return expected == actual;
  return std::fabs(actual - expected) <= tolerance * (1 + std::fabs(expected));
}

/// Compares outputs with the values that the call expects of them.
static Error checkOutputs(ArrayRef<OutputTensor> outputs, const Call &call) {
  bool compared = false;
  for (const OutputTensor &output : outputs) {
    const Tensor *expected = call.find(output.name);
    if (!expected || expected->elements.empty())
      continue;
    if (expected->elements.size() != output.elements.size())
      return createStringError("output '" + output.name + "' has shape " +
                               lossgrad::toString(output.shape) +
                               ", expected " +
                               lossgrad::toString(expected->shape));
    compared = true;
    for (size_t i = 0; i < output.elements.size(); ++i) {
      Element a = output.elements[i], e = expected->elements[i];
      if (roundOutputs)
        e = rounded(e, output.kind, output.dtype);
      bool ok = output.kind == Kind::Real ? agree(a.real, e.real)
                                          : a.integer == e.integer;
      if (!ok)
        return createStringError(
            "output '%s' is %.9g at element %zu, expected %.9g",
            output.name.c_str(),
            output.kind == Kind::Real ? a.real : double(a.integer), i,
            output.kind == Kind::Real ? e.real : double(e.integer));
    }
  }
  if (!compared)
    return createStringError("--check: the call gives no values of outputs");
  return Error::success();
}

static Error run(OperatorOp op, const Call &call) {
  SmallVector<StringRef> wanted;
  StringRef(dump).split(wanted, ',', -1, /*KeepEmpty=*/false);
  if (Error error = checkDumpNames(op, wanted))
    return error;
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  if (!wanted.empty()) {
    json.attributeBegin("intermediates");
    json.arrayBegin();
  }
  auto onResult = [&](mlir::Value value, const RuntimeValue &result) {
    if (is_contained(wanted, "all") ||
        is_contained(wanted, getValueName(value)))
      writeIntermediate(json, value, result);
  };
  InterpreterOptions options;
  if (!wanted.empty())
    options.onResult = onResult;
  Expected<std::vector<OutputTensor>> outputs = interpret(op, call, options);
  if (!outputs)
    return outputs.takeError();
  if (!wanted.empty()) {
    json.arrayEnd();
    json.attributeEnd();
  }
  json.attributeArray("outputs", [&] {
    for (OutputTensor &output : *outputs)
      writeOutput(json, output);
  });
  json.objectEnd();
  outs() << text << '\n';
  return tolerance < 0 ? Error::success() : checkOutputs(*outputs, call);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  lossgrad::tools::setVersion("lossgrad-interpret");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  mlir::MLIRContext context;
  context.loadDialect<LossGradDialect>();
  SourceMgr sources;
  sources.AddNewSourceBuffer(exitOnError(readFile(operatorFile)), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = readModule(sources, context);
  if (!module)
    return 1;
  OperatorOp op = exitOnError(findOperator(*module));

  auto text = exitOnError(readFile(callFile));
  json::Value value = exitOnError(findCall(text->getBuffer()));
  if (!value.getAsObject())
    exitOnError(createStringError("'" + callFile + "' is not a JSON object"));
  Call call = exitOnError(parseCall(*value.getAsObject()));
  exitOnError(run(op, call));
  return 0;
}
