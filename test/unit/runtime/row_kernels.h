// Gradients of softmax and log-softmax along rows, written by hand as a kernel
// author would: many short rows per tile (rows folded to 64 lanes by the repeat
// forms, one whole-repeat reduction for all rows, Brcb, block stride 0), and
// one long row walked in tiles (an accumulator in UB, a count form per call).
// Tests compare them with float64, kernel-bench measures them.
#pragma once

#include "kernel_operator.h"

#include <algorithm>
#include <type_traits>

namespace lossgrad::test {

// log-softmax: g - exp(y) * sum(g); softmax: (g - sum(g * y)) * y.
enum class RowGradient { LogSoftmax, Softmax };

struct RowProblem {
  uint64_t rows;
  uint32_t columns;
};

namespace row_detail {
using namespace AscendC;

constexpr uint32_t kLanes = 64;
constexpr uint32_t kBlockFloats = 8;

inline uint32_t roundUp(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

// Rows [first, last) of this core.
struct Share {
  uint64_t first, last;
  explicit Share(uint64_t rows)
      : first(rows * GetBlockIdx() / GetBlockNum()),
        last(rows * (GetBlockIdx() + 1) / GetBlockNum()) {}
};

// Loads, conversions and stores that both kernels share. T is float or a
// 16-bit type; computation is in float.
template <typename T> class Streams {
public:
  void init(TPipe &pipe, T *grad, T *output, T *result, uint64_t count,
            uint32_t tile) {
    gradGlobal.SetGlobalBuffer(grad, count);
    outputGlobal.SetGlobalBuffer(output, count);
    resultGlobal.SetGlobalBuffer(result, count);
    pipe.InitBuffer(gradQueue, 2, tile * sizeof(T));
    pipe.InitBuffer(outputQueue, 2, tile * sizeof(T));
    pipe.InitBuffer(resultQueue, 2, tile * sizeof(T));
    if constexpr (!std::is_same_v<T, float>) {
      pipe.InitBuffer(wideGrad, tile * sizeof(float));
      pipe.InitBuffer(wideOutput, tile * sizeof(float));
    }
  }
  // `rows` rows of `columns` elements, `pitch` apart in UB.
  LocalTensor<float> loadGrad(uint64_t at, uint16_t rows, uint32_t columns,
                              uint32_t pitch) {
    return load(gradQueue, gradGlobal[at], wideGrad, rows, columns, pitch);
  }
  LocalTensor<float> loadOutput(uint64_t at, uint16_t rows, uint32_t columns,
                                uint32_t pitch) {
    return load(outputQueue, outputGlobal[at], wideOutput, rows, columns,
                pitch);
  }
  void freeGrad(const LocalTensor<float> &tensor) { free(gradQueue, tensor); }
  void freeOutput(const LocalTensor<float> &tensor) {
    free(outputQueue, tensor);
  }
  // Where the result is computed, and the way out.
  LocalTensor<float> result(const LocalTensor<float> &grad) {
    if constexpr (std::is_same_v<T, float>)
      return resultQueue.template AllocTensor<float>();
    else
      return grad;
  }
  void store(uint64_t at, LocalTensor<float> value, uint16_t rows,
             uint32_t columns, uint32_t pitch) {
    LocalTensor<T> out;
    if constexpr (std::is_same_v<T, float>) {
      out = value;
    } else {
      out = resultQueue.template AllocTensor<T>();
      Cast(out, value, RoundMode::CAST_RINT, rows * pitch);
    }
    resultQueue.EnQue(out);
    out = resultQueue.template DeQue<T>();
    const uint32_t bytes = columns * sizeof(T);
    DataCopyPad(resultGlobal[at], out,
                DataCopyExtParams{rows, bytes, gap(columns, pitch), 0, 0});
    resultQueue.FreeTensor(out);
  }

private:
  using In = TQue<QuePosition::VECIN, 1>;
  // Blocks between the rows in UB.
  static uint32_t gap(uint32_t columns, uint32_t pitch) {
    const uint32_t perBlock = 32 / sizeof(T);
    return (pitch - roundUp(columns, perBlock)) / perBlock;
  }
  LocalTensor<float> load(In &queue, const GlobalTensor<T> &from,
                          TBuf<QuePosition::VECCALC> &wide, uint16_t rows,
                          uint32_t columns, uint32_t pitch) {
    LocalTensor<T> raw = queue.template AllocTensor<T>();
    const uint32_t bytes = columns * sizeof(T);
    DataCopyPad(raw, from,
                DataCopyExtParams{rows, bytes, 0, gap(columns, pitch), 0},
                DataCopyPadExtParams<T>{false, 0, 0, T(0)});
    queue.EnQue(raw);
    raw = queue.template DeQue<T>();
    if constexpr (std::is_same_v<T, float>) {
      return raw;
    } else {
      LocalTensor<float> value = wide.template Get<float>();
      Cast(value, raw, RoundMode::CAST_NONE, rows * pitch);
      PipeBarrier<PIPE_V>();
      queue.FreeTensor(raw);
      return value;
    }
  }
  void free(In &queue, const LocalTensor<float> &tensor) {
    if constexpr (std::is_same_v<T, float>) {
      LocalTensor<float> raw = tensor;
      queue.FreeTensor(raw);
    }
  }

  GlobalTensor<T> gradGlobal, outputGlobal, resultGlobal;
  In gradQueue, outputQueue;
  TQue<QuePosition::VECOUT, 1> resultQueue;
  TBuf<QuePosition::VECCALC> wideGrad, wideOutput;
};

// Many rows per tile; a row is at most 255 blocks of floats.
template <RowGradient kind, typename T> class ShortRows {
public:
  ShortRows(T *grad, T *output, T *result, const RowProblem &problem)
      : problem(problem), pitch(roundUp(problem.columns, 16)) {
    // Queues and buffers of a tile, in bytes per element of it.
    const uint32_t perElement = 6 * sizeof(T) +
                                (std::is_same_v<T, float> ? 0 : 8) +
                                (kind == RowGradient::Softmax ? 4 : 0);
    const uint32_t elements = 150 * 1024 / perElement;
    perTile = std::max(1u, std::min(248u, elements / pitch));
    streams.init(pipe, grad, output, result, problem.rows * problem.columns,
                 perTile * pitch);
    pipe.InitBuffer(foldBuffer, perTile * kLanes * sizeof(float));
    pipe.InitBuffer(sumBuffer, roundUp(perTile, kBlockFloats) * sizeof(float));
    pipe.InitBuffer(blockBuffer, roundUp(perTile, kBlockFloats) * 32);
    if (kind == RowGradient::Softmax)
      pipe.InitBuffer(productBuffer, perTile * pitch * sizeof(float));
  }
  void run() {
    const Share share(problem.rows);
    for (uint64_t row = share.first; row < share.last; row += perTile)
      tile(row * problem.columns, static_cast<uint16_t>(std::min<uint64_t>(
                                      perTile, share.last - row)));
  }

private:
  void tile(uint64_t at, uint16_t rows) {
    LocalTensor<float> g = streams.loadGrad(at, rows, problem.columns, pitch);
    LocalTensor<float> y = streams.loadOutput(at, rows, problem.columns, pitch);
    LocalTensor<float> out = streams.result(g);
    const auto count = static_cast<int32_t>(rows * pitch);
    if constexpr (kind == RowGradient::LogSoftmax) {
      sumRows(g, rows);
      Exp(y, y, count);
      PipeBarrier<PIPE_V>();
      withRows(y, y, rows);
      Sub(out, g, y, count);
    } else {
      LocalTensor<float> product = productBuffer.Get<float>();
      Mul(product, g, y, count);
      PipeBarrier<PIPE_V>();
      sumRows(product, rows);
      withRows(out, g, rows);
      Mul(out, out, y, count);
    }
    PipeBarrier<PIPE_V>();
    streams.freeGrad(g);
    streams.freeOutput(y);
    streams.store(at, out, rows, problem.columns, pitch);
  }
  uint8_t stride() const { return static_cast<uint8_t>(pitch / kBlockFloats); }

  // One sum per row, spread over a block each.
  void sumRows(const LocalTensor<float> &x, uint16_t rows) {
    LocalTensor<float> folded = foldBuffer.Get<float>();
    LocalTensor<float> sums = sumBuffer.Get<float>();
    const auto repeat = static_cast<uint8_t>(rows);
    const uint32_t columns = problem.columns;
    const uint64_t first = std::min(columns, kLanes);
    if (columns <= kLanes) {
      WholeReduceSum(sums, x, static_cast<int32_t>(first), rows, 1, 1,
                     stride());
    } else {
      // The second chunk may be short: what it does not reach is copied.
      Copy(folded, x, uint64_t{kLanes}, repeat,
           {1, 1, kLanes / kBlockFloats, stride()});
      for (uint32_t at = kLanes; at < columns; at += kLanes) {
        PipeBarrier<PIPE_V>();
        Add(folded, folded, x[at], std::min(columns - at, kLanes), repeat,
            {1, 1, 1, kLanes / kBlockFloats, kLanes / kBlockFloats, stride()});
      }
      PipeBarrier<PIPE_V>();
      WholeReduceSum(sums, folded, static_cast<int32_t>(kLanes), rows, 1, 1,
                     kLanes / kBlockFloats);
    }
    PipeBarrier<PIPE_V>();
    Brcb(blockBuffer.Get<float>(), sums,
         static_cast<uint8_t>(roundUp(rows, kBlockFloats) / kBlockFloats),
         {1, kBlockFloats});
    PipeBarrier<PIPE_V>();
  }
  // dst = x times, or minus, the row's sum.
  void withRows(const LocalTensor<float> &dst, const LocalTensor<float> &x,
                uint16_t rows) {
    LocalTensor<float> sums = blockBuffer.Get<float>();
    const auto repeat = static_cast<uint8_t>(rows);
    const BinaryRepeatParams params(1, 1, 0, stride(), stride(), 1);
    for (uint32_t at = 0; at < pitch; at += kLanes) {
      const uint64_t lanes = std::min(pitch - at, kLanes);
      if constexpr (kind == RowGradient::LogSoftmax)
        Mul(dst[at], x[at], sums, lanes, repeat, params);
      else
        Sub(dst[at], x[at], sums, lanes, repeat, params);
    }
    PipeBarrier<PIPE_V>();
  }

  RowProblem problem;
  uint32_t pitch, perTile;
  TPipe pipe;
  Streams<T> streams;
  TBuf<QuePosition::VECCALC> foldBuffer, sumBuffer, blockBuffer, productBuffer;
};

// One row at a time, in tiles: a sweep that sums, a sweep that computes.
template <RowGradient kind, typename T> class LongRows {
public:
  LongRows(T *grad, T *output, T *result, const RowProblem &problem)
      : problem(problem) {
    streams.init(pipe, grad, output, result, problem.rows * problem.columns,
                 kTile);
    pipe.InitBuffer(totalBuffer, kTile * sizeof(float));
    pipe.InitBuffer(sumBuffer, 32);
  }
  void run() {
    const Share share(problem.rows);
    for (uint64_t row = share.first; row < share.last; ++row)
      this->row(row * problem.columns);
  }

private:
  static constexpr uint32_t kTile =
      std::is_same_v<T, float> ? 6 * 1024 : 5 * 1024;

  void row(uint64_t at) {
    const float sum = sumOf(at);
    for (uint32_t c = 0; c < problem.columns; c += kTile) {
      const uint32_t n = std::min(problem.columns - c, kTile);
      const uint32_t padded = roundUp(n, 32 / sizeof(T));
      LocalTensor<float> g = streams.loadGrad(at + c, 1, n, padded);
      LocalTensor<float> y = streams.loadOutput(at + c, 1, n, padded);
      LocalTensor<float> out = streams.result(g);
      const auto count = static_cast<int32_t>(n);
      if constexpr (kind == RowGradient::LogSoftmax) {
        Exp(y, y, count);
        PipeBarrier<PIPE_V>();
        Muls(y, y, sum, count);
        PipeBarrier<PIPE_V>();
        Sub(out, g, y, count);
      } else {
        Adds(out, g, -sum, count);
        PipeBarrier<PIPE_V>();
        Mul(out, out, y, count);
      }
      PipeBarrier<PIPE_V>();
      streams.freeGrad(g);
      streams.freeOutput(y);
      streams.store(at + c, out, 1, n, padded);
    }
  }
  // Tiles are added up lane by lane; what is left is folded in halves.
  float sumOf(uint64_t at) {
    LocalTensor<float> total = totalBuffer.Get<float>();
    Duplicate(total, 0.0f, static_cast<int32_t>(kTile));
    PipeBarrier<PIPE_V>();
    for (uint32_t c = 0; c < problem.columns; c += kTile) {
      const uint32_t n = std::min(problem.columns - c, kTile);
      const uint32_t padded = roundUp(n, 32 / sizeof(T));
      LocalTensor<float> g = streams.loadGrad(at + c, 1, n, padded);
      if constexpr (kind == RowGradient::Softmax) {
        LocalTensor<float> y = streams.loadOutput(at + c, 1, n, padded);
        MulAddDst(total, g, y, static_cast<int32_t>(n));
        PipeBarrier<PIPE_V>();
        streams.freeOutput(y);
      } else {
        Add(total, total, g, static_cast<int32_t>(n));
        PipeBarrier<PIPE_V>();
      }
      streams.freeGrad(g);
    }
    uint32_t length = kTile;
    for (; length % (2 * kLanes) == 0; length /= 2) {
      Add(total, total, total[length / 2], static_cast<int32_t>(length / 2));
      PipeBarrier<PIPE_V>();
    }
    LocalTensor<float> sum = sumBuffer.Get<float>();
    ReduceSum(sum, total, total, static_cast<int32_t>(length));
    const event_t done =
        static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(done);
    WaitFlag<HardEvent::V_S>(done);
    return sum.GetValue(0);
  }

  RowProblem problem;
  TPipe pipe;
  Streams<T> streams;
  TBuf<QuePosition::VECCALC> totalBuffer, sumBuffer;
};
} // namespace row_detail

// The kernel of one core: short rows together, long ones one by one.
template <RowGradient kind, typename T>
void rowGradient(T *grad, T *output, T *result, const RowProblem &problem) {
  if (problem.columns <= 2032)
    row_detail::ShortRows<kind, T>(grad, output, result, problem).run();
  else
    row_detail::LongRows<kind, T>(grad, output, result, problem).run();
}

} // namespace lossgrad::test
