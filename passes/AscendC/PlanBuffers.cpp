//===- PlanBuffers.cpp - ascendc-plan-buffers -----------------------------===//
//
// Carries out the plan of SlotAssignment: declares queues and TBufs, lets each
// stage take its blocks and hand them on, replaces virtual buffers by views,
// and answers the host's questions about UB. It decides nothing about
// placement.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/HeldValues.h"
#include "passes/AscendC/SlotAssignment.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCPLANBUFFERS
#include "passes/Passes.h.inc"
} // namespace lossgrad

namespace {

constexpr int64_t blocksPerQueue = 2; // double buffering

/// Rewrites one kernel.
class KernelRewriter {
public:
  KernelRewriter(KernelOp kernel, const KernelPlan &plan)
      : kernel(kernel), plan(plan), builder(kernel.getContext()) {}

  void run();
  /// UB bytes of all queues and TBufs.
  const SizeExpr &getFootprint() const { return footprint; }

private:
  /// A queue or TBuf as declared: where its slots start.
  struct Block {
    Value member;
    Type element;    ///< what AllocTensor and DeQue are called with
    StringAttr name; ///< of the block in the stages
    SmallVector<SizeExpr> offsets;     ///< bytes, per slot of the queue
    SmallVector<Value> elementOffsets; ///< null: 0
  };

