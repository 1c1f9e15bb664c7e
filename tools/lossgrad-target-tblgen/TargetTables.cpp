//===- TargetTables.cpp - product records to plain C++ tables -------------===//
//
// A TableGen backend: reads the Family and Soc records of ops_td/targets and
// prints a header of plain structs (-gen-header), the tables behind it
// (-gen-source), and apart from both, for the few who ask, what toolkits call
// the chips of a family (-gen-soc-versions). What it prints needs neither LLVM
// nor this program, so that the runtime can use it. It decides nothing: each
// number is copied as it is.
//
//===----------------------------------------------------------------------===//

#include "CostTables.h"
#include "tools/ToolMain.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"

#include <set>

using namespace llvm;

namespace {

enum class Action { Header, Source, CostHeader, CostSource, SocVersions };
cl::OptionCategory category("Product tables");
cl::opt<Action>
    action(cl::desc("What to print:"), cl::Required, cl::cat(category),
           cl::values(clEnumValN(Action::Header, "gen-header",
                                 "struct definitions and look-up functions"),
                      clEnumValN(Action::Source, "gen-source",
                                 "the tables themselves"),
                      clEnumValN(Action::CostHeader, "gen-cost-header",
                                 "structs of the cost model"),
                      clEnumValN(Action::CostSource, "gen-cost-source",
                                 "tables of the cost model"),
                      clEnumValN(Action::SocVersions, "gen-soc-versions",
                                 "numbers that toolkits give to families")));

/// A field of a record and the C++ member that holds it.
struct Field {
  StringRef type;
  StringRef name;
};

constexpr Field familyFields[] = {
    {"const char *", "title"},
    {"const char *", "shortSoc"},
    {"const char *", "computeUnit"},
    {"uint32_t", "npuArch"},
    {"uint32_t", "cceAicore"},
    {"const char *", "implementation"},
    {"bool", "splitCores"},
    {"uint32_t", "vectorsPerCube"},
    {"uint32_t", "blockBytes"},
    {"uint32_t", "repeatBytes"},
    {"uint32_t", "ubHoldbackBytes"},
    {"uint32_t", "ubScratchBytes"},
    {"uint32_t", "ubScratchOffset"},
    {"uint32_t", "ubBankGroups"},
    {"uint32_t", "ubBanks"},
    {"uint32_t", "gmLineBytes"},
    {"uint32_t", "dataCacheLineBytes"},
    {"uint32_t", "eventIds"},
    {"uint32_t", "maxBuffers"},
    {"uint32_t", "maxRepeat"},
    {"uint32_t", "maxCopyBlocks"},
    {"uint32_t", "maxStreams"},
    {"uint32_t", "libApiWorkspaceBytes"},
    {"bool", "overflowToInfinity"},
    {"bool", "flushSubnormals"},
    {"bool", "vectorOrdered"},
    {"bool", "counterMode"},
    {"bool", "zeroCountIsNoop"},
    {"bool", "compareHonoursMask"},
    {"bool", "compareCountsTail"},
    {"bool", "reduceWritesNeutral"},
    {"bool", "sumAccumulates"},
    {"bool", "sumTailApart"},
    {"uint32_t", "sumLaneRepeats"},
    {"bool", "reduceWaits"},
    {"bool", "gatherMaskTotal"},
    {"bool", "gatherMaskAll"},
    {"bool", "deqScalePreset"},
    {"uint32_t", "overflowCtrlBit"},
    {"bool", "overflowCtrlSaturates"},
};

constexpr Field socFields[] = {
    {"const char *", "name"},       {"const Family *", "family"},
    {"uint32_t", "cubeCores"},      {"uint32_t", "vectorCores"},
    {"uint32_t", "clockMHz"},       {"uint32_t", "ubBytes"},
    {"uint32_t", "l2MiB"},          {"uint32_t", "memoryMiB"},
    {"uint32_t", "l1Bytes"},        {"uint32_t", "l0aBytes"},
    {"uint32_t", "l0bBytes"},       {"uint32_t", "l0cBytes"},
    {"const char *", "coreTypes"},  {"uint32_t", "ddrReadRate"},
    {"uint32_t", "l2ReadRate"},     {"uint32_t", "l2WriteRate"},
    {"uint32_t", "ubToL2Rate"},     {"uint32_t", "ubToDdrRate"},
    {"uint32_t", "memoryPeakMBps"}, {"uint32_t", "l2PeakMBps"},
};

/// Everything the tables are printed from, in a fixed order.
struct Model {
  explicit Model(const RecordKeeper &records)
      : families(records.getAllDerivedDefinitions("Family")),
        socs(records.getAllDerivedDefinitions("Soc")),
        dtypes(records.getAllDerivedDefinitions("Dtype")),
        roundModes(records.getAllDerivedDefinitions("RoundMode")),
        open(records.getAllDerivedDefinitions("Open")) {
    for (const Record *family : families)
      for (StringRef list : {"supports", "countOnly"})
        for (const Record *row : family->getValueAsListOfDefs(list))
          for (StringRef api : row->getValueAsListOfStrings("apis"))
            apis.insert(api);
  }

