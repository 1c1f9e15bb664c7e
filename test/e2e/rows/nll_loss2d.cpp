// NLLLoss2dBackward: values of all kernels, on the stand-in and on the vendor's
// headers. Images of one pixel, of less and more than a block, and of many;
// targets of all types hold classes, ignored ones and none at all.
#include "Verdict.h"

#include "lossgrad_nll_loss2d_backward_tiling.h"

namespace {

constexpr size_t kKeys = 11;
constexpr int64_t kUbBytes = 196352;

const Shape shapes[] = {{5, 3, 1, 1},    {40, 17, 1, 1},  {2, 1, 3, 5},
                        {3, 21, 4, 4},   {1, 4, 33, 31},  {2, 300, 8, 8},
                        {2, 19, 40, 65}, {1, 2, 1, 20000}};

class NllTest {
public:
  explicit NllTest(bool isVerbose) : verdict("NLLLoss2dBackward", isVerbose) {}
  void run(const Shape &shape, int32_t dtype, int turn, bool isStrided);
  int finish() const { return verdict.finish(kKeys); }

private:
  Verdict verdict;
};

void NllTest::run(const Shape &shape, int32_t dtype, int turn, bool isStrided) {
  const int64_t reduction = turn % 3, classes = shape[1];
  const int32_t targetTypes[] = {I64, I32, U8};
  const int32_t targetType = targetTypes[turn / 3 % 3];
  const int64_t ignoreIndex = turn % 2 ? classes / 2 : -100;
  std::string name = std::string(nameOf(dtype)) + "/" + std::to_string(turn);
  for (int64_t extent : shape)
    name += "/" + std::to_string(extent);
  verdict.begin(name, /*isExact=*/true);
  const Shape pixels = {shape[0], shape[2], shape[3]};
  Operand grad, self, target, weight, total, out;
  grad.make(denseTensor(reduction == 0 ? pixels : Shape{}, dtype));
  self.make(denseTensor(shape, dtype));
  target.make(denseTensor(pixels, targetType));
  weight.make(denseTensor({classes}, dtype));
  total.make(denseTensor({1}, dtype));
  lossgrad::Tensor result = denseTensor(shape, dtype);
  if (isStrided && turn % 8 == 3) // classes innermost
    relayout(result, {1, 3, 2, 0}, 1, 7);
  else if (isStrided)
    relayout(result, {3, 2, 1, 0}, 1, 7);
  out.make(result);
  for (int64_t i = 0; i < spanOf(grad.tensor); ++i)
    grad.set(i, verdict.number());
  for (int64_t i = 0; i < classes; ++i)
    weight.set(i, float(1 + verdict.engine() % 16) / 8);
  total.set(0, 24);
  std::vector<int64_t> classOf;
  for (int64_t i = 0; i < spanOf(target.tensor); ++i) {
    const int64_t others[] = {-1, -100, classes, 1 << 30};
    const bool isOther = verdict.engine() % 4 == 0;
    int64_t value = isOther ? others[verdict.engine() % 4]
                            : int64_t(verdict.engine() % classes);
    if (targetType == U8)
      value = value & 255;
    target.setInt(i, value);
    classOf.push_back(value);
  }

  const NLLLoss2dBackwardCall call = {grad.tensor,   self.tensor, target.tensor,
                                      weight.tensor, reduction,   ignoreIndex,
                                      total.tensor,  out.tensor};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<NLLLoss2dBackwardTilingData>(1);
  if (!ComputeNLLLoss2dBackwardTiling(call, {4, kUbBytes, 192 << 20, 2201},
                                      *tiling, chosen)) {
    verdict.fail(std::string("no tiling: ") + chosen.failure);
  } else {
    Operand workspace;
    workspace.make(denseTensor({int64_t(chosen.workspace) + 64}, U8));
    const int64_t broken = RUN_KERNEL(
        chosen.key, chosen.blocks, lossgrad_nll_loss2d_backward, grad.memory,
        self.memory, target.memory, weight.memory, total.memory, out.memory,
        workspace.memory, reinterpret_cast<uint8_t *>(tiling));
    verdict.ran(chosen.key, chosen.blocks, broken, kUbBytes);
    forEachElement(out.tensor, [&](int64_t i, const int64_t *index) {
      const int64_t pixel =
          (index[0] * shape[2] + index[2]) * shape[3] + index[3];
      const int64_t t = classOf[pixel];
      const bool isHit = t == index[1] && t != ignoreIndex;
      const double g = grad.get(reduction == 0 ? pixel : 0);
      verdict.element(
          i, out.at(out.tensor, index),
          isHit ? product(-weight.get(t) * g / (reduction == 1 ? 24 : 1))
                : Bounded(0),
          dtype);
    });
    verdict.checkRest(out);
    workspace.release();
  }
  verdict.end();
  for (Operand *operand : {&grad, &self, &target, &weight, &total, &out})
    operand->release();
}

} // namespace

int main(int argc, char **) {
  NllTest test(argc > 1);
  int turn = 0;
  for (const Shape &shape : shapes)
    for (int32_t dtype : {F32, F16, BF16})
      for (int further = 0; further < 4; ++further)
        test.run(shape, dtype, turn++, /*isStrided=*/further == 3);
  return test.finish();
}
