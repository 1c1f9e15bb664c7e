// Profiles as JSON, as a trace for Perfetto, and the comparison of two files.
#include "sim/profile/Profile.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <ostream>
#include <set>

namespace lossgrad::sim::profile {

using nlohmann::ordered_json;

// The text of a line where the source can be read, without indentation; what
// is not plain ASCII is left out.
static std::string sourceLine(const std::string &path, uint32_t line) {
  std::ifstream file(path);
  std::string text;
  for (uint32_t i = 0; i < line && std::getline(file, text); ++i)
    ;
  if (!file)
    return "";
  text.erase(0, text.find_first_not_of(" \t"));
  for (char c : text)
    if (c < ' ' || c > '~')
      return "";
  return text.substr(0, 160);
}

static ordered_json callRow(const CallRow &row) {
  ordered_json json;
  json["call"] = row.call;
  json["pipe"] = row.pipe;
  if (!row.file.empty()) {
    json["file"] = row.file;
    json["line"] = row.line;
    if (std::string text = sourceLine(row.file, row.line); !text.empty())
      json["text"] = text;
  }
  json["times"] = row.times;
  json["repeats"] = row.repeats;
  json["elements"] = row.elements;
  json["bytes"] = row.bytes;
  json["cycles"] = row.cycles;
  json["conflictCycles"] = row.conflictCycles;
  return json;
}

static ordered_json launchJson(const LaunchProfile &p) {
  ordered_json json;
  json["kernel"] = p.kernel;
  json["soc"] = p.soc;
  json["model"] = p.model;
  json["timingOnly"] = p.timingOnly;
  json["readsMissingData"] = p.readsMissingData();
  json["blocks"] = p.blocks;
  json["cores"] = p.cores;
  json["chipCores"] = p.chipCores;
  json["clockMHz"] = p.clockHz / 1e6;
  json["modelled"] = {{"cycles", p.cycles},
                      {"us", p.us},
                      {"totalUs", p.totalUs},
                      {"lowUs", p.lowUs},
                      {"highUs", p.highUs}};
  json["boundsUs"] = {{"floor", p.bounds.floor},
                      {"nominal", p.bounds.nominal},
                      {"expected", p.bounds.expected},
                      {"vector", p.bounds.vector}};
  auto by = [](double value, double bound) {
    return bound > 0 ? ordered_json(value / bound) : ordered_json(nullptr);
  };
  json["ratios"] = {{"floor", by(p.us, p.bounds.floor)},
                    {"nominal", by(p.us, p.bounds.nominal)},
                    {"expected", by(p.totalUs, p.bounds.expected)},
                    {"vector", by(p.us, p.bounds.vector)}};
  json["bytes"] = {{"load", p.loadBytes},
                   {"store", p.storeBytes},
                   {"memoryRead", p.memoryReadBytes},
                   {"memoryWrite", p.memoryWriteBytes},
                   {"l2Hit", p.l2HitBytes},
                   {"distinctRead", p.distinctReadBytes},
                   {"distinctWrite", p.distinctWriteBytes}};
  for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
    json["utilisation"][nameOf(static_cast<Pipe>(pipe))] = p.utilisation[pipe];
  json["criticalPipe"] = nameOf(p.critical);
  json["ub"] = {{"highWater", p.ubHighWater}, {"usable", p.ubBytes}};
  json["bankConflictShare"] = p.conflictShare;
  json["impliedBarriers"] = p.impliedBarriers;
  json["scalar"] = {{"ubReads", p.scalarReads},
                    {"ubWrites", p.scalarWrites},
                    {"gmReads", p.globalReads},
                    {"gmWrites", p.globalWrites}};
  json["loadBalance"] = p.balance;
  json["memory"] = {{"peakBytesPerSecond", p.peakBytesPerSecond},
                    {"reachableBytesPerSecond", p.reachableBytesPerSecond}};
  json["vectorElements"] = p.vectorElements;
  json["coreEndsUs"] = p.coreEnds;
  json["kinds"] = ordered_json::array();
  for (const CallRow &row : p.kinds)
    json["kinds"].push_back(callRow(row));
  json["lines"] = ordered_json::array();
  for (const CallRow &row : p.lines)
    json["lines"].push_back(callRow(row));
  return json;
}

static ordered_json document(const std::vector<LaunchProfile> &profiles) {
  ordered_json json;
  json["format"] = "lossgrad-profile";
  json["version"] = 1;
  json["note"] = "Modelled, not measured. Differences under 10 % are none. "
                 "Scalar code between AscendC calls is not seen.";
  json["launches"] = ordered_json::array();
  for (const LaunchProfile &profile : profiles)
    json["launches"].push_back(launchJson(profile));
  // The numbers of the models in use, with their sources.
  std::set<std::string> done;
  for (const LaunchProfile &profile : profiles) {
    const targets::Soc *soc = targets::findSoc(profile.soc);
    if (!soc || !done.insert(profile.model).second)
      continue;
    const targets::CostModel &model = targets::costModel(*soc->family);
    for (size_t i = 0; i < model.parameterCount; ++i) {
      const targets::CostParameter &p = model.parameters[i];
      json["parameters"][profile.model][p.name] = {
          {"value", p.value},
          {"source", p.source},
          {"confidence", std::string(1, p.confidence)}};
    }
  }
  return json;
}

std::string toJson(const std::vector<LaunchProfile> &profiles) {
  return document(profiles).dump(1) + "\n";
}

// For the report: the same document with the spans.
std::string toJsonWithSpans(const std::vector<LaunchProfile> &profiles) {
  ordered_json json = document(profiles);
  for (size_t i = 0; i < profiles.size(); ++i) {
    const LaunchProfile &p = profiles[i];
    ordered_json places = ordered_json::array();
    for (const Place &place : p.places)
      places.push_back({place.call, place.file, place.line});
    ordered_json spans = ordered_json::array();
    const double toUs = 1e6 / p.clockHz;
    auto rounded = [](double us) { return std::round(us * 1e4) / 1e4; };
    for (const Span &span : p.spans)
      spans.push_back({span.core, static_cast<unsigned>(span.pipe), span.place,
                       rounded(span.begin * toUs), rounded(span.end * toUs)});
    json["launches"][i]["places"] = std::move(places);
    json["launches"][i]["spans"] = std::move(spans);
    json["launches"][i]["droppedSpans"] = p.droppedSpans;
  }
  // "</script>" inside a string must not end the element that embeds it.
  std::string text = json.dump();
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return text;
}

std::string toTraceJson(const std::vector<LaunchProfile> &profiles) {
  ordered_json events = ordered_json::array();
  unsigned base = 0;
  for (const LaunchProfile &p : profiles) {
    const double toUs = 1e6 / p.clockHz;
    for (uint32_t core = 0; core < p.cores; ++core) {
      const unsigned pid = base + core;
      events.push_back(
          {{"ph", "M"},
           {"name", "process_name"},
           {"pid", pid},
           {"args", {{"name", p.kernel + " core " + std::to_string(core)}}}});
      for (unsigned pipe = 0; pipe < kPipeCount; ++pipe)
        events.push_back(
            {{"ph", "M"},
             {"name", "thread_name"},
             {"pid", pid},
             {"tid", pipe},
             {"args", {{"name", nameOf(static_cast<Pipe>(pipe))}}}});
    }
    for (const Span &span : p.spans) {
      const Place &place = p.places[span.place];
      events.push_back({{"ph", "X"},
                        {"name", place.call},
                        {"cat", nameOf(span.pipe)},
                        {"pid", base + span.core},
                        {"tid", static_cast<unsigned>(span.pipe)},
                        {"ts", span.begin * toUs},
                        {"dur", (span.end - span.begin) * toUs},
                        {"args",
                         {{"file", place.file},
                          {"line", place.line},
                          {"block", span.block},
                          {"cycles", span.end - span.begin}}}});
    }
    base += p.cores;
  }
  ordered_json json;
  json["displayTimeUnit"] = "ns";
  json["otherData"] = {{"producer", "lossgrad"}, {"clock", "modelled"}};
  json["traceEvents"] = std::move(events);
  return json.dump() + "\n";
}

//===- Comparison ---------------------------------------------------------===//

static bool parse(const std::string &text, const char *which,
                  ordered_json &json, std::string &error) {
  json = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    error = std::string(which) + " file: not JSON";
    return false;
  }
  if (!json.is_object() || json.value("format", "") != "lossgrad-profile") {
    error = std::string(which) + " file: not a lossgrad profile";
    return false;
  }
  if (json.value("version", 0) != 1) {
    error = std::string(which) + " file: version " +
            std::to_string(json.value("version", 0)) + ", expected 1";
    return false;
  }
  return true;
}