  unsigned dtypeIndex(const Record *dtype) const {
    return std::distance(dtypes.begin(), llvm::find(dtypes, dtype));
  }

  unsigned familyIndex(const Record *family) const {
    return std::distance(families.begin(), llvm::find(families, family));
  }

  ArrayRef<const Record *> families, socs, dtypes, roundModes, open;
  std::set<StringRef> apis;
};

void printStruct(StringRef name, StringRef doc, ArrayRef<Field> fields,
                 raw_ostream &os) {
  os << "/// " << doc << "\nstruct " << name << " {\n";
  for (const Field &field : fields)
    os << "  " << field.type << (field.type.ends_with("*") ? "" : " ")
       << field.name << ";\n";
}

void printEnum(StringRef name, StringRef type, ArrayRef<const Record *> records,
               raw_ostream &os) {
  os << "enum class " << name << " : " << type << " {\n";
  for (const Record *record : records)
    os << "  " << record->getName() << ",\n";
  os << "};\n";
}

void emitHeader(const Model &model, raw_ostream &os) {
  os << R"(#ifndef LOSSGRAD_TARGETS_H
#define LOSSGRAD_TARGETS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lossgrad::targets {

/// Element types, in the order of the tables.
)";
  printEnum("Dtype", "uint8_t", model.dtypes, os);
  os << formatv("inline constexpr size_t numDtypes = {0};\n",
                model.dtypes.size());
  os << "/// The AscendC spelling of a type.\nconst char *spelling(Dtype "
        "dtype);\n";
  os << "uint32_t sizeInBytes(Dtype dtype);\n\n";

  os << "/// AscendC calls whose support differs between products.\n"
        "enum class Api : uint16_t {\n";
  for (StringRef api : model.apis)
    os << "  " << api << ",\n";
  os << "};\n";
  os << formatv("inline constexpr size_t numApis = {0};\n", model.apis.size());
  os << "const char *spelling(Api api);\n\n";

  os << "/// Rounding modes of Cast with the values of AscendC::RoundMode.\n"
        "enum class Round : uint8_t {\n";
  for (const Record *mode : model.roundModes)
    os << formatv("  {0} = {1},\n", mode->getName(),
                  mode->getValueAsInt("value"));
  os << "};\nconst char *spelling(Round mode);\n\n";

  os << "/// Behaviours that the documents leave open.\n"
        "enum class Open : uint8_t {\n";
  for (const Record *behaviour : model.open)
    os << formatv("  {0}, // {1}\n", behaviour->getValueAsString("name"),
                  behaviour->getValueAsString("doc"));
  os << "};\n";
  os << formatv("inline constexpr size_t numOpen = {0};\n", model.open.size());
  os << "const char *spelling(Open behaviour);\nconst char *describe(Open "
        "behaviour);\n\n";

