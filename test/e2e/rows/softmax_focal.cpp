// SoftmaxFocalLossBackward: values of all kernels, on the stand-in and on the
// vendor's headers: four sums along the classes, with the classes as lanes or
// in front of pixels, whole in a tile or walked over, with weights and without,
// and of any layout. A small UB makes short rows long.
#include "Verdict.h"

#include "lossgrad_softmax_focal_loss_backward_tiling.h"

namespace {

constexpr size_t kKeys = 28;

struct Case {
  Shape shape; // classes are axis 1
  int64_t ubBytes = 196352;
  std::vector<int> order = {}; // of the axes of the prediction, innermost first
};

const Case shapes[] = {
    // Whole rows in a tile, rows that are read twice.
    {{7, 1}},
    {{300, 5}},
    {{37, 100}},
    {{9, 513}},
    {{5, 9001}, 80000},
    // Columns, and columns that are read twice.
    {{3, 21, 4, 4}},
    {{2, 40, 130}},
    {{2, 700, 70}, 80000},
    // Strides.
    {{40, 50}, 196352, {0, 1}},
    {{3, 20, 50}, 196352, {1, 2, 0}},
};

class SoftmaxFocalTest {
public:
  explicit SoftmaxFocalTest(bool isVerbose)
      : verdict("SoftmaxFocalLossBackward", isVerbose) {}
  void run(const Case &c, int32_t dtype, int turn, bool isExact);
  int finish() const { return verdict.finish(kKeys); }

private:
  void compare(const SoftmaxFocalLossBackwardCall &call, int64_t steps);

