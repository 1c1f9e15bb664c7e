//===- FormulaOperator.cpp - What Formula.td says of an operator ----------===//
//
// Reads the defs of Formula.td, and of users' own files, that derive from
// FormulaOperator.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/FormulaOperator.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::StringRef;

static std::optional<FormulaArg::Kind> symbolizeArgKind(StringRef text) {
  return llvm::StringSwitch<std::optional<FormulaArg::Kind>>(text)
      .Case("value", FormulaArg::Value)
      .Case("tensor", FormulaArg::Tensor)
      .Case("pointer", FormulaArg::Pointer)
      .Case("sized", FormulaArg::Sized)
      .Case("dim", FormulaArg::Dim)
      .Case("dims", FormulaArg::Dims)
      .Case("part", FormulaArg::Part)
      .Case("dims of", FormulaArg::DimsOf)
      .Case("attribute", FormulaArg::Attribute)
      .Case("int", FormulaArg::Int)
      .Case("choice", FormulaArg::Choice)
      .Case("families", FormulaArg::Families)
      .Case("own families", FormulaArg::OwnFamilies)
      .Default(std::nullopt);
}

static StringRef describe(FormulaArg::Kind kind) {
  switch (kind) {
  case FormulaArg::Value:
    return "value";
  case FormulaArg::Tensor:
  case FormulaArg::DimsOf:
    return "tensor";
  case FormulaArg::Pointer:
    return "parameter";
  case FormulaArg::Sized:
    return "tensor or dim";
  case FormulaArg::Dim:
    return "dim";
  case FormulaArg::Dims:
    return "dim, ...";
  case FormulaArg::Part:
    return "part";
  case FormulaArg::Attribute:
    return "attribute";
  case FormulaArg::Int:
    return "int";
  case FormulaArg::Choice:
    return "choice";
  case FormulaArg::Families:
    return "family, ...";
  case FormulaArg::OwnFamilies:
    return "";
  }
  llvm_unreachable("covered switch");
}

unsigned FormulaOperator::getMinArgs() const {
  if (body)
    return names.size();
  unsigned count = llvm::count_if(args, [](const FormulaArg &arg) {
    return arg.kind != FormulaArg::OwnFamilies;
  });
  return count - std::min(count, optional);
}

unsigned FormulaOperator::getMaxArgs() const {
  if (nary || (!args.empty() && args.back().takesRest()))
    return ~0u;
  return body ? names.size() : getMinArgs() + optional;
}

std::string FormulaOperator::getUsage() const {
  std::string text = "(" + name.str();
  llvm::raw_string_ostream os(text);
  StringRef separator = " ";
  if (body)
    for (StringRef argument : names) {
      os << separator << argument;
      separator = ", ";
    }
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (arg.kind == FormulaArg::OwnFamilies)
      continue;
    bool mayMiss = i + optional >= args.size();
    os << separator << (mayMiss ? "[" : "") << describe(arg.kind)
       << (mayMiss ? "]" : "");
    separator = ", ";
  }
  os << (nary ? ", ...)" : ")");
  return text;
}

static LogicalResult readArgs(const RecordFields &fields,
                              const RecordSource &source, FormulaOperator &op) {
  auto args = fields.getDefs("args");
  if (failed(args))
    return failure();
  for (const llvm::Record *arg : *args) {
    RecordFields of(*arg, source);
    auto kind = of.getString("kind"), attr = of.getString("attr"),
         doc = of.getString("doc");
    if (failed(kind) || failed(attr) || failed(doc))
      return failure();
    std::optional<FormulaArg::Kind> known = symbolizeArgKind(*kind);
    if (!known)
      return emitError(of.getLoc())
             << "unknown kind of argument '" << *kind << "'";
    if (!op.args.empty() && op.args.back().takesRest())
      return fields.error("args")
             << "operator '" << op.name
             << "' has an argument after one that takes all the rest";
    op.args.push_back({*known, *attr, *doc});
  }
  return success();
}

static LogicalResult readFixed(const RecordFields &fields,
                               const RecordSource &source,
                               FormulaOperator &op) {
  auto names = fields.getStrings("fixedNames"),
       values = fields.getStrings("fixedValues");
  if (failed(names) || failed(values))
    return failure();
  for (auto [name, value] : llvm::zip(*names, *values)) {
    MLIRContext *context = source.getContext();
    Attribute attr = parseAttribute(value, context);
    if (!attr)
      return fields.error("fixedValues")
             << "'" << value << "' is not an attribute of the dialect";
    op.fixed.emplace_back(StringAttr::get(context, name), attr);
  }
  return success();
}

static LogicalResult readOp(const RecordFields &fields,
                            const RecordSource &source, FormulaOperator &op) {
  auto mlirOp = fields.getString("mlirOp"), kinds = fields.getString("kinds");
  auto nary = fields.getBit("nary");
  auto optional = fields.getInt("optional");
  if (failed(mlirOp) || failed(kinds) || failed(nary) || failed(optional) ||
      failed(readArgs(fields, source, op)) ||
      failed(readFixed(fields, source, op)))
    return failure();
  op.kinds = *kinds;
  op.nary = *nary;
  op.optional = *optional;
  if (mlirOp->empty()) {
    if (op.args.size() != 1 || op.nary)
      return fields.error("mlirOp")
             << "operator '" << op.name
             << "' stands for its argument, so it has exactly one";
    return success();
  }
  op.mlirOp = ("lossgrad." + *mlirOp).str();
  if (!OperationName(op.mlirOp, source.getContext()).isRegistered())
    return fields.error("mlirOp")
           << "the dialect has no op '" << *mlirOp << "'";
  return success();
}

FailureOr<FormulaOperator>
lossgrad::readFormulaOperator(const llvm::Record &record,
                              const RecordSource &source) {
  RecordFields fields(record, source);
  FormulaOperator op;
  op.record = &record;
  op.name = record.getName();
  FailureOr<StringRef> doc = fields.getString("doc");
  if (failed(doc))
    return failure();
  op.doc = *doc;
  if (!record.isSubClassOf("Function")) {
    if (failed(readOp(fields, source, op)))
      return failure();
    return op;
  }
  auto names = fields.getStrings("names"), dims = fields.getStrings("dims");
  auto body = fields.getDag("body");
  if (failed(names) || failed(dims) || failed(body))
    return failure();
  op.names = *names;
  op.dims = *dims;
  op.body = *body;
  return op;
}