  void declareQueue(unsigned index);
  void declareScratch();
  void rewriteStage(StageOp stage);
  void rewriteInit(InitOp init);
  void takeBlock(StageOp stage, unsigned queue);
  Value slotTensor(Operation *stage, unsigned slot);
  void replaceBuffers(Operation *scope, Region &region);
  Value symbolValue(StringRef name);
  Value materializeBytes(const SizeExpr &length, Type element, Location loc);
  KernelOp kernel;
  const KernelPlan &plan;
  OpBuilder builder;
  SizeExpr footprint;
  SmallVector<Block> queues;
  DenseMap<unsigned, Value> scratch; // slot to TBuf
  DenseMap<unsigned, Value> tensors; // slot to tensor, in one stage
  llvm::StringMap<Value> symbols;    // owns its keys: sizes are temporary
};

Value KernelRewriter::symbolValue(StringRef name) {
  Value &value = symbols[name];
  if (!value)
    for (auto field : kernel.getBlock().getOps<TilingFieldOp>())
      if (field.getMember() == name && !value)
        value = field.getResult();
  return value;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The one element type of all slots, or bytes.
static Type commonElement(ArrayRef<unsigned> slots, const KernelPlan &plan,
                          MLIRContext *context) {
  Type common;
  for (unsigned slot : slots) {
    BufferOp owner = plan.getSlots()[slot].owner;
    Type element = owner.getType().getElementType();
    if ((common && common != element) || element.isInteger(1))
      return IntegerType::get(context, 8, IntegerType::Unsigned);
    common = element;
  }
  return common;
}

static std::string queueName(const KernelPlan &plan, unsigned index) {
  const QueuePlan &queue = plan.getQueues()[index];
  unsigned same = llvm::count_if(plan.getQueues(), [&](const QueuePlan &other) {
    return other.position == queue.position;
  });
  if (same == 1)
    return queue.position == Position::VECIN ? "inQueue" : "outQueue";
  StageOp stage = queue.copyStages.front();
  std::string name = stage.getSymName().str();
  name[0] = llvm::toLower(name[0]);
  return name + "Queue";
}

/// The length in bytes, written as elements * sizeof(element).
Value KernelRewriter::materializeBytes(const SizeExpr &length, Type element,
                                       Location loc) {
  int64_t unit = std::max<int64_t>(elementBits(element) / 8, 1);
  Type i32 = builder.getI32Type();
  auto values = [&](StringRef name) { return symbolValue(name); };
  Value elements = length.materialize(builder, loc, i32, unit, values);
  if (unit == 1)
    return elements;
  Value size = SizeOfOp::create(builder, loc, i32, element);
  return arith::MulIOp::create(builder, loc, elements, size);
}

/// Why a buffer is longer than its tiles.
static void explainGap(Operation *member) {
  member->setAttr(kCommentAttr,
                  StringAttr::get(member->getContext(),
                                  "A gap keeps operands in different banks."));
}

void KernelRewriter::declareQueue(unsigned index) {
  const QueuePlan &queue = plan.getQueues()[index];
  int64_t half = plan.getBankPeriod() / 2;
  Block block;
  block.element = commonElement(queue.slots, plan, kernel.getContext());
  SizeExpr length;
  bool shifted = false;
  for (unsigned index : queue.slots) {
    const Slot &slot = plan.getSlots()[index];
    if (slot.wide && slot.phase && !shifted) {
      length += SizeExpr(half);
      shifted = true;
    }
    block.offsets.push_back(length);
    length += slot.size;
  }
  // The second block must start in the same bank group as the first.
  int64_t rest = length.getConstant() % plan.getBankPeriod();
  if (rest)
    length += SizeExpr(plan.getBankPeriod() - rest);
  footprint += length * blocksPerQueue;

  unsigned bits = elementBits(block.element);
  auto values = [&](StringRef name) { return symbolValue(name); };
  Location loc = kernel.getLoc();
  Type i32 = builder.getI32Type();
  Value bytes = materializeBytes(length, block.element, loc);
  bool isIn = queue.position == Position::VECIN;
  auto type = QueueType::get(builder.getContext(), queue.position);
  auto member = QueueOp::create(builder, loc, type, queueName(plan, index),
                                blocksPerQueue, bytes);
  if (shifted)
    explainGap(member);
  block.member = member;
  BufferOp first = plan.getSlots()[queue.slots.front()].owner;
  bool isWhole = queue.slots.size() == 1 && !shifted;
  block.name = builder.getStringAttr(isWhole ? first.getLabel()
                                     : isIn  ? "inputs"
                                             : "results");
  for (auto [offset, index] : llvm::zip(block.offsets, queue.slots)) {
    BufferOp owner = plan.getSlots()[index].owner;
    Value value;
    if (!(offset == SizeExpr())) {
      value = offset.materialize(builder, loc, i32, bits / 8, values);
      if (!isa<TilingFieldOp, arith::ConstantOp>(value.getDefiningOp()))
        setName(value.getDefiningOp(), owner.getLabel() + "Offset");
    }
    block.elementOffsets.push_back(value);
  }
  queues.push_back(std::move(block));
}

void KernelRewriter::declareScratch() {
  ArrayRef<unsigned> order = plan.getScratch();
  for (auto [position, index] : llvm::enumerate(order)) {
    const Slot &slot = plan.getSlots()[index];
    SizeExpr length = slot.size;
    // Half a period after the last slot of phase 0 shifts those of phase 1.
    const Slot *next = position + 1 < order.size()
                           ? &plan.getSlots()[order[position + 1]]
                           : nullptr;
    bool isLastBefore =
        slot.wide && !slot.phase && next && next->wide && next->phase;
    if (isLastBefore)
      length += SizeExpr(plan.getBankPeriod() / 2);
    footprint += length;
    // Sizes have no names of their own.
    Location loc = kernel.getLoc();
    BufferOp owner = slot.owner;
    Value bytes =
        materializeBytes(length, owner.getType().getElementType(), loc);
    auto member =
        TBufOp::create(builder, loc, TBufType::get(builder.getContext()),
                       (owner.getLabel() + "Buf").str(), bytes);
    if (isLastBefore)
      explainGap(member);
    scratch[index] = member;
  }
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void KernelRewriter::run() {
  builder.setInsertionPoint(
      &*llvm::find_if(kernel.getBlock(), [](Operation &op) {
        return isa<InitOp, StageOp, ProcessOp>(op);
      }));
  for (unsigned queue = 0; queue < plan.getQueues().size(); ++queue)
    declareQueue(queue);
  declareScratch();
  for (Operation &op : llvm::make_early_inc_range(kernel.getBlock())) {
    if (auto stage = dyn_cast<StageOp>(op))
      rewriteStage(stage);
    else if (auto init = dyn_cast<InitOp>(op))
      rewriteInit(init);
  }
  for (BufferOp buffer :
       llvm::make_early_inc_range(kernel.getBlock().getOps<BufferOp>()))
    buffer.erase();
}

/// The tensor of a TBuf slot in this stage.
Value KernelRewriter::slotTensor(Operation *scope, unsigned slot) {
  Value &tensor = tensors[slot];
  if (!tensor) {
    BufferOp owner = plan.getSlots()[slot].owner;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&scope->getRegion(0).front());
    tensor = TBufGetOp::create(builder, owner.getLoc(), owner.getType(),
                               scratch[slot]);
    setName(tensor.getDefiningOp(), owner.getLabel());
  }
  return tensor;
}

/// Calls on masks get them as words, in views without a name.
static void noteWords(Operation *user, BufferOp buffer) {
  auto view = dyn_cast<ViewOp>(user);
  if (!view || getNameAttr(view) ||
      !buffer.getType().getElementType().isInteger(1))
    return;
  auto name = StringAttr::get(view.getContext(),
                              buffer.getValueName().getValue() + "Words");
  for (OpOperand &use : view->getUses())
    setHeldValue(use, name);
}

/// Replaces the buffers that `scope` uses by the tensors of their slots.
void KernelRewriter::replaceBuffers(Operation *scope, Region &region) {
  DenseMap<std::pair<Value, Type>, Value> views;
  for (BufferOp buffer : kernel.getBlock().getOps<BufferOp>()) {
    auto isHere = [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    };
    if (llvm::none_of(buffer->getUses(), isHere))
      continue;
    unsigned slot = *plan.find(scope, buffer);
    Value tensor = plan.getSlots()[slot].queue < 0 ? slotTensor(scope, slot)
                                                   : tensors.lookup(slot);
    if (tensor.getType() != buffer.getType()) {
      // One view for all values of this type in the slot.
      Value &view = views[{tensor, buffer.getType()}];
      if (!view) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(tensor);
        view = ViewOp::create(builder, buffer.getLoc(), buffer.getType(),
                              tensor, /*offset=*/Value(),
                              /*slot=*/IntegerAttr());
        setName(view.getDefiningOp(), buffer.getLabel());
      }
      tensor = view;
    }
    for (OpOperand &use : llvm::make_early_inc_range(buffer->getUses())) {
      if (!isHere(use))
        continue;
      use.set(tensor);
      setHeldValue(use, buffer.getValueName());
      noteWords(use.getOwner(), buffer);
    }
  }
}

void KernelRewriter::rewriteInit(InitOp init) {
  tensors.clear();
  replaceBuffers(init, init.getBody());
}

/// The ops of the stage's own block between which a queue's block is needed.
static std::pair<Operation *, Operation *>
usesOfQueue(StageOp stage, unsigned queue, const KernelPlan &plan) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : stage.getBody().front()) {
    bool touches = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        BufferOp buffer = isa<LocalTensorType>(operand.getType())
                              ? rootBuffer(operand)
                              : nullptr;
        std::optional<unsigned> slot =
            buffer ? plan.find(stage, buffer) : std::nullopt;
        touches |= slot && plan.getSlots()[*slot].queue == int(queue);
      }
    });
    if (!touches)
      continue;
    first = first ? first : &op;
    last = &op;
  }
  return {first, last};
}

