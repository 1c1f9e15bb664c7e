// Whole kernels on the fast mode against what the host can do by itself on the
// same threads: a fused Exp and Muls over 64 Mi floats against a plain tiled
// loop with the same exponential, copies through UB against memcpy, gradients
// of log-softmax along short and long rows against one pass per row, and the
// launch of 48 blocks that do nothing.
#include "../unit/runtime/row_kernels.h"
#include "kernel_operator.h"
#include "lossgrad/sim/Launch.h"
#include "tikicpulib.h"

#include <benchmark/benchmark.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

using namespace AscendC;

namespace {

constexpr uint64_t kElements = 64ull << 20;
constexpr uint32_t kTile = 8192;
constexpr uint32_t kBlocks = 48;
constexpr float kScale = 0.5f;

// Element range of one block, whole tiles.
struct Share {
  uint64_t begin, end;
  Share(uint64_t block, uint64_t blocks) {
    const uint64_t tiles = kElements / kTile;
    begin = tiles * block / blocks * kTile;
    end = tiles * (block + 1) / blocks * kTile;
  }
};

// Double-buffered, as in every sample.
void expMuls(float *from, float *to) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> input;
  TQue<QuePosition::VECOUT, 1> output;
  pipe.InitBuffer(input, 2, kTile * sizeof(float));
  pipe.InitBuffer(output, 2, kTile * sizeof(float));
  GlobalTensor<float> source, target;
  source.SetGlobalBuffer(from, kElements);
  target.SetGlobalBuffer(to, kElements);
  const Share share(GetBlockIdx(), GetBlockNum());
  for (uint64_t at = share.begin; at < share.end; at += kTile) {
    LocalTensor<float> x = input.AllocTensor<float>();
    DataCopy(x, source[at], kTile);
    input.EnQue(x);
    x = input.DeQue<float>();
    LocalTensor<float> y = output.AllocTensor<float>();
    Exp(y, x, kTile);
    Muls(y, y, kScale, kTile);
    output.EnQue(y);
    input.FreeTensor(x);
    y = output.DeQue<float>();
    DataCopy(target[at], y, kTile);
    output.FreeTensor(y);
  }
}

// GM to UB to GM: two copies per element, UB stays in the host's cache.
void copyThrough(float *from, float *to) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, kTile * sizeof(float));
  GlobalTensor<float> source, target;
  source.SetGlobalBuffer(from, kElements);
  target.SetGlobalBuffer(to, kElements);
  const Share share(GetBlockIdx(), GetBlockNum());
  for (uint64_t at = share.begin; at < share.end; at += kTile) {
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, source[at], kTile);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    DataCopy(target[at], tile, kTile);
    queue.FreeTensor(tile);
  }
}

struct Data {
  std::vector<float> from, to;
  Data() : from(kElements, 0.25f), to(kElements) {}
};

void launchOn(benchmark::State &state, const std::function<void()> &body) {
  lossgrad::sim::LaunchConfig config;
  config.kernelName = "bench";
  config.blockCount = kBlocks;
  for (auto _ : state) {
    const auto result = lossgrad::sim::launch(config, body);
    if (!result.ok) {
      state.SkipWithError(result.errors.c_str());
      return;
    }
  }
}

// `work(begin, end)` on as many threads as a launch uses.
template <typename Work> void onThreads(Work work) {
  const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([=] {
      const Share share(i, count);
      work(share.begin, share.end);
    });
  for (std::thread &thread : threads)
    thread.join();
}

void expMulsKernel(benchmark::State &state) {
  Data data;
  launchOn(state, [&] { expMuls(data.from.data(), data.to.data()); });
  state.SetBytesProcessed(state.iterations() * kElements * 2 * sizeof(float));
}

void expMulsLoop(benchmark::State &state) {
  namespace hn = hwy::HWY_NAMESPACE;
  Data data;
  const float *from = data.from.data();
  float *to = data.to.data();
  for (auto _ : state)
    onThreads([=](uint64_t begin, uint64_t end) {
      const hn::ScalableTag<float> tag;
      const auto scale = hn::Set(tag, kScale);
      for (uint64_t at = begin; at < end; at += hn::Lanes(tag))
        hn::StoreU(hn::Mul(hn::Exp(tag, hn::LoadU(tag, from + at)), scale), tag,
                   to + at);
    });
  state.SetBytesProcessed(state.iterations() * kElements * 2 * sizeof(float));
}

