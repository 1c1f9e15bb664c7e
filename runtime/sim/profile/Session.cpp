// See Session.h.
#include "sim/profile/Session.h"

namespace lossgrad::sim::profile {

void configure(const ProfileOptions &) {}
std::unique_ptr<Observer> makeObserver(Core &) { return nullptr; }
void launchBegins(Launch &) {}
void launchEnds(Launch &, LaunchResult &) {}
void finish() {}

} // namespace lossgrad::sim::profile
