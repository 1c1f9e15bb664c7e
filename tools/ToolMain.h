//===- ToolMain.h - What the command lines of all programs share -*- C++
//-*-===//
//
// --version says our version, and --help what is ours: the libraries that the
// programs link register hundreds of options for back ends that nobody here
// uses.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_TOOLMAIN_H
#define LOSSGRAD_TOOLS_TOOLMAIN_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace lossgrad::tools {

/// `lossgrad-opt 0.1.0 (LLVM 22.1.8)`
inline void setVersion(llvm::StringRef program) {
  llvm::cl::SetVersionPrinter([program](llvm::raw_ostream &os) {
    os << program << ' ' << LOSSGRAD_VERSION << " (LLVM " << LLVM_VERSION_STRING
       << ")\n";
  });
}

/// Hides what is registered so far, before the program registers what it
/// offers; options of `ours` stay, and those of libraries that are `named`.
/// `--help-hidden` still shows all.
inline void
hideForeignOptions(llvm::ArrayRef<llvm::cl::OptionCategory *> ours = {},
                   llvm::ArrayRef<llvm::StringRef> named = {}) {
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option *option = entry.second;
    llvm::StringRef name = option->ArgStr;
    bool kept = name == "help" || name == "version" ||
                llvm::is_contained(named, name) ||
                llvm::any_of(option->Categories,
                             [&](llvm::cl::OptionCategory *category) {
                               return llvm::is_contained(ours, category);
                             });
    if (!kept)
      option->setHiddenFlag(llvm::cl::ReallyHidden);
  }
}

} // namespace lossgrad::tools

#endif // LOSSGRAD_TOOLS_TOOLMAIN_H
