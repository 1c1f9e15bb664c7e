//===- ScheduleTiling.cpp - The host side of schedules --------------------===//
//
// Builds the tiling function of an operator: which variant, which element
// types, which schedule, how large a tile, and the uniform values in float64.
// What does not depend on the operator (collapsing axes, dealing work to cores)
// is called by symbol; the emitted helper header has it.
//
//===----------------------------------------------------------------------===//

#include "lossgrad/Targets.h"
#include "passes/TilingParts.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// The function on one architecture.
class TilingBuilder {
public:
  TilingBuilder(OperatorOp op, const ScheduledArch &arch, OpBuilder &builder)
      : op(op), arch(arch), builder(builder), uniforms(builder),
        loc(withoutName(op.getLoc())),
        choice(arch.variants, uniforms, builder, loc),
        tensors(getPackTensors(op)) {}

  void build();

private:
  /// Whether the products of the architecture have a call.
  bool hasCall(targets::Api api) const {
    const targets::Family *family = targets::findArchitecture(arch.arch);
    return !family || family->has(api);
  }
  Value integer(int64_t value);
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  }
  Value ask(TilingQuestion question, StringRef name, Type type) {
    return TilingAskOp::create(builder, loc, type, question, name,
                               IntegerAttr());
  }
  Type host(StringRef name) {
    return HostType::get(builder.getContext(), name);
  }
  void store(StringRef member, Value value) {
    TilingStoreOp::create(builder, loc, member, value);
  }
  uint64_t tensorsOf(const ScheduledVariant &variant, bool onlyMoved,
                     bool onlyTiles);
  Value rankOf(DimAttr dim);
  Value splitPosition(DimAttr dim, ParamAttr tensor);
  Value buildLeftOut(const ScheduledVariant &each);
  DimAttr findPart();
  Value buildRuns();
  Value buildPlan();
  void storePlan(Value plan);
  Value buildWorkspace(Value plan);
  void storeUniforms();

  OperatorOp op;
  const ScheduledArch &arch;
  OpBuilder &builder;
  UniformToArith uniforms;
  Location loc;
  VariantChoice choice;
  SmallVector<ParamAttr> tensors;
  llvm::DenseMap<int64_t, Value> integers;
};

} // namespace

/// One constant per number, so that equal choices are seen to be equal.
Value TilingBuilder::integer(int64_t value) {
  Value &known = integers[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    auto *function = builder.getInsertionBlock()->getParentOp();
    while (!isa<func::FuncOp>(function))
      function = function->getParentOp();
    builder.setInsertionPointToStart(
        &cast<func::FuncOp>(function).getBody().front());
    known = arith::ConstantOp::create(builder, loc,
                                      builder.getI64IntegerAttr(value));
  }
  return known;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// The position of a split axis: the attribute, from the end if negative. Rank
/// 0 counts as rank 1.
Value TilingBuilder::splitPosition(DimAttr dim, ParamAttr tensor) {
  Type i64 = builder.getI64Type();
  Value given = ask(TilingQuestion::Attribute, dim.getRefs().front(), i64);
  Value rank = arith::MaxSIOp::create(
      builder, loc, ask(TilingQuestion::Rank, tensor.getName(), i64),
      integer(1));
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, given, integer(0));
  Value fromEnd = arith::AddIOp::create(builder, loc, given, rank);
  return arith::SelectOp::create(builder, loc, isNegative, fromEnd, given);
}

/// How many axes a dim has in this call: told by a tensor that has the dim, and
/// that knows the ranks of its other dims.
Value TilingBuilder::rankOf(DimAttr dim) {
  if (dim.getKind() == DimKind::Broadcast || dim.getKind() == DimKind::Part)
    return integer(0);
  if (!dim.isPack())
    return integer(1);
  auto findDim = [&](StringAttr name) {
    for (auto each : op.getDims().getAsRange<DimAttr>())
      if (each.getName() == name)
        return each;
    return DimAttr();
  };
  Type i64 = builder.getI64Type();
  for (ParamAttr tensor : llvm::reverse(tensors)) {
    ShapeAttr shape = tensor.getShape();
    if (shape.getFlat() || shape.getConditionName() ||
        !llvm::is_contained(shape.getDims(), dim.getName()))
      continue;
    unsigned axes = 0, packs = 0;
    DimAttr split;
    bool isBefore = true, isBeforeSplit = false;
    for (StringAttr name : shape.getDims()) {
      DimAttr each = findDim(name);
      isBefore &= each != dim;
      if (each.getKind() == DimKind::Split) {
        split = each;
        isBeforeSplit = !isBefore;
      }
      packs += each.isPack();
      axes += !each.isPack();
    }
    Value rank = ask(TilingQuestion::Rank, tensor.getName(), i64);
    if (packs == 1)
      return arith::SubIOp::create(builder, loc, rank, integer(axes));
    if (packs == 2 && split && axes == 1) {
      Value position = splitPosition(split, tensor);
      if (isBeforeSplit)
        return position;
      Value behind = arith::SubIOp::create(builder, loc, rank, position);
      return arith::SubIOp::create(builder, loc, behind, integer(1));
    }
  }
  return integer(0);
}

