// See Session.h. Findings of a launch are gathered from all host threads, put
// in a fixed order and merged with those of earlier launches.
#include "sim/check/Session.h"
#include "sim/GlobalRegistry.h"
#include "sim/Launch.h"
#include "sim/check/Checker.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <tuple>

namespace lossgrad::sim::check {

namespace {
// Where two findings are the same one. A call may leave both the tensor that it
// reads and the one that it writes: these are two.
using Key =
    std::tuple<std::string, uint32_t, std::string, std::string, std::string>;
Key keyOf(const Finding &finding) {
  std::string aspect;
  if (finding.file.empty())
    aspect = finding.what;
  else if (finding.rule == "out-of-bounds")
    aspect = finding.what.substr(0, finding.what.find(' '));
  // A header may be included by several names.
  const auto file = std::filesystem::path(finding.file).lexically_normal();
  return {file.string(), finding.line, finding.rule, finding.call, aspect};
}

struct State {
  std::mutex mutex;
  CheckOptions options;
  std::map<const Launch *, std::map<Key, Finding>> running;
  std::map<const Launch *, std::unique_ptr<LaunchLog>> logs;
  std::map<Key, Finding> all;
};
// Never destroyed: the program's end reports.
State &state() {
  static auto &instance = *new State;
  return instance;
}

void merge(std::map<Key, Finding> &into, Finding finding) {
  auto [found, fresh] = into.try_emplace(keyOf(finding), finding);
  if (fresh)
    return;
  finding.times += found->second.times;
  if (finding.block < found->second.block)
    found->second = finding;
  else
    found->second.times = finding.times;
}
} // namespace

void configure(const CheckOptions &options) { state().options = options; }
const CheckOptions &options() { return state().options; }

void record(const Launch &launch, Finding finding) {
  std::lock_guard<std::mutex> lock(state().mutex);
  merge(state().running[&launch], std::move(finding));
}

void recordOnHost(Finding finding) {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.options.print && !all.all.count(keyOf(finding)))
    std::fprintf(stderr, "%s\n", finding.text().c_str());
  merge(all.all, std::move(finding));
}

std::unique_ptr<Observer> makeObserver(Core &core) {
  State &all = state();
  LaunchLog *log;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    log = all.logs.at(core.launch).get();
  }
  return std::make_unique<Checker>(core, *log, all.options.sync);
}

void launchBegins(Launch &launch) {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.logs[&launch] = std::make_unique<LaunchLog>();
}

//===- Across cores -------------------------------------------------------===//

std::string nameOfGlobal(const Launch &launch, uint64_t begin) {
  const auto &arguments = launch.config.arguments;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (reinterpret_cast<uint64_t>(arguments[i]) == begin)
      return "argument " + std::to_string(i);
  return "global allocation";
}

// A range of one core, as seen from another. Cores are numbered four to a
// block, the last of which is the cube core.
static std::string placeText(const GlobalRange &range,
                             const GlobalRange &seenFrom) {
  std::string file = range.site.file;
  file.erase(0, file.find_last_of('/') + 1);
  const std::string place = std::string(range.call) + " at " + file + ":" +
                            std::to_string(range.site.line) + " in ";
  if (range.core / 4 != seenFrom.core / 4)
    return place + "block " + std::to_string(range.core / 4);
  return place +
         (range.core % 4 == 3
              ? "the cube core"
              : "vector core " + std::to_string(range.core % 4)) +
         " of the same block";
}

static Finding crossFinding(const Launch &launch, const GlobalRange &range) {
  Finding finding;
  finding.kernel = launch.config.kernelName;
  finding.call = range.call;
  finding.file = range.site.file;
  finding.line = range.site.line;
  finding.block = range.core / 4;
  finding.pipe = nameOf(range.pipe);
  const auto extent = findGlobal(range.begin);
  const uint64_t base = extent ? extent->begin : range.begin;
  finding.tensor = nameOfGlobal(launch, base);
  finding.begin = range.begin - base;
  finding.end = range.end - base;
  return finding;
}

