//===- Differences.cpp - Gradients against differences --------------------===//

#include "passes/Derive/Differences.h"
#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "dialect/LossGrad/Interpreter/Random.h"
#include "llvm/Support/Error.h"
#include <cmath>

using namespace llvm;
using namespace lossgrad;
using mlir::Attribute;
using mlir::StringAttr;

namespace {

/// The terms of the objective, each an element of an output times its upstream
/// gradient, with the magnitudes that they were summed from.
struct Terms {
  std::vector<double> values, magnitudes;
};

/// A difference of two lists of terms, and what rounding may have made of it.
struct Difference {
  double value = 0, noise = 0;
  /// Terms that are not finite on either side, and so say nothing.
  bool isPartial = false;
};

class Comparison {
public:
  Comparison(OperatorOp backward, OperatorOp objective, const Call &call)
      : backward(backward), objective(objective), call(call) {}

  Expected<GradientCheck> run(unsigned perOutput, StringRef seed);

private:
  Error levelUpstream();
  Expected<Terms> evaluate();
  Error compareElement(const OutputTensor &gradient, StringRef input, size_t i,
                       double found);
  /// Whether a step says something; then the derivative and its error.
  Expected<std::optional<Difference>> differentiate(Element &x, double h);

  OperatorOp backward, objective;
  Call call;
  GradientCheck result;
};

} // namespace

/// Draws inputs of the forward that the backward lacks.
static Error complete(OperatorOp objective, Call &call, StringRef seed) {
  Random random(seed);
  for (ParamAttr param : objective.getInputs()) {
    StringRef name = param.getName();
    if (call.tensors.count(name))
      continue;
    Expected<Extents> shape =
        DimBinding(objective, call).getShape(param.getShape().getDims());
    if (!shape)
      return shape.takeError();
    Tensor tensor;
    tensor.shape = *shape;
    tensor.dtype = param.getKind() == Kind::Real   ? DType::Float32
                   : param.getKind() == Kind::Bool ? DType::Bool
                                                   : DType::Int64;
    tensor.elements.resize(getNumElements(tensor.shape));
    bool isFrozen = name.starts_with(kFrozenPrefix);
    for (Element &element : tensor.elements) {
      if (param.getKind() == Kind::Real)
        element.real = isFrozen ? 0 : random.uniform(-2, 2);
      else
        element.integer = random.below(2);
    }
    call.tensors[name] = std::move(tensor);
  }
  return Error::success();
}

Error lossgrad::computeSaved(OperatorOp objective, Call &call, StringRef seed) {
  if (Error error = complete(objective, call, seed))
    return error;
  // Frozen values may depend on one another.
  unsigned rounds = 1;
  for (ParamAttr param : objective.getInputs())
    rounds += param.getName().getValue().starts_with(kFrozenPrefix);
  for (unsigned round = 0; round < rounds; ++round) {
    auto outputs = interpret(objective, call);
    if (!outputs)
      return outputs.takeError();
    for (OutputTensor &output : *outputs) {
      StringRef name = output.name;
      if (!name.consume_front(kNowPrefix))
        continue;
      Tensor &tensor = call.tensors[name];
      if (!tensor.isNull)
        tensor.elements = std::move(output.elements);
    }
  }
  return Error::success();
}

/// Where the forward gives one number, its upstream gradient is one, too, even
/// if the backward takes a tensor.
Error Comparison::levelUpstream() {
  auto outputs = interpret(objective, call);
  if (!outputs)
    return outputs.takeError();
  const OutputTensor *value = nullptr;
  bool isLevel = true;
  for (const OutputTensor &output : *outputs) {
    StringRef name = output.name;
    if (name.starts_with(kOutputPrefix))
      value = &output;
    if (name.starts_with(kUpstreamPrefix) &&
        value->elements.size() < output.elements.size())
      isLevel &= all_of(output.elements, [&](const Element &element) {
        return element.real == output.elements[0].real;
      });
  }
  if (isLevel)
    return Error::success();
  for (Attribute name : objective.getUpstreamAttr()) {
    Tensor &tensor = call.tensors[cast<StringAttr>(name).getValue()];
    if (!tensor.isNull && tensor.elements.size() > 1)
      std::fill(tensor.elements.begin(), tensor.elements.end(),
                tensor.elements[0]);
  }
  // What is handed over was no upstream gradient.
  return computeSaved(objective, call, "");
}

Expected<Terms> Comparison::evaluate() {
  InterpreterOptions options;
  options.trackTerms = options.termsOfExponents = true;
  auto outputs = interpret(objective, call, options);
  if (!outputs)
    return outputs.takeError();
  Terms terms;
  const OutputTensor *value = nullptr;
  for (const OutputTensor &output : *outputs) {
    StringRef name = output.name;
    if (name.starts_with(kOutputPrefix))
      value = &output;
    if (!name.starts_with(kUpstreamPrefix))
      continue;
    bool isOne = value->elements.size() < output.elements.size();
    for (auto [i, by] : enumerate(output.elements)) {
      if (isOne && i > 0)
        break;
      terms.values.push_back(value->elements[i].real * by.real);
      terms.magnitudes.push_back(value->largestTerms[i] * std::abs(by.real));
    }
  }
  return terms;
}

