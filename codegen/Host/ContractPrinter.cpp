//===- ContractPrinter.cpp - Contracts as C++ -----------------------------===//
//
// See the header. A value with several uses becomes a constant before the
// first statement that needs it; all others are printed where they are used.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/ContractPrinter.h"

#include "lossgrad/Targets.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::host;

std::string host::quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string ContractPrinter::tensorVariable(ParamAttr param) {
  return (param.getName().getValue() + "Tensor").str();
}

std::string ContractPrinter::attributeVariable(ParamAttr param) {
  std::string name = param.getName().str();
  return param.getCType().getValue().contains('*') ? name + "Text" : name;
}

ContractPrinter::ContractPrinter(HostModel &model, raw_ostream &os)
    : model(model), os(os) {
  for (auto param : model.op.getParams().getAsRange<ParamAttr>()) {
    names.reserve(param.getName());
    names.reserve(param.isTensor() ? tensorVariable(param)
                                   : attributeVariable(param));
  }
  for (StringRef name : {"workspaceSize", "executor", "product"})
    names.reserve(name);
}

std::string ContractPrinter::fail(Operation *op) {
  if (!failed)
    op->emitError("cannot be printed in a contract");
  failed = true;
  return "";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Kind getKind(Value value) {
  return cast<ValueType>(value.getType()).getKind();
}

std::string ContractPrinter::constant(ConstantOp op) {
  Attribute value = op.getValue();
  if (auto text = dyn_cast<StringAttr>(value))
    return quoted(text);
  if (auto dtype = dyn_cast<DTypeAttr>(value))
    return ("ACL_" + dtypeSuffix(dtype.getValue())).str();
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getInt() == INT64_MIN ? "std::numeric_limits<int64_t>::min()"
                                         : std::to_string(integer.getInt());
  auto real = dyn_cast<FloatAttr>(value);
  if (!real)
    return fail(op);
  return spellReal(real.getValueAsDouble());
}

std::string ContractPrinter::dimShape(Operation *op, StringRef dim) {
  FailureOr<std::vector<AxisRange>> ranges = model.findDim(op, dim);
  if (llvm::failed(ranges)) {
    failed = true;
    return "";
  }
  std::string text;
  for (const AxisRange &range : *ranges) {
    std::string shape = tensorVariable(range.param) + ".GetShape()";
    bool whole = range.pack && range.single == 0;
    std::string part =
        whole ? shape
              : llvm::formatv("Axes({0}, {1}, {2}, {3}, {4})", shape,
                              range.begin, range.end, range.single,
                              range.pack ? "true" : "false")
                    .str();
    text = text.empty()
               ? part
               : llvm::formatv("Broadcast({0}, {1})", text, part).str();
  }
  return text;
}

std::string ContractPrinter::tensorQuery(Operation *op, StringRef name,
                                         StringRef question) {
  ParamAttr param = model.op.findParam(name);
  if (param)
    return (tensorVariable(param) + "." + question).str();
  return dimShape(op, name) + "." + question.str();
}

/// `Supported`, or with the name of the first parameter that has these dtypes
/// where parameters differ.
std::string ContractPrinter::dtypeFunction(ParamAttr param) {
  auto all = model.op.getParams().getAsRange<ParamAttr>();
  auto like = [&](ParamAttr other) {
    return other.isTensor() && other.getDtypes() == param.getDtypes();
  };
  if (llvm::all_of(all, [&](ParamAttr other) {
        return !other.isTensor() || like(other);
      }))
    return "Supported";
  std::string name = (*llvm::find_if(all, like)).getName().str();
  name[0] = llvm::toUpper(name[0]);
  return "SupportedAs" + name;
}

void ContractPrinter::printDTypeFunctions() {
  llvm::StringSet<> printed;
  for (auto asking : model.op.getContract().getOps<DTypeDeclaredOp>()) {
    ParamAttr param = model.op.findParam(asking.getName());
    std::string name = dtypeFunction(param);
    if (!printed.insert(name).second)
      continue;
    os << "bool " << name << "(aclDataType dtype, const char *product)\n{\n";
    // Products with the same dtypes stand together.
    llvm::MapVector<ArrayRef<DType>, std::vector<std::string>> rows;
    for (auto product : model.op.getProducts().getAsRange<StringAttr>())
      if (ArrayRef<DType> dtypes = param.getDTypesOn(product); !dtypes.empty())
        rows[dtypes].push_back(quoted(product));
    for (auto &[dtypes, products] : rows) {
      auto spelled = llvm::map_range(
          dtypes, [](DType d) { return ("ACL_" + dtypeSuffix(d)).str(); });
      os << "    if (OneOf(product, {" << llvm::join(products, ", ")
         << "})) {\n        return OneOf(dtype, {" << llvm::join(spelled, ", ")
         << "});\n    }\n";
    }
    os << "    return false;\n}\n\n";
  }
}

std::string ContractPrinter::compare(CompareOp op) {
  static constexpr StringLiteral symbols[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string lhs = expression(op.getLhs()), rhs = expression(op.getRhs());
  Kind kind = getKind(op.getLhs());
  if (isDataKind(kind))
    return llvm::formatv("({0} {1} {2})", lhs,
                         symbols[static_cast<size_t>(op.getPredicate())], rhs);
  return llvm::formatv("{0}Same({1}, {2})",
                       op.getPredicate() == Predicate::eq ? "" : "!", lhs, rhs);
}

std::string ContractPrinter::expression(Value value) {
  StringRef name = names.lookup(value);
  return name.empty() ? compute(value.getDefiningOp()) : name.str();
}

std::string ContractPrinter::compute(Operation *op) {
  auto operand = [&](unsigned i) { return expression(op->getOperand(i)); };
  auto infix = [&](StringRef symbol) {
    return llvm::formatv("({0} {1} {2})", operand(0), symbol, operand(1)).str();
  };
  // Chains of one operator need no inner parentheses.
  auto chain = [&](StringRef symbol) {
    auto link = [&](unsigned i) {
      Operation *inner = op->getOperand(i).getDefiningOp();
      std::string text = operand(i);
      bool same = inner->getName() == op->getName() &&
                  names.lookup(op->getOperand(i)).empty();
      return same ? text.substr(1, text.size() - 2) : text;
    };
    return llvm::formatv("({0} {1} {2})", link(0), symbol, link(1)).str();
  };
  auto call = [&](StringRef function) {
    std::string text = function.str() + "(" + operand(0);
    for (unsigned i = 1; i < op->getNumOperands(); ++i)
      text += ", " + operand(i);
    return text + ")";
  };
  bool real = op->getNumOperands() && getKind(op->getOperand(0)) == Kind::Real;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](ConstantOp c) { return constant(c); })
      .Case([&](CompareOp c) { return compare(c); })
      .Case([&](AttributeOp a) {
        return attributeVariable(model.op.findParam(a.getName()));
      })
      .Case([&](PresentOp p) -> std::string {
        ParamAttr param = model.op.findParam(p.getName());
        if (param && param.isTensor())
          return tensorVariable(param) + ".Present()";
        return ("(" + p.getName() + " != nullptr)").str();
      })
      .Case([&](NumelOp q) { return tensorQuery(q, q.getName(), "Numel()"); })
      .Case([&](RankOp q) { return tensorQuery(q, q.getName(), "Rank()"); })
      .Case([&](ExtentOp q) {
        int64_t axis = q.getAxis() ? static_cast<int64_t>(*q.getAxis()) : 0;
        return tensorQuery(q, q.getName(),
                           "Extent(" + std::to_string(axis) + ")");
      })
      .Case([&](DTypeOfOp q) { return tensorQuery(q, q.getName(), "Dtype()"); })
      .Case([&](FormatOp q) { return tensorQuery(q, q.getName(), "Format()"); })
      .Case([&](ContiguousOp q) {
        return tensorQuery(q, q.getName(), "Contiguous()");
      })
      .Case([&](SameOrApartOp q) {
        return "SameOrApart(" +
               tensorVariable(model.op.findParam(q.getName())) + ", " +
               tensorVariable(model.op.findParam(q.getOther())) + ")";
      })
      .Case([&](ShapeOfOp q) -> std::string {
        if (q.getName())
          return tensorQuery(q, *q.getName(), "GetShape()");
        std::vector<std::string> parts;
        for (auto dim : q.getDims()->getAsRange<StringAttr>())
          parts.push_back(dimShape(q, dim));
        return parts.size() == 1 ? parts[0]
                                 : "Concat({" + llvm::join(parts, ", ") + "})";
      })
      .Case([&](ProductInOp p) {
        auto list = llvm::map_range(p.getProducts().getAsRange<StringAttr>(),
                                    [](StringAttr s) { return quoted(s); });
        return "OneOf(product, {" + llvm::join(list, ", ") + "})";
      })
      .Case([&](DTypeInOp d) {
        auto list = llvm::map_range(
            d.getDtypes().getAsRange<DTypeAttr>(), [](DTypeAttr each) {
              return ("ACL_" + dtypeSuffix(each.getValue())).str();
            });
        return "OneOf(" + operand(0) + ", {" + llvm::join(list, ", ") + "})";
      })
      .Case([&](DTypeDeclaredOp d) {
        return dtypeFunction(model.op.findParam(d.getName())) + "(" +
               operand(0) + ", product)";
      })
      .Case([&](DTypePromoteOp) { return call("Promote"); })
      .Case([&](DTypeCastableOp) { return call("Castable"); })
      .Case([&](ShapeBroadcastOp) { return call("Broadcast"); })
      .Case([&](DefinedOp) { return call("Defined"); })
      .Case([&](AndOp) { return chain("&&"); })
      .Case([&](OrOp) { return chain("||"); })
      .Case([&](NotOp) { return "!" + operand(0); })
      .Case([&](AddOp) { return infix("+"); })
      .Case([&](SubOp) { return infix("-"); })
      .Case([&](MulOp) { return infix("*"); })
      .Case([&](DivOp) { return infix("/"); })
      .Case([&](NegOp) { return "(-" + operand(0) + ")"; })
      .Case([&](AbsOp) { return call(real ? "std::fabs" : "std::llabs"); })
      .Case([&](MinOp) { return call("Minimum"); })
      .Case([&](MaxOp) { return call("Maximum"); })
      .Case([&](SelectOp) {
        return llvm::formatv("({0} ? {1} : {2})", operand(0), operand(1),
                             operand(2))
            .str();
      })
      .Case([&](CastOp c) -> std::string {
        switch (getKind(c.getResult())) {
        case Kind::Bool:
          return "(" + operand(0) + " != 0)";
        case Kind::Real:
          return "static_cast<double>(" + operand(0) + ")";
        default:
          // Rounding and saturation of reals belong to the body.
          return real ? fail(c) : "static_cast<int64_t>(" + operand(0) + ")";
        }
      })
      .Default([&](Operation *other) { return fail(other); });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// What a value is called that the record gives no name.
static std::string defaultName(Operation *op) {
  // A choice of an attribute is called by its value: isNone.
  if (auto compare = dyn_cast<CompareOp>(op))
    if (auto constant = compare.getRhs().getDefiningOp<ConstantOp>())
      if (auto text = dyn_cast<StringAttr>(constant.getValue());
          text && !text.empty() && compare.getPredicate() == Predicate::eq) {
        std::string word = text.str();
        word[0] = llvm::toUpper(word[0]);
        return "is" + word;
      }
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](DTypePromoteOp) { return "promoted"; })
      .Case([](ShapeBroadcastOp) { return "common"; })
      .Case([](ShapeOfOp) { return "wanted"; })
      .Case<CompareOp, AndOp, OrOp, NotOp>(
          [](Operation *) { return "applies"; })
      .Default([](Operation *) { return "value"; });
}

