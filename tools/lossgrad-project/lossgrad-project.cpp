//===- lossgrad-project.cpp - Records to a custom-operator project --------===//
//
// A thin main over codegen/Project: reads record files and writes one folder
// that builds. Building and running it belong to CMake and lossgrad-run.
//
//===----------------------------------------------------------------------===//

#include "codegen/Project/Project.h"
#include "dialect/Dialects.h"
#include "codegen/Project/Writer.h"
#include "tools/ToolMain.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace lossgrad;
namespace cl = llvm::cl;

static cl::OptionCategory category("lossgrad-project options");

static cl::list<std::string> recordFiles(cl::Positional, cl::OneOrMore,
                                         cl::desc("<file.td>..."),
                                         cl::cat(category));
static cl::opt<std::string> folder("o", cl::Required, cl::value_desc("folder"),
                                   cl::desc("Where the project goes: a new or "
                                            "empty folder, or one that this "
                                            "tool has written"),
                                   cl::cat(category));
static cl::list<std::string>
    includeDirs("I", cl::Prefix, cl::value_desc("dir"),
                cl::desc("Where `include` in records looks first"),
                cl::cat(category));
static cl::list<std::string>
    socs("soc", cl::CommaSeparated, cl::value_desc("name,..."),
         cl::desc("Product families (A2), compute units (ascend910b) or chips "
                  "(Ascend910B1); default: all that have a schedule"),
         cl::cat(category));
static cl::opt<bool> requireAll(
    "require-all",
    cl::desc("An operator that cannot be generated is an error; by default it "
             "is left out with a warning and listed in docs/README.md"),
    cl::cat(category));
static cl::opt<bool>
    overwrite("overwrite-edited",
              cl::desc("Replace emitted files that were edited since"),
              cl::cat(category));
static cl::opt<bool> quiet("q", cl::desc("Print errors only"),
                           cl::cat(category));

static constexpr llvm::StringLiteral overview =
    R"(operator records to a custom-operator project

  Writes kernels, tiling, operator definition, inference, the public aclnn
  functions, documentation, examples and a CMakeLists.txt that builds with the
  lossgrad SDK and with a CANN toolkit. The folder changes in one step; files
  that did not change keep their time stamps.

  Examples:
    lossgrad-project MyLoss.td -o my_loss
    lossgrad-project ops_td/*.td -o ops --soc A2,A3
    cmake -S my_loss -B my_loss/build_out -DLossgradSDK_DIR=<sdk>/lib/cmake/LossgradSDK
    cmake --build my_loss/build_out
)";

/// What has no place in a file is printed without one.
static LogicalResult printPlaceless(Diagnostic &diagnostic) {
  if (!isa<UnknownLoc>(diagnostic.getLocation()))
    return failure(); // the handler below shows the line
  llvm::WithColor::error() << diagnostic.str() << '\n';
  for (Diagnostic &note : diagnostic.getNotes())
    llvm::WithColor::note() << note.str() << '\n';
  return success();
}

static void report(const project::Project &project,
                   const project::WriteResult &result) {
  for (const project::Skipped &skipped : project.skipped)
    llvm::WithColor::warning()
        << "left out " << skipped.record << ": " << skipped.place << ": "
        << skipped.reason << '\n';
  for (const project::WithoutKernels &product : project.withoutKernels)
    llvm::WithColor::warning() << "no kernels for " << product.product << " ("
                               << llvm::join(product.operators, ", ")
                               << "): " << product.reason << '\n';
  for (const project::Operator &op : project.operators)
    llvm::outs() << op.record << ": " << llvm::join(op.units, ", ") << '\n';
  llvm::outs() << folder << ": " << project.operators.size()
               << (project.operators.size() == 1 ? " operator, "
                                                 : " operators, ")
               << result.written << " files written, " << result.unchanged
               << " unchanged, " << result.removed << " removed\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  lossgrad::tools::setVersion("lossgrad-project");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  ScopedDiagnosticHandler placeless(&context, printPlaceless);
  context.printOpOnDiagnostic(false);

  project::Options options;
  options.socs.assign(socs.begin(), socs.end());
  options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
  options.requireAll = requireAll;
  FailureOr<project::Project> project =
      project::generate(recordFiles, options, &context);
  if (failed(project))
    return 1;
  llvm::Expected<project::WriteResult> result =
      project::writeFolder(folder, project->files, overwrite);
  if (!result) {
    llvm::logAllUnhandledErrors(result.takeError(), llvm::errs(), "error: ");
    return 1;
  }
  if (!quiet)
    report(*project, *result);
  return 0;
}
