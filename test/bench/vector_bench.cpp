// How fast emulated vector instructions are against a plain loop over the same
// tile: count forms and full repeats should match it, other strides and masks
// stay within a factor of 4. Every benchmark processes one UB tile over and
// over within one launch, so that launching is not measured.
#include "kernel_operator.h"
#include "lossgrad/sim/Launch.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>
#include <vector>

using namespace AscendC;

namespace {

constexpr uint32_t kCount = 8192; // floats: 32 KiB per operand

struct Tile {
  LocalTensor<float> a{TPosition::VECCALC, 0, kCount};
  LocalTensor<float> b{TPosition::VECCALC, 32768, kCount};
  LocalTensor<float> d{TPosition::VECCALC, 65536, kCount};
  LocalTensor<half> h{TPosition::VECCALC, 98304, kCount};
  LocalTensor<uint8_t> m{TPosition::VECCALC, 131072, kCount};
  LocalTensor<uint32_t> offsets{TPosition::VECCALC, 139264, kCount};
};

void emulated(benchmark::State &state, void (*issue)(Tile &)) {
  lossgrad::sim::LaunchConfig config;
  config.kernelName = "bench";
  const auto result = lossgrad::sim::launch(config, [&] {
    Tile tile;
    Duplicate(tile.a, 1.5f, kCount);
    Duplicate(tile.b, 0.5f, kCount);
    Duplicate(tile.h, half(0.5f), kCount);
    CreateVecIndex(tile.offsets.ReinterpretCast<int32_t>(), 0, kCount);
    ShiftLeft(tile.offsets, tile.offsets, 2u, kCount);
    for (auto _ : state) {
      issue(tile);
      benchmark::ClobberMemory();
    }
  });
  if (!result.ok)
    state.SkipWithError(result.errors.c_str());
  state.SetItemsProcessed(state.iterations() * kCount);
}

// The plain loop of each class, compiled with the same compiler at -O3 -mavx2.
void plain(benchmark::State &state,
           void (*loop)(float *, const float *, const float *)) {
  std::vector<float> a(kCount, 1.5f), b(kCount, 0.5f), d(kCount);
  for (auto _ : state) {
    loop(d.data(), a.data(), b.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kCount);
}

void addLoop(float *__restrict d, const float *__restrict a,
             const float *__restrict b) {
  for (uint32_t i = 0; i < kCount; ++i)
    d[i] = a[i] + b[i];
}
void scaleLoop(float *__restrict d, const float *__restrict a, const float *) {
  for (uint32_t i = 0; i < kCount; ++i)
    d[i] = a[i] * 1.25f;
}
void expLoop(float *__restrict d, const float *__restrict a, const float *) {
  for (uint32_t i = 0; i < kCount; ++i)
    d[i] = std::exp(a[i]);
}
void sumLoop(float *d, const float *a, const float *) {
  float lanes[16] = {};
  for (uint32_t i = 0; i < kCount; i += 16)
    for (uint32_t k = 0; k < 16; ++k)
      lanes[k] += a[i + k];
  for (uint32_t k = 1; k < 16; ++k)
    lanes[0] += lanes[k];
  d[0] = lanes[0];
}

// A level-0 call covers at most 255 repeats of 64 floats; 128 are the tile.
#define LOSSGRAD_BENCH(NAME, ...)                                              \
  BENCHMARK_CAPTURE(emulated, NAME, [](Tile &t) { __VA_ARGS__; })

BENCHMARK_CAPTURE(plain, Add, addLoop);
LOSSGRAD_BENCH(Add_count, Add(t.d, t.a, t.b, kCount));
LOSSGRAD_BENCH(Add_repeats,
               Add(t.d, t.a, t.b, uint64_t{64}, 128, {1, 1, 1, 8, 8, 8}));
LOSSGRAD_BENCH(Add_mask60,
               Add(t.d, t.a, t.b, uint64_t{60}, 128, {1, 1, 1, 8, 8, 8}));
LOSSGRAD_BENCH(Add_rowBroadcast,
               Add(t.d, t.a, t.b, uint64_t{64}, 128, {1, 1, 1, 8, 8, 0}));
LOSSGRAD_BENCH(Add_columnBroadcast,
               Add(t.d, t.a, t.b, uint64_t{64}, 128, {1, 1, 0, 8, 8, 1}));
LOSSGRAD_BENCH(Add_blockStride2,
               Add(t.d, t.a, t.b, uint64_t{64}, 63, {2, 2, 2, 16, 16, 16});
               Add(t.d, t.a, t.b, uint64_t{64}, 63, {2, 2, 2, 16, 16, 16}));
LOSSGRAD_BENCH(Add_bitmap, uint64_t mask[2] = {0x5555555555555555ull, 0};
               Add(t.d, t.a, t.b, mask, 128, {1, 1, 1, 8, 8, 8}));
LOSSGRAD_BENCH(Add_half_count, Add(t.h, t.h, t.h, kCount));
BENCHMARK_CAPTURE(plain, Muls, scaleLoop);
LOSSGRAD_BENCH(Muls_count, Muls(t.d, t.a, 1.25f, kCount));
LOSSGRAD_BENCH(Max_count, Max(t.d, t.a, t.b, kCount));
LOSSGRAD_BENCH(Div_count, Div(t.d, t.a, t.b, kCount));
LOSSGRAD_BENCH(Duplicate_count, Duplicate(t.d, 1.0f, kCount));
BENCHMARK_CAPTURE(plain, Exp, expLoop);
LOSSGRAD_BENCH(Exp_count, Exp(t.d, t.a, kCount));
LOSSGRAD_BENCH(Ln_count, Ln(t.d, t.a, kCount));
LOSSGRAD_BENCH(Cast_float_half, Cast(t.h, t.a, RoundMode::CAST_RINT, kCount));
LOSSGRAD_BENCH(Cast_float_half_floor,
               Cast(t.h, t.a, RoundMode::CAST_FLOOR, kCount));
LOSSGRAD_BENCH(Cast_half_float, Cast(t.d, t.h, RoundMode::CAST_NONE, kCount));
LOSSGRAD_BENCH(Cast_float_int32, Cast(t.d.ReinterpretCast<int32_t>(), t.a,
                                      RoundMode::CAST_RINT, kCount));
LOSSGRAD_BENCH(CompareScalar_count,
               CompareScalar(t.m, t.a, 1.0f, CMPMODE::GT, kCount));
LOSSGRAD_BENCH(Select_tensor, Select(t.d, t.m, t.a, t.b,
                                     SELMODE::VSEL_TENSOR_TENSOR_MODE, kCount));
BENCHMARK_CAPTURE(plain, Sum, sumLoop);
LOSSGRAD_BENCH(ReduceSum_count, ReduceSum(t.d, t.a, t.b, kCount));
LOSSGRAD_BENCH(WholeReduceSum, WholeReduceSum(t.d, t.a, 64, 128, 1, 1, 8));
LOSSGRAD_BENCH(WholeReduceMax, WholeReduceMax(t.d, t.a, 64, 128, 1, 1, 8));
LOSSGRAD_BENCH(BlockReduceSum, BlockReduceSum(t.d, t.a, 128, 64, 1, 1, 8));
LOSSGRAD_BENCH(Gather_count, Gather(t.d, t.a, t.offsets, 0u, kCount));
LOSSGRAD_BENCH(GatherMask_even, uint64_t kept;
               GatherMask(t.d, t.a, 1, true, kCount, {1, 1, 8, 0}, kept));
LOSSGRAD_BENCH(Brcb, Brcb(t.d, t.a, 128, {1, 8}));

} // namespace

BENCHMARK_MAIN();
