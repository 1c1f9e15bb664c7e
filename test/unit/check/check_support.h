// Running a lambda as a kernel in check mode. A defect marks its own line with
// HERE, so that a test can say where the finding must be.
#pragma once

#include "kernel_operator.h"
#include "lossgrad/sim/Launch.h"
#include "lossgrad/sim/Modes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace lossgrad::test {

inline std::atomic<uint32_t> markedLine{0};
// Put it on the line of the call that must be reported.
#define HERE lossgrad::test::markedLine = __LINE__;

struct CheckRun {
  uint32_t blocks = 1;
  sim::SyncLevel sync = sim::SyncLevel::AutoSync;
  std::string soc = "Ascend910B1";
  KernelMode mode = KernelMode::AIV_MODE;
  std::vector<const void *> arguments;
  std::vector<sim::TensorExtent> tensors;
};

inline std::vector<sim::Finding> check(const CheckRun &how,
                                       const std::function<void()> &kernel) {
  sim::CheckOptions options;
  options.sync = how.sync;
  options.print = false;
  sim::useCheckMode(options);
  sim::takeFindings();
  sim::LaunchConfig config;
  config.kernelName = "k";
  config.blockCount = how.blocks;
  config.soc = how.soc;
  config.mode = how.mode;
  config.arguments = how.arguments;
  config.tensors = how.tensors;
  sim::launch(config, kernel);
  sim::useFastMode();
  return sim::takeFindings();
}

inline std::vector<sim::Finding> check(const std::function<void()> &kernel) {
  return check(CheckRun{}, kernel);
}

inline std::string all(const std::vector<sim::Finding> &findings) {
  std::string text;
  for (const sim::Finding &finding : findings)
    text += finding.text() + "\n";
  return text;
}

#define EXPECT_SILENT(...)                                                     \
  do {                                                                         \
    const auto silentFindings = (__VA_ARGS__);                                 \
    EXPECT_EQ(silentFindings.size(), 0u) << all(silentFindings);               \
  } while (0)

// Exactly one finding, of that rule, on the line marked HERE, whose text
// contains `part`.
inline void expectOne(const std::vector<sim::Finding> &findings,
                      const std::string &rule, const std::string &part) {
  ASSERT_EQ(findings.size(), 1u) << all(findings);
  const sim::Finding &finding = findings[0];
  EXPECT_EQ(finding.rule, rule) << finding.text();
  EXPECT_EQ(finding.line, markedLine.load()) << finding.text();
  EXPECT_NE(finding.text().find(part), std::string::npos) << finding.text();
}

// Global memory with a bound, as tests of bounds need it.
template <typename T> class Global {
public:
  explicit Global(size_t count)
      : count(count),
        data(static_cast<T *>(sim::allocateGlobal(count * sizeof(T)))) {}
  ~Global() { sim::freeGlobal(data); }
  Global(const Global &) = delete;
  Global &operator=(const Global &) = delete;
  AscendC::GlobalTensor<T> tensor() const {
    AscendC::GlobalTensor<T> result;
    result.SetGlobalBuffer(data, count);
    return result;
  }
  const size_t count;
  T *const data;
};

using VecIn = AscendC::TQue<AscendC::TPosition::VECIN, 1>;
using VecOut = AscendC::TQue<AscendC::TPosition::VECOUT, 1>;

} // namespace lossgrad::test
