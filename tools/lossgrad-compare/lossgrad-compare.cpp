//===- lossgrad-compare.cpp - Operators before and after a pass -----------===//
//
// Runs operators as they were and as passes made them on the same random calls
// with extreme values, in the interpreter, and says where results differ. What
// comes after may be operators or variants of them, of which exactly one must
// run in each call. With --float32, what a kernel would compute is compared:
// a result must be right wherever a literal translation of the operator as it
// was is right, so that no rewrite leaves float32 where the formula does not.
// What is right by accident is left out: where only subnormal numbers, which
// cancel, make it so, and where the reference is NaN because float64 left its
// own range on the way.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "codegen/Import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tools/ToolMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cfenv>

using namespace llvm;
using namespace lossgrad;

static cl::OptionCategory category("lossgrad-compare options");
static cl::opt<std::string> beforeFile(cl::Positional, cl::Required,
                                       cl::desc("<before.td|.mlir>"),
                                       cl::cat(category));
static cl::opt<std::string> afterFile(cl::Positional, cl::Required,
                                      cl::desc("<after.mlir>"),
                                      cl::cat(category));
static cl::opt<unsigned> callCount("calls", cl::init(20),
                                   cl::desc("Calls per operator (20)"),
                                   cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::init(0),
                              cl::desc("First random number (0)"),
                              cl::cat(category));
static cl::opt<bool>
    inFloat32("float32",
              cl::desc("Compute what follows as a kernel would, and compare "
                       "where a literal translation is right"),
              cl::cat(category));
static cl::opt<double> tolerance(
    "tolerance", cl::init(32), cl::value_desc("ulps"),
    cl::desc("Units in the last place of float32 (with --float32; of float64 "
             "otherwise), relative to the largest term of a result (32)"),
    cl::cat(category));
static cl::opt<std::string> product("product", cl::init("A2"),
                                    cl::desc("Product family (A2)"),
                                    cl::cat(category));

static const char overview[] =
    R"(lossgrad-compare: run operators before and after a pass on random calls

  lossgrad-opt losses.mlir --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-optimize))' > after.mlir
  lossgrad-compare losses.mlir after.mlir --float32 --calls 100

Operators are found by name. Where the second file has variants of an operator,
the one whose condition holds is run, and it must be exactly one. The exit
status is 1 if a result differs, 0 if none does.
)";

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

namespace {
struct Totals {
  size_t operators = 0, calls = 0, elements = 0, beyond = 0, failures = 0;
};
} // namespace

/// Whether a value is as near to the exact one as its terms allow.
static bool isNear(double value, double exact, double term, double ulps) {
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value);
  double unit = inFloat32 ? 0x1p-23 : 0x1p-52;
  double floor = inFloat32 ? 0x1p-140 : 0; // below the normal range
  if (std::isinf(exact) || std::isinf(value)) {
    // Near the border of the range, rounding decides.
    double most = inFloat32 ? 0x1p127 : std::numeric_limits<double>::max();
    return exact == value ||
           (std::signbit(exact) == std::signbit(value) &&
            std::fabs(exact) > most && std::fabs(value) > most);
  }
  double scale = std::fmax(std::fabs(exact), std::isfinite(term) ? term : 0);
  return std::fabs(value - exact) <= ulps * unit * scale + floor;
}

