//===- Diagnostics.cpp - how the host API reports errors ------------------===//
//
// Message lists per thread (or one for the process) and the stderr log. The
// code in front of a message depends on the first digit of the status, as the
// vendor's does.
//
//===----------------------------------------------------------------------===//
#include "Diagnostics.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>

namespace lossgrad::acl {
namespace {

// A program that never reads its errors must not grow without bound.
constexpr size_t MaxMessages = 64;

struct Messages {
  std::deque<std::string> texts; // newest first
  std::string handedOut;         // what the last read returned
};

thread_local Messages threadMessages;
thread_local aclError lastError = ACL_SUCCESS;

std::atomic<bool> shared{false};
std::mutex sharedMutex;
Messages &sharedMessages() {
  static auto *messages = new Messages; // outlives every thread
  return *messages;
}

const char *messageCode(aclError code) {
  switch (code / 100000) {
  case 1:
    return "EZ1001";
  case 3:
    return "EZ9903";
  default:
    return "EZ9999";
  }
}

void push(Messages &to, std::string text) {
  to.texts.push_front(std::move(text));
  if (to.texts.size() > MaxMessages)
    to.texts.pop_back();
}

void record(std::string message) {
  if (!shared)
    return push(threadMessages, std::move(message));
  std::lock_guard<std::mutex> lock(sharedMutex);
  push(sharedMessages(), std::move(message));
}

const char *take(Messages &from) {
  if (from.texts.empty())
    return nullptr;
  from.handedOut.clear();
  for (const std::string &text : from.texts)
    from.handedOut += text + "\n";
  from.texts.clear();
  return from.handedOut.c_str();
}

std::string vformat(const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(nullptr, 0, fmt, args);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0)
    vsnprintf(text.data(), text.size() + 1, fmt, again);
  va_end(again);
  return text;
}

aclLogLevel threshold() {
  static const aclLogLevel level = [] {
    const char *value = std::getenv("LOSSGRAD_LOG_LEVEL");
    if (!value || !*value)
      return ACL_ERROR;
    const std::string name = value;
    if (name == "debug" || name == "0")
      return ACL_DEBUG;
    if (name == "info" || name == "1")
      return ACL_INFO;
    if (name == "warning" || name == "2")
      return ACL_WARNING;
    return ACL_ERROR;
  }();
  return level;
}

} // namespace

std::string format(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  std::string text = vformat(fmt, args);
  va_end(args);
  return text;
}

aclError failText(const char *call, aclError code, const std::string &text) {
  lastError = code;
  std::string message = std::string(messageCode(code)) + ": " + call + ": " +
                        text + " (" + std::to_string(code) + ")";
  log(ACL_INFO, message);
  record(std::move(message));
  return code;
}

void noteApplicationError(const char *function, const std::string &text) {
  record(std::string(messageCode(100000)) + ": " + function + ": " + text);
}

aclError fail(const char *call, aclError code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  std::string text = vformat(fmt, args);
  va_end(args);
  return failText(call, code, text);
}

void log(aclLogLevel level, const std::string &text) {
  static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  if (level < threshold() || level < ACL_DEBUG || level > ACL_ERROR)
    return;
  std::fprintf(stderr, "[%s] %s\n", names[level], text.c_str());
}

const char *takeRecentError() {
  if (!shared)
    return take(threadMessages);
  // The text handed out belongs to the reader: another thread may read next.
  std::lock_guard<std::mutex> lock(sharedMutex);
  std::swap(threadMessages.handedOut, sharedMessages().handedOut);
  const char *text = take(sharedMessages());
  std::swap(threadMessages.handedOut, sharedMessages().handedOut);
  return text ? threadMessages.handedOut.c_str() : nullptr;
}

aclError peekLastError() { return lastError; }

aclError takeLastError() {
  aclError error = lastError;
  lastError = ACL_SUCCESS;
  return error;
}

void shareErrorsAcrossThreads(bool share) { shared = share; }

} // namespace lossgrad::acl
