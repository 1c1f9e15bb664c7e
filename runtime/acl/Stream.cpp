//===- Stream.cpp - work in order, done by a worker -----------------------===//
//
// The worker loop of a stream and the hand-shake of events between streams.
//
//===----------------------------------------------------------------------===//
#include "Stream.h"

#include <exception>

namespace lossgrad::acl {

Stream::Stream(int32_t id, int32_t device, void *context, bool held)
    : id(id), device(device), context(context), held(held) {}

Stream::~Stream() { shutDown(/*finishQueue=*/false); }

uint64_t Stream::enqueue(Task task) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stopped)
    return 0;
  if (!worker.joinable())
    worker = std::thread([this] { work(); });
  queue.push_back(std::move(task));
  ++enqueued;
  if (!held)
    released = enqueued;
  wakeWorker.notify_one();
  return enqueued;
}

uint64_t Stream::tail() const {
  std::lock_guard<std::mutex> lock(mutex);
  return enqueued;
}

void Stream::release(uint64_t ticket) {
  std::lock_guard<std::mutex> lock(mutex);
  if (ticket <= released)
    return;
  released = ticket;
  wakeWorker.notify_one();
}

bool Stream::done(uint64_t ticket) const {
  std::lock_guard<std::mutex> lock(mutex);
  return finished >= ticket;
}

bool Stream::waitFor(uint64_t ticket, const Deadline &deadline) {
  release(ticket);
  std::unique_lock<std::mutex> lock(mutex);
  auto reached = [&] { return finished >= ticket; };
  if (deadline.forever) {
    progress.wait(lock, reached);
    return true;
  }
  return progress.wait_until(lock, deadline.at, reached);
}

TaskResult Stream::takeFailure() {
  std::lock_guard<std::mutex> lock(mutex);
  TaskResult result = std::move(failure);
  failure = TaskResult();
  return result;
}

void Stream::stopOnFailure(bool stop) {
  std::lock_guard<std::mutex> lock(mutex);
  dropAfterFailure = stop;
}

bool Stream::stopping() const {
  std::lock_guard<std::mutex> lock(mutex);
  return stopped;
}

void Stream::shutDown(bool finishQueue) {
  std::thread ending;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (finishQueue && worker.joinable()) {
      released = enqueued;
      wakeWorker.notify_one();
      progress.wait(lock, [&] { return finished >= enqueued; });
    }
    stopped = true;
    ending = std::move(worker);
    wakeWorker.notify_one();
  }
  if (!ending.joinable())
    return;
  // A task may hold the last reference to its own stream.
  if (ending.get_id() == std::this_thread::get_id())
    ending.detach();
  else
    ending.join();
}

void Stream::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wakeWorker.wait(lock, [&] {
      return stopped || (!queue.empty() && finished < released);
    });
    if (stopped)
      break;
    Task task = std::move(queue.front());
    queue.pop_front();
    const bool skip = dropAfterFailure && failure.code != ACL_SUCCESS;
    lock.unlock();
    TaskResult result;
    if (!skip) {
      try {
        result = task();
      } catch (const std::exception &error) {
        result = {ACL_ERROR_RT_INTERNAL_ERROR, error.what()};
      }
    }
    task = nullptr; // operands are let go before anybody is told
    lock.lock();
    if (result.code != ACL_SUCCESS && failure.code == ACL_SUCCESS)
      failure = std::move(result);
    ++finished;
    progress.notify_all();
  }
  // Whoever waits for work that will never be done must not wait for ever.
  queue.clear();
  finished = enqueued;
  progress.notify_all();
}

bool Event::record(const std::shared_ptr<Event> &event,
                   const std::shared_ptr<Stream> &stream) {
  std::lock_guard<std::mutex> lock(event->mutex);
  const uint64_t number = event->recordsIssued + 1;
  const uint64_t ticket = stream->enqueue([event, number]() -> TaskResult {
    std::lock_guard<std::mutex> inner(event->mutex);
    event->recordsDone = std::max(event->recordsDone, number);
    event->time = Clock::now();
    event->hasTime = true;
    event->changed.notify_all();
    return {};
  });
  if (!ticket)
    return false;
  event->recordsIssued = number;
  event->recordStream = stream;
  event->recordTicket = ticket;
  return true;
}

bool Event::reset(const std::shared_ptr<Event> &event,
                  const std::shared_ptr<Stream> &stream) {
  return stream->enqueue([event]() -> TaskResult {
    std::lock_guard<std::mutex> lock(event->mutex);
    event->recordsIssued = event->recordsDone = 0;
    event->hasTime = false;
    return {};
  }) != 0;
}

bool Event::wait(const std::shared_ptr<Event> &event,
                 const std::shared_ptr<Stream> &stream) {
  std::lock_guard<std::mutex> lock(event->mutex);
  // An extended event that was never recorded counts as complete; a plain one
  // makes the stream wait for its first record.
  const uint64_t number = event->kind == Event::Kind::Extended
                              ? event->recordsIssued
                              : std::max<uint64_t>(event->recordsIssued, 1);
  Stream *waiting = stream.get(); // its worker runs the task: it outlives it
  const bool queued = stream->enqueue([event, number, waiting]() -> TaskResult {
    event->releaseRecord();
    std::unique_lock<std::mutex> inner(event->mutex);
    while (event->recordsDone < number && !waiting->stopping()) {
      // Short waits: a stream that is torn down must notice.
      event->changed.wait_for(inner, std::chrono::milliseconds(20));
      if (event->recordsDone >= number)
        break;
      inner.unlock();
      event->releaseRecord();
      inner.lock();
    }
    --event->waitsPending;
    return {};
  }) != 0;
  if (queued)
    ++event->waitsPending;
  return queued;
}

void Event::releaseRecord() {
  std::shared_ptr<Stream> stream;
  uint64_t ticket;
  {
    std::lock_guard<std::mutex> lock(mutex);
    stream = recordStream.lock();
    ticket = recordTicket;
  }
  if (stream)
    stream->release(ticket);
}

bool Event::isCompleteLocked() const {
  if (recordsIssued == 0)
    return kind == Kind::Extended;
  return recordsDone >= recordsIssued;
}

bool Event::complete() const {
  std::lock_guard<std::mutex> lock(mutex);
  return isCompleteLocked();
}

bool Event::everRecorded() const {
  std::lock_guard<std::mutex> lock(mutex);
  return recordsIssued > 0;
}

bool Event::waitsDone() const {
  std::lock_guard<std::mutex> lock(mutex);
  return waitsPending == 0;
}

bool Event::synchronize(const Deadline &deadline) {
  releaseRecord();
  std::unique_lock<std::mutex> lock(mutex);
  auto complete = [&] { return isCompleteLocked() || recordsIssued == 0; };
  if (deadline.forever) {
    changed.wait(lock, complete);
    return true;
  }
  return changed.wait_until(lock, deadline.at, complete);
}

bool Event::timestamp(Clock::time_point &result) const {
  std::lock_guard<std::mutex> lock(mutex);
  result = time;
  return hasTime && timed && recordsDone >= recordsIssued;
}

} // namespace lossgrad::acl
