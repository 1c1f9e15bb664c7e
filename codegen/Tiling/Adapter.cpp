//===- Adapter.cpp - The tiling function of the toolkit -------------------===//
//
// Prints the C++11 function that the operator definition registers: it fills
// the plain arguments of the computation from a gert::TilingContext and writes
// back what was decided. Only members that toolkits 8.1 and 9.x share are used.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/Version.h"
#include "codegen/Cpp/WrapLines.h"
#include "codegen/Tiling/CallHeader.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/IndentedOstream.h"
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
    os << llvm::formatv("reader.Tensor(\"{0}\", {1}, {2}, call.{0});\n",
                        param.getName().getValue(), shape, desc);
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

/// The attributes in their order; the strides come after the operator's own.
static void printAttributes(OperatorOp op, raw_indented_ostream &os) {
  std::string reads;
  unsigned index = 0;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (!param.isTensor())
      reads += spellRead(param, index++);
  os << llvm::formatv("lossgrad::CallReader reader(type, "
                      "attributes->GetListInt({0}));\n",
                      index)
     << reads;
}

static void printPlatform(raw_indented_ostream &os) {
  os << "platform_ascendc::PlatformAscendC chip(context->GetPlatformInfo());\n"
     << "uint64_t ubBytes = 0;\nuint64_t l2Bytes = 0;\n"
     << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);\n"
     << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Bytes);\n"
     << "lossgrad::Platform platform = lossgrad::Platform();\n"
     << "platform.cores = static_cast<int64_t>(chip.GetCoreNumAiv());\n"
     << "platform.ubBytes = static_cast<int64_t>(ubBytes);\n"
     << "platform.l2Bytes = static_cast<int64_t>(l2Bytes);\n\n";
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

LogicalResult tiling::emitAdapter(ModuleOp module, raw_ostream &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto program : module.getOps<ascendc::ProgramOp>()) {
    auto op = module.lookupSymbol<OperatorOp>(program.getOpName());
    if (!op)
      return program.emitError("has no operator in this module");
    std::string name = op.getSymName().str();
    out << "/*\n * Tiling of " << name
        << " for the toolkit: reads the call, computes, writes back.\n *\n"
        << " * Generated by lossgrad @VERSION@. Edit the operator's record, "
           "not this file.\n */\n"
        << "#include \"" << program.getFile() << "_tiling.h\"\n\n"
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
    printAttributes(op, os);
    printTensors(op, os);
    os << "if (!reader.Good()) {\n    return ge::GRAPH_FAILED;\n}\n\n";
    printPlatform(os);
    bool meets =
        program.walk([](ascendc::SyncAllOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    printResult(name, meets, os);
    os.unindent().unindent();
    out << "}\n\n} // namespace optiling\n";
  }
  file << fillVersion(cpp::wrapLines(text));
  return success();
}
