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
