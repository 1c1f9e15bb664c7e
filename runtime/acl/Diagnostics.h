//===- Diagnostics.h - how the host API reports errors ----------*- C++ -*-===//
//
// One place where a failed call leaves its trace: the recent-error text of the
// calling thread (newest first, cleared by reading), the last-error code, and
// the log. Which call fails with which code is decided by the callers.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_ACL_DIAGNOSTICS_H
#define LOSSGRAD_RUNTIME_ACL_DIAGNOSTICS_H

#include "acl/acl_base.h"

#include <string>

#define LOSSGRAD_EXPORT __attribute__((visibility("default")))

namespace lossgrad::acl {

/// Records "<call>: <text>" for the calling thread and returns `code`, so that
/// a check reads `return fail("aclrtFree", 107000, "...")`.
LOSSGRAD_EXPORT aclError fail(const char *call, aclError code, const char *fmt,
                              ...) __attribute__((format(printf, 3, 4)));

/// The same for text that is ready.
LOSSGRAD_EXPORT aclError failText(const char *call, aclError code,
                                  const std::string &text);

/// A line of ACL_APP_LOG(ACL_ERROR, ...): recorded, but no status of a call.
void noteApplicationError(const char *function, const std::string &text);

/// Writes one line to stderr if `level` reaches the threshold.
LOSSGRAD_EXPORT void log(aclLogLevel level, const std::string &text);

/// The accumulated text, newest first, which it clears; null when empty.
const char *takeRecentError();

aclError peekLastError();
aclError takeLastError();

/// true: one message list for the process instead of one per thread.
void shareErrorsAcrossThreads(bool share);

/// printf into a string.
LOSSGRAD_EXPORT std::string format(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

} // namespace lossgrad::acl

#endif // LOSSGRAD_RUNTIME_ACL_DIAGNOSTICS_H
