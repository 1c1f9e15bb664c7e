// What a core may hold back in fast mode, as far as the core has to know: that
// it can be executed, forgotten, and blamed for a fault. How work is put off is
// the instructions' business (ascendc/Strips.h).
#pragma once

#include <cstdint>
#include <memory>

namespace lossgrad::sim {

class Core;

// Elements of a strip: a multiple of the unit, so that a strip of anything
// begins at a whole byte and the span functions meet no tail but the last.
constexpr uint32_t kDefaultStripLength = 256;
constexpr uint32_t kStripLengthUnit = 128;

class Deferral {
public:
  virtual ~Deferral() = default;
  // Executes what waits. Core::settle is the way to call it.
  virtual void run(Core &core) = 0;
  // Forgets it, and what was found out about memory: for a new block.
  virtual void reset() = 0;
  // After a fault: if it was in something that waited, the core's last call
  // becomes that one.
  virtual void blame(Core &core) const = 0;
};

// Defined where instructions are.
std::unique_ptr<Deferral> makeDeferral();

} // namespace lossgrad::sim
