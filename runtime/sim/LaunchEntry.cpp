// The doors to a launch: validates what the caller asks for, looks up the
// product, and calls a kernel function with an array of pointers.
#include "sim/Launch.h"
#include "sim/Mode.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace lossgrad::sim {

constexpr const char *kDefaultSoc = "Ascend910B1";
constexpr size_t kMaxArguments = 64;
constexpr uint32_t kMaxBlocks = 65535;
constexpr unsigned long kMaxStrip = 65536;
constexpr unsigned long kMaxThreads = 4096;
constexpr unsigned long kMaxOpen = 65535;

std::string defaultSoc() {
  const char *name = std::getenv("LOSSGRAD_SOC");
  return name && *name ? name : kDefaultSoc;
}

static LaunchResult refused(const LaunchConfig &config,
                            const std::string &why) {
  LaunchResult result;
  result.ok = false;
  result.errors = "error: kernel '" + config.kernelName + "': " + why + "\n";
  return result;
}

static std::string knownSocs() {
  std::string names;
  for (const targets::Soc *soc = targets::socsBegin();
       soc != targets::socsEnd(); ++soc)
    names += std::string(names.empty() ? "" : ", ") + soc->name;
  return names;
}

// A whole number of the environment. False: it is set, but to something else.
static bool readNumber(const std::string &name, unsigned long most,
                       unsigned long &value) {
  const char *text = std::getenv(name.c_str());
  if (!text)
    return true;
  char *end = nullptr;
  errno = 0;
  const unsigned long read = std::strtoul(text, &end, 10);
  if (*end || *text < '0' || *text > '9' || errno || read > most)
    return false;
  value = read;
  return true;
}

static std::string wrongSetting(const std::string &name,
                                const std::string &expected) {
  return name + " is '" + std::getenv(name.c_str()) + "', it must be " +
         expected;
}

// Open behaviours: the family's default unless the environment says otherwise.
// Returns what is wrong with the environment, if anything.
static std::string readSwitches(Launch &launch) {
  for (size_t i = 0; i < targets::numOpen; ++i) {
    const auto behaviour = static_cast<targets::Open>(i);
    const std::string name =
        std::string("LOSSGRAD_OPEN_") + targets::spelling(behaviour);
    unsigned long value = launch.soc.family->openDefault(behaviour);
    if (!readNumber(name, kMaxOpen, value))
      return wrongSetting(name, "a number up to " + std::to_string(kMaxOpen));
    launch.open[i] = static_cast<int>(value);
  }
  unsigned long threads = 1;
  if (!readNumber("LOSSGRAD_THREADS", kMaxThreads, threads) || threads == 0)
    return wrongSetting("LOSSGRAD_THREADS",
                        "a number from 1 to " + std::to_string(kMaxThreads));
  unsigned long strip = kDefaultStripLength;
  if (!readNumber("LOSSGRAD_STRIP", kMaxStrip, strip) ||
      strip % kStripLengthUnit != 0)
    return wrongSetting("LOSSGRAD_STRIP", "0 or a multiple of " +
                                              std::to_string(kStripLengthUnit) +
                                              " up to " +
                                              std::to_string(kMaxStrip));
  launch.stripLength = static_cast<uint32_t>(strip);
  return "";
}

LaunchResult launch(const LaunchConfig &config,
                    const std::function<void()> &body) {
  const std::string name = config.soc.empty() ? defaultSoc() : config.soc;
  const targets::Soc *soc = targets::findSoc(name);
  if (!soc)
    return refused(config, "unknown product '" + name +
                               "' (known: " + knownSocs() + ")");
  if (config.blockCount == 0 || config.blockCount > kMaxBlocks)
    return refused(config, "block count is " +
                               std::to_string(config.blockCount) +
                               ", it must be in [1, 65535]");
  if (Core::currentOrNull())
    return refused(config, "a kernel cannot launch a kernel");
  selectModeOnce();
  Launch launch(config, *soc, body);
  if (std::string wrong = readSwitches(launch); !wrong.empty())
    return refused(config, wrong);
  return launch.run();
}

template <size_t... I>
static void callWith(void *function, void *const *arguments,
                     std::index_sequence<I...>) {
  using Kernel = void (*)(decltype((void)I, (void *)nullptr)...);
  reinterpret_cast<Kernel>(function)(arguments[I]...);
}

template <size_t... N>
static constexpr auto callers(std::index_sequence<N...>) {
  using Caller = void (*)(void *, void *const *);
  return std::array<Caller, sizeof...(N)>{
      [](void *function, void *const *arguments) {
        callWith(function, arguments, std::make_index_sequence<N>{});
      }...};
}

LaunchResult launchKernel(const LaunchConfig &config, void *function,
                          void *const *arguments, size_t argumentCount) {
  static constexpr auto table =
      callers(std::make_index_sequence<kMaxArguments + 1>{});
  if (!function)
    return refused(config, "the kernel function is null");
  if (argumentCount > kMaxArguments)
    return refused(config, std::to_string(argumentCount) +
                               " arguments, at most " +
                               std::to_string(kMaxArguments) + " are possible");
  LaunchConfig named = config;
  if (named.arguments.empty())
    named.arguments.assign(arguments, arguments + argumentCount);
  return launch(named, [&] { table[argumentCount](function, arguments); });
}

} // namespace lossgrad::sim
