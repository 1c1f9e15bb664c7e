// Runs the emitted kernels of one elementwise operator, with the tiling that
// the emitted tiling function chose, and judges every element by the operator's
// formula. Buffers stay within the UB that the tiling function was given, and
// nothing beside the output's elements changes. A test program
// describes its operator by a class:
//
//   struct Operator {
//     using Tiling = ...;                       // the tiling data
//     static constexpr int kInputs, kKeys;      // keys that must be used
//     static constexpr bool kOptional[kInputs]; // inputs that may be absent
//     static bool tile(const Case &, const Platform &, Tiling &, Launch &);
//     static int runKernel(uint64_t key, uint32_t blocks, uint8_t *const
//     *memory,
//                       uint8_t *workspace, uint8_t *tiling);
//     static Bounded formula(const Case &, const double *inputs);
//   };
//
// The cases are in ValueCases.h. The checksum of all results that is printed in
// the end is the same on the stand-in and on the vendor's headers.
#pragma once

#include "CountingPipe.h"

#include "Bounded.h"
#include "Elements.h"
#include "Tensors.h"

#include <limits>
#include <random>
#include <set>
#include <string>

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// On the vendor's headers every core is a process.
#ifdef REAL_HEADERS
constexpr int64_t kMostCores = 3;
#else
constexpr int64_t kMostCores = 64;
#endif

struct Case {
  std::string name;
  std::vector<lossgrad::Tensor> inputs;
  lossgrad::Tensor output;
  int64_t reduction = 0;
  float beta = 1;       // for operators that have one
  bool special = false; // NaN, infinities and zeros among the values
  int64_t cores = 48, ubBytes = 196352;
};

template <typename Operator> class ValueTest {
public:
  void run(const Case &c);
  /// Prints what was seen; the exit status of the program.
  int finish() const;

private:
  float randomValue(int dtype, bool special);
  std::vector<uint8_t *> placeTensors(const Case &c);
  int64_t compare(const Case &c, const std::vector<uint8_t *> &memory,
                  uint64_t key);
  bool isRight(Bounded wanted, float got, int dtype);

  std::mt19937 engine{7};
  uint64_t checksum = 14695981039346656037u;
  std::set<uint64_t> keysSeen;
  int cases = 0, wrongCases = 0;
  double worstUlp[3] = {}, worstRelative = 0, worstShare = 0;
};

inline void giveBack(void *memory) {
#ifdef REAL_HEADERS
  (void)memory; // freed with the process
#else
  if (memory)
    AscendC::GmFree(memory);
#endif
}

constexpr size_t kRoomBehind = 64; // bytes behind a tensor that must stay

inline size_t bytesOf(const lossgrad::Tensor &tensor) {
  return size_t(spanOf(tensor)) * sizeOf(tensor.dtype) + kRoomBehind;
}

template <typename Operator>
float ValueTest<Operator>::randomValue(int dtype, bool special) {
  static const float specials[] = {kNaN,  kInf, -kInf, 0.0f,
                                   -0.0f, 1.0f, -1.0f, 0.5f};
  if (special && engine() % 4 == 0)
    return specials[engine() % 8];
  // Held by every type but bfloat16.
  const float coarse = float(int(engine() % 2049) - 1024) / 256;
  if (dtype == BF16)
    return fromBits(bitsOf(coarse) & 0xFFFF0000);
  return dtype == F16 ? coarse : coarse + float(engine() % 1000) * 1e-5f;
}

/// Memory of the inputs, filled, and of the output; null for an absent input.
template <typename Operator>
std::vector<uint8_t *> ValueTest<Operator>::placeTensors(const Case &c) {
  std::vector<uint8_t *> memory;
  for (const lossgrad::Tensor &input : c.inputs) {
    memory.push_back(input.present ? allocate<uint8_t>(bytesOf(input))
                                   : nullptr);
    for (int64_t i = 0; input.present && i < spanOf(input); ++i)
      store(memory.back(), i, input.dtype, randomValue(input.dtype, c.special));
  }
  memory.push_back(allocate<uint8_t>(bytesOf(c.output)));
  std::memset(memory.back(), 0x5A, bytesOf(c.output));
  return memory;
}