  printStruct("Family", "A product family: what all its chips share.",
              familyFields, os);
  os << R"(
  const char *key;                   // the record's name, e.g. A2
  uint32_t apiDtypes[numApis];       // bit d: the call takes Dtype d
  uint32_t countDtypes[numApis];     // the same for the count form alone
  bool hasApi[numApis];
  bool scratchApi[numApis];          // overwrites the scratch at the top of UB
  uint8_t castModes[numDtypes][numDtypes]; // [source][destination], bit m: Round m
  int32_t openDefaults[numOpen];

  bool has(Api api) const { return hasApi[static_cast<size_t>(api)]; }
  /// Does the call overwrite the scratch at the top of UB?
  bool usesScratch(Api api) const { return scratchApi[static_cast<size_t>(api)]; }
  /// Does the call take this type in its mask and repeat forms?
  bool takes(Api api, Dtype dtype) const {
    return apiDtypes[static_cast<size_t>(api)] >> static_cast<unsigned>(dtype) & 1;
  }
  /// Does the call take this type in its count form?
  bool takesCount(Api api, Dtype dtype) const {
    return (apiDtypes[static_cast<size_t>(api)] | countDtypes[static_cast<size_t>(api)]) >>
               static_cast<unsigned>(dtype) & 1;
  }
  bool casts(Dtype from, Dtype to, Round mode) const {
    return castModes[static_cast<size_t>(from)][static_cast<size_t>(to)] >>
               static_cast<unsigned>(mode) & 1;
  }
  int32_t openDefault(Open behaviour) const {
    return openDefaults[static_cast<size_t>(behaviour)];
  }
};

)";
  printStruct("Soc", "A chip.", socFields, os);
  os << R"(
  /// Cores that run a vector kernel: the vector cores where they are separate,
  /// else the AI cores.
  uint32_t kernelCores() const { return family->splitCores ? vectorCores : cubeCores; }
  /// UB bytes as the platform reports them to tiling code.
  uint32_t reportedUbBytes() const { return ubBytes - family->ubHoldbackBytes; }
};

const Family *familiesBegin();
const Family *familiesEnd();
const Soc *socsBegin();
const Soc *socsEnd();

/// The chip of that exact long name (Ascend910B1), or null. A short SoC version
/// is not a chip: Ascend910B is a chip of the first generation.
const Soc *findSoc(std::string_view longName);
/// The family of that record name (A2), or null.
const Family *findFamily(std::string_view key);
/// The family with that compute unit (ascend910b), or null.
const Family *findComputeUnit(std::string_view computeUnit);
/// The family with that architecture number (2201), or null; the first in
/// record order where several families share an architecture.
const Family *findArchitecture(uint32_t npuArch);

} // namespace lossgrad::targets

#endif // LOSSGRAD_TARGETS_H
)";
}

void printValue(const Model &model, const Record *record, const Field &field,
                raw_ostream &os) {
  if (field.type == "const char *")
    os << '"' << record->getValueAsString(field.name) << '"';
  else if (field.type == "bool")
    os << (record->getValueAsBit(field.name) ? "true" : "false");
  else if (field.type == "const Family *")
    os << formatv("&families[{0}]",
                  model.familyIndex(record->getValueAsDef(field.name)));
  else
    os << record->getValueAsInt(field.name);
  os << ", // " << field.name << '\n';
}

