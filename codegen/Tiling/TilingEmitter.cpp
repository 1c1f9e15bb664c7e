//===- TilingEmitter.cpp - Tiling functions as C++ ------------------------===//
//
// See the header. Arithmetic and control flow come from the shared printer;
// here are the questions about a call and where the answers go.
//
//===----------------------------------------------------------------------===//

#include "codegen/Tiling/TilingEmitter.h"
#include "codegen/Cpp/CppPrinter.h"
#include "codegen/Cpp/Version.h"
#include "codegen/Cpp/WrapLines.h"
#include "codegen/Tiling/BroadcastPlans.h"
#include "codegen/Tiling/Helpers.h"
#include "codegen/Tiling/KernelChoice.h"
#include "codegen/Tiling/RowAxes.h"
#include "codegen/Tiling/RowPlans.h"
#include "codegen/Tiling/RowSizes.h"
#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/AscendC/IR/ProductLimits.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// A tiling function with what it refers to.
struct TilingFunction {
  func::FuncOp function;
  OperatorOp op;
  ascendc::TilingStructOp data;
  ascendc::ProgramOp program;

  std::string file() { return program.getFile().str(); }
};

} // namespace

static FailureOr<SmallVector<TilingFunction>> findFunctions(ModuleOp module) {
  SmallVector<TilingFunction> found;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto op = function->getAttrOfType<FlatSymbolRefAttr>(kTilingOperatorAttr);
    auto data = function->getAttrOfType<FlatSymbolRefAttr>(kTilingStructAttr);
    if (!op || !data)
      continue;
    TilingFunction each{
        function, module.lookupSymbol<OperatorOp>(op.getAttr()),
        module.lookupSymbol<ascendc::TilingStructOp>(data.getAttr()), nullptr};
    for (auto program : module.getOps<ascendc::ProgramOp>())
      if (each.op && program.getOpName() == each.op.getSymName())
        each.program = program;
    if (!each.op || !each.data || !each.program)
      return function.emitError("needs its operator, its tiling struct and its "
                                "kernels in the same module");
    found.push_back(each);
  }
  if (found.empty())
    return module.emitError("has no tiling function; run the pipeline "
                            "lossgrad-to-ascendc first");
  return found;
}

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

namespace {

class TilingPrinter : public cpp::CppPrinter {
public:
  using CppPrinter::CppPrinter;

  std::string spellType(Type type) override {
    if (auto host = dyn_cast<HostType>(type))
      return ("lossgrad::" + host.getName()).str();
    return CppPrinter::spellType(type);
  }

protected:
  bool printStatement(Operation *op) override;
  std::optional<cpp::Expression> extraExpression(Operation *op) override;

private:
  cpp::Expression ask(TilingAskOp op);
  void printRuns(TilingRunsOp op);
  void printPlan(TilingPlanOp op);
};

} // namespace

cpp::Expression TilingPrinter::ask(TilingAskOp op) {
  std::string name = "call." + op.getName().str();
  if (std::optional<ArrayAttr> tensors = op.getTensors()) {
    name.clear();
    for (auto tensor : tensors->getAsRange<StringAttr>()) {
      std::string next = "call." + tensor.str();
      name = name.empty() ? next
                          : "lossgrad::Broadcast(" + name + ", " + next + ")";
    }
  }
  switch (op.getQuestion()) {
  case TilingQuestion::Attribute:
    if (op.getType().isF64())
      return {"static_cast<double>(" + name + ")"};
    return {name};
  case TilingQuestion::Numel:
    return {name + ".Numel()"};
  case TilingQuestion::Rank:
    return {"static_cast<int64_t>(" + name + ".rank)"};
  case TilingQuestion::Extent:
    // Counted from the end where it is negative.
    return {llvm::formatv("{0}.Extent({1})", name,
                          int64_t(op.getAxis().value_or(0)))};
  case TilingQuestion::Present:
    return {name + ".present"};
  case TilingQuestion::DType:
    return {name + ".dtype"};
  }
  llvm_unreachable("unknown question");
}

