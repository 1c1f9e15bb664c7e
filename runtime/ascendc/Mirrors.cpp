// See Mirrors.h.
#include "Mirrors.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim {

// Less than this is not worth an entry: it is written.
constexpr int64_t kLeastBytes = 512;

static const uint8_t *bytesAt(const void *at) {
  return static_cast<const uint8_t *>(at);
}

static void writeBack(uint8_t *begin, const uint8_t *end,
                      const uint8_t *global) {
  std::memcpy(begin, global, static_cast<size_t>(end - begin));
}

void Mirrors::keep(const Mirror &mirror) {
  if (mirror.end - mirror.begin < kLeastBytes)
    return writeBack(mirror.begin, mirror.end, mirror.global);
  if (count == mirrors.size()) { // the oldest one makes room
    writeBack(mirrors[0].begin, mirrors[0].end, mirrors[0].global);
    std::move(mirrors.begin() + 1, mirrors.end(), mirrors.begin());
    --count;
  }
  mirrors[count++] = mirror;
}

void Mirrors::add(uint8_t *local, uint64_t bytes, const uint8_t *global) {
  forget(local, bytes);
  // What continues another one on both sides is one with it.
  for (size_t i = 0; i < count; ++i) {
    Mirror &before = mirrors[i];
    if (before.end == local &&
        before.global + (before.end - before.begin) == global) {
      before.end += bytes;
      return;
    }
  }
  keep({local, local + bytes, global});
}

void Mirrors::forget(const void *local, uint64_t bytes) {
  const uint8_t *const begin = bytesAt(local), *const end = begin + bytes;
  for (size_t i = 0; i < count;) {
    const Mirror mirror = mirrors[i];
    if (mirror.end <= begin || end <= mirror.begin) {
      ++i;
      continue;
    }
    // What is left of it comes last; that may move the others.
    std::move(mirrors.begin() + i + 1, mirrors.begin() + count,
              mirrors.begin() + i);
    --count;
    uint8_t *const from = mirror.begin;
    if (from < begin)
      keep({from, from + (begin - from), mirror.global});
    if (end < mirror.end)
      keep({from + (end - from), mirror.end, mirror.global + (end - from)});
    i = 0;
  }
}

bool Mirrors::meets(const void *local, uint64_t bytes) const {
  const uint8_t *const begin = bytesAt(local);
  for (size_t i = 0; i < count; ++i)
    if (begin < mirrors[i].end && mirrors[i].begin < begin + bytes)
      return true;
  return false;
}

uint8_t *Mirrors::find(const void *local, uint64_t bytes) const {
  const uint8_t *const begin = bytesAt(local);
  for (size_t i = 0; i < count; ++i)
    if (mirrors[i].begin <= begin && begin + bytes <= mirrors[i].end)
      return const_cast<uint8_t *>(mirrors[i].global) +
             (begin - mirrors[i].begin);
  return nullptr;
}

void Mirrors::write(const void *local, uint64_t bytes) {
  if (!meets(local, bytes))
    return;
  const uint8_t *const begin = bytesAt(local), *const end = begin + bytes;
  for (size_t i = 0; i < count; ++i) {
    const Mirror &mirror = mirrors[i];
    if (mirror.end <= begin || end <= mirror.begin)
      continue;
    const uint8_t *const from = std::max<const uint8_t *>(mirror.begin, begin);
    const int64_t first = from - mirror.begin;
    writeBack(mirror.begin + first, std::min<const uint8_t *>(mirror.end, end),
              mirror.global + first);
  }
  forget(local, bytes);
}

void Mirrors::writeAll() {
  for (size_t i = 0; i < count; ++i)
    writeBack(mirrors[i].begin, mirrors[i].end, mirrors[i].global);
  count = 0;
}

Mirrors::Part Mirrors::showing(const void *global, uint64_t bytes) const {
  const uint8_t *const begin = bytesAt(global), *const end = begin + bytes;
  for (size_t i = 0; i < count; ++i) {
    const Mirror &mirror = mirrors[i];
    const int64_t length = mirror.end - mirror.begin;
    const int64_t from = std::max<int64_t>(begin - mirror.global, 0);
    const int64_t to = std::min<int64_t>(end - mirror.global, length);
    if (from < to)
      return {mirror.begin + from, static_cast<uint64_t>(to - from)};
  }
  return {};
}

} // namespace lossgrad::sim
