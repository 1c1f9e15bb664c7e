//===- Schedule.cpp - lossgrad-schedule -----------------------------------===//
//
// From typed variants to kernels: which schedules carry a body, which tiling
// keys they get, and which uniform values the host hands over. The host side is
// built in ScheduleTiling.cpp. How a tile is loaded and computed is decided by
// the conversion to AscendC.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "passes/Families.h"
#include "passes/Schedules.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace lossgrad {
#define GEN_PASS_DEF_LOSSGRADSCHEDULE
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Shared names
//===----------------------------------------------------------------------===//

std::string lossgrad::dtypeMember(StringRef tensor) {
  return (tensor + "Dtype").str();
}
std::string lossgrad::tilingStructName(OperatorOp op) {
  return (op.getSymName() + "TilingData").str();
}
std::string lossgrad::tilingFunctionName(OperatorOp op) {
  return (op.getSymName() + "Tiling").str();
}
std::string lossgrad::programName(unsigned arch) {
  return "arch" + std::to_string(arch);
}

SmallVector<ParamAttr> lossgrad::getPackTensors(OperatorOp op) {
  SmallVector<ParamAttr> tensors = op.getInputs();
  tensors.append(op.getOutputs());
  return tensors;
}

//===----------------------------------------------------------------------===//
// What a schedule carries
//===----------------------------------------------------------------------===//

/// Elementwise schedules carry elementwise ops on reals and bools over one dim.
static LogicalResult checkElementwise(VariantOp variant, StringAttr &dim) {
  auto refuse = [](Operation *op, const Twine &why) {
    return op->emitError() << "no schedule carries this yet: " << why
                           << "; elementwise schedules take elementwise ops on "
                              "real values over one pack";
  };
  for (Operation &op : variant.getBody().front()) {
    if (isa<YieldOp>(op))
      continue;
    bool known = op.hasTrait<Elementwise>() || isa<WidenOp, NarrowOp>(op) ||
                 isUniform(op.getResult(0));
    if (!known)
      return refuse(&op, op.getName().stripDialect() + " is not elementwise");
    auto type = cast<ValueType>(op.getResult(0).getType());
    if (isUniform(op.getResult(0)))
      continue;
    if (type.getKind() == Kind::Int)
      return refuse(&op, "an int value");
    for (StringAttr each : type.getDims()) {
      if (dim && each != dim)
        return refuse(&op, Twine("dims '") + dim.getValue() + "' and '" +
                               each.getValue() + "'");
      dim = each;
    }
  }
  if (!dim)
    return refuse(variant, "a result without dims");
  return success();
}

/// The typing of a variant, read off its rounding ops.
static Typing getTyping(VariantOp variant) {
  auto narrow =
      variant.getYield().getValues().front().getDefiningOp<NarrowOp>();
  switch (narrow.getElement().getBinding()) {
  case Binding::Fixed:
    return Typing::Float32;
  case Binding::Template:
    return Typing::Narrow;
  case Binding::RunTime:
    return Typing::Mixed;
  }
  llvm_unreachable("unknown binding");
}

//===----------------------------------------------------------------------===//
// Uniform values that data meets
//===----------------------------------------------------------------------===//

/// Uniform operands of ops on data, each once, in order of use. Constants stay
/// in the kernel.
static SmallVector<Value> getFrontier(Block &body) {
  SmallVector<Value> frontier;
  for (Operation &op : body) {
    if (op.getNumResults() == 1 && isUniform(op.getResult(0)))
      continue;
    for (Value operand : op.getOperands())
      if (isUniform(operand) && !operand.getDefiningOp<ConstantOp>() &&
          !llvm::is_contained(frontier, operand))
        frontier.push_back(operand);
  }
  return frontier;
}

