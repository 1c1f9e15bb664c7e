//===- Random.h - Draws that a text decides ---------------------*- C++ -*-===//
//
// The same text gives the same numbers on every machine, which the library's
// distributions do not promise. For contents of tensors and random cases; not
// for anything that has to be unpredictable.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_RANDOM_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

namespace lossgrad {

/// splitmix64, seeded with the FNV-1a hash of a text.
class Random {
public:
  explicit Random(llvm::StringRef text) {
    for (unsigned char c : text)
      state = (state ^ c) * 0x100000001b3;
  }

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, count).
  size_t below(size_t count) { return next() % count; }
  bool oneIn(size_t count) { return below(count) == 0; }
  template <typename T> const T &pick(llvm::ArrayRef<T> list) {
    return list[below(list.size())];
  }
  /// In [0, 1], both ends included.
  double unit() { return (next() >> 11) / 9007199254740991.0; }
  double uniform(double low, double high) {
    double u = unit();
    return low == high ? low : low * (1 - u) + high * u;
  }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - 0.9999999999999999 * unit()));
    return radius * std::cos(6.283185307179586 * unit());
  }

private:
  uint64_t state = 0xcbf29ce484222325;
};

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_RANDOM_H
