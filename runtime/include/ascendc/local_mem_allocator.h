// LocalMemAllocator: tensors one behind the other in one on-chip memory, for
// kernels that manage it without TPipe.
#pragma once

#include "ascendc/pipe.h"

namespace AscendC {

template <Hardware hard = Hardware::UB> class LocalMemAllocator {
  static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                "LocalMemAllocator: GM is not an on-chip memory");

public:
  uint32_t GetCurAddr() const { return head; }

  template <TPosition pos, class T, uint32_t tileSize>
  LocalTensor<T> Alloc(Site site = Site::here()) {
    return Take<pos, T>(tileSize, site);
  }
  template <TPosition pos, class T>
  LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::here()) {
    return Take<pos, T>(tileSize, site);
  }
  template <class T, uint32_t tileSize>
  LocalTensor<T> Alloc(Site site = Site::here()) {
    return Take<Position(), T>(tileSize, site);
  }
  template <class T>
  LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::here()) {
    return Take<Position(), T>(tileSize, site);
  }

private:
  static constexpr TPosition Position() {
    switch (hard) {
    case Hardware::L1:
      return TPosition::A1;
    case Hardware::L0A:
      return TPosition::A2;
    case Hardware::L0B:
      return TPosition::B2;
    case Hardware::L0C:
      return TPosition::CO1;
    case Hardware::BIAS:
      return TPosition::C2;
    case Hardware::FIXBUF:
      return TPosition::C2PIPE2GM;
    default:
      return TPosition::VECCALC;
    }
  }
  template <TPosition pos, class T>
  LocalTensor<T> Take(uint32_t tileSize, Site site) {
    static_assert(GetPhyType(pos) == hard,
                  "LocalMemAllocator: the position is in another memory");
    LocalTensor<T> tensor(pos, head, tileSize, site);
    head += static_cast<uint32_t>(BytesOf<T>(tileSize));
    return tensor;
  }

  uint32_t head = 0;
};

} // namespace AscendC
