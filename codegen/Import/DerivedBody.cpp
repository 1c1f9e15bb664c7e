//===- DerivedBody.cpp - The body of an operator from a forward -----------===//
//
// The forward's names mean the backward's parameters of the same name. Inputs
// that the backward lacks are `missing`, results that it is handed are `saved`.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/ForwardImporter.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

Value ForwardImporter::getOwnInput(StringRef name) {
  ParamAttr wanted = own.findParam(name);
  if (!wanted || !wanted.isInput())
    return {};
  unsigned index = 0;
  for (ParamAttr param : own.params) {
    if (param == wanted)
      return block.getArgument(index);
    index += param.isInput();
  }
  return {};
}

/// What the forward's formulas name must exist here.
LogicalResult ForwardImporter::checkNames() {
  bool ok = true;
  for (DimAttr dim : theirs.dims) {
    DimAttr here = own.findDim(dim.getName());
    if (here && here.getKind() == dim.getKind())
      continue;
    fields.error("dims") << "the forward '" << forward->getName()
                         << "' has the dim '" << dim.getName().getValue()
                         << "', which the operator "
                         << (here ? "declares as another kind of dim"
                                  : "does not declare");
    ok = false;
  }
  for (ParamAttr param : theirs.params) {
    StringRef name = param.getName();
    ParamAttr here = own.findParam(name);
    if (param.getRole() == Role::Attr &&
        (!here || here.getRole() != Role::Attr ||
         here.getKind() != param.getKind())) {
      fields.error("params")
          << "the forward '" << forward->getName() << "' has the attribute '"
          << name << "', which the operator "
          << (here ? "declares otherwise" : "lacks");
      ok = false;
    }
    if (!param.isInput() || !here)
      continue;
    if (!here.isInput() || here.getKind() != param.getKind() ||
        here.getShape().getDims() != param.getShape().getDims()) {
      fields.error("params")
          << "the input '" << name << "' of the forward '" << forward->getName()
          << "' has other dims or another kind here";
      ok = false;
    }
  }
  return success(ok);
}

/// An override of nothing would be none.
LogicalResult ForwardImporter::checkOverrides() {
  auto overrides = RecordFields(*forward, source).getDefs("overrides");
  if (failed(overrides))
    return failure();
  for (const Record *each : *overrides) {
    auto result = RecordFields(*each, source).getString("result");
    if (failed(result))
      return failure();
    if (theirs.isLet(*result))
      continue;
    InFlightDiagnostic diagnostic = emitError(source.locateInField(
        *forward, "overrides", ("\"" + *result + "\"").str()));
    diagnostic << "'" << *result << "' is not an intermediate result of '"
               << forward->getName() << "'";
    suggest(diagnostic, *result, theirs.lets);
    return diagnostic;
  }
  return success();
}

void ForwardImporter::bindInputs(FormulaImporter &formulas) {
  for (ParamAttr param : theirs.params) {
    if (!param.isInput())
      continue;
    Value value = getOwnInput(param.getName());
    if (!value) {
      Location loc = NameLoc::get(
          param.getName(),
          theirs.getPlace(param.getName(), source.locate(*forward)));
      value = MissingOp::create(formulas.getBuilder(), loc,
                                ValueType::get(loc.getContext(),
                                               param.getShape().getDims(),
                                               param.getKind()),
                                param.getName());
    }
    inputs[param.getName()] = value;
    formulas.bind(param.getName(), value);
  }
}

//===----------------------------------------------------------------------===//
// Intermediate results
//===----------------------------------------------------------------------===//