  Verdict verdict;
  Operand grad, pred, target, weight, result;
};

/// The formula of the record in float64. Whatever the order, a result is off by
/// the roundings on the way of its largest terms: additions of a sum, and about
/// sixty in the formula, most of them in the exponent of the power, whose error
/// is that of the logarithm times its size. A subnormal one is off by 2^-150,
/// times what it is multiplied by later.
void SoftmaxFocalTest::compare(const SoftmaxFocalLossBackwardCall &call,
                               int64_t steps) {
  const int64_t classes = call.gradInput.extents[1];
  int64_t pixels = 1;
  for (int axis = 2; axis < call.gradInput.rank; ++axis)
    pixels *= call.gradInput.extents[axis];
  const int64_t rows = call.gradInput.extents[0] * pixels;
  struct Sums {
    double focus = 0, entropy = 0, weights = 0, near = 0;
  };
  std::vector<Sums> sums(rows);
  const auto rowOf = [&](int64_t i) {
    return i / (classes * pixels) * pixels + i % pixels;
  };
  struct Terms {
    double p, wt, near;
  };
  const auto termsOf = [&](const int64_t *index) {
    const double p = pred.at(call.gradInput, index);
    const double t = target.at(call.gradInput, index);
    const double w = weight.memory ? weight.at(call.gradInput, index) : 1.0;
    const double power = std::pow(std::max(1 - p, 1e-37), call.gamma - 1);
    return Terms{p, t * w, call.alpha * t * power};
  };
  forEachElement(call.gradInput, [&](int64_t i, const int64_t *index) {
    const Terms terms = termsOf(index);
    Sums &row = sums[rowOf(i)];
    row.focus += terms.near * std::max(1 - terms.p, 1e-37);
    row.entropy += -std::log(std::max(terms.p, 1e-37)) * terms.wt;
    row.weights += terms.wt;
    row.near += terms.p * terms.near;
  });
  const double k =
      call.reduction == 1 ? 1.0 / double(call.gradInput.Numel()) : 1.0;
  const double units = 60 + std::log2(double(classes)) + double(steps);
  forEachElement(call.gradInput, [&](int64_t i, const int64_t *index) {
    const auto [p, wt, near] = termsOf(index);
    const Sums &row = sums[rowOf(i)];
    const double g = grad.get(call.reduction == 0 ? rowOf(i) : 0) * k;
    const double slope = call.gamma * p * row.entropy;
    const double value =
        (p * row.weights - wt) * row.focus - slope * (near - row.near);
    const double size =
        (p * row.weights + wt) * row.focus + slope * (near + row.near);
    const double later = 1 + (p * row.weights + wt + slope) * std::fabs(g);
    verdict.element(i, result.at(call.gradInput, index),
                    Bounded(value * g, units * (kUnit * size * std::fabs(g) +
                                                kTiny * later)),
                    result.tensor.dtype);
  });
}

void SoftmaxFocalTest::run(const Case &c, int32_t dtype, int turn,
                           bool isExact) {
  const int64_t reduction = turn % 3;
  const bool isWeighted = turn % 2;
  std::string name = std::string(nameOf(dtype)) + "/" + std::to_string(turn);
  for (int64_t extent : c.shape)
    name += "/" + std::to_string(extent);
  verdict.begin(name, isExact);
  Shape rows = c.shape;
  rows.erase(rows.begin() + 1);
  const lossgrad::Tensor dense = denseTensor(c.shape, dtype);
  lossgrad::Tensor strided = dense;
  if (!c.order.empty())
    relayout(strided, c.order, 1, 3);
  grad.make(denseTensor(reduction == 0 ? rows : Shape{}, dtype));
  pred.make(strided);
  target.make(dense);
  result.make(dense);
  if (isWeighted)
    weight.make(dense);
  // With these, logarithms and powers are 0 and 1, so that all worlds agree on
  // them: p is 1, or 0 where there is no label, and gamma is 1.
  for (int64_t i = 0; i < spanOf(strided); ++i)
    pred.set(i, isExact ? 1.0f : float(1 + verdict.engine() % 240) / 256);
  // A few labels per row, so that half holds the results.
  const unsigned labels = 2 + unsigned(c.shape[1]) / 8;
  for (int64_t i = 0; i < spanOf(dense); ++i) {
    const bool isLabel = verdict.engine() % labels == 0;
    target.set(i, isLabel ? float(1 + verdict.engine() % 3) / 2 : 0.0f);
  }
  for (int64_t i = 0; isWeighted && i < spanOf(dense); ++i)
    weight.set(i, float(1 + verdict.engine() % 16) / 8);
  for (int64_t i = 0; i < spanOf(grad.tensor); ++i)
    grad.set(i, verdict.number() / 16);
  if (isExact)
    forEachElement(dense, [&](int64_t, const int64_t *index) {
      if (verdict.engine() % 2 == 0)
        return;
      pred.set(addressOf(strided, dense, index), 0);
      target.set(addressOf(dense, dense, index), 0);
    });

  const SoftmaxFocalLossBackwardCall call = {
      grad.tensor,           pred.tensor, target.tensor, weight.tensor,
      isExact ? 1.0f : 2.0f, 0.25f,       reduction,     result.tensor};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<SoftmaxFocalLossBackwardTilingData>(1);
  if (!ComputeSoftmaxFocalLossBackwardTiling(
          call, {4, c.ubBytes, 192 << 20, 2201}, *tiling, chosen)) {
    verdict.fail(std::string("no tiling: ") + chosen.failure);
  } else {
    Operand workspace;
    workspace.make(denseTensor({int64_t(chosen.workspace) + 64}, U8));
    const int64_t broken = RUN_KERNEL(
        chosen.key, chosen.blocks, lossgrad_softmax_focal_loss_backward,
        grad.memory, pred.memory, target.memory, weight.memory, result.memory,
        workspace.memory, reinterpret_cast<uint8_t *>(tiling));
    verdict.ran(chosen.key, chosen.blocks, broken, c.ubBytes);
    compare(call, tiling->steps);
    verdict.checkRest(result);
    workspace.release();
  }
  verdict.end();
  for (Operand *operand : {&grad, &pred, &target, &weight, &result}) {
    operand->release();
    operand->tensor = lossgrad::Tensor();
  }
}

} // namespace

int main(int argc, char **) {
  SoftmaxFocalTest test(argc > 1);
  int turn = 0;
  for (const Case &c : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (bool isExact : {true, false})
        for (int further = 0; further < 2; ++further)
          test.run(c, dtype, turn++, isExact);
  return test.finish();
}
