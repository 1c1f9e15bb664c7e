//===- CostTables.cpp - cost records to plain C++ tables ------------------===//
//
// Prints lossgrad/Costs.h and its tables. Every parameter is printed twice: as
// a member that the simulator reads, and in a list with its source, which the
// reports print. It decides nothing but that a number must be a number.
//
//===----------------------------------------------------------------------===//

#include "CostTables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace {

/// Fields of CostModel that are parameters, in the order of the class.
std::vector<StringRef> parameterNames(const RecordKeeper &records) {
  std::vector<StringRef> names;
  for (const RecordVal &value : records.getClass("CostModel")->getValues())
    if (!value.isTemplateArg() && value.getType()->getAsString() == "Param")
      names.push_back(value.getName());
  return names;
}

StringRef number(const Record *record, StringRef field) {
  StringRef text = record->getValueAsString(field);
  double ignored;
  if (text.getAsDouble(ignored))
    PrintFatalError(record->getLoc(),
                    "'" + text + "' in '" + field + "' is not a number");
  return text;
}

std::string quoted(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  os << '"';
  os.write_escaped(text);
  os << '"';
  return result;
}

void printVector(const Record *model, raw_ostream &os) {
  os << formatv("const VectorCost vector_{0}[] = {{\n", model->getName());
  for (const Record *row : model->getValueAsListOfDefs("vector"))
    for (StringRef call : row->getValueAsListOfStrings("calls"))
      os << formatv("  {{{0}, {1}, {2}, {3}, {4}, {5}, '{6}'},\n", quoted(call),
                    number(row, "wide"), number(row, "narrow"),
                    row->getValueAsInt("fixed"), row->getValueAsInt("minimum"),
                    quoted(row->getValueAsString("source")),
                    row->getValueAsString("confidence"));
  os << "};\n";
}

void printCasts(const Record *model, raw_ostream &os) {
  os << formatv("const CastCost casts_{0}[] = {{\n", model->getName());
  for (const Record *row : model->getValueAsListOfDefs("casts"))
    os << formatv("  {{Dtype::{0}, Dtype::{1}, {2}, {3}, {4}, {5}, '{6}'},\n",
                  row->getValueAsDef("from")->getName(),
                  row->getValueAsDef("to")->getName(), number(row, "cycles"),
                  row->getValueAsInt("lanes"), row->getValueAsInt("fixed"),
                  quoted(row->getValueAsString("source")),
                  row->getValueAsString("confidence"));
  os << "};\n";
}

void printParameters(const Record *model, ArrayRef<StringRef> names,
                     raw_ostream &os) {
  os << formatv("const CostParameter parameters_{0}[] = {{\n",
                model->getName());
  for (StringRef name : names) {
    const Record *parameter = model->getValueAsDef(name);
    os << formatv("  {{\"{0}\", {1}, {2}, '{3}'},\n", name,
                  number(parameter, "value"),
                  quoted(parameter->getValueAsString("source")),
                  parameter->getValueAsString("confidence"));
  }
  os << "};\n";
}

} // namespace

void lossgrad::emitCostHeader(const RecordKeeper &records, raw_ostream &os) {
  os << R"(#ifndef LOSSGRAD_COSTS_H
#define LOSSGRAD_COSTS_H

#include "lossgrad/Targets.h"

namespace lossgrad::targets {

/// A number of the model with where it comes from and its confidence: H, M, L.
struct CostParameter {
  const char *name;
  double value;
  const char *source;
  char confidence;
};

/// Cycles per 256-byte repeat, for elements of 4 bytes and more, and of fewer.
struct VectorCost {
  const char *call;
  double wide;
  double narrow;
  double fixed;   // head and latency of an isolated call
  double minimum; // least occupation of one instruction
  const char *source;
  char confidence;
};

/// Cycles per `lanes` elements.
struct CastCost {
  Dtype from, to;
  double cycles;
  uint32_t lanes;
  double fixed;
  const char *source;
  char confidence;
};

/// The model of one architecture. Cycles, unless the name says Us.
struct CostModel {
  const char *title;
)";
  for (StringRef name : parameterNames(records))
    os << "  double " << name << ";\n";
  os << R"(
  const CostParameter *parameters;
  size_t parameterCount;
  const VectorCost *vector;
  size_t vectorCount;
  const CastCost *casts;
  size_t castCount;

  /// The row of a call, or null.
  const VectorCost *find(std::string_view call) const;
  const CastCost *findCast(Dtype from, Dtype to) const;
};

/// Rates of a chip where the Soc record lacks or contradicts them.
struct ChipCost {
  const char *soc;
  uint32_t clockMHz;
  uint32_t memoryPeakMBps;
  uint32_t l2PeakMBps;
  const char *source;
};

/// The model of a family; every family has one.
const CostModel &costModel(const Family &family);
/// The chip's rates with the overrides applied, 0 where nothing is known.
ChipCost chipCost(const Soc &soc);

} // namespace lossgrad::targets

