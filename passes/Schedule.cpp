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
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AscendC/ValueNames.h"
#include "passes/BodyChecks.h"
#include "passes/Families.h"
#include "passes/InPlace.h"
#include "passes/Points.h"
#include "passes/Schedules.h"
#include "passes/UniformNames.h"
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
DtypeCode lossgrad::getDtypeCode(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return DtypeCode::Float16;
  case DType::BFloat16:
    return DtypeCode::BFloat16;
  case DType::Int64:
    return DtypeCode::Int64;
  case DType::Int32:
    return DtypeCode::Int32;
  case DType::UInt8:
    return DtypeCode::UInt8;
  default:
    return DtypeCode::Float32;
  }
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

std::string lossgrad::kernelSymbol(StringRef title, unsigned arch,
                                   bool isAlone) {
  return isAlone ? title.str() : (title + "_" + Twine(arch)).str();
}
std::string lossgrad::kernelClassName(lossgrad::KernelOp kernel) {
  unsigned arch = groupFamilies(kernel.getFamilies()).front().arch;
  StringRef name = kernel.getSymName();
  name.consume_back("_" + std::to_string(arch));
  return name.str();
}

SmallVector<ParamAttr> lossgrad::getPackTensors(OperatorOp op) {
  SmallVector<ParamAttr> tensors = op.getInputs();
  tensors.append(op.getOutputs());
  return tensors;
}

//===----------------------------------------------------------------------===//
// Uniform values that data meets
//===----------------------------------------------------------------------===//

/// Uniform operands of ops on data, each once, in order of use. Constants stay
/// in the kernel.
static SmallVector<Value> getFrontier(Block &body) {
  SmallVector<Value> frontier;
  for (Operation &op : body) {
    if (op.getNumResults() == 1 && isOfHost(op.getResult(0)))
      continue;
    for (Value operand : op.getOperands())
      if (isOfHost(operand) && !operand.getDefiningOp<ConstantOp>() &&
          !llvm::is_contained(frontier, operand))
        frontier.push_back(operand);
  }
  return frontier;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

struct SchedulePass
    : public lossgrad::impl::LossgradScheduleBase<SchedulePass> {
  using LossgradScheduleBase::LossgradScheduleBase;

  FailureOr<ScheduledVariant> scheduleVariant(ArrayRef<VariantOp> typed,
                                              const BodyShape &shape,
                                              ArrayRef<Schedule> schedules,
                                              int64_t &nextKey);
  FailureOr<ScheduledArch> scheduleArch(OperatorOp op, unsigned arch,
                                        ArrayRef<VariantOp> variants);
  void collectPoints(ArrayRef<VariantOp> variants, BodyShape &shape);
  LogicalResult finishTiling(func::FuncOp tiling);
  void runOnOperation() override;

  /// Whether tensors of mixed types have kernels where they are dense, beside
  /// those of any layout.
  bool isMixedTaken(const BodyShape &shape) const {
    return hasMixed && shape.reduced.empty();
  }
  bool hasMixed = true; // unless keys are short
  bool isAlone = true;  // the operator has kernels for one architecture only
  std::optional<UniformNames> uniformNames; // of the operator
  /// The results of typed variants with points for what is one-hot.
  llvm::DenseMap<Operation *, SmallVector<Value>> pointed;
};

} // namespace

/// The element types of a variant, read off what it rounds.
static ElementAttr getElement(VariantOp variant) {
  return variant.getYield()
      .getValues()
      .front()
      .getDefiningOp<NarrowOp>()
      .getElement();
}

/// What a kernel is called and when it runs: `FlatF32SingleGradOut`. The class
/// names need not say the operator: its file does.
static std::string getTitle(VariantOp variant, const Schedule &schedule) {
  std::string title = schedule.name.str();
  if (!schedule.anyLayout)
    switch (getElement(variant).getBinding()) {
    case Binding::Fixed:
      title += "F32";
      break;
    case Binding::Template:
      title += "16";
      break;
    case Binding::RunTime:
      title += "Mixed";
      break;
    }
  title += variant.getTitle().value_or("");
  return title;
}