/// The inputs that a call does not need, as bits: those that only the other
/// side of a choice reads, whatever they are then.
Value TilingBuilder::buildLeftOut(const ScheduledVariant &each) {
  VariantOp source = each.variant;
  Value mask = integer(0);
  for (auto [i, argument] : llvm::enumerate(source.getBody().getArguments())) {
    Value isNeeded;
    for (const ReadLiteral &literal : getReadLiterals(argument)) {
      auto present = literal.condition.getDefiningOp<PresentOp>();
      if (present && present.getName() == tensors[i].getName())
        continue;
      Value holds = uniforms.convert(literal.condition);
      if (!literal.holds)
        holds = arith::XOrIOp::create(
            builder, loc, holds,
            arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
      isNeeded =
          isNeeded
              ? arith::AndIOp::create(builder, loc, isNeeded, holds).getResult()
              : holds;
    }
    if (!isNeeded)
      continue;
    Value bit = arith::SelectOp::create(builder, loc, isNeeded, integer(0),
                                        integer(int64_t(1) << i));
    mask = arith::AddIOp::create(builder, loc, mask, bit);
  }
  return mask;
}

/// The part that some variant sums onto, if any.
DimAttr TilingBuilder::findPart() {
  for (const ScheduledVariant &each : arch.variants) {
    VariantOp variant = each.variant;
    for (auto name : variant.getSplit().getAsRange<StringAttr>())
      return op.findDim(name);
  }
  return {};
}

/// The axes of the call, by dims: a tensor lies along the dims that it has.
Value TilingBuilder::buildRuns() {
  SmallVector<Attribute> dims;
  SmallVector<Value> ranks;
  // The axes of a part are among those of its pack.
  DimAttr part = findPart();
  for (auto dim : op.getDims().getAsRange<DimAttr>()) {
    bool isSplit = part && part.getRefs()[0] == dim.getName();
    bool isReduced = false, isKept = false;
    for (const ScheduledVariant &each : arch.variants) {
      isReduced |= each.shape.isReduced(dim.getName()) && !isSplit;
      isKept |= llvm::is_contained(each.shape.kept, dim.getName());
    }
    if (dim == part || (!isReduced && !isKept))
      continue;
    int64_t members = 0, ofPart = 0, decides = -1;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      int64_t bit = int64_t(1) << i;
      ArrayRef<StringAttr> own = tensor.getShape().getDims();
      bool hasPart = isSplit && llvm::is_contained(own, part.getName());
      bool isParam = isSplit && part.getRefs()[1] == tensor.getName();
      if (hasPart || llvm::is_contained(own, dim.getName()))
        members |= bit;
      if (hasPart || isParam)
        ofPart |= bit;
      if (isParam)
        decides = i;
    }
    dims.push_back(HostDimAttr::get(op.getContext(), dim.getName(), members,
                                    dim.getKind() == DimKind::Broadcast,
                                    isReduced, ofPart, decides));
    ranks.push_back(rankOf(dim));
  }
  SmallVector<StringRef> names;
  int64_t optional = 0;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    names.push_back(tensor.getName().getValue());
    if (tensor.getRole() == Role::Optional &&
        llvm::any_of(arch.variants, reduces))
      optional |= int64_t(1) << i;
  }
  Value leftOut;
  if (llvm::any_of(arch.variants, reduces))
    leftOut = choice.choose(
        [&](const ScheduledVariant &each) { return buildLeftOut(each); },
        "leftOut");
  if (leftOut == integer(0))
    leftOut = {};
  return TilingRunsOp::create(
      builder, named("runs"), host("Runs"), builder.getStrArrayAttr(names),
      builder.getArrayAttr(dims), ranks, optional, leftOut);
}

//===----------------------------------------------------------------------===//
// The table of kernels
//===----------------------------------------------------------------------===//

