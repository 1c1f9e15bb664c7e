// Cores over host threads; see Launch.h. Two ways to run them share all
// bookkeeping: fibres, where a wait switches back to the worker, and threads,
// where a wait is a condition variable.
#include "sim/Launch.h"
#include "sim/CurrentCore.h"
#include "sim/Task.h"
#include "sim/WorkerPool.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <thread>

namespace lossgrad::sim {

static ObserverFactory observerFactory = nullptr;
void setObserverFactory(ObserverFactory factory) { observerFactory = factory; }

static LaunchHooks launchHooks;
void setLaunchHooks(LaunchHooks hooks) { launchHooks = hooks; }

struct Launch::Worker {
  uint32_t index = 0;
  std::deque<Task *> ready; // fibres of this worker that may go on
  uint32_t unfinished = 0;
};

#ifdef LOSSGRAD_THREAD_PER_CORE
constexpr bool kThreadPerCore = true;
#else
constexpr bool kThreadPerCore = false;
#endif

Launch::Launch(const LaunchConfig &config, const targets::Soc &soc,
               const std::function<void()> &body)
    : config(config), soc(soc), body(body) {
  if (soc.family->splitCores && config.mode == KernelMode::MIX_MODE) {
    vectorsPerBlock = soc.family->vectorsPerCube;
    coresPerBlock = 1 + vectorsPerBlock;
  }
  total = config.blockCount * coresPerBlock;
}

Launch::~Launch() = default;

uint32_t Launch::coresOfKind(CoreType type) const {
  if (coresPerBlock == 1)
    return total;
  return type == CoreType::Cube ? config.blockCount
                                : config.blockCount * vectorsPerBlock;
}

//===- Reports ------------------------------------------------------------===//

void Launch::recordError(const Core &core, const std::string &line) {
  std::lock_guard<std::mutex> lock(reportMutex);
  errors.emplace(core.block, "error: " + line + "\n");
}

void Launch::recordWarning(const Core &, const std::string &line,
                           const std::string &key) {
  std::lock_guard<std::mutex> lock(reportMutex);
  warnings.emplace(key, "warning: " + line + "\n");
}

//===- One core -----------------------------------------------------------===//

static std::string describeFault(const Task &task) {
  const FaultPoint &fault = task.fault;
  if (fault.signal == SIGFPE)
    return "integer division by zero or overflow";
  if (task.slot->inStackGuard(fault.addr))
    return "stack overflow (a core has " + std::to_string(kStackBytes / 1024) +
           " KiB)";
  const Core &core = task.core();
  char text[160];
  if (core.ub.nearby(fault.addr))
    std::snprintf(text, sizeof text,
                  "memory fault at UB offset %lld, UB has %zu bytes",
                  static_cast<long long>(static_cast<uint8_t *>(fault.addr) -
                                         core.ub.begin()),
                  core.ub.bytes());
  else
    std::snprintf(text, sizeof text, "memory fault at address %p (%s)",
                  fault.addr, strsignal(fault.signal));
  return text;
}

void Launch::execute(Task &task) {
  Core &core = task.core();
  try {
    // Not a function of its own: the jump target must stay on the stack.
    if (sigsetjmp(task.fault.env, 1) == 0) {
      task.fault.armed = true;
      if (core.observer)
        core.observer->blockBegins(core);
      body();
      core.settle();
      core.checkEnd();
      if (core.observer)
        core.observer->blockEnds(core);
    } else {
      task.failed = true;
      core.deferral->blame(core);
      core.failLater("%s; this is the last call before it",
                     describeFault(task).c_str());
    }
  } catch (const BlockFailure &) {
    task.failed = true;
  } catch (const std::exception &error) {
    task.failed = true;
    core.failLater("the kernel threw: %s", error.what());
  }
  // What was called before a failure has happened, unless it faults as well.
  if (core.deferred && sigsetjmp(task.fault.env, 1) == 0) {
    task.fault.armed = true;
    core.settle();
  }
  task.fault.armed = false;
}

void Launch::finished(Task &task) {
  std::lock_guard<std::mutex> lock(mutex);
  task.state = Task::State::Done;
  CoreSlot::giveBack(std::move(task.slot));
  task.observer.reset();
  --running;
  failed += task.failed;
  failIfStuck();
}

// Under the lock.
Task *Launch::startNext(Worker &worker) {
  auto owned = std::make_unique<Task>();
  Task *task = owned.get();
  tasks.push_back(std::move(owned));
  task->index = next++;
  task->worker = worker.index;
  task->slot = CoreSlot::take();
  const uint32_t block = task->index / coresPerBlock;
  const uint32_t member = task->index % coresPerBlock;
  CoreType type = CoreType::Mixed;
  if (soc.family->splitCores)
    type = coresPerBlock == 1
               ? (config.mode == KernelMode::AIC_MODE ? CoreType::Cube
                                                      : CoreType::Vector)
           : member == 0 ? CoreType::Cube
                         : CoreType::Vector;
  const uint32_t subBlock =
      type == CoreType::Vector && coresPerBlock > 1 ? member - 1 : 0;
  Core &core = task->core();
  core.reset(*this, block, subBlock, type);
  core.task = task;
  if (observerFactory)
    task->observer = observerFactory(core);
  core.observer = task->observer.get();
  return task;
}

//===- Fibres -------------------------------------------------------------===//

namespace {
// Stacks belong to the slots.
struct NoDeallocation {
  void deallocate(boost::context::stack_context &) {}
};
} // namespace

void Launch::resume(Worker &worker, Task &task) {
  if (!task.fibre) {
    boost::context::stack_context stack;
    stack.sp = task.slot->stack + kStackBytes;
    stack.size = kStackBytes;
    task.fibre = boost::context::fiber(
        std::allocator_arg,
        boost::context::preallocated(stack.sp, stack.size, stack),
        NoDeallocation{}, [this, &task](boost::context::fiber &&caller) {
          task.caller = std::move(caller);
          execute(task);
          return std::move(task.caller);
        });
  }
  setCurrentCore(&task.core());
  setFaultPoint(&task.fault);
  task.fibre = std::move(task.fibre).resume();
  setCurrentCore(nullptr);
  setFaultPoint(nullptr);
  if (!task.fibre) {
    --worker.unfinished;
    finished(task);
  }
}

void Launch::work(Worker &worker) {
  prepareThreadForFaults();
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    Task *task = nullptr;
    // Cores that only let others run come after those that have not begun.
    const bool waits =
        worker.ready.empty() || (worker.ready.front()->yielded && next < total);
    if (!waits) {
      task = worker.ready.front();
      task->yielded = false;
      worker.ready.pop_front();
      --ready;
    } else if (next < total) {
      task = startNext(worker);
      ++worker.unfinished;
    } else if (worker.unfinished == 0) {
      return;
    } else {
      changed.wait(lock, [&] { return !worker.ready.empty(); });
      continue;
    }
    ++running;
    task->state = Task::State::Running;
    lock.unlock();
    resume(worker, *task);
    lock.lock();
  }
}

