// The parts of Core that are not on the fast path: reports, resolution of
// selections, reset and the check at a block's end.
#include "sim/Core.h"
#include "lossgrad/sim/Half.h"
#include "sim/CurrentCore.h"
#include "sim/Launch.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lossgrad::sim {

// Every call asks for it. The model spares a call into the dynamic linker; a
// pointer fits what that keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] static thread_local Core *tlsCore = nullptr;

void setCurrentCore(Core *core) { tlsCore = core; }

Core *Core::currentOrNull() { return tlsCore; }

Core &Core::current() {
  if (LOSSGRAD_UNLIKELY(!tlsCore)) {
    std::fputs("lossgrad: an AscendC call was made outside of a kernel "
               "(only ICPU_RUN_KF and launches run kernels)\n",
               stderr);
    std::abort();
  }
  return *tlsCore;
}

Core::Core() : deferral(makeDeferral()) {}
Core::~Core() = default;

void Core::runDeferred() { deferral->run(*this); }

//===- Reports ------------------------------------------------------------===//

static std::string formatted(const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

std::string Core::describe() const {
  std::string text = "kernel '" + launch->config.kernelName + "', block " +
                     std::to_string(block);
  if (launch->coreCount() > launch->config.blockCount)
    text += type == CoreType::Cube
                ? " (cube core)"
                : " (vector core " + std::to_string(subBlock) + ")";
  return text;
}

// Base names are enough to find a line and do not depend on the build's cwd.
static std::string where(const char *call, Site site) {
  std::string text = call;
  if (site.line == 0)
    return text;
  std::string file = site.file;
  file.erase(0, file.find_last_of('/') + 1);
  return text + " at " + file + ":" + std::to_string(site.line);
}

static void record(Core &core, const std::string &text) {
  core.launch->recordError(core, core.describe() + ": " +
                                     where(core.call, core.site) + ": " + text);
  if (core.observer)
    core.observer->refused(core, text, true);
}

void Core::fail(const char *format, ...) {
  settle(); // what was called before has happened
  va_list arguments;
  va_start(arguments, format);
  record(*this, formatted(format, arguments));
  va_end(arguments);
  throw BlockFailure{};
}

void Core::failLater(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(*this, formatted(format, arguments));
  va_end(arguments);
}

void Core::warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  if (observer)
    observer->refused(*this, text, false);
  const std::string place = where(call, site);
  launch->recordWarning(*this, describe() + ": " + place + ": " + text, place);
}

void Core::failUnsupported(DType dtype) {
  if (dtype == DType::None)
    fail("not available on %s (%s)", family->title, soc->name);
  fail("%s is not available for this call on %s (%s)", nameOf(dtype),
       family->title, soc->name);
}

void Core::failOutside(const void *addr, uint64_t bytes, const char *operand) {
  if (ub.nearby(addr))
    fail("%s covers UB bytes [%" PRId64 ", %" PRId64 "), UB has %zu", operand,
         static_cast<int64_t>(localOffset(addr)),
         static_cast<int64_t>(localOffset(addr) + bytes), ub.bytes());
  fail("%s is not a tensor in UB", operand);
}

void Core::failUnaligned(const void *addr, uint32_t bytes,
                         const char *operand) {
  fail("UB address 0x%" PRIx64 " of %s is not %u-byte aligned",
       localOffset(addr), operand, bytes);
}

//===- Checks -------------------------------------------------------------===//

targets::Dtype targetType(DType type) {
  switch (type) {
  case DType::Int8:
    return targets::Dtype::Int8;
  case DType::UInt8:
    return targets::Dtype::UInt8;
  case DType::Int16:
    return targets::Dtype::Int16;
  case DType::UInt16:
    return targets::Dtype::UInt16;
  case DType::Int32:
    return targets::Dtype::Int32;
  case DType::UInt32:
    return targets::Dtype::UInt32;
  case DType::Int64:
    return targets::Dtype::Int64;
  case DType::UInt64:
    return targets::Dtype::UInt64;
  case DType::Half:
    return targets::Dtype::Float16;
  case DType::BFloat16:
    return targets::Dtype::Bfloat16;
  case DType::Float:
    return targets::Dtype::Float32;
  case DType::Double:
    return targets::Dtype::Double;
  case DType::Int4:
    return targets::Dtype::Int4;
  case DType::Bool:
    return targets::Dtype::Bool;
  case DType::None:
    break;
  }
  std::abort();
}

