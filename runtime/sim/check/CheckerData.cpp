// Undefined data: how copies, scalar access and vector instructions move it,
// and where it is an error.
#include "sim/GlobalRegistry.h"
#include "sim/Runs.h"
#include "sim/check/Checker.h"

#include <algorithm>
#include <cstring>

namespace lossgrad::sim::check {

// Where the bytes matter, and how they came there: an undefined mask is the
// fault of the selection, everything else of who uses the bytes.
void Checker::reportUndefined(const Footprint &footprint, uint64_t address,
                              uint64_t bytes, const std::string &use) {
  // It has no UB: copies to it do nothing there, and nothing of this runs on
  // the device.
  if (core.type == CoreType::Cube)
    return;
  const char *advice =
      "write them first (Duplicate, a copy, or a smaller count)";
  const Place here{footprint.call, footprint.site, footprint.pipe};
  const Shadow::Origin origin = shadow.originAt(address);
  std::string what = "bytes that nothing has written ";
  if (!origin) {
    report(here, address, address + bytes,
           {"undefined-data", what + use, advice});
    return;
  }
  const Place &first = places[(origin & ~Shadow::kSelected) - 1u];
  const uint64_t source = shadow.sourceOf(origin);
  if (origin & Shadow::kSelected) {
    what += "decide a selection whose lanes " + use + " by " + textOf(here);
    report(first, source, source + 1, {"undefined-data", what, advice});
    return;
  }
  const Where where = describe(source, source + 1);
  report(here, address, address + bytes,
         {"undefined-data",
          what + use + "; " + textOf(first) +
              " is the first to read them, in " + where.tensor + " at byte " +
              std::to_string(where.begin),
          advice});
}

void Checker::buffer(Core &, const Buffer &buffer, BufferEvent event,
                     Site site) {
  const auto begin = reinterpret_cast<uint64_t>(buffer.addr);
  const uint32_t used = core.used[static_cast<size_t>(AscendC::Hardware::UB)];
  if (event == BufferEvent::Init && inUb(begin) &&
      used > core.soc->reportedUbBytes())
    report({core.call, site, PIPE_S}, begin, begin + buffer.bytes,
           {"ub-size",
            "all buffers together take " + std::to_string(used) + " bytes",
            core.soc->name + std::string(" has ") +
                std::to_string(core.soc->reportedUbBytes()) +
                " bytes of UB for kernels"});
  if (event == BufferEvent::Alloc)
    allocated[buffer.addr] = {{"AllocTensor", site, PIPE_S}, buffer.bytes};
  else if (event == BufferEvent::Free || event == BufferEvent::Init)
    allocated.erase(buffer.addr);
  if (event == BufferEvent::Init || event == BufferEvent::Alloc)
    shadow.setUndefined(begin, buffer.bytes, true);
}

// Rows from global memory: what is undefined there is undefined here; the
// padding around a row is defined unless its value was left to chance.
void Checker::copyToUb(const Footprint &footprint) {
  const Region &to = footprint.writes[0];
  const Region &from = footprint.reads[0];
  const bool sameShape = to.rows == from.rows && to.planes == from.planes;
  forEachRun(to, [&](uint64_t address, uint64_t bytes) {
    shadow.setUndefined(address, bytes,
                        sameShape && footprint.padding.undefined);
  });
  if (!sameShape)
    return;
  const uint32_t left = footprint.padding.leftBytes;
  for (uint32_t plane = 0; plane < from.planes; ++plane)
    for (uint32_t row = 0; row < from.rows; ++row) {
      const uint64_t source = reinterpret_cast<uint64_t>(from.addr) +
                              plane * from.planePitch + row * from.rowPitch;
      const uint64_t target = reinterpret_cast<uint64_t>(to.addr) +
                              plane * to.planePitch + row * to.rowPitch + left;
      const uint64_t bytes = std::min(from.rowBytes, to.rowBytes);
      shadow.setUndefined(target, bytes, false);
      const uint64_t end = source + bytes;
      for (uint64_t at = source; at < end;) {
        const auto run = findUndefined(at, end);
        if (!run)
          break;
        shadow.setUndefined(target + (run->begin - source),
                            run->end - run->begin, true);
        at = run->end;
      }
    }
}

void Checker::storeToGlobal(const Footprint &footprint) {
  for (const Region &region : footprint.reads) {
    bool reported = false;
    forEachRun(region, [&](uint64_t address, uint64_t bytes) {
      const auto first = shadow.firstUndefined(address, bytes);
      if (!first || reported)
        return;
      reportUndefined(footprint, address + *first, bytes - *first,
                      "are stored to a tensor");
      reported = true;
    });
  }
  for (const Region &region : footprint.writes)
    forEachRun(region, [](uint64_t address, uint64_t bytes) {
      markGlobalDefined(address, address + bytes);
    });
}

void Checker::scalarAccess(const Footprint &footprint) {
  // operator() gives a reference: whether it is read or written is not seen.
  const bool reference = std::strstr(footprint.call, "operator()") != nullptr;
  auto define = [&](uint64_t address, uint64_t bytes) {
    if (shadow.covers(address, bytes))
      shadow.setUndefined(address, bytes, false);
    else
      markGlobalDefined(address, address + bytes);
  };
  for (const Region &region : footprint.reads)
    forEachRun(region, [&](uint64_t address, uint64_t bytes) {
      const bool undefined =
          shadow.covers(address, bytes)
              ? shadow.firstUndefined(address, bytes).has_value()
              : findUndefined(address, address + bytes).has_value();
      if (undefined && !reference)
        reportUndefined(footprint, address, bytes, "are read as a scalar");
      define(address, bytes); // once is enough
    });
  for (const Region &region : footprint.writes)
    forEachRun(region, define);
}

void Checker::checkDefined(const Footprint &footprint) {
  // Whatever lies outside has no shadow of its own; one report is enough.
  if (outside)
    for (const Region &region : footprint.reads)
      forEachRun(region, [&](uint64_t address, uint64_t bytes) {
        shadow.setUndefined(address, bytes, false);
      });
  if (footprint.pipe == PIPE_S) {
    scalarAccess(footprint);
    return;
  }
  auto local = [&](const std::vector<Region> &regions) {
    return !regions.empty() &&
           inUb(reinterpret_cast<uint64_t>(regions[0].addr));
  };
  const bool fromUb = local(footprint.reads), toUb = local(footprint.writes);
  if (!toUb && !footprint.writes.empty()) {
    storeToGlobal(footprint);
  } else if (toUb && !fromUb && footprint.reads.size() == 1 &&
             footprint.writes.size() == 1) {
    copyToUb(footprint);
  } else if (toUb) {
    const auto number = static_cast<Shadow::Origin>(placeOf(footprint) + 1);
    if (const auto decider = shadow.apply(footprint, number))
      reportUndefined(footprint, *decider, 1,
                      footprint.decider == Decider::Keeping
                          ? "decide what is kept"
                          : "decide an index");
  }
}

} // namespace lossgrad::sim::check
