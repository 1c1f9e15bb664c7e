//===- InsertSync.cpp - ascendc-insert-sync -------------------------------===//
//
// Follows a planned kernel in the order in which its calls are issued and
// keeps, for each access, the pipes that are known to wait for it. Where a
// conflicting access comes on a pipe that is not, it inserts a barrier or an
// event. What queues order is known from their calls; nothing is inserted for
// it.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/StageLiveness.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCINSERTSYNC
#include "passes/Passes.h.inc"
} // namespace lossgrad

namespace {

using PipeSet = unsigned;
constexpr PipeSet allPipes = 0xf;
PipeSet bit(Pipe pipe) { return 1u << static_cast<unsigned>(pipe); }

/// The bytes that an access touches. Different roots never overlap: queue
/// blocks, TBufs and tensors in global memory.
struct Bytes {
  Value root;
  std::optional<int64_t> slot;                      // of a planned block
  std::optional<std::pair<int64_t, int64_t>> range; // inside the slot

  bool meets(const Bytes &other) const {
    if (root != other.root)
      return false;
    if (slot && other.slot && slot != other.slot)
      return false;
    if (slot == other.slot && range && other.range)
      return range->first < other.range->second &&
             other.range->first < range->second;
    return true;
  }
};

struct Access {
  OpOperand *operand = nullptr; // null: what a queue knows of the other side
  Operation *op = nullptr;
  Operation *scope = nullptr; // init, stage or process
  Pipe pipe = Pipe::S;
  Bytes bytes;
  bool writes = false;
  PipeSet seenBy = 0; // pipes that wait for it; its own: the next call does
};

using State = SmallVector<Access>;

/// Where the tensor lies, through views and TBufs.
Bytes locate(Value tensor) {
  Bytes bytes;
  int64_t offset = 0;
  bool known = true;
  while (true) {
    if (auto view = tensor.getDefiningOp<ViewOp>()) {
      if (view.getSlot()) {
        bytes.slot = *view.getSlot();
      } else if (Value index = view.getOffset()) {
        std::optional<int64_t> constant = getConstantIntValue(index);
        known &= constant.has_value();
        offset += constant.value_or(0) *
                  elementBits(view.getSource().getType().getElementType()) / 8;
      }
      tensor = view.getSource();
    } else if (auto get = tensor.getDefiningOp<TBufGetOp>()) {
      tensor = get.getBuffer();
    } else if (auto global = tensor.getDefiningOp<GlobalOp>()) {
      tensor = global.getAddress();
      known = false;
    } else {
      break;
    }
  }
  bytes.root = tensor;
  if (known)
    bytes.range = {offset, offset};
  return bytes;
}

class KernelSync {
public:
  explicit KernelSync(KernelOp kernel) : kernel(kernel) {
    const targets::Family &family = *familiesAround(kernel).front();
    vectorOrdered = family.vectorOrdered;
    reducesOnScalar = family.reduceWaits;
    kernel.getProcess().walk([&](RunOp run) {
      int depth = 0;
      for (Operation *op = run->getParentOp(); op != kernel;
           op = op->getParentOp())
        depth += isa<scf::ForOp>(op);
      Operation *stage = lookup(run);
      auto [it, fresh] = depths.try_emplace(stage, depth);
      it->second = std::min(it->second, depth);
    });
  }

  /// Repeats until a walk inserts nothing: what is inserted for one path also
  /// counts on the others.
  void run() {
    do {
      inserted = restart = false;
      State state;
      for (InitOp init : kernel.getBlock().getOps<InitOp>())
        walk(init.getBody(), init, state);
      walk(kernel.getProcess().getBody(), kernel.getProcess(), state);
    } while (inserted);
  }

private:
  Operation *lookup(RunOp run) {
    return SymbolTable::lookupSymbolIn(kernel, run.getStageAttr());
  }
  void walk(Region &region, Operation *scope, State &state);
  void visit(Operation *op, Operation *scope, State &state);
  void visitQueue(Operation *op, State &state);
  void order(Operation *op, const Access &now, State &state);
  void orderAfter(Pipe pipe, Operation *op, const Access &now, State &state);
  void insertEvent(Operation *op, const Access &before, const Access &now);
  PipeSet ownBit(Pipe pipe) const {
    // Only the vector pipe starts a call before the last one has finished.
    return pipe == Pipe::V && !vectorOrdered ? 0 : bit(pipe);
  }