void printDtypeMasks(const Model &model, const Record *family, StringRef list,
                     raw_ostream &os) {
  std::map<StringRef, uint32_t> masks;
  for (const Record *row : family->getValueAsListOfDefs(list)) {
    uint32_t mask = 0;
    for (const Record *dtype : row->getValueAsListOfDefs("dtypes"))
      mask |= 1u << model.dtypeIndex(dtype);
    // A row without types: the call does not depend on one.
    if (!mask)
      mask = ~0u;
    for (StringRef api : row->getValueAsListOfStrings("apis"))
      masks[api] |= mask;
  }
  os << "    {";
  for (StringRef api : model.apis)
    os << formatv("{0:x}u, ", masks[api]);
  os << "}, // " << list << '\n';
}

void printFamily(const Model &model, const Record *family, raw_ostream &os) {
  os << "  {\n";
  for (const Field &field : familyFields) {
    os << "    ";
    printValue(model, family, field, os);
  }
  os << "    \"" << family->getName() << "\",\n";
  printDtypeMasks(model, family, "supports", os);
  printDtypeMasks(model, family, "countOnly", os);

  std::set<StringRef> present;
  for (StringRef list : {"supports", "countOnly"})
    for (const Record *row : family->getValueAsListOfDefs(list))
      for (StringRef api : row->getValueAsListOfStrings("apis"))
        present.insert(api);
  os << "    {";
  for (StringRef api : model.apis)
    os << (present.count(api) ? "true, " : "false, ");
  os << "},\n    {";
  const auto scratch = family->getValueAsListOfStrings("scratchCalls");
  for (StringRef call : scratch)
    if (!present.count(call))
      PrintFatalError(family->getLoc(),
                      "scratchCalls: the family has no call '" + call + "'");
  for (StringRef api : model.apis)
    os << (is_contained(scratch, api) ? "true, " : "false, ");
  os << "}, // scratchCalls\n    {";

  std::vector<std::vector<unsigned>> modes(
      model.dtypes.size(), std::vector<unsigned>(model.dtypes.size()));
  for (const Record *row : family->getValueAsListOfDefs("casts"))
    for (const Record *mode : row->getValueAsListOfDefs("modes"))
      modes[model.dtypeIndex(row->getValueAsDef("src"))]
           [model.dtypeIndex(row->getValueAsDef("dst"))] |=
          1u << mode->getValueAsInt("value");
  for (const auto &row : modes)
    os << '{'
       << llvm::join(llvm::map_range(row, [](unsigned m) { return utostr(m); }),
                     ", ")
       << "},\n     ";
  os << "},\n    {";
  for (const Record *behaviour : model.open) {
    bool listed =
        llvm::is_contained(family->getValueAsListOfDefs("open"), behaviour);
    if (!listed)
      PrintFatalError(family->getLoc(),
                      "family '" + family->getName() +
                          "' gives no default for the open behaviour '" +
                          behaviour->getValueAsString("name") + "'");
    os << behaviour->getValueAsInt("defaultValue") << ", ";
  }
  os << "},\n  },\n";
}

template <typename Range, typename Name>
void printSpelling(StringRef type, const Range &range, Name name,
                   raw_ostream &os, StringRef function = "spelling") {
  os << "const char *" << function << '(' << type << " value) {\n"
     << "  static const char *const names[] = {";
  for (const auto &item : range)
    os << '"' << name(item) << "\", ";
  os << "};\n  return names[static_cast<size_t>(value)];\n}\n\n";
}