/// Names for the frontier, unique and valid in C++.
static SmallVector<std::string> nameFrontier(ArrayRef<Value> frontier,
                                             OperatorOp op) {
  llvm::StringSet<> taken;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    taken.insert(param.getName().getValue());
  SmallVector<std::string> names;
  for (Value value : frontier) {
    StringRef given = getValueName(value);
    std::string base = given.empty() ? "coefficient" : given.str();
    std::string name = base;
    for (unsigned i = 1; !taken.insert(name).second; ++i)
      name = base + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

struct SchedulePass
    : public lossgrad::impl::LossgradScheduleBase<SchedulePass> {
  using LossgradScheduleBase::LossgradScheduleBase;

  lossgrad::KernelOp createKernel(VariantOp variant, StringAttr dim,
                                  ScheduleKind kind, StringRef name,
                                  ArrayRef<int64_t> keys);
  LogicalResult schedule(OperatorOp op, unsigned arch,
                         ArrayRef<VariantOp> variants);
  void runOnOperation() override;
};

} // namespace

lossgrad::KernelOp SchedulePass::createKernel(VariantOp variant, StringAttr dim,
                                              ScheduleKind kind, StringRef name,
                                              ArrayRef<int64_t> keys) {
  OpBuilder builder(variant);
  Location loc = variant.getLoc();
  Block &source = variant.getBody().front();
  auto kernel = lossgrad::KernelOp::create(
      builder, loc, name, variant.getOperator_(), variant.getFamiliesAttr(),
      builder.getI64ArrayAttr(keys), variant.getOneElement());
  Block &block = kernel.getBody().emplaceBlock();

  IRMapping mapping;
  SmallVector<Value> frontier = getFrontier(source);
  SmallVector<std::string> names =
      nameFrontier(frontier, variant.getOperator());
  for (auto [value, text] : llvm::zip(frontier, names))
    mapping.map(value, block.addArgument(
                           value.getType(),
                           NameLoc::get(builder.getStringAttr(text), loc)));

  SmallVector<StringAttr> resident, inputs;
  for (BlockArgument argument : source.getArguments())
    if (!argument.use_empty())
      inputs.push_back(builder.getStringAttr(getValueName(argument)));
  for (auto single : variant.getOneElement().getAsRange<StringAttr>())
    resident.push_back(single);
  SmallVector<StringAttr> tile{builder.getStringAttr(member::kTileLength)};
  if (kind == ScheduleKind::Broadcast)
    tile = {builder.getStringAttr(member::kRowTile),
            builder.getStringAttr(member::kLaneTile)};
  auto scheduleAttr =
      ScheduleAttr::get(variant.getContext(), kind, dim, dim, resident, tile,
                        Scope::Element, Combine::None);

  builder.setInsertionPointToStart(&block);
  auto sweep = SweepOp::create(builder, loc,
                               builder.getArrayAttr(SmallVector<Attribute>(
                                   inputs.begin(), inputs.end())),
                               scheduleAttr);
  Block &body = sweep.getBody().emplaceBlock();
  for (BlockArgument argument : source.getArguments())
    if (!argument.use_empty())
      mapping.map(argument,
                  body.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation &op : source) {
    bool hostOnly = op.getNumResults() == 1 && isUniform(op.getResult(0)) &&
                    !isa<ConstantOp>(op);
    if (!hostOnly)
      builder.clone(op, mapping);
  }
  eraseDeadOps(body);
  return kernel;
}

/// `SmoothL1LossBackward`, 1, `Flat`, `F32` -> `FlatF32Variant1`. The class
/// names need not say the operator: its file does.
static std::string kernelName(StringRef schedule, StringRef typing,
                              size_t variant, size_t variants) {
  std::string name = (schedule + typing).str();
  if (variants > 1)
    name += "Variant" + std::to_string(variant);
  return name;
}

LogicalResult SchedulePass::schedule(OperatorOp op, unsigned arch,
                                     ArrayRef<VariantOp> variants) {
  // Typed forms of one variant, in the order of the variants.
  llvm::MapVector<Attribute, SmallVector<VariantOp>> bases;
  for (VariantOp variant : variants)
    bases[variant->getAttr("lossgrad.base")].push_back(variant);

  SmallVector<ScheduledVariant> scheduled;
  unsigned keyCount = 0;
  bool hasRunTimeTypes = false;
  for (auto [index, entry] : llvm::enumerate(bases)) {
    ScheduledVariant result;
    result.variant = entry.second.front();
    result.firstKey = 1 + kKeysPerVariant * static_cast<int64_t>(index);
    VariantOp general; // carries every mixture of types
    StringAttr dim;
    for (VariantOp variant : entry.second) {
      if (failed(checkElementwise(variant, dim)))
        return failure();
      Typing typing = getTyping(variant);
      SmallVector<int64_t> keys{result.firstKey + static_cast<int>(typing)};
      auto element = variant.getYield()
                         .getValues()
                         .front()
                         .getDefiningOp<NarrowOp>()
                         .getElement();
      if (typing == Typing::Narrow && element.getDtypes().size() == 2)
        keys.push_back(keys.front() + 1);
      else if (typing == Typing::Narrow &&
               element.getDtypes().front() == DType::BFloat16)
        ++keys.front();
      StringRef suffix = typing == Typing::Float32  ? "F32"
                         : typing == Typing::Narrow ? "16"
                                                    : "Mixed";
      std::string name = kernelName("Flat", suffix, index, bases.size());
      createKernel(variant, dim, ScheduleKind::Flat, name, keys);
      (typing == Typing::Float32  ? result.float32
       : typing == Typing::Narrow ? result.narrow
                                  : result.mixed) = name;
      keyCount += keys.size();
      hasRunTimeTypes |= typing == Typing::Mixed;
      if (!general || typing == Typing::Mixed)
        general = variant;
    }
    std::string name = kernelName("Broadcast", "", index, bases.size());
    createKernel(general, dim, ScheduleKind::Broadcast, name,
                 {result.firstKey + kBroadcastSlot});
    result.broadcast = name;
    ++keyCount;

    SmallVector<Value> frontier = getFrontier(result.variant.getBody().front());
    for (auto [value, text] : llvm::zip(frontier, nameFrontier(frontier, op)))
      result.uniforms.push_back({text, value});
    scheduled.push_back(result);
  }
  if (keyCount > kMaxKeys)
    return op.emitError() << "needs " << keyCount << " tiling keys; at most "
                          << kMaxKeys << " are allowed per operator and family";
  OpBuilder builder(variants.front());
  buildTiling(op, arch, scheduled, hasRunTimeTypes, builder);
  for (VariantOp variant : variants)
    variant.erase();
  return success();
}

void SchedulePass::runOnOperation() {
  ModuleOp module = getOperation();
  for (OperatorOp op : llvm::to_vector(module.getOps<OperatorOp>())) {
    llvm::MapVector<unsigned, SmallVector<VariantOp>> byArch;
    for (VariantOp variant : module.getOps<VariantOp>())
      if (variant.getOperator() == op && variant.getFamilies())
        byArch[groupFamilies(variant.getFamiliesAttr()).front().arch].push_back(
            variant);
    for (auto &[arch, variants] : byArch)
      if (failed(schedule(op, arch, variants)))
        return signalPassFailure();
  }
}