void KernelRewriter::takeBlock(StageOp stage, unsigned index) {
  auto [first, last] = usesOfQueue(stage, index, plan);
  const QueuePlan &queue = plan.getQueues()[index];
  Block &block = queues[index];
  bool isIn = queue.position == Position::VECIN;
  bool produces =
      stage.getKind() == (isIn ? StageKind::CopyIn : StageKind::Compute);
  bool single = queue.slots.size() == 1;

  // Take the block: a result as late as possible.
  if (isIn || stage.getKind() == StageKind::CopyOut)
    builder.setInsertionPointToStart(&stage.getBody().front());
  else
    builder.setInsertionPoint(first);
  auto blockType = LocalTensorType::get(builder.getContext(), block.element);
  Location loc = stage.getLoc();
  Value tensor =
      produces
          ? AllocTensorOp::create(builder, loc, blockType, block.member)
                .getResult()
          : DeQueOp::create(builder, loc, blockType, block.member).getResult();
  setName(tensor.getDefiningOp(), block.name);
  for (auto [position, slot] : llvm::enumerate(queue.slots)) {
    auto isUsed = [&](BufferOp buffer) {
      return llvm::any_of(buffer->getUses(), [&](OpOperand &use) {
        return stage->isProperAncestor(use.getOwner());
      });
    };
    // Called after what is loaded here.
    BufferOp owner = plan.getSlots()[slot].owner;
    for (BufferOp sharer : plan.getSlots()[slot].sharers)
      owner = isUsed(sharer) ? sharer : owner;
    bool used = llvm::any_of(kernel.getBlock().getOps<BufferOp>(),
                             [&, slot = slot](BufferOp buffer) {
                               if (plan.find(stage, buffer) !=
                                   std::optional<unsigned>(slot))
                                 return false;
                               return isUsed(buffer);
                             });
    if (!used)
      continue;
    Value offset = block.elementOffsets[position];
    if (single && !offset && owner.getType() == blockType) {
      setName(tensor.getDefiningOp(), owner.getLabel());
      tensors[slot] = tensor;
      continue;
    }
    auto view = ViewOp::create(builder, owner.getLoc(), owner.getType(), tensor,
                               offset, builder.getI64IntegerAttr(position));
    setName(view, owner.getLabel());
    tensors[slot] = view;
  }
  // Hand it on after the last use.
  builder.setInsertionPointAfter(last);
  if (produces)
    EnQueOp::create(builder, stage.getLoc(), block.member, tensor);
  else
    FreeTensorOp::create(builder, stage.getLoc(), block.member, tensor);
}