FailureOr<Value> ForwardImporter::overrideLet(const Record &override_,
                                              StringRef name, Value value) {
  RecordFields of(override_, source);
  auto operands = of.getStrings("operands");
  if (failed(operands))
    return failure();
  std::string function = (forward->getName() + "." + name).str();
  RuleText text{override_, function, nullptr, {}, {}};
  if (failed(importRule(text, rules, source, module, /*passesFirst=*/true)))
    return failure();
  SmallVector<Value> values = {value};
  for (StringRef operand : *operands) {
    Value named = inputs.lookup(operand);
    if (!named) {
      if (!theirs.isLet(operand)) {
        InFlightDiagnostic diagnostic = emitError(source.locateInField(
            *forward, "overrides", ("\"" + operand + "\"").str()));
        diagnostic << "the override of '" << name << "' names '" << operand
                   << "', which is neither an input nor a result";
        SmallVector<StringRef> names(theirs.lets);
        for (const auto &entry : inputs)
          names.push_back(entry.getKey());
        llvm::sort(names);
        suggest(diagnostic, operand, names);
        return failure();
      }
      auto imported = forwardFormulas->importLet(operand);
      if (failed(imported))
        return failure();
      named = *imported;
    }
    values.push_back(named);
  }
  return createApply(forwardFormulas->getBuilder(), value.getLoc(), function,
                     values, {});
}

