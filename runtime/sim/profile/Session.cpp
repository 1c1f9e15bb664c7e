// See Session.h. Traces come from the cores of a launch on several host
// threads; a launch becomes a profile when it ends, and the files are written
// when the program does.
#include "sim/profile/Session.h"
#include "sim/Launch.h"
#include "sim/profile/Profile.h"
#include "sim/profile/Recorder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

namespace lossgrad::sim::profile {

namespace {
// Spans that the timeline of one launch keeps; later launches keep fewer so
// that a program with many launches still gives a page that opens.
constexpr size_t kMaxSpans = 40000;
constexpr size_t kMaxSpansTotal = 200000;

struct State {
  std::mutex mutex;
  ProfileOptions options;
  std::map<const Launch *, std::vector<Trace>> running;
  std::vector<LaunchProfile> profiles;
  size_t spans = 0;
  bool finished = false;
};
// Never destroyed: the program's end writes.
State &state() {
  static auto &instance = *new State;
  return instance;
}

// The cube side is not modelled.
void deliver(Core &core, Trace &&trace) {
  if (core.type == CoreType::Cube)
    return;
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.running[core.launch].push_back(std::move(trace));
}

bool writeFile(const std::filesystem::path &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    std::fprintf(stderr, "lossgrad: cannot write '%s'\n", path.c_str());
  return bool(file);
}
} // namespace

void configure(const ProfileOptions &options) {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.options = options;
  all.profiles.clear();
  all.spans = 0;
  all.finished = false;
}

std::unique_ptr<Observer> makeObserver(Core &core) {
  core.movesData = !state().options.timingOnly;
  return std::make_unique<Recorder>(core, core.launch->coreCount(), deliver);
}

void launchBegins(Launch &) {}

void launchEnds(Launch &launch, LaunchResult &) {
  State &all = state();
  std::vector<Trace> traces;
  ProfileRequest request;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    traces = std::move(all.running[&launch]);
    all.running.erase(&launch);
    request.timingOnly = all.options.timingOnly;
    request.maxSpans = std::min(
        kMaxSpans, kMaxSpansTotal - std::min(kMaxSpansTotal, all.spans));
  }
  std::sort(traces.begin(), traces.end(),
            [](const Trace &a, const Trace &b) { return a.block < b.block; });
  if (traces.empty())
    return;
  request.kernel = launch.config.kernelName;
  request.soc = &launch.soc;
  LaunchProfile profile = profileOf(request, traces);
  std::lock_guard<std::mutex> lock(all.mutex);
  all.spans += profile.spans.size();
  all.profiles.push_back(std::move(profile));
}

void finish() {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.finished || all.profiles.empty())
    return;
  all.finished = true;
  if (all.options.print) {
    std::ostringstream table;
    for (const LaunchProfile &profile : all.profiles)
      writeTable(profile, table);
    std::fputs(table.str().c_str(), stderr);
  }
  if (all.options.directory.empty())
    return;
  const std::filesystem::path directory = all.options.directory;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    std::fprintf(stderr, "lossgrad: cannot create '%s': %s\n",
                 directory.c_str(), error.message().c_str());
    return;
  }
  if (writeFile(directory / "profile.json", toJson(all.profiles)) &&
      writeFile(directory / "trace.json", toTraceJson(all.profiles)) &&
      writeFile(directory / "report.html", toHtml(all.profiles)) &&
      all.options.print)
    std::fprintf(stderr,
                 "lossgrad: wrote profile.json, trace.json (for "
                 "ui.perfetto.dev) and report.html to %s\n",
                 directory.c_str());
}

std::string takeJson() {
  State &all = state();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::string text = toJson(all.profiles);
  all.profiles.clear();
  all.spans = 0;
  return text;
}

} // namespace lossgrad::sim::profile

namespace lossgrad::sim {
std::string takeProfileJson() { return profile::takeJson(); }
} // namespace lossgrad::sim
