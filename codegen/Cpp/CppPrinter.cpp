//===- CppPrinter.cpp - arith and scf as C++ ------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/CppPrinter.h"

#include "dialect/LossGrad/IR/Decimal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cfloat>
#include <climits>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::cpp;

std::string CppPrinter::spellType(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger(32))
    return "int32_t";
  if (type.isInteger(64))
    return "int64_t";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  return {};
}

void CppPrinter::reportUnknown(Operation *op) {
  if (!failed)
    op->emitOpError("has no C++ form; a pass before the printer must rewrite "
                    "it");
  failed = true;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// A floating-point literal that reads back as the same number.
static std::string floatLiteral(const APFloat &value, bool isDouble) {
  StringRef suffix = isDouble ? "" : "f";
  if (value.isInfinity())
    return std::string(value.isNegative() ? "-" : "") +
           (isDouble ? "__builtin_inf()" : "__builtin_inff()");
  if (value.isNaN())
    return isDouble ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
  // Powers of two and the ends of float32 are better known by name.
  int exponent = value.getExactLog2Abs();
  double number = isDouble ? value.convertToDouble() : 0;
  if (number == FLT_MIN || number == FLT_MAX)
    return number == FLT_MIN ? "FLT_MIN" : "FLT_MAX";
  if (isDouble && exponent != INT_MIN && std::abs(exponent) >= 24)
    return llvm::formatv("std::ldexp({0}1.0, {1})",
                         value.isNegative() ? "-" : "", exponent);
  SmallString<32> text;
  value.toString(text, digitsToReadBack(value), /*FormatMaxPadding=*/6);
  if (text.find_first_of(".eE") == StringRef::npos)
    text += ".0";
  return StringRef(text).lower() + suffix.str();
}

static Expression literal(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    std::string text = floatLiteral(number.getValue(), op.getType().isF64());
    return {text, text[0] == '-' ? Unary : Primary};
  }
  APInt number = cast<IntegerAttr>(value).getValue();
  if (number.getBitWidth() == 1)
    return {number.isZero() ? "false" : "true"};
  if (number.isMinSignedValue())
    return {number.getBitWidth() == 64 ? "INT64_MIN" : "INT32_MIN"};
  return {std::to_string(number.getSExtValue()),
          number.isNegative() ? Unary : Primary};
}

std::string CppPrinter::expression(Value value, Precedence around) {
  StringRef name = names.lookup(value);
  if (!name.empty())
    return name.str();
  Operation *op = value.getDefiningOp();
  std::optional<Expression> result;
  if (op) {
    result = arithmetic(op);
    if (!result)
      result = extraExpression(op);
  }
  if (!result) {
    if (op) {
      reportUnknown(op);
    } else if (!failed) {
      emitError(value.getLoc(), "a block argument has no name; list it in "
                                "'ascendc.argument_names'");
      failed = true;
    }
    return {};
  }
  return result->precedence < around ? "(" + result->text + ")" : result->text;
}

/// C++ widens the narrower operand by itself, so a conversion of one of two
/// operands need not be written.
std::string CppPrinter::operand(Operation *op, unsigned index,
                                Precedence around) {
  Value value = op->getOperand(index);
  auto isWidened = [&](Value other) {
    return names.lookup(other).empty() && other.getDefiningOp<arith::ExtSIOp>();
  };
  auto isLiteral = [](Value other) {
    return static_cast<bool>(other.getDefiningOp<arith::ConstantOp>());
  };
  Value other = op->getOperand(1 - index);
  if (isWidened(value) && !isWidened(other) && !isLiteral(other))
    return expression(value.getDefiningOp()->getOperand(0), around);
  return expression(value, around);
}

Expression CppPrinter::binary(Operation *op, StringRef symbol,
                              Precedence precedence) {
  // Left-associative: the right side must bind tighter.
  std::string left = operand(op, 0, precedence);
  std::string right = operand(op, 1, static_cast<Precedence>(precedence + 1));
  return {left + " " + symbol.str() + " " + right, precedence};
}

