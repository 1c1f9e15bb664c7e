// See WorkerPool.h.
#include "sim/WorkerPool.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace lossgrad::sim {

namespace {
class WorkerPool {
public:
  void run(unsigned workers, const std::function<void(unsigned)> &newJob) {
    std::lock_guard<std::mutex> oneAtATime(runMutex);
    {
      std::lock_guard<std::mutex> lock(mutex);
      job = &newJob;
      wanted = workers - 1;
      pending = wanted;
      ++round;
      while (threads < wanted)
        std::thread(&WorkerPool::serve, this, threads++).detach();
    }
    if (wanted)
      wake.notify_all();
    newJob(0);
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [&] { return pending == 0; });
  }

private:
  void serve(unsigned number) {
    uint64_t seen = 0;
    for (;;) {
      const std::function<void(unsigned)> *mine;
      {
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [&] { return round != seen && number < wanted; });
        seen = round;
        mine = job;
      }
      (*mine)(number + 1);
      std::lock_guard<std::mutex> lock(mutex);
      if (--pending == 0)
        done.notify_one();
    }
  }

  std::mutex runMutex, mutex;
  std::condition_variable wake, done;
  const std::function<void(unsigned)> *job = nullptr;
  unsigned threads = 0, wanted = 0, pending = 0;
  uint64_t round = 0;
};

// Leaked on purpose: its threads wait for ever. A forked child has none of
// them and gets a pool of its own.
WorkerPool *pool = nullptr;
} // namespace

void runOnWorkers(unsigned workers, const std::function<void(unsigned)> &job) {
  static std::once_flag once;
  std::call_once(once, [] {
    pool = new WorkerPool;
    pthread_atfork(nullptr, nullptr, [] { pool = new WorkerPool; });
  });
  pool->run(workers, job);
}

unsigned hostThreads() {
  // That it is a number is seen to before a launch.
  if (const char *text = std::getenv("LOSSGRAD_THREADS"); text && *text)
    return static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace lossgrad::sim
