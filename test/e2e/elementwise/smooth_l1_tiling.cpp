// The emitted tiling function of SmoothL1LossBackward on random calls, with the
// loops of the kernels played on the host: every output element is stored
// exactly once, from the right elements of the inputs; tiles fit their buffers;
// starts are aligned; work is balanced. Exit status is 0 only if all of it
// holds.
#include "Tensors.h"

#include "lossgrad_smooth_l1_loss_backward_tiling.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using lossgrad::Launch;
using lossgrad::Platform;
using lossgrad::Tensor;
using Call = SmoothL1LossBackwardCall;
using Data = SmoothL1LossBackwardTilingData;

static int failures = 0, tiled = 0;
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      if (++failures < 20)                                                     \
        std::printf("line %d: %s (call %d)\n", __LINE__, #condition, current); \
      return;                                                                  \
    }                                                                          \
  } while (false)
static int current = 0;

constexpr int kTensors = 4; // gradOut, self, target, gradInput
constexpr int64_t kBroadcastKey = 4;

static RandomCalls randomness(20240801);

struct Tile {
  int64_t offsets[kTensors];
  int64_t rows, lanes;
};

static void checkForms(const Call &call, const Data &data,
                       const Tensor *const *tensors, bool single) {
  for (int t = single ? 1 : 0; t < kTensors; ++t) {
    const int64_t size = tensors[t]->dtype == 0 ? 4 : 2;
    const int64_t rowStride =
        data.strides[t * lossgrad::AXES + lossgrad::ROW_AXIS];
    const int64_t laneStride =
        data.strides[t * lossgrad::AXES + lossgrad::LANE_AXIS];
    const int64_t rows = data.extents[lossgrad::ROW_AXIS];
    switch (data.forms[t]) {
    case lossgrad::DENSE:
      EXPECT(laneStride == 1);
      EXPECT(rows == 1 ||
             (rowStride >= data.laneTile && rowStride * size <= 0xFFFFFFFFLL));
      break;
    case lossgrad::ROW_BY_ROW:
      EXPECT(laneStride == 1);
      break;
    case lossgrad::REPEAT_ROWS:
      EXPECT(laneStride == 1 && rowStride == 0);
      break;
    case lossgrad::REPEAT_LANES:
      EXPECT(laneStride == 0 && rowStride == 1);
      break;
    case lossgrad::SINGLE:
      EXPECT(laneStride == 0 && (rowStride == 0 || rows == 1));
      break;
    case lossgrad::STRIDED:
      EXPECT(laneStride > 1 && (laneStride - 1) * size <= 0xFFFFFFFFLL);
      EXPECT(data.laneTile <= 256 &&
             int64_t(data.rowTile) * data.laneTile * 16 <= data.tileLength);
      break;
    case lossgrad::STRIDED_ROWS:
      EXPECT(laneStride == 0 && rowStride > 1 &&
             (rowStride - 1) * size <= 0xFFFFFFFFLL);
      EXPECT(int64_t(data.rowTile) * 16 <= data.tileLength);
      break;
    default:
      EXPECT(!"known form");
    }
    EXPECT(t + 1 < kTensors || data.forms[t] <= lossgrad::ROW_BY_ROW);
  }
  const int64_t pitch = (data.laneTile + 15) / 16 * 16;
  EXPECT(data.rowTile >= 1 && data.rowTile <= 248 && data.laneTile >= 1);
  EXPECT(data.rowTile * pitch <= data.tileLength);
}