static std::string getWhen(VariantOp variant, const Schedule &schedule) {
  std::string when = schedule.when.str();
  if (schedule.anyLayout)
    when += ", any element types";
  if (StringRef occasion = variant.getOccasion().value_or("");
      !occasion.empty())
    when += ("; " + occasion).str();
  return when;
}

/// One key, or one per candidate of the type parameter.
static ArrayAttr takeKeys(VariantOp variant, int64_t &nextKey) {
  Builder builder(variant.getContext());
  ElementAttr element = getElement(variant);
  SmallVector<Attribute> keys;
  auto take = [&](DType dtype) {
    keys.push_back(KeyAttr::get(variant.getContext(), nextKey++, dtype));
  };
  if (element.getBinding() == Binding::Template)
    llvm::for_each(element.getDtypes(), take);
  else
    take(DType::Undefined);
  return builder.getArrayAttr(keys);
}

static lossgrad::KernelOp
createKernel(VariantOp variant, ArrayRef<Value> results,
             const Schedule &schedule, const BodyShape &shape, int64_t &nextKey,
             UniformNames &uniformNames, bool isAlone) {
  OpBuilder builder(variant);
  Location loc = variant.getLoc();
  unsigned arch = groupFamilies(variant.getFamiliesAttr()).front().arch;
  auto kernel = lossgrad::KernelOp::create(
      builder, loc, kernelSymbol(getTitle(variant, schedule), arch, isAlone),
      variant.getOperator_(), variant.getFamiliesAttr(),
      takeKeys(variant, nextKey), schedule.space, schedule.anyLayout,
      getWhen(variant, schedule));
  Block &block = kernel.getBody().emplaceBlock();
  SmallVector<Value> frontier = getFrontier(variant.getBody().front());
  SmallVector<std::string> names = uniformNames.get(frontier);
  for (auto [value, text] : llvm::zip_equal(frontier, names))
    block.addArgument(value.getType(),
                      NameLoc::get(builder.getStringAttr(text), loc));
  buildSweeps(kernel, variant, results, schedule, shape, frontier);
  return kernel;
}

/// Whether a kernel has points: where its space is made for them, or where a
/// row is walked over in several tiles, for each of which a point is one call.
static bool takesPoints(const Schedule &schedule, const BodyShape &shape) {
  SpaceAttr space = schedule.space;
  bool hasLongRows = space.walks() && !space.isSplit() && !schedule.anyLayout &&
                     *space.areLanesReduced() && !space.areRowsReduced();
  return schedule.takesPoints() || (shape.hasPoints && hasLongRows);
}

/// Whether a kernel widens rows that stay in UB.
static bool keepsRows(lossgrad::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<SweepOp>(), [](SweepOp sweep) {
    return llvm::any_of(
        sweep.getAccesses().getAsRange<AccessAttr>(),
        [](AccessAttr access) { return access.getValue() == Access::Keep; });
  });
}

/// Kernels in the order in which they are tried: by space, then by type. A
/// kernel for any layout takes every mixture of types.
FailureOr<ScheduledVariant>
SchedulePass::scheduleVariant(ArrayRef<VariantOp> typed, const BodyShape &shape,
                              ArrayRef<Schedule> schedules, int64_t &nextKey) {
  ScheduledVariant result;
  result.variant = typed.front();
  result.shape = shape;
  std::string fault; // of the last kernel
  auto add = [&](VariantOp variant, const Schedule &schedule) {
    SmallVector<SmallVector<Value>, 2> choices;
    if (takesPoints(schedule, shape) && !pointed[variant].empty())
      choices.push_back(takesPlanes(schedule.space)
                            ? buildRoundedPoints(pointed[variant])
                            : pointed[variant]);
    // With points something may be looked up that is overwritten meanwhile.
    if (!schedule.takesPoints())
      choices.emplace_back(variant.getYield().getValues());
    for (ArrayRef<Value> results : choices) {
      int64_t firstKey = nextKey;
      lossgrad::KernelOp kernel = createKernel(
          variant, results, schedule, shape, nextKey, *uniformNames, isAlone);
      bool isWanted =
          schedule.residency != Residency::Widened || keepsRows(kernel);
      if (isWanted)
        fault = whyNotInPlace(kernel);
      if (isWanted && fault.empty())
        return result.kernels.push_back(kernel);
      kernel.erase();
      nextKey = firstKey;
    }
  };
  for (const Schedule &schedule : schedules) {
    if (schedule.anyLayout) {
      add(typed.back(), schedule);
      continue;
    }
    for (VariantOp variant : typed) {
      bool mixed = getElement(variant).getBinding() == Binding::RunTime;
      if ((isMixedTaken(shape) || !mixed) &&
          schedule.takes(getElement(variant)))
        add(variant, schedule);
    }
  }
  // The last kernel takes the calls that no other does.
  if (!fault.empty())
    return result.variant.emitError(
               "no schedule carries this yet: an output in place of an input, "
               "because a kernel ")
           << fault;
  SmallVector<Value> frontier = getFrontier(result.variant.getBody().front());
  SmallVector<std::string> names = uniformNames->get(frontier);
  for (auto [value, text] : llvm::zip_equal(frontier, names))
    result.uniforms.push_back({text, value});
  return result;
}

