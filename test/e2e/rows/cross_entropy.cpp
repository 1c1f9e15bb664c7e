// CrossEntropyLossGrad: values of all kernels, on the stand-in and on the
// vendor's headers. Shapes are chosen for the kernels; targets
// are classes, ignored or none; reductions, weights, label smoothing and z-loss
// go by turns.
#include "Verdict.h"

#include "lossgrad_cross_entropy_loss_grad_tiling.h"

namespace {

constexpr size_t kKeys = 14;
constexpr int64_t kUbBytes = 196352;

struct Case {
  int64_t rows, classes;
  bool isTransposed = false;
};

const Case shapes[] = {
    // Whole rows in a tile: one class, few, around blocks and repeats.
    {7, 1},
    {300, 5},
    {37, 100},
    {5, 64},
    {9, 513},
    {6, 1000},
    {3, 2400},
    // More rows than each core counts by itself, and than a group has.
    {4500, 3},
    {2100, 40},
    // Rows one by one: several in a tile, several tiles, fewer than cores.
    {4, 9001},
    {2, 20000},
    {9, 4096},
    {70, 9001},
    {300, 600},
    // Strides.
    {40, 50, true},
};

class CrossEntropyTest {
public:
  explicit CrossEntropyTest(bool isVerbose)
      : verdict("CrossEntropyLossGrad", isVerbose) {}
  void run(const Case &c, int32_t dtype, int turn, bool isExact);
  int finish() const { return verdict.finish(kKeys); }

private:
  void compare(const CrossEntropyLossGradCall &call);

  Verdict verdict;
  Operand grad, logProb, target, weight, gradZ, lse, out;
  std::vector<int64_t> classOf;
};

/// The formula of the record in float64, with the error of a float32
/// computation. Sums of weights are exact.
void CrossEntropyTest::compare(const CrossEntropyLossGradCall &call) {
  const int64_t rows = call.out.extents[0], classes = call.out.extents[1];
  const bool isMean = call.reductionOptional == 1;
  const auto weightOf = [&](int64_t c) {
    return weight.memory ? double(weight.get(c)) : 1.0;
  };
  const auto isValid = [&](int64_t t) {
    return t != call.ignoreIndex && t >= 0 && t < classes;
  };
  double weightSum = 0, count = 0, allWeights = 0;
  for (int64_t t : classOf)
    if (isValid(t)) {
      weightSum += weightOf(t);
      count += 1;
    }
  for (int64_t c = 0; c < classes; ++c)
    allWeights += weightOf(c);
  if (!isMean)
    weightSum = count = 1;
  const double smoothing = call.labelSmoothing;
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t t = classOf[n];
    const bool perRow = call.reductionOptional == 0;
    const double g = grad.get(perRow ? n : 0);
    const Bounded nll =
        isValid(t) ? product(g * (1 - smoothing) * weightOf(t) / weightSum)
                   : Bounded(0);
    const Bounded smooth = product(g * smoothing / double(classes) / weightSum);
    Bounded rowScale = nll + smooth * Bounded(allWeights);
    if (call.lseSquareScaleForZloss != 0 && isValid(t))
      rowScale = rowScale +
                 product(2 * call.lseSquareScaleForZloss * lse.get(n) / count) *
                     (Bounded(g) + Bounded(gradZ.get(perRow ? n : 0)));
    for (int64_t c = 0; c < classes; ++c) {
      const int64_t index[] = {n, c};
      const Bounded power = monotone(
          logProb.at(call.out, index), [](double x) { return std::exp(x); }, 4);
      const Bounded wanted = isValid(t) ? power * rowScale -
                                              smooth * Bounded(weightOf(c)) -
                                              (c == t ? nll : Bounded(0))
                                        : Bounded(0);
      verdict.element(n * classes + c, out.get(n * classes + c), wanted,
                      out.tensor.dtype);
    }
  }
}

