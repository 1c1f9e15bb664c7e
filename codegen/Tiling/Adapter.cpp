//===- Adapter.cpp - The tiling function of the toolkit -------------------===//
//
// Prints the C++11 function that the operator definition registers: it fills
// the plain arguments of the computation from a gert::TilingContext and writes
// back what was decided. Only members that toolkits 8.1 and 9.x share are used.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/Version.h"
#include "codegen/Cpp/WrapLines.h"
#include "codegen/Host/HostModel.h"
#include "codegen/Tiling/CallHeader.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "lossgrad/SocVersions.h"
#include "lossgrad/Targets.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;

static void printTensors(OperatorOp op, raw_indented_ostream &os) {
  bool optionals = llvm::any_of(op.getInputs(), [](ParamAttr param) {
    return param.getRole() == Role::Optional;
  });
  auto fill = [&](ParamAttr param, const std::string &shape,
                  const std::string &desc) {
    os << llvm::formatv("reader.Tensor(\"{0}\", {1}, {2}, call.{0}{3});\n",
                        param.getName().getValue(), shape, desc,
                        param.getKind() == Kind::Int ? ", true" : "");
  };
  for (auto [i, param] : llvm::enumerate(op.getInputs())) {
    StringRef prefix = param.getRole() == Role::Optional ? "GetOptionalInput"
                       : optionals                       ? "GetRequiredInput"
                                                         : "GetInput";
    fill(param, llvm::formatv("context->{0}Shape({1})", prefix, i),
         llvm::formatv("context->{0}Desc({1})", prefix, i));
  }
  for (auto [i, param] : llvm::enumerate(op.getOutputs()))
    fill(param, llvm::formatv("context->GetOutputShape({0})", i),
         llvm::formatv("context->GetOutputDesc({0})", i));
}

/// How an attribute is read from the context's list.
static std::string spellRead(ParamAttr param, unsigned index) {
  StringRef type = param.getCType().getValue(), name = param.getName();
  if (type.contains('*')) {
    auto choices = llvm::map_range(param.getChoices(), [](StringAttr choice) {
      return ("\"" + choice.getValue() + "\"").str();
    });
    return llvm::formatv("reader.Choice(\"{0}\", attributes->GetStr({1}), "
                         "{{{2}}, call.{0});\n",
                         name, index, llvm::join(choices, ", "));
  }
  StringRef getter = type == "bool"                        ? "GetBool"
                     : type == "float" || type == "double" ? "GetFloat"
                                                           : "GetInt";
  return llvm::formatv(
      "reader.Attribute(\"{0}\", attributes->{1}({2}), call.{0});\n", name,
      getter, index);
}

/// The attributes in their order; the strides come after the operator's own,
/// then the shapes of tensors that are handed on as bytes.
static void printAttributes(OperatorOp op, bool areBytes,
                            raw_indented_ostream &os) {
  std::string reads;
  unsigned index = 0;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (!param.isTensor())
      reads += spellRead(param, index++);
  std::string shapes =
      areBytes ? llvm::formatv(", attributes->GetListInt({0})", index + 1).str()
               : "";
  os << llvm::formatv("lossgrad::CallReader reader(type, "
                      "attributes->GetListInt({0}){1});\n",
                      index, shapes)
     << reads;
}

/// Products with vector cores of their own run kernels there; the others count
/// their AI cores.
static StringRef coreCount(ascendc::ProgramOp program) {
  return program.getFamilyTables().front()->splitCores ? "GetCoreNumAiv"
                                                       : "GetCoreNumAic";
}

static void printPlatform(ascendc::ProgramOp first, raw_indented_ostream &os) {
  os << "platform_ascendc::PlatformAscendC chip(context->GetPlatformInfo());\n"
     << "uint64_t ubBytes = 0;\nuint64_t l2Bytes = 0;\n"
     << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);\n"
     << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Bytes);\n"
     << "lossgrad::Platform platform = lossgrad::Platform();\n"
     << "platform.cores = static_cast<int64_t>(chip." << coreCount(first)
     << "());\n"
     << "platform.ubBytes = static_cast<int64_t>(ubBytes);\n"
     << "platform.l2Bytes = static_cast<int64_t>(l2Bytes);\n\n";
}

/// Which kernels are the chip's, for a function that branches on that. Chips
/// are told apart by number: toolkits differ in which enumerators they have.
static void printArchitecture(ArrayRef<ascendc::ProgramOp> programs,
                              raw_indented_ostream &os) {
  os << "switch (static_cast<int>(chip.GetSocVersion())) {\n";
  for (ascendc::ProgramOp program : programs) {
    llvm::MapVector<int, SmallVector<StringRef>> titles;
    SmallVector<const targets::Family *> families = program.getFamilyTables();
    for (const targets::Family *family : families)
      for (const targets::SocVersion &version : targets::socVersions)
        if (StringRef(version.family) == family->key)
          titles[version.number].push_back(family->title);
    StringRef cores = coreCount(program);
    std::string others;
    if (cores != coreCount(programs.front()))
      others = llvm::formatv("        platform.cores = "
                             "static_cast<int64_t>(chip.{0}());\n",
                             cores);
    for (auto &[number, products] : titles)
      os << llvm::formatv("    case {0}: // {1}\n"
                          "        platform.arch = {2};\n{3}"
                          "        break;\n",
                          number, llvm::join(products, " and "),
                          families.front()->npuArch, others);
  }
  os << "    default:\n"
     << "        LOSSGRAD_TILING_ERROR(\"%s: there is no kernel for chips of "
        "SocVersion %d\", type, static_cast<int>(chip.GetSocVersion()));\n"
     << "        return ge::GRAPH_FAILED;\n}\n\n";
}

