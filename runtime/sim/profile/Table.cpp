// The terminal's view of a profile.
#include "sim/profile/Profile.h"

#include <cstdio>
#include <ostream>

namespace lossgrad::sim::profile {

namespace {

template <typename... Args> std::string format(const char *f, Args... args) {
  char text[512];
  std::snprintf(text, sizeof text, f, args...);
  return text;
}

std::string bytesText(double bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit < 3) {
    bytes /= 1024;
    ++unit;
  }
  return format(unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

std::string ratio(double value, double bound) {
  return bound > 0 ? format("%.2fx", value / bound) : "-";
}

void writeCalls(const LaunchProfile &p, std::ostream &os) {
  os << format("  %-24s %-5s %12s %12s %12s %10s\n", "call", "pipe", "times",
               "cycles", "bytes", "conflicts");
  size_t shown = 0;
  for (const CallRow &row : p.kinds) {
    if (++shown > 16)
      break;
    os << format("  %-24s %-5s %12llu %12.0f %12s %10.0f\n", row.call.c_str(),
                 row.pipe.c_str(), static_cast<unsigned long long>(row.times),
                 row.cycles,
                 row.bytes ? bytesText(double(row.bytes)).c_str() : "-",
                 row.conflictCycles);
  }
  if (p.kinds.size() > 16)
    os << format("  ... %zu more\n", p.kinds.size() - 16);
}

} // namespace

void writeTable(const LaunchProfile &p, std::ostream &os) {
  os << format("kernel '%s' on %s: %u blocks on %u of %u cores%s\n",
               p.kernel.c_str(), p.soc.c_str(), p.blocks, p.cores, p.chipCores,
               p.timingOnly ? " (timing only, no data)" : "");
  os << format("  modelled time      %10.2f us (%.0f cycles), with launch "
               "%.2f us",
               p.us, p.cycles, p.totalUs);
  if (p.highUs > p.lowUs)
    os << format(", %.2f to %.2f by start order", p.lowUs, p.highUs);
  os << "\n";
  os << format("  bounds             floor %.2f us (%s), nominal %.2f us, "
               "expected %.2f us (%s), vector issue %.2f us (%s)\n",
               p.bounds.floor, ratio(p.us, p.bounds.floor).c_str(),
               p.bounds.nominal, p.bounds.expected,
               ratio(p.totalUs, p.bounds.expected).c_str(), p.bounds.vector,
               ratio(p.us, p.bounds.vector).c_str());
  os << format("  pipes              S %.0f %%, V %.0f %%, MTE2 %.0f %%, MTE3 "
               "%.0f %%; critical: %s\n",
               p.utilisation[0] * 100, p.utilisation[1] * 100,
               p.utilisation[2] * 100, p.utilisation[3] * 100,
               nameOf(p.critical));
  os << format("  global memory      %s read (%s each once), %s written; L2 "
               "hits %s\n",
               bytesText(double(p.loadBytes)).c_str(),
               bytesText(double(p.distinctReadBytes)).c_str(),
               bytesText(double(p.storeBytes)).c_str(),
               bytesText(double(p.l2HitBytes)).c_str());
  os << format("  UB                 %s of %s used at most; bank conflicts "
               "%.1f %% of vector cycles\n",
               bytesText(double(p.ubHighWater)).c_str(),
               bytesText(double(p.ubBytes)).c_str(), p.conflictShare * 100);
  os << format("  load balance       slowest core %.2f of the mean\n",
               p.balance);
  os << format("  scalar accesses    %llu UB reads, %llu UB writes, %llu GM "
               "reads, %llu GM writes\n",
               static_cast<unsigned long long>(p.scalarReads),
               static_cast<unsigned long long>(p.scalarWrites),
               static_cast<unsigned long long>(p.globalReads),
               static_cast<unsigned long long>(p.globalWrites));
  if (p.readsMissingData())
    os << "  no data            the kernel reads scalars, which are zeros in a "
          "timing-only run: if its course depends on them, these are the bytes "
          "and times of zeros; LOSSGRAD_PROFILE=full has the data\n";
  if (p.impliedBarriers)
    os << format("  implied barriers   %llu dependent vector pairs without a "
                 "written barrier pay the drain\n",
                 static_cast<unsigned long long>(p.impliedBarriers));
  writeCalls(p, os);
  os << "  Modelled, not measured: differences under 10 % are none; scalar "
        "code "
        "between calls is not seen.\n";
}

} // namespace lossgrad::sim::profile
