// What value tests of operators with classes or sums share beside the headers
// of e2e/elementwise: tensors with their memory, ints among them, and the
// verdict over all cases, with a checksum of the results that do not depend on
// how exp is rounded.
#pragma once

#include "CountingPipe.h"

#include "Bounded.h"
#include "Elements.h"
#include "Tensors.h"

#include <random>
#include <set>
#include <string>

/// Ints, with the dtype codes of the tiling data.
enum IntType : int32_t { I64 = 3, I32 = 4, U8 = 5 };

/// A tensor of a call with its memory.
struct Operand {
  lossgrad::Tensor tensor = lossgrad::Tensor();
  uint8_t *memory = nullptr;

  static constexpr size_t kRoomBehind = 64; // bytes that must stay

  size_t elementBytes() const {
    const size_t bytes[] = {4, 2, 2, 8, 4, 1};
    return bytes[tensor.dtype];
  }
  size_t bytes() const {
    return size_t(spanOf(tensor)) * elementBytes() + kRoomBehind;
  }
  void make(const lossgrad::Tensor &like) {
    tensor = like;
    memory = allocate<uint8_t>(bytes());
    std::memset(memory, 0x5A, bytes());
  }
  void setInt(int64_t at, int64_t value) {
    std::memcpy(memory + size_t(at) * elementBytes(), &value, elementBytes());
  }
  void set(int64_t at, float value) { store(memory, at, tensor.dtype, value); }
  float get(int64_t at) const { return load(memory, at, tensor.dtype); }
  /// Of an element of a result with these indices.
  float at(const lossgrad::Tensor &result, const int64_t *index) const {
    return get(addressOf(tensor, result, index));
  }
  void release() {
#ifndef REAL_HEADERS // where memory is freed with the process
    if (memory)
      AscendC::GmFree(memory);
#endif
    memory = nullptr;
  }
};

/// A product of factors that were rounded on the way, all in one direction.
inline Bounded product(double value) { return rounded(value, 0, 8); }

class Verdict {
public:
  Verdict(const char *what, bool isVerbose)
      : what(what), isVerbose(isVerbose) {}

  std::mt19937 engine{11};

  /// Numbers of many sizes, so that the order of a sum shows in its bits, that
  /// all types hold. One call after the other, so that all compilers draw the
  /// same.
  float number() {
    const int digits = int(engine() % 255) - 127;
    return std::ldexp(float(digits), -int(engine() % 12));
  }
  /// A logarithm whose exp is 0 or 1 if that is to be the same everywhere.
  float logarithm(bool isExact) {
    if (isExact)
      return engine() % 4 == 0 ? -INFINITY : 0.0f;
    return -float(engine() % 128) / 16;
  }

  void begin(const std::string &caseName, bool isExact) {
    name = caseName;
    counts = isExact;
    wrong = 0;
    ++cases;
  }
  void fail(const std::string &why) {
    std::printf("%s: wrong: %s\n", name.c_str(), why.c_str());
    ++wrong;
  }
  void ran(uint64_t key, uint32_t blocks, int64_t broken, int64_t ubBytes) {
    keys.insert(key);
    if (broken != 0)
      fail(std::to_string(broken) + " blocks broke a rule");
    if (const int64_t taken = takeUbBytes(); taken > ubBytes)
      fail(std::to_string(taken) + " of " + std::to_string(ubBytes) +
           " bytes of UB");
    if (isVerbose)
      std::printf("%s: key %lu, %u blocks\n", name.c_str(), (unsigned long)key,
                  blocks);
  }
  /// An element of the result.
  void element(int64_t i, float got, const Bounded &wanted, int dtype) {
    if (counts)
      checksum = (checksum ^ bitsOf(got)) * 1099511628211u;
    const double bound =
        wanted.error + (dtype == F32 ? 0 : ulp(wanted.value, dtype));
    const double error = std::fabs(wanted.value - got);
    worstShare = std::max(worstShare, bound > 0 ? error / bound : error);
    if (error <= bound || ++wrong > 3)
      return;
    std::printf("%s: element %ld is %.9g, expected %.9g within %.3g\n",
                name.c_str(), long(i), got, wanted.value, bound);
  }
  /// Gaps of the result and the bytes behind it are as they were.
  void checkRest(const Operand &out) {
    std::vector<uint8_t> rest(out.memory, out.memory + out.bytes());
    forEachElement(out.tensor, [&](int64_t, const int64_t *index) {
      std::memset(&rest[size_t(addressOf(out.tensor, out.tensor, index)) *
                        out.elementBytes()],
                  0x5A, out.elementBytes());
    });
    if (!std::all_of(rest.begin(), rest.end(),
                     [](uint8_t byte) { return byte == 0x5A; }))
      fail("bytes beside the result changed");
  }
  void end() { wrongCases += wrong != 0; }

  /// Prints what was seen; the exit status of the program. Fewer kernels than
  /// these must not have run.
  int finish(size_t fewestKeys) const {
    std::printf("%s: %d cases, %d wrong; %zu keys used, at least %zu wanted; "
                "largest share "
                "of a bound %.3f; checksum %016lx\n",
                what, cases, wrongCases, keys.size(), fewestKeys, worstShare,
                (unsigned long)checksum);
    return wrongCases == 0 && keys.size() >= fewestKeys ? 0 : 1;
  }

private:
  const char *what;
  bool isVerbose;
  std::string name;
  bool counts = false;
  uint64_t checksum = 14695981039346656037u;
  std::set<uint64_t> keys;
  int cases = 0, wrongCases = 0;
  int64_t wrong = 0;
  double worstShare = 0;
};
