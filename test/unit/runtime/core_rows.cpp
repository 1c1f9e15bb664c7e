// Gradients of softmax and log-softmax along rows, as kernels that use the
// repeat forms, reductions and broadcasts (row_kernels.h), against float64; and
// the same bits whether instructions wait for each other or not.
#include "row_kernels.h"
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

template <typename T> struct Rows {
  RowProblem problem;
  std::vector<T> grad, output;

  Rows(const RowProblem &shape, RowGradient kind) : problem(shape) {
    const size_t count = shape.rows * shape.columns;
    std::mt19937 random(static_cast<uint32_t>(count));
    auto between = [&](double low, double high) {
      return T(static_cast<float>(low + (high - low) * random() * 0x1p-32));
    };
    for (size_t i = 0; i < count; ++i) {
      grad.push_back(between(-1, 1));
      output.push_back(kind == RowGradient::LogSoftmax ? between(-9, 0)
                                                       : between(0, 1));
    }
  }

  template <RowGradient kind>
  std::vector<T> execute(const char *strip, const char *soc) {
    Switch length("LOSSGRAD_STRIP", strip);
    std::vector<T> result(grad.size());
    Options options;
    options.blocks = 3;
    options.soc = soc;
    EXPECT_OK(run(options, [&] {
      rowGradient<kind, T>(grad.data(), output.data(), result.data(), problem);
    }));
    return result;
  }

  // Largest error in units of what one element's terms can reach.
  template <RowGradient kind> double error(const std::vector<T> &result) const {
    double worst = 0;
    for (uint64_t row = 0; row < problem.rows; ++row) {
      const T *g = grad.data() + row * problem.columns;
      const T *y = output.data() + row * problem.columns;
      double sum = 0, scale = 0;
      for (uint32_t c = 0; c < problem.columns; ++c) {
        const double term = kind == RowGradient::LogSoftmax
                                ? static_cast<double>(g[c])
                                : static_cast<double>(g[c]) * y[c];
        sum += term;
        scale += std::fabs(term);
      }
      for (uint32_t c = 0; c < problem.columns; ++c) {
        const double gc = g[c], yc = y[c];
        const double right = kind == RowGradient::LogSoftmax
                                 ? gc - std::exp(yc) * sum
                                 : (gc - sum) * yc;
        const double is = result[row * problem.columns + c];
        worst = std::max(worst, std::fabs(is - right) / (1 + scale));
      }
    }
    return worst;
  }
};

template <RowGradient kind, typename T> void check(const RowProblem &problem) {
  SCOPED_TRACE(std::to_string(problem.rows) + " x " +
               std::to_string(problem.columns));
  Rows<T> rows(problem, kind);
  const auto once = rows.template execute<kind>("0", "Ascend910B1");
  const double limit = std::is_same_v<T, float> ? 2e-7 : 8e-3;
  EXPECT_LE(rows.template error<kind>(once), limit);
  for (const char *strip : {"128", "256", "512"})
    expectSame(rows.template execute<kind>(strip, "Ascend910B1"), once, strip);
}

constexpr RowProblem kShapes[] = {{1, 1},     {5, 7},    {70, 64},  {33, 65},
                                  {200, 104}, {50, 512}, {41, 500}, {40, 1000},
                                  {9, 2032},  {4, 2033}, {5, 6144}, {2, 20001}};

} // namespace

TEST(RowGradients, LogSoftmaxFloat) {
  for (const RowProblem &shape : kShapes)
    check<RowGradient::LogSoftmax, float>(shape);
}
TEST(RowGradients, LogSoftmaxBfloat16) {
  for (const RowProblem &shape : kShapes)
    check<RowGradient::LogSoftmax, bfloat16_t>(shape);
}
TEST(RowGradients, SoftmaxFloat) {
  for (const RowProblem &shape : kShapes)
    check<RowGradient::Softmax, float>(shape);
}
TEST(RowGradients, SoftmaxHalf) {
  for (const RowProblem &shape : kShapes)
    check<RowGradient::Softmax, half>(shape);
}

//===- blocks folded again and again --------------------------------------===//

