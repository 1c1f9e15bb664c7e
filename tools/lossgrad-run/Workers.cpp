//===- Workers.cpp - Cases in processes of their own ----------------------===//

#include "Workers.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

using Clock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

static bool writeAll(int file, const void *data, size_t size) {
  auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= written;
  }
  return true;
}

static bool readAll(int file, void *data, size_t size) {
  auto *bytes = static_cast<char *>(data);
  while (size > 0) {
    ssize_t got = ::read(file, bytes, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    bytes += got;
    size -= got;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Interruption
//===----------------------------------------------------------------------===//

static volatile std::sig_atomic_t interruption = 0;

int lossgrad::run::getInterruption() { return interruption; }

namespace {
/// Takes note of a request to end, for as long as it lives.
class Interruptible {
public:
  Interruptible() {
    struct sigaction action = {};
    action.sa_handler = [](int number) { interruption = number; };
    // No SA_RESTART: poll returns.
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
  }
  ~Interruptible() { restore(); }
  void restore() {
    sigaction(SIGINT, &before[0], nullptr);
    sigaction(SIGTERM, &before[1], nullptr);
  }

private:
  struct sigaction before[2];
};
} // namespace

//===----------------------------------------------------------------------===//
// In the worker
//===----------------------------------------------------------------------===//

/// What was written to `file` since the last call, which is taken back.
static std::string takeLog(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  // The end is what matters, and a runaway log must not fill the report.
  constexpr off_t limit = 1 << 16;
  off_t from = size > limit ? size - limit : 0;
  std::string text(size - from, '\0');
  if (pread(file, text.data(), text.size(), from) < 0)
    text.clear();
  if (ftruncate(file, 0) == 0)
    lseek(file, 0, SEEK_SET);
  return text;
}

/// Answers case numbers with results until there are no more.
[[noreturn]] static void work(const std::vector<Case> &cases, int in, int out,
                              function_ref<CaseResult(const Case &)> runCase) {
  const bool asksForLog = std::getenv("LOSSGRAD_LOG_LEVEL");
  int log = memfd_create("log", MFD_CLOEXEC);
  if (log >= 0)
    dup2(log, STDERR_FILENO);
  uint64_t number;
  while (readAll(in, &number, sizeof number)) {
    CaseResult result = runCase(cases[number]);
    std::string text = log >= 0 ? takeLog(log) : "";
    if (result.outcome == Outcome::Failed || asksForLog)
      result.log = std::move(text);
    std::string answer = formatv("{0}", toJson(result));
    uint64_t size = answer.size();
    if (!writeAll(out, &size, sizeof size) ||
        !writeAll(out, answer.data(), answer.size()))
      break;
  }
  // No destructors of this process's copies, and no exit status of a runtime.
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

namespace {

struct Worker {
  pid_t process = -1;
  int toWorker = -1, fromWorker = -1;
  /// The position of its case among the numbers, while it has one.
  std::optional<size_t> busyWith;
  /// What has come of its answer so far.
  std::string received;
  Clock::time_point since;
};

class Pool {
public:
  Pool(const std::vector<Case> &cases, const std::vector<size_t> &numbers,
       const WorkerOptions &options,
       function_ref<CaseResult(const Case &)> runCase,
       function_ref<void(const CaseResult &)> onResult)
      : cases(cases), numbers(numbers), options(options), runCase(runCase),
        onResult(onResult), results(numbers.size()) {}

  std::vector<CaseResult> run();

private:
  bool start(Worker &worker);
  void feed(Worker &worker);
  void receive(Worker &worker);
  void endBadly(Worker &worker, StringRef why);
  void stop(Worker &worker);
  void endLateOnes();
  void giveUp();
  void finish(Worker &worker, CaseResult result);
  CaseResult explainDeath(const Worker &worker, int status) const;

  const std::vector<Case> &cases;
  const std::vector<size_t> &numbers;
  const WorkerOptions &options;
  function_ref<CaseResult(const Case &)> runCase;
  function_ref<void(const CaseResult &)> onResult;
  std::vector<CaseResult> results;
  std::vector<Worker> workers;
  Interruptible interruptible;
  size_t next = 0, done = 0;
};

} // namespace

bool Pool::start(Worker &worker) {
  int down[2], up[2];
  if (pipe(down) != 0)
    return false;
  if (pipe(up) != 0) {
    close(down[0]);
    close(down[1]);
    return false;
  }
  outs().flush();
  errs().flush();
  worker.process = fork();
  if (worker.process == 0) {
    interruptible.restore();
    close(down[1]);
    close(up[0]);
    // The ends of other workers' pipes: with them open, these would not see
    // this process's parent go.
    for (const Worker &other : workers)
      if (&other != &worker && other.process > 0) {
        close(other.toWorker);
        close(other.fromWorker);
      }
    work(cases, down[0], up[1], runCase);
  }
  close(down[0]);
  close(up[1]);
  worker.toWorker = down[1];
  worker.fromWorker = up[0];
  worker.received.clear();
  // A worker that sends half an answer must not hold up the others, nor escape
  // its time.
  fcntl(worker.fromWorker, F_SETFL, O_NONBLOCK);
  return worker.process > 0;
}

/// Waits for the end of a worker, whatever signals come in between.
static int waitFor(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

void Pool::stop(Worker &worker) {
  if (worker.process <= 0)
    return;
  close(worker.toWorker);
  close(worker.fromWorker);
  waitFor(worker.process);
  worker.process = -1;
}

void Pool::feed(Worker &worker) {
  if (next >= numbers.size()) {
    stop(worker);
    return;
  }
  if (worker.process <= 0 && !start(worker)) {
    CaseResult result;
    result.id = cases[numbers[next]].id;
    result.op = cases[numbers[next]].op;
    result.fail(std::string("no process for it: ") + std::strerror(errno));
    worker.busyWith = next++;
    finish(worker, std::move(result));
    return;
  }
  worker.busyWith = next++;
  worker.since = Clock::now();
  uint64_t number = numbers[*worker.busyWith];
  writeAll(worker.toWorker, &number, sizeof number); // its death is seen later
}

void Pool::finish(Worker &worker, CaseResult result) {
  onResult(result);
  results[*worker.busyWith] = std::move(result);
  worker.busyWith.reset();
  ++done;
}

CaseResult Pool::explainDeath(const Worker &worker, int status) const {
  const Case &test = cases[numbers[*worker.busyWith]];
  CaseResult result;
  result.id = test.id;
  result.op = test.op;
  result.expectedStatus = test.expectedStatus;
  result.seconds =
      std::chrono::duration<double>(Clock::now() - worker.since).count();
  if (options.timeout && result.seconds >= options.timeout)
    result.fail(
        formatv("no result after {0} seconds (--timeout)", options.timeout));
  else if (WIFSIGNALED(status))
    result.fail(formatv("the process ended by signal {0}: {1}",
                        WTERMSIG(status), strsignal(WTERMSIG(status))));
  else
    result.fail(formatv("the process ended by itself, with exit status {0}",
                        WEXITSTATUS(status)));
  return result;
}

static std::optional<CaseResult> parseAnswer(StringRef text) {
  Expected<json::Value> value = parseJson(text);
  Expected<CaseResult> result =
      value ? resultFromJson(*value) : Expected<CaseResult>(value.takeError());
  if (result)
    return std::move(*result);
  consumeError(result.takeError());
  return std::nullopt;
}

/// Ends a worker whose answer cannot be used: it ran a faulty library, so
/// nothing of it is believed.
void Pool::endBadly(Worker &worker, StringRef why) {
  kill(worker.process, SIGKILL);
  stop(worker);
  CaseResult result = explainDeath(worker, 0);
  result.reasons = {why.str()};
  finish(worker, std::move(result));
}

void Pool::receive(Worker &worker) {
  // An answer is a size and so many bytes. More than this no case has to say.
  constexpr uint64_t kMost = 64 << 20;
  char buffer[1 << 16];
  ssize_t got = ::read(worker.fromWorker, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (got <= 0) {
    close(worker.toWorker);
    close(worker.fromWorker);
    int status = waitFor(worker.process);
    worker.process = -1;
    return finish(worker, explainDeath(worker, status));
  }
  worker.received.append(buffer, got);
  uint64_t size = 0;
  if (worker.received.size() < sizeof size)
    return;
  std::memcpy(&size, worker.received.data(), sizeof size);
  if (size > kMost)
    return endBadly(worker, "its process sent an answer that is none");
  if (worker.received.size() < sizeof size + size)
    return;
  std::optional<CaseResult> result =
      parseAnswer(StringRef(worker.received).substr(sizeof size, size));
  const Case &test = cases[numbers[*worker.busyWith]];
  bool more = worker.received.size() > sizeof size + size;
  if (!result || more || result->id != test.id || result->op != test.op)
    return endBadly(worker, "its process sent an answer that is none");
  worker.received.clear();
  finish(worker, std::move(*result));
}

void Pool::endLateOnes() {
  if (!options.timeout)
    return;
  for (Worker &worker : workers)
    if (worker.busyWith &&
        Clock::now() - worker.since >= std::chrono::seconds(options.timeout))
      kill(worker.process, SIGKILL); // its pipe closes, which poll reports
}

/// Ends the workers. What has no result yet was not judged.
void Pool::giveUp() {
  for (Worker &worker : workers)
    if (worker.process > 0) {
      kill(worker.process, SIGKILL);
      stop(worker);
    }
  for (auto [result, number] : zip(results, numbers))
    if (result.id.empty()) {
      result.id = cases[number].id;
      result.op = cases[number].op;
      result.outcome = Outcome::Skipped;
      result.reasons.push_back("the run was interrupted");
    }
}

std::vector<CaseResult> Pool::run() {
  // A worker that has died must not take this process with it.
  signal(SIGPIPE, SIG_IGN);
  workers.resize(std::min<size_t>(options.jobs, numbers.size()));
  for (Worker &worker : workers)
    feed(worker);
  while (done < numbers.size() && !interruption) {
    std::vector<pollfd> files;
    std::vector<Worker *> owners;
    for (Worker &worker : workers)
      if (worker.busyWith) {
        files.push_back({worker.fromWorker, POLLIN, 0});
        owners.push_back(&worker);
      } else if (next < numbers.size()) {
        feed(worker);
      }
    if (files.empty())
      continue;
    poll(files.data(), files.size(), /*milliseconds=*/1000);
    if (interruption)
      break; // workers may have died of it, too
    endLateOnes();
    for (size_t i = 0; i < files.size(); ++i)
      if (files[i].revents) {
        receive(*owners[i]);
        if (!owners[i]->busyWith)
          feed(*owners[i]);
      }
  }
  if (interruption)
    giveUp();
  for (Worker &worker : workers)
    stop(worker);
  return std::move(results);
}

std::vector<CaseResult>
lossgrad::run::runCases(const std::vector<Case> &cases,
                        const std::vector<size_t> &numbers,
                        const WorkerOptions &options,
                        function_ref<CaseResult(const Case &)> runCase,
                        function_ref<void(const CaseResult &)> onResult) {
  if (options.jobs > 0)
    return Pool(cases, numbers, options, runCase, onResult).run();
  std::vector<CaseResult> results;
  for (size_t number : numbers) {
    results.push_back(runCase(cases[number]));
    onResult(results.back());
  }
  return results;
}
