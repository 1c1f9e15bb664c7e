//===- NameValues.cpp - ascendc-name-values -------------------------------===//
//
// Names of tensors, once they are where they stay. A tensor is called after the
// value that it holds: where another value takes its place, it gets a second
// name for the rest of its use. Values of the formula and of parameters have
// names of their own; what is computed on the way to one, in place, has its
// name already, and what lies elsewhere is called after what the call does. It
// changes no call and no buffer.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/NameValues.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

namespace lossgrad {
#define GEN_PASS_DEF_ASCENDCNAMEVALUES
#include "passes/Passes.h.inc"
} // namespace lossgrad

//===----------------------------------------------------------------------===//
// What is where
//===----------------------------------------------------------------------===//

/// Blocks of queues are called after what they hold for others, too.
static bool isBlock(Value tensor) {
  return isa_and_nonnull<DeQueOp, AllocTensorOp>(tensor.getDefiningOp());
}

static Value withoutInstance(Value tensor) {
  while (auto instance = tensor.getDefiningOp<InstanceOp>())
    tensor = instance.getValue();
  return tensor;
}

/// The tensors of a case that are printed under the names of its results.
void ScopeNames::joinCases(ByTypeOp byType) {
  for (Region &body : byType.getBodies()) {
    auto give = cast<GiveOp>(body.front().getTerminator());
    for (auto [value, result] :
         llvm::zip_equal(give.getValues(), byType.getResults())) {
      Operation *op = value.getDefiningOp();
      if (isa_and_nonnull<ViewOp, TBufGetOp>(op) &&
          op->getBlock() == &body.front() &&
          isa<LocalTensorType>(value.getType()))
        placeOf.try_emplace(value, placeOf.lookup(result));
    }
  }
}

/// Whether a call computes another value of the same name: it does not read
/// what others have read already.
static bool beginsAnew(const TensorUse &use, const Run &run) {
  bool isRead = false;
  for (const TensorUse &earlier : run.uses) {
    if (earlier.operand->getOwner() == use.operand->getOwner())
      return false;
    isRead |= earlier.reads;
  }
  return isRead && use.writes && !use.reads;
}

void ScopeNames::addUses(Operation *op) {
  SmallVector<TensorUse> reading, writing;
  auto view = dyn_cast<ViewOp>(op);
  if (view && saysHeldValue(view->getOpOperand(0)))
    reading.push_back({&view->getOpOperand(0), true, false});
  for (const TensorAccess &access : tensorAccesses(op)) {
    TensorUse use{access.operand, access.reads, access.writes};
    (access.reads ? reading : writing).push_back(use);
  }
  reading.append(writing);
  for (TensorUse &use : reading) {
    auto it = placeOf.find(withoutInstance(use.operand->get()));
    if (it == placeOf.end())
      continue;
    Place &place = places[it->second];
    StringAttr held = getHeldValue(*use.operand);
    if (!held)
      continue;
    if (place.runs.empty() || place.runs.back().value != held ||
        beginsAnew(use, place.runs.back()))
      place.runs.push_back({held, held, {}});
    place.runs.back().uses.push_back(use);
  }
}

void ScopeNames::collect() {
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<LocalTensorType>(result.getType()) && !isa<InstanceOp>(op) &&
          placeOf.try_emplace(result, places.size()).second)
        places.push_back({result, {}});
    if (auto byType = dyn_cast<ByTypeOp>(op))
      joinCases(byType);
  });
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) { addUses(op); });
}

//===----------------------------------------------------------------------===//
// What it is called
//===----------------------------------------------------------------------===//

/// Whether the call that ends one run begins the next in the same place, and
/// nothing else reads what the first one leaves.
static bool isOnTheWay(const Run &run, const Run &next) {
  const TensorUse &first = next.uses.front();
  Operation *op = first.operand->getOwner();
  if (!first.writes || first.reads)
    return false;
  bool flows = false;
  for (const TensorUse &use : run.uses) {
    Operation *user = use.operand->getOwner();
    if (!use.reads)
      continue;
    flows |= user == op;
    bool updates = llvm::any_of(run.uses, [&](const TensorUse &other) {
      return other.writes && other.operand->getOwner() == user;
    });
    if (user != op && !updates)
      return false;
  }
  return flows;
}