static void searchAcrossCores(const Launch &launch, const LaunchLog &log) {
  findRaces(log.ranges, log.slots, [&](const GlobalRange &a,
                                       const GlobalRange &b) {
    GlobalRange both = b; // the bytes that meet
    both.begin = std::max(a.begin, b.begin);
    both.end = std::min(a.end, b.end);
    Finding finding = crossFinding(launch, both);
    const bool lines =
        a.use == GlobalUse::ScalarLine || b.use == GlobalUse::ScalarLine;
    finding.rule = "global-race";
    finding.what =
        std::string(b.use == GlobalUse::Read ? "reads" : "writes") +
        (lines ? " a 64-byte line that " : " bytes that ") + placeText(a, b) +
        (a.use == GlobalUse::Read ? " reads" : " writes") + " at the same time";
    finding.advice =
        lines ? "split the work between cores on 64-byte boundaries"
              : "split the work without overlap, or put SyncAll between";
    record(launch, std::move(finding));
  });
  findUnflushed(
      log.unflushed, log.ranges,
      [&](const GlobalRange &store, const GlobalRange &read) {
        Finding finding = crossFinding(launch, store);
        finding.rule = "unflushed-store";
        finding.what = "the scalar store is still in the data cache "
                       "when " +
                       placeText(read, store) + " reads it";
        finding.advice =
            "DataCacheCleanAndInvalid after the store, before SyncAll";
        record(launch, std::move(finding));
      });
  findStale(log.cachedReads, log.ranges,
            [&](const GlobalRange &read, const GlobalRange &write) {
              Finding finding = crossFinding(launch, read);
              finding.rule = "stale-cache";
              finding.what = "reads a line that is in the data cache since "
                             "before SyncAll, and that " +
                             placeText(write, read) + " has rewritten";
              finding.advice = "DataCacheCleanAndInvalid after SyncAll, before "
                               "the read";
              record(launch, std::move(finding));
            });
}

void launchEnds(Launch &launch, LaunchResult &result) {
  State &all = state();
  std::unique_ptr<LaunchLog> log;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    log = std::move(all.logs[&launch]);
    all.logs.erase(&launch);
  }
  searchAcrossCores(launch, *log);

  std::map<Key, Finding> found;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    found = std::move(all.running[&launch]);
    all.running.erase(&launch);
  }
  // They are findings from here on; the caller need not print them again.
  result.reported = all.options.print;
  std::string text;
  std::lock_guard<std::mutex> lock(all.mutex);
  for (auto &[key, finding] : found) {
    if (!all.all.count(key))
      text += finding.text() + "\n";
    merge(all.all, finding);
  }
  if (all.options.print)
    std::fputs(text.c_str(), stderr);
}

constexpr size_t kMaxExitStatus = 125;

int finish() {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  const size_t count = all.all.size();
  if (count && all.options.print)
    std::fprintf(stderr, "lossgrad: check mode: %zu finding%s\n", count,
                 count == 1 ? "" : "s");
  return static_cast<int>(std::min(count, kMaxExitStatus));
}

} // namespace lossgrad::sim::check

namespace lossgrad::sim {

std::string Finding::text() const {
  std::ostringstream out;
  std::string base = file;
  base.erase(0, base.find_last_of('/') + 1);
  out << "check: kernel '" << kernel << "', block " << block << ": ";
  if (!call.empty())
    out << call;
  if (line)
    out << " at " << base << ":" << line;
  if (!pipe.empty())
    out << " (" << pipe << ")";
  out << ": [" << rule << "] " << what;
  if (!tensor.empty())
    out << ": " << tensor << ", bytes [" << begin << ", " << end << ")";
  if (times > 1)
    out << "; " << times << " times";
  if (!advice.empty())
    out << "\n  right: " << advice;
  return out.str();
}

void lossgradTakeFindings(std::vector<Finding> *findings) {
  for (Finding &finding : takeFindings())
    findings->push_back(std::move(finding));
}

std::vector<Finding> takeFindings() {
  auto &all = check::state();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<Finding> list;
  for (auto &[key, finding] : all.all)
    list.push_back(std::move(finding));
  all.all.clear();
  return list;
}

} // namespace lossgrad::sim