void emitSource(const Model &model, raw_ostream &os) {
  os << "#include \"lossgrad/Targets.h\"\n\nnamespace lossgrad::targets "
        "{\n\nnamespace {\n\n";
  os << "const Family families[] = {\n";
  for (const Record *family : model.families)
    printFamily(model, family, os);
  os << "};\n\nconst Soc socs[] = {\n";
  for (const Record *soc : model.socs) {
    os << "  {\n";
    for (const Field &field : socFields) {
      os << "    ";
      printValue(model, soc, field, os);
    }
    os << "  },\n";
  }
  os << "};\n\n} // namespace\n\n";

  auto cppName = [](const Record *r) { return r->getValueAsString("cpp"); };
  auto ownName = [](const Record *r) { return r->getName(); };
  auto nameField = [](const Record *r) { return r->getValueAsString("name"); };
  auto docField = [](const Record *r) { return r->getValueAsString("doc"); };
  printSpelling("Dtype", model.dtypes, cppName, os);
  printSpelling(
      "Api", model.apis, [](StringRef api) { return api; }, os);
  printSpelling("Open", model.open, nameField, os);
  printSpelling("Open", model.open, docField, os, "describe");
  std::vector<const Record *> modes(model.roundModes);
  llvm::sort(modes, [](const Record *a, const Record *b) {
    return a->getValueAsInt("value") < b->getValueAsInt("value");
  });
  printSpelling(
      "Round", modes,
      [&](const Record *r) { return "CAST_" + ownName(r).str(); }, os);

  os << "uint32_t sizeInBytes(Dtype dtype) {\n  static const uint32_t sizes[] "
        "= {";
  for (const Record *dtype : model.dtypes)
    os << dtype->getValueAsInt("size") << ", ";
  os << R"(};
  return sizes[static_cast<size_t>(dtype)];
}

const Family *familiesBegin() { return families; }
const Family *familiesEnd() { return families + sizeof(families) / sizeof(families[0]); }
const Soc *socsBegin() { return socs; }
const Soc *socsEnd() { return socs + sizeof(socs) / sizeof(socs[0]); }

const Soc *findSoc(std::string_view longName) {
  for (const Soc &soc : socs)
    if (longName == soc.name)
      return &soc;
  return nullptr;
}

const Family *findFamily(std::string_view key) {
  for (const Family &family : families)
    if (key == family.key)
      return &family;
  return nullptr;
}

const Family *findComputeUnit(std::string_view computeUnit) {
  for (const Family &family : families)
    if (computeUnit == family.computeUnit)
      return &family;
  return nullptr;
}

const Family *findArchitecture(uint32_t npuArch) {
  for (const Family &family : families)
    if (npuArch == family.npuArch)
      return &family;
  return nullptr;
}

} // namespace lossgrad::targets
)";
}

/// A header of its own: hardly anyone asks, and everyone includes Targets.h.
void emitSocVersions(const RecordKeeper &records, raw_ostream &os) {
  os << R"(#ifndef LOSSGRAD_SOCVERSIONS_H
#define LOSSGRAD_SOCVERSIONS_H

namespace lossgrad::targets {

/// platform_ascendc::SocVersion of the chips of a family, as a number: toolkits
/// differ in which enumerators they have.
struct SocVersion {
  const char *family;
  int number;
};

inline constexpr SocVersion socVersions[] = {
)";
  for (const Record *family : records.getAllDerivedDefinitions("Family"))
    os << formatv("    {{\"{0}\", {1}},\n", family->getName(),
                  family->getValueAsInt("socVersion"));
  os << "};\n\n} // namespace lossgrad::targets\n\n"
        "#endif // LOSSGRAD_SOCVERSIONS_H\n";
}

bool emit(raw_ostream &os, const RecordKeeper &records) {
  emitSourceFileHeader("Product tables", os, records);
  if (action == Action::SocVersions) {
    emitSocVersions(records, os);
    return false;
  }
  if (action == Action::CostHeader) {
    lossgrad::emitCostHeader(records, os);
    return false;
  }
  if (action == Action::CostSource) {
    lossgrad::emitCostSource(records, os);
    return false;
  }
  Model model(records);
  if (action == Action::Header)
    emitHeader(model, os);
  else
    emitSource(model, os);
  return false;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  lossgrad::tools::setVersion("lossgrad-target-tblgen");
  lossgrad::tools::hideForeignOptions({&category}, {"I", "o", "D", "d"});
  cl::ParseCommandLineOptions(argc, argv,
                              "Product records to plain C++ tables\n");
  return TableGenMain(argv[0], &emit);
}
