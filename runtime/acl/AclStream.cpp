//===- AclStream.cpp - streams, events and callbacks ----------------------===//
//
// The C functions over Stream and Event, and the thread-side of callbacks: a
// callback runs in the thread that subscribed to its stream, inside
// aclrtProcessReport.
//
//===----------------------------------------------------------------------===//
#include "Runtime.h"
#include "acl/acl_rt.h"

#include <pthread.h>

using namespace lossgrad::acl;

namespace {

/// Callbacks that wait for one subscribed thread.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> calls;
};

struct Subscriptions {
  std::mutex mutex;
  std::map<int32_t, uint64_t> threadOfStream; // by stream id
  std::map<uint64_t, std::shared_ptr<Mailbox>> mailboxes;
};
Subscriptions &subscriptions() {
  static auto *all = new Subscriptions;
  return *all;
}

aclError findEvent(const char *call, aclrtEvent handle,
                   std::shared_ptr<Event> &event) {
  if (!handle)
    return failNull(call, "event");
  event = Runtime::get().events.find(handle);
  if (event)
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_INVALID_HANDLE, "%p is %s", handle,
              Runtime::get().events.wasIssued(handle) ? "a destroyed event"
                                                      : "not an event");
}

aclError checkTimeout(const char *call, int32_t timeout) {
  if (timeout >= -1 && timeout != 0)
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID,
              "timeout %d must be -1 or positive", timeout);
}

aclError failStopped(const char *call) {
  return fail(call, ACL_ERROR_RT_INVALID_HANDLE,
              "the stream is being destroyed");
}

} // namespace

static aclError createStream(const char *call, aclrtStream *stream) {
  if (!stream)
    return failNull(call, "stream");
  void *handle = nullptr;
  auto context = Runtime::get().currentContext(&handle);
  if (!context)
    return failNoContext(call);
  return Runtime::get().createStream(call, context->device, handle, stream);
}

aclError aclrtCreateStream(aclrtStream *stream) {
  return createStream("aclrtCreateStream", stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                     uint32_t flag) {
  const char *call = "aclrtCreateStreamWithConfig";
  if (priority > 7)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "priority %u is not in [0, 7]", priority);
  if (flag & ~(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC))
    return fail(call, ACL_ERROR_RT_PARAM_INVALID, "flag %#x is unknown", flag);
  return createStream(call, stream);
}

static aclError destroyStream(const char *call, aclrtStream handle,
                              bool finishQueue) {
  if (!handle)
    return failNull(call, "stream");
  Runtime &runtime = Runtime::get();
  for (auto &entry : runtime.contexts.all())
    if (entry.second->defaultStream == handle)
      return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                  "the default stream of a context cannot be destroyed");
  std::shared_ptr<Stream> stream = runtime.streams.remove(handle);
  if (!stream)
    return fail(call, ACL_ERROR_RT_INVALID_HANDLE, "%p is %s", handle,
                runtime.streams.wasIssued(handle) ? "a destroyed stream"
                                                  : "not a stream");
  stream->shutDown(finishQueue);
  TaskResult failure = stream->takeFailure();
  if (failure.code != ACL_SUCCESS && finishQueue)
    return fail(call, failure.code, "stream %d: %s", stream->id,
                failure.text.c_str());
  return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return destroyStream("aclrtDestroyStream", stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return destroyStream("aclrtDestroyStreamForce", stream, false);
}

static aclError synchronizeStream(const char *call, aclrtStream handle,
                                  int32_t timeout) {
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, handle, stream))
    return error;
  return Runtime::get().synchronize(call, stream, Deadline(timeout));
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return synchronizeStream("aclrtSynchronizeStream", stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream,
                                           int32_t timeout) {
  const char *call = "aclrtSynchronizeStreamWithTimeout";
  if (aclError error = checkTimeout(call, timeout))
    return error;
  return synchronizeStream(call, stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status) {
  if (!status)
    return failNull("aclrtStreamQuery", "status");
  std::shared_ptr<Stream> stream;
  if (aclError error =
          Runtime::get().resolveStream("aclrtStreamQuery", handle, stream))
    return error;
  const uint64_t tail = stream->tail();
  *status = stream->done(tail) ? ACL_STREAM_STATUS_COMPLETE
                               : ACL_STREAM_STATUS_NOT_READY;
  stream->release(tail); // a program that polls waits, too
  return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream handle, int32_t *streamId) {
  if (!streamId)
    return failNull("aclrtStreamGetId", "streamId");
  std::shared_ptr<Stream> stream;
  if (aclError error =
          Runtime::get().resolveStream("aclrtStreamGetId", handle, stream))
    return error;
  *streamId = stream->id;
  return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode) {
  const char *call = "aclrtSetStreamFailureMode";
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID, "mode %zu is unknown",
                size_t(mode));
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, handle, stream))
    return error;
  stream->stopOnFailure(mode == ACL_STOP_ON_FAILURE);
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream handle, aclrtEvent eventHandle) {
  const char *call = "aclrtStreamWaitEvent";
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, eventHandle, event))
    return error;
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, handle, stream))
    return error;
  return Event::wait(event, stream) ? ACL_SUCCESS : failStopped(call);
}

