// KlDivBackward: values of all kernels, on the stand-in and on the vendor's
// headers. Where self is as large as the broadcast of both there is nothing to
// sum; where it is not, sums go along lanes or rows, over one core or all.
#include "Verdict.h"

#include "lossgrad_kl_div_backward_tiling.h"

namespace {

constexpr size_t kKeys = 32;
constexpr int64_t kUbBytes = 196352;

struct Case {
  Shape self, target;
  bool isTransposed = false; // the target, in memory
};

const Case shapes[] = {
    {{1000}, {1000}},
    {{37, 50}, {37, 50}},
    {{37, 50}, {37, 50}, true},
    {{6, 5, 40}, {5, 1}},
    // Sums along the lanes, of one core and of all.
    {{40, 1}, {40, 300}},
    {{7, 1, 1}, {7, 3, 33}},
    {{2, 1}, {2, 20000}},
    // Sums along the rows, the same.
    {{300}, {20, 300}},
    {{5, 1, 140}, {5, 9, 140}},
    {{50}, {3000, 50}},
    // Both, and neither axis whole.
    {{1, 6, 1}, {4, 6, 70}},
    {{3, 1, 20}, {1, 8, 20}},
};

class KlDivTest {
public:
  explicit KlDivTest(bool isVerbose) : verdict("KlDivBackward", isVerbose) {}
  void run(const Case &c, int32_t dtype, int turn, bool isExact);
  int finish() const { return verdict.finish(kKeys); }

private:
  Verdict verdict;
};

/// The shape of both together.
lossgrad::Tensor broadcastOf(const lossgrad::Tensor &a,
                             const lossgrad::Tensor &b) {
  Shape shape(std::max(a.rank, b.rank), 1);
  for (const lossgrad::Tensor *tensor : {&a, &b})
    for (int i = 0; i < tensor->rank; ++i) {
      int64_t &extent = shape[shape.size() - tensor->rank + i];
      extent = std::max(extent, tensor->extents[i]);
    }
  return denseTensor(shape, F32);
}

void KlDivTest::run(const Case &c, int32_t dtype, int turn, bool isExact) {
  const int64_t reduction = turn / 4 % 4;
  const bool isLog = turn % 2, isSingle = turn / 2 % 2;
  verdict.begin(std::string(nameOf(dtype)) + "/" + std::to_string(turn),
                isExact || !isLog);
  Operand grad, self, target, out;
  self.make(denseTensor(c.self, dtype));
  lossgrad::Tensor given = denseTensor(c.target, dtype);
  if (c.isTransposed)
    relayout(given, {0, 1}, 1, 3);
  target.make(given);
  const lossgrad::Tensor both = broadcastOf(self.tensor, target.tensor);
  lossgrad::Tensor upstream = both;
  upstream.dtype = dtype;
  grad.make(isSingle ? denseTensor({1}, dtype) : upstream);
  out.make(denseTensor(c.self, dtype));
  for (int64_t i = 0; i < spanOf(grad.tensor); ++i)
    grad.set(i, verdict.number() / 64); // sums fit float16
  for (int64_t i = 0; i < spanOf(target.tensor); ++i)
    target.set(i, isLog ? verdict.logarithm(isExact) : verdict.number());

  const KlDivBackwardCall call = {grad.tensor, self.tensor, target.tensor,
                                  reduction,   isLog,       out.tensor};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<KlDivBackwardTilingData>(1);
  if (!ComputeKlDivBackwardTiling(call, {4, kUbBytes, 192 << 20, 2201}, *tiling,
                                  chosen)) {
    verdict.fail(std::string("no tiling: ") + chosen.failure);
  } else {
    Operand workspace;
    workspace.make(denseTensor({int64_t(chosen.workspace) + 64}, U8));
    std::memset(workspace.memory, 0, workspace.bytes());
    const int64_t broken =
        RUN_KERNEL(chosen.key, chosen.blocks, lossgrad_kl_div_backward,
                   grad.memory, self.memory, target.memory, out.memory,
                   workspace.memory, reinterpret_cast<uint8_t *>(tiling));
    verdict.ran(chosen.key, chosen.blocks, broken, kUbBytes);
    const double k = reduction == 1   ? 1.0 / double(both.Numel())
                     : reduction == 3 ? 1.0 / double(both.extents[0])
                                      : 1.0;
    // Of each result: the sum, the sum of sizes, and the errors of its terms.
    const size_t results = size_t(out.tensor.Numel());
    std::vector<double> sums(results), sizes(results), errors(results);
    forEachElement(both, [&](int64_t, const int64_t *index) {
      const Bounded q = isLog ? monotone(
                                    target.at(both, index),
                                    [](double x) { return std::exp(x); }, 4)
                              : Bounded(target.at(both, index));
      const Bounded term = q * product(-k * grad.at(both, index));
      const size_t at = size_t(addressOf(out.tensor, both, index));
      sums[at] += term.value;
      sizes[at] += std::fabs(term.value);
      errors[at] += term.error;
    });
    const double terms = double(both.Numel()) / double(results);
    for (size_t i = 0; i < results; ++i)
      verdict.element(
          int64_t(i), out.get(int64_t(i)),
          Bounded(sums[i], errors[i] + (terms - 1) * kUnit * sizes[i]), dtype);
    verdict.checkRest(out);
    workspace.release();
  }
  verdict.end();
  for (Operand *operand : {&grad, &self, &target, &out})
    operand->release();
}

} // namespace

int main(int argc, char **) {
  KlDivTest test(argc > 1);
  int turn = 0;
  for (const Case &c : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (int further = 0; further < 4; ++further, ++turn)
        test.run(c, dtype, turn, /*isExact=*/turn % 3 != 0);
  return test.finish();
}
