//===- TranslateRegistration.cpp - --mlir-to-aclnn and others -------------===//
//
// Registers the host emitters as translations.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/HostEmitters.h"
#include "dialect/Dialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::host;

static LogicalResult
forEachOperator(ModuleOp module,
                llvm::function_ref<LogicalResult(HostModel &)> emit) {
  auto operators = module.getOps<OperatorOp>();
  if (operators.empty())
    return module.emitError("has no lossgrad.operator");
  for (OperatorOp op : operators) {
    FailureOr<HostModel> model = HostModel::create(op);
    if (failed(model) || failed(emit(*model)))
      return failure();
  }
  return success();
}

static raw_ostream &file(raw_ostream &os, const llvm::Twine &path) {
  return os << "//--- " << path << "\n";
}

static LogicalResult toOpDef(ModuleOp module, raw_ostream &os) {
  emitOpDefHelpers(file(os, "op_host/lossgrad_op_def.h"));
  return forEachOperator(module, [&](HostModel &model) {
    return emitOpDef(model, file(os, "op_host/" + model.file + "_def.cpp"));
  });
}

static LogicalResult toInferShape(ModuleOp module, raw_ostream &os) {
  emitOpDefHelpers(file(os, "op_host/lossgrad_op_def.h"));
  return forEachOperator(module, [&](HostModel &model) {
    return emitInferShape(
        model, file(os, "op_host/" + model.file + "_infershape.cpp"));
  });
}

static LogicalResult toAclnn(ModuleOp module, raw_ostream &os) {
  emitContractHelpers(file(os, "op_api/lossgrad_contract.h"));
  return forEachOperator(module, [&](HostModel &model) {
    emitAclnnHeader(model, file(os, "op_api/" + model.header + ".h"));
    return emitAclnnSource(model, file(os, "op_api/" + model.header + ".cpp"));
  });
}

static LogicalResult toProto(ModuleOp module, raw_ostream &os) {
  return forEachOperator(module, [&](HostModel &model) {
    emitProto(model, file(os, "op_graph/" + model.file + "_proto.h"));
    return success();
  });
}

void host::registerTranslations() {
  static constexpr char separated[] =
      "; files are separated by '//--- path' lines";
  static const std::string opdef =
      std::string("print operator definitions (C++11)") + separated;
  static const std::string infershape =
      std::string("print shape and dtype inference (C++11)") + separated;
  static const std::string aclnn =
      std::string("print the public two-phase functions with their contracts "
                  "(C++11)") +
      separated;
  static const std::string proto =
      std::string("print graph prototypes (C++11)") + separated;
  static TranslateFromMLIRRegistration registrations[] = {
      {"mlir-to-opdef", opdef, toOpDef, registerDialects},
      {"mlir-to-infershape", infershape, toInferShape, registerDialects},
      {"mlir-to-aclnn", aclnn, toAclnn, registerDialects},
      {"mlir-to-proto", proto, toProto, registerDialects}};
  (void)registrations;
}