/// Keys of all kernels of a variant in these schedules.
static unsigned countKeys(ArrayRef<VariantOp> typed,
                          ArrayRef<Schedule> schedules, bool isMixedTaken) {
  unsigned count = 0;
  for (const Schedule &schedule : schedules) {
    count += schedule.anyLayout;
    for (VariantOp variant : typed) {
      ElementAttr element = getElement(variant);
      if (schedule.anyLayout || !schedule.takes(element))
        continue;
      if (element.getBinding() == Binding::Template)
        count += element.getDtypes().size();
      else if (element.getBinding() == Binding::Fixed || isMixedTaken)
        count += 1;
    }
  }
  return count;
}

static bool hasDim(const BodyShape &shape, StringAttr dim) {
  return llvm::is_contained(shape.kept, dim) || shape.isReduced(dim);
}

static ValueType typeOfTable(GatherOp gather) {
  return cast<ValueType>(gather.getTable().getType());
}

/// Where all results have lanes, what is one-hot may be points.
void SchedulePass::collectPoints(ArrayRef<VariantOp> variants,
                                 BodyShape &shape) {
  shape.hasPoints = !shape.reduced.empty();
  for (VariantOp variant : variants) {
    if (!shape.hasPoints || !variant.getSplit().empty())
      continue;
    pointed[variant] = buildPointedResults(variant);
    auto hasLanes = [&](Value result) {
      return shape.hasReduced(cast<ValueType>(result.getType()));
    };
    shape.hasPoints =
        !pointed[variant].empty() && llvm::all_of(pointed[variant], hasLanes);
    // What a point chooses may be looked up, too.
    for (GatherOp gather : variant.getBody().front().getOps<GatherOp>())
      shape.looksUpTiles |= shape.hasKept(typeOfTable(gather));
  }
}

