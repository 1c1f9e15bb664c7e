// See Mode.h and lossgrad/sim/Modes.h.
#include "sim/Mode.h"
#include "lossgrad/sim/Modes.h"
#include "sim/Observer.h"
#include "sim/check/Session.h"
#include "sim/profile/Session.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace lossgrad::sim {

static std::once_flag selected;
static RunMode mode = RunMode::Fast;

static void finishAtExit() {
  if (const int status = finishMode()) {
    std::fflush(nullptr);
    _exit(status);
  }
}

static void install(RunMode chosen) {
  mode = chosen;
  if (chosen == RunMode::Fast) {
    setObserverFactory(nullptr);
    setLaunchHooks({});
    return;
  }
  if (chosen == RunMode::Check) {
    setObserverFactory(check::makeObserver);
    setLaunchHooks({check::launchBegins, check::launchEnds});
  } else {
    setObserverFactory(profile::makeObserver);
    setLaunchHooks({profile::launchBegins, profile::launchEnds});
  }
  static const int registered = std::atexit(finishAtExit);
  (void)registered;
}

[[noreturn]] static void refuse(const char *variable, const char *value,
                                const char *expected) {
  std::fprintf(stderr, "lossgrad: %s is '%s', expected %s\n", variable, value,
               expected);
  std::exit(2);
}

static CheckOptions checkOptionsFromEnvironment() {
  CheckOptions options;
  if (const char *value = std::getenv("LOSSGRAD_CHECK")) {
    const std::string_view level = value;
    if (level == "strict")
      options.sync = SyncLevel::Strict;
    else if (level != "auto-sync" && !level.empty())
      refuse("LOSSGRAD_CHECK", value, "'strict' or 'auto-sync'");
  }
  return options;
}

static ProfileOptions profileOptionsFromEnvironment() {
  ProfileOptions options;
  if (const char *directory = std::getenv("LOSSGRAD_PROFILE_DIR"))
    options.directory = directory;
  if (const char *value = std::getenv("LOSSGRAD_PROFILE")) {
    const std::string_view kind = value;
    if (kind == "timing-only")
      options.timingOnly = true;
    else if (kind != "full" && !kind.empty())
      refuse("LOSSGRAD_PROFILE", value, "'full' or 'timing-only'");
  }
  return options;
}

static void selectFromEnvironment() {
  const char *value = std::getenv("LOSSGRAD_MODE");
  const std::string_view name = value ? value : "";
  if (name.empty() || name == "fast")
    return;
  if (name == "check") {
    check::configure(checkOptionsFromEnvironment());
    install(RunMode::Check);
  } else if (name == "profile") {
    profile::configure(profileOptionsFromEnvironment());
    install(RunMode::Profile);
  } else {
    refuse("LOSSGRAD_MODE", value, "'fast', 'check' or 'profile'");
  }
}

void selectModeOnce() { std::call_once(selected, selectFromEnvironment); }

void useFastMode() {
  std::call_once(selected, [] {});
  install(RunMode::Fast);
}

void useCheckMode(const CheckOptions &options) {
  std::call_once(selected, [] {});
  check::configure(options);
  install(RunMode::Check);
}

void useProfileMode(const ProfileOptions &options) {
  std::call_once(selected, [] {});
  profile::configure(options);
  install(RunMode::Profile);
}

RunMode runMode() {
  selectModeOnce();
  return mode;
}

int finishMode() {
  profile::finish();
  return check::finish();
}

} // namespace lossgrad::sim
