// The emitted kernels of SmoothL1LossBackward on the stand-in, with the tiling
// of the emitted tiling function, against the formula in float64: element types
// in all combinations, broadcast in any of eight axes, single elements, strides,
// tails, NaN and infinities, every kind of beta. Nothing next to an output
// element may change. Exit status is 0 only if every case is right.
#include "tikicpulib.h"

#include "lossgrad_smooth_l1_loss_backward.cpp"
#include "lossgrad_smooth_l1_loss_backward_tiling.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using lossgrad::Tensor;
using Shape = std::vector<int64_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::mt19937 engine(7);
std::set<uint64_t> keysSeen;
int cases = 0, wrongCases = 0;
double worstUlp[3] = {};

//===- Element types ------------------------------------------------------===//

size_t sizeOf(int dtype) { return dtype == 0 ? 4 : 2; }

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float load(const uint8_t *memory, int64_t index, int dtype) {
  if (dtype == 0) {
    float value;
    std::memcpy(&value, memory + index * 4, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, memory + index * 2, 2);
  if (dtype == 2)
    return fromBits(uint32_t(bits) << 16);
  const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return fromBits(sign | 0x7F800000 | mantissa << 13);
  const float size = exponent == 0 ? std::ldexp(float(mantissa), -24)
                                   : std::ldexp(float(mantissa | 1024), int(exponent) - 25);
  return sign ? -size : size;
}

/// Inputs are made of values that the type holds exactly.
void store(uint8_t *memory, int64_t index, int dtype, float value) {
  if (dtype == 0) {
    std::memcpy(memory + index * 4, &value, 4);
    return;
  }
  uint16_t bits;
  if (dtype == 2 || std::isnan(value)) {
    bits = dtype == 2 ? uint16_t(bitsOf(value) >> 16 | (std::isnan(value) ? 64 : 0)) : 0x7E00;
  } else {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (size > 65504)
      bits = sign | 0x7C00;
    else if (size < 6.103515625e-05f)
      bits = uint16_t(sign | uint16_t(std::nearbyint(std::ldexp(size, 24))));
    else {
      int exponent;
      const float fraction = std::frexp(size, &exponent);
      const int mantissa = int(std::ldexp(fraction, 11)) & 1023;
      bits = uint16_t(sign | (exponent + 14) << 10 | mantissa);
    }
  }
  std::memcpy(memory + index * 2, &bits, 2);
}

/// The distance of two numbers next to `value` in the type.
double ulp(double value, int dtype) {
  const int digits = dtype == 0 ? 24 : dtype == 1 ? 11 : 8;
  const int least = dtype == 1 ? -24 : dtype == 0 ? -149 : -133;
  int exponent;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent - digits, least));
}

double largest(int dtype) { return dtype == 1 ? 65504.0 : dtype == 0 ? 3.4028234663852886e38 : 3.3895313892515355e38; }

//===- Tensors ------------------------------------------------------------===//

struct Operand {
  Tensor tensor = Tensor();
  uint8_t *memory = nullptr;
  int64_t span = 0; // elements of memory

  void allocate() {
    span = 1;
    for (int i = 0; i < tensor.rank; ++i)
      span += (tensor.extents[i] - 1) * tensor.strides[i];
    if (tensor.Numel() == 0)
      span = 0;
    memory = static_cast<uint8_t *>(AscendC::GmAlloc(size_t(span) * sizeOf(tensor.dtype) + 64));
  }
  void release() { AscendC::GmFree(memory); }
  int64_t address(const Tensor &output, const int64_t *index) const {
    int64_t at = 0;
    for (int i = 0; i < tensor.rank; ++i)
      at += (tensor.extents[i] == 1 ? 0 : index[output.rank - tensor.rank + i]) * tensor.strides[i];
    return at;
  }
};

Operand dense(const Shape &shape, int dtype) {
  Operand operand;
  operand.tensor.present = true;
  operand.tensor.dtype = dtype;
  operand.tensor.rank = int(shape.size());
  int64_t stride = 1;
  for (int i = int(shape.size()) - 1; i >= 0; --i) {
    operand.tensor.extents[i] = shape[i];
    operand.tensor.strides[i] = stride;
    stride *= shape[i];
  }
  return operand;
}