/// The process loop of the broadcast kernels.
template <typename Visit>
static void playBroadcast(const Data &data, int64_t block, Visit visit) {
  const int64_t begin =
      block * data.coreLength + std::min<int64_t>(block, data.extraCores);
  const int64_t end =
      begin + data.coreLength + (block < data.extraCores ? 1 : 0);
  for (int64_t tile = begin; tile < end; ++tile) {
    int64_t rest = tile / data.laneBlocks;
    const int64_t lane = tile % data.laneBlocks * data.laneTile;
    const int64_t row = rest % data.rowBlocks * data.rowTile;
    int64_t outer = rest / data.rowBlocks;
    Tile t;
    t.rows =
        std::min<int64_t>(data.rowTile, data.extents[lossgrad::ROW_AXIS] - row);
    t.lanes = std::min<int64_t>(data.laneTile,
                                data.extents[lossgrad::LANE_AXIS] - lane);
    for (int i = 0; i < kTensors; ++i)
      t.offsets[i] =
          row * data.strides[i * lossgrad::AXES + lossgrad::ROW_AXIS] +
          lane * data.strides[i * lossgrad::AXES + lossgrad::LANE_AXIS];
    for (int axis = lossgrad::ROW_AXIS - 1; axis >= data.firstAxis; --axis) {
      const int64_t index = outer % data.extents[axis];
      outer /= data.extents[axis];
      for (int i = 0; i < kTensors; ++i)
        t.offsets[i] += index * data.strides[i * lossgrad::AXES + axis];
    }
    visit(t);
  }
}

static void checkCall(const Call &call, const Platform &platform) {
  Data data;
  Launch launch;
  const bool ok =
      ComputeSmoothL1LossBackwardTiling(call, platform, data, launch);
  if (!ok) {
    EXPECT(launch.failure != nullptr && platform.ubBytes < 64 * 1024);
    return;
  }
  ++tiled;
  const Tensor *const tensors[] = {&call.gradOut, &call.self, &call.target,
                                   &call.gradInput};
  const Tensor &output = call.gradInput;
  const bool single = call.gradOut.Numel() == 1;
  EXPECT(launch.blocks >= 1 && launch.blocks <= platform.cores);
  EXPECT(launch.key >= 1 && data.tileLength > 0 && data.tileLength % 256 == 0);
  const bool broadcast = (launch.key - 1) % 5 == kBroadcastKey;

  // Which output element lies where, and where its sources are.
  const int64_t count = output.Numel();
  std::vector<int64_t> elementAt(spanOf(output), -1), sources;
  sources.reserve(count * kTensors);
  forEachElement(output, [&](int64_t element, const int64_t *index) {
    for (const Tensor *tensor : tensors)
      sources.push_back(addressOf(*tensor, output, index));
    elementAt[sources.back()] = element;
  });
  int64_t stored = 0;
  auto store = [&](const int64_t *at) {
    EXPECT(at[3] >= 0 && at[3] < int64_t(elementAt.size()));
    const int64_t element = elementAt[at[3]];
    EXPECT(element >= 0); // an element of the output, for the first time
    for (int t = single ? 1 : 0; t < kTensors; ++t)
      EXPECT(sources[element * kTensors + t] == at[t]);
    elementAt[at[3]] = -1;
    ++stored;
  };
  if (broadcast) {
    checkForms(call, data, tensors, single);
    for (int64_t block = 0; block < launch.blocks; ++block)
      playBroadcast(data, block, [&](const Tile &tile) {
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t l = 0; l < tile.lanes; ++l) {
            int64_t at[kTensors];
            for (int t = 0; t < kTensors; ++t)
              at[t] =
                  tile.offsets[t] +
                  r * data.strides[t * lossgrad::AXES + lossgrad::ROW_AXIS] +
                  l * data.strides[t * lossgrad::AXES + lossgrad::LANE_AXIS];
            store(at);
          }
      });
  } else {
    for (int64_t block = 0; block < launch.blocks; ++block) {
      const int64_t begin = block * data.coreLength +
                            std::min<int64_t>(block, data.extraCores) * 256;
      const int64_t end = std::min<int64_t>(
          data.elements,
          begin + data.coreLength + (block < data.extraCores ? 256 : 0));
      for (int64_t offset = begin; offset < end; offset += data.tileLength) {
        EXPECT(offset % 256 == 0);
        for (int64_t i = offset;
             i < std::min<int64_t>(end, offset + data.tileLength); ++i) {
          int64_t at[kTensors] = {i, i, i, i};
          store(at);
        }
      }
    }
  }
  EXPECT(stored == count);
}

