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
#include "passes/UniformToArith.h"
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
    if (isa<NumelOp, RankOp, ExtentOp>(op)) {
      auto name = op.getAttrOfType<StringAttr>("name");
      if (!findSizeSource(variant.getOperator(), name))
        return refuse(&op, Twine("the size of '") + name.getValue() +
                               "', which no tensor of the call shows");
    }
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

/// Names for the frontier, unique and valid in C++. An attribute keeps its own:
/// of the parameters, kernels know only the tensors.
static SmallVector<std::string> nameFrontier(ArrayRef<Value> frontier,
                                             OperatorOp op) {
  llvm::StringSet<> taken;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.isTensor())
      taken.insert(param.getName().getValue());
  SmallVector<std::string> names;
  for (Value value : frontier) {
    StringRef given = getValueName(value);
    if (auto cast = value.getDefiningOp<CastOp>(); cast && given.empty())
      given = getValueName(cast.getOperand());
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

/// What a kernel is called and when it runs: `FlatF32SingleGradOut`. The class
/// names need not say the operator: its file does.
struct KernelTitle {
  std::string name, when;
};

struct SchedulePass
    : public lossgrad::impl::LossgradScheduleBase<SchedulePass> {
  using LossgradScheduleBase::LossgradScheduleBase;

  void createKernel(VariantOp variant, StringAttr dim, ScheduleKind kind,
                    const KernelTitle &title, ArrayRef<int64_t> keys);
  FailureOr<ScheduledVariant> scheduleVariant(ArrayRef<VariantOp> typed,
                                              int64_t firstKey);
  FailureOr<ScheduledArch> scheduleArch(OperatorOp op, unsigned arch,
                                        ArrayRef<VariantOp> variants);
  void runOnOperation() override;
};

} // namespace

void SchedulePass::createKernel(VariantOp variant, StringAttr dim,
                                ScheduleKind kind, const KernelTitle &title,
                                ArrayRef<int64_t> keys) {
  OpBuilder builder(variant);
  Location loc = variant.getLoc();
  Block &source = variant.getBody().front();
  auto kernel = lossgrad::KernelOp::create(
      builder, loc, title.name, variant.getOperator_(),
      variant.getFamiliesAttr(), builder.getI64ArrayAttr(keys),
      variant.getOneElement());
  kernel->setAttr(kVariantWhenAttr, builder.getStringAttr(title.when));
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
}

static KernelTitle getTitle(VariantOp variant, ScheduleKind kind,
                            Typing typing) {
  StringRef types = typing == Typing::Float32  ? "F32"
                    : typing == Typing::Narrow ? "16"
                                               : "Mixed";
  StringRef elements = typing == Typing::Float32  ? "float"
                       : typing == Typing::Narrow ? "half or bfloat16_t"
                                                  : "mixed element types";
  bool isFlat = kind == ScheduleKind::Flat;
  KernelTitle title;
  title.name = isFlat ? ("Flat" + types).str() : "Broadcast";
  title.when = isFlat ? ("dense tensors of one shape, " + elements).str()
                      : "broadcast or strided tensors, any element types";
  if (auto name = variant->getAttrOfType<StringAttr>(kVariantNameAttr))
    title.name += name.getValue();
  auto when = variant->getAttrOfType<StringAttr>(kVariantWhenAttr);
  if (when && !when.empty())
    title.when += ("; " + when.getValue()).str();
  return title;
}

/// Keys of a typed variant: one, or one per candidate of its type parameter.
static SmallVector<int64_t> getKeys(VariantOp variant, int64_t firstKey) {
  Typing typing = getTyping(variant);
  int64_t key = firstKey + static_cast<int>(typing);
  if (typing != Typing::Narrow)
    return {key};
  SmallVector<int64_t> keys;
  auto narrow =
      variant.getYield().getValues().front().getDefiningOp<NarrowOp>();
  for (DType dtype : narrow.getElement().getDtypes())
    keys.push_back(key + (dtype == DType::BFloat16 ? 1 : 0));
  return keys;
}

FailureOr<ScheduledVariant>
SchedulePass::scheduleVariant(ArrayRef<VariantOp> typed, int64_t firstKey) {
  ScheduledVariant result;
  result.variant = typed.front();
  result.firstKey = firstKey;
  VariantOp general; // carries every mixture of types
  StringAttr dim;
  for (VariantOp variant : typed) {
    if (failed(checkElementwise(variant, dim)))
      return failure();
    Typing typing = getTyping(variant);
    SmallVector<int64_t> keys = getKeys(variant, firstKey);
    KernelTitle title = getTitle(variant, ScheduleKind::Flat, typing);
    createKernel(variant, dim, ScheduleKind::Flat, title, keys);
    for (int64_t key : keys)
      result.kernels.push_back({key, title.name});
    result.hasRunTimeTypes |= typing == Typing::Mixed;
    if (!general || typing == Typing::Mixed)
      general = variant;
  }
  KernelTitle title =
      getTitle(general, ScheduleKind::Broadcast, getTyping(general));
  int64_t key = firstKey + kBroadcastSlot;
  createKernel(general, dim, ScheduleKind::Broadcast, title, {key});
  result.kernels.push_back({key, title.name});

  SmallVector<Value> frontier = getFrontier(result.variant.getBody().front());
  SmallVector<std::string> names =
      nameFrontier(frontier, result.variant.getOperator());
  for (auto [value, text] : llvm::zip(frontier, names))
    result.uniforms.push_back({text, value});
  return result;
}

FailureOr<ScheduledArch>
SchedulePass::scheduleArch(OperatorOp op, unsigned arch,
                           ArrayRef<VariantOp> variants) {
  // Typed forms of one variant, in the order of the variants.
  llvm::MapVector<Attribute, SmallVector<VariantOp>> bases;
  for (VariantOp variant : variants)
    bases[variant->getAttr("lossgrad.base")].push_back(variant);
  ScheduledArch result;
  result.arch = arch;
  size_t keyCount = 0;
  for (auto [index, entry] : llvm::enumerate(bases)) {
    FailureOr<ScheduledVariant> scheduled = scheduleVariant(
        entry.second, 1 + kKeysPerVariant * static_cast<int64_t>(index));
    if (failed(scheduled))
      return failure();
    keyCount += scheduled->kernels.size();
    result.variants.push_back(std::move(*scheduled));
  }
  if (keyCount > kMaxKeys)
    return op.emitError() << "needs " << keyCount << " tiling keys; at most "
                          << kMaxKeys << " are allowed per operator and family";
  return result;
}

void SchedulePass::runOnOperation() {
  ModuleOp module = getOperation();
  for (OperatorOp op : llvm::to_vector(module.getOps<OperatorOp>())) {
    llvm::MapVector<unsigned, SmallVector<VariantOp>> byArch;
    for (VariantOp variant : module.getOps<VariantOp>())
      if (variant.getOperator() == op && variant.getFamilies())
        byArch[groupFamilies(variant.getFamiliesAttr()).front().arch].push_back(
            variant);
    SmallVector<ScheduledArch> archs;
    for (auto &[arch, variants] : byArch) {
      FailureOr<ScheduledArch> scheduled = scheduleArch(op, arch, variants);
      if (failed(scheduled))
        return signalPassFailure();
      archs.push_back(std::move(*scheduled));
    }
    if (archs.empty())
      continue;
    OpBuilder builder(byArch.front().second.front());
    buildTiling(op, archs, builder);
    for (auto &[arch, variants] : byArch)
      for (VariantOp variant : variants)
        variant.erase();
  }
}