/// Axes from the innermost in memory outwards, with a step and padding.
void relayout(Operand &operand, const std::vector<int> &order, int64_t step, int64_t padding) {
  int64_t stride = step;
  for (int axis : order) {
    operand.tensor.strides[axis] = stride;
    stride = stride * operand.tensor.extents[axis] + padding;
  }
}

//===- A case -------------------------------------------------------------===//

struct Case {
  std::string name;
  Operand gradOut, self, target, gradInput;
  int64_t reduction = 0;
  float beta = 1;
  bool special = false; // NaN, infinities, zeros among the values
  int64_t cores = 48, ubBytes = 196352;
};

float randomValue(int dtype, bool special) {
  static const float specials[] = {kNaN, kInf, -kInf, 0.0f, -0.0f, 1.0f, -1.0f, 0.5f};
  if (special && engine() % 4 == 0)
    return specials[engine() % 8];
  const float coarse = float(int(engine() % 2049) - 1024) / 256; // held by every type but bfloat16
  if (dtype == 2)
    return fromBits(bitsOf(coarse) & 0xFFFF0000);
  return dtype == 1 ? coarse : coarse + float(engine() % 1000) * 1e-5f;
}

double reference(const Case &c, double g, double self, double target) {
  const double x = self - target, b = c.beta;
  const double k = c.reduction == 1 ? 1.0 / double(c.self.tensor.Numel()) : 1.0;
  double d;
  if (std::isnan(x))
    d = x;
  else if (b > 0)
    d = std::fabs(x) < b ? x / b : std::isinf(b) ? x / b : std::copysign(1.0, x);
  else
    d = x > 0 ? 1 : x < 0 ? -1 : 0;
  return d * g * k;
}

/// `slack`: what a subnormal intermediate result may lose, times gradOut.
/// Four roundings of half a unit each (difference, coefficient, two products),
/// which is up to 4 units of a result whose mantissa is near 1.
bool isRight(double wanted, float got, int dtype, double slack) {
  if (std::isnan(wanted))
    return std::isnan(got);
  const double most = largest(dtype);
  if (std::isinf(wanted) || std::fabs(wanted) > most + ulp(most, dtype) / 2)
    return std::isinf(got) && std::signbit(wanted) == std::signbit(got);
  if (std::isinf(got))
    return std::fabs(wanted) >= most;
  const double error = std::max(0.0, std::fabs(wanted - got) - slack) / ulp(wanted, dtype);
  worstUlp[dtype] = std::max(worstUlp[dtype], error);
  return error <= (dtype == 0 ? 3.0 : 0.51);
}

