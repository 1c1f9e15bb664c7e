// See Strips.h.
#include "Strips.h"

#include "Ahead.h"
#include "lossgrad/sim/Statistics.h"
#include "sim/GlobalRegistry.h"
#include "vector/Rows.h"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <unistd.h>

namespace lossgrad::sim {

// Two of these, an input and the output, do not fit the last cache of today's
// hosts.
constexpr uint64_t kLargeTensor = 16u << 20;

static std::atomic<uint64_t> fenceCount{0};

std::unique_ptr<Deferral> makeDeferral() { return std::make_unique<Strips>(); }

uint64_t bytesOf(const StripOperand &operand, uint64_t count) {
  if (!operand.reach)
    return (count * operand.bits + 7) / 8;
  return (count - 1) * operand.bits / 8 + operand.reach;
}

static uint8_t *endOf(const StripOperand &operand, uint64_t count) {
  return operand.at + bytesOf(operand, count);
}

//===- order --------------------------------------------------------------===//

// May B, after A, run strip by strip with it? In strip j B touches
// [begin + j * step, begin + j * step + hull), where step is what a strip
// advances; A must not touch any of that in a later strip. It begins strip
// j + 1 at begin + (j + 1) * step and never goes back: both sides are linear
// in j, so the first and the last strip decide.
//
// Without gaps between elements, element i lies at begin + i * bits, and the
// same holds with elements in the place of strips, whatever their length is:
// byte x of the overlap must not belong to a later element of A than of B.
bool Strips::inOrder(const Extent &a, const Extent &b) const {
  if (!a.reach && !b.reach) {
    auto before = [&](const uint8_t *x) {
      return static_cast<uint64_t>(x - a.begin) * a.unit * b.bits <=
             static_cast<uint64_t>(x - b.begin) * b.unit * a.bits;
    };
    return before(std::max(a.begin, b.begin)) &&
           before(std::min(a.end, b.end) - 1);
  }
  if (a.elements <= rowLength)
    return true; // it has no later strip
  const int64_t ahead = b.begin - a.begin;
  auto clear = [&](int64_t j) {
    return (j + 1) * a.step >= ahead + j * b.step + b.hull;
  };
  if (!clear(0) || a.step >= b.step)
    return clear(0);
  auto stripsOf = [&](const Extent &extent) {
    return static_cast<int64_t>((extent.elements + rowLength - 1) / rowLength);
  };
  return clear(std::min(stripsOf(b) - 1, stripsOf(a) - 2));
}

// Bytes from strip to strip, and bytes that one strip reaches over.
static void measure(Strips::Extent &extent, uint64_t elements) {
  extent.step = static_cast<int64_t>(elements * extent.bits / 8);
  extent.hull = extent.reach
                    ? static_cast<int64_t>((elements - 1) * extent.bits / 8 +
                                           extent.reach)
                    : extent.step;
}

// Does the first one, in each strip, touch what the second one touches? Then
// whatever goes with the first goes with the second.
bool Strips::covers(const Extent &a, const Extent &b) const {
  if (a.begin > b.begin || a.end < b.end || (b.written && !a.written))
    return false;
  if (a.begin == b.begin && a.bits == b.bits && a.unit == b.unit &&
      a.reach == b.reach)
    return true;
  return rowLength && a.elements >= b.elements && a.step == b.step &&
         b.begin + b.hull <= a.begin + a.hull;
}

static Strips::Extent extentOf(const StripOperand &operand,
                               const StripStep &step, bool written) {
  Strips::Extent extent;
  extent.begin = operand.at;
  extent.end = endOf(operand, step.count);
  extent.bits = operand.bits;
  extent.reach = operand.reach;
  extent.unit = step.unit;
  extent.elements = step.count * step.unit;
  extent.written = written;
  measure(extent, step.whole);
  return extent;
}

bool Strips::fits(const Extent &mine) const {
  for (size_t i = 0; i < extentCount; ++i) {
    const Extent &other = extents[i];
    if (mine.begin >= other.end || other.begin >= mine.end ||
        !(mine.written || other.written))
      continue;
    const bool same = mine.begin == other.begin && mine.bits == other.bits &&
                      mine.unit == other.unit && mine.reach == other.reach;
    if (same && mine.reach * 8 <= mine.bits)
      continue;
    if (!inOrder(other, mine))
      return false;
  }
  return true;
}

// With `unit` elements of the tile for each of its own. Leaves its extents in
// `wanted`.
bool Strips::fits(StripStep &step, uint64_t unit, uint64_t length) {
  const bool bits = step.dst.bits == 1 || step.mask.bits == 1;
  step.unit = static_cast<uint32_t>(unit);
  step.whole = unit == 1 ? length : length / unit;
  // Strips of an operand begin at whole bytes, and bits at whole groups of 8.
  if (step.whole * unit != length || (bits && step.whole % 8))
    return false;
  wantedCount = 0;
  for (const StripOperand *operand : step.all()) {
    if (!operand->at)
      continue;
    wanted[wantedCount] = extentOf(*operand, step, operand == &step.dst);
    if (!fits(wanted[wantedCount++]))
      return false;
  }
  return true;
}

// Do rows of two operands that lie equally far apart share no byte?
static bool rowsApart(const StripOperand &a, const StripOperand &b) {
  if (!a.reach || !b.reach || a.bits != b.bits || !a.bits)
    return false;
  const int64_t pitch = a.bits / 8;
  const int64_t ahead = ((b.at - a.at) % pitch + pitch) % pitch;
  return ahead >= a.reach && ahead + b.reach <= pitch;
}

// Operands of one step that share bytes other than element for element depend
// on the order inside the span function; they are executed in one piece.
static bool overlaps(const StripOperand &dst, const StripOperand &source,
                     uint64_t count) {
  const bool same = source.at == dst.at && source.bits == dst.bits &&
                    source.reach == dst.reach;
  return source.at && !same && source.at < endOf(dst, count) &&
         dst.at < endOf(source, count) && !rowsApart(dst, source);
}

static bool selfOverlaps(const StripStep &step) {
  return overlaps(step.dst, step.src0, step.count) ||
         overlaps(step.dst, step.src1, step.count) ||
         overlaps(step.dst, step.mask, step.count);
}

//===- the list -----------------------------------------------------------===//

// False: the list touches all of it already, and writes it if this does.
bool Strips::add(const Extent &mine) {
  for (size_t i = 0; i < extentCount; ++i) {
    Extent &known = extents[i];
    if (covers(known, mine))
      return false;
    if (known.begin == mine.begin && known.bits == mine.bits &&
        known.unit == mine.unit && known.reach == mine.reach) {
      known.end = std::max(known.end, mine.end);
      known.elements = std::max(known.elements, mine.elements);
      known.written |= mine.written;
      return true;
    }
  }
  extents[extentCount++] = mine;
  return true;
}

// Makes the list one of whole rows, of which the step has one per element.
bool Strips::beginRows(const Core &core, const StripStep &step) {
  const uint64_t row = step.rowElements;
  if (row % 8 || row > kMaxRow)
    return false;
  rowCount = step.count;
  rowUnit = row;
  const uint64_t target = uint64_t{kRowStrips} * core.stripLength;
  rowLength = std::max<uint64_t>(1, target / row) * row;
  for (size_t i = 0; i < extentCount; ++i)
    measure(extents[i], rowLength / extents[i].unit);
  return true;
}

// The unit of a step that reads what one before it wrote: it goes on as fast as
// that one, if it reads several elements for each of its own, so much slower.
// 0 if there is no such step.
uint64_t Strips::unitOfSource(const StripStep &step) const {
  for (size_t i = stepCount; i-- > 0;) {
    const StripStep &before = steps[i];
    for (const StripOperand *source : {&step.src0, &step.src1})
      if (source->at && source->at == before.dst.at && before.dst.bits)
        return uint64_t{before.unit} * source->bits % before.dst.bits
                   ? 0
                   : uint64_t{before.unit} * source->bits / before.dst.bits;
  }
  return 0;
}

// A step on a list of rows: as fast as what it reads; as many elements as rows
// (or as the blocks of 8 that hold them), or an equal share of elements for
// each.
bool Strips::placedInRows(StripStep &step) {
  const uint64_t tile = rowCount * rowUnit;
  const uint64_t unit = unitOfSource(step);
  if (unit > 1 && unit <= rowLength && step.count * unit < tile + 8 * unit &&
      fits(step, unit, rowLength))
    return true;
  if (step.count >= rowCount && step.count < rowCount + 8)
    return fits(step, rowUnit, rowLength);
  return step.count <= tile && tile % step.count == 0 &&
         fits(step, tile / step.count, rowLength);
}

// Finds the unit with which the step can follow what is on the list.
bool Strips::placed(Core &core, StripStep &step) {
  if (!step.rowElements) // elements of the tile, or of something smaller
    return fits(step, 1, lengthOn(core)) || (rowCount && placedInRows(step));
  if (rowCount)
    return placedInRows(step);
  if (!beginRows(core, step))
    return false;
  if (fits(step, rowUnit, rowLength))
    return true;
  rowCount = rowUnit = rowLength = 0;
  return false;
}

// The step before may be the same instruction on the lanes to the left: a row
// longer than one repeat. Both become one step on wider rows.
bool Strips::merged(const StripStep &step) {
  if (!stepCount || step.run != vector::rowSpan ||
      step.kind != StripStep::Kind::Local)
    return false;
  StripStep &last = steps[stepCount - 1];
  if (last.run != step.run || last.kind != step.kind ||
      last.count != step.count || last.unit != step.unit ||
      !vector::sameRows(last.rows, step.rows) ||
      !vector::sameParams(last.params, step.params))
    return false;
  auto joins = [&](StripOperand &left, const StripOperand &right,
                   const vector::RowSide &side) {
    if (!left.at || side.block)
      return left.at == right.at &&
             last.rows.width * side.bits % (kBlockBytes * 8) == 0;
    if (left.at + last.rows.width * side.bits / 8 != right.at)
      return false;
    left.reach += right.reach;
    return true;
  };
  StripOperand dst = last.dst, src0 = last.src0, src1 = last.src1;
  if (!joins(dst, step.dst, step.rows.dst) ||
      !joins(src0, step.src0, step.rows.src0) ||
      !joins(src1, step.src1, step.rows.src1))
    return false;
  // Wide rows must not write over each other, which both steps did in turn.
  const bool rowsMeet = dst.bits && dst.reach * 8 > dst.bits;
  if (rowsMeet || overlaps(dst, src0, step.count) ||
      overlaps(dst, src1, step.count))
    return false;
  last.rows.width += step.rows.width;
  last.dst = dst;
  last.src0 = src0;
  last.src1 = src1;
  return true;
}

bool Strips::isWorthwhile(const Core &core, const StripStep &step) {
  const uint64_t strips =
      step.count * std::max<uint64_t>(1, step.rowElements) / core.stripLength;
  const bool loads = step.kind == StripStep::Kind::Load
                         ? isLarge(step.src0.at)
                         : step.src0.ahead || step.src1.ahead;
  return strips >= kFewStrips || (strips >= kFewLargeStrips && loads);
}

namespace {

// Where a step was asked to read.
class Sources {
public:
  explicit Sources(const StripStep &step)
      : src0(step.src0.at), src1(step.src1.at), mask(step.mask.at) {}
  void restore(StripStep &step) const {
    step.src0.at = src0;
    step.src1.at = src1;
    step.mask.at = mask;
    step.src0.ahead = step.kind == StripStep::Kind::Load;
    step.src1.ahead = step.mask.ahead = false;
  }

private:
  uint8_t *src0, *src1, *mask;
};

} // namespace

bool Strips::take(Core &core, StripStep &step) {
  if (!core.stripLength || core.observer)
    return false;
  if (!step.count)
    return true;
  if (selfOverlaps(step)) {
    core.settle();
    return false;
  }
  if (storesOut && step.kind == StripStep::Kind::Load)
    execute(core); // the next tile
  if (mirrored(core, step))
    return true;
  const Sources asked(step);
  bool elsewhere = redirect(core, step);
  const bool ends = stepCount == kMaxSteps || extentCount + 4 > kMaxExtents ||
                    (elsewhere && readsNextTile(step));
  if (stepCount &&
      (ends || (!placed(core, step) && !placedAside(core, step)))) {
    execute(core); // may leave tiles elsewhere
    if (elsewhere)
      asked.restore(step);
    elsewhere = redirect(core, step);
  }
  if (!stepCount && (!isWorthwhile(core, step) || !placed(core, step))) {
    if (elsewhere)
      asked.restore(step);
    for (const StripOperand *operand : step.all())
      if (operand->at)
        mirrors.write(operand->at, bytesOf(*operand, step.count));
    return false;
  }
  // The destination is the first of them.
  const bool writesMore = add(wanted[0]);
  for (size_t i = 1; i < wantedCount; ++i)
    add(wanted[i]);
  if (writesMore && !mirrors.empty())
    mirrors.forget(step.dst.at, bytesOf(step.dst, step.count));
  // Only now: executing above has forgotten what was asked before.
  const bool stores = step.kind == StripStep::Kind::Store;
  storesOut |= stores;
  streamed |= step.streams;
  storesPlainly |= stores && !step.streams;
  if (merged(step))
    return true;
  StripStep &added = steps[stepCount++];
  added = step;
  added.call = core.call;
  added.site = core.site;
  core.deferred = true;
  return true;
}

// Bytes that a strip may have of all operands together: half of what the first
// cache has beyond 16 KiB, which are what is asked for ahead.
static uint64_t stripBytes() {
  constexpr long kAskedFor = 16 << 10, kUsual = 32 << 10;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const long cache =
      std::max(kUsual, sysconf(_SC_LEVEL1_DCACHE_SIZE)); // 0: not known
#else
  constexpr long cache = kUsual;
#endif
  return static_cast<uint64_t>(cache - kAskedFor) / 2;
}

// Elements of a strip without rows: as many as keep everything that the list
// touches in a part of the first cache, the more the fewer operands there are,
// since each step of a strip costs a call. But loads have to wait for longer
// runs of stores past the caches.
uint64_t Strips::stripLengthOn(const Core &core) const {
  uint64_t bits = 1; // of one element of all operands
  for (size_t i = 0; i < extentCount; ++i)
    bits += extents[i].bits;
  uint64_t most = stripBytes() * 8 / bits;
  for (size_t i = 0; i < stepCount; ++i)
    if (steps[i].streams)
      most = std::min(most, kStreamBytes * 8 / steps[i].dst.bits);
  return std::clamp<uint64_t>(most / kStripLengthUnit * kStripLengthUnit,
                              core.stripLength, kMostStrips * core.stripLength);
}

// A strip that is everything.
static uint64_t roundedUp(uint64_t elements) {
  return (elements + kStripLengthUnit - 1) / kStripLengthUnit *
         kStripLengthUnit;
}

uint64_t streamFences() { return fenceCount.load(std::memory_order_relaxed); }

void Strips::run(Core &core) {
  runList(core);
  mirrors.writeAll();
  core.deferred = false;
}

void Strips::runList(Core &core) {
  execute(core);
  fence();
  core.deferred = !mirrors.empty();
}

// Stores past the caches come before whatever other cores learn from here on.
void Strips::fence() {
  if (!fencePending)
    return;
  fencePending = false;
  vector::fenceStreams();
  fenceCount.fetch_add(1, std::memory_order_relaxed);
}

// Everything but the fence: it takes until memory has all that was stored, and
// the next tile of this core need not wait for that. The core remains one that
// has something to settle.
void Strips::execute(Core &core) {
  if (!stepCount)
    return;
  // Other cores may wait for what is stored plainly.
  if (storesPlainly)
    fence();
  fencePending |= streamed;
  const size_t count = stepCount;
  uint64_t longest = 0;
  for (size_t i = 0; i < count; ++i)
    longest = std::max(longest, steps[i].count * steps[i].unit);
  // A single step passes over its tile once, whatever the length.
  const uint64_t length = rowLength    ? rowLength
                          : count == 1 ? roundedUp(longest)
                                       : stripLengthOn(core);
  for (size_t i = 0; i < count; ++i) {
    StripStep &step = steps[i];
    step.whole = length / step.unit; // rows may have come later
    step.params.rows = &step.rows;
    for (StripOperand *operand : step.all())
      operand->advance = step.whole * operand->bits / 8;
  }
  const Passing passing = passResults(core, count);
  Ahead ahead;
  size_t asking = count; // the step that asks by itself
  for (size_t i = 0; i < count; ++i) {
    ahead.follow(steps[i]);
    if (asking == count && steps[i].params.asksAhead &&
        steps[i].run != vector::rowSpan)
      asking = i;
  }
  if (asking != count)
    ahead.reserve();
  // A fault leaves through a jump: nothing may be on the list then.
  core.deferred = fencePending || !mirrors.empty();
  drop();
  executing = true;
  ahead.shareAmong(count);
  size_t alive = count;
  for (uint64_t first = 0; first < longest; first += length) {
    ahead.nextStrip();
    size_t ran = 0;
    for (size_t i = 0; i < count; ++i) {
      StripStep &step = steps[i];
      if (!step.count)
        continue;
      ++ran;
      const uint64_t some = std::min(step.whole, step.count);
      step.count -= some;
      running = i;
      step.params.mask = step.mask.at;
      if (i == asking)
        ahead.handTo(step);
      step.run(step.dst.at, step.src0.at, step.src1.at, some, step.params);
      step.dst.at += step.dst.advance;
      step.src0.at += step.src0.advance;
      step.src1.at += step.src1.advance;
      step.mask.at += step.mask.advance;
      ahead.ask();
    }
    // Steps that have ended ask for nothing any more.
    if (ran != alive)
      ahead.shareAmong(alive = ran);
  }
  executing = false;
  for (size_t i = 0; i < passing.count; ++i)
    mirrors.add(passing.tiles[i].local, passing.tiles[i].bytes,
                passing.tiles[i].global);
  core.deferred = fencePending || !mirrors.empty();
}

void Strips::blame(Core &core) const {
  if (!executing)
    return;
  core.call = steps[running].call;
  core.site = steps[running].site;
}

//===- memory -------------------------------------------------------------===//

const Strips::Allocation *Strips::allocationOf(const void *global) {
  const auto *at = static_cast<const uint8_t *>(global);
  for (const Allocation &allocation : known)
    if (at >= allocation.begin && at < allocation.end)
      return &allocation;
  const auto found = findGlobal(reinterpret_cast<uint64_t>(global));
  if (!found)
    return nullptr;
  Allocation &allocation = known[nextKnown++ % known.size()];
  allocation = {reinterpret_cast<const uint8_t *>(found->begin),
                reinterpret_cast<const uint8_t *>(found->end)};
  return &allocation;
}

bool Strips::isLarge(const void *global) {
  const Allocation *allocation = allocationOf(global);
  return allocation &&
         uint64_t(allocation->end - allocation->begin) >= kLargeTensor;
}

// Stores past the caches gain a third on AMD's EPYC. On Intel's Xeon they and
// the loads wait for memory in the same few buffers, and lines that are asked
// for ahead are faster (docs/performance.md); so is whatever is not known.
bool storesPastCaches() {
#if defined(__x86_64__)
  static const bool is = __builtin_cpu_is("amd");
  return is;
#else
  return false;
#endif
}

bool Strips::streams(const void *global) {
  return storesPastCaches() && isLarge(global);
}

bool Strips::meetsList(const void *at, uint64_t bytes) const {
  const auto *begin = static_cast<const uint8_t *>(at);
  for (size_t i = 0; i < extentCount; ++i)
    if (begin < extents[i].end && extents[i].begin < begin + bytes)
      return true;
  return false;
}

bool Strips::touches(const void *at, uint64_t bytes) const {
  return meetsList(at, bytes) || mirrors.meets(at, bytes);
}

void Strips::show(Core &core, const void *at, uint64_t bytes) {
  const auto *begin = static_cast<const uint8_t *>(at);
  for (size_t i = 0; i < extentCount; ++i)
    if (extents[i].written && begin < extents[i].end &&
        extents[i].begin < begin + bytes) {
      runList(core);
      break;
    }
  mirrors.write(at, bytes);
}

void Strips::settleFor(Core &core, const void *at, uint64_t bytes) {
  runList(core);
  mirrors.write(at, bytes);
}

} // namespace lossgrad::sim