/// Accessors and literals are shorter than a name for them.
static bool isPlain(Operation *op) {
  if (auto shape = dyn_cast<ShapeOfOp>(op))
    return shape.getName().has_value();
  return op->getNumOperands() == 0;
}

static StringRef spellKind(Kind kind) {
  switch (kind) {
  case Kind::Real:
    return "double ";
  case Kind::Int:
    return "int64_t ";
  case Kind::Bool:
    return "bool ";
  case Kind::String:
    return "char *";
  case Kind::DType:
    return "aclDataType ";
  case Kind::Shape:
    return "Shape ";
  }
  llvm_unreachable("every kind has a type");
}

void ContractPrinter::declareShared(Value value) {
  Operation *op = value.getDefiningOp();
  if (!names.lookup(value).empty())
    return;
  for (Value operand : op->getOperands())
    declareShared(operand);
  if (value.hasOneUse() || isPlain(op))
    return;
  std::string text = compute(op);
  // A definition needs no parentheses around it.
  if (isa<CompareOp, AndOp, OrOp>(op) && StringRef(text).starts_with("("))
    text = text.substr(1, text.size() - 2);
  StringRef wanted = cpp::nameOf(value);
  StringRef name =
      names.declare(value, wanted.empty() ? defaultName(op) : wanted.str());
  os << "    const " << spellKind(getKind(value)) << name << " = " << text
     << ";\n";
}