void Core::require(targets::Api api, DType dtype, bool countForm) {
  if (LOSSGRAD_UNLIKELY(!family->has(api)))
    failUnsupported(DType::None);
  const targets::Dtype target = targetType(dtype);
  if (LOSSGRAD_UNLIKELY(!(countForm ? family->takesCount(api, target)
                                    : family->takes(api, target))))
    failUnsupported(dtype);
}

Lanes Core::resolve(const Selection &select, uint32_t lanesPerRepeat) {
  Lanes lanes;
  auto counted = [&](uint64_t total) {
    lanes.counted = true;
    lanes.total = total;
    lanes.repeat =
        static_cast<uint32_t>((total + lanesPerRepeat - 1) / lanesPerRepeat);
  };
  switch (select.kind) {
  case Selection::Kind::Count:
    if (LOSSGRAD_UNLIKELY(static_cast<int64_t>(select.low) < 0))
      fail("count is %" PRId64 ", it must not be negative",
           static_cast<int64_t>(select.low));
    if (LOSSGRAD_UNLIKELY(select.low == 0 && !family->zeroCountIsNoop))
      warn("count is 0, which %s leaves undefined; guard the call",
           family->title);
    counted(select.low);
    if (LOSSGRAD_UNLIKELY(observer))
      observer->registers(*this, RegisterEvent::MaskReset);
    regs.counterMode = false;
    regs.maskLow = regs.maskHigh = ~0ull;
    return lanes;
  case Selection::Kind::Lanes:
    if (regs.counterMode) {
      regs.maskLow = select.low;
      regs.maskHigh = 0;
    } else {
      if (LOSSGRAD_UNLIKELY(select.low > lanesPerRepeat))
        fail("mask is %" PRIu64 ", a repeat of this type has %u lanes",
             select.low, lanesPerRepeat);
      const LaneMask mask = LaneMask::first(select.low);
      regs.maskLow = mask.low;
      regs.maskHigh = mask.high;
    }
    break;
  case Selection::Kind::Bitmap:
    regs.maskLow = select.low;
    regs.maskHigh = select.high;
    break;
  case Selection::Kind::Register:
    break;
  }
  if (LOSSGRAD_UNLIKELY(observer))
    observer->registers(*this, select.kind == Selection::Kind::Register
                                   ? RegisterEvent::MaskUsed
                                   : RegisterEvent::MaskTaken);
  if (regs.counterMode) {
    counted(regs.maskLow);
    return lanes;
  }
  if (LOSSGRAD_UNLIKELY(select.repeat > family->maxRepeat))
    fail("repeat is %u, at most %u are possible", select.repeat,
         family->maxRepeat);
  lanes.counted = false;
  lanes.repeat = select.repeat;
  const LaneMask all = LaneMask::first(lanesPerRepeat);
  lanes.low = regs.maskLow & all.low;
  lanes.high = regs.maskHigh & all.high;
  return lanes;
}

//===- Life of a block ----------------------------------------------------===//

AscendC::Hardware Core::memoryOf(AscendC::TPosition position) {
  using AscendC::Hardware;
  using AscendC::TPosition;
  switch (position) {
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::TSCM:
  case TPosition::SPM:
    return Hardware::L1;
  case TPosition::A2:
    return Hardware::L0A;
  case TPosition::B2:
    return Hardware::L0B;
  case TPosition::CO1:
    return Hardware::L0C;
  default:
    return Hardware::UB;
  }
}

Arena &Core::arenaOf(AscendC::TPosition position) {
  using AscendC::Hardware;
  switch (memoryOf(position)) {
  case Hardware::L1:
    l1.reserve(soc->l1Bytes);
    return l1;
  case Hardware::L0A:
    l0a.reserve(soc->l0aBytes);
    return l0a;
  case Hardware::L0B:
    l0b.reserve(soc->l0bBytes);
    return l0b;
  case Hardware::L0C:
    l0c.reserve(soc->l0cBytes);
    return l0c;
  default:
    return ub;
  }
}