void KernelRewriter::rewriteStage(StageOp stage) {
  tensors.clear();
  for (unsigned queue = plan.getQueues().size(); queue-- > 0;)
    if (plan.uses(stage, queue))
      takeBlock(stage, queue);
  replaceBuffers(stage, stage.getBody());
}

//===----------------------------------------------------------------------===//
// Limits and budget
//===----------------------------------------------------------------------===//

LogicalResult checkLimits(KernelOp kernel, const KernelPlan &plan) {
  for (const targets::Family *family : familiesAround(kernel)) {
    unsigned inFlight[2] = {0, 0};
    for (const QueuePlan &queue : plan.getQueues())
      inFlight[static_cast<unsigned>(queue.position)] += blocksPerQueue;
    for (Position position : {Position::VECIN, Position::VECOUT}) {
      unsigned blocks = inFlight[static_cast<unsigned>(position)];
      if (blocks > family->eventIds)
        return kernel.emitOpError()
               << "has " << blocks << " blocks in " << blocks / blocksPerQueue
               << " queues at " << stringifyPosition(position) << "; "
               << family->title << " has " << family->eventIds
               << " events for them";
    }
    unsigned buffers =
        plan.getQueues().size() * blocksPerQueue + plan.getScratch().size();
    if (buffers > family->maxBuffers)
      return kernel.emitOpError()
             << "needs " << buffers << " buffers; " << family->title << " has "
             << family->maxBuffers;
  }
  return success();
}

/// The top of UB that calls of the kernel use as scratch, where the platform
/// counts it as usable.
int64_t reservedBytes(KernelOp kernel) {
  bool used = false;
  kernel.walk([&](ApiCallInterface call) {
    used |= call.usesReservedUb();
    // Calls of the device headers may be made of Brcb.
    if (call.getPipe() == Pipe::V && call->hasTrait<OfTileHeader>())
      for (const targets::Family *family : familiesAround(kernel))
        used |= family->usesScratch(targets::Api::Brcb);
  });
  int64_t reserved = 0;
  for (const targets::Family *family : familiesAround(kernel))
    for (const auto *soc = targets::socsBegin(); soc != targets::socsEnd();
         ++soc)
      if (used && soc->family == family &&
          soc->reportedUbBytes() > family->ubScratchOffset)
        reserved = std::max<int64_t>(reserved, family->ubScratchBytes);
  return reserved;
}

class PlanBuffersPass
    : public lossgrad::impl::AscendCPlanBuffersBase<PlanBuffersPass> {
  void runOnOperation() override;
  LogicalResult answer(UbBytesOp query);
  LogicalResult answer(UbSolveOp query);
  LogicalResult answer(UbTermsOp query);
  template <typename Op>
  FailureOr<const SizeExpr *> footprintOf(Op query, StringRef free);
  DenseMap<Operation *, SizeExpr> footprints;
};

/// The value of a symbol in a query.
template <typename Op> Value givenValue(Op query, StringRef symbol) {
  for (auto [name, value] :
       llvm::zip(query.getSymbols().template getAsRange<StringAttr>(),
                 query.getValues()))
    if (name.getValue() == symbol)
      return value;
  return {};
}