FailureOr<ScheduledArch>
SchedulePass::scheduleArch(OperatorOp op, unsigned arch,
                           ArrayRef<VariantOp> variants) {
  // Typed forms of one variant, in the order of the variants.
  llvm::MapVector<Attribute, SmallVector<VariantOp>> bases;
  // One kernel may reduce less than another, but the host lays out the axes of
  // all alike, but for what sums onto a part and what has nothing to sum.
  BodyShape shapes[2];
  for (VariantOp variant : variants) {
    StringAttr base = variant.getBaseAttr();
    bases[base ? base : variant.getSymNameAttr()].push_back(variant);
    FailureOr<BodyShape> shape = getBodyShape(variant);
    if (failed(shape))
      return failure();
    BodyShape &largest = shapes[shape->ontoPart];
    BodyShape before = largest;
    largest.add(*shape);
    // Dims that one body has and another lacks are kept by all.
    largest.kept.clear();
    for (auto dim : op.getDims().getAsRange<DimAttr>())
      if (!largest.isReduced(dim.getName()) &&
          (hasDim(before, dim.getName()) || hasDim(*shape, dim.getName())))
        largest.kept.push_back(dim.getName());
  }
  for (VariantOp variant : variants)
    if (failed(checkAgainst(variant, shapes[!variant.getSplit().empty()])))
      return failure();
  collectPoints(variants, shapes[0]);
  SmallVector<Schedule> schedules[2];
  for (bool ontoPart : {false, true})
    if (!shapes[ontoPart].kept.empty())
      schedules[ontoPart] = proposeSchedules(op.getContext(), shapes[ontoPart]);
  // Planes are compared with a number and chosen from in one call each.
  VariantOp any = variants.front();
  SmallVector<const targets::Family *> families =
      groupFamilies(any.getFamiliesAttr()).front().families;
  if (!allHave(families, targets::Api::CompareScalar) ||
      !allHave(families, targets::Api::SelectScalar))
    llvm::erase_if(schedules[0], [](const Schedule &schedule) {
      return takesPlanes(schedule.space);
    });
  // What lies in turn is taken apart by looking it up in UB.
  if (!allHave(families, targets::Api::Gather) ||
      !allHave(families, targets::Api::CreateVecIndex))
    for (SmallVector<Schedule> &each : schedules)
      llvm::erase_if(each, [](const Schedule &schedule) {
        return schedule.space.isPacked();
      });
  auto sumsOnto = [](ArrayRef<VariantOp> typed) {
    VariantOp first = typed.front();
    return !first.getSplit().empty();
  };
  hasMixed = true;
  auto keys = [&] {
    unsigned count = 0;
    for (auto &[base, typed] : bases)
      count += countKeys(typed, schedules[sumsOnto(typed)],
                         isMixedTaken(shapes[sumsOnto(typed)]));
    return count;
  };
  // A space that others cover, if less well, is left out where keys are short:
  // the one first whose calls lose least.
  for (bool isLeft = true; isLeft && keys() > kMaxKeys;) {
    unsigned next = 0;
    for (const SmallVector<Schedule> &each : schedules)
      for (const Schedule &schedule : each)
        if (schedule.spare && (!next || schedule.spare < next))
          next = schedule.spare;
    isLeft = next != 0;
    for (SmallVector<Schedule> &each : schedules)
      llvm::erase_if(each, [&](const Schedule &schedule) {
        return isLeft && schedule.spare == next;
      });
  }
  // So is a kernel for dense tensors of mixed types.
  if (!schedules[1].empty() && keys() > kMaxKeys)
    hasMixed = false;
  if (keys() > kMaxKeys)
    return op.emitError() << "needs " << keys() << " tiling keys; at most "
                          << kMaxKeys << " are allowed per operator and family";
  ScheduledArch result;
  result.arch = arch;
  int64_t nextKey = 1;
  for (auto &[base, typed] : bases) {
    FailureOr<ScheduledVariant> scheduled = scheduleVariant(
        typed, shapes[sumsOnto(typed)], schedules[sumsOnto(typed)], nextKey);
    if (failed(scheduled))
      return failure();
    result.variants.push_back(std::move(*scheduled));
  }
  return result;
}

/// Ops that differ by their names are one as long as those are locations: what
/// is computed twice goes before the names are written down.
LogicalResult SchedulePass::finishTiling(func::FuncOp tiling) {
  OpPassManager cleanUp(func::FuncOp::getOperationName());
  cleanUp.addPass(createCanonicalizerPass());
  cleanUp.addPass(createCSEPass());
  if (failed(runPipeline(cleanUp, tiling)))
    return failure();
  fixNames(tiling);
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
    SmallVector<ScheduledArch, 2> archs;
    isAlone = byArch.size() == 1;
    uniformNames.emplace(op);
    for (auto &[arch, variants] : byArch) {
      FailureOr<ScheduledArch> scheduled = scheduleArch(op, arch, variants);
      if (failed(scheduled))
        return signalPassFailure();
      archs.push_back(std::move(*scheduled));
    }
    if (archs.empty())
      continue;
    OpBuilder builder(byArch.front().second.front());
    func::FuncOp tiling = buildTiling(op, archs, builder);
    if (failed(finishTiling(tiling)))
      return signalPassFailure();
    for (auto &[arch, variants] : byArch)
      for (VariantOp variant : variants)
        variant.erase();
  }
}
