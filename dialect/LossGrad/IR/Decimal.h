//===- Decimal.h - Numbers as short texts -----------------------*- C++ -*-===//
//
// How many digits a real needs to read back as itself: 1e-12 needs one, where
// APFloat prints seventeen. For printers; no number is rounded here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_IR_DECIMAL_H
#define LOSSGRAD_DIALECT_LOSSGRAD_IR_DECIMAL_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>

namespace lossgrad {

/// The fewest significant digits that read back as `value`, a float32 or
/// float64; for APFloat::toString.
inline unsigned digitsToReadBack(const llvm::APFloat &value) {
  char text[32];
  auto print = [&](auto number) {
    return std::to_chars(text, text + sizeof(text), number,
                         std::chars_format::scientific)
        .ptr;
  };
  bool isFloat = &value.getSemantics() == &llvm::APFloat::IEEEsingle();
  const char *end =
      isFloat ? print(value.convertToFloat()) : print(value.convertToDouble());
  llvm::StringRef digits(text, end - text);
  return llvm::count_if(digits.split('e').first, llvm::isDigit);
}

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_IR_DECIMAL_H