std::optional<cpp::Expression> TilingPrinter::extraExpression(Operation *op) {
  using Result = std::optional<cpp::Expression>;
  auto function = [&](StringRef name) -> Result {
    std::string text = (name + "(").str();
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      text += (i ? ", " : "") + expression(operand);
    return cpp::Expression{text + ")"};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](TilingAskOp query) { return ask(query); })
      .Case([&](TilingPlatformOp query) -> Result {
        switch (query.getFact()) {
        case PlatformFact::Cores:
          return cpp::Expression{"platform.cores"};
        case PlatformFact::UbBytes:
          return cpp::Expression{"platform.ubBytes"};
        case PlatformFact::L2Bytes:
          return cpp::Expression{"platform.l2Bytes"};
        }
        return std::nullopt;
      })
      .Case([&](TilingOnArchOp question) -> Result {
        return cpp::Expression{
            llvm::formatv("platform.arch == {0}", question.getArch()),
            cpp::Equality};
      })
      .Case([&](TilingReadOp read) -> Result {
        return cpp::Expression{expression(read.getSource(), cpp::Primary) +
                               "." + read.getField().str()};
      })
      .Case([&](func::CallOp call) {
        return function(("lossgrad::" + call.getCallee()).str());
      })
      .Case([&](arith::MinimumFOp) { return function("lossgrad::Minimum"); })
      .Case([&](arith::MaximumFOp) { return function("lossgrad::Maximum"); })
      .Case([&](arith::UIToFPOp convert) -> Result {
        return cpp::Expression{"(" + expression(convert.getIn()) +
                               " ? 1.0 : 0.0)"};
      })
      .Case([&](math::AbsFOp) { return function("std::fabs"); })
      .Case([&](math::ExpOp) { return function("std::exp"); })
      .Case([&](math::LogOp) { return function("std::log"); })
      .Case([&](math::SqrtOp) { return function("std::sqrt"); })
      .Case([&](math::SinOp) { return function("std::sin"); })
      .Case([&](math::CosOp) { return function("std::cos"); })
      .Case([&](math::PowFOp) { return function("std::pow"); })
      .Default([](Operation *) { return std::nullopt; });
}

void TilingPrinter::printRuns(TilingRunsOp op) {
  std::string name = names.declare(op.getResult(), "runs").str();
  os << "const lossgrad::Tensor *const tensors[] = {";
  llvm::interleaveComma(
      op.getTensors().getAsRange<StringAttr>(), os,
      [&](StringAttr tensor) { os << "&call." << tensor.getValue(); });
  os << "};\n";
  os << "const lossgrad::Dim dims[] = {";
  bool first = true;
  for (auto [rank, dim] :
       llvm::zip_equal(op.getRanks(), op.getDims().getAsRange<HostDimAttr>())) {
    os << (first ? "" : ", ")
       << llvm::formatv("{{{0}, 0x{1:X-}, {2}, {3}, 0x{4:X-}, {5}}",
                        expression(rank),
                        static_cast<uint64_t>(dim.getTensors()),
                        dim.getIsBroadcast() ? "true" : "false",
                        dim.getIsReduced() ? "true" : "false",
                        static_cast<uint64_t>(dim.getPart()), dim.getParam());
    first = false;
  }
  os << "}; // "
     << llvm::join(llvm::map_range(
                       op.getDims().getAsRange<HostDimAttr>(),
                       [](HostDimAttr dim) { return dim.getName().str(); }),
                   ", ")
     << "\n";
  os << llvm::formatv(
      "const lossgrad::Runs {0} = lossgrad::MergeAxes(tensors, {1}, dims, {2}",
      name, op.getTensors().size(), op.getDims().size());
  if (op.getOptional() || op.getLeftOut())
    os << llvm::formatv(", 0x{0:X-}", static_cast<uint64_t>(op.getOptional()));
  if (op.getLeftOut())
    os << ", " << expression(op.getLeftOut());
  os << ");\n";
}

