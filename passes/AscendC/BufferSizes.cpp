//===- BufferSizes.cpp - sizes that depend on the tiling data -------------===//
//
// Symbolic sums of buffer sizes and their arithmetic, see the header.
//
//===----------------------------------------------------------------------===//

#include "passes/AscendC/BufferSizes.h"
#include "passes/AscendC/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

/// The multiple that the host promises for a member.
static int64_t promisedMultiple(TilingFieldOp field) {
  TilingStructOp tiling = field->getParentOfType<KernelOp>().getTilingStruct();
  auto member = dyn_cast_or_null<TilingMemberOp>(
      SymbolTable::lookupSymbolIn(tiling, field.getMemberAttr()));
  return member && member.getMultiple() ? *member.getMultiple() : 1;
}

SizeExpr SizeExpr::ofBuffer(BufferOp buffer, int64_t align) {
  SizeTerm term;
  term.bits = elementBits(buffer.getType().getElementType());
  int64_t multiple = 1;
  for (OpFoldResult extent : buffer.getMixedShape()) {
    if (std::optional<int64_t> number = getConstantIntValue(extent)) {
      term.bits *= *number;
      continue;
    }
    auto field = cast<Value>(extent).getDefiningOp<TilingFieldOp>();
    term.symbols.push_back(field.getMember().str());
    multiple *= promisedMultiple(field);
  }
  llvm::sort(term.symbols);
  SizeExpr size;
  if (term.symbols.empty()) {
    size.constant = llvm::alignTo(llvm::divideCeil(term.bits, 8), align);
  } else if (multiple * term.bits % (8 * align) == 0) {
    size.exact[term.symbols] = term.bits;
  } else {
    term.align = align;
    size.rounded[term] = 1;
  }
  return size;
}

SizeExpr &SizeExpr::operator+=(const SizeExpr &other) {
  constant += other.constant;
  for (auto &[symbols, bits] : other.exact)
    exact[symbols] += bits;
  for (auto &[term, factor] : other.rounded)
    rounded[term] += factor;
  return *this;
}

SizeExpr SizeExpr::operator*(int64_t factor) const {
  SizeExpr product = *this;
  product.constant *= factor;
  for (auto &entry : product.exact)
    entry.second *= factor;
  for (auto &entry : product.rounded)
    entry.second *= factor;
  return product;
}

bool SizeExpr::operator==(const SizeExpr &other) const {
  return constant == other.constant && exact == other.exact &&
         std::equal(rounded.begin(), rounded.end(), other.rounded.begin(),
                    other.rounded.end(), [](const auto &a, const auto &b) {
                      return !(a.first < b.first) && !(b.first < a.first) &&
                             a.second == b.second;
                    });
}

bool SizeExpr::isAtMost(const SizeExpr &other) const {
  if (isConstant() && other.isConstant())
    return constant <= other.constant;
  if (constant != other.constant)
    return false;
  // One product each, of the same symbols: compare the numbers.
  if (rounded.empty() && other.rounded.empty() && exact.size() == 1 &&
      other.exact.size() == 1)
    return exact.begin()->first == other.exact.begin()->first &&
           exact.begin()->second <= other.exact.begin()->second;
  if (exact.empty() && other.exact.empty() && rounded.size() == 1 &&
      other.rounded.size() == 1) {
    const SizeTerm &mine = rounded.begin()->first;
    const SizeTerm &theirs = other.rounded.begin()->first;
    return mine.symbols == theirs.symbols && mine.align == theirs.align &&
           mine.bits <= theirs.bits &&
           rounded.begin()->second <= other.rounded.begin()->second;
  }
  return *this == other;
}

void SizeExpr::collectSymbols(SmallVectorImpl<std::string> &symbols) const {
  auto add = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!llvm::is_contained(symbols, name))
        symbols.push_back(name);
  };
  for (auto &entry : exact)
    add(entry.first);
  for (auto &entry : rounded)
    add(entry.first.symbols);
}

