// One launch: its cores as fibres (threads under a sanitizer) over a pool of
// host threads, the places where cores meet, and what was reported. A fibre
// never changes its host thread, so thread-local state stays valid across a
// wait. Which instructions exist is not known here.
#pragma once

#include "lossgrad/sim/Launch.h"
#include "sim/Core.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lossgrad::sim {

struct Task; // a core on its fibre or thread

class Launch {
public:
  Launch(const LaunchConfig &config, const targets::Soc &soc,
         const std::function<void()> &body);
  ~Launch();
  LaunchResult run();

  const LaunchConfig config;
  const targets::Soc &soc;
  std::array<int32_t, targets::numOpen> open{};
  uint32_t stripLength = 0; // of the cores, see sim/Deferral.h

  // --- Called by cores -------------------------------------------------------
  // Suspends the core until ready() holds; ready is evaluated under the
  // launch's lock each time something changes. `what` is for the report.
  void waitUntil(Core &core, const char *what, std::function<bool()> ready);
  // Runs change() under the lock and lets waiting cores look again.
  void update(const std::function<void()> &change);
  // Lets other cores of the same host thread run, also ones that have not
  // begun.
  void yield(Core &core);
  // The same for a core that looks for a change of global memory. False: every
  // core that has not ended or parked has been doing so for a while.
  bool poll(Core &core);

  // Where cores meet. Cores of the same kind (or all of them) arrive; the last
  // one opens it.
  struct Meeting {
    uint32_t arrived = 0;
    uint64_t generation = 0;
    int64_t ticket = 0; // software SyncAll: the value that all must bring
    uint64_t shown = 0; // software SyncAll: how many have shown theirs so far
  };
  Meeting &meeting(const std::string &name) { return meetings[name]; }
  void meet(Core &core, const std::string &name, uint32_t participants,
            const char *what);

  // Counters that one core raises and another waits for.
  int64_t &counter(const std::string &name) { return counters[name]; }

  uint32_t coresOfKind(CoreType type) const;
  uint32_t coreCount() const { return total; }
  uint32_t vectorCoresPerBlock() const { return vectorsPerBlock; }

  void recordError(const Core &core, const std::string &line);
  void recordWarning(const Core &core, const std::string &line,
                     const std::string &key);

private:
  friend struct Task;
  struct Worker;

  void work(Worker &worker);
  void runThreads();
  void runFibres(unsigned workers);
  Task *startNext(Worker &worker);
  void resume(Worker &worker, Task &task);
  void execute(Task &task);
  void finished(Task &task);
  void wakeReady();
  void failIfStuck();
  std::string describeStuck(const Task &task) const;

  const std::function<void()> &body;
  uint32_t coresPerBlock = 1, vectorsPerBlock = 1;
  uint32_t total = 0; // cores in the launch

  std::mutex mutex;
  std::condition_variable changed;
  // Since when all cores that could go on are polling.
  std::optional<std::chrono::steady_clock::time_point> pollingSince;
  uint32_t next = 0, running = 0, ready = 0, parked = 0, failed = 0;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<std::string, Meeting> meetings;
  std::map<std::string, int64_t> counters;

  std::mutex reportMutex;
  std::multimap<uint32_t, std::string> errors;
  std::map<std::string, std::string> warnings;
};

} // namespace lossgrad::sim
