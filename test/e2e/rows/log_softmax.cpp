// LogSoftmaxBackward: values of all kernels, on the stand-in and on the
// vendor's headers. Shapes and sizes of UB are chosen for the kernels: rows
// around blocks, repeats and the largest stride, rows that stay in UB, that are
// read twice or that cores share, columns, packed ones, mixed types and
// strides. Most cores are four, because every core is a process on the vendor's
// headers, and because the order of a sum that cores share depends on their
// number.
#include "CountingPipe.h"

#include "Bounded.h"
#include "Elements.h"
#include "Tensors.h"

#include "lossgrad_log_softmax_backward_tiling.h"

#include <random>
#include <set>
#include <string>

namespace {

constexpr int kKeys = 26;
constexpr size_t kRoomBehind = 64; // bytes behind the output that must stay

struct Case {
  std::string name;
  lossgrad::Tensor gradOutput, output, out;
  int64_t dim;
  bool isExact; // exp of every output is 0 or 1, so all worlds agree on it
  int64_t ubBytes = 196352;
};

class LogSoftmaxTest {
public:
  explicit LogSoftmaxTest(bool isVerbose) : isVerbose(isVerbose) {}
  void run(const Case &c);
  /// Prints what was seen; the exit status of the program.
  int finish() const;

private:
  float randomGrad(int dtype);
  float randomOutput(int dtype, bool isExact);
  int64_t compare(const Case &c, const uint8_t *gradOutput,
                  const uint8_t *output, const uint8_t *out,
                  const LogSoftmaxBackwardTilingData &tiling);
  bool touchesOnlyElements(const Case &c, const uint8_t *out);