/// float32 results within the bound of their computation; 16-bit results are
/// that, rounded once more.
template <typename Operator>
bool ValueTest<Operator>::isRight(Bounded wanted, float got, int dtype) {
  const double value = wanted.value;
  if (std::isinf(wanted.error))
    return true;
  if (std::isnan(value))
    return std::isnan(got);
  const double most = largest(dtype);
  if (std::isinf(value) || std::fabs(value) > most + ulp(most, dtype) / 2)
    return std::isinf(got) && std::signbit(value) == std::signbit(got);
  if (std::isinf(got))
    return std::fabs(value) >= most;
  const double error = std::fabs(value - got);
  worstUlp[dtype] = std::max(worstUlp[dtype], error / ulp(value, dtype));
  if (dtype == F32 && std::fabs(value) > 0x1p-100)
    worstRelative =
        std::max(worstRelative, error / std::fabs(value) / (2 * kUnit));
  const double bound =
      wanted.error + (dtype == F32 ? 0 : ulp(value, dtype) / 2);
  if (dtype == F32 && bound > 0)
    worstShare = std::max(worstShare, error / bound);
  return error <= bound * (1 + 0x1p-28); // the host's float64 rounds as well
}

/// The number of wrong elements.
template <typename Operator>
int64_t ValueTest<Operator>::compare(const Case &c,
                                     const std::vector<uint8_t *> &memory,
                                     uint64_t key) {
  int64_t wrong = 0;
  forEachElement(c.output, [&](int64_t i, const int64_t *index) {
    double values[Operator::kInputs] = {};
    for (int t = 0; t < Operator::kInputs; ++t)
      if (c.inputs[t].present)
        values[t] = load(memory[t], addressOf(c.inputs[t], c.output, index),
                         c.inputs[t].dtype);
    const float got = load(memory.back(), addressOf(c.output, c.output, index),
                           c.output.dtype);
    const Bounded wanted = Operator::formula(c, values);
    checksum = (checksum ^ (std::isnan(got) ? 0x7FC00000u : bitsOf(got))) *
               1099511628211u;
    if (isRight(wanted, got, c.output.dtype) || ++wrong > 3)
      return;
    std::printf("%s: key %lu, element %ld is %.9g, expected %.9g within %.3g;"
                " inputs",
                c.name.c_str(), (unsigned long)key, long(i), got, wanted.value,
                wanted.error);
    for (double value : values)
      std::printf(" %.9g", value);
    std::printf("\n");
  });
  return wrong;
}

template <typename Operator> void ValueTest<Operator>::run(const Case &c) {
  using Tiling = typename Operator::Tiling;
  ++cases;
  const std::vector<uint8_t *> memory = placeTensors(c);
  uint8_t *output = memory.back();
  std::vector<uint8_t> untouched(output, output + bytesOf(c.output));

  const lossgrad::Platform platform = {std::min(c.cores, kMostCores), c.ubBytes,
                                       192 << 20};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<Tiling>(1);
  if (!Operator::tile(c, platform, *tiling, chosen)) {
    std::printf("%s: no tiling: %s\n", c.name.c_str(), chosen.failure);
    ++wrongCases;
    return;
  }
  keysSeen.insert(chosen.key);
  auto *workspace = allocate<uint8_t>(64);
  int64_t wrong =
      Operator::runKernel(chosen.key, chosen.blocks, memory.data(), workspace,
                          reinterpret_cast<uint8_t *>(tiling));
  if (wrong != 0)
    std::printf("%s: %ld blocks broke a rule\n", c.name.c_str(), long(wrong));
  const int64_t ubBytes = takeUbBytes();
  if (ubBytes > c.ubBytes) {
    std::printf("%s: %ld of %ld bytes of UB\n", c.name.c_str(), long(ubBytes),
                long(c.ubBytes));
    ++wrong;
  }
  wrong += compare(c, memory, chosen.key);

  const size_t size = sizeOf(c.output.dtype);
  forEachElement(c.output, [&](int64_t, const int64_t *index) {
    const size_t at = size_t(addressOf(c.output, c.output, index)) * size;
    std::memcpy(untouched.data() + at, output + at, size);
  });
  if (std::memcmp(untouched.data(), output, untouched.size()) != 0) {
    std::printf("%s: bytes beside the output changed\n", c.name.c_str());
    ++wrong;
  }
  wrongCases += wrong != 0;
  for (uint8_t *tensor : memory)
    giveBack(tensor);
  giveBack(tiling);
  giveBack(workspace);
}

template <typename Operator> int ValueTest<Operator>::finish() const {
  std::printf("%d cases, %d wrong; %zu of %d keys used; worst error in units "
              "of the last place: f32 %.3f, f16 %.3f, bf16 %.3f; f32 relative: "
              "%.3f * 2^-23; largest share of a bound %.3f; checksum %016lx\n",
              cases, wrongCases, keysSeen.size(), Operator::kKeys,
              worstUlp[F32], worstUlp[F16], worstUlp[BF16], worstRelative,
              worstShare, (unsigned long)checksum);
  return wrongCases == 0 && keysSeen.size() == Operator::kKeys ? 0 : 1;
}
