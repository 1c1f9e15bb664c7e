//===- FormulaArguments.cpp - What stands at the places of a dag ----------===//
//
// Names, literals and nested formulas. A name is looked up first among the
// arguments of the function it stands in, then in the record.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/FormulaImporter.h"
#include "llvm/Support/Error.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::StringRef;

/// Follows names that a function binds to the argument they stand for.
FormulaImporter::Argument FormulaImporter::getArgument(const llvm::DagInit &dag,
                                                       unsigned i,
                                                       Scope &scope) {
  Argument argument{dag.getArg(i), dag.getArgNameStr(i), &scope};
  while (llvm::isa<llvm::UnsetInit>(argument.init) && argument.scope->call) {
    Scope &bound = *argument.scope;
    const StringRef *it = llvm::find(bound.names, argument.name);
    if (it == bound.names.end())
      break;
    unsigned place = it - bound.names.begin();
    argument = {bound.call->getArg(place), bound.call->getArgNameStr(place),
                bound.caller};
  }
  return argument;
}

SmallVector<StringRef>
FormulaImporter::getKnownNames(llvm::function_ref<bool(StringRef)> keep) const {
  SmallVector<StringRef> names;
  for (ParamAttr param : declarations.params)
    names.push_back(param.getName());
  for (DimAttr dim : declarations.dims)
    names.push_back(dim.getName());
  llvm::append_range(names, declarations.lets);
  for (const auto &entry : bound)
    if (!declarations.findParam(entry.getKey()))
      names.push_back(entry.getKey());
  llvm::erase_if(names, [&](StringRef name) { return !keep(name); });
  return names;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<FormulaImporter::Term> FormulaImporter::importTerm(Argument argument,
                                                             const Site &from) {
  // An argument of a function stands where the function is called.
  const Site &site = argument.scope->site ? *argument.scope->site : from;
  if (llvm::isa<llvm::UnsetInit>(argument.init)) {
    if (!argument.name.empty())
      return importName(argument.name, site);
    error(site) << "an argument is not set ('?')";
    return failure();
  }
  if (!argument.name.empty()) {
    error(site) << "the argument " << argument.init->getAsString()
                << " has a name, '$" << argument.name
                << "'; only results have names";
    return failure();
  }
  if (auto *dag = llvm::dyn_cast<llvm::DagInit>(argument.init))
    return importDag(*dag, *argument.scope, site, "");
  if (auto *number = llvm::dyn_cast<llvm::IntInit>(argument.init))
    return Term{{}, builder.getI64IntegerAttr(number->getValue())};
  if (auto *text = llvm::dyn_cast<llvm::StringInit>(argument.init))
    return importLiteral(text->getValue(), site);
  error(site) << argument.init->getAsString()
              << " is not a value; expected a formula, $name, an int or a "
                 "decimal string";
  return failure();
}

/// Digits without point or exponent are an int, so that a class may take all
/// bounds as strings. Text that is no number can only be compared with text.
FailureOr<FormulaImporter::Term>
FormulaImporter::importLiteral(StringRef text, const Site &site) {
  int64_t number;
  if (!text.getAsInteger(10, number))
    return Term{{}, builder.getI64IntegerAttr(number)};
  llvm::APFloat real(llvm::APFloat::IEEEdouble());
  auto status =
      real.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return Term{{}, builder.getStringAttr(text)};
  }
  // APFloat takes an exponent without digits for none.
  if (StringRef number = text.rtrim("+-");
      !real.isNaN() && !real.isInfinity() && number.ends_with_insensitive("e"))
    return Term{{}, builder.getStringAttr(text)};
  std::string quoted = ("\"" + text + "\"").str();
  if (*status & llvm::APFloat::opOverflow) {
    error(site, quoted)
        << "the constant " << quoted
        << " is beyond what float64 can hold; infinity is written "
           "\"inf\"";
    return failure();
  }
  if (real.isZero() && *status & llvm::APFloat::opUnderflow) {
    error(site, quoted) << "the constant " << quoted
                        << " is too small for float64, which would make it 0";
    return failure();
  }
  return Term{{}, builder.getFloatAttr(builder.getF64Type(), real)};
}

