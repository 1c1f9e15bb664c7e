// Atomic add, max and min on store, element by element with compare and swap,
// since cores run on different host threads. The order of contributions is as
// open as on the device.
#include "AtomicStore.h"
#include "lossgrad/sim/DataCopy.h"
#include "sim/Core.h"

#include <cmath>
#include <cstring>

namespace lossgrad::sim {

void setAtomic(AtomicMode mode, DType type, Site site) {
  Core &core = Core::enter(mode == AtomicMode::None  ? "SetAtomicNone"
                           : mode == AtomicMode::Add ? "SetAtomicAdd"
                           : mode == AtomicMode::Max ? "SetAtomicMax"
                                                     : "SetAtomicMin",
                           site);
  if (mode == AtomicMode::Add)
    core.require(targets::Api::SetAtomicAdd, type);
  else if (mode == AtomicMode::Max)
    core.require(targets::Api::SetAtomicMax, type);
  else if (mode == AtomicMode::Min)
    core.require(targets::Api::SetAtomicMin, type);
  core.regs.atomic = static_cast<AtomicKind>(mode);
  core.regs.atomicType = type;
  if (core.observer)
    core.observer->registers(core, RegisterEvent::Atomic);
}

// 16-bit results that overflow become the largest number in saturating mode.
template <typename T> static T overflowed(T value, bool keepInfinity) {
  if constexpr (isFloat16<T>) {
    if (!keepInfinity && std::isnan(float(value)))
      return T(0);
    if (!keepInfinity && std::isinf(float(value)))
      return float(value) > 0 ? std::numeric_limits<T>::max()
                              : std::numeric_limits<T>::lowest();
  }
  return value;
}

template <typename T>
static T combined(AtomicKind kind, bool keepInfinity, T old, T value) {
  switch (kind) {
  case AtomicKind::Add:
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(value));
    else
      return overflowed(T(old + value), keepInfinity);
  case AtomicKind::Max:
    return old < value ? value : old;
  case AtomicKind::Min:
    return value < old ? value : old;
  case AtomicKind::None:
    break;
  }
  return value;
}

template <typename To, typename From> static To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void *>(&to), &from, sizeof to);
  return to;
}

// No locks: a fault in the middle must leave nothing held.
template <typename T>
static void combine(AtomicKind kind, bool keepInfinity, uint8_t *dst,
                    const uint8_t *src, uint64_t bytes) {
  using Word =
      std::conditional_t<sizeof(T) == 4, uint32_t,
                         std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>;
  for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T value;
    std::memcpy(&value, src + i, sizeof(T));
    Word *word = reinterpret_cast<Word *>(dst + i);
    Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
    Word desired;
    do {
      desired =
          bitsAs<Word>(combined(kind, keepInfinity, bitsAs<T>(old), value));
    } while (!__atomic_compare_exchange_n(word, &old, desired, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  }
}

static void combineAs(DType type, AtomicKind kind, bool keepInfinity,
                      uint8_t *dst, const uint8_t *src, uint64_t bytes) {
  switch (type) {
  case DType::Float:
    return combine<float>(kind, keepInfinity, dst, src, bytes);
  case DType::Half:
    return combine<half>(kind, keepInfinity, dst, src, bytes);
  case DType::BFloat16:
    return combine<bfloat16_t>(kind, keepInfinity, dst, src, bytes);
  case DType::Int32:
    return combine<int32_t>(kind, keepInfinity, dst, src, bytes);
  case DType::Int16:
    return combine<int16_t>(kind, keepInfinity, dst, src, bytes);
  case DType::Int8:
    return combine<int8_t>(kind, keepInfinity, dst, src, bytes);
  default:
    break; // setAtomic has refused it
  }
}

void atomicStore(Core &core, uint8_t *dst, const uint8_t *src, uint64_t bytes) {
  const bool keepInfinity = core.regs.ctrl >> 48 & 1;
  combineAs(core.regs.atomicType, core.regs.atomic, keepInfinity, dst, src,
            bytes);
}

} // namespace lossgrad::sim
