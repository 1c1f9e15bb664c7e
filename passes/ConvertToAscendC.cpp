//===- ConvertToAscendC.cpp - convert-lossgrad-to-ascendc -----------------===//
//
// The frame of the conversion: one program per architecture, one AscendC kernel
// per lossgrad.kernel, and the entry that branches on the tiling key. The
// kernels themselves are built by KernelBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Naming.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AscendC/ValueNames.h"
#include "passes/Families.h"
#include "passes/FormulaText.h"
#include "passes/KernelBuilder.h"
#include "passes/LegalizeCalls.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace lossgrad {
#define GEN_PASS_DEF_CONVERTLOSSGRADTOASCENDC
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

namespace {

struct ConvertPass
    : public lossgrad::impl::ConvertLossgradToAscendCBase<ConvertPass> {
  using ConvertLossgradToAscendCBase::ConvertLossgradToAscendCBase;

  LogicalResult convert(OperatorOp op, unsigned arch,
                        ArrayRef<lossgrad::KernelOp> kernels);
  void buildEntry(OperatorOp op, ascendc::ProgramOp program,
                  ArrayRef<lossgrad::KernelOp> kernels);
  void convertQueries();
  LogicalResult finishPrograms();
  void runOnOperation() override;
};

} // namespace

static bool haveSameBody(lossgrad::KernelOp a, lossgrad::KernelOp b) {
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// Whether kernels compute the same in the same space, whatever the element
/// types of their tensors.
static bool differInTypesOnly(lossgrad::KernelOp a, lossgrad::KernelOp b) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](ElementAttr element) -> std::optional<Attribute> {
    return ElementAttr::get(element.getContext(), Binding::Fixed,
                            {DType::Float32});
  });
  OwningOpRef<lossgrad::KernelOp> left(a.clone()), right(b.clone());
  for (lossgrad::KernelOp kernel : {*left, *right})
    replacer.recursivelyReplaceElementsIn(kernel);
  return a.getSpace() == b.getSpace() && a.getAnyLayout() == b.getAnyLayout() &&
         haveSameBody(*left, *right);
}

/// What all these names begin and end with.
static std::string commonName(ArrayRef<ascendc::KernelOp> kernels) {
  StringRef head = ascendc::KernelOp(kernels.front()).getSymName(), tail = head;
  for (ascendc::KernelOp kernel : kernels) {
    StringRef name = kernel.getSymName();
    while (!name.starts_with(head))
      head = head.drop_back();
    while (!name.ends_with(tail))
      tail = tail.drop_front();
  }
  return (head + tail).str();
}

/// Tells ascendc-merge-kernels which kernels it may make one template of.
static void groupKernels(ascendc::ProgramOp program,
                         ArrayRef<lossgrad::KernelOp> kernels) {
  SmallVector<SmallVector<lossgrad::KernelOp>> groups;
  for (lossgrad::KernelOp kernel : kernels) {
    // Two variants may have one body: each has a group of its own.
    auto *same = llvm::find_if(groups, [&](auto &group) {
      return differInTypesOnly(group.front(), kernel) &&
             llvm::none_of(group, [&](lossgrad::KernelOp other) {
               return haveSameBody(other, kernel);
             });
    });
    if (same == groups.end())
      groups.push_back({kernel});
    else
      same->push_back(kernel);
  }
  SymbolTable symbols(program);
  for (auto &group : groups) {
    if (group.size() == 1)
      continue;
    SmallVector<ascendc::KernelOp> converted;
    for (lossgrad::KernelOp kernel : group)
      converted.push_back(
          symbols.lookup<ascendc::KernelOp>(kernelClassName(kernel)));
    std::string name = commonName(converted);
    for (ascendc::KernelOp kernel : converted)
      kernel.setGroup(name);
  }
}