FailureOr<FormulaImporter::Term> FormulaImporter::importName(StringRef name,
                                                             const Site &site) {
  if (declarations.isLet(name)) {
    used.insert(name);
    FailureOr<Value> value = importLet(name);
    if (failed(value))
      return failure();
    return Term{*value, {}};
  }
  std::string token = ("$" + name).str();
  if (ParamAttr param = declarations.findParam(name)) {
    if (param.getRole() == Role::Attr)
      return Term{getAttribute(param), {}};
    if (param.getRole() == Role::Out) {
      error(site, token) << "'" << name
                         << "' is an output; a formula cannot read it";
      return failure();
    }
    if (place == Place::Contract) {
      error(site, token)
          << "'" << name
          << "' is a tensor, whose contents are not known when checks run";
      return failure();
    }
    if (Value value = bound.lookup(name))
      return Term{value, {}};
    Block *block = builder.getBlock();
    unsigned index = 0;
    for (ParamAttr other : declarations.params) {
      if (other == param)
        break;
      index += other.isInput();
    }
    return Term{block->getArgument(index), {}};
  }
  if (declarations.findDim(name)) {
    error(site, token) << "'" << name << "' is a dim, not a value; (extent $"
                       << name << ") is its length, (iota $" << name
                       << ") the position along it";
    return failure();
  }
  if (Value value = bound.lookup(name)) // the result of a part
    return Term{value, {}};
  InFlightDiagnostic diagnostic = error(site, token);
  diagnostic << "unknown name '$" << name << "'";
  suggest(diagnostic, name, getKnownNames([&](StringRef known) {
            ParamAttr param = declarations.findParam(known);
            return !param || param.getRole() != Role::Out;
          }),
          "$");
  return diagnostic;
}

Value FormulaImporter::getAttribute(ParamAttr param) {
  Value &value = attributes[param.getName()];
  if (!value) {
    Location loc = NameLoc::get(
        param.getName(),
        declarations.getPlace(param.getName(), source.locate(record)));
    auto type = ValueType::get(builder.getContext(), param.getKind());
    value = AttributeOp::create(builder, loc, type, param.getName(),
                                TypeAttr::get(type));
  }
  return value;
}

