// Results in the memory of an input: kernels that are right while the two lie
// apart and wrong as soon as they are one.
#include "check_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kTile = 64, kTiles = 4;

// Tiles of x, each multiplied by sums over tiles.
class TimesSum {
public:
  TimesSum(const GlobalTensor<float> &x, const GlobalTensor<float> &y)
      : x(x), y(y) {
    pipe.InitBuffer(in, 2, kTile * sizeof(float));
    pipe.InitBuffer(out, 2, kTile * sizeof(float));
    pipe.InitBuffer(sums, kTile * sizeof(float));
    Duplicate(sums.Get<float>(), 0.0f, kTile);
  }

  void sum(uint32_t tile) {
    auto a = load(tile);
    Add(sums.Get<float>(), sums.Get<float>(), a, kTile);
    in.FreeTensor(a);
  }
  void scale(uint32_t tile) {
    auto a = load(tile);
    auto b = out.AllocTensor<float>();
    Mul(b, a, sums.Get<float>(), kTile);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopy(y[tile * kTile], b, kTile);
    out.FreeTensor(b);
  }

private:
  LocalTensor<float> load(uint32_t tile) {
    auto a = in.AllocTensor<float>();
    DataCopy(a, x[tile * kTile], kTile);
    in.EnQue(a);
    return in.DeQue<float>();
  }

  GlobalTensor<float> x, y;
  TPipe pipe;
  VecIn in;
  VecOut out;
  TBuf<TPosition::VECCALC> sums;
};

// As a launch has them: two arguments, which may be one tensor.
CheckRun over(const Global<float> &x, const Global<float> &y, uint32_t blocks) {
  CheckRun how;
  how.blocks = blocks;
  how.tensors = {{x.data, x.count * sizeof(float), "logits"},
                 {y.data, y.count * sizeof(float), "gradLogits"}};
  return how;
}

bool isFoundAs(const std::vector<lossgrad::sim::Finding> &findings,
               const std::string &rule) {
  bool found = !findings.empty();
  for (const auto &finding : findings)
    found &= finding.rule == rule &&
             finding.text().find("in_place_test.cpp") != std::string::npos;
  return found;
}

// Every core sums up all tiles, and stores its own: by then another one may not
// have read it yet.
TEST(CheckInPlace, WhatAnotherCoreOverwritesIsARace) {
  Global<float> x(kTile * kTiles), y(kTile * kTiles);
  auto kernel = [&](const Global<float> &result, bool meets) {
    TimesSum each(x.tensor(), result.tensor());
    for (uint32_t tile = 0; tile < kTiles; ++tile)
      each.sum(tile);
    if (meets)
      SyncAll();
    each.scale(GetBlockIdx());
  };
  for (bool meets : {false, true})
    EXPECT_SILENT(check(over(x, y, kTiles), [&] { kernel(y, meets); }));
  EXPECT_SILENT(check(over(x, x, kTiles), [&] { kernel(x, true); }));
  const auto findings = check(over(x, x, kTiles), [&] { kernel(x, false); });
  EXPECT_TRUE(isFoundAs(findings, "global-race")) << all(findings);
}

// A tile that is wanted once more when its result is on the way to it.
TEST(CheckInPlace, ATileThatIsReadAfterItsStoreIsFound) {
  Global<float> x(kTile * kTiles), y(kTile * kTiles);
  auto kernel = [&](const Global<float> &result, bool readsAgain) {
    TimesSum each(x.tensor(), result.tensor());
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
      each.sum(tile);
      each.scale(tile);
      if (readsAgain)
        each.sum(tile);
    }
  };
  for (bool readsAgain : {false, true})
    EXPECT_SILENT(check(over(x, y, 1), [&] { kernel(y, readsAgain); }));
  EXPECT_SILENT(check(over(x, x, 1), [&] { kernel(x, false); }));
  const auto findings = check(over(x, x, 1), [&] { kernel(x, true); });
  EXPECT_TRUE(isFoundAs(findings, "missing-sync")) << all(findings);
}

} // namespace
