//===- ProductLimits.h - What holds on every product ------------*- C++ -*-===//
//
// Numbers of the vector unit and of global memory that kernels and tiling
// functions are made with, out of the product tables. One tiling header serves
// all products of a project, and tiles are cut alike for all, so that these are
// the strictest of any product; what a program has for itself (bank groups,
// events, UB) is asked of its own family instead.
//
// Not from tables, because the calls have them in their types wherever they
// exist: repeats and repeat strides of 8 bits, gaps of DataCopy of 16 bits, 8
// values per repeat of Brcb.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_IR_PRODUCTLIMITS_H
#define LOSSGRAD_DIALECT_ASCENDC_IR_PRODUCTLIMITS_H

#include "lossgrad/Targets.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace lossgrad::ascendc {

struct ProductLimits {
  int64_t blockBytes;  ///< what UB addresses are a multiple of
  int64_t repeatBytes; ///< of one operand in one repeat
  int64_t maxRepeat;   ///< repeats of one call
  int64_t lineBytes;   ///< of global memory: where a tile should begin
  int64_t cores;       ///< that a kernel may be started on

  /// Those of one family.
  static ProductLimits of(const targets::Family &family);
  /// The strictest of all.
  static const ProductLimits &ofAll();

  /// Repeats in which whole groups of Brcb's values fit.
  int64_t getMaxRows() const { return maxRepeat / 8 * 8; }
  /// Elements such that tiles of any element type from 16 bits on begin on a
  /// line, and end with a repeat.
  int64_t getGranule() const { return lineBytes / 2; }

  /// The text with the numbers where it says `@BLOCK_BYTES@`, `@REPEAT_BYTES@`,
  /// `@MAX_REPEAT@`, `@MAX_ROWS@`, `@LINE_BYTES@` and `@GRANULE@`.
  std::string fill(llvm::StringRef text) const;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_DIALECT_ASCENDC_IR_PRODUCTLIMITS_H
