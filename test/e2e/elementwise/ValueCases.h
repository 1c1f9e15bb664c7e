// The cases that every elementwise operator must pass: tails, element types in
// all combinations, broadcast of any input in any of eight axes, single
// elements, strides, little memory, few cores. The first input is the upstream
// gradient, the second is self; each group goes round all inputs.
#pragma once

#include "ValueTest.h"

template <typename Operator> class ValueCases : public ValueTest<Operator> {
public:
  using ValueTest<Operator>::run;

  void all() {
    tails();
    dtypes();
    kernels();
    broadcasts();
    strides();
    smallMemory();
    randomCalls(300);
  }

  /// All tensors dense and of one shape and type; optional inputs are there
  /// and absent in turn.
  Case equalShapes(const std::string &name, const Shape &shape, int dtype) {
    Case c;
    c.name = name;
    ++made;
    int optional = 0;
    for (int t = 0; t < kInputs; ++t) {
      c.inputs.push_back(denseTensor(shape, dtype));
      if (Operator::kOptional[t])
        c.inputs[t].present = made >> optional++ & 1;
    }
    c.output = denseTensor(shape, dtype);
    return c;
  }

  /// Gives an input another shape; an absent one stays absent.
  static void reshape(Case &c, int input, const Shape &shape) {
    const bool present = c.inputs[input].present;
    c.inputs[input] = denseTensor(shape, c.inputs[input].dtype);
    c.inputs[input].present = present;
  }

private:
  static constexpr int kInputs = Operator::kInputs;
  int made = 0;

  lossgrad::Tensor &tensor(Case &c, int which) {
    return which < kInputs ? c.inputs[which] : c.output;
  }

  void tails() {
    for (int dtype = F32; dtype <= BF16; ++dtype)
      for (int64_t n : {1, 7, 8, 31, 32, 33, 255, 256, 257, 513, 1021, 4607,
                        4608, 4609, 65537, 300007})
        for (bool single : {false, true}) {
          Case c = equalShapes(
              "tail " + std::to_string(n) + " " + nameOf(dtype), {n}, dtype);
          if (single)
            reshape(c, 0, {});
          c.reduction = single ? 1 : 0;
          run(c);
        }
    run(equalShapes("empty", {4, 0, 3}, F32));
  }

  /// 81 combinations of types: all of them for three inputs and an output.
  void dtypes() {
    int combinations = 1;
    for (int t = 0; t <= kInputs; ++t)
      combinations *= 3;
    const int step = combinations > 81 ? combinations / 81 + 1 : 1;
    for (int number = 0; number < 81; ++number)
      for (int shape = 0; shape < 3; ++shape) {
        Case c = equalShapes("dtypes " + std::to_string(number), {5, 77}, F32);
        if (shape == 1)
          reshape(c, 0, {});
        if (shape == 2)
          reshape(c, 0, {5, 1}), reshape(c, 2, {77});
        int code = number * step % combinations;
        for (int t = 0; t <= kInputs; ++t, code /= 3)
          tensor(c, t).dtype = code % 3;
        c.reduction = number % 3;
        c.special = number % 2 == 1;
        run(c);
      }
  }

  /// Both kinds of coefficient with all kinds of types and schedules, each
  /// input as one element, and every choice of the optional inputs.
  void kernels() {
    for (float beta : {1.0f, 0.0f})
      for (int dtype = 0; dtype < 4; ++dtype)
        for (int single = -1; single < kInputs; ++single)
          for (bool broadcast : {false, true})
            for (int presence = 0; presence < 4; ++presence) {
              Case c = equalShapes("kernels", {9, 333}, dtype % 3);
              if (dtype == 3)
                c.inputs[2].dtype = F16;
              if (single >= 0)
                reshape(c, single, {1});
              if (broadcast)
                reshape(c, single == 2 ? 1 : 2, {9, 1});
              c.beta = beta;
              c.special = true;
              run(c);
            }
  }

  void broadcasts() {
    // Each input in turn lacks each of eight axes, or some of them.
    for (int which = 0; which < kInputs; ++which)
      for (int mask = 0; mask < 256; mask += which == 1 ? 1 : 5) {
        const Shape full = {2, 3, 2, 2, 3, 2, 2, 5};
        Shape part = full;
        for (int axis = 0; axis < 8; ++axis)
          if (mask >> axis & 1)
            part[axis] = 1;
        Case c = equalShapes("broadcast " + std::to_string(which) + " " +
                                 std::to_string(mask),
                             full, mask % 3);
        reshape(c, which, part);
        c.cores = 1 + mask % 48;
        run(c);
      }
    const std::pair<int64_t, int64_t> shapes[] = {
        {2048, 48}, {7, 5000}, {1000, 3}, {300, 301}, {1, 20000}};
    for (auto [rows, lanes] : shapes)
      for (int dtype = F32; dtype <= BF16; ++dtype) {
        Case c = equalShapes("rows and lanes " + std::to_string(rows),
                             {rows, lanes}, dtype);
        reshape(c, 0, {rows, 1});
        reshape(c, 2, {lanes});
        c.reduction = 1;
        run(c);
        reshape(c, 0, {1});
        reshape(c, 1, {1});
        c.output = denseTensor({rows, lanes}, dtype);
        reshape(c, 2, {rows, lanes});
        run(c);
      }
  }

  void strides() {
    for (int dtype = F32; dtype <= BF16; ++dtype) {
      for (int which = 0; which <= kInputs; ++which) {
        const std::string tag = std::to_string(which) + " " + nameOf(dtype);
        Case transposed = equalShapes("transposed " + tag, {70, 131}, dtype);
        relayout(tensor(transposed, which), {0, 1}, 1, 0);
        run(transposed);
        Case padded = equalShapes("padded rows " + tag, {70, 131}, dtype);
        relayout(tensor(padded, which), {1, 0}, 1, 13);
        run(padded);
        Case stepped = equalShapes("stepped " + tag, {70, 131}, dtype);
        relayout(tensor(stepped, which), {1, 0}, 3, 0);
        run(stepped);
        if (which == kInputs)
          continue;
        Case column = equalShapes("strided column " + tag, {300, 40}, dtype);
        reshape(column, which, {300, 1});
        column.inputs[which].strides[0] = 7;
        run(column);
      }
      Case all = equalShapes(std::string("all transposed ") + nameOf(dtype),
                             {64, 65}, dtype);
      for (int which = 0; which <= kInputs; ++which)
        relayout(tensor(all, which), {0, 1}, 1, 0);
      run(all);
    }
  }

  /// Random shapes, layouts, types, cores and memory.
  void randomCalls(int calls) {
    RandomCalls random(20);
    for (int i = 0; i < calls; ++i) {
      Case c = equalShapes("random " + std::to_string(i), {}, F32);
      std::vector<lossgrad::Tensor *> inputs;
      for (lossgrad::Tensor &input : c.inputs)
        inputs.push_back(&input);
      random.shapes(inputs, c.output);
      c.reduction = random.pick(0, 2);
      c.beta = float(random.pick(0, 3)) / 2;
      c.cores = random.pick(1, 64);
      c.ubBytes = random.pick(64, 192) * 1024 - 256;
      run(c);
    }
  }

  void smallMemory() {
    for (int64_t ub : {48, 64, 100, 192})
      for (int64_t cores : {1, 3, 40}) {
        Case c = equalShapes("small UB", {33, 1025}, F32);
        c.ubBytes = ub * 1024 - 256;
        c.cores = cores;
        run(c);
        reshape(c, 2, {1025});
        run(c);
      }
  }
};
