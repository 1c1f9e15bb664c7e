//===- lossgrad-tblgen.cpp - Operator records on the command line ---------===//
//
// A thin main over the importer: prints the IR of the records of a file, or
// lists what the file and the base classes offer. Lowering and emission belong
// to lossgrad-opt and lossgrad-translate.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/FormulaOperator.h"
#include "codegen/Import/Import.h"
#include "codegen/Import/Rules.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("lossgrad-tblgen options");

enum class Action { EmitMlir, List, ListOperators, ListDerivatives };

static cl::opt<std::string> inputFile(cl::Positional, cl::init("-"),
                                      cl::desc("<file.td>"), cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::init("-"),
                                       cl::value_desc("file"),
                                       cl::desc("Output file"),
                                       cl::cat(category));
static cl::list<std::string>
    includeDirs("I", cl::Prefix, cl::value_desc("dir"),
                cl::desc("Where `include` looks first; then come the folder of "
                         "the file and the base classes"),
                cl::cat(category));
static cl::opt<Action> action(
    cl::init(Action::EmitMlir), cl::desc("What to print:"),
    cl::values(
        clEnumValN(Action::EmitMlir, "emit-mlir",
                   "the records as lossgrad IR (default)"),
        clEnumValN(Action::List, "list", "name and summary of each operator"),
        clEnumValN(Action::ListOperators, "list-formula-operators",
                   "what may stand in a formula, with arguments and meaning"),
        clEnumValN(Action::ListDerivatives, "list-derivatives",
                   "the rules of differentiation, with their conventions at "
                   "kinks, as a table")),
    cl::cat(category));
static cl::opt<bool>
    printLocations("locations",
                   cl::desc("Print the place of each op in the records"),
                   cl::cat(category));

static cl::opt<bool> forwards("forwards",
                              cl::desc("Import forwards (Loss) as well"),
                              cl::cat(category));
static cl::opt<bool> ignoreResults(
    "ignore-results",
    cl::desc("Derive operators also where their results are written"),
    cl::cat(category));
static cl::opt<bool> noDerive(
    "no-derive",
    cl::desc("Leave gradients to be derived by passes of lossgrad-opt"),
    cl::cat(category));

static constexpr llvm::StringLiteral overview = R"(operator records to IR

  Reads records of class LossBackward from a TableGen file. The file starts
  with `include "Base.td"`; docs/records.md describes the classes.

  Examples:
    lossgrad-tblgen MyLoss.td                    the IR of MyLoss.td
    lossgrad-tblgen MyLoss.td | lossgrad-opt     ... verified once more
    lossgrad-tblgen --no-derive MyLoss.td        with forwards, before derivation
    lossgrad-tblgen MyLoss.td -I common -o MyLoss.mlir
    lossgrad-tblgen --list MyLoss.td             its operators
    lossgrad-tblgen --list-formula-operators MyLoss.td
    lossgrad-tblgen --list-derivatives MyLoss.td
)";

static void list(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *def :
       records.getAllDerivedDefinitionsIfDefined("LossBackward")) {
    if (def->isSubClassOf("Loss"))
      continue;
    std::optional<llvm::StringRef> function =
        def->getValueAsOptionalString("function");
    std::optional<llvm::StringRef> summary =
        def->getValueAsOptionalString("summary");
    os << function.value_or(def->getName()) << ": "
       << summary.value_or("(no summary)") << '\n';
  }
}

static LogicalResult listOperators(const llvm::RecordKeeper &records,
                                   const lossgrad::RecordSource &source,
                                   llvm::raw_ostream &os) {
  for (const llvm::Record *def :
       records.getAllDerivedDefinitionsIfDefined("FormulaOperator")) {
    auto op = lossgrad::readFormulaOperator(*def, source);
    if (failed(op))
      return failure();
    os << op->getUsage() << "\n    " << op->doc << '\n';
  }
  return success();
}

static LogicalResult listDerivatives(const llvm::RecordKeeper &records,
                                     const lossgrad::RecordSource &source,
                                     llvm::raw_ostream &os) {
  auto rules = lossgrad::RuleTable::read(records, source);
  return failed(rules) ? failure() : rules->print(records, source, os);
}

static LogicalResult run(llvm::SourceMgr &sources, MLIRContext &context,
                         llvm::raw_ostream &os) {
  lossgrad::ImportOptions options;
  options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
  options.forwards = forwards;
  options.ignoreResults = ignoreResults;
  options.derive = !noDerive;
  if (action == Action::EmitMlir) {
    auto module = lossgrad::importRecords(sources, options, &context);
    if (!module)
      return failure();
    OpPrintingFlags flags;
    if (printLocations)
      flags.enableDebugInfo(true, /*prettyForm=*/false);
    module->print(os, flags);
    os << '\n';
    return success();
  }
  llvm::RecordKeeper records;
  if (failed(lossgrad::parseRecords(sources, options, &context, records)))
    return failure();
  if (action == Action::ListOperators)
    return listOperators(records, {sources, &context}, os);
  if (action == Action::ListDerivatives)
    return listDerivatives(records, {sources, &context}, os);
  list(records, os);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  lossgrad::tools::setVersion("lossgrad-tblgen");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputFile, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputFile, &message) : nullptr;
  if (!output) {
    llvm::errs() << "error: " << message << '\n';
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<lossgrad::LossGradDialect>();
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (failed(run(sources, context, output->os())))
    return 1;
  output->keep();
  return 0;
}