/// A space as the helper header describes it.
static std::string spellSpace(PlanRowAttr row) {
  SpaceAttr space = row.getSpace();
  auto part = [](std::optional<bool> isReduced) {
    return !isReduced ? "NOTHING" : *isReduced ? "REDUCED" : "KEPT";
  };
  auto flag = [](bool value) { return value ? "true" : "false"; };
  return llvm::formatv(
      "{{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}}",
      part(space.areLanesReduced()), part(space.areRowsReduced()),
      flag(static_cast<bool>(space.getReduced())), flag(space.walks()),
      flag(!row.getAnyLayout()), flag(space.isSplit()), flag(row.getResident()),
      flag(row.getLaunch()), flag(space.takesSingleRows()),
      flag(space.isPacked()));
}

/// The table of kernels, and the call that takes the first that fits.
void TilingPrinter::printPlan(TilingPlanOp op) {
  os << "using namespace lossgrad;\n"
     << "// Key, variant, element type; bytes of UB: fixed, per granule of a "
        "tile, per granule of a resident row; calls per row; space.\n"
     << "const KernelRow kernels[] = {\n";
  ValueRange terms = op.getTerms();
  for (auto [i, row] :
       llvm::enumerate(op.getRows().getAsRange<PlanRowAttr>())) {
    os << "    {" << row.getKey() << ", " << row.getVariant() << ", ";
    if (row.getDtype() < 0)
      os << "ANY_TYPE";
    else
      os << row.getDtype();
    for (Value term : terms.slice(4 * i, 4))
      os << ", " << expression(term);
    os << ", " << spellSpace(row) << "}, // " << row.getKernel().getValue()
       << "\n";
  }
  os << "};\n";
  std::string name = names.declare(op.getResult(), "plan").str();
  os << llvm::formatv(
      "const TilePlan {0} = FirstFit({1}, {2}, {3}, {4}, platform, {5}, "
      "kernels, {6}{7});\n",
      name, expression(op.getRuns()), expression(op.getUsed()),
      expression(op.getTyped()), op.getOutputs(), expression(op.getVariant()),
      op.getRows().size(), op.getWholeBlocks() ? ", true" : "");
}

bool TilingPrinter::printStatement(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TilingRunsOp runs) {
        printRuns(runs);
        return true;
      })
      .Case([&](TilingPlanOp plan) {
        printPlan(plan);
        return true;
      })
      .Case([&](TilingStoreOp store) {
        os << "tiling." << store.getMember() << " = "
           << expression(store.getValue()) << ";\n";
        return true;
      })
      .Case([&](TilingStoreArrayOp store) {
        os << llvm::formatv("for (int32_t i = 0; i < {0}; ++i) {{\n",
                            store.getCount());
        os << llvm::formatv(
            "    tiling.{0}[i] = {1}.{2}[i];\n", store.getMember(),
            expression(store.getSource(), cpp::Primary), store.getField());
        os << "}\n";
        return true;
      })
      .Case([&](TilingRequireOp require) {
        os << "if (" << negation(require.getCondition()) << ") {\n";
        os << "    launch.failure = \"" << require.getMessage() << "\";\n";
        os << "    return false;\n}\n";
        return true;
      })
      .Case([&](TilingLaunchOp launch) {
        os << "launch.key = static_cast<uint64_t>("
           << expression(launch.getKey()) << ");\n";
        os << "launch.blocks = static_cast<uint32_t>("
           << expression(launch.getBlocks()) << ");\n";
        if (launch.getWorkspace())
          os << "launch.workspace = static_cast<uint64_t>("
             << expression(launch.getWorkspace()) << ");\n";
        return true;
      })
      .Case([&](TilingAskOp query) {
        // The type of the variable converts what the call holds.
        bool converts = query.getQuestion() == TilingQuestion::Attribute &&
                        !cpp::nameOf(query.getResult()).empty();
        if (converts)
          printDefinition(query, "call." + query.getName().str());
        return converts || CppPrinter::printStatement(query);
      })
      .Case([&](func::CallOp call) {
        // Helpers have no effects: without a name they stand where they are
        // used.
        if (call.getNumResults() == 1 &&
            !cpp::nameOf(call.getResult(0)).empty())
          printDefinition(call, expression(call.getResult(0)));
        return call.getNumResults() == 1;
      })
      .Case([&](func::ReturnOp) {
        os << "launch.failure = nullptr;\nreturn true;\n";
        return true;
      })
      .Default(
          [&](Operation *other) { return CppPrinter::printStatement(other); });
}