#endif // LOSSGRAD_COSTS_H
)";
}

void lossgrad::emitCostSource(const RecordKeeper &records, raw_ostream &os) {
  const std::vector<StringRef> names = parameterNames(records);
  const auto models = records.getAllDerivedDefinitions("CostModel");
  os << "#include \"lossgrad/Costs.h\"\n\nnamespace lossgrad::targets "
        "{\n\nnamespace {\n\n";
  for (const Record *model : models) {
    printVector(model, os);
    printCasts(model, os);
    printParameters(model, names, os);
  }
  os << "const CostModel models[] = {\n";
  for (const Record *model : models) {
    os << "  {" << quoted(model->getValueAsString("title"));
    for (StringRef name : names)
      os << ", " << number(model->getValueAsDef(name), "value");
    os << formatv(", parameters_{0}, {1}, vector_{0}, sizeof(vector_{0}) / "
                  "sizeof(VectorCost), casts_{0}, sizeof(casts_{0}) / "
                  "sizeof(CastCost)},\n",
                  model->getName(), names.size());
  }
  os << "};\n\nstruct ModelOfFamily {\n  const char *family;\n  size_t "
        "model;\n};\nconst ModelOfFamily modelOfFamily[] = {\n";
  for (auto [index, model] : enumerate(models))
    for (const Record *family : model->getValueAsListOfDefs("families"))
      os << formatv("  {{\"{0}\", {1}},\n", family->getName(), index);
  os << "};\n\nconst ChipCost chips[] = {\n";
  for (const Record *chip : records.getAllDerivedDefinitions("ChipCost"))
    os << formatv("  {{{0}, {1}, {2}, {3}, {4}},\n",
                  quoted(chip->getValueAsString("soc")),
                  chip->getValueAsInt("clockMHz"),
                  chip->getValueAsInt("memoryPeakMBps"),
                  chip->getValueAsInt("l2PeakMBps"),
                  quoted(chip->getValueAsString("source")));
  os << R"(};

} // namespace

const VectorCost *CostModel::find(std::string_view call) const {
  for (size_t i = 0; i < vectorCount; ++i)
    if (call == vector[i].call)
      return &vector[i];
  return nullptr;
}

const CastCost *CostModel::findCast(Dtype from, Dtype to) const {
  for (size_t i = 0; i < castCount; ++i)
    if (casts[i].from == from && casts[i].to == to)
      return &casts[i];
  return nullptr;
}

const CostModel &costModel(const Family &family) {
  for (const ModelOfFamily &row : modelOfFamily)
    if (std::string_view(row.family) == family.key)
      return models[row.model];
  return models[0];
}

ChipCost chipCost(const Soc &soc) {
  ChipCost chip{soc.name, soc.clockMHz, soc.memoryPeakMBps, soc.l2PeakMBps, ""};
  for (const ChipCost &row : chips) {
    if (std::string_view(row.soc) != soc.name)
      continue;
    if (row.clockMHz)
      chip.clockMHz = row.clockMHz;
    if (row.memoryPeakMBps)
      chip.memoryPeakMBps = row.memoryPeakMBps;
    if (row.l2PeakMBps)
      chip.l2PeakMBps = row.l2PeakMBps;
    chip.source = row.source;
  }
  return chip;
}

} // namespace lossgrad::targets
)";
  // A family without a model would silently get another one's.
  for (const Record *family : records.getAllDerivedDefinitions("Family")) {
    bool found = false;
    for (const Record *model : models)
      found |= is_contained(model->getValueAsListOfDefs("families"), family);
    if (!found)
      PrintFatalError(family->getLoc(),
                      "family '" + family->getName() + "' has no CostModel");
  }
}