//===- Waiting ------------------------------------------------------------===//

void Launch::waitUntil(Core &core, const char *what,
                       std::function<bool()> isReady) {
  Task &task = *core.task;
  std::unique_lock<std::mutex> lock(mutex);
  if (isReady())
    return;
  task.wakeUp = std::move(isReady);
  task.waitsFor = what;
  task.state = Task::State::Parked;
  --running;
  ++parked;
  failIfStuck();
  if (kThreadPerCore) {
    changed.wait(lock, [&] { return task.state != Task::State::Parked; });
    --ready;
    ++running;
    task.state = Task::State::Running;
  } else {
    lock.unlock();
    task.caller = std::move(task.caller).resume();
  }
  if (task.cancelled)
    throw BlockFailure{};
}

void Launch::yield(Core &core) {
  if (kThreadPerCore) {
    std::this_thread::yield();
    return;
  }
  Task &task = *core.task;
  {
    std::lock_guard<std::mutex> lock(mutex);
    task.state = Task::State::Ready;
    task.yielded = true;
    --running;
    ++ready;
    workers[task.worker]->ready.push_back(&task);
  }
  task.caller = std::move(task.caller).resume();
}

bool Launch::poll(Core &core) {
  using namespace std::chrono_literals;
  // A core that has not polled for this long does something else.
  constexpr auto kRecently = 100ms, kInVain = 1000ms;
  {
    std::lock_guard<std::mutex> lock(mutex);
    const auto now = std::chrono::steady_clock::now();
    core.task->lastPoll = now;
    const bool all =
        next == total &&
        std::all_of(tasks.begin(), tasks.end(), [&](const auto &task) {
          return task->state == Task::State::Done ||
                 task->state == Task::State::Parked ||
                 now - task->lastPoll < kRecently;
        });
    if (!all)
      pollingSince.reset();
    else if (!pollingSince)
      pollingSince = now;
    else if (now - *pollingSince > kInVain)
      return false;
  }
  yield(core);
  return true;
}

