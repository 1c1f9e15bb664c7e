// What value tests of the two NLL gradients share: images and rows differ in
// where the classes lie. Targets of all types hold classes, ignored ones and
// none at all. An operator is a struct with its call, its tiling data and
// functions for both.
#pragma once

#include "Verdict.h"

template <typename Operator> class NllTest {
public:
  NllTest(const char *what, bool isVerbose) : verdict(what, isVerbose) {}
  /// `classAxis` of `shape` are the classes; the strides of the result follow
  /// `order`, if there is one, with gaps everywhere where it has a type of its
  /// own.
  void run(const Shape &shape, size_t classAxis, int32_t dtype,
           int32_t resultType, int turn, const std::vector<int> &order);
  int finish(size_t fewestKeys) const { return verdict.finish(fewestKeys); }

private:
  static constexpr int64_t kUbBytes = 196352;

  Verdict verdict;
};

template <typename Operator>
void NllTest<Operator>::run(const Shape &shape, size_t classAxis, int32_t dtype,
                            int32_t resultType, int turn,
                            const std::vector<int> &order) {
  const int64_t reduction = turn % 3, classes = shape[classAxis];
  const int32_t targetTypes[] = {I64, I32, U8};
  const int32_t targetType = targetTypes[turn / 3 % 3];
  const int64_t ignoreIndex = turn % 2 ? classes / 2 : -100;
  std::string name = std::string(nameOf(dtype)) + "/" + std::to_string(turn);
  for (int64_t extent : shape)
    name += "/" + std::to_string(extent);
  verdict.begin(name, /*isExact=*/true);
  Shape places = shape;
  places.erase(places.begin() + classAxis);
  Operand grad, self, target, weight, total, out;
  grad.make(denseTensor(reduction == 0 ? places : Shape{}, dtype));
  self.make(denseTensor(shape, dtype));
  target.make(denseTensor(places, targetType));
  weight.make(denseTensor({classes}, dtype));
  total.make(denseTensor({1}, dtype));
  lossgrad::Tensor result = denseTensor(shape, resultType);
  if (!order.empty())
    relayout(result, order, resultType == dtype ? 1 : 2, 7);
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

  const typename Operator::Call call = {
      grad.tensor, self.tensor, target.tensor, weight.tensor,
      reduction,   ignoreIndex, total.tensor,  out.tensor};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<typename Operator::TilingData>(1);
  if (!Operator::plan(call, {4, kUbBytes, 192 << 20, 2201}, *tiling, chosen)) {
    verdict.fail(std::string("no tiling: ") + chosen.failure);
  } else {
    Operand workspace;
    workspace.make(denseTensor({int64_t(chosen.workspace) + 64}, U8));
    const int64_t broken =
        Operator::run(chosen, grad.memory, self.memory, target.memory,
                      weight.memory, total.memory, out.memory, workspace.memory,
                      reinterpret_cast<uint8_t *>(tiling));
    verdict.ran(chosen.key, chosen.blocks, broken, kUbBytes);
    forEachElement(out.tensor, [&](int64_t i, const int64_t *index) {
      int64_t place = 0;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (axis != classAxis)
          place = place * shape[axis] + index[axis];
      const int64_t t = classOf[place];
      const bool isHit = t == index[classAxis] && t != ignoreIndex;
      const double g = grad.get(reduction == 0 ? place : 0);
      verdict.element(
          i, out.at(out.tensor, index),
          isHit ? product(-weight.get(t) * g / (reduction == 1 ? 24 : 1))
                : Bounded(0),
          resultType);
    });
    verdict.checkRest(out);
    workspace.release();
  }
  verdict.end();
  for (Operand *operand : {&grad, &self, &target, &weight, &total, &out})
    operand->release();
}