/// Cores that meet must all be there: a launch that needs a workspace for that
/// starts them together.
static void printMeeting(raw_indented_ostream &os) {
  os << "if (launch.workspace != 0) {\n"
     << "    constexpr uint32_t ALL_CORES_AT_ONCE = 1;\n"
     << "    context->SetScheduleMode(ALL_CORES_AT_ONCE);\n}\n";
}

static void printResult(StringRef name, bool meets, raw_indented_ostream &os) {
  os << "auto *tiling = context->GetTilingData<" << name << "TilingData>();\n"
     << "if (tiling == nullptr) {\n"
     << "    LOSSGRAD_TILING_ERROR(\"%s: the tiling data take %zu bytes, more "
        "than there is room for\", type, sizeof("
     << name << "TilingData));\n"
     << "    return ge::GRAPH_FAILED;\n}\n"
     << "lossgrad::Launch launch = lossgrad::Launch();\n"
     << "if (!Compute" << name << "Tiling(call, platform, *tiling, launch)) {\n"
     << "    LOSSGRAD_TILING_ERROR(\"%s: %s (%llu bytes of UB)\", type, "
        "launch.failure, static_cast<unsigned long long>(ubBytes));\n"
     << "    return ge::GRAPH_FAILED;\n}\n"
     << "context->SetTilingKey(launch.key);\n"
     << "context->SetBlockDim(launch.blocks);\n";
  if (meets)
    printMeeting(os);
  os << "size_t *workspaces = context->GetWorkspaceSizes(1);\n"
     << "if (workspaces != nullptr) {\n"
     << "    // What the kernel uses comes behind what the toolkit's own calls "
        "use.\n"
     << "    workspaces[0] = launch.workspace == 0 ? 0 : launch.workspace + "
        "chip.GetLibApiWorkSpaceSize();\n}\n"
     << "return ge::GRAPH_SUCCESS;\n";
}

LogicalResult tiling::emitCallReader(ModuleOp, raw_ostream &out) {
  out << fillVersion(kCallHeader);
  return success();
}

/// The tiling function asks which architecture it plans for.
static bool branchesOnArchitecture(ModuleOp module, OperatorOp op) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto owner =
        function->getAttrOfType<FlatSymbolRefAttr>(kTilingOperatorAttr);
    if (owner && owner.getAttr() == op.getSymNameAttr() &&
        function.walk([](TilingOnArchOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return true;
  }
  return false;
}

/// One function, whatever the number of architectures that it has kernels for.
static void printFunction(OperatorOp op, ArrayRef<ascendc::ProgramOp> programs,
                          bool areBytes, bool asksArchitecture,
                          raw_ostream &out) {
  std::string name = op.getSymName().str();
  ascendc::ProgramOp first = programs.front();
  StringRef file = first.getFile();
  out << "/*\n * Tiling of " << name
      << " for the toolkit: reads the call, computes, writes back.\n *\n"
      << " * Generated by lossgrad @VERSION@. Edit the operator's record, "
         "not this file.\n */\n"
      << "#include \"" << file << "_tiling.h\"\n\n"
      << "#include \"lossgrad_tiling_call.h\"\n"
      << "#include \"tiling/platform/platform_ascendc.h\"\n\n"
      << "namespace optiling {\n\nge::graphStatus Lossgrad" << name
      << "TilingFunc(gert::TilingContext *context)\n{\n";
  raw_indented_ostream os(out);
  os.indent().indent();
  os << "const char *const type = \"Lossgrad" << name << "\";\n"
     << "const gert::RuntimeAttrs *attributes = context->GetAttrs();\n"
     << "if (attributes == nullptr) {\n"
     << "    LOSSGRAD_TILING_ERROR(\"%s: the call has no attributes\", "
        "type);\n"
     << "    return ge::GRAPH_FAILED;\n}\n"
     << name << "Call call = " << name << "Call();\n";
  printAttributes(op, areBytes, os);
  printTensors(op, os);
  os << "if (!reader.Good()) {\n    return ge::GRAPH_FAILED;\n}\n\n";
  printPlatform(programs.front(), os);
  if (asksArchitecture)
    printArchitecture(programs, os);
  bool meets = llvm::any_of(programs, [](ascendc::ProgramOp program) {
    return program
        .walk([](Operation *op) {
          return isa<ascendc::SyncAllOp, ascendc::SyncAllSoftwareOp>(op)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  });
  printResult(name, meets, os);
  os.unindent().unindent();
  out << "}\n\n} // namespace optiling\n";
}

LogicalResult tiling::emitAdapter(ModuleOp module, raw_ostream &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::MapVector<StringRef, SmallVector<ascendc::ProgramOp>> byOperator;
  for (auto program : module.getOps<ascendc::ProgramOp>())
    byOperator[program.getOpName()].push_back(program);
  for (auto &[name, programs] : byOperator) {
    auto op = module.lookupSymbol<OperatorOp>(name);
    if (!op)
      return programs.front().emitError("has no operator in this module");
    FailureOr<bool> areBytes = host::handsOnBytes(op);
    if (failed(areBytes))
      return failure();
    printFunction(op, programs, *areBytes, branchesOnArchitecture(module, op),
                  out);
  }
  file << fillVersion(cpp::wrapLines(text));
  return success();
}
