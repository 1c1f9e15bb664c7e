//===- ConvertToAscendC.cpp - convert-lossgrad-to-ascendc -----------------===//
//
// The frame of the conversion: one program per architecture, one AscendC kernel
// per lossgrad.kernel, and the entry that branches on the tiling key. The
// kernels are built by schedule: ConvertFlat.cpp, ConvertBroadcast.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Naming.h"
#include "mlir/Pass/Pass.h"
#include "passes/Families.h"
#include "passes/FormulaText.h"
#include "passes/KernelBuilder.h"
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
  void runOnOperation() override;
};

} // namespace

/// One key per kernel and instance of its template parameter.
void ConvertPass::buildEntry(OperatorOp op, ascendc::ProgramOp program,
                             ArrayRef<lossgrad::KernelOp> kernels) {
  OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
  Location loc = op.getLoc();
  auto entry = ascendc::EntryOp::create(builder, loc, program.getFile(),
                                        tilingStructName(op), /*syncs=*/false);
  Block &block = entry.getBody().emplaceBlock();
  auto gm = ascendc::GmAddrType::get(builder.getContext());
  llvm::StringMap<Value> addresses;
  for (ParamAttr tensor : getPackTensors(op))
    addresses[tensor.getName()] =
        block.addArgument(gm, NameLoc::get(tensor.getName(), loc));
  block.addArgument(gm, NameLoc::get(builder.getStringAttr("workspace"), loc));
  SymbolTable symbols(program);
  std::map<int64_t, std::pair<ascendc::KernelOp, Type>> byKey;
  for (lossgrad::KernelOp source : kernels) {
    auto kernel = symbols.lookup<ascendc::KernelOp>(source.getSymName());
    std::optional<ArrayAttr> params = kernel.getTypeParams();
    for (auto [i, key] :
         llvm::enumerate(source.getKeys().getAsRange<IntegerAttr>())) {
      Type instance;
      if (params)
        instance = cast<ascendc::TypeParamType>(
                       cast<TypeAttr>((*params)[0]).getValue())
                       .getCandidates()[i];
      byKey[key.getInt()] = {kernel, instance};
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
  for (lossgrad::KernelOp source : kernels) {
    SweepOp sweep = *source.getBody().getOps<SweepOp>().begin();
    bool flat = sweep.getSchedule().getKind() == ScheduleKind::Flat;
    auto kernel = flat ? createFlatKernelBuilder(source, program)
                       : createBroadcastKernelBuilder(source, program);
    if (failed(kernel->build()))
      return failure();
  }
  buildEntry(op, program, kernels);
  return success();
}

/// The host asks the kernels' buffers now. A tile that does not fit is none,
/// which is a failure of tiling and never an overrun.
void ConvertPass::convertQueries() {
  constexpr StringLiteral helper = "LargestTile";
  SmallVector<TilingMaxTileOp> queries;
  getOperation().walk([&](TilingMaxTileOp query) { queries.push_back(query); });
  for (TilingMaxTileOp query : queries) {
    OpBuilder builder(query);
    Location loc = query.getLoc();
    auto kernel = SymbolRefAttr::get(
        builder.getContext(), programName(query.getArch()),
        FlatSymbolRefAttr::get(builder.getContext(), query.getKernel()));
    auto terms = ascendc::UbTermsOp::create(builder, loc, builder.getI64Type(),
                                            builder.getI64Type(), kernel,
                                            member::kTileLength, kGranule);
    Value granule = arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(kGranule));
    SmallVector<Value> operands{query.getUb(), terms.getFixed(),
                                terms.getEach(), granule};
    if (!getOperation().lookupSymbol(helper)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(getOperation().getBody());
      SmallVector<Type> types(operands.size(), builder.getI64Type());
      func::FuncOp::create(builder, loc, helper,
                           builder.getFunctionType(types, builder.getI64Type()))
          .setPrivate();
    }
    auto call = func::CallOp::create(builder, loc, helper, builder.getI64Type(),
                                     operands);
    query.replaceAllUsesWith(call.getResult(0));
    query.erase();
  }
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
}
