//===- HostEmitters.h - Host sources of an operator -------------*- C++ -*-===//
//
// Prints the host files of a level-1 operator: definition, inference, the
// public two-phase function with its contract, graph prototype. IR in, text
// out; rules that need the whole operator are in HostModel.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_HOST_HOSTEMITTERS_H
#define LOSSGRAD_CODEGEN_HOST_HOSTEMITTERS_H

#include "codegen/Host/HostModel.h"
#include "llvm/Support/raw_ostream.h"

namespace lossgrad::host {

/// `op_host/<file>_def.cpp` and what definitions of all operators share.
mlir::LogicalResult emitOpDef(HostModel &model, llvm::raw_ostream &os);
void emitOpDefHelpers(llvm::raw_ostream &os);

/// `op_host/<file>_infershape.cpp`
mlir::LogicalResult emitInferShape(HostModel &model, llvm::raw_ostream &os);

/// `op_api/<header>.h`, `op_api/<header>.cpp`, and
/// `op_api/lossgrad_contract.h`.
void emitAclnnHeader(HostModel &model, llvm::raw_ostream &os);
mlir::LogicalResult emitAclnnSource(HostModel &model, llvm::raw_ostream &os);
void emitContractHelpers(llvm::raw_ostream &os);

/// `op_graph/<file>_proto.h`
void emitProto(HostModel &model, llvm::raw_ostream &os);

/// Registers --mlir-to-opdef, --mlir-to-infershape, --mlir-to-aclnn and
/// --mlir-to-proto. Files are separated by lines `//--- path`.
void registerTranslations();

} // namespace lossgrad::host

#endif // LOSSGRAD_CODEGEN_HOST_HOSTEMITTERS_H