FailureOr<FormulaImporter::Term>
FormulaImporter::importChoice(Argument argument, StringRef attribute,
                              const Site &site) {
  auto *text = llvm::dyn_cast<llvm::StringInit>(argument.init);
  if (!text) {
    error(site) << argument.init->getAsString()
                << " is not a choice; expected a string";
    return failure();
  }
  ParamAttr param = declarations.findParam(attribute);
  ArrayRef<StringAttr> choices = param.getChoices();
  StringAttr wanted = builder.getStringAttr(text->getValue());
  auto *it = llvm::find(choices, wanted);
  if (it == choices.end()) {
    InFlightDiagnostic diagnostic = error(site);
    diagnostic << "'" << wanted.getValue() << "' is not a choice of '"
               << attribute << "'";
    if (choices.empty())
      diagnostic << ", which has none";
    SmallVector<StringRef> names = llvm::map_to_vector(
        choices, [](StringAttr choice) { return choice.getValue(); });
    suggest(diagnostic, wanted, names);
    return diagnostic;
  }
  if (param.getKind() == Kind::String)
    return Term{{}, wanted};
  return Term{{}, builder.getI64IntegerAttr(it - choices.begin())};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

FailureOr<StringRef> FormulaImporter::resolveName(const FormulaOperator &op,
                                                  Argument argument,
                                                  const Site &site) {
  if (auto *text = llvm::dyn_cast<llvm::StringInit>(argument.init))
    return text->getValue();
  if (llvm::isa<llvm::UnsetInit>(argument.init) && !argument.name.empty())
    return argument.name;
  misused(op, site) << "'" << op.name << "' wants a name here, found "
                    << argument.init->getAsString() << ": " << op.getUsage();
  return failure();
}

LogicalResult FormulaImporter::checkName(const FormulaOperator &op,
                                         const FormulaArg &arg, StringRef name,
                                         const Site &site) {
  auto fits = [&](StringRef candidate) {
    ParamAttr param = declarations.findParam(candidate);
    DimAttr dim = declarations.findDim(candidate);
    switch (arg.kind) {
    case FormulaArg::Tensor:
    case FormulaArg::DimsOf:
      return param && param.isTensor();
    case FormulaArg::Pointer:
      return (param && param.isTensor()) ||
             (place == Place::Contract &&
              (candidate == kWorkspaceSizeArg || candidate == kExecutorArg));
    case FormulaArg::Sized:
      return dim || (param && param.isTensor());
    case FormulaArg::Dim:
    case FormulaArg::Dims:
      return bool(dim);
    case FormulaArg::Part:
      return dim && dim.getKind() == DimKind::Part;
    case FormulaArg::Attribute:
      return param && !param.isTensor();
    default:
      return false;
    }
  };
  if (fits(name))
    return success();
  InFlightDiagnostic diagnostic = error(site, ("$" + name).str());
  diagnostic << "'" << op.name << "' wants " << arg.doc << ", found '" << name
             << "'";
  suggest(diagnostic, name, getKnownNames(fits), "$");
  return diagnostic;
}

LogicalResult FormulaImporter::importNameArg(const FormulaOperator &op,
                                             const FormulaArg &arg,
                                             ArrayRef<Argument> arguments,
                                             const Site &site,
                                             NamedAttrList &attrs) {
  if (arg.kind == FormulaArg::OwnFamilies) {
    SmallVector<StringRef> names = llvm::map_to_vector(
        declarations.products, [](StringAttr name) { return name.getValue(); });
    attrs.set(arg.attr, builder.getStrArrayAttr(names));
    return success();
  }
  if (arg.kind == FormulaArg::Int) {
    auto *number = llvm::dyn_cast<llvm::IntInit>(arguments[0].init);
    if (!number)
      return misused(op, site)
             << "'" << op.name << "' wants " << arg.doc << ", found "
             << arguments[0].init->getAsString();
    attrs.set(arg.attr, builder.getI64IntegerAttr(number->getValue()));
    return success();
  }
  SmallVector<StringRef> names;
  for (Argument argument : arguments) {
    if (arg.kind == FormulaArg::Families) {
      auto *def = llvm::dyn_cast<llvm::DefInit>(argument.init);
      if (!def || !def->getDef()->isSubClassOf("Family"))
        return misused(op, site) << "'" << op.name << "' wants " << arg.doc
                                 << ", found " << argument.init->getAsString();
      names.push_back(def->getDef()->getName());
      continue;
    }
    FailureOr<StringRef> name = resolveName(op, argument, site);
    if (failed(name) || failed(checkName(op, arg, *name, site)))
      return failure();
    names.push_back(*name);
  }
  switch (arg.kind) {
  case FormulaArg::Dims:
  case FormulaArg::Families:
    attrs.set(arg.attr, builder.getStrArrayAttr(names));
    break;
  case FormulaArg::DimsOf: {
    SmallVector<Attribute> dims(
        declarations.findParam(names[0]).getShape().getDims());
    attrs.set(arg.attr, builder.getArrayAttr(dims));
    break;
  }
  case FormulaArg::Part:
    attrs.set("from", declarations.findDim(names[0]).getRefs()[0]);
    [[fallthrough]];
  default:
    attrs.set(arg.attr, builder.getStringAttr(names[0]));
  }
  return success();
}