/// Terms that the shift does not reach say nothing, not even as NaN.
static Difference subtract(const Terms &a, const Terms &b) {
  Difference difference;
  double squares = 0;
  for (auto [x, y, m, n] :
       zip(a.values, b.values, a.magnitudes, b.magnitudes)) {
    double largest = std::max(m, n);
    if (std::isfinite(largest))
      squares += largest * largest;
    if (!std::isfinite(x) && (x == y || std::isnan(y)))
      difference.isPartial = true;
    else if (x != y)
      difference.value += x - y;
  }
  difference.noise = 1e-15 * std::sqrt(squares);
  return difference;
}

/// The difference of the slopes on both sides grows with h, but for a kink.
/// What is left of it in the sum of all terms, or in one of them: kinks of
/// several terms may cancel, and the sum has no derivative still.
static double findKink(const Terms (&at)[5]) {
  double sum = 0, largest = 0;
  for (size_t i = 0; i < at[0].values.size(); ++i) {
    double middle = at[2].values[i];
    double bend = at[3].values[i] - 2 * middle + at[1].values[i],
           bend2 = at[4].values[i] - 2 * middle + at[0].values[i];
    double kink = bend2 / 2 - 2 * bend;
    // Terms that are not finite say nothing.
    if (!std::isfinite(kink))
      continue;
    sum += kink;
    largest = std::max(largest, std::abs(kink));
  }
  return std::max(std::abs(sum), largest);
}

Expected<std::optional<Difference>> Comparison::differentiate(Element &x,
                                                              double h) {
  double before = x.real;
  Terms at[5];
  for (int i = 0; i < 5; ++i) {
    x.real = before + (i - 2) * h;
    Expected<Terms> terms = evaluate();
    x.real = before;
    if (!terms)
      return terms.takeError();
    at[i] = std::move(*terms);
  }
  // What was added, which rounding makes another number than h.
  h = ((before + 2 * h) - (before - 2 * h)) / 4;
  Difference wide = subtract(at[4], at[0]), near = subtract(at[3], at[1]);
  double far = wide.value / (4 * h), close = near.value / (2 * h);
  double noise = (wide.noise + near.noise) / h;
  double kink = findKink(at) / h;
  bool isSmooth = std::isfinite(close) && std::isfinite(far) &&
                  std::isfinite(noise) &&
                  std::abs(far - close) <= 1e-4 * std::abs(close) + noise &&
                  kink <= 1e-4 * std::abs(close) + 4 * noise &&
                  noise <= 1e-3 * std::abs(close) + 1e-6;
  if (!isSmooth)
    return std::nullopt;
  // Exact to the fourth power of h where the forward is smooth. Where its
  // second derivative jumps, which is no kink (smooth L1 at beta), the value is
  // off by up to 2/3 of what the two differ by.
  double value = (4 * close - far) / 3;
  return Difference{value, noise + std::abs(far - close) + kink,
                    near.isPartial};
}

Error Comparison::compareElement(const OutputTensor &gradient, StringRef input,
                                 size_t i, double found) {
  Element &x = call.tensors[input].elements[i];
  double size = std::abs(x.real);
  for (double h : {1e-4 * std::max(1.0, size), 1e-3 * size}) {
    if (!std::isfinite(size) || h == 0)
      break;
    Expected<std::optional<Difference>> difference = differentiate(x, h);
    if (!difference)
      return difference.takeError();
    if (!*difference)
      continue;
    auto [value, noise, isPartial] = **difference;
    bool agrees =
        std::abs(found - value) <= 1e-6 * std::abs(value) + noise + 1e-12;
    // Outside of where the forward is defined, formulas may go on.
    if (!agrees && isPartial)
      break;
    ++result.compared;
    if (!agrees && !result.wrong)
      result.wrong = GradientCheck::Wrong{
          gradient.name, i, call.tensors[input].shape, found, value};
    return Error::success();
  }
  ++result.leftOut;
  return Error::success();
}

/// Where element `i` of the gradient goes in the input's shape; gradients in
/// the broadcast shape are summed there.
static size_t project(size_t i, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  size_t result = 0, stride = 1;
  for (size_t axis = 1; axis <= from.size(); ++axis) {
    int64_t extent = from[from.size() - axis], position = i % extent;
    i /= extent;
    if (axis > to.size())
      continue;
    int64_t own = to[to.size() - axis];
    result += (own == 1 ? 0 : position) * stride;
    stride *= own;
  }
  return result;
}

Expected<GradientCheck> Comparison::run(unsigned perOutput, StringRef seed) {
  if (Error error = computeSaved(objective, call, seed))
    return error;
  if (Error error = levelUpstream())
    return error;
  auto gradients = interpret(backward, call);
  if (!gradients)
    return gradients.takeError();
  mlir::DictionaryAttr inputs = objective.getGradientsAttr();
  Random random((seed + " elements").str());
  for (const OutputTensor &gradient : *gradients) {
    auto input = inputs.getAs<StringAttr>(gradient.name);
    Tensor &tensor = call.tensors[input.getValue()];
    size_t count = tensor.elements.size();
    std::vector<double> sums(count, 0);
    for (auto [i, element] : enumerate(gradient.elements))
      sums[project(i, gradient.shape, tensor.shape)] += element.real;
    for (unsigned n = 0; n < std::min<size_t>(perOutput, count); ++n) {
      size_t i = count <= perOutput ? n : random.below(count);
      if (Error error = compareElement(gradient, input.getValue(), i, sums[i]))
        return error;
    }
  }
  return result;
}

Expected<GradientCheck> lossgrad::compareWithDifferences(OperatorOp backward,
                                                         OperatorOp objective,
                                                         const Call &call,
                                                         unsigned perOutput,
                                                         StringRef seed) {
  return Comparison(backward, objective, call).run(perOutput, seed);
}
