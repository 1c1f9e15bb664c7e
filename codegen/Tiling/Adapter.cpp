//===- Adapter.cpp - The tiling function of the toolkit -------------------===//
//
// Prints the C++11 function that the operator definition registers: it fills
// the plain arguments of the computation from a gert::TilingContext and writes
// back what was decided. Only members that toolkits 8.1 and 9.x share are used.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/WrapLines.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/LossGrad.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;

/// What does not depend on the operator. Strides of all tensors come one after
/// the other in a ListInt attribute, one number per axis; without it tensors
/// are dense.
static constexpr StringLiteral kSupport = R"cpp(
namespace {

int32_t DtypeCode(ge::DataType type)
{
    return type == ge::DT_FLOAT ? 0 : (type == ge::DT_FLOAT16 ? 1 : 2);
}

/* Takes an attribute; false where the call has none. */
template <typename T, typename A>
bool Take(T &value, const A *attribute)
{
    if (attribute == nullptr) {
        return false;
    }
    value = *attribute;
    return true;
}

/* Takes the shape, the dtype and, from `strides`, one stride per axis. */
bool Fill(lossgrad::Tensor &tensor, const gert::StorageShape *shape, const gert::CompileTimeTensorDesc *desc,
    const gert::TypedContinuousVector<int64_t> *strides, size_t &next)
{
    tensor = lossgrad::Tensor();
    tensor.present = shape != nullptr && desc != nullptr;
    if (!tensor.present) {
        return true;
    }
    const gert::Shape &extents = shape->GetOriginShape();
    if (extents.GetDimNum() > static_cast<size_t>(lossgrad::MAX_RANK)) {
        return false;
    }
    tensor.rank = static_cast<int32_t>(extents.GetDimNum());
    tensor.dtype = DtypeCode(desc->GetDataType());
    int64_t dense = 1;
    for (int32_t i = tensor.rank - 1; i >= 0; --i) {
        tensor.extents[i] = extents.GetDim(static_cast<size_t>(i));
        tensor.strides[i] = dense;
        dense *= tensor.extents[i];
    }
    const size_t count = static_cast<size_t>(tensor.rank);
    if (strides != nullptr && strides->GetSize() > 0) {
        if (next + count > strides->GetSize()) {
            return false;
        }
        for (size_t i = 0; i < count; ++i) {
            tensor.strides[i] = strides->GetData()[next + i];
        }
        next += count;
    }
    return true;
}

} // namespace
)cpp";

static void printTensors(OperatorOp op, raw_indented_ostream &os) {
  bool optionals = llvm::any_of(op.getInputs(), [](ParamAttr param) {
    return param.getRole() == Role::Optional;
  });
  auto fill = [&](ParamAttr param, const std::string &shape,
                  const std::string &desc) {
    os << llvm::formatv("filled = Fill(call.{0}, {1}, {2}, strides, next) && "
                        "filled;\n",
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

static void printAttributes(OperatorOp op, raw_indented_ostream &os) {
  unsigned index = 0;
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor())
      continue;
    StringRef type = param.getCType().getValue();
    StringRef getter = type == "bool"                        ? "GetBool"
                       : type == "float" || type == "double" ? "GetFloat"
                       : type.contains('*')                  ? "GetStr"
                                                             : "GetInt";
    std::string name = param.getName().str();
    if (getter == "GetStr") {
      os << llvm::formatv("const char *{0} = attributes->GetStr({1});\n", name,
                          index);
      for (auto [i, choice] : llvm::enumerate(param.getChoices()))
        os << llvm::formatv("if ({0} != nullptr && std::strcmp({0}, \"{1}\") "
                            "== 0) {{\n    call.{0} = {2};\n}\n",
                            name, choice.getValue(), i);
    } else {
      os << llvm::formatv("filled = Take(call.{0}, attributes->{1}({2})) && "
                          "filled;\n",
                          name, getter, index);
    }
    ++index;
  }
  os << llvm::formatv("const gert::TypedContinuousVector<int64_t> *strides = "
                      "attributes->GetListInt({0});\n",
                      index);
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
        << " for the toolkit: reads the call, computes, writes back.\n"
        << " * Generated by lossgrad.\n */\n"
        << "#include \"" << program.getFile() << "_tiling.h\"\n\n"
        << "#include <cstring>\n\n"
        << "#include \"register/op_def_registry.h\"\n"
        << "#include \"tiling/platform/platform_ascendc.h\"\n\n"
        << "namespace optiling {\n"
        << kSupport << "\nge::graphStatus Lossgrad" << name
        << "TilingFunc(gert::TilingContext *context)\n{\n";
    raw_indented_ostream os(out);
    os.indent().indent();
    os << name << "Call call = " << name << "Call();\n"
       << "const gert::RuntimeAttrs *attributes = context->GetAttrs();\n"
       << "if (attributes == nullptr) {\n    return ge::GRAPH_FAILED;\n}\n"
       << "bool filled = true;\n";
    printAttributes(op, os);
    os << "size_t next = 0;\n";
    printTensors(op, os);
    os << "if (!filled) {\n    return ge::GRAPH_FAILED;\n}\n\n"
       << "platform_ascendc::PlatformAscendC "
          "chip(context->GetPlatformInfo());\n"
       << "uint64_t ubBytes = 0;\nuint64_t l2Bytes = 0;\n"
       << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);\n"
       << "chip.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Bytes);\n"
       << "lossgrad::Platform platform = lossgrad::Platform();\n"
       << "platform.cores = static_cast<int64_t>(chip.GetCoreNumAiv());\n"
       << "platform.ubBytes = static_cast<int64_t>(ubBytes);\n"
       << "platform.l2Bytes = static_cast<int64_t>(l2Bytes);\n\n"
       << "auto *tiling = context->GetTilingData<" << name << "TilingData>();\n"
       << "lossgrad::Launch launch = lossgrad::Launch();\n"
       << "if (tiling == nullptr || !Compute" << name
       << "Tiling(call, platform, *tiling, launch)) {\n"
       << "    return ge::GRAPH_FAILED;\n}\n"
       << "context->SetTilingKey(launch.key);\n"
       << "context->SetBlockDim(launch.blocks);\n"
       << "size_t *workspaces = context->GetWorkspaceSizes(1);\n"
       << "if (workspaces != nullptr) {\n    workspaces[0] = 0;\n}\n"
       << "return ge::GRAPH_SUCCESS;\n";
    os.unindent().unindent();
    out << "}\n\n} // namespace optiling\n";
  }
  file << cpp::wrapLines(text);
  return success();
}
