// Repeats that go through a buffer go there several at a time. Whatever
// operands lie in each other, the result must be that of one repeat after the
// other, which are single instructions here.
#include "vector_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

constexpr uint32_t kBlocks = 3000; // of UB that operands lie in

struct Layout {
  uint32_t dst, src0, src1; // first blocks
  BinaryRepeatParams strides;
  uint32_t repeats;
  uint64_t mask[2];
  uint32_t prefix; // lanes, 0 for the bitmap
};

template <typename T> Layout draw(std::mt19937 &random) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  constexpr uint32_t lanes = 256 / sizeof(T);
  Layout layout{};
  layout.strides = BinaryRepeatParams(
      static_cast<uint8_t>(1 + below(3)), static_cast<uint8_t>(below(4)),
      static_cast<uint8_t>(below(4)), static_cast<uint8_t>(below(26)),
      static_cast<uint8_t>(below(26)), static_cast<uint8_t>(below(26)));
  if (below(2)) // lane for lane the same, or whole repeats apart
    layout.strides.src0BlkStride = layout.strides.dstBlkStride,
    layout.strides.src0RepStride = layout.strides.dstRepStride;
  layout.repeats = 1 + below(40);
  layout.dst = below(40);
  switch (below(4)) {
  case 0:
    layout.src0 = layout.dst;
    break;
  case 1:
    layout.src0 = layout.dst + layout.strides.dstRepStride * below(3);
    break;
  default:
    layout.src0 = below(1500);
  }
  layout.src1 = below(3) ? 1500 + below(100) : below(1500);
  layout.mask[0] = uint64_t{random()} << 32 | random();
  layout.mask[1] = lanes > 64 ? uint64_t{random()} << 32 | random() : 0;
  if (!layout.mask[0] && !layout.mask[1])
    layout.mask[0] = 1;
  layout.prefix = below(2) ? 1 + below(lanes) : 0;
  return layout;
}

template <typename T>
void issue(const Layout &layout, uint32_t first, uint32_t repeats) {
  auto at = [&](uint32_t block, uint32_t repeatStride) {
    const uint32_t begin = block + first * repeatStride;
    return tensorAt<T>(begin * 32, (kBlocks + 2000 - begin) * 32 / sizeof(T));
  };
  const BinaryRepeatParams &p = layout.strides;
  auto z = at(layout.dst, p.dstRepStride), x = at(layout.src0, p.src0RepStride),
       y = at(layout.src1, p.src1RepStride);
  uint64_t mask[2] = {layout.mask[0], layout.mask[1]};
  if (layout.prefix)
    Add(z, x, y, uint64_t{layout.prefix}, static_cast<uint8_t>(repeats), p);
  else
    Add(z, x, y, mask, static_cast<uint8_t>(repeats), p);
}

template <typename T> void checkBatches(uint32_t seed) {
  std::mt19937 random(seed);
  const uint32_t count = kBlocks * 32 / sizeof(T);
  std::vector<T> before(count);
  for (int trial = 0; trial < 250; ++trial) {
    for (T &value : before)
      value = static_cast<T>(static_cast<float>(random() % 64));
    const Layout layout = draw<T>(random);
    std::vector<T> together, apart;
    EXPECT_OK(run([&] {
      auto all = tensorAt<T>(0, count);
      put(all, before);
      for (uint32_t r = 0; r < layout.repeats; ++r) {
        issue<T>(layout, r, 1);
        PipeBarrier<PIPE_V>();
      }
      apart = get(all, count);
      put(all, before);
      issue<T>(layout, 0, layout.repeats);
      PipeBarrier<PIPE_V>();
      together = get(all, count);
    }));
    expectSame(together, apart, "layout " + std::to_string(trial));
    if (testing::Test::HasFatalFailure())
      return;
  }
}

} // namespace

TEST(VectorBatches, AreOneRepeatAfterTheOther) {
  const char *mode = std::getenv("LOSSGRAD_MODE");
  if (mode && mode == std::string("check"))
    GTEST_SKIP() << "operands that overlap are findings of check mode";
  checkBatches<float>(1);
  checkBatches<half>(2);
  checkBatches<int16_t>(3);
}
