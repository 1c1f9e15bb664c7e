//===- FormulaImporter.cpp - From dags to ops -----------------------------===//
//
// Dags, functions and intermediate results. What stands at the places of a dag
// is read in FormulaArguments.cpp, kinds are adapted in FormulaKinds.cpp.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/FormulaImporter.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::DagInit;
using llvm::StringRef;
using llvm::Twine;

/// Limits for text that nobody writes by hand: a function that calls itself,
/// and one that multiplies.
static constexpr unsigned kMaxDepth = 200;
static constexpr unsigned kMaxOps = 20000;

FormulaImporter::FormulaImporter(const llvm::Record &record,
                                 const RecordSource &source,
                                 const Declarations &declarations, Block &block,
                                 Place place)
    : record(record), source(source), declarations(declarations),
      builder(OpBuilder::atBlockEnd(&block)), place(place) {}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

InFlightDiagnostic FormulaImporter::error(const Site &site,
                                          StringRef token) const {
  if (site.function) {
    InFlightDiagnostic diagnostic =
        emitError(source.locateInHead(*site.function, token));
    diagnostic << "in function '" << site.function->getName() << "': ";
    diagnostic.attachNote(site.loc) << "it is called here";
    return diagnostic;
  }
  Location loc = site.loc;
  if (site.record && !token.empty())
    loc = source.locateInField(*site.record, site.field, token);
  InFlightDiagnostic diagnostic = emitError(loc);
  if (!site.field.empty())
    diagnostic << "in '" << site.field << "': ";
  return diagnostic;
}

InFlightDiagnostic FormulaImporter::misused(const FormulaOperator &op,
                                            const Site &site) const {
  return error(site, ("(" + op.name).str());
}

//===----------------------------------------------------------------------===//
// Formulas and intermediate results
//===----------------------------------------------------------------------===//

FailureOr<Value> FormulaImporter::importFormula(const llvm::Init *formula,
                                                const Site &site,
                                                StringRef name,
                                                std::optional<Kind> kind) {
  FailureOr<Term> term = failure();
  // A result that this formula reads is imported on the way.
  const Site *around = std::exchange(root.site, &site);
  llvm::scope_exit leave([&] { root.site = around; });
  if (auto *dag = llvm::dyn_cast<DagInit>(formula))
    term = importDag(*dag, root, site, name);
  else
    term = importTerm({formula, "", &root}, site);
  if (failed(term))
    return failure();
  return adapt(*term, kind.value_or(kindOf(*term)), site, "the formula");
}