void run(Case c) {
  Operand *operands[] = {&c.gradOut, &c.self, &c.target, &c.gradInput};
  for (Operand *operand : operands) {
    operand->allocate();
    if (operand != &c.gradInput)
      for (int64_t i = 0; i < operand->span; ++i)
        store(operand->memory, i, operand->tensor.dtype, randomValue(operand->tensor.dtype, c.special));
  }
  const Tensor &output = c.gradInput.tensor;
  const size_t outputBytes = size_t(c.gradInput.span) * sizeOf(output.dtype) + 64;
  std::memset(c.gradInput.memory, 0x5A, outputBytes);
  std::vector<uint8_t> before(c.gradInput.memory, c.gradInput.memory + outputBytes);

  SmoothL1LossBackwardCall call = {c.gradOut.tensor, c.self.tensor, c.target.tensor, c.reduction, c.beta, output};
  lossgrad::Platform platform = {c.cores, c.ubBytes, 192 << 20};
  lossgrad::Launch launch = lossgrad::Launch();
  auto *tiling = static_cast<SmoothL1LossBackwardTilingData *>(
      AscendC::GmAlloc(sizeof(SmoothL1LossBackwardTilingData)));
  ++cases;
  if (!ComputeSmoothL1LossBackwardTiling(call, platform, *tiling, launch)) {
    std::printf("%s: no tiling: %s\n", c.name.c_str(), launch.failure);
    ++wrongCases;
    return;
  }
  keysSeen.insert(launch.key);
  auto *workspace = static_cast<uint8_t *>(AscendC::GmAlloc(64));
  ICPU_SET_TILING_KEY(launch.key);
  ICPU_RUN_KF(lossgrad_smooth_l1_loss_backward, launch.blocks, c.gradOut.memory, c.self.memory, c.target.memory,
              c.gradInput.memory, workspace, reinterpret_cast<uint8_t *>(tiling));

  int64_t wrong = 0;
  int64_t index[8] = {};
  for (int64_t i = 0; i < output.Numel(); ++i) {
    int64_t rest = i;
    for (int axis = output.rank - 1; axis >= 0; --axis) {
      index[axis] = rest % output.extents[axis];
      rest /= output.extents[axis];
    }
    auto value = [&](const Operand &operand) {
      return load(operand.memory, operand.address(output, index), operand.tensor.dtype);
    };
    const int64_t at = c.gradInput.address(output, index);
    const float got = value(c.gradInput);
    const double wanted = reference(c, value(c.gradOut), value(c.self), value(c.target));
    const double slack = std::fabs(value(c.gradOut)) * 0x1p-149;
    if (!isRight(wanted, got, output.dtype, slack) && ++wrong <= 3)
      std::printf("%s: element %ld is %.9g, expected %.9g (self %g, target %g, gradOut %g, key %lu)\n",
                  c.name.c_str(), long(i), got, wanted, value(c.self), value(c.target), value(c.gradOut),
                  (unsigned long)launch.key);
    std::memcpy(before.data() + at * sizeOf(output.dtype), c.gradInput.memory + at * sizeOf(output.dtype),
                sizeOf(output.dtype));
  }
  if (std::memcmp(before.data(), c.gradInput.memory, outputBytes) != 0) {
    std::printf("%s: bytes beside the output changed\n", c.name.c_str());
    ++wrong;
  }
  wrongCases += wrong != 0;
  for (Operand *operand : operands)
    operand->release();
  AscendC::GmFree(tiling);
  AscendC::GmFree(workspace);
}

Case equalShapes(const std::string &name, const Shape &shape, int dtype) {
  Case c;
  c.name = name;
  c.gradOut = dense(shape, dtype);
  c.self = dense(shape, dtype);
  c.target = dense(shape, dtype);
  c.gradInput = dense(shape, dtype);
  return c;
}

//===- Groups of cases ----------------------------------------------------===//

const char *dtypeName(int dtype) { return dtype == 0 ? "f32" : dtype == 1 ? "f16" : "bf16"; }

void tails() {
  for (int dtype = 0; dtype < 3; ++dtype)
    for (int64_t n : {1, 7, 8, 31, 32, 33, 255, 256, 257, 513, 1021, 4607, 4608, 4609, 65537, 300007})
      for (bool single : {false, true}) {
        Case c = equalShapes("tail " + std::to_string(n) + " " + dtypeName(dtype), {n}, dtype);
        if (single)
          c.gradOut = dense({}, dtype);
        c.reduction = single ? 1 : 0;
        run(c);
      }
  Case empty = equalShapes("empty", {4, 0, 3}, 0);
  run(empty);
}

void dtypes() {
  for (int code = 0; code < 81; ++code)
    for (int shape = 0; shape < 3; ++shape) {
      Case c = equalShapes("dtypes " + std::to_string(code), {5, 77}, 0);
      if (shape == 1)
        c.gradOut = dense({}, 0);
      if (shape == 2)
        c.gradOut = dense({5, 1}, 0), c.target = dense({77}, 0);
      c.gradOut.tensor.dtype = code % 3;
      c.self.tensor.dtype = code / 3 % 3;
      c.target.tensor.dtype = code / 9 % 3;
      c.gradInput.tensor.dtype = code / 27;
      c.reduction = code % 3;
      c.special = code % 2 == 1;
      run(c);
    }
}

/// Both kinds of coefficient with all kinds of types and schedules.
void kernels() {
  for (float beta : {1.0f, 0.0f})
    for (int dtype = 0; dtype < 4; ++dtype)
      for (bool single : {false, true})
        for (bool broadcast : {false, true}) {
          Case c = equalShapes("kernels", {9, 333}, dtype % 3);
          if (dtype == 3)
            c.target.tensor.dtype = 1;
          if (single)
            c.gradOut = dense({1}, c.self.tensor.dtype);
          if (broadcast)
            c.target = dense({9, 1}, c.target.tensor.dtype);
          c.beta = beta;
          c.special = true;
          run(c);
        }
}

