// What UB holds and global memory holds, too: a tile that was loaded, or one
// that was stored. In fast mode its bytes are not written to UB, where they
// would pass through the host's caches for nothing: whoever asks is told where
// else they are, and they are written when somebody looks at UB itself, or
// before global memory changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lossgrad::sim {

class Mirrors {
public:
  bool empty() const { return count == 0; }
  void clear() { count = 0; }

  // From now on these bytes of UB are those of global memory.
  void add(uint8_t *local, uint64_t bytes, const uint8_t *global);
  // They are something else.
  void forget(const void *local, uint64_t bytes);

  bool meets(const void *local, uint64_t bytes) const;
  // Where all of these bytes of UB are in global memory, or null.
  uint8_t *find(const void *local, uint64_t bytes) const;

  // Writes to UB what is missing there: of these bytes, or of everything.
  void write(const void *local, uint64_t bytes);
  void writeAll();

  // A part of UB that shows part of this global memory, or of bytes 0.
  struct Part {
    uint8_t *begin = nullptr;
    uint64_t bytes = 0;
    explicit operator bool() const { return bytes != 0; }
  };
  Part showing(const void *global, uint64_t bytes) const;

private:
  struct Mirror {
    uint8_t *begin, *end;
    const uint8_t *global; // where `begin` is
  };
  void keep(const Mirror &mirror);

  // Tiles in two buffers each for some inputs and outputs.
  std::array<Mirror, 16> mirrors;
  size_t count = 0;
};

} // namespace lossgrad::sim