FailureOr<Value> FormulaImporter::importLet(StringRef name) {
  auto known = lets.find(name);
  if (known != lets.end())
    return known->second;
  Site site{source.locateField(record, name), &record, name};
  auto *first = llvm::find(importing, name);
  if (first != importing.end()) {
    InFlightDiagnostic diagnostic = emitError(site.loc);
    diagnostic << "'" << name << "' depends on itself: ";
    for (StringRef step : llvm::make_range(first, importing.end()))
      diagnostic << step << " -> ";
    diagnostic << name;
    return diagnostic;
  }
  const llvm::Init *formula = record.getValue(name)->getValue();
  importing.push_back(name);
  FailureOr<Value> value = failure();
  if (llvm::isa<llvm::UnsetInit>(formula))
    error(site) << "the result has no formula";
  else
    value = importFormula(formula, site, name);
  importing.pop_back();
  if (replaceLet && succeeded(value))
    value = replaceLet(name, *value);
  lets.try_emplace(name, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Dags
//===----------------------------------------------------------------------===//

const FormulaOperator *FormulaImporter::findOperator(const DagInit &dag,
                                                     const Site &site) {
  auto *def = llvm::dyn_cast<llvm::DefInit>(dag.getOperator());
  if (!def) {
    error(site) << dag.getOperator()->getAsString()
                << " is not a formula operator; a name that is also a field "
                   "of the record hides the operator";
    return nullptr;
  }
  const llvm::Record *key = def->getDef();
  auto known = operators.find(key);
  if (known != operators.end())
    return &known->second;
  if (!key->isSubClassOf("FormulaOperator")) {
    InFlightDiagnostic diagnostic =
        error(site, "(" + key->getNameInitAsString());
    diagnostic << "'" << key->getNameInitAsString()
               << "' is not a formula operator";
    diagnostic.attachNote(source.locate(*key)) << "it is defined here";
    return nullptr;
  }
  FailureOr<FormulaOperator> op = readFormulaOperator(*key, source);
  if (failed(op))
    return nullptr;
  return &operators.emplace(key, std::move(*op)).first->second;
}

LogicalResult FormulaImporter::checkArity(const FormulaOperator &op,
                                          const DagInit &dag,
                                          const Site &site) {
  unsigned found = dag.getNumArgs(), least = op.getMinArgs(),
           most = op.getMaxArgs();
  if (found >= least && found <= most)
    return success();
  InFlightDiagnostic diagnostic = misused(op, site);
  diagnostic << "'" << op.name << "' takes ";
  if (most == ~0u)
    diagnostic << "at least " << least;
  else if (least == most)
    diagnostic << least;
  else
    diagnostic << least << " to " << most;
  diagnostic << ((most == ~0u ? least : most) == 1 ? " argument" : " arguments")
             << ", found " << found << ": " << op.getUsage();
  return diagnostic;
}

FailureOr<FormulaImporter::Term> FormulaImporter::importDag(const DagInit &dag,
                                                            Scope &scope,
                                                            const Site &site,
                                                            StringRef name) {
  // A formula with a name of its own is not merged with an equal one.
  auto known = scope.dags.find(&dag);
  if (known != scope.dags.end() && name.empty())
    return known->second;
  if (depth == kMaxDepth) {
    error(site) << "the formula nests deeper than " << kMaxDepth
                << " levels; a function that calls itself never ends";
    return failure();
  }
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  const FormulaOperator *op = findOperator(dag, site);
  if (!op || failed(checkArity(*op, dag, site)))
    return failure();
  bool kept = op->body && rules && rules->find(*op->record);
  FailureOr<Term> term = kept       ? importApply(*op, dag, scope, site, name)
                         : op->body ? importCall(*op, dag, scope, site, name)
                                    : importOp(*op, dag, scope, site, name);
  if (succeeded(term))
    scope.dags[&dag] = *term;
  return term;
}

FailureOr<FormulaImporter::Term>
FormulaImporter::importCall(const FormulaOperator &op, const DagInit &dag,
                            Scope &scope, const Site &site, StringRef name) {
  Scope inner;
  inner.caller = &scope;
  inner.call = &dag;
  inner.names = op.names;
  Site within = site;
  within.function = op.record;
  inner.site = &within;
  return importDag(*op.body, inner, within, name);
}

FailureOr<FormulaImporter::Term>
FormulaImporter::importApply(const FormulaOperator &op, const DagInit &dag,
                             Scope &scope, const Site &site, StringRef name) {
  SmallVector<Value> operands;
  SmallVector<StringRef> over;
  for (auto [i, argumentName] : llvm::enumerate(op.names)) {
    Argument argument = getArgument(dag, i, scope);
    if (llvm::is_contained(op.dims, argumentName)) {
      FailureOr<StringRef> dim = resolveName(op, argument, site);
      FormulaArg wanted{FormulaArg::Dim, "", "the name of a dim"};
      if (failed(dim) || failed(checkName(op, wanted, *dim, site)))
        return failure();
      over.push_back(*dim);
      continue;
    }
    FailureOr<Term> term = importTerm(argument, site);
    if (failed(term))
      return failure();
    FailureOr<Value> value =
        adapt(*term, Kind::Real, site,
              "argument " + Twine(i + 1) + " of '" + op.name + "'");
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  for (StringRef dim : over)
    if (!cast<ValueType>(operands[0].getType())
             .hasDim(builder.getStringAttr(dim))) {
      misused(op, site) << "'" << op.name << "' works over '" << dim
                        << "', which its argument lacks";
      return failure();
    }
  Location loc = name.empty()
                     ? site.loc
                     : NameLoc::get(builder.getStringAttr(name), site.loc);
  return Term{createApply(builder, loc, op.name, operands, over), {}};
}

FailureOr<FormulaImporter::Term>
FormulaImporter::importOp(const FormulaOperator &op, const DagInit &dag,
                          Scope &scope, const Site &site, StringRef name) {
  SmallVector<Term> terms;
  NamedAttrList attrs(op.fixed);
  StringRef attribute; // the last one named, whose choices may follow
  unsigned next = 0;
  for (const FormulaArg &arg : op.args) {
    SmallVector<Argument> arguments;
    bool rest = arg.takesRest() || (op.nary && &arg == &op.args.back());
    if (arg.kind != FormulaArg::OwnFamilies)
      while (next < dag.getNumArgs() && (rest || arguments.empty()))
        arguments.push_back(getArgument(dag, next++, scope));
    if (arguments.empty() && arg.kind != FormulaArg::OwnFamilies)
      continue; // optional
    if (arg.kind == FormulaArg::Value) {
      for (Argument argument : arguments) {
        FailureOr<Term> term = importTerm(argument, site);
        if (failed(term))
          return failure();
        terms.push_back(*term);
      }
    } else if (arg.kind == FormulaArg::Attribute) {
      FailureOr<StringRef> named = resolveName(op, arguments[0], site);
      if (failed(named) || failed(checkName(op, arg, *named, site)))
        return failure();
      attribute = *named;
      terms.push_back({getAttribute(declarations.findParam(attribute)), {}});
    } else if (arg.kind == FormulaArg::Choice) {
      FailureOr<Term> term = importChoice(arguments[0], attribute, site);
      if (failed(term))
        return failure();
      terms.push_back(*term);
    } else if (failed(importNameArg(op, arg, arguments, site, attrs))) {
      return failure();
    }
  }

  SmallVector<Value> operands;
  if (failed(adaptAll(op, terms, site, operands)))
    return failure();
  Location loc = site.loc;
  Location named =
      name.empty() ? loc : NameLoc::get(builder.getStringAttr(name), loc);
  if (op.mlirOp.empty()) {
    Value value = operands[0];
    if (value != terms[0].value && value.getDefiningOp<CastOp>())
      value.setLoc(named); // the conversion that the operator is
    return Term{value, {}};
  }
  if (!op.nary) {
    FailureOr<Value> value = createOp(op, operands, attrs, named, site);
    if (failed(value))
      return failure();
    return Term{*value, {}};
  }
  Value value = operands[0];
  for (auto [i, operand] : llvm::enumerate(ArrayRef(operands).drop_front())) {
    bool last = i + 2 == operands.size();
    FailureOr<Value> both =
        createOp(op, {value, operand}, attrs, last ? named : loc, site);
    if (failed(both))
      return failure();
    value = *both;
  }
  return Term{value, {}};
}

/// Makes an op whose result type the dialect infers. Inference reads inherent
/// attributes from properties, which a state does not have yet.
FailureOr<Value> FormulaImporter::createOp(const FormulaOperator &op,
                                           ArrayRef<Value> operands,
                                           ArrayRef<NamedAttribute> attrs,
                                           Location loc, const Site &site) {
  if (++opCount > kMaxOps) {
    error(site) << "the operator needs more than " << kMaxOps << " ops";
    return failure();
  }
  OperationState state(loc, op.mlirOp);
  state.addOperands(operands);
  state.addAttributes(attrs);
  RegisteredOperationName info = *state.name.getRegisteredInfo();
  bool allowed = place == Place::Contract ? !info.hasTrait<BodyOnly>()
                                          : !info.hasTrait<ContractOnly>();
  if (!allowed) {
    misused(op, site) << "'" << op.name << "' may not stand in a "
                      << (place == Place::Contract ? "check" : "formula")
                      << (place == Place::Contract
                              ? ": tensors have no contents yet"
                              : ": it asks about the call");
    return failure();
  }
  DictionaryAttr dictionary = state.attributes.getDictionary(loc.getContext());
  SmallVector<char> storage(info.getOpPropertyByteSize());
  OpaqueProperties properties(storage.empty() ? nullptr : storage.data());
  llvm::scope_exit destroy([&] {
    if (properties)
      info.destroyOpProperties(properties);
  });
  if (properties) {
    info.initOpProperties(properties, nullptr);
    if (failed(info.setOpPropertiesFromAttribute(
            state.name, properties, dictionary,
            [&] { return misused(op, site); })))
      return failure();
  }
  auto *infer = info.getInterface<InferTypeOpInterface>();
  if (!infer) {
    misused(op, site) << "'" << op.name << "' has no result";
    return failure();
  }
  if (failed(infer->inferReturnTypes(loc.getContext(), loc, state.operands,
                                     dictionary, properties, state.regions,
                                     state.types)))
    return failure();
  return builder.create(state)->getResult(0);
}