/// The tensors that a variant reads or writes, as bits; without inputs of one
/// element where only what is moved tile by tile counts, and without those that
/// have one value per row or lane where only tiles do.
uint64_t TilingBuilder::tensorsOf(const ScheduledVariant &each, bool onlyMoved,
                                  bool onlyTiles) {
  VariantOp source = each.variant;
  Region &body = source.getBody();
  auto oneElement = source.getOneElement().getAsValueRange<StringAttr>();
  uint64_t mask = 0;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    bool isInput = i < body.getNumArguments();
    if (isInput && body.getArgument(i).use_empty())
      continue;
    bool isSingle =
        isInput &&
        (llvm::is_contained(oneElement, tensor.getName().getValue()) ||
         cast<ValueType>(body.getArgument(i).getType()).getDims().empty());
    if (onlyMoved && isSingle)
      continue;
    if (onlyTiles && reduces(each)) {
      auto type = ValueType::get(op.getContext(), source.getDimsOf(tensor),
                                 tensor.getKind());
      if (!each.shape.hasReduced(type) || !each.shape.hasKept(type))
        continue;
    }
    mask |= uint64_t(1) << i;
  }
  return mask;
}

/// The number of an element type in the tiling data.
static int64_t dtypeCode(DType dtype) {
  return static_cast<int64_t>(getDtypeCode(dtype));
}

/// The type that a key is for; none for a kernel that takes any.
static int64_t dtypeOfKey(lossgrad::KernelOp kernel, KeyAttr key) {
  if (key.getDtype() != DType::Undefined)
    return dtypeCode(key.getDtype());
  bool anyType = kernel.getAnyLayout();
  // Values per row or lane have a type of their own.
  if (!kernel.getSpace().getReduced())
    kernel.walk([&](NarrowOp narrow) {
      anyType |= narrow.getElement().getBinding() == Binding::RunTime;
    });
  return anyType ? -1 : dtypeCode(DType::Float32);
}

static bool hasResident(lossgrad::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<SweepOp>(), [](SweepOp sweep) {
    return llvm::any_of(sweep.getAccesses().getAsRange<AccessAttr>(),
                        [](AccessAttr access) {
                          return access.getValue() == Access::Resident ||
                                 access.getValue() == Access::Keep;
                        });
  });
}

static bool hasLaunch(lossgrad::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<SweepOp>(),
                      [](SweepOp sweep) { return sweep.isPerLaunch(); });
}

Value TilingBuilder::buildPlan() {
  Value runs = buildRuns();
  auto mask = [&](bool onlyMoved, bool onlyTiles, StringRef name) {
    return choice.choose(
        [&](const ScheduledVariant &each) {
          return integer(tensorsOf(each, onlyMoved, onlyTiles));
        },
        name);
  };
  Value used = mask(/*onlyMoved=*/true, /*onlyTiles=*/false, "used");
  Value typed = mask(/*onlyMoved=*/false, /*onlyTiles=*/true, "typed");
  Value variant = choice.choose(
      [&](const ScheduledVariant &each) {
        return integer(&each - arch.variants.begin());
      },
      "variant");
  SmallVector<Attribute> rows;
  for (auto [i, each] : llvm::enumerate(arch.variants))
    for (lossgrad::KernelOp kernel : each.kernels)
      for (KeyAttr key : kernel.getKeys().getAsRange<KeyAttr>())
        rows.push_back(PlanRowAttr::get(
            op.getContext(), key.getKey(), i, dtypeOfKey(kernel, key),
            FlatSymbolRefAttr::get(op.getContext(), kernelClassName(kernel)),
            kernel.getSpace(), kernel.getAnyLayout(), hasResident(kernel),
            hasLaunch(kernel)));
  // Where copies take whole blocks, what is shorter is one core's.
  bool wholeBlocks = !hasCall(targets::Api::DataCopyPad);
  Value plan = TilingPlanOp::create(builder, named("plan"), host("TilePlan"),
                                    runs, used, typed, op.getOutputs().size(),
                                    variant, arch.arch, wholeBlocks,
                                    builder.getArrayAttr(rows), ValueRange());
  Value fits =
      TilingReadOp::create(builder, loc, builder.getI1Type(), plan, "fits");
  TilingRequireOp::create(builder, loc, fits,
                          "UB is too small for the smallest tile");
  return plan;
}

//===----------------------------------------------------------------------===//
// The tiling data
//===----------------------------------------------------------------------===//