void Core::resetRegisters() {
  const bool keepInfinity = regs.ctrl >> 48 & 1;
  regs = Registers{};
  // TPipe leaves the overflow mode alone: it is the stream's.
  regs.ctrl = uint64_t(keepInfinity) << 48;
  if (family->deqScalePreset) {
    regs.deqScaleBits = halfBitsOfFloat(1.0f);
    regs.deqScaleSet = true;
  }
}

void Core::reset(Launch &owner, uint32_t newBlock, uint32_t newSubBlock,
                 CoreType newType) {
  launch = &owner;
  soc = &owner.soc;
  family = soc->family;
  open = owner.open;
  block = newBlock;
  subBlock = newSubBlock;
  type = newType;
  blockIdx = type == CoreType::Vector && owner.vectorCoresPerBlock() > 1
                 ? block * owner.vectorCoresPerBlock() + subBlock
                 : block;
  regs = Registers{};
  regs.ctrl = uint64_t(family->overflowToInfinity) << 48;
  for (EventState &event : events)
    event.allocated = event.set = 0;
  bufferCount = 0;
  pipe = nullptr;
  used.fill(0);
  movesData = true;
  deferral->reset();
  deferred = false;
  stripLength = owner.stripLength;
  call = "kernel entry";
  site = Site{};
  polling = {};
  ub.reserve(soc->ubBytes);
  if (family->ubScratchOffset < ub.bytes())
    std::memset(ub.begin() + family->ubScratchOffset, kNothingThere,
                std::min<size_t>(family->ubScratchBytes,
                                 ub.bytes() - family->ubScratchOffset));
}

// The flag may be that of a tensor which stayed in its queue.
void Core::failIfEnqueued(AscendC::HardEvent event, uint32_t id) {
  for (uint32_t i = 0; i < bufferCount; ++i) {
    const Buffer &buffer = buffers[i];
    if (buffer.state != BufferState::Enqueued || buffer.enqueEvent != event ||
        buffer.enqueId != static_cast<int8_t>(id))
      continue;
    call = "EnQue";
    fail("the tensor (%s buffer %u, UB [%" PRIu64 ", %" PRIu64 ")) is never "
         "dequeued; on the device its flag %s id %u would leak into the next "
         "kernel",
         nameOf(buffer.position), i, localOffset(buffer.addr),
         localOffset(buffer.addr) + buffer.bytes, nameOf(event), id);
  }
}

void Core::checkEnd() {
  call = "kernel end";
  site = Site{};
  for (size_t event = 0; event < kHardEvents; ++event)
    for (uint32_t id = 0; id < kMaxEventIds; ++id)
      if (events[event].set >> id & 1) {
        site = events[event].setAt[id];
        failIfEnqueued(static_cast<AscendC::HardEvent>(event), id);
        call = "SetFlag";
        fail("flag %s id %u was set but nothing waited for it; on the device "
             "it would leak into the next kernel",
             nameOf(static_cast<AscendC::HardEvent>(event)), id);
      }
}

const char *nameOf(AscendC::TPosition position) {
  switch (position) {
  case AscendC::TPosition::VECIN:
    return "VECIN";
  case AscendC::TPosition::VECOUT:
    return "VECOUT";
  case AscendC::TPosition::VECCALC:
    return "VECCALC";
  default:
    return "on-chip";
  }
}

const char *nameOf(AscendC::HardEvent event) {
  static const char *const names[] = {
      "MTE2_MTE1", "MTE1_MTE2", "MTE1_M",    "M_MTE1",   "MTE2_V",
      "V_MTE2",    "MTE3_V",    "V_MTE3",    "M_V",      "V_M",
      "V_V",       "MTE3_MTE1", "MTE1_MTE3", "MTE1_V",   "MTE2_M",
      "M_MTE2",    "V_MTE1",    "M_FIX",     "FIX_M",    "MTE3_MTE2",
      "MTE2_MTE3", "S_V",       "V_S",       "S_MTE2",   "MTE2_S",
      "S_MTE3",    "MTE3_S",    "MTE2_FIX",  "FIX_MTE2", "FIX_S",
      "M_S",       "FIX_MTE3",  "MTE1_FIX",  "FIX_MTE1", "FIX_FIX"};
  const auto index = static_cast<size_t>(event);
  return index < std::size(names) ? names[index] : "?";
}

} // namespace lossgrad::sim