/// The format string, and the arguments that fill it.
std::string ContractPrinter::message(CheckOp check,
                                     std::vector<std::string> &arguments) {
  StringRef text = check.getMessage();
  std::string format;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned index;
    size_t end = text.find('}', i);
    if (text.substr(i).starts_with("{{")) {
      format += '{';
      ++i;
      continue;
    }
    if (text[i] != '{' || end == StringRef::npos ||
        text.slice(i + 1, end).getAsInteger(10, index) ||
        index >= check.getValues().size()) {
      format += text[i] == '%' ? "%%" : text.substr(i, 1).str();
      continue;
    }
    i = end;
    Value value = check.getValues()[index];
    std::string argument = expression(value);
    switch (getKind(value)) {
    case Kind::Real:
      format += "%g";
      argument = "static_cast<double>(" + argument + ")";
      break;
    case Kind::Int:
      format += "%lld";
      argument = "static_cast<long long>(" + argument + ")";
      break;
    case Kind::Bool:
      format += "%s";
      argument = "(" + argument + " ? \"true\" : \"false\")";
      break;
    case Kind::String:
      format += "\"%s\"";
      break;
    case Kind::DType:
      format += "%s";
      argument = "ToString(" + argument + ")";
      break;
    case Kind::Shape:
      format += "%s";
      argument = "ToString(" + argument + ").c_str()";
      break;
    }
    arguments.push_back(argument);
  }
  return quoted(format);
}