/// What a value is for: the nearest one with a name that is computed from it.
StringAttr ScopeNames::findPurpose(const Run &run) {
  llvm::SmallPtrSet<const Run *, 16> seen;
  std::function<StringAttr(const Run &)> find = [&](const Run &from) {
    if (!seen.insert(&from).second)
      return StringAttr();
    for (const TensorUse &use : llvm::reverse(from.uses))
      for (const Run *computed : computedBy.lookup(use.operand->getOwner())) {
        StringRef stem = computed->value.getValue();
        stem.consume_back("Partial");
        auto value = StringAttr::get(computed->value.getContext(), stem);
        if (computed != &from && known.contains(value))
          return value;
        if (StringAttr purpose = find(*computed))
          return purpose;
      }
    return StringAttr();
  };
  return find(run);
}

/// What is only rounded into a result is that result.
static StringAttr roundedTo(const Run &run, const KnownNames &known) {
  Operation *last = run.uses.back().operand->getOwner();
  if (!run.uses.back().reads || !isa<CastOp, NarrowTileOp>(last))
    return {};
  StringAttr result = getHeldValue(last->getOpOperand(0));
  return known.isParameter(result)
             ? StringAttr::get(result.getContext(), result.getValue() + "F32")
             : StringAttr();
}

/// What is only summed up is called like its sum, without saying so.
static StringAttr summedInto(const Run &run) {
  OpOperand &use = *run.uses.back().operand;
  Operation *last = use.getOwner();
  if (use.getOperandNumber() != 1 ||
      !isa<AccumulateOp, ReduceLanesOp, ReduceRowsOp, ReducePackedOp>(last))
    return {};
  StringAttr held = getHeldValue(last->getOpOperand(0));
  StringRef sum = held ? held.getValue() : "";
  sum.consume_back("Partial");
  bool isNamed = sum.consume_back("Sum") || sum.consume_back("Max") ||
                 sum.consume_back("Min");
  return isNamed && !sum.empty() ? StringAttr::get(held.getContext(), sum)
                                 : StringAttr();
}

void ScopeNames::chooseNames() {
  for (Place &place : places)
    for (Run &run : place.runs)
      for (const TensorUse &use : run.uses)
        if (use.writes)
          computedBy[use.operand->getOwner()].push_back(&run);
  for (Place &place : places)
    for (size_t i = place.runs.size(); i-- > 0;) {
      Run &run = place.runs[i];
      if (known.contains(run.value))
        continue;
      if (StringAttr result = roundedTo(run, known))
        run.name = result;
      else if (StringAttr summand = summedInto(run);
               summand && !known.contains(summand))
        run.name = summand;
      else if (i + 1 < place.runs.size() && isOnTheWay(run, place.runs[i + 1]))
        run.name = place.runs[i + 1].name;
    }
  distinguish();
}

/// Whether calls use the tensor beside what they compute.
static bool isScratch(const Run &run) {
  return llvm::any_of(run.uses,
                      [](const TensorUse &use) { return use.writes; }) &&
         llvm::all_of(run.uses, [](const TensorUse &use) {
           return use.writes && use.operand->getOperandNumber() != 0;
         });
}

/// What all calls compute that use a tensor as scratch; null if that is more
/// than one value.
static StringAttr findUser(const Run &run) {
  StringAttr found;
  for (const TensorUse &use : run.uses) {
    OpOperand &first = use.operand->getOwner()->getOpOperand(0);
    StringAttr result = isa<LocalTensorType>(first.get().getType())
                            ? getHeldValue(first)
                            : StringAttr();
    if (!result || (found && found != result))
      return {};
    found = result;
  }
  return found;
}

static Type elementOf(const Place &place) {
  return cast<LocalTensorType>(place.tensor.getType()).getElementType();
}

/// A name without what it says of the element type.
static StringRef withoutForm(StringAttr name) {
  StringRef stem = name.getValue();
  for (StringRef form : {"F32", "Ints", "Here"})
    stem.consume_back(form);
  return stem;
}