static void randomCall() {
  Call call = Call();
  for (Tensor *input : {&call.gradOut, &call.self, &call.target})
    input->present = true;
  randomness.shapes({&call.gradOut, &call.self, &call.target}, call.gradInput);
  call.reduction = randomness.pick(0, 2);
  call.beta = static_cast<float>(randomness.pick(0, 3)) / 2;
  Platform platform = Platform();
  platform.cores = randomness.pick(1, 64);
  platform.ubBytes =
      randomness.pick(0, 3) ? 196352 : randomness.pick(1, 256) * 1024;
  platform.l2Bytes = 192 << 20;
  checkCall(call, platform);
}

/// Offsets beyond 32 bits; parts of the cores meet and cover everything.
static void hugeFlat() {
  Call call = Call();
  for (Tensor *tensor :
       {&call.gradOut, &call.self, &call.target, &call.gradInput})
    *tensor = denseTensor({int64_t(1) << 20, (int64_t(1) << 22) + 3}, 0);
  call.beta = 1;
  Platform platform = {48, 196352, 192 << 20};
  Data data;
  Launch launch;
  EXPECT(ComputeSmoothL1LossBackwardTiling(call, platform, data, launch));
  EXPECT(launch.blocks == 48 && data.elements == call.self.Numel());
  int64_t end = 0;
  for (int64_t block = 0; block < 48; ++block) {
    const int64_t begin = block * data.coreLength +
                          std::min<int64_t>(block, data.extraCores) * 256;
    EXPECT(begin == end);
    end = begin + data.coreLength + (block < data.extraCores ? 256 : 0);
  }
  EXPECT(end >= data.elements && end - data.elements < 256);
}

static void hugeBroadcast() {
  Call call = Call();
  const int64_t rows = int64_t(1) << 21, lanes = (int64_t(1) << 20) + 1;
  call.gradOut = denseTensor({rows, 1}, 0);
  call.self = denseTensor({rows, lanes}, 0);
  call.target = denseTensor({1, lanes}, 0);
  call.gradInput = denseTensor({rows, lanes}, 0);
  call.beta = 1;
  Platform platform = {48, 196352, 192 << 20};
  Data data;
  Launch launch;
  EXPECT(ComputeSmoothL1LossBackwardTiling(call, platform, data, launch));
  EXPECT(launch.blocks == 48);
  int64_t last = -1, covered = 0;
  playBroadcast(data, 47, [&](const Tile &tile) {
    last = tile.offsets[3] +
           (tile.rows - 1) *
               data.strides[3 * lossgrad::AXES + lossgrad::ROW_AXIS] +
           tile.lanes - 1;
    covered += tile.rows * tile.lanes;
  });
  EXPECT(last == rows * lanes - 1);
  EXPECT(covered * 48 > rows * lanes - rows * lanes / 8);
}

/// All cores busy, and about equally, from 48 tiles on; (2048, 48) included.
static void balance(int64_t rows, int64_t lanes) {
  Call call = Call();
  call.gradOut = denseTensor({rows, 1}, 0);
  call.self = denseTensor({rows, lanes}, 0);
  call.target = denseTensor({lanes}, 0);
  call.gradInput = denseTensor({rows, lanes}, 0);
  call.beta = 1;
  Platform platform = {48, 196352, 192 << 20};
  Data data;
  Launch launch;
  EXPECT(ComputeSmoothL1LossBackwardTiling(call, platform, data, launch));
  EXPECT(launch.blocks == 48);
  int64_t most = 0;
  for (int64_t block = 0; block < 48; ++block) {
    int64_t own = 0;
    playBroadcast(data, block,
                  [&](const Tile &tile) { own += tile.rows * tile.lanes; });
    most = std::max(most, own);
  }
  EXPECT(most * 48 <= rows * lanes * 5 / 4);
}

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 10000;
  for (current = 0; current < calls; ++current)
    randomCall();
  current = -1;
  hugeFlat();
  hugeBroadcast();
  balance(2048, 48);
  balance(513, 4096);
  balance(100000, 7);
  std::printf("%d calls, %d tiled, %d failures\n", calls, tiled, failures);
  return failures == 0 && tiled > calls * 9 / 10 ? 0 : 1;
}