std::optional<SizeExpr::Line> SizeExpr::asLineIn(StringRef free,
                                                 StringRef other) const {
  Line line{constant, 0, 0};
  auto add = [&](ArrayRef<std::string> symbols, int64_t bits) {
    if (symbols.size() != 1 ||
        (symbols.front() != free && symbols.front() != other))
      return false;
    (symbols.front() == free ? line.bitsPerUnit : line.bitsPerOther) += bits;
    return true;
  };
  for (auto &[symbols, bits] : exact)
    if (!add(symbols, bits))
      return std::nullopt;
  for (auto &[term, factor] : rounded) {
    if (!add(term.symbols, term.bits * factor))
      return std::nullopt;
    line.fixedBytes += term.align * factor;
  }
  return line;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// Small integer arithmetic on values of one type; folds what is trivial, so
/// that emitted sources have no `* 1`.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value number(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value times(Value value, int64_t factor) {
    if (factor == 1)
      return value;
    return arith::MulIOp::create(builder, loc, value, number(factor));
  }
  Value plus(Value sum, Value value) {
    return sum ? arith::AddIOp::create(builder, loc, sum, value).getResult()
               : value;
  }
  Value over(Value value, int64_t divisor) {
    if (divisor == 1)
      return value;
    return arith::DivSIOp::create(builder, loc, value, number(divisor));
  }
  Value product(ArrayRef<std::string> symbols, SymbolValues values) {
    Value result;
    for (const std::string &symbol : symbols) {
      Value value = values(symbol);
      result =
          result
              ? arith::MulIOp::create(builder, loc, result, value).getResult()
              : value;
    }
    return result;
  }
  /// prod * bits / (8 * unit), exact.
  Value scaled(Value product, int64_t bits, int64_t unit) {
    if (bits % (8 * unit) == 0)
      return times(product, bits / (8 * unit));
    int64_t common = std::gcd(bits, 8 * unit);
    return over(times(product, bits / common), 8 * unit / common);
  }
  /// A rounded term in units of `unit` bytes, which divide its alignment.
  Value rounded(const SizeTerm &term, int64_t unit, SymbolValues values) {
    Value product = this->product(term.symbols, values);
    int64_t granule = 8 * term.align;
    // ceil(product * bits / granule) * align
    int64_t common = std::gcd(term.bits, granule);
    Value blocks = arith::CeilDivSIOp::create(
        builder, loc, times(product, term.bits / common),
        number(granule / common));
    Value result = times(blocks, term.align / unit);
    std::string name = "padded";
    for (StringRef symbol : term.symbols)
      name += symbol.take_front().upper() + symbol.drop_front().str();
    setName(result.getDefiningOp(), name);
    return result;
  }
};
} // namespace

Value SizeExpr::materialize(OpBuilder &builder, Location loc, Type type,
                            int64_t unit, SymbolValues values) const {
  Arithmetic math{builder, loc, type};
  bool wholeUnits =
      constant % unit == 0 && llvm::all_of(rounded, [&](const auto &entry) {
        return entry.first.align % unit == 0;
      });
  int64_t termUnit = wholeUnits ? unit : 1;
  Value sum;
  for (auto &[symbols, bits] : exact)
    sum = math.plus(sum,
                    math.scaled(math.product(symbols, values), bits, termUnit));
  for (auto &[term, factor] : rounded) {
    Value units = math.rounded(term, termUnit, values);
    sum = math.plus(sum, math.times(units, factor));
  }
  if (constant || !sum)
    sum = math.plus(sum, math.number(constant / termUnit));
  return wholeUnits ? sum : math.over(sum, unit);
}

Value SizeExpr::solve(OpBuilder &builder, Location loc, StringRef free,
                      Value budget, SymbolValues values) const {
  Arithmetic math{builder, loc, budget.getType()};
  SizeExpr rest(constant);
  Value perUnitBits; // bits per unit of the free symbol
  auto addSlope = [&](std::vector<std::string> symbols, int64_t bits) {
    symbols.erase(llvm::find(symbols, free));
    Value others = math.product(symbols, values);
    Value slope = others ? math.times(others, bits) : math.number(bits);
    perUnitBits = math.plus(perUnitBits, slope);
  };
  for (auto &[symbols, bits] : exact) {
    if (llvm::is_contained(symbols, free))
      addSlope(symbols, bits);
    else
      rest.exact[symbols] = bits;
  }
  for (auto &[term, factor] : rounded) {
    if (llvm::is_contained(term.symbols, free)) {
      addSlope(term.symbols, term.bits * factor);
      rest.constant += term.align * factor;
    } else {
      rest.rounded[term] = factor;
    }
  }
  if (!perUnitBits)
    return {};
  Value used = rest.materialize(builder, loc, budget.getType(), 1, values);
  Value left = arith::SubIOp::create(builder, loc, budget, used);
  return arith::DivSIOp::create(builder, loc, math.times(left, 8), perUnitBits);
}
