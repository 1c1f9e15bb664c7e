// The order of the checks per instruction, bounds, and how a place in memory is
// named in a report. Data, registers and synchronisation are in
// CheckerData.cpp, CheckerState.cpp and CheckerSync.cpp.
#include "sim/check/Checker.h"
#include "sim/GlobalRegistry.h"
#include "sim/Launch.h"
#include "sim/Runs.h"
#include "sim/check/Session.h"

#include <algorithm>
#include <mutex>

namespace lossgrad::sim::check {

Checker::Checker(Core &core, LaunchLog &log, SyncLevel level)
    : core(core), log(log), local(level, core.family->vectorOrdered),
      global(level, core.family->vectorOrdered) {}

// Blocks that fail are destroyed without blockEnds; what they did counts too.
Checker::~Checker() {
  std::lock_guard<std::mutex> lock(log.mutex);
  for (GlobalRange &range : globalLog.take())
    log.ranges.push_back(range);
  log.cachedReads.insert(log.cachedReads.end(), cachedReads.begin(),
                         cachedReads.end());
}

void Checker::blockBegins(Core &) {
  shadow.reset(core.ub.begin(), core.ub.bytes());
}

// A tensor that nobody freed: the device hangs when its block is asked for
// again.
void Checker::blockEnds(Core &) {
  for (const auto &[address, tensor] : allocated) {
    const auto begin = reinterpret_cast<uint64_t>(address);
    report(tensor.place, begin, begin + tensor.bytes,
           {"leaked-tensor", "the tensor is never freed",
            "one FreeTensor for each AllocTensor, on every path"});
  }
  checkLeftOn();
}

void Checker::instruction(Core &, const Footprint &footprint) {
  outside = false;
  for (const Region &region : footprint.reads)
    checkBounds(footprint, region, false);
  for (const Region &region : footprint.writes)
    checkBounds(footprint, region, true);
  if (footprint.usesScratch)
    checkScratch(footprint);
  if (footprint.pipe == PIPE_V) {
    checkIndex(footprint);
    if (!outside) {
      checkOverlap(footprint);
      checkRepeats(footprint);
    }
  }
  checkOrder(footprint);
  logGlobal(footprint);
  checkDefined(footprint);
}

// What the core itself checks in every mode: alignment, ranges, queues, flags,
// waits in vain.
void Checker::refused(Core &, const std::string &text, bool error) {
  Finding finding;
  finding.rule = error ? "refused" : "silent-on-device";
  finding.kernel = core.launch->config.kernelName;
  finding.call = core.call;
  finding.file = core.site.file;
  finding.line = core.site.line;
  finding.block = core.block;
  finding.what = text;
  record(*core.launch, std::move(finding));
}

//===- Naming -------------------------------------------------------------===//

std::string Checker::textOf(const Place &place) {
  std::string file = place.site.file;
  file.erase(0, file.find_last_of('/') + 1);
  return std::string(place.call) + " at " + file + ":" +
         std::to_string(place.site.line);
}

bool Checker::inUb(uint64_t address) const {
  const auto begin = reinterpret_cast<uint64_t>(core.ub.begin());
  return address - begin < core.ub.bytes();
}

Checker::Where Checker::describe(uint64_t begin, uint64_t end) const {
  if (inUb(begin)) {
    for (uint32_t i = 0; i < core.bufferCount; ++i) {
      const Buffer &buffer = core.buffers[i];
      const auto base = reinterpret_cast<uint64_t>(buffer.addr);
      if (begin - base < buffer.bytes)
        return {std::string(sim::nameOf(buffer.position)) + " buffer " +
                    std::to_string(i) + " (" + std::to_string(buffer.bytes) +
                    " bytes)",
                begin - base, end - base};
    }
    const auto base = reinterpret_cast<uint64_t>(core.ub.begin());
    return {"UB", begin - base, end - base};
  }
  for (const TensorExtent &tensor : core.launch->config.tensors) {
    const auto from = reinterpret_cast<uint64_t>(tensor.begin);
    if (begin >= from && begin < from + tensor.bytes)
      return {tensor.name + " (" + std::to_string(tensor.bytes) + " bytes)",
              begin - from, end - from};
  }
  const auto extent = findGlobal(begin);
  if (!extent)
    return {"global memory outside of any allocation", 0, end - begin};
  const std::string size =
      " (" + std::to_string(extent->end - extent->begin) + " bytes)";
  return {nameOfGlobal(*core.launch, extent->begin) + size,
          begin - extent->begin, end - extent->begin};
}

uint32_t Checker::placeOf(const Footprint &footprint) {
  const PlaceKey key{footprint.site.file,
                     uint64_t(footprint.site.line) << 8 | footprint.pipe,
                     footprint.call};
  auto [found, fresh] = placeIndex.try_emplace(key, places.size());
  if (fresh)
    places.push_back({footprint.call, footprint.site, footprint.pipe});
  return found->second;
}

Finding Checker::findingAt(const Place &place, const char *rule) const {
  Finding finding;
  finding.rule = rule;
  finding.kernel = core.launch->config.kernelName;
  finding.call = place.call;
  finding.file = place.site.file;
  finding.line = place.site.line;
  finding.block = core.block;
  finding.pipe = lossgrad::sim::nameOf(place.pipe);
  return finding;
}

void Checker::report(const Place &place, uint64_t begin, uint64_t end,
                     const Wording &wording) {
  const Where where = describe(begin, end);
  Finding finding = findingAt(place, wording.rule);
  finding.tensor = where.tensor;
  finding.begin = where.begin;
  finding.end = where.end;
  finding.what = wording.what;
  finding.advice = wording.advice;
  record(*core.launch, std::move(finding));
}

//===- Bounds -------------------------------------------------------------===//

void Checker::checkBounds(const Footprint &footprint, const Region &region,
                          bool write) {
  forEachRun(region, [&](uint64_t begin, uint64_t bytes) {
    if (inUb(begin))
      checkLocalRun(footprint, begin, begin + bytes, write);
    else if (footprint.pipe == PIPE_MTE2 || footprint.pipe == PIPE_MTE3 ||
             footprint.pipe == PIPE_S)
      checkGlobalRun(footprint, begin, begin + bytes, write);
  });
}

// Against the buffer, not UB: a neighbour is as wrong as the outside. Tensors
// at fixed addresses (outside TPipe) have no buffer.
void Checker::checkLocalRun(const Footprint &footprint, uint64_t begin,
                            uint64_t end, bool write) {
  if (core.bufferCount == 0)
    return;
  const Buffer *home = nullptr;
  for (uint32_t i = 0; i < core.bufferCount && !home; ++i) {
    const auto base = reinterpret_cast<uint64_t>(core.buffers[i].addr);
    if (begin - base < core.buffers[i].bytes)
      home = &core.buffers[i];
  }
  const Place place{footprint.call, footprint.site, footprint.pipe};
  const std::string verb = write ? "writes" : "reads";
  if (!home) {
    outside = true;
    report(place, begin, end,
           {"out-of-bounds", verb + " UB that no buffer owns",
            "InitBuffer must cover every byte that the kernel uses"});
    return;
  }
  const auto base = reinterpret_cast<uint64_t>(home->addr);
  const uint64_t over = end - base;
  if (over <= home->bytes)
    return;
  outside = true;
  report(place, begin, end,
         {"out-of-bounds",
          verb + " " + std::to_string(over - home->bytes) +
              " bytes past the end of the buffer",
          "the buffer needs " + std::to_string(over) +
              " bytes, or the count must be smaller"});
}

// Where the tensor ends that holds [begin, end), or that begin lies in; the end
// of the allocation if no tensor of the launch does.
uint64_t Checker::tensorEnd(uint64_t begin, uint64_t end,
                            uint64_t allocationEnd) const {
  uint64_t result = 0;
  for (const TensorExtent &tensor : core.launch->config.tensors) {
    const auto from = reinterpret_cast<uint64_t>(tensor.begin);
    if (begin >= from && begin < from + tensor.bytes)
      result = std::max<uint64_t>(result, from + tensor.bytes);
  }
  return result ? result : allocationEnd;
}

void Checker::checkGlobalRun(const Footprint &footprint, uint64_t begin,
                             uint64_t end, bool write) {
  const Place place{footprint.call, footprint.site, footprint.pipe};
  const std::string verb = write ? "writes" : "reads";
  const auto extent = findGlobal(begin);
  if (const auto next = findGlobal(end - 1); !extent && next) {
    report(place, next->begin, end,
           {"out-of-bounds",
            verb + " memory that begins " +
                std::to_string(next->begin - begin) +
                " bytes before the tensor",
            "check the offset: it is negative"});
    return;
  }
  if (!extent) {
    report(place, begin, end,
           {"out-of-bounds",
            verb + " " + std::to_string(end - begin) +
                " bytes outside of any allocation",
            "global memory comes from GmAlloc or aclrtMalloc"});
    return;
  }
  // Products without byte-granular copies read tails up to the next block.
  const uint64_t bound = tensorEnd(begin, end, extent->end);
  uint64_t allowed = bound;
  if (!write && !core.family->has(targets::Api::DataCopyPad))
    allowed = (allowed + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  if (end <= allowed)
    return;
  report(place, begin, end,
         {"out-of-bounds",
          verb + " " + std::to_string(end - bound) +
              " bytes past the end of the tensor",
          core.family->has(targets::Api::DataCopyPad)
              ? "DataCopyPad moves exact bytes; check offset and count"
              : "check offset and count"});
}

void Checker::checkScratch(const Footprint &footprint) {
  const uint64_t base = reinterpret_cast<uint64_t>(core.ub.begin());
  const uint64_t begin = base + core.family->ubScratchOffset;
  for (uint32_t i = 0; i < core.bufferCount; ++i) {
    const Buffer &buffer = core.buffers[i];
    const auto end = reinterpret_cast<uint64_t>(buffer.addr) + buffer.bytes;
    if (!inUb(end - 1) || end <= begin)
      continue;
    report({footprint.call, footprint.site, footprint.pipe},
           std::max(begin, reinterpret_cast<uint64_t>(buffer.addr)), end,
           {"reserved-ub",
            "the call uses the reserved top of UB, which a buffer covers",
            "keep all buffers below " +
                std::to_string(core.family->ubScratchOffset) +
                " bytes when the kernel uses this call"});
    return;
  }
}

} // namespace lossgrad::sim::check