/// Another name for a run whose name another tensor has, too: that of a result
/// in float, or with what it is for in front.
std::string ScopeNames::chooseOther(const Place &place, size_t index) {
  const Run &run = place.runs[index];
  StringAttr name = run.name;
  if (known.contains(name)) {
    bool isFloat = elementOf(place).isF32() && !isBlock(place.tensor) &&
                   !name.getValue().ends_with("F32");
    bool isUnlike = llvm::any_of(places, [&](const Place &other) {
      bool isBlockOfName =
          isBlock(other.tensor) && getNameAttr(other.tensor) == name;
      return isBlockOfName || (!elementOf(other).isF32() &&
                               llvm::any_of(other.runs, [&](const Run &each) {
                                 return each.name == name;
                               }));
    });
    return isFloat && isUnlike ? (name.getValue() + "F32").str() : "";
  }
  // Blocks of a vector's elements are that vector's.
  Operation *first = run.uses.front().operand->getOwner();
  if (isa<SpreadRowsOp>(first) && run.uses.front().writes)
    if (StringAttr vector = getHeldValue(first->getOpOperand(1)))
      return withoutForm(vector).str() + "Blocks";
  // Of a chain the end says what it is for.
  size_t last = index;
  while (last + 1 < place.runs.size() && place.runs[last + 1].name == name)
    ++last;
  StringAttr purpose =
      isScratch(run) ? findUser(run) : findPurpose(place.runs[last]);
  if (!purpose)
    return "";
  std::string role = name.str();
  role[0] = llvm::toUpper(role[0]);
  return withoutForm(purpose).str() + role;
}

/// Tensors of one name that are not the same.
void ScopeNames::distinguish() {
  auto isTaken = [&](StringAttr name, const Place &by) {
    return llvm::any_of(places, [&](Place &place) {
      return &place != &by &&
             ((isBlock(place.tensor) && getNameAttr(place.tensor) == name) ||
              llvm::any_of(place.runs,
                           [&](Run &run) { return run.name == name; }));
    });
  };
  // All that are called alike at first: which comes last does not matter.
  SmallVector<std::pair<Run *, StringAttr>> renamed;
  for (Place &place : places)
    for (auto [i, run] : llvm::enumerate(place.runs)) {
      if (!isTaken(run.name, place))
        continue;
      auto other =
          StringAttr::get(run.name.getContext(), chooseOther(place, i));
      if (!other.empty() && !isTaken(other, place))
        renamed.push_back({&run, other});
    }
  for (auto [run, name] : renamed)
    run->name = name;
  // Those that are for the same value are its left and right operands.
  llvm::SmallMapVector<StringAttr, SmallVector<Run *>, 4> alike;
  for (auto [run, name] : renamed)
    alike[name].push_back(run);
  for (auto &[name, runs] : alike)
    if (runs.size() == 2 && !known.contains(name))
      nameOperands(name, *runs[0], *runs[1]);
}

/// Two operands of one call, if that is what they are.
void ScopeNames::nameOperands(StringAttr name, Run &first, Run &second) {
  OpOperand &left = *first.uses.back().operand,
            &right = *second.uses.back().operand;
  if (left.getOwner() != right.getOwner() || left.get() == right.get())
    return;
  bool isSwapped = left.getOperandNumber() > right.getOperandNumber();
  auto text = [&](StringRef side) {
    return StringAttr::get(name.getContext(), name.getValue() + side);
  };
  first.name = text(isSwapped ? "Right" : "Left");
  second.name = text(isSwapped ? "Left" : "Right");
}

//===----------------------------------------------------------------------===//
// Names in the text
//===----------------------------------------------------------------------===//

static void rename(Value tensor, StringAttr name) {
  auto byType = tensor.getDefiningOp<ByTypeOp>();
  if (!byType) {
    setName(tensor.getDefiningOp(), name);
    return;
  }
  SmallVector<Attribute> names(byType.getNames().getValue());
  names[cast<OpResult>(tensor).getResultNumber()] = name;
  byType.setNamesAttr(ArrayAttr::get(name.getContext(), names));
}