void Launch::update(const std::function<void()> &change) {
  std::lock_guard<std::mutex> lock(mutex);
  change();
  wakeReady();
}

// Under the lock: parked tasks whose condition holds become ready.
void Launch::wakeReady() {
  bool any = false;
  for (auto &task : tasks) {
    if (task->state != Task::State::Parked)
      continue;
    if (!task->cancelled && !task->wakeUp())
      continue;
    task->state = Task::State::Ready;
    --parked;
    ++ready;
    any = true;
    if (!kThreadPerCore)
      workers[task->worker]->ready.push_back(task.get());
  }
  if (any)
    changed.notify_all();
}

void Launch::meet(Core &core, const std::string &name, uint32_t participants,
                  const char *what) {
  Meeting *place;
  uint64_t generation;
  bool last = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    place = &meetings[name];
    generation = place->generation;
    if (++place->arrived == participants) {
      place->arrived = 0;
      ++place->generation;
      last = true;
      wakeReady();
    }
  }
  if (!last)
    waitUntil(core, what, [=] { return place->generation != generation; });
}

// Under the lock: when every live core waits, none will ever go on.
void Launch::failIfStuck() {
  if (running || ready || next < total || !parked)
    return;
  for (auto &task : tasks) {
    if (task->state != Task::State::Parked)
      continue;
    task->cancelled = task->failed = true;
    // A core that waits for a failed one has nothing of its own to report.
    if (failed == 0)
      task->core().failLater("%s", describeStuck(*task).c_str());
  }
  wakeReady();
}

std::string Launch::describeStuck(const Task &task) const {
  uint32_t waiting = 0, ended = 0;
  const Task *other = nullptr;
  for (const auto &each : tasks) {
    waiting += each->state == Task::State::Parked;
    if (each->state == Task::State::Done && !each->failed) {
      ++ended;
      if (!other)
        other = each.get();
    }
  }
  std::string text = "waits in vain for " + std::string(task.waitsFor) + ": " +
                     std::to_string(waiting) + " of " + std::to_string(total) +
                     " cores wait";
  if (ended)
    text += ", " + std::to_string(ended) + " have ended (the first is block " +
            std::to_string(other->index / coresPerBlock) + ")";
  else
    text += " and none can go on";
  return text;
}

//===- The launch ---------------------------------------------------------===//

void Launch::runFibres(unsigned workerCount) {
  for (unsigned i = 0; i < workerCount; ++i) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->index = i;
  }
  runOnWorkers(workerCount, [this](unsigned i) { work(*workers[i]); });
}

void Launch::runThreads() {
  Worker nobody;
  {
    std::lock_guard<std::mutex> lock(mutex);
    while (next < total) {
      startNext(nobody)->state = Task::State::Running;
      ++running;
    }
  }
  std::vector<std::thread> threads;
  for (auto &task : tasks)
    threads.emplace_back([this, &task = *task] {
      prepareThreadForFaults();
      setCurrentCore(&task.core());
      setFaultPoint(&task.fault);
      execute(task);
      setFaultPoint(nullptr);
      setCurrentCore(nullptr);
      finished(task);
    });
  for (std::thread &thread : threads)
    thread.join();
}

LaunchResult Launch::run() {
  if (launchHooks.begins)
    launchHooks.begins(*this);
  tasks.reserve(total);
  if (kThreadPerCore)
    runThreads();
  else
    runFibres(std::min(hostThreads(), total));
  LaunchResult result;
  result.ok = failed == 0 && errors.empty();
  for (auto &[block, line] : errors)
    result.errors += line;
  for (auto &[key, line] : warnings)
    result.warnings += line;
  if (launchHooks.ends)
    launchHooks.ends(*this, result);
  return result;
}

} // namespace lossgrad::sim