template <typename Op>
FailureOr<const SizeExpr *> PlanBuffersPass::footprintOf(Op query,
                                                         StringRef free) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(query, query.getKernelAttr());
  const SizeExpr &footprint = footprints[kernel];
  SmallVector<std::string> symbols;
  footprint.collectSymbols(symbols);
  for (const std::string &symbol : symbols)
    if (symbol != free && !givenValue(query, symbol))
      return query.emitOpError() << "gives no value for '" << symbol
                                 << "', on which the buffers of "
                                 << query.getKernelAttr() << " depend";
  return &footprint;
}

LogicalResult PlanBuffersPass::answer(UbBytesOp query) {
  FailureOr<const SizeExpr *> footprint = footprintOf(query, "");
  if (failed(footprint))
    return failure();
  OpBuilder builder(query);
  Value bytes = (*footprint)
                    ->materialize(builder, query.getLoc(), builder.getI64Type(),
                                  1, [&](StringRef symbol) {
                                    return givenValue(query, symbol);
                                  });
  query.replaceAllUsesWith(bytes);
  query.erase();
  return success();
}

LogicalResult PlanBuffersPass::answer(UbSolveOp query) {
  FailureOr<const SizeExpr *> footprint = footprintOf(query, query.getFree());
  if (failed(footprint))
    return failure();
  OpBuilder builder(query);
  Value tile =
      (*footprint)
          ->solve(builder, query.getLoc(), query.getFree(), query.getUb(),
                  [&](StringRef symbol) { return givenValue(query, symbol); });
  if (!tile)
    return query.emitOpError()
           << "asks for '" << query.getFree() << "', on which no buffer of "
           << query.getKernelAttr() << " depends";
  auto kernel = cast<KernelOp>(
      SymbolTable::lookupNearestSymbolFrom(query, query.getKernelAttr()));
  auto member = dyn_cast_or_null<TilingMemberOp>(
      SymbolTable::lookupSymbolIn(kernel.getTilingStruct(), query.getFree()));
  if (int64_t multiple = member ? member.getMultiple().value_or(1) : 1;
      multiple > 1) {
    Value number = arith::ConstantOp::create(
        builder, query.getLoc(), builder.getI64IntegerAttr(multiple));
    tile = arith::DivSIOp::create(builder, query.getLoc(), tile, number);
    tile = arith::MulIOp::create(builder, query.getLoc(), tile, number);
  }
  query.replaceAllUsesWith(tile);
  query.erase();
  return success();
}

LogicalResult PlanBuffersPass::answer(UbTermsOp query) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(query, query.getKernelAttr());
  std::optional<SizeExpr::Line> line =
      footprints[kernel].asLineIn(query.getFree(), query.getBeside());
  if (!line)
    return query.emitOpError()
           << "asks for the buffers of " << query.getKernelAttr() << " by '"
           << query.getFree() << "' and '" << query.getBeside()
           << "', but they depend on other members too";
  OpBuilder builder(query);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, query.getLoc(),
                                     builder.getI64IntegerAttr(value));
  };
  auto bytes = [&](int64_t bitsPerUnit) {
    return number(llvm::divideCeil(bitsPerUnit * query.getPer(), 8));
  };
  query.getFixed().replaceAllUsesWith(number(line->fixedBytes));
  query.getEach().replaceAllUsesWith(bytes(line->bitsPerUnit));
  query.getBesideEach().replaceAllUsesWith(bytes(line->bitsPerOther));
  query.erase();
  return success();
}

void PlanBuffersPass::runOnOperation() {
  WalkResult kernels = getOperation().walk([&](KernelOp kernel) {
    FailureOr<KernelPlan> plan = KernelPlan::make(kernel);
    if (failed(plan) || failed(checkLimits(kernel, *plan)))
      return WalkResult::interrupt();
    KernelRewriter rewriter(kernel, *plan);
    rewriter.run();
    SizeExpr footprint = rewriter.getFootprint();
    footprint += SizeExpr(reservedBytes(kernel));
    footprints[kernel] = footprint;
    return WalkResult::advance();
  });
  if (kernels.wasInterrupted())
    return signalPassFailure();
  WalkResult queries = getOperation().walk([&](Operation *op) {
    LogicalResult result = success();
    if (auto bytes = dyn_cast<UbBytesOp>(op))
      result = answer(bytes);
    else if (auto solve = dyn_cast<UbSolveOp>(op))
      result = answer(solve);
    else if (auto terms = dyn_cast<UbTermsOp>(op))
      result = answer(terms);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (queries.wasInterrupted())
    signalPassFailure();
  footprints.clear();
}

} // namespace