void copyKernel(benchmark::State &state) {
  Data data;
  launchOn(state, [&] { copyThrough(data.from.data(), data.to.data()); });
  state.SetBytesProcessed(state.iterations() * kElements * 2 * sizeof(float));
}

void copyMemcpy(benchmark::State &state) {
  Data data;
  const float *from = data.from.data();
  float *to = data.to.data();
  for (auto _ : state)
    onThreads([=](uint64_t begin, uint64_t end) {
      // Through a tile, as the kernel does.
      std::vector<float> tile(kTile);
      for (uint64_t at = begin; at < end; at += kTile) {
        std::memcpy(tile.data(), from + at, kTile * sizeof(float));
        std::memcpy(to + at, tile.data(), kTile * sizeof(float));
      }
    });
  state.SetBytesProcessed(state.iterations() * kElements * 2 * sizeof(float));
}

void emptyLaunch(benchmark::State &state) {
  launchOn(state, [] {});
}

//===- gradients along rows -----------------------------------------------===//

using lossgrad::test::RowGradient;
using lossgrad::test::RowProblem;

// In memory as a program would have it: from GmAlloc.
template <typename T> struct RowData {
  explicit RowData(const RowProblem &problem)
      : count(problem.rows * problem.columns), grad(make(0.5f)),
        output(make(-7.0f)), result(make(0.0f)) {}
  ~RowData() {
    for (T *memory : {grad, output, result})
      GmFree(memory);
  }
  T *make(float value) const {
    auto *memory = static_cast<T *>(GmAlloc(count * sizeof(T)));
    std::fill(memory, memory + count, T(value));
    return memory;
  }
  uint64_t count;
  T *grad, *output, *result;
};

RowProblem problemOf(const benchmark::State &state) {
  return {static_cast<uint64_t>(state.range(0)),
          static_cast<uint32_t>(state.range(1))};
}

template <RowGradient kind, typename T>
void rowKernel(benchmark::State &state) {
  const RowProblem problem = problemOf(state);
  RowData<T> data(problem);
  launchOn(state, [&] {
    lossgrad::test::rowGradient<kind, T>(data.grad, data.output, data.result,
                                         problem);
  });
  state.SetBytesProcessed(state.iterations() * data.count * 3 * sizeof(T));
}

// What a library does on the host: two passes over a row.
void rowLoop(benchmark::State &state) {
  namespace hn = hwy::HWY_NAMESPACE;
  const RowProblem problem = problemOf(state);
  RowData<float> data(problem);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  auto work = [&](uint64_t first, uint64_t last) {
    const hn::ScalableTag<float> tag;
    for (uint64_t row = first; row < last; ++row) {
      const float *g = data.grad + row * problem.columns;
      const float *y = data.output + row * problem.columns;
      float *out = data.result + row * problem.columns;
      auto sums = hn::Zero(tag);
      for (uint32_t c = 0; c < problem.columns; c += hn::Lanes(tag))
        sums = hn::Add(sums, hn::LoadU(tag, g + c));
      const auto sum = hn::SumOfLanes(tag, sums);
      for (uint32_t c = 0; c < problem.columns; c += hn::Lanes(tag))
        hn::StoreU(hn::NegMulAdd(hn::Exp(tag, hn::LoadU(tag, y + c)), sum,
                                 hn::LoadU(tag, g + c)),
                   tag, out + c);
    }
  };
  for (auto _ : state) {
    std::vector<std::thread> pool;
    for (unsigned i = 0; i < threads; ++i)
      pool.emplace_back(work, problem.rows * i / threads,
                        problem.rows * (i + 1) / threads);
    for (std::thread &thread : pool)
      thread.join();
  }
  state.SetBytesProcessed(state.iterations() * data.count * 3 * sizeof(float));
}

#define LOSSGRAD_ROWS(...)                                                     \
  BENCHMARK(__VA_ARGS__)                                                       \
      ->Args({65536, 512})                                                     \
      ->Args({2048, 32000})                                                    \
      ->Unit(benchmark::kMillisecond)                                          \
      ->MeasureProcessCPUTime()                                                \
      ->UseRealTime()
LOSSGRAD_ROWS(rowKernel<RowGradient::LogSoftmax, float>);
LOSSGRAD_ROWS(rowKernel<RowGradient::LogSoftmax, bfloat16_t>);
LOSSGRAD_ROWS(rowKernel<RowGradient::Softmax, float>);
LOSSGRAD_ROWS(rowLoop);

BENCHMARK(expMulsKernel)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(expMulsLoop)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(copyKernel)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(copyMemcpy)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(emptyLaunch)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