/// The opposite of a condition. Comparisons of reals are not turned around,
/// because of NaN.
std::string ContractPrinter::negation(Value value) {
  auto compare = value.getDefiningOp<CompareOp>();
  bool named = !names.lookup(value).empty();
  if (compare && !named && getKind(compare.getLhs()) == Kind::Int) {
    static constexpr StringLiteral opposite[] = {
        "!=", "==", ">=", ">", "<=", "<"};
    return llvm::formatv("{0} {1} {2}", expression(compare.getLhs()),
                         opposite[static_cast<size_t>(compare.getPredicate())],
                         expression(compare.getRhs()));
  }
  std::string text = expression(value);
  StringRef condition = text;
  if (condition.consume_back(" != nullptr)") && condition.consume_front("("))
    return (condition + " == nullptr").str();
  if (condition.starts_with("!"))
    return text.substr(1);
  return "!" + text;
}

void ContractPrinter::printCheck(CheckOp check) {
  for (Value operand : check->getOperands())
    declareShared(operand);
  std::vector<std::string> conditions, arguments;
  if (check.getWhen())
    conditions.push_back(expression(check.getWhen()));
  conditions.push_back(negation(check.getCondition()));
  arguments.push_back(message(check, arguments));
  std::rotate(arguments.begin(), arguments.end() - 1, arguments.end());
  os << fitLine("    if (", conditions, " &&", ") {", "        ") << "\n"
     << fitLine("        ACL_APP_LOG(ACL_ERROR, ", arguments, ",", ");",
                "            ")
     << "\n        return " << check.getStatus() << ";\n    }\n";
}

void ContractPrinter::printDone(DoneIfOp done) {
  for (Value operand : done->getOperands())
    declareShared(operand);
  std::string condition = expression(done.getCondition());
  if (done.getWhen())
    condition = expression(done.getWhen()) + " && " + condition;
  else if (StringRef(condition).starts_with("("))
    condition = condition.substr(1, condition.size() - 2);
  os << "    if (" << condition << ") {\n        return DONE;\n    }\n";
}

LogicalResult ContractPrinter::print() {
  for (Operation &statement : model.op.getContract().front()) {
    if (auto check = dyn_cast<CheckOp>(statement))
      printCheck(check);
    else if (auto done = dyn_cast<DoneIfOp>(statement))
      printDone(done);
  }
  return failure(failed);
}