void betas() {
  for (float beta : {0.0f, 1e-45f, 1e-40f, 1e-38f, 1e-7f, 0.007f, 0.5f, 1.0f, 41.0f, 1e30f, 3e38f, kInf})
    for (int64_t reduction : {0, 1})
      for (bool single : {false, true}) {
        Case c = equalShapes("beta " + std::to_string(beta), {3, 1001}, 0);
        if (single)
          c.gradOut = dense({1}, 0);
        c.beta = beta;
        c.reduction = reduction;
        run(c);
        c.special = true;
        run(c);
      }
}

void broadcasts() {
  // Each input in turn lacks each of eight axes, or some of them.
  for (int which = 0; which < 3; ++which)
    for (int mask = 0; mask < 256; mask += which == 1 ? 1 : 5) {
      const Shape full = {2, 3, 2, 2, 3, 2, 2, 5};
      Shape part = full;
      for (int axis = 0; axis < 8; ++axis)
        if (mask >> axis & 1)
          part[axis] = 1;
      Case c = equalShapes("broadcast " + std::to_string(which) + " " + std::to_string(mask), full, mask % 3);
      Operand *inputs[] = {&c.gradOut, &c.self, &c.target};
      *inputs[which] = dense(part, mask % 3);
      c.cores = 1 + mask % 48;
      run(c);
    }
  for (auto [rows, lanes] : {std::pair<int64_t, int64_t>{2048, 48}, {7, 5000}, {1000, 3}, {300, 301}, {1, 20000}})
    for (int dtype = 0; dtype < 3; ++dtype) {
      Case c = equalShapes("rows and lanes " + std::to_string(rows), {rows, lanes}, dtype);
      c.gradOut = dense({rows, 1}, dtype);
      c.target = dense({lanes}, dtype);
      c.reduction = 1;
      run(c);
      c.gradOut = dense({1}, dtype);
      c.self = dense({1}, dtype);
      run(c);
    }
}

void strides() {
  for (int dtype = 0; dtype < 3; ++dtype) {
    for (int which = 0; which < 4; ++which) {
      auto of = [&](Case &c) {
        Operand *operands[] = {&c.gradOut, &c.self, &c.target, &c.gradInput};
        return operands[which];
      };
      const std::string tag = std::to_string(which) + " " + dtypeName(dtype);
      Case transposed = equalShapes("transposed " + tag, {70, 131}, dtype);
      relayout(*of(transposed), {0, 1}, 1, 0);
      run(transposed);
      Case padded = equalShapes("padded rows " + tag, {70, 131}, dtype);
      relayout(*of(padded), {1, 0}, 1, 13);
      run(padded);
      Case stepped = equalShapes("stepped " + tag, {70, 131}, dtype);
      relayout(*of(stepped), {1, 0}, 3, 0);
      run(stepped);
      Case column = equalShapes("strided column " + tag, {300, 40}, dtype);
      if (which < 3) {
        *of(column) = dense({300, 1}, dtype);
        of(column)->tensor.strides[0] = 7;
        run(column);
      }
    }
    Case all = equalShapes(std::string("all transposed ") + dtypeName(dtype), {64, 65}, dtype);
    for (Operand *operand : {&all.gradOut, &all.self, &all.target, &all.gradInput})
      relayout(*operand, {0, 1}, 1, 0);
    run(all);
  }
}

void smallMemory() {
  for (int64_t ub : {48, 64, 100, 192})
    for (int64_t cores : {1, 3, 40}) {
      Case c = equalShapes("small UB", {33, 1025}, 0);
      c.ubBytes = ub * 1024 - 256;
      c.cores = cores;
      run(c);
      c.target = dense({1025}, 0);
      run(c);
    }
}

} // namespace

int main() {
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  tails();
  dtypes();
  betas();
  kernels();
  broadcasts();
  strides();
  smallMemory();
  std::printf("%d cases, %d wrong; %zu keys used; worst error in ulp: f32 %.3f, f16 %.3f, bf16 %.3f\n", cases,
              wrongCases, keysSeen.size(), worstUlp[0], worstUlp[1], worstUlp[2]);
  return wrongCases == 0 && keysSeen.size() == 20 ? 0 : 1;
}
