//===- Package.h - the kernels and host functions of a library --*- C++ -*-===//
//
// A library of operators (libcust_opapi.so, libopapi.so) has a folder of the
// same stem beside it, cust_opapi.ops/, with what is loaded when it is needed:
//   libcust_opmaster_rt2.0.so, libcust_opsproto_rt2.0.so   host functions
//   kernels/<architecture>/<kernel>.so                     one binary per row
//   sources/                                               what they are made of
// The folder is found from where the library itself was loaded.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_OPBASE_PACKAGE_H
#define LOSSGRAD_RUNTIME_OPBASE_PACKAGE_H

#include "lossgrad/opapi.h"

#include <map>
#include <mutex>
#include <string>

namespace lossgrad::aclnn {

class Package {
public:
  /// The package of the library that contains `op`.
  static Package &of(const opapi::Operator &op);

  /// Loads the host functions once; an empty string, or what went wrong.
  const std::string &loadHost();

  /// The entry point of a kernel; null, with the reason in `error`.
  void *kernel(const char *architecture, const char *file, const char *function,
               std::string &error);

  const std::string folder;

private:
  explicit Package(std::string folder) : folder(std::move(folder)) {}
  std::once_flag hostLoaded;
  std::string hostError;
  std::mutex mutex;
  std::map<std::string, void *> kernels;
};

} // namespace lossgrad::aclnn

#endif // LOSSGRAD_RUNTIME_OPBASE_PACKAGE_H