FailureOr<Value> ForwardImporter::replaceLet(StringRef name, Value value) {
  auto overrides = RecordFields(*forward, source).getDefs("overrides");
  auto saved = fields.getDefs("saved");
  if (failed(overrides) || failed(saved))
    return failure();
  for (const Record *each : *overrides) {
    auto result = RecordFields(*each, source).getString("result");
    if (failed(result))
      return failure();
    if (*result != name)
      continue;
    FailureOr<Value> replaced = overrideLet(*each, name, value);
    if (failed(replaced))
      return failure();
    value = *replaced;
  }
  for (const Record *each : *saved) {
    RecordFields of(*each, source);
    auto result = of.getString("result"), param = of.getString("param");
    auto trusted = of.getBit("trusted");
    if (failed(result) || failed(param) || failed(trusted))
      return failure();
    if (*result != name)
      continue;
    Value given = getOwnInput(*param);
    if (!given) {
      InFlightDiagnostic diagnostic = error("saved", *param);
      diagnostic << "'" << *param << "' is not an input";
      // GradientOf makes inputs of the outputs that are saved.
      SmallVector<StringRef> names;
      for (ParamAttr known : own.params)
        if (known.isInput())
          names.push_back(known.getName());
      for (ParamAttr known : theirs.params)
        if (known.getRole() == Role::Out)
          names.push_back(known.getName());
      suggest(diagnostic, *param, names);
      return diagnostic;
    }
    auto type = cast<ValueType>(value.getType());
    auto here = cast<ValueType>(given.getType());
    if (here.getKind() != Kind::Real || type.getKind() != Kind::Real ||
        here.getDims() != type.getDims()) {
      error("saved", *param)
          << "'" << *param << "' is " << toString(here) << ", the result '"
          << name << "' that it holds is " << toString(type);
      return failure();
    }
    value = SavedOp::create(forwardFormulas->getBuilder(), value.getLoc(),
                            value, given, *trusted);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Outputs and gradients
//===----------------------------------------------------------------------===//

/// An output has all dims of its value, but for one that a reduction ends.
LogicalResult ForwardImporter::checkDims(StringRef name, Value value) {
  ParamAttr output = theirs.findParam(name);
  if (!output || output.getRole() != Role::Out ||
      (value.getDefiningOp<ReducedOp>() && output.getShape().getDims().empty()))
    return success();
  ArrayRef<StringAttr> wanted = output.getShape().getDims();
  for (StringAttr dim : cast<ValueType>(value.getType()).getDims())
    if (!llvm::is_contained(wanted, dim)) {
      InFlightDiagnostic diagnostic = emitError(
          source.locateInField(*forward, "results", ("$" + name).str()));
      diagnostic << "the value of '" << name << "' has dim '" << dim.getValue()
                 << "', which the output lacks: [";
      llvm::interleaveComma(wanted, diagnostic, [&](StringAttr own) {
        diagnostic << own.getValue();
      });
      return diagnostic << "]; sum over it, or end with (reduced ...)";
    }
  return success();
}

FailureOr<Value> ForwardImporter::findOutput(FormulaImporter &formulas,
                                             StringRef name,
                                             const Record &upstream) {
  auto results = RecordFields(*forward, source).getDag("results");
  if (failed(results))
    return failure();
  for (unsigned i = 0, e = (*results)->getNumArgs(); i != e; ++i)
    if ((*results)->getArgNameStr(i) == name) {
      auto value = formulas.importFormula(
          (*results)->getArg(i),
          Site{source.locateField(*forward, "results"), forward, "results"},
          name, Kind::Real);
      if (failed(value) || failed(checkDims(name, *value)))
        return failure();
      return value;
    }
  InFlightDiagnostic diagnostic = error("upstream", name);
  diagnostic << "'" << name << "' is not an output of '" << forward->getName()
             << "'";
  SmallVector<StringRef> names;
  for (unsigned i = 0, e = (*results)->getNumArgs(); i != e; ++i)
    names.push_back((*results)->getArgNameStr(i));
  suggest(diagnostic, name, names);
  return diagnostic;
}

LogicalResult ForwardImporter::importOutputs(FormulaImporter &forwardFormulas,
                                             FormulaImporter &ownFormulas) {
  auto list = fields.getDefs("upstream");
  if (failed(list))
    return failure();
  for (const Record *each : *list) {
    RecordFields of(*each, source);
    auto output = of.getString("output");
    auto gradient = of.getDag("gradient");
    if (failed(output) || failed(gradient))
      return failure();
    auto value = findOutput(forwardFormulas, *output, *each);
    Site site{source.locateField(record, "upstream"), &record, "upstream"};
    auto by = ownFormulas.importFormula(*gradient, site, "", Kind::Real);
    if (failed(value) || failed(by))
      return failure();
    outputs.push_back(*value);
    upstream.push_back(*by);
  }
  return success();
}

/// An output that is the same along a dim of its tensor has the sum of the
/// upstream gradients along it.
void ForwardImporter::sumUpstream(OpBuilder &builder) {
  for (auto [output, by] : llvm::zip_equal(outputs, upstream)) {
    SmallVector<StringRef> summed;
    for (StringAttr dim : cast<ValueType>(by.getType()).getDims())
      if (!cast<ValueType>(output.getType()).hasDim(dim))
        summed.push_back(dim);
    if (!summed.empty())
      by = ReduceOp::create(builder, by.getLoc(), ReduceKind::sum, by,
                            builder.getStrArrayAttr(summed));
  }
}

LogicalResult ForwardImporter::importGradients(OpBuilder &builder) {
  auto list = fields.getDefs("gradients");
  if (failed(list))
    return failure();
  sumUpstream(builder);
  Location loc = source.locateField(record, "gradients");
  llvm::StringMap<Value> found;
  for (const Record *each : *list) {
    RecordFields of(*each, source);
    auto input = of.getString("input"), output = of.getString("output");
    if (failed(input) || failed(output))
      return failure();
    Value wanted = inputs.lookup(*input);
    if (!wanted || cast<ValueType>(wanted.getType()).getKind() != Kind::Real) {
      InFlightDiagnostic diagnostic = error("gradients", *input);
      diagnostic << "'" << *input << "' is not a real input of '"
                 << forward->getName() << "'";
      SmallVector<StringRef> names;
      for (const auto &entry : inputs)
        if (cast<ValueType>(entry.getValue().getType()).getKind() == Kind::Real)
          names.push_back(entry.getKey());
      llvm::sort(names);
      if (wanted) {
        diagnostic << ": ints and bools have no gradient; name one of ";
        llvm::interleaveComma(names, diagnostic, [&](StringRef name) {
          diagnostic << "'" << name << "'";
        });
      } else {
        suggest(diagnostic, *input, names);
      }
      return diagnostic;
    }
    ParamAttr param = own.findParam(*output);
    if (!param || param.getRole() != Role::Out)
      return error("gradients", *output)
             << "'" << *output << "' is not an output";
    if (found.contains(*output))
      return error("gradients", *output)
             << "'gradients' gives output '" << *output << "' twice";
    Location named =
        NameLoc::get(param.getName(), source.locateField(record, "gradients"));
    Value value = GradientOp::create(builder, named, wanted.getType(), outputs,
                                     upstream, wanted);
    for (StringAttr dim : param.getShape().getDims())
      if (DimAttr part = own.findDim(dim);
          part && part.getKind() == DimKind::Part &&
          cast<ValueType>(value.getType()).hasDim(part.getRefs()[0]))
        value = ReduceOntoOp::create(builder, named, ReduceKind::sum, value,
                                     part.getRefs()[0], dim);
    found[*output] = value;
  }
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  for (ParamAttr param : own.params) {
    if (param.getRole() != Role::Out)
      continue;
    Value value = found.lookup(param.getName());
    if (!value)
      return fields.error("gradients") << "'gradients' does not give output '"
                                       << param.getName().getValue() << "'";
    values.push_back(value);
    names.push_back(param.getName());
  }
  YieldOp::create(builder, loc, values, builder.getStrArrayAttr(names));
  return success();
}

LogicalResult ForwardImporter::readForward() {
  auto def = fields.getDef("forward");
  if (failed(def))
    return failure();
  forward = *def;
  auto read = importDeclarations(*forward, source);
  if (failed(read))
    return failure();
  theirs = std::move(*read);
  return success();
}

/// The results that the backward is handed, in the order of `saved`.
FailureOr<SmallVector<Value>>
ForwardImporter::importSaved(FormulaImporter &formulas) {
  auto saved = fields.getDefs("saved");
  if (failed(saved))
    return failure();
  SmallVector<Value> values;
  for (const Record *each : *saved) {
    auto result = RecordFields(*each, source).getString("result");
    if (failed(result))
      return failure();
    if (!theirs.isLet(*result)) {
      InFlightDiagnostic diagnostic = error("saved", *result);
      diagnostic << "'" << *result << "' is not an intermediate result of '"
                 << forward->getName() << "'";
      suggest(diagnostic, *result, theirs.lets);
      return diagnostic;
    }
    auto value = formulas.importLet(*result);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

LogicalResult ForwardImporter::import() {
  if (failed(readForward()) || failed(checkNames()) || failed(checkOverrides()))
    return failure();
  FormulaImporter formulas(*forward, source, theirs, block,
                           FormulaImporter::Place::Body);
  FormulaImporter ownFormulas(record, source, own, block,
                              FormulaImporter::Place::Body);
  formulas.keepFunctions(rules);
  ownFormulas.keepFunctions(rules);
  forwardFormulas = &formulas;
  bindInputs(formulas);
  formulas.replaceLets(
      [&](StringRef name, Value value) { return replaceLet(name, value); });
  if (failed(importSaved(formulas)))
    return failure();
  if (failed(importOutputs(formulas, ownFormulas)))
    return failure();
  return importGradients(formulas.getBuilder());
}

/// The inputs that a GradientOf names are those of its forward; of others it
/// would have no output, either.
LogicalResult lossgrad::checkWanted(const Record &record,
                                    const RecordSource &source) {
  if (!record.isSubClassOf("GradientOf"))
    return success();
  RecordFields fields(record, source);
  auto gradients = fields.getDefs("gradients");
  auto forward = fields.getDef("forward");
  if (failed(gradients) || failed(forward))
    return failure();
  auto params = RecordFields(**forward, source).getDefs("params");
  if (failed(params))
    return failure();
  SmallVector<StringRef> inputs;
  for (const Record *param : *params)
    if (param->isSubClassOf("Tensor") && !param->getValueAsBit("output"))
      inputs.push_back(param->getValueAsString("name"));
  for (const Record *gradient : *gradients) {
    auto input = RecordFields(*gradient, source).getString("input");
    if (failed(input))
      return failure();
    if (llvm::is_contained(inputs, *input))
      continue;
    InFlightDiagnostic diagnostic = emitError(source.locateInField(
        record, "gradients", ("\"" + *input + "\"").str()));
    diagnostic << "'" << *input << "' is not an input of '"
               << (*forward)->getName() << "'";
    suggest(diagnostic, *input, inputs);
    return diagnostic;
  }
  return success();
}

LogicalResult lossgrad::importDerivedBody(const Record &record,
                                          const RecordSource &source,
                                          const Declarations &declarations,
                                          const RuleTable &rules, Block &block,
                                          OpBuilder &module) {
  return ForwardImporter(record, source, declarations, rules, block, module)
      .import();
}