/// Coefficients of all variants; one that its variant does not read does no
/// harm.
void TilingBuilder::storeUniforms() {
  llvm::MapVector<StringRef, int> members;
  for (const ScheduledVariant &each : arch.variants)
    for (auto &[name, value] : each.uniforms)
      members.insert({name, 0});
  for (auto &[member, unused] : members) {
    StringRef wanted = member;
    Value exact = choice.choose(
        [&](const ScheduledVariant &each) -> Value {
          for (auto &[name, value] : each.uniforms)
            if (name == wanted)
              return uniforms.convert(value);
          return {};
        },
        member);
    Value rounded;
    if (exact.getType().isInteger(1))
      rounded =
          arith::ExtUIOp::create(builder, loc, builder.getI32Type(), exact);
    else if (exact.getType().isF64())
      rounded =
          arith::TruncFOp::create(builder, loc, builder.getF32Type(), exact);
    else // ints travel as they are
      rounded = exact;
    store(member, rounded);
  }
}

void TilingBuilder::storePlan(Value plan) {
  forEachPlanMember(
      op, arch, builder.getContext(), [&](const PlanMember &each) {
        if (each.count)
          TilingStoreArrayOp::create(builder, loc, each.name, plan, each.name,
                                     each.count);
        else
          store(each.name,
                TilingReadOp::create(builder, loc, each.type, plan, each.name));
      });
}

void TilingBuilder::build() {
  Value plan = buildPlan();
  storePlan(plan);
  if (hasRunTimeTypes(arch))
    for (ParamAttr tensor : tensors)
      store(dtypeMember(tensor.getName()),
            ask(TilingQuestion::DType, tensor.getName(), builder.getI32Type()));
  storeUniforms();
  auto read = [&](StringRef field) -> Value {
    return TilingReadOp::create(builder, loc, builder.getI64Type(), plan,
                                field);
  };
  TilingLaunchOp::create(builder, loc, read("key"), read("blocks"),
                         buildWorkspace(plan));
}

/// Room for the partial results of all cores, where the plan splits rows, and
/// for what they meet by.
Value TilingBuilder::buildWorkspace(Value plan) {
  int64_t bytes = 0;
  bool hasSlots = !hasCall(targets::Api::SyncAll);
  for (const ScheduledVariant &each : arch.variants)
    for (lossgrad::KernelOp kernel : each.kernels) {
      int64_t exchanged = 0;
      for (SweepOp sweep : kernel.getBody().getOps<SweepOp>())
        if (kernel.getSpace().isSplit() || sweep.isPerLaunch())
          exchanged += sweep.getEnd().getReduced().size();
      int64_t pitch =
          getExchangePitch(getSplitPitch(kernel.getSpace()), hasSlots);
      bytes = std::max<int64_t>(bytes, exchanged * getMaxCores() * pitch *
                                           sizeof(float));
    }
  if (!bytes)
    return {};
  Value isSplit =
      TilingReadOp::create(builder, loc, builder.getI1Type(), plan, "isSplit");
  return arith::SelectOp::create(builder, loc, isSplit, integer(bytes),
                                 integer(0));
}

/// One architecture after the other; the last needs no question.
static void buildByArch(OperatorOp op, ArrayRef<ScheduledArch> archs,
                        OpBuilder &builder) {
  if (archs.size() == 1)
    return TilingBuilder(op, archs.front(), builder).build();
  Location loc = withoutName(op.getLoc());
  Value isHere = TilingOnArchOp::create(builder, loc, builder.getI1Type(),
                                        archs.front().arch);
  auto ifOp = scf::IfOp::create(builder, loc, isHere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  TilingBuilder(op, archs.front(), builder).build();
  builder.setInsertionPointToStart(ifOp.elseBlock());
  buildByArch(op, archs.drop_front(), builder);
}

func::FuncOp lossgrad::buildTiling(OperatorOp op, ArrayRef<ScheduledArch> archs,
                                   OpBuilder &builder) {
  buildTilingStruct(op, archs, builder);
  Location loc = withoutName(op.getLoc());
  auto function = func::FuncOp::create(builder, loc, tilingFunctionName(op),
                                       builder.getFunctionType({}, {}));
  function->setAttr(kTilingOperatorAttr,
                    FlatSymbolRefAttr::get(op.getSymNameAttr()));
  function->setAttr(
      kTilingStructAttr,
      FlatSymbolRefAttr::get(builder.getContext(), tilingStructName(op)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock());
  buildByArch(op, archs, builder);
  func::ReturnOp::create(builder, loc);
  return function;
}
