//===- AclnnWriter.h - printing generated aclnn functions -------*- C++ -*-===//
//
// The C interface of an operator as op_build would generate it (names, order
// and types of parameters), and a source of tables that libnnopbase works
// from. Text only: all facts are in the model.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_OPBUILD_ACLNNWRITER_H
#define LOSSGRAD_RUNTIME_OPBUILD_ACLNNWRITER_H

#include "OpModel.h"

namespace lossgrad::opbuild {

struct AclnnOptions {
  std::string prefix = "aclnn";     // of functions
  std::string filePrefix = "aclnn"; // of files
  bool exported = true;             // default visibility
};

std::string aclnnFileStem(const Op &op, const AclnnOptions &options);
std::string aclnnHeader(const Op &op, const AclnnOptions &options);
std::string aclnnSource(const Op &op, const AclnnOptions &options);

} // namespace lossgrad::opbuild

#endif // LOSSGRAD_RUNTIME_OPBUILD_ACLNNWRITER_H