namespace {

constexpr uint32_t kRow = 512, kRows = 15;

struct BlockSums {
  // The tile or its double, plus its rows' sums; the sums.
  std::vector<float> spread, sums;
  float before = 0; // of `spread`, when the last call was made
};

// Sums of 15 rows by folding every block to a float three times; the last call
// takes whole groups of 8 rows, or those that there are. Each sum goes to the
// lanes of its row, or of the tile's double, which is written over the sums of
// blocks that the row's sum was folded from. What is loaded changes by `change`
// before the last call.
BlockSums foldBlocks(std::vector<float> in, const char *strip, bool isMasked,
                     bool isWrittenOver = false, float change = 0) {
  Switch length("LOSSGRAD_STRIP", strip);
  BlockSums result;
  result.spread.resize(in.size());
  result.sums.resize(16);
  volatile float *seen = &result.spread[kRow * kRows - 1];
  volatile float *last = &in[kRow * kRows - 1];
  EXPECT_OK(run([&] {
    const auto tile = tensorAt<float>(0, kRow * kRows);
    const auto work = tensorAt<float>(32768, 2048);
    const auto values = tensorAt<float>(65536, 16);
    const auto blocks = tensorAt<float>(66560, 128);
    const auto out =
        isWrittenOver ? tensorAt<float>(32768, kRow * kRows) : tile;
    DataCopy(tile, global(in), kRow * kRows);
    Duplicate(work[1080], 0.0f, 64); // a row more, for the last 8
    BlockReduceSum(work, tile, 120, 64, 1, 1, 8);
    BlockReduceSum(work[960], work, 15, 64, 1, 1, 8);
    if (isMasked) {
      BlockReduceSum(values, work[960], 1, 64, 1, 1, 8);
      BlockReduceSum(values[8], work[1024], 1, 56, 1, 1, 8);
    } else {
      BlockReduceSum(values, work[960], 2, 64, 1, 1, 8);
    }
    if (isWrittenOver)
      Muls(out, tile, 2.0f, kRow * kRows);
    Brcb(blocks, values, 2, {1, 8});
    for (uint32_t lane = 0; lane < kRow; lane += 64)
      Add(out[lane], out[lane], blocks, uint64_t(64), uint8_t(kRows),
          {1, 1, 0, 64, 64, 1});
    *last = *last + change;
    DataCopy(global(result.spread), out, kRow * kRows);
    result.before = *seen;
    DataCopy(global(result.sums), values, 16);
  }));
  return result;
}

} // namespace

TEST(RowGradients, BlocksFoldedToSums) {
  std::vector<float> in(kRow * kRows);
  std::mt19937 random(5);
  for (float &value : in)
    value = static_cast<float>(random() % 4096) / 64;
  for (bool isMasked : {false, true}) {
    SCOPED_TRACE(isMasked);
    const BlockSums once = foldBlocks(in, "0", isMasked);
    for (uint32_t row = 0; row < kRows; ++row) {
      double sum = 0; // exact in float, too
      for (uint32_t lane = 0; lane < kRow; ++lane)
        sum += in[row * kRow + lane];
      EXPECT_EQ(once.sums[row], static_cast<float>(sum));
      EXPECT_EQ(once.spread[row * kRow + 3],
                static_cast<float>(in[row * kRow + 3] + sum));
    }
    EXPECT_EQ(once.before, once.spread.back());
    for (const char *strip : {"128", "256", "512"}) {
      const BlockSums later = foldBlocks(in, strip, isMasked);
      expectSame(later.spread, once.spread, strip);
      for (uint32_t row = 0; row < kRows; ++row)
        EXPECT_EQ(later.sums[row], once.sums[row]);
    }
  }
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && std::string(mode) != "fast")
    GTEST_SKIP() << "nothing is deferred in mode " << mode;
  // From the load to the store it is one list.
  EXPECT_EQ(foldBlocks(in, "256", false).before, 0);
}

TEST(RowGradients, BlocksFoldedToSumsThatAreWrittenOver) {
  std::vector<float> in(kRow * kRows);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 1021) / 64;
  for (bool isMasked : {false, true}) {
    SCOPED_TRACE(isMasked);
    const BlockSums apart = foldBlocks(in, "0", isMasked);
    for (const char *strip : {"0", "128", "256", "512"}) {
      const BlockSums over = foldBlocks(in, strip, isMasked, true);
      for (uint32_t row = 0; row < kRows; ++row)
        EXPECT_EQ(over.sums[row], apart.sums[row]) << strip;
      for (size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(over.spread[i], 2 * in[i] + over.sums[i / kRow]) << strip;
    }
  }
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && std::string(mode) != "fast")
    GTEST_SKIP() << "nothing is deferred in mode " << mode;
  // One list: the load comes after the change that the last call finds.
  const auto lastSum = [&](float change) {
    return foldBlocks(in, "256", false, true, change).sums[kRows - 1];
  };
  EXPECT_EQ(lastSum(64), lastSum(0) + 64);
}

// Two calls on the lanes of one row become one step. A later call writes over
// the first one's result only, and over what lies before it: what the step does
// for the second one has to stay where it is.
TEST(RowGradients, PartOfARowIsWrittenOver) {
  std::vector<float> in(4096), second(64), halves(1040);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 509);
  float more = 0; // UB keeps what the run before has written
  for (const char *strip : {"0", "256"}) {
    SCOPED_TRACE(strip);
    more += 1;
    Switch length("LOSSGRAD_STRIP", strip);
    EXPECT_OK(run([&] {
      const auto tile = tensorAt<float>(0, 4096);
      const auto narrow = tensorAt<half>(16384, 1040);
      const auto row = tensorAt<float>(16384 + 2080, 128);
      const auto over = tensorAt<float>(16384, (2080 + 256) / 4);
      const auto wide = tensorAt<float>(32768, 1040);
      DataCopy(tile, global(in), 4096);
      Cast(narrow, tile, RoundMode::CAST_NONE, 1040);
      Cast(wide, narrow, RoundMode::CAST_NONE, 1040);
      for (uint32_t lane : {0, 64})
        Adds(row[lane], tile[lane], more, uint64_t(64), 1, {1, 1, 129, 129});
      Muls(over, tile, 2.0f, (2080 + 256) / 4);
      DataCopy(global(second), row[64], 64);
      DataCopy(global(halves), wide, 1040);
    }));
    for (size_t i = 0; i < second.size(); ++i)
      ASSERT_EQ(second[i], in[64 + i] + more);
    for (size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(halves[i], in[i]);
  }
}
