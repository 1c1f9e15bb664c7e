//===- Naming.cpp - Names of files that belong to an operator -------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/Naming.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

std::string lossgrad::toSnakeCase(StringRef name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (isUpper(name[i]) && i > 0) {
      bool afterWord = isLower(name[i - 1]) || isDigit(name[i - 1]);
      bool endsRun =
          isUpper(name[i - 1]) && i + 1 < name.size() && isLower(name[i + 1]);
      if (afterWord || endsRun)
        text += '_';
    }
    text += toLower(name[i]);
  }
  return text;
}