  bool isVerbose;
  std::mt19937 engine{11};
  uint64_t checksum = 14695981039346656037u;
  std::set<uint64_t> keysSeen;
  int cases = 0, wrongCases = 0;
  double worstShare = 0;
};

size_t bytesOf(const lossgrad::Tensor &tensor) {
  return size_t(spanOf(tensor)) * sizeOf(tensor.dtype) + kRoomBehind;
}

void giveBack(void *memory) {
#ifdef REAL_HEADERS
  (void)memory; // freed with the process
#else
  AscendC::GmFree(memory);
#endif
}

float cutTo(int dtype, float value) {
  return dtype == BF16 ? fromBits(bitsOf(value) & 0xFFFF0000) : value;
}

/// Numbers of many sizes, so that the order of a sum shows in its bits.
float LogSoftmaxTest::randomGrad(int dtype) {
  const float coarse = float(int(engine() % 2049) - 1024) / 256;
  const float sized = std::ldexp(coarse, -int(engine() % 12));
  return dtype == F32 ? sized + float(engine() % 1000) * 1e-6f
                      : cutTo(dtype, sized);
}

float LogSoftmaxTest::randomOutput(int dtype, bool isExact) {
  if (isExact)
    return engine() % 4 == 0 ? -INFINITY : 0.0f;
  return cutTo(dtype, -float(engine() % 2048) / 256);
}

/// The number of wrong elements. A sum is off by at most one rounding of the
/// sum of sizes for each addition on the way of an element to it.
int64_t LogSoftmaxTest::compare(const Case &c, const uint8_t *gradOutput,
                                const uint8_t *output, const uint8_t *out,
                                const LogSoftmaxBackwardTilingData &tiling) {
  const int64_t length = c.out.extents[c.dim];
  const double depth = double(tiling.steps) + std::log2(double(length)) + 8;
  int64_t inner = 1;
  for (int axis = int(c.dim) + 1; axis < c.out.rank; ++axis)
    inner *= c.out.extents[axis];
  const auto sumOf = [&](int64_t i) {
    return i / (inner * length) * inner + i % inner;
  };
  std::vector<double> sums(c.out.Numel() / length), sizes(sums.size());
  forEachElement(c.out, [&](int64_t i, const int64_t *index) {
    const double value = load(gradOutput, addressOf(c.gradOutput, c.out, index),
                              c.gradOutput.dtype);
    sums[sumOf(i)] += value;
    sizes[sumOf(i)] += std::fabs(value);
  });

  int64_t wrong = 0;
  forEachElement(c.out, [&](int64_t i, const int64_t *index) {
    const double grad = load(gradOutput, addressOf(c.gradOutput, c.out, index),
                             c.gradOutput.dtype);
    const Bounded power =
        load(output, addressOf(c.output, c.out, index), c.output.dtype);
    const Bounded sum(sums[sumOf(i)], depth * kUnit * sizes[sumOf(i)]);
    const Bounded wanted =
        Bounded(grad) -
        sum * monotone(
                  power, [](double x) { return std::exp(x); }, 4);
    const float got = load(out, addressOf(c.out, c.out, index), c.out.dtype);
    if (c.isExact)
      checksum = (checksum ^ bitsOf(got)) * 1099511628211u;
    const double error = std::fabs(wanted.value - got);
    const double bound =
        wanted.error +
        (c.out.dtype == F32 ? 0 : ulp(wanted.value, c.out.dtype));
    worstShare = std::max(worstShare, error / bound);
    if (error <= bound || ++wrong > 3)
      return;
    std::printf("%s: element %ld is %.9g, expected %.9g within %.3g\n",
                c.name.c_str(), long(i), got, wanted.value, bound);
  });
  return wrong;
}

/// Gaps of the output and the bytes behind it are as they were.
bool LogSoftmaxTest::touchesOnlyElements(const Case &c, const uint8_t *out) {
  std::vector<uint8_t> rest(out, out + bytesOf(c.out));
  const size_t size = sizeOf(c.out.dtype);
  forEachElement(c.out, [&](int64_t, const int64_t *index) {
    std::memset(&rest[size_t(addressOf(c.out, c.out, index)) * size], 0x5A,
                size);
  });
  return std::all_of(rest.begin(), rest.end(),
                     [](uint8_t byte) { return byte == 0x5A; });
}

void LogSoftmaxTest::run(const Case &c) {
  ++cases;
  auto *gradOutput = allocate<uint8_t>(bytesOf(c.gradOutput));
  auto *output = allocate<uint8_t>(bytesOf(c.output));
  auto *out = allocate<uint8_t>(bytesOf(c.out));
  for (int64_t i = 0; i < spanOf(c.gradOutput); ++i)
    store(gradOutput, i, c.gradOutput.dtype, randomGrad(c.gradOutput.dtype));
  for (int64_t i = 0; i < spanOf(c.output); ++i)
    store(output, i, c.output.dtype, randomOutput(c.output.dtype, c.isExact));
  std::memset(out, 0x5A, bytesOf(c.out));

  const LogSoftmaxBackwardCall call = {c.gradOutput, c.output, c.dim, c.out};
  lossgrad::Launch chosen = lossgrad::Launch();
  auto *tiling = allocate<LogSoftmaxBackwardTilingData>(1);
  if (!ComputeLogSoftmaxBackwardTiling(call, {4, c.ubBytes, 192 << 20, 2201},
                                       *tiling, chosen)) {
    std::printf("%s: no tiling: %s\n", c.name.c_str(), chosen.failure);
    ++wrongCases;
    return;
  }
  keysSeen.insert(chosen.key);
  auto *workspace = allocate<uint8_t>(chosen.workspace + 64);
  int64_t wrong = RUN_KERNEL(
      chosen.key, chosen.blocks, lossgrad_log_softmax_backward, gradOutput,
      output, out, workspace, reinterpret_cast<uint8_t *>(tiling));
  if (wrong != 0)
    std::printf("%s: %ld blocks broke a rule\n", c.name.c_str(), long(wrong));
  const int64_t ubBytes = takeUbBytes();
  if (ubBytes > c.ubBytes) {
    std::printf("%s: wrong: %ld of %ld bytes of UB\n", c.name.c_str(),
                long(ubBytes), long(c.ubBytes));
    ++wrong;
  }
  wrong += compare(c, gradOutput, output, out, *tiling);
  if (!touchesOnlyElements(c, out)) {
    std::printf("%s: wrong: bytes beside the output changed\n", c.name.c_str());
    ++wrong;
  }
  if (isVerbose)
    std::printf("%s: key %lu, %u blocks, %ld steps, %016lx\n", c.name.c_str(),
                (unsigned long)chosen.key, chosen.blocks, long(tiling->steps),
                (unsigned long)checksum);
  wrongCases += wrong != 0;
  for (uint8_t *memory : {gradOutput, output, out, workspace})
    giveBack(memory);
  giveBack(tiling);
}

int LogSoftmaxTest::finish() const {
  std::printf("%d cases, %d wrong; %zu of %d keys used; largest share of a "
              "bound %.3f; checksum %016lx\n",
              cases, wrongCases, keysSeen.size(), kKeys, worstShare,
              (unsigned long)checksum);
  return wrongCases == 0 && keysSeen.size() == kKeys ? 0 : 1;
}

struct Sizes {
  Shape shape;
  int64_t dim;
  int64_t ubBytes = 196352;
};

/// Dense tensors of one type. A small UB makes short rows long.
const std::vector<Sizes> denseSizes = {
    // Whole rows in a tile.
    {{1000}, 0},
    {{6, 1}, 1},
    {{300, 8}, 1},
    {{37, 100}, 1},
    {{5, 3, 64}, 2},
    {{9, 1000}, 1},
    {{3, 2500}, 1},
    {{3, 4096}, 1},
    {{3, 8200}, 1},
    // Rows that stay in UB beside the tiles, and rows read twice.
    {{3, 4001}, 1, 60000},
    {{2, 2, 3840}, 2, 60000},
    {{3, 9001}, 1, 60000},
    {{3, 16384}, 1, 60000},
    // Rows that cores share.
    {{1, 16500}, 1},
    {{2, 16399}, 1},
    {{2, 16640}, 1, 60000},
    // Short rows and columns in one run: turns around blocks, tiles around
    // turns, one turn, and turns of which few fit.
    {{2003, 3}, 1},
    {{900, 7}, 1},
    {{501, 3, 2}, 1},
    {{33, 11, 9}, 1},
    {{5, 16, 17}, 1},
    {{3, 31, 7}, 1},
    {{3, 5}, 0},
    {{7, 200, 2}, 1},
    {{9, 260, 3}, 1, 60000},
    {{4001, 5, 3}, 1, 60000},
    // Columns, and columns read twice.
    {{20, 100}, 0},
    {{5, 40, 17}, 1},
    {{4, 81, 515}, 1},
    {{2, 64, 130}, 1},
    {{500, 33}, 0, 40000},
    {{2, 777, 70}, 1, 60000},
    // Columns that cores share.
    {{1100, 20}, 0},
    {{700, 100}, 0},
};

/// Tensors that do not lie alike: any types, any strides.
std::vector<Case> mixedCases() {
  std::vector<Case> cases;
  for (const Sizes &sizes :
       {Sizes{{5, 300}, 1}, Sizes{{4, 5000}, 1, 40000}, Sizes{{2, 20, 50}, 1},
        Sizes{{2, 300, 18}, 1, 40000}}) {
    const std::string name = "mixed/" + std::to_string(cases.size());
    Case c{name,
           denseTensor(sizes.shape, F32),
           denseTensor(sizes.shape, F16),
           denseTensor(sizes.shape, BF16),
           sizes.dim,
           true,
           sizes.ubBytes};
    cases.push_back(c);
    std::swap(c.gradOutput.dtype, c.out.dtype);
    c.isExact = false;
    cases.push_back(c);
  }
  for (int32_t type : {F32, F16, BF16}) {
    const lossgrad::Tensor tensor = denseTensor({6, 40, 50}, type);
    const std::string name = std::string("strided/") + nameOf(type);
    Case c{name, tensor, tensor, tensor, 2, true};
    relayout(c.gradOutput, {1, 2, 0}, 1, 0);
    cases.push_back(c);
    c.dim = 1;
    relayout(c.output, {2, 1, 0}, 3, 5);
    cases.push_back(c);
    relayout(c.out, {2, 1, 0}, 2, 9);
    cases.push_back(c);
  }
  return cases;
}

} // namespace

int main(int argc, char **) {
  LogSoftmaxTest test(argc > 1);
  for (const Sizes &sizes : denseSizes) {
    for (int32_t type : {F32, F16, BF16}) {
      std::string name = nameOf(type);
      for (int64_t extent : sizes.shape)
        name += "/" + std::to_string(extent);
      const lossgrad::Tensor tensor = denseTensor(sizes.shape, type);
      for (bool isExact : {true, false})
        test.run(
            {name, tensor, tensor, tensor, sizes.dim, isExact, sizes.ubBytes});
    }
  }
  for (const Case &c : mixedCases())
    test.run(c);
  return test.finish();
}