/// Says where results are wrong though they need not be: where `literals`, the
/// results of the formula as it stands, are right.
static void judge(StringRef name, StringRef call, const OutputTensor &exact,
                  bool leftFloat64, ArrayRef<const OutputTensor *> literals,
                  const OutputTensor &actual, Totals &totals) {
  for (size_t i = 0; i != exact.elements.size(); ++i) {
    ++totals.elements;
    if (exact.kind != Kind::Real) {
      if (exact.elements[i].integer == actual.elements[i].integer)
        continue;
    } else {
      double wanted = exact.elements[i].real, term = exact.largestTerms[i];
      if (inFloat32)
        wanted = roundTo(DType::Float32, wanted);
      if ((leftFloat64 && std::isnan(wanted)) ||
          any_of(literals, [&](const OutputTensor *literal) {
            return !isNear(literal->elements[i].real, wanted, term, tolerance);
          })) {
        ++totals.beyond;
        continue;
      }
      if (isNear(actual.elements[i].real, wanted, term, 4 * tolerance))
        continue;
    }
    if (++totals.failures <= 20)
      errs() << formatv("{0}: {1} at element {2} is {3:e}, expected {4:e}\n"
                        "  in the call {5}\n",
                        name, exact.name, i, actual.elements[i].real,
                        exact.elements[i].real, call);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

using Outputs = std::vector<OutputTensor>;

/// What runs in a call, of the variants or the operator after the pass.
static Expected<Outputs> runAfter(OperatorOp op, ArrayRef<VariantOp> variants,
                                  const Call &call,
                                  const InterpreterOptions &options) {
  if (variants.empty())
    return interpret(op, call, options);
  SmallVector<VariantOp> holding;
  for (VariantOp variant : variants) {
    Expected<bool> runs = holds(variant, call);
    if (!runs)
      return runs.takeError();
    if (*runs)
      holding.push_back(variant);
  }
  if (holding.size() != 1)
    return createStringError(
        formatv("{0} of {1} variants run", holding.size(), variants.size()));
  return interpret(holding.front(), call, options);
}

static Error compareCall(OperatorOp before, OperatorOp after,
                         ArrayRef<VariantOp> variants, const DrawnCall &drawn,
                         Totals &totals) {
  InterpreterOptions options;
  options.trackTerms = true;
  std::feclearexcept(FE_OVERFLOW | FE_UNDERFLOW);
  Expected<Outputs> exact = interpret(before, drawn.call, options);
  bool leftFloat64 = std::fetestexcept(FE_OVERFLOW | FE_UNDERFLOW);
  if (!exact)
    return exact.takeError();
  options.trackTerms = false;
  options.inFloat32 = inFloat32;
  std::vector<Outputs> literals;
  if (inFloat32)
    for (bool flush : {false, true}) {
      options.flushSubnormals = flush;
      Expected<Outputs> outputs = interpret(before, drawn.call, options);
      if (!outputs)
        return outputs.takeError();
      literals.push_back(std::move(*outputs));
    }
  options.flushSubnormals = false;
  Expected<Outputs> actual = runAfter(after, variants, drawn.call, options);
  if (!actual)
    return actual.takeError();
  for (size_t i = 0; i != exact->size(); ++i) {
    SmallVector<const OutputTensor *, 2> asWritten;
    for (const Outputs &literal : literals)
      asWritten.push_back(&literal[i]);
    judge(before.getSymName(), drawn.text, (*exact)[i],
          inFloat32 && leftFloat64, asWritten, (*actual)[i], totals);
  }
  return Error::success();
}

static void compareOperator(OperatorOp before, mlir::ModuleOp module,
                            Totals &totals) {
  OperatorOp after;
  SmallVector<VariantOp> variants;
  for (auto op : module.getOps<OperatorOp>())
    if (op.getSymName() == before.getSymName())
      after = op;
  for (auto variant : module.getOps<VariantOp>())
    if (variant.getOperator_() == before.getSymName())
      variants.push_back(variant);
  auto fail = [&](const Twine &what) {
    ++totals.failures;
    errs() << before.getSymName() << ": " << what << '\n';
  };
  if (!after)
    return fail("is not in " + afterFile);
  ++totals.operators;
  Random random((before.getSymName() + "/" + Twine(seed)).str());
  unsigned calls = 0;
  // Contracts refuse part of what is drawn.
  for (unsigned i = 0; i != 10 * callCount && calls != callCount; ++i) {
    std::optional<DrawnCall> drawn = drawCall(before, product, random);
    if (!drawn)
      continue;
    ++calls;
    if (Error error = compareCall(before, after, variants, *drawn, totals))
      return fail(toString(std::move(error)) + " in the call " + drawn->text);
  }
  totals.calls += calls;
  if (!calls)
    fail("no call was accepted by the contract");
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static mlir::OwningOpRef<mlir::ModuleOp> read(const std::string &path,
                                              mlir::MLIRContext &context) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    errs() << "lossgrad-compare: cannot read '" << path
           << "': " << buffer.getError().message() << '\n';
    return {};
  }
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  if (StringRef(path).ends_with(".td"))
    return importRecords(sources, ImportOptions(), &context);
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tools::setVersion("lossgrad-compare");
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  mlir::MLIRContext context;
  context.loadDialect<LossGradDialect>();
  auto before = read(beforeFile, context), after = read(afterFile, context);
  if (!before || !after)
    return 2;
  Totals totals;
  for (auto op : before->getOps<OperatorOp>())
    compareOperator(op, *after, totals);
  outs() << formatv("{0} operators, {1} calls, {2} elements, {3} beyond "
                    "float32 as written, {4} failures\n",
                    totals.operators, totals.calls, totals.elements,
                    totals.beyond, totals.failures);
  return totals.failures || !totals.operators ? 1 : 0;
}