static aclError createEvent(const char *call, aclrtEvent *event,
                            Event::Kind kind, bool timed) {
  if (!event)
    return failNull(call, "event");
  if (!Runtime::get().currentContext())
    return failNoContext(call);
  *event = Runtime::get().events.insert(std::make_shared<Event>(kind, timed));
  return ACL_SUCCESS;
}

static aclError checkEventFlag(const char *call, uint32_t flag) {
  const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                         ACL_EVENT_TIME_LINE | ACL_EVENT_EXTERNAL;
  if (!(flag & ~known))
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID, "flag %#x has unknown bits",
              flag);
}

aclError aclrtCreateEvent(aclrtEvent *event) {
  return createEvent("aclrtCreateEvent", event, Event::Kind::Plain, true);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) {
  const char *call = "aclrtCreateEventWithFlag";
  if (aclError error = checkEventFlag(call, flag))
    return error;
  return createEvent(call, event, Event::Kind::Flagged,
                     flag & ACL_EVENT_TIME_LINE);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
  const char *call = "aclrtCreateEventExWithFlag";
  if (aclError error = checkEventFlag(call, flag))
    return error;
  return createEvent(call, event, Event::Kind::Extended,
                     flag & ACL_EVENT_TIME_LINE);
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
  std::shared_ptr<Event> event;
  if (aclError error = findEvent("aclrtDestroyEvent", handle, event))
    return error;
  Runtime::get().events.remove(handle);
  return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream streamHandle) {
  const char *call = "aclrtRecordEvent";
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, handle, event))
    return error;
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, streamHandle, stream))
    return error;
  return Event::record(event, stream) ? ACL_SUCCESS : failStopped(call);
}

aclError aclrtResetEvent(aclrtEvent handle, aclrtStream streamHandle) {
  const char *call = "aclrtResetEvent";
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, handle, event))
    return error;
  if (event->kind == Event::Kind::Plain)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "an event from aclrtCreateEvent cannot be reset; create it "
                "with a flag");
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, streamHandle, stream))
    return error;
  return Event::reset(event, stream) ? ACL_SUCCESS : failStopped(call);
}

/// One look at an event; a program that polls waits, too.
static aclError queryEvent(const char *call, aclrtEvent handle,
                           const void *status, bool &complete) {
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, handle, event))
    return error;
  if (!status)
    return failNull(call, "status");
  complete = event->complete();
  event->releaseRecord();
  return ACL_SUCCESS;
}

aclError aclrtQueryEvent(aclrtEvent handle, aclrtEventStatus *status) {
  bool complete = false;
  if (aclError error = queryEvent("aclrtQueryEvent", handle, status, complete))
    return error;
  *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent handle,
                               aclrtEventRecordedStatus *status) {
  bool complete = false;
  if (aclError error =
          queryEvent("aclrtQueryEventStatus", handle, status, complete))
    return error;
  *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                     : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent handle,
                                   aclrtEventWaitStatus *status) {
  const char *call = "aclrtQueryEventWaitStatus";
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, handle, event))
    return error;
  if (!status)
    return failNull(call, "status");
  *status = event->waitsDone() ? ACL_EVENT_WAIT_STATUS_COMPLETE
                               : ACL_EVENT_WAIT_STATUS_NOT_READY;
  event->releaseRecord();
  return ACL_SUCCESS;
}