/// One key per kernel and instance of its template parameter.
void ConvertPass::buildEntry(OperatorOp op, ascendc::ProgramOp program,
                             ArrayRef<lossgrad::KernelOp> kernels) {
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  Location loc = op.getLoc();
  bool syncs =
      program.walk([](ascendc::SyncAllOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  auto entry = ascendc::EntryOp::create(builder, loc, program.getFile(),
                                        tilingStructName(op), syncs);
  Block &block = entry.getBody().emplaceBlock();
  auto gm = ascendc::GmAddrType::get(builder.getContext());
  llvm::StringMap<Value> addresses;
  auto addArgument = [&](StringAttr name) {
    addresses[name.getValue()] = block.addArgument(gm, NameLoc::get(name, loc));
  };
  for (ParamAttr tensor : getPackTensors(op))
    addArgument(tensor.getName());
  addArgument(builder.getStringAttr("workspace"));
  SymbolTable symbols(program);
  std::map<int64_t, std::pair<ascendc::KernelOp, Type>> byKey;
  for (lossgrad::KernelOp source : kernels) {
    auto kernel = symbols.lookup<ascendc::KernelOp>(kernelClassName(source));
    std::optional<ArrayAttr> params = kernel.getTypeParams();
    for (auto [i, key] :
         llvm::enumerate(source.getKeys().getAsRange<KeyAttr>())) {
      Type instance;
      if (params)
        instance = cast<ascendc::TypeParamType>(
                       cast<TypeAttr>((*params)[0]).getValue())
                       .getCandidates()[i];
      byKey[key.getKey()] = {kernel, instance};
    }
  }
  builder.setInsertionPointToStart(&block);
  for (auto &[key, choice] : byKey) {
    auto [kernel, instance] = choice;
    auto keyOp = ascendc::KeyOp::create(builder, loc, key);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&keyOp.getBody().emplaceBlock());
    SmallVector<Value> arguments;
    for (BlockArgument argument : kernel.getBlock().getArguments())
      arguments.push_back(addresses.lookup(getValueName(argument)));
    ArrayAttr instances;
    if (instance)
      instances = builder.getArrayAttr(TypeAttr::get(instance));
    ascendc::LaunchOp::create(builder, loc, kernel.getSymName(), instances,
                              arguments);
  }
}

LogicalResult ConvertPass::convert(OperatorOp op, unsigned arch,
                                   ArrayRef<lossgrad::KernelOp> kernels) {
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  SmallVector<std::string> lines = getFormula(op);
  SmallVector<StringRef> formula(lines.begin(), lines.end());
  lossgrad::KernelOp first = kernels.front();
  auto program = ascendc::ProgramOp::create(
      builder, op.getLoc(), programName(arch), first.getFamilies(),
      op.getSymName(), "lossgrad_" + toSnakeCase(op.getSymName()),
      builder.getStrArrayAttr(formula));
  program.getBody().emplaceBlock();
  for (lossgrad::KernelOp source : kernels)
    if (failed(KernelBuilder(source, program).build()))
      return failure();
  legalizeCalls(program);
  groupKernels(program, kernels);
  buildEntry(op, program, kernels);
  return success();
}

/// The calls that a kernel makes for each row of a tile, where rows are taken
/// one by one.
static int64_t countRowCalls(Operation *kernel) {
  int64_t count = 0;
  kernel->walk([&](Operation *op) {
    count += isa<ascendc::WithSingleRowsOp, ascendc::KeepSingleRowsOp,
                 ascendc::FillSingleRowsOp, ascendc::PointsOp>(op);
  });
  return count;
}

/// The host asks the kernels' buffers now: the table of kernels gets their UB,
/// in terms of the tile and of a row that stays, and their calls per row.
void ConvertPass::convertQueries() {
  SmallVector<TilingPlanOp> plans;
  getOperation().walk([&](TilingPlanOp plan) { plans.push_back(plan); });
  for (TilingPlanOp plan : plans) {
    OpBuilder builder(plan);
    Type i64 = builder.getI64Type();
    SmallVector<Value> terms;
    llvm::DenseMap<StringAttr, SmallVector<Value, 4>> known;
    for (PlanRowAttr row : plan.getRows().getAsRange<PlanRowAttr>()) {
      SmallVector<Value, 4> &own = known[row.getKernel().getAttr()];
      if (own.empty()) {
        auto kernel = SymbolRefAttr::get(
            builder.getContext(), programName(plan.getArch()), row.getKernel());
        own = ascendc::UbTermsOp::create(
                  builder, plan.getLoc(), i64, i64, i64, kernel,
                  builder.getStringAttr(member::kTileLength),
                  builder.getStringAttr(member::kRowLength), getGranule())
                  .getResults();
        int64_t calls =
            countRowCalls(SymbolTable::lookupNearestSymbolFrom(plan, kernel));
        own.push_back(arith::ConstantOp::create(
            builder, plan.getLoc(), builder.getI64IntegerAttr(calls)));
      }
      llvm::append_range(terms, own);
    }
    plan.getTermsMutable().assign(terms);
  }
}

/// Ops that differ by their names are one as long as those are locations: what
/// is computed twice goes before the names are written down.
LogicalResult ConvertPass::finishPrograms() {
  OpPassManager cleanUp(ascendc::ProgramOp::getOperationName());
  cleanUp.addPass(createCanonicalizerPass());
  cleanUp.addPass(createCSEPass());
  for (auto program : getOperation().getOps<ascendc::ProgramOp>()) {
    if (failed(runPipeline(cleanUp, program)))
      return failure();
    fixNames(program);
  }
  return success();
}

void ConvertPass::runOnOperation() {
  ModuleOp module = getOperation();
  for (OperatorOp op : llvm::to_vector(module.getOps<OperatorOp>())) {
    llvm::MapVector<unsigned, SmallVector<lossgrad::KernelOp>> byArch;
    for (lossgrad::KernelOp kernel : module.getOps<lossgrad::KernelOp>())
      if (kernel.getOperator() == op)
        byArch[groupFamilies(kernel.getFamilies()).front().arch].push_back(
            kernel);
    for (auto &[arch, kernels] : byArch) {
      if (failed(convert(op, arch, kernels)))
        return signalPassFailure();
      for (lossgrad::KernelOp kernel : kernels)
        kernel.erase();
    }
  }
  convertQueries();
  if (failed(finishPrograms()))
    signalPassFailure();
}