/// The innermost block that all uses stand in, and the op in it that the first
/// of them is a part of.
static Operation *findAnchor(ArrayRef<TensorUse> uses) {
  Operation *first = uses.front().operand->getOwner();
  auto isOutside = [&](const TensorUse &use) {
    return !first->getBlock()->findAncestorOpInBlock(*use.operand->getOwner());
  };
  while (llvm::any_of(uses, isOutside))
    first = first->getParentOp();
  return first;
}

/// A second name of the tensor, from its first use under this name on.
void ScopeNames::addAlias(ArrayRef<TensorUse> uses, StringAttr name) {
  Operation *anchor = findAnchor(uses);
  OpBuilder builder(anchor);
  Value tensor = withoutInstance(uses.front().operand->get());
  // Behind the name that it had until now.
  for (Value other : llvm::reverse(aliases.lookup(tensor)))
    if (other.getParentBlock() == anchor->getBlock()) {
      tensor = other;
      break;
    }
  Value root = withoutInstance(uses.front().operand->get());
  auto alias = ViewOp::create(builder, anchor->getLoc(), tensor.getType(),
                              tensor, /*offset=*/Value(), IntegerAttr());
  setName(alias, name);
  aliases[root].push_back(alias);
  for (const TensorUse &use : uses) {
    Value value = alias;
    Type type = use.operand->get().getType();
    if (type != value.getType()) {
      OpBuilder user(use.operand->getOwner());
      value = InstanceOp::create(user, anchor->getLoc(), type, value);
    }
    use.operand->set(value);
  }
}

void ScopeNames::applyTo(Place &place) {
  Operation *op = place.tensor.getDefiningOp();
  bool isInlined = isa<ViewOp>(op) && !getNameAttr(place.tensor);
  if (place.runs.empty() || isInlined)
    return;
  StringAttr own = place.runs.front().name;
  if (isBlock(place.tensor))
    own = getNameAttr(place.tensor);
  else
    ::rename(place.tensor, own);
  // Uses by name and, inside of the cases that set the tensor, by case.
  llvm::MapVector<std::pair<StringAttr, Value>, SmallVector<TensorUse>> others;
  // A block holds what is loaded or stored whatever it is called.
  auto isOwn = [&](const Run &run) {
    return run.name == own ||
           (isBlock(place.tensor) && known.isParameter(run.name));
  };
  for (Run &run : place.runs)
    if (!isOwn(run))
      for (TensorUse &use : run.uses) {
        Value tensor = withoutInstance(use.operand->get());
        others[{run.name, tensor}].push_back(use);
      }
  // Not for what a case gives as its result: that has a name.
  auto isGiven = [](const TensorUse &use) {
    Operation *user = use.operand->getOwner();
    return isa<ViewOp>(user) &&
           llvm::all_of(user->getUsers(), llvm::IsaPred<GiveOp, InstanceOp>);
  };
  for (auto &[key, uses] : others)
    if (!llvm::all_of(uses, isGiven))
      addAlias(uses, key.first);
}

/// What only other views are made of is written in them.
static void inlineUnread(Value tensor) {
  auto view = tensor.getDefiningOp<ViewOp>();
  auto isOther = [](Operation *user) {
    auto other = dyn_cast<ViewOp>(user);
    return other && !other.getOffset();
  };
  auto isGiven = [](Operation *user) {
    return isa<InstanceOp>(user) &&
           llvm::all_of(user->getUsers(), llvm::IsaPred<GiveOp>);
  };
  if (view && view->hasOneUse() && isGiven(*view->user_begin()))
    dropName(view);
  if (!view || view->use_empty() || !llvm::all_of(view->getUsers(), isOther))
    return;
  for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
    auto other = cast<ViewOp>(user);
    OpBuilder builder(other);
    auto direct =
        ViewOp::create(builder, other.getLoc(), other.getType(),
                       view.getSource(), view.getOffset(), view.getSlotAttr());
    setName(direct, getNameAttr(other));
    other.replaceAllUsesWith(direct.getResult());
    other.erase();
  }
  view.erase();
}