void CrossEntropyTest::run(const Case &c, int32_t dtype, int turn,
                           bool isExact) {
  const int64_t reduction = turn % 3;
  const bool isWeighted = turn % 2, hasZloss = turn % 5 == 4;
  const int64_t ignoreIndex = turn % 4 == 2 ? c.classes / 2 : -100;
  verdict.begin(std::string(nameOf(dtype)) + "/" + std::to_string(c.rows) +
                    "/" + std::to_string(c.classes) + "/" +
                    std::to_string(turn),
                isExact);
  const Shape perRow = reduction == 0 ? Shape{c.rows} : Shape{};
  grad.make(denseTensor(perRow, dtype));
  lossgrad::Tensor input = denseTensor({c.rows, c.classes}, dtype);
  if (c.isTransposed)
    relayout(input, {0, 1}, 1, 3);
  logProb.make(input);
  target.make(denseTensor({c.rows}, I64));
  out.make(denseTensor({c.rows, c.classes}, dtype));
  if (isWeighted)
    weight.make(denseTensor({c.classes}, F32));
  if (hasZloss) {
    gradZ.make(denseTensor(perRow, dtype));
    lse.make(denseTensor({c.rows}, dtype));
  }
  for (Operand *operand : {&grad, &gradZ, &lse})
    for (int64_t i = 0; operand->memory && i < spanOf(operand->tensor); ++i)
      operand->set(i, verdict.number());
  for (int64_t i = 0; i < spanOf(logProb.tensor); ++i)
    logProb.set(i, verdict.logarithm(isExact));
  for (int64_t i = 0; isWeighted && i < c.classes; ++i)
    weight.set(i, float(1 + verdict.engine() % 16) / 8);
  classOf.clear();
  for (int64_t n = 0; n < c.rows; ++n) {
    const int64_t others[] = {-100, -1, c.classes, INT64_MIN,
                              (int64_t(1) << 32) + 1};
    const bool isOther = n > 0 && verdict.engine() % 4 == 0;
    classOf.push_back(isOther ? others[verdict.engine() % 5]
                              : int64_t(verdict.engine() % c.classes));
    target.setInt(n, classOf.back());
  }

  const CrossEntropyLossGradCall call = {grad.tensor,
                                         logProb.tensor,
                                         target.tensor,
                                         weight.tensor,
                                         gradZ.tensor,
                                         lse.tensor,
                                         reduction,
                                         ignoreIndex,
                                         turn % 7 < 2 ? 0.25 : 0.0,
                                         hasZloss ? 0.5 : 0.0,
                                         out.tensor};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<CrossEntropyLossGradTilingData>(1);
  if (!ComputeCrossEntropyLossGradTiling(call, {4, kUbBytes, 192 << 20, 2201},
                                         *tiling, chosen)) {
    verdict.fail(std::string("no tiling: ") + chosen.failure);
  } else {
    Operand workspace;
    workspace.make(denseTensor({int64_t(chosen.workspace) + 64}, U8));
    std::memset(workspace.memory, 0, workspace.bytes());
    const int64_t broken =
        RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_cross_entropy_loss_grad,
                   grad.memory, logProb.memory, target.memory, weight.memory,
                   gradZ.memory, lse.memory, out.memory, workspace.memory,
                   reinterpret_cast<uint8_t *>(tiling));
    verdict.ran(chosen.key, chosen.blocks, broken, kUbBytes);
    compare(call);
    verdict.checkRest(out);
    workspace.release();
  }
  verdict.end();
  for (Operand *operand :
       {&grad, &logProb, &target, &weight, &gradZ, &lse, &out}) {
    operand->release();
    operand->tensor = lossgrad::Tensor();
  }
}

} // namespace

int main(int argc, char **) {
  CrossEntropyTest test(argc > 1);
  int turn = 0;
  for (const Case &c : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (bool isExact : {true, false})
        for (int further = 0; further < 3; ++further)
          test.run(c, dtype, turn++, isExact);
  return test.finish();
}