bool compare(const std::string &before, const std::string &after,
             std::ostream &os, std::string &error) {
  ordered_json a, b;
  if (!parse(before, "first", a, error) || !parse(after, "second", b, error))
    return false;
  const auto &left = a["launches"], &right = b["launches"];
  char line[256];
  std::snprintf(line, sizeof line, "%-32s %12s %12s %8s  %s\n", "kernel",
                "first us", "second us", "ratio", "modelled");
  os << line;
  const size_t common = std::min(left.size(), right.size());
  for (size_t i = 0; i < common; ++i) {
    const double x = left[i]["modelled"].value("totalUs", 0.0);
    const double y = right[i]["modelled"].value("totalUs", 0.0);
    std::string name = left[i].value("kernel", "");
    const std::string other = right[i].value("kernel", "");
    if (name != other)
      name += " / " + other;
    const double ratio = x > 0 ? y / x : 0;
    const char *verdict = std::abs(ratio - 1) < kNoDifference
                              ? "no difference (under 10 %)"
                          : ratio < 1 ? "second is faster"
                                      : "second is slower";
    const uint64_t xBytes = left[i]["bytes"].value("load", uint64_t(0)) +
                            left[i]["bytes"].value("store", uint64_t(0));
    const uint64_t yBytes = right[i]["bytes"].value("load", uint64_t(0)) +
                            right[i]["bytes"].value("store", uint64_t(0));
    std::snprintf(line, sizeof line, "%-32s %12.2f %12.2f %8.3f  %s",
                  name.c_str(), x, y, ratio, verdict);
    os << line;
    if (xBytes != yBytes)
      os << "; bytes " << xBytes << " -> " << yBytes;
    os << "\n";
  }
  if (left.size() != right.size())
    os << "the first file has " << left.size() << " launches, the second "
       << right.size() << "; only the first " << common << " are compared\n";
  return true;
}

} // namespace lossgrad::sim::profile