static StringRef comparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
    return "<";
  case arith::CmpIPredicate::sle:
    return "<=";
  case arith::CmpIPredicate::sgt:
    return ">";
  case arith::CmpIPredicate::sge:
    return ">=";
  default:
    return {};
  }
}

/// Ordered comparisons and "not equal" are what C++ operators compute.
static StringRef comparison(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return "==";
  case arith::CmpFPredicate::UNE:
    return "!=";
  case arith::CmpFPredicate::OLT:
    return "<";
  case arith::CmpFPredicate::OLE:
    return "<=";
  case arith::CmpFPredicate::OGT:
    return ">";
  case arith::CmpFPredicate::OGE:
    return ">=";
  default:
    return {};
  }
}

std::optional<Expression> CppPrinter::arithmetic(Operation *op) {
  using Result = std::optional<Expression>;
  auto choose = [&](StringRef symbol) -> Result {
    std::string a = operand(op, 0, Additive), b = operand(op, 1, Additive);
    return Expression{a + " " + symbol.str() + " " + b + " ? " + a + " : " + b,
                      Conditional};
  };
  auto convert = [&]() -> Result {
    std::string type = spellType(op->getResult(0).getType());
    return Expression{"static_cast<" + type + ">(" +
                      expression(op->getOperand(0)) + ")"};
  };
  auto compare = [&](StringRef symbol, bool equality) -> Result {
    if (symbol.empty())
      return std::nullopt;
    return binary(op, symbol, equality ? Equality : Relational);
  };
  auto logical = [&](StringRef symbol, Precedence precedence) -> Result {
    if (!op->getResult(0).getType().isInteger(1))
      return std::nullopt;
    return binary(op, symbol, precedence);
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::ConstantOp>([&](auto constant) { return literal(constant); })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return binary(op, "+", Additive); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return binary(op, "-", Additive); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return binary(op, "*", Multiplicative); })
      .Case<arith::DivSIOp, arith::DivFOp>(
          [&](auto) { return binary(op, "/", Multiplicative); })
      .Case<arith::RemSIOp>(
          [&](auto) { return binary(op, "%", Multiplicative); })
      .Case<arith::CeilDivSIOp>([&](auto) {
        // For the non-negative sizes that this subset computes.
        std::string a = expression(op->getOperand(0), Additive);
        std::string b = expression(op->getOperand(1), Unary);
        APInt divisor;
        std::string rounding =
            matchPattern(op->getOperand(1), m_ConstantInt(&divisor))
                ? std::to_string(divisor.getSExtValue() - 1)
                : b + " - 1";
        return Expression{"(" + a + " + " + rounding + ") / " + b,
                          Multiplicative};
      })
      .Case<arith::MinSIOp>([&](auto) { return choose("<"); })
      .Case<arith::MaxSIOp>([&](auto) { return choose(">"); })
      .Case<arith::NegFOp>([&](auto) {
        return Expression{"-" + expression(op->getOperand(0), Primary), Unary};
      })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::SIToFPOp, arith::FPToSIOp,
            arith::ExtFOp, arith::TruncFOp>([&](auto) { return convert(); })
      .Case([&](arith::ExtUIOp extend) -> Result {
        if (!extend.getIn().getType().isInteger(1))
          return convert();
        return Expression{expression(extend.getIn(), LogicalOr) + " ? 1 : 0",
                          Conditional};
      })
      .Case([&](arith::IndexCastOp cast) -> Result {
        return Expression{expression(cast.getIn(), Primary)};
      })
      .Case<arith::CmpIOp>([&](auto cmp) {
        auto predicate = cmp.getPredicate();
        return compare(comparison(predicate),
                       predicate == arith::CmpIPredicate::eq ||
                           predicate == arith::CmpIPredicate::ne);
      })
      .Case<arith::CmpFOp>([&](auto cmp) {
        auto predicate = cmp.getPredicate();
        return compare(comparison(predicate),
                       predicate == arith::CmpFPredicate::OEQ ||
                           predicate == arith::CmpFPredicate::UNE);
      })
      .Case<arith::SelectOp>([&](auto select) {
        // A choice inside a choice is easier to read in parentheses.
        return Expression{expression(select.getCondition(), LogicalOr) + " ? " +
                              expression(select.getTrueValue(), LogicalOr) +
                              " : " +
                              expression(select.getFalseValue(), LogicalOr),
                          Conditional};
      })
      .Case<arith::AndIOp>([&](auto) { return logical("&&", LogicalAnd); })
      .Case<arith::OrIOp>([&](auto) { return logical("||", LogicalOr); })
      .Case<arith::XOrIOp>([&](auto) -> Result {
        // Only the negation of a condition.
        if (!matchPattern(op->getOperand(1), m_One()) ||
            !op->getResult(0).getType().isInteger(1))
          return std::nullopt;
        return Expression{"!" + expression(op->getOperand(0), Unary), Unary};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::string CppPrinter::negation(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !names.lookup(condition).empty())
    return "!" + expression(condition, Unary);
  StringRef symbol = comparison(arith::invertPredicate(compare.getPredicate()));
  return binary(compare, symbol, Relational).text;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult CppPrinter::printBlock(Block &block) {
  Names::Scope scope(names);
  for (Operation &op : block) {
    if (isa<scf::YieldOp>(op))
      continue;
    if (!printStatement(&op))
      reportUnknown(&op);
    if (failed)
      return failure();
  }
  return success();
}

void CppPrinter::printDefinition(Operation *op, StringRef text) {
  Value result = op->getResult(0);
  std::string type = spellType(result.getType());
  StringRef name = names.declare(result, nameOf(result));
  os << "const " << type << ' ' << name << " = " << text << ";\n";
}

bool CppPrinter::printStatement(Operation *op) {
  if (isa<scf::ForOp>(op)) {
    printFor(op);
    return true;
  }
  if (isa<scf::IfOp>(op)) {
    printIf(op);
    return true;
  }
  if (isa<scf::IndexSwitchOp>(op)) {
    printSwitch(op);
    return true;
  }
  if (op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return false;
  // A pure op: a variable if it has a name, else part of other expressions.
  if (nameOf(op->getResult(0)).empty() || isa<arith::ConstantOp>(op))
    return true;
  // A variable of the wider type converts by itself.
  bool widens = isa<arith::ExtSIOp, arith::ExtFOp>(op);
  printDefinition(op,
                  expression(widens ? op->getOperand(0) : op->getResult(0)));
  return true;
}

/// Variables for what a loop or branch results in.
void CppPrinter::declareResults(Operation *op, ValueRange results,
                                ValueRange inits) {
  for (auto [index, result] : llvm::enumerate(results)) {
    StringRef wanted = nameOf(result);
    // A location has room for one name; the variables of a loop have their own.
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (StringRef own = nameOf(loop.getRegionIterArg(index)); !own.empty())
        wanted = own;
    StringRef name =
        names.declare(result, wanted.empty() ? StringRef("result") : wanted);
    os << spellType(result.getType()) << ' ' << name;
    if (!inits.empty())
      os << " = " << expression(inits[index]);
    os << ";\n";
  }
}

void CppPrinter::assignYield(Block &block, ValueRange targets) {
  auto yield = cast<scf::YieldOp>(block.getTerminator());
  for (auto [target, value] : llvm::zip_equal(targets, yield.getOperands()))
    if (names.lookup(target) != expression(value))
      os << names.lookup(target) << " = " << expression(value) << ";\n";
}

void CppPrinter::printFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  declareResults(op, loop.getResults(), loop.getInitArgs());
  Names::Scope scope(names);
  Value induction = loop.getInductionVar();
  StringRef wanted = nameOf(induction);
  // The loop's own name is that of its result, if it has one.
  if (wanted.empty() && op->getNumResults() == 0)
    wanted = nameOf(op);
  std::string lower = expression(loop.getLowerBound());
  StringRef name = names.declare(induction, wanted.empty() ? "index" : wanted);
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    names.alias(argument, names.lookup(result));
  os << "for (" << spellType(induction.getType()) << ' ' << name << " = "
     << lower << "; " << name << " < "
     << expression(loop.getUpperBound(), Additive) << "; ";
  if (matchPattern(loop.getStep(), m_One()))
    os << "++" << name;
  else
    os << name << " += " << expression(loop.getStep());
  os << ") {\n";
  indent();
  printBody(*loop.getBody(), loop.getResults());
  if (failed)
    return;
  unindent();
  os << "}\n";
}

/// The statements of a block and what it yields.
void CppPrinter::printBody(Block &block, ValueRange targets) {
  for (Operation &nested : block.without_terminator()) {
    if (!printStatement(&nested))
      reportUnknown(&nested);
    if (failed)
      return;
  }
  assignYield(block, targets);
}

/// Adjacent cases that do the same are written once.
void CppPrinter::printSwitch(Operation *op) {
  auto choice = cast<scf::IndexSwitchOp>(op);
  declareResults(op, choice.getResults(), {});
  os << "switch (" << expression(choice.getArg()) << ") {\n";
  indent();
  auto printRegion = [&](Region &region) {
    indent();
    Names::Scope scope(names);
    printBody(region.front(), choice.getResults());
    os << "break;\n";
    unindent();
  };
  auto isSame = [](Region &a, Region &b) {
    return OperationEquivalence::isRegionEquivalentTo(
        &a, &b, OperationEquivalence::IgnoreLocations);
  };
  for (auto [i, value] : llvm::enumerate(choice.getCases())) {
    os << "case " << value << ":\n";
    Region &region = choice.getCaseRegions()[i];
    bool goesOn = i + 1 < choice.getCases().size() &&
                  isSame(region, choice.getCaseRegions()[i + 1]);
    if (!goesOn)
      printRegion(region);
    if (failed)
      return;
  }
  os << "default:\n";
  printRegion(choice.getDefaultRegion());
  unindent();
  os << "}\n";
}

/// The branch that is all that an else block does, so that it reads `else if`.
static scf::IfOp getElseIf(scf::IfOp branch) {
  if (branch.getElseRegion().empty())
    return {};
  Block &block = branch.getElseRegion().front();
  scf::IfOp nested;
  for (Operation &op : block.without_terminator()) {
    if (nested)
      return {};
    nested = dyn_cast<scf::IfOp>(op);
    bool isInlined =
        op.getNumResults() == 1 && isMemoryEffectFree(&op) &&
        (nameOf(op.getResult(0)).empty() || isa<arith::ConstantOp>(op));
    if (!nested && !isInlined)
      return {};
  }
  if (nested &&
      !llvm::equal(block.getTerminator()->getOperands(), nested.getResults()))
    return {};
  return nested;
}

void CppPrinter::printIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  declareResults(op, branch.getResults(), {});
  printBranches(op);
}

void CppPrinter::printBranches(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  os << "if (" << expression(branch.getCondition()) << ") {\n";
  auto printRegion = [&](Region &region) {
    indent();
    Names::Scope scope(names);
    printBody(region.front(), branch.getResults());
    unindent();
  };
  printRegion(branch.getThenRegion());
  if (failed)
    return;
  if (scf::IfOp nested = getElseIf(branch)) {
    for (auto [inner, outer] :
         llvm::zip_equal(nested.getResults(), branch.getResults()))
      names.alias(inner, names.lookup(outer));
    os << "} else ";
    printBranches(nested);
    return;
  }
  if (!branch.getElseRegion().empty()) {
    os << "} else {\n";
    printRegion(branch.getElseRegion());
    if (failed)
      return;
  }
  os << "}\n";
}
