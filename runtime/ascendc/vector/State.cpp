// Calls that only change the vector unit's registers.
#include "Shape.h"

namespace lossgrad::vector {

void setMaskMode(bool counter, Site site) {
  Core &core =
      Core::enterDeferring(counter ? "SetMaskCount" : "SetMaskNorm", site);
  core.require(counter ? Api::SetMaskCount : Api::SetMaskNorm);
  core.regs.counterMode = counter;
  if (core.observer)
    core.observer->registers(core, sim::RegisterEvent::CounterMode);
}

void resetMask(Site site) {
  Core &core = Core::enterDeferring("ResetMask", site);
  core.require(Api::ResetMask);
  core.regs.maskHigh = core.regs.maskLow = ~0ull;
  if (core.observer)
    core.observer->registers(core, sim::RegisterEvent::MaskSet);
}

void setVectorMask(uint64_t high, uint64_t low, Site site) {
  Core &core = Core::enterDeferring("SetVectorMask", site);
  core.regs.maskHigh = high;
  core.regs.maskLow = low;
  if (core.observer)
    core.observer->registers(core, sim::RegisterEvent::MaskSet);
}

void setDeqScale(uint16_t halfBits, Site site) {
  Core &core = Core::enter("SetDeqScale", site);
  core.require(Api::SetDeqScale);
  core.regs.deqScaleBits = halfBits;
  core.regs.deqScaleSet = true;
}

// The overflow mode is kept in bit 48 for every product (see saturates()); a
// product that holds it elsewhere has it copied there.
void writeCtrl(uint32_t high, uint32_t low, uint64_t value, Site site) {
  Core &core = Core::enter("SetCtrlSpr", site);
  const uint32_t width = high - low + 1;
  const uint64_t mask = (width == 64 ? ~0ull : (1ull << width) - 1) << low;
  core.regs.ctrl = (core.regs.ctrl & ~mask) | (value << low & mask);
  const uint32_t bit = core.family->overflowCtrlBit;
  if (bit < low || bit > high)
    return;
  const bool keeps =
      (core.regs.ctrl >> bit & 1) != core.family->overflowCtrlSaturates;
  core.regs.ctrl = (core.regs.ctrl & ~(1ull << kKeepInfinityBit)) |
                   uint64_t{keeps} << kKeepInfinityBit;
}

uint64_t readCtrl(uint32_t high, uint32_t low, Site site) {
  Core &core = Core::enter("GetCtrlSpr", site);
  const uint32_t width = high - low + 1;
  return core.regs.ctrl >> low & (width == 64 ? ~0ull : (1ull << width) - 1);
}

} // namespace lossgrad::vector
