// See Fluid.h.
#include "sim/profile/Fluid.h"

#include <algorithm>

namespace lossgrad::sim::profile {

void Fluid::moveTo(double time) {
  const double passed = time - now;
  if (passed > 0)
    for (Transfer &transfer : active)
      transfer.left = std::max(0.0, transfer.left - transfer.rate * passed);
  now = std::max(now, time);
}

// Water-filling: the level to which a resource fills all its users, where those
// that want less than the level get what they want.
void Fluid::limit(double total, double Transfer::*part) {
  double wanted = 0;
  size_t users = 0;
  for (const Transfer &t : active)
    if (t.*part > 0) {
      wanted += t.rate * t.*part;
      ++users;
    }
  if (wanted <= total || users == 0)
    return;
  std::vector<double> demands;
  demands.reserve(users);
  for (const Transfer &t : active)
    if (t.*part > 0)
      demands.push_back(t.rate * t.*part);
  std::sort(demands.begin(), demands.end());
  double left = total, level = 0;
  for (size_t i = 0; i < demands.size(); ++i) {
    level = left / double(demands.size() - i);
    if (demands[i] >= level)
      break;
    left -= demands[i];
  }
  for (Transfer &t : active)
    if (t.*part > 0 && t.rate * t.*part > level)
      t.rate = level / t.*part;
}

void Fluid::share() {
  for (Transfer &t : active)
    t.rate = t.greatest;
  limit(memoryRate, &Transfer::memoryPart);
  limit(l2Rate, &Transfer::l2Part);
  next = kNever;
  for (size_t i = 0; i < active.size(); ++i) {
    const double end = now + active[i].left / active[i].rate;
    if (end < next) {
      next = end;
      nextIndex = i;
    }
  }
}

uint32_t Fluid::start(double time, double bytes, double greatest,
                      double memoryPart, double l2Part) {
  moveTo(time);
  active.push_back({++lastId, bytes, greatest, memoryPart, l2Part});
  share();
  return lastId;
}

uint32_t Fluid::finishNext() {
  moveTo(next);
  const uint32_t id = active[nextIndex].id;
  active[nextIndex] = active.back();
  active.pop_back();
  share();
  return id;
}

} // namespace lossgrad::sim::profile
