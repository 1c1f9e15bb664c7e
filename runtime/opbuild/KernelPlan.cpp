//===- KernelPlan.cpp - which kernels to compile --------------------------===//
//
// From rows to jobs, and the plan file. Running the jobs is KernelBuild.cpp.
//
//===----------------------------------------------------------------------===//
#include "KernelPlan.h"

#include "register/tilingdata_base.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace lossgrad::opbuild {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  return text;
}

KernelJob makeJob(const Op &op, const Unit &unit, const Combination &row) {
  KernelJob job;
  job.op = op.type;
  job.file = unit.file;
  job.name = op.kernelName(unit, row);
  job.architecture = unit.family->implementation;
  job.defines = {"__CCE_AICORE__=" + std::to_string(unit.family->cceAicore),
                 "__NPU_ARCH__=" + std::to_string(unit.family->npuArch)};
  for (size_t i = 0; i < row.dtypes.size(); ++i) {
    const Param &param = op.param(i);
    const std::string name = upper(param.name);
    // An output that is also an input has the macros of the input.
    if (i >= op.inputs.size() && param.isRef)
      continue;
    job.defines.push_back("DTYPE_" + name + "=" + dtypeSpelling(row.dtypes[i]));
    job.defines.push_back("ORIG_DTYPE_" + name + "=" +
                          dtypeMacro(row.dtypes[i]));
    job.defines.push_back("FORMAT_" + name + "=" + formatMacro(row.formats[i]));
    job.what += (job.what.empty() ? "" : ", ") + param.name + " " +
                dtypeSpelling(row.dtypes[i]);
  }
  return job;
}

} // namespace

std::vector<KernelJob> planKernels(const std::vector<Op> &ops) {
  std::vector<KernelJob> jobs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Op &op : ops)
    for (const Unit &unit : op.units)
      for (const Row &row : unit.rows) {
        KernelJob job = makeJob(op, unit, row.binary);
        if (seen.insert({job.architecture, job.name}).second)
          jobs.push_back(std::move(job));
      }
  return jobs;
}

namespace {

/// Prints the struct of a tiling class after those that it contains.
bool printTilingStruct(const optiling::TilingDef &def,
                       std::set<std::string> &printed, std::string &text,
                       std::string &error) {
  if (!printed.insert(def.GetTilingClassName()).second)
    return true;
  auto &factory = optiling::CTilingDataClassFactory::GetInstance();
  std::string body;
  for (const optiling::FieldInfo &field : def.GetFieldInfo()) {
    if (field.kind_ == optiling::FieldInfo::Struct) {
      std::shared_ptr<optiling::TilingDef> nested;
      for (const ge::AscendString &name : factory.Names()) {
        auto candidate = factory.CreateTilingDataInstance(name.GetString());
        if (!std::strcmp(candidate->GetTilingClassName(), field.structType_))
          nested = candidate;
      }
      if (!nested) {
        error = std::string("tiling struct ") + field.structType_ +
                " is not registered (REGISTER_TILING_DATA_CLASS)";
        return false;
      }
      if (!printTilingStruct(*nested, printed, text, error))
        return false;
      body += std::string("  ") + field.structType_ + " " + field.name_ + ";\n";
    } else {
      body += std::string("  ") + field.dtype_ + " " + field.name_ +
              (field.kind_ == optiling::FieldInfo::Array
                   ? "[" + std::to_string(field.arrSize_) + "]"
                   : "") +
              ";\n";
    }
  }
  text += std::string("struct alignas(8) ") + def.GetTilingClassName() +
          " {\n" + body + "};\nstatic_assert(sizeof(" +
          def.GetTilingClassName() +
          ") == " + std::to_string(def.GetDataSize()) +
          ", \"host and kernel layout differ\");\n\n";
  return true;
}

} // namespace

std::string tilingPrelude(const Op &op, std::vector<std::string> &errors) {
  auto def =
      optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance(
          op.type.c_str());
  if (!def)
    return "";
  std::string structs, error;
  std::set<std::string> printed;
  if (!printTilingStruct(*def, printed, structs, error)) {
    errors.push_back(op.type + ": " + error);
    return "";
  }
  return "// Generated from the tiling class of " + op.type +
         " by lossgrad-opbuild. Do not edit.\n#pragma once\n\n"
         "#include <cstdint>\n\n" +
         structs +
         "#define GET_TILING_DATA(tiling_data, tiling_arg) \\\n"
         "  GET_TILING_DATA_WITH_STRUCT(" +
         def->GetTilingClassName() + ", tiling_data, tiling_arg)\n";
}

std::string planText(const std::vector<KernelJob> &jobs) {
  nlohmann::ordered_json plan = nlohmann::ordered_json::array();
  for (const KernelJob &job : jobs)
    plan.push_back({{"op", job.op},
                    {"file", job.file},
                    {"name", job.name},
                    {"architecture", job.architecture},
                    {"prelude", job.prelude},
                    {"defines", job.defines},
                    {"what", job.what}});
  return plan.dump(2) + "\n";
}

bool readPlan(const std::string &path, std::vector<KernelJob> &jobs,
              std::string &error) {
  std::ifstream file(path);
  const auto plan = nlohmann::json::parse(file, nullptr, false);
  if (!file || !plan.is_array()) {
    error = "cannot read the kernel plan '" + path + "'";
    return false;
  }
  for (const auto &entry : plan)
    jobs.push_back({entry["op"], entry["file"], entry["name"],
                    entry["architecture"], entry["prelude"],
                    entry["defines"].get<std::vector<std::string>>(),
                    entry["what"]});
  return true;
}

} // namespace lossgrad::opbuild
