//===- Stream.h - work in order, done by a worker ---------------*- C++ -*-===//
//
// A stream is a queue of tasks and one worker thread, started by the first
// task. Nothing runs inside the call that enqueues it. A held stream (check
// mode) runs a task only after some synchronising call has released it, so that
// a result read too early is visibly missing. Contexts and handles are
// Runtime.h's business.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACL_STREAM_H
#define LOSSGRAD_RUNTIME_ACL_STREAM_H

#include "Diagnostics.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace lossgrad::acl {

/// How a task ended: a device fault surfaces at the next synchronise.
struct TaskResult {
  aclError code = ACL_SUCCESS;
  std::string text;
};
using Task = std::function<TaskResult()>;

using Clock = std::chrono::steady_clock;

/// Milliseconds as the API gives them; negative waits for ever.
struct Deadline {
  explicit Deadline(int32_t milliseconds)
      : forever(milliseconds < 0),
        at(Clock::now() +
           std::chrono::milliseconds(forever ? 0 : milliseconds)) {}
  bool forever;
  Clock::time_point at;
};

class LOSSGRAD_EXPORT Stream {
public:
  Stream(int32_t id, int32_t device, void *context, bool held);
  ~Stream();
  Stream(const Stream &) = delete;

  const int32_t id;
  const int32_t device;
  void *const context; // handle of the owning context

  /// The ticket of the task, 0 when the stream is stopped.
  uint64_t enqueue(Task task);

  /// The newest ticket.
  uint64_t tail() const;

  /// Lets a held stream run up to `ticket`.
  void release(uint64_t ticket);

  /// Releases and waits; false when the deadline passes first.
  bool waitFor(uint64_t ticket, const Deadline &deadline);

  bool done(uint64_t ticket) const;

  /// The first failure since the last call.
  TaskResult takeFailure();

  /// true: after a failure the rest of the queue is dropped.
  void stopOnFailure(bool stop);

  /// Ends the worker, after the queue is empty or at once.
  void shutDown(bool finishQueue);

  /// The worker is to give up waiting for something else.
  bool stopping() const;

private:
  void work();

  mutable std::mutex mutex;
  std::condition_variable wakeWorker;
  mutable std::condition_variable progress;
  std::deque<Task> queue;
  uint64_t enqueued = 0;
  uint64_t released = 0;
  uint64_t finished = 0;
  const bool held;
  bool dropAfterFailure = false;
  bool stopped = false;
  TaskResult failure;
  std::thread worker;
};

/// A point in a stream. Waiting tasks hold a snapshot of the record they wait
/// for; later records do not move it.
class LOSSGRAD_EXPORT Event {
public:
  enum class Kind { Plain, Flagged, Extended };
  Event(Kind kind, bool timed) : kind(kind), timed(timed) {}

  const Kind kind;
  const bool timed;

  /// Puts a record on the stream; false when the stream is stopped.
  static bool record(const std::shared_ptr<Event> &event,
                     const std::shared_ptr<Stream> &stream);
  static bool reset(const std::shared_ptr<Event> &event,
                    const std::shared_ptr<Stream> &stream);
  /// Makes the stream wait for the newest record.
  static bool wait(const std::shared_ptr<Event> &event,
                   const std::shared_ptr<Stream> &stream);

  /// Lets held streams reach the newest record.
  void releaseRecord();
  bool complete() const;
  bool everRecorded() const;
  bool waitsDone() const;
  /// Blocks the caller until the newest record is complete.
  bool synchronize(const Deadline &deadline);
  /// The time of the newest record; false when there is none.
  bool timestamp(Clock::time_point &time) const;

private:
  bool isCompleteLocked() const;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  uint64_t recordsIssued = 0;
  uint64_t recordsDone = 0;
  int waitsPending = 0;
  std::weak_ptr<Stream> recordStream;
  uint64_t recordTicket = 0;
  bool hasTime = false;
  Clock::time_point time;
};

} // namespace lossgrad::acl

#endif // LOSSGRAD_RUNTIME_ACL_STREAM_H