/// Views that are written where they are used stand there, behind whatever name
/// their source gets in between.
static void sinkInlined(Operation *scope) {
  SmallVector<ViewOp> views;
  scope->walk([&](ViewOp view) {
    if (!getNameAttr(view) && !view->use_empty())
      views.push_back(view);
  });
  for (ViewOp view : llvm::reverse(views)) {
    Operation *first = nullptr;
    for (Operation *user : view->getUsers()) {
      Operation *here = view->getBlock()->findAncestorOpInBlock(*user);
      if (!first || here->isBeforeInBlock(first))
        first = here;
    }
    view->moveBefore(first);
  }
}

/// What the buffers of the kernel are taken for here. What comes into a tensor
/// later has that one's place, as the text says.
void ScopeNames::noteBuffers(BufferContents &contents) {
  llvm::SmallPtrSet<Operation *, 8> noted;
  auto note = [&](Value tensor, TBufGetOp get) {
    const Place &place = places[placeOf.lookup(tensor)];
    if (get && !place.runs.empty() && noted.insert(get).second)
      contents[get.getBuffer()].insert(place.runs.front().name);
  };
  for (auto &[tensor, index] : placeOf)
    note(tensor, tensor.getDefiningOp<TBufGetOp>());
  // Of what only has parts or other forms, the first of them.
  for (auto &[tensor, index] : placeOf) {
    Value root = withoutInstance(tensor);
    while (auto view = root.getDefiningOp<ViewOp>())
      root = withoutInstance(view.getSource());
    note(tensor, root.getDefiningOp<TBufGetOp>());
  }
}

void ScopeNames::run(BufferContents &contents) {
  sinkInlined(scope);
  collect();
  chooseNames();
  for (Place &place : places)
    applyTo(place);
  noteBuffers(contents);
  for (Place &place : places)
    if (place.runs.empty())
      inlineUnread(place.tensor);
  scope->walk([](Operation *op) { op->removeAttr(kHeldAttr); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether a number depends on the tiling.
static bool isOfTiling(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<TilingFieldOp>(op) ||
                llvm::any_of(op->getOperands(), isOfTiling));
}

/// Whether a buffer has room for a tile, or for a fixed number of elements.
static bool holdsTiles(TBufOp buffer) {
  if (buffer.getBytes())
    return isOfTiling(buffer.getBytes());
  return llvm::any_of(buffer->getUsers(), [](Operation *user) {
    auto init = dyn_cast<InitBufferOp>(user);
    return init && isOfTiling(init.getBytes());
  });
}

/// A buffer is called after what is in it; one that holds several things by
/// turns, after none of them.
static void nameBuffers(KernelOp kernel, const BufferContents &contents) {
  llvm::StringSet<> taken;
  auto buffers = kernel.getBlock().getOps<TBufOp>();
  auto isShared = [&](TBufOp buffer) {
    return contents.lookup(buffer).size() > 1;
  };
  unsigned sharedTiles = 0, sharedOthers = 0;
  for (TBufOp buffer : buffers)
    if (isShared(buffer))
      ++(holdsTiles(buffer) ? sharedTiles : sharedOthers);
  unsigned tiles = 0, others = 0;
  for (TBufOp buffer : buffers) {
    auto names = contents.find(buffer);
    if (names == contents.end())
      continue;
    std::string stem = names->second.front().str();
    if (isShared(buffer)) {
      bool isTile = holdsTiles(buffer);
      unsigned number = ++(isTile ? tiles : others);
      bool hasMany = (isTile ? sharedTiles : sharedOthers) > 1;
      stem = isTile ? "tileScratch" : "scratch";
      stem += hasMany ? std::to_string(number) : "";
    }
    std::string label = stem + "Buf";
    for (unsigned next = 2; !taken.insert(label).second; ++next)
      label = stem + std::to_string(next) + "Buf";
    buffer.setLabel(label);
  }
}

namespace {
struct NameValuesPass
    : public lossgrad::impl::AscendCNameValuesBase<NameValuesPass> {
  void runOnOperation() override {
    getOperation().walk([](KernelOp kernel) {
      KnownNames known(kernel);
      BufferContents contents;
      for (Operation &op : kernel.getBlock())
        if (isa<InitOp, StageOp>(op))
          ScopeNames(&op, known).run(contents);
      nameBuffers(kernel, contents);
    });
  }
};
} // namespace