static aclError synchronizeEvent(const char *call, aclrtEvent handle,
                                 int32_t timeout) {
  std::shared_ptr<Event> event;
  if (aclError error = findEvent(call, handle, event))
    return error;
  if (!Runtime::get().currentContext())
    return failNoContext(call);
  if (!event->synchronize(Deadline(timeout)))
    return fail(call, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                "the event is not complete after %d ms", timeout);
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return synchronizeEvent("aclrtSynchronizeEvent", event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  const char *call = "aclrtSynchronizeEventWithTimeout";
  if (aclError error = checkTimeout(call, timeout))
    return error;
  return synchronizeEvent(call, event, timeout);
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
                               aclrtEvent endEvent) {
  const char *call = "aclrtEventElapsedTime";
  if (!ms)
    return failNull(call, "ms");
  std::shared_ptr<Event> start, end;
  if (aclError error = findEvent(call, startEvent, start))
    return error;
  if (aclError error = findEvent(call, endEvent, end))
    return error;
  if (!start->everRecorded() || !end->everRecorded())
    return fail(call, ACL_ERROR_RT_INTERNAL_ERROR,
                "the %s event was never recorded",
                start->everRecorded() ? "end" : "start");
  Clock::time_point from, to;
  const bool startTimed = start->timestamp(from);
  if (!startTimed || !end->timestamp(to))
    return fail(call, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                "the %s event has no time stamp: it is not complete, or it was "
                "created without ACL_EVENT_TIME_LINE",
                startTimed ? "end" : "start");
  *ms = std::chrono::duration<float, std::milli>(to - from).count();
  return ACL_SUCCESS;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream handle) {
  const char *call = "aclrtSubscribeReport";
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, handle, stream))
    return error;
  Subscriptions &all = subscriptions();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.threadOfStream.count(stream->id))
    return fail(call, ACL_ERROR_RT_STREAM_SUBSCRIBE,
                "stream %d already has a subscribed thread", stream->id);
  all.threadOfStream[stream->id] = threadId;
  auto &mailbox = all.mailboxes[threadId];
  if (!mailbox)
    mailbox = std::make_shared<Mailbox>();
  return ACL_SUCCESS;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream("aclrtUnSubscribeReport",
                                                    handle, stream))
    return error;
  Subscriptions &all = subscriptions();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.threadOfStream.find(stream->id);
  if (found == all.threadOfStream.end() || found->second != threadId)
    return fail("aclrtUnSubscribeReport", ACL_ERROR_RT_STREAM_SUBSCRIBE,
                "thread %zu is not subscribed to this stream",
                size_t(threadId));
  all.threadOfStream.erase(found);
  for (auto &entry : all.threadOfStream)
    if (entry.second == threadId)
      return ACL_SUCCESS;
  all.mailboxes.erase(threadId);
  return ACL_SUCCESS;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
                             aclrtCallbackBlockType blockType,
                             aclrtStream handle) {
  const char *call = "aclrtLaunchCallback";
  if (!fn)
    return failNull(call, "fn");
  if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
    return fail(call, ACL_ERROR_INVALID_PARAM, "blockType %d is unknown",
                int(blockType));
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, handle, stream))
    return error;
  std::shared_ptr<Mailbox> mailbox;
  {
    Subscriptions &all = subscriptions();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.threadOfStream.find(stream->id);
    if (found == all.threadOfStream.end())
      return fail(call, ACL_ERROR_RT_STREAM_NO_CB_REG,
                  "no thread is subscribed to stream %d; call "
                  "aclrtSubscribeReport first",
                  stream->id);
    mailbox = all.mailboxes[found->second];
  }
  Stream *owner = stream.get();
  Task task = [=]() -> TaskResult {
    auto ran = std::make_shared<std::atomic<bool>>(false);
    std::unique_lock<std::mutex> lock(mailbox->mutex);
    mailbox->calls.push_back([=] {
      fn(userData);
      *ran = true;
    });
    mailbox->changed.notify_all();
    while (blockType == ACL_CALLBACK_BLOCK && !*ran && !owner->stopping())
      mailbox->changed.wait_for(lock, std::chrono::milliseconds(20));
    return {};
  };
  return stream->enqueue(std::move(task)) ? ACL_SUCCESS : failStopped(call);
}

aclError aclrtProcessReport(int32_t timeout) {
  const char *call = "aclrtProcessReport";
  if (aclError error = checkTimeout(call, timeout))
    return error;
  std::shared_ptr<Mailbox> mailbox;
  {
    Subscriptions &all = subscriptions();
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.mailboxes.find(uint64_t(pthread_self()));
    if (found == all.mailboxes.end())
      return fail(call, ACL_ERROR_RT_THREAD_SUBSCRIBE,
                  "this thread is not subscribed to any stream");
    mailbox = found->second;
  }
  std::function<void()> next;
  {
    std::unique_lock<std::mutex> lock(mailbox->mutex);
    auto ready = [&] { return !mailbox->calls.empty(); };
    if (timeout < 0)
      mailbox->changed.wait(lock, ready);
    else if (!mailbox->changed.wait_until(lock, Deadline(timeout).at, ready))
      return fail(call, ACL_ERROR_RT_REPORT_TIMEOUT,
                  "no callback arrived within %d ms", timeout);
    next = std::move(mailbox->calls.front());
    mailbox->calls.pop_front();
  }
  next();
  mailbox->changed.notify_all();
  return ACL_SUCCESS;
}
