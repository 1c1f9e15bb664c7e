//===- BodyNames.cpp - What values of a body are called -------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/BodyNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

static constexpr size_t longestName = 24;

static std::string capitalized(StringRef text) {
  return text.empty() ? "" : llvm::toUpper(text[0]) + text.drop_front().str();
}

StringRef lossgrad::callValue(Value value) {
  StringRef name = getValueName(value);
  Operation *op = value.getDefiningOp();
  return name.empty() && isa_and_nonnull<WidenOp, CastOp>(op)
             ? callValue(op->getOperand(0))
             : name;
}

/// A value in words: `selfSquare`, `predNear`, `absX`. Signs and numbers say
/// nothing.
static std::string describe(Value value) {
  if (StringRef name = callValue(value); !name.empty())
    return name.str();
  Operation *op = value.getDefiningOp();
  if (!op)
    return "";
  if (isa<NegOp>(op))
    return describe(op->getOperand(0));
  StringRef word = isa<ExpOp>(op)   ? "exp"
                   : isa<LogOp>(op) ? "log"
                   : isa<AbsOp>(op) ? "abs"
                                    : "";
  if (!word.empty()) {
    std::string of = describe(op->getOperand(0));
    return of.empty() ? "" : word.str() + capitalized(of);
  }
  StringRef between = isa<AddOp>(op) ? "Plus" : isa<SubOp>(op) ? "Minus" : "";
  if (between.empty() && !isa<MulOp>(op))
    return "";
  std::string left = describe(op->getOperand(0)),
              right = describe(op->getOperand(1));
  if (left.empty() || right.empty())
    return "";
  if (isa<MulOp>(op) && op->getOperand(0) == op->getOperand(1))
    return left + "Square";
  return left + between.str() + capitalized(right);
}

std::string lossgrad::callReduction(ReduceOp reduce) {
  if (StringRef name = getValueName(reduce); !name.empty())
    return name.str();
  std::string reduced = describe(reduce.getOperand());
  if (reduced.empty() || reduced.size() > longestName)
    return "";
  auto cast = reduce.getOperand().getDefiningOp<CastOp>();
  bool counts =
      cast && llvm::cast<ValueType>(cast.getOperand().getType()).getKind() ==
                  Kind::Bool;
  switch (reduce.getReduceKind()) {
  case ReduceKind::sum:
    return reduced + (counts ? "Count" : "Sum");
  case ReduceKind::max:
    return reduced + "Max";
  case ReduceKind::min:
    return reduced + "Min";
  }
  llvm_unreachable("unknown kind of reduction");
}

StringRef lossgrad::roleOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::sum:
    return "sum";
  case ReduceKind::max:
    return "maximum";
  case ReduceKind::min:
    return "minimum";
  }
  llvm_unreachable("unknown kind of reduction");
}