static std::string guardName(StringRef file, StringRef suffix) {
  return StringRef(file).upper() + suffix.str();
}

/// Attributes as the call hands them over; named choices are ints already.
static std::string memberType(ParamAttr param) {
  StringRef type = param.getCType().getValue();
  return type.contains('*') ? "int64_t" : type.str();
}

static void printCallStruct(OperatorOp op, raw_ostream &out) {
  out << "/* The call, without any type of the toolkit. */\n"
      << "struct " << op.getSymName() << "Call {\n";
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    out << "    "
        << (param.isTensor() ? std::string("lossgrad::Tensor")
                             : memberType(param))
        << ' ' << param.getName().getValue() << ";\n";
  out << "};\n\n";
}

LogicalResult tiling::emitComputation(ModuleOp module, raw_ostream &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  FailureOr<SmallVector<TilingFunction>> functions = findFunctions(module);
  if (failed(functions))
    return failure();
  for (TilingFunction &each : *functions) {
    std::string base = each.file(), guard = guardName(base, "_TILING_H");
    out << "/*\n * Tiling of " << each.op.getSymName()
        << ": which kernel, how large a tile, and the coefficients.\n *\n"
        << " * Generated by lossgrad @VERSION@. Edit the operator's record, "
           "not this file.\n */\n";
    out << "#ifndef " << guard << "\n#define " << guard << "\n\n"
        << "#include <cfloat>\n#include <cmath>\n\n"
        << "#include \"" << base << "_tiling_data.h\"\n"
        << "#include \"lossgrad_tiling.h\"\n\n";
    printCallStruct(each.op, out);
    out << "/* False, with the reason in launch, if no tile fits. */\n"
        << "inline bool Compute" << each.op.getSymName() << "Tiling(const "
        << each.op.getSymName() << "Call &call, "
        << "const lossgrad::Platform &platform, " << each.data.getSymName()
        << " &tiling, lossgrad::Launch &launch)\n{\n";
    TilingPrinter printer(out);
    for (StringRef taken :
         {"call", "platform", "tiling", "launch", "tensors", "dims", "kernels"})
      printer.getNames().reserve(taken);
    // Members that the chosen schedule does not use are sent as zeros.
    printer.getStream().indent().indent();
    printer.getStream() << "tiling = " << each.data.getSymName() << "();\n";
    LogicalResult printed = printer.printBlock(each.function.getBody().front());
    printer.getStream().unindent().unindent();
    if (failed(printed))
      return failure();
    out << "}\n\n#endif // " << guard << "\n";
  }
  file << fillVersion(cpp::wrapLines(text));
  return success();
}

//===----------------------------------------------------------------------===//
// Fixed texts and the shared struct
//===----------------------------------------------------------------------===//

LogicalResult tiling::emitHelpers(ModuleOp, raw_ostream &out) {
  const auto &limits = ascendc::ProductLimits::ofAll();
  for (StringRef part : {kHelperHeader, kBroadcastPlans, kRowAxes, kRowSizes,
                         kRowPlans, kKernelChoice, kHelperHeaderEnd})
    out << limits.fill(fillVersion(part));
  return success();
}
