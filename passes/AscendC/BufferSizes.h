//===- BufferSizes.h - sizes that depend on the tiling data -----*- C++ -*-===//
//
// The size of a buffer is a product of numbers and tiling members, rounded up.
// Sums of such sizes are kept symbolic, so that the same expression becomes
// InitBuffer lengths and offsets in the kernel and the UB budget on the host.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_ASCENDC_BUFFERSIZES_H
#define LOSSGRAD_PASSES_ASCENDC_BUFFERSIZES_H

#include "dialect/AscendC/IR/AscendC.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <string>
#include <vector>

namespace lossgrad::ascendc {

/// What an expression stands for when it is evaluated: the value of a tiling
/// member, or null if it has none.
using SymbolValues = llvm::function_ref<mlir::Value(llvm::StringRef)>;

/// prod(symbols) * bits / 8 bytes, rounded up to `align` unless that is 0.
struct SizeTerm {
  std::vector<std::string> symbols; // sorted
  int64_t bits = 0;
  int64_t align = 0;

  bool operator<(const SizeTerm &other) const {
    return std::tie(symbols, bits, align) <
           std::tie(other.symbols, other.bits, other.align);
  }
};

/// A number of bytes: a constant, exact products and rounded products.
class SizeExpr {
public:
  SizeExpr() = default;
  explicit SizeExpr(int64_t bytes) : constant(bytes) {}

  /// The size of a buffer whose bytes are rounded up to `align`; no rounding is
  /// recorded where the members' multiples already give it.
  static SizeExpr ofBuffer(BufferOp buffer, int64_t align);

  SizeExpr &operator+=(const SizeExpr &other);
  SizeExpr operator*(int64_t factor) const;
  bool operator==(const SizeExpr &other) const;

  /// Is this never larger than `other`, whatever the symbols? False if unknown.
  bool isAtMost(const SizeExpr &other) const;
  bool isConstant() const { return exact.empty() && rounded.empty(); }
  int64_t getConstant() const { return constant; }
  void collectSymbols(llvm::SmallVectorImpl<std::string> &symbols) const;

  /// fixedBytes + (units * bitsPerUnit + others * bitsPerOther) / 8, with
  /// rounding at its worst.
  struct Line {
    int64_t fixedBytes, bitsPerUnit, bitsPerOther;
  };
  /// The expression by two symbols; nothing if it depends on further ones or on
  /// a product.
  std::optional<Line> asLineIn(llvm::StringRef free,
                               llvm::StringRef other) const;

  /// bytes / unit as a value of `type`. `unit` must divide it at run time.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type, int64_t unit,
                          SymbolValues values) const;
  /// The largest value of `free` for which the expression, with its rounding at
  /// its worst, is at most `budget`. The expression must be linear in it.
  mlir::Value solve(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::StringRef free, mlir::Value budget,
                    SymbolValues values) const;

private:
  int64_t constant = 0;
  std::map<std::vector<std::string>, int64_t> exact; // symbols to bits
  std::map<SizeTerm, int64_t> rounded;               // term to factor
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_PASSES_ASCENDC_BUFFERSIZES_H