  KernelOp kernel;
  bool vectorOrdered, reducesOnScalar;
  bool inserted = false;
  bool restart = false;              // something was inserted before this point
  DenseMap<Operation *, int> depths; // loops around the runs of a stage
};

/// After a branch or a loop that may not run, only what holds on both ways
/// holds.
void merge(State &into, const State &other) {
  for (const Access &access : other) {
    auto same = llvm::find_if(into, [&](const Access &mine) {
      return mine.op == access.op && mine.operand == access.operand &&
             mine.bytes.root == access.bytes.root;
    });
    if (same == into.end())
      into.push_back(access);
    else
      same->seenBy &= access.seenBy;
  }
}

void markSeen(State &state, Pipe source, PipeSet by) {
  for (Access &access : state)
    if (access.pipe == source)
      access.seenBy |= by;
}

/// The pipes of an event, by the names in its spelling SRC_DST.
std::pair<Pipe, Pipe> pipesOf(HardEvent event) {
  auto [source, destination] = stringifyHardEvent(event).split('_');
  return {*symbolizePipe(source), *symbolizePipe(destination)};
}

/// An event makes the destination wait. What the scalar unit waits for is done
/// before anything that it issues afterwards.
void markEvent(State &state, HardEvent event) {
  auto [source, destination] = pipesOf(event);
  PipeSet by = destination == Pipe::S ? allPipes : bit(destination);
  // The source had waited for these before it raised the flag.
  for (Access &access : state)
    if (access.pipe != source && (access.seenBy & bit(source)))
      access.seenBy |= by;
  markSeen(state, source, by);
}

/// Does the loop say that its iterations touch different bytes?
bool isIndependent(Operation *op) {
  return isa<scf::ForOp>(op) && op->hasAttr(kIndependentAttr);
}

/// Where to order `op` after `before`: outside of loops that need it only once.
Operation *orderingPoint(Operation *op, Operation *before) {
  while (isIndependent(op->getParentOp()) &&
         !op->getParentOp()->isAncestor(before))
    op = op->getParentOp();
  return op;
}

void KernelSync::walk(Region &region, Operation *scope, State &state) {
  for (Operation &op : llvm::make_early_inc_range(region.front())) {
    if (restart)
      return;
    if (auto run = dyn_cast<RunOp>(op)) {
      Operation *stage = lookup(run);
      walk(stage->getRegion(0), stage, state);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      State before = state;
      walk(loop.getRegion(), scope, state); // the first time
      if (!isIndependent(loop))
        walk(loop.getRegion(), scope, state); // and after itself
      merge(state, before);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State otherwise = state;
      walk(branch.getThenRegion(), scope, state);
      if (!branch.getElseRegion().empty())
        walk(branch.getElseRegion(), scope, otherwise);
      merge(state, otherwise);
    } else {
      visit(&op, scope, state);
    }
  }
}

/// Queue calls hand a block from pipe to pipe: what came before is done for the
/// pipe that gets it, and for no other.
void KernelSync::visitQueue(Operation *op, State &state) {
  bool isIn = cast<QueueType>(op->getOperand(0).getType()).getPosition() ==
              Position::VECIN;
  if (isa<EnQueOp, FreeTensorOp>(op)) {
    Bytes block = locate(op->getOperand(1));
    // The queue does not wait for what the scalar unit wrote.
    Access next;
    next.pipe = isIn == isa<EnQueOp>(op) ? Pipe::V
                : isIn                   ? Pipe::MTE2
                                         : Pipe::MTE3;
    next.bytes.root = block.root;
    orderAfter(Pipe::S, op, next, state);
    llvm::erase_if(state, [&](const Access &access) {
      return access.bytes.root == block.root;
    });
    return;
  }
  bool isAlloc = isa<AllocTensorOp>(op);
  Pipe copyPipe = isIn ? Pipe::MTE2 : Pipe::MTE3;
  Access before;
  before.op = op;
  before.bytes.root = op->getResult(0);
  before.pipe = isIn == isAlloc ? Pipe::V : copyPipe;
  before.seenBy =
      bit(before.pipe == Pipe::V ? copyPipe : Pipe::V) | bit(before.pipe);
  before.writes = !isAlloc;
  llvm::erase_if(state, [&](const Access &access) {
    return access.bytes.root == before.bytes.root;
  });
  state.push_back(before);
}

void KernelSync::visit(Operation *op, Operation *scope, State &state) {
  if (isa<AllocTensorOp, DeQueOp, EnQueOp, FreeTensorOp>(op))
    return visitQueue(op, state);
  if (isa<SyncAllOp, SyncAllSoftwareOp>(op))
    return state.clear();
  if (auto barrier = dyn_cast<PipeBarrierOp>(op))
    return markSeen(state, barrier.getPipe(), bit(barrier.getPipe()));
  if (auto wait = dyn_cast<WaitFlagOp>(op))
    return markEvent(state, wait.getEvent().getType().getEvent());
  auto call = dyn_cast<ApiCallInterface>(op);
  if (!call)
    return;
  SmallVector<Access> accesses;
  for (const TensorAccess &tensor : tensorAccesses(op)) {
    Access access;
    access.operand = tensor.operand;
    access.op = op;
    access.scope = scope;
    access.pipe =
        call.isReadByScalar(*tensor.operand) ? Pipe::S : call.getPipe();
    access.bytes = locate(tensor.operand->get());
    access.writes = tensor.writes;
    access.seenBy = ownBit(access.pipe);
    Value count = call.getCoveredCount();
    std::optional<int64_t> elements =
        count ? getConstantIntValue(count) : std::nullopt;
    auto local = dyn_cast<LocalTensorType>(tensor.operand->get().getType());
    if (access.bytes.range && elements && local) {
      int64_t bytes =
          llvm::divideCeil(*elements * elementBits(local.getElementType()), 8);
      access.bytes.range->second +=
          llvm::alignTo(bytes, call.getGranule(*tensor.operand));
    } else {
      access.bytes.range.reset();
    }
    accesses.push_back(access);
  }
  for (const Access &access : accesses)
    order(op, access, state);
  // A repeated access replaces its earlier self.
  for (const Access &access : accesses) {
    llvm::erase_if(state, [&](const Access &old) {
      return old.operand == access.operand &&
             old.bytes.root == access.bytes.root;
    });
    state.push_back(access);
  }
  if (call.endsOnScalar() && reducesOnScalar)
    markSeen(state, Pipe::V, allPipes);
}

/// Earlier vector calls first: a wait for them often covers the copies that
/// they waited for.
void KernelSync::order(Operation *op, const Access &now, State &state) {
  for (Pipe pipe : {Pipe::V, Pipe::MTE2, Pipe::MTE3, Pipe::S})
    orderAfter(pipe, op, now, state);
}

void KernelSync::orderAfter(Pipe pipe, Operation *op, const Access &now,
                            State &state) {
  for (size_t i = 0; i < state.size(); ++i) {
    Access before = state[i];
    if (before.pipe != pipe || !(before.writes || now.writes) ||
        !before.bytes.meets(now.bytes) || (before.seenBy & bit(now.pipe)))
      continue;
    inserted = true;
    if (before.pipe == now.pipe) {
      OpBuilder builder(orderingPoint(op, before.op));
      PipeBarrierOp::create(builder, op->getLoc(), now.pipe);
      markSeen(state, now.pipe, bit(now.pipe));
      continue;
    }
    insertEvent(op, before, now);
    std::string name =
        (stringifyPipe(before.pipe) + "_" + stringifyPipe(now.pipe)).str();
    markEvent(state, *symbolizeHardEvent(name));
  }
}

/// Set and wait, next to each other: before the later access, or after the
/// earlier one if that runs less often.
void KernelSync::insertEvent(Operation *op, const Access &before,
                             const Access &now) {
  auto depth = [&](Operation *scope) {
    if (isa_and_nonnull<InitOp>(scope))
      return -1;
    return scope ? depths.lookup(scope) : 1 << 20;
  };
  OpBuilder builder(orderingPoint(op, before.op));
  if (before.scope && before.scope != now.scope &&
      depth(before.scope) < depth(now.scope)) {
    restart = true;
    Block &block = before.scope->getRegion(0).front();
    builder.setInsertionPointAfter(block.findAncestorOpInBlock(*before.op));
  }
  std::string name =
      (stringifyPipe(before.pipe) + "_" + stringifyPipe(now.pipe)).str();
  HardEvent event = *symbolizeHardEvent(name);
  std::string label = "event";
  for (StringRef part : {stringifyPipe(before.pipe), stringifyPipe(now.pipe)})
    label += part.substr(0, 1).str() + part.substr(1).lower();
  auto type = EventType::get(builder.getContext(), event);
  Value id = FetchEventIdOp::create(builder, op->getLoc(), type);
  setName(id.getDefiningOp(), label);
  SetFlagOp::create(builder, op->getLoc(), id);
  WaitFlagOp::create(builder, op->getLoc(), id);
}

class InsertSyncPass
    : public lossgrad::impl::AscendCInsertSyncBase<InsertSyncPass> {
  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      if (kernel.getBlock().getOps<BufferOp>().empty())
        return KernelSync(kernel).run();
      kernel.emitOpError(
          "still has virtual buffers; run ascendc-plan-buffers first");
      signalPassFailure();
    });
  }
};

} // namespace
