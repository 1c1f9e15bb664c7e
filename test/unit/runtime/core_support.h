// What the tests of the core share: running a lambda as a kernel, and messages
// with line numbers taken out (one test checks that the lines are right).
#pragma once

#include "kernel_operator.h"
#include "lossgrad/sim/Launch.h"

#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace lossgrad::test {

struct Options {
  uint32_t blocks = 1;
  std::string soc = "Ascend910B1";
  KernelMode mode = KernelMode::AIV_MODE;
  uint64_t tilingKey = 0;
};

inline Options blocks(uint32_t count, KernelMode mode = KernelMode::AIV_MODE) {
  Options options;
  options.blocks = count;
  options.mode = mode;
  return options;
}

inline sim::LaunchResult run(const Options &options,
                             const std::function<void()> &kernel) {
  sim::LaunchConfig config;
  config.kernelName = "k";
  config.blockCount = options.blocks;
  config.soc = options.soc;
  config.mode = options.mode;
  config.tilingKey = options.tilingKey;
  return sim::launch(config, kernel);
}

inline sim::LaunchResult run(const std::function<void()> &kernel) {
  return run(Options{}, kernel);
}

// "file.cpp:12" becomes "file.cpp:N".
inline std::string withoutLines(const std::string &text) {
  return std::regex_replace(text, std::regex("(\\.(cpp|h)):[0-9]+"), "$1:N");
}

// The message of the only failing block, without the common prefix.
inline std::string errorOf(const sim::LaunchResult &result) {
  EXPECT_FALSE(result.ok);
  std::string text = withoutLines(result.errors);
  const std::string prefix = "error: kernel 'k', block 0: ";
  if (text.compare(0, prefix.size(), prefix) == 0)
    text.erase(0, prefix.size());
  if (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

#define EXPECT_OK(result)                                                      \
  do {                                                                         \
    const auto &okResult = (result);                                           \
    EXPECT_TRUE(okResult.ok) << okResult.errors;                               \
    EXPECT_EQ(okResult.warnings, "");                                          \
  } while (0)

// A tensor in global memory around a vector.
template <typename T> AscendC::GlobalTensor<T> global(std::vector<T> &data) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(data.data(), data.size());
  return tensor;
}

} // namespace lossgrad::test
