//===- Import.cpp - From operator records to level-1 IR -------------------===//
//
// Puts an operator together: declarations, then the checks into the contract,
// the formulas into the body, and the results into the yield.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"
#include "codegen/Import/CheckCoverage.h"
#include "codegen/Import/Composition.h"
#include "codegen/Import/DerivedBody.h"
#include "codegen/Import/Texts.h"
#include "mlir/IR/Verifier.h"
#include "passes/Derive/Derive.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Record.h"
#include <list>

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

namespace {
class OperatorImporter {
public:
  OperatorImporter(const Record &record, const RecordSource &source,
                   const RuleTable &rules, const ImportOptions &options,
                   OpBuilder &builder)
      : record(record), source(source), fields(record, source), rules(rules),
        options(options), builder(builder) {}

  FailureOr<OperatorOp> import();

  /// Whether the body is left to passes.
  bool isDerived() const;
  /// What the checks let through that they must not; once there is a body.
  LogicalResult checkContract(OperatorOp op);

private:
  FailureOr<OperatorOp> createOperator();
  LogicalResult importContract(Block &block);
  LogicalResult importStep(const Record &step, const Site &site,
                           FormulaImporter &formulas);
  LogicalResult importBody(Block &block);
  LogicalResult importResults(FormulaImporter &formulas);
  LogicalResult checkReads(Block &body);
  LogicalResult checkDims(ParamAttr output, Value value, const Site &site);

  const Record &record;
  const RecordSource &source;
  RecordFields fields;
  const RuleTable &rules;
  const ImportOptions &options;
  OpBuilder &builder;
  Declarations declarations;
};
} // namespace

//===----------------------------------------------------------------------===//
// Contract
//===----------------------------------------------------------------------===//

LogicalResult OperatorImporter::importStep(const Record &step, const Site &site,
                                           FormulaImporter &formulas) {
  RecordFields of(step, source);
  auto require = of.getDag("require");
  auto status = of.getInt("status");
  auto message = of.getString("message");
  auto values = of.getDags("values"), when = of.getDags("when");
  auto done = of.getBit("done");
  if (failed(require) || failed(status) || failed(message) || failed(values) ||
      failed(when) || failed(done))
    return failure();

  if (failed(checkProse(*message, "the message", site.loc)))
    return failure();
  OpBuilder &at = formulas.getBuilder();
  Value applies;
  for (const llvm::DagInit *condition : *when) {
    auto value = formulas.importFormula(condition, site, "", Kind::Bool);
    if (failed(value))
      return failure();
    applies = applies ? AndOp::create(at, site.loc, applies, *value).getResult()
                      : *value;
  }
  auto condition = formulas.importFormula(*require, site, "", Kind::Bool);
  if (failed(condition))
    return failure();
  if (*done) {
    DoneIfOp::create(at, site.loc, *condition, applies);
    return success();
  }
  SmallVector<Value> shown;
  for (const llvm::DagInit *dag : *values) {
    auto value = formulas.importFormula(dag, site);
    if (failed(value))
      return failure();
    shown.push_back(*value);
  }
  CheckOp::create(at, site.loc, *condition, *status, *message, shown, applies);
  return success();
}

LogicalResult OperatorImporter::importContract(Block &block) {
  FormulaImporter formulas(record, source, declarations, block,
                           FormulaImporter::Place::Contract);
  auto checks = fields.getDefs("checks");
  if (failed(checks))
    return failure();
  bool ok = true;
  for (const Record *check : *checks) {
    auto steps = RecordFields(*check, source).getDefs("steps");
    if (failed(steps))
      return failure();
    Site site{source.locateElement(record, "checks", *check,
                                   check->getNameInitAsString())};
    for (const Record *step : *steps)
      if (failed(importStep(*step, site, formulas))) {
        ok = false; // one report per check is enough
        break;
      }
  }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

LogicalResult OperatorImporter::checkDims(ParamAttr output, Value value,
                                          const Site &site) {
  auto type = cast<ValueType>(value.getType());
  ArrayRef<StringAttr> wanted = output.getShape().getDims();
  for (StringAttr dim : type.getDims())
    if (!llvm::is_contained(wanted, dim)) {
      InFlightDiagnostic diagnostic = emitError(source.locateInField(
          record, "results", ("$" + output.getName().getValue()).str()));
      diagnostic << "the value of '" << output.getName().getValue()
                 << "' has dim '" << dim.getValue()
                 << "', which the output lacks: [";
      llvm::interleaveComma(wanted, diagnostic, [&](StringAttr name) {
        diagnostic << name.getValue();
      });
      return diagnostic << "]";
    }
  return success();
}

LogicalResult OperatorImporter::importResults(FormulaImporter &formulas) {
  auto results = fields.getDag("results");
  if (failed(results))
    return failure();
  Site site{source.locateField(record, "results"), &record, "results"};
  auto *outs = llvm::dyn_cast<llvm::DefInit>((*results)->getOperator());
  if (!outs || outs->getDef()->getName() != "outs")
    return fields.error("results")
           << "'results' is " << (*results)->getAsString()
           << "; expected (outs (formula):$output, ...)";

  llvm::StringMap<Value> values;
  bool ok = true;
  for (unsigned i = 0, e = (*results)->getNumArgs(); i != e; ++i) {
    StringRef name = (*results)->getArgNameStr(i);
    std::string token = ("$" + name).str();
    ParamAttr output = declarations.findParam(name);
    if (!output || output.getRole() != Role::Out) {
      InFlightDiagnostic diagnostic =
          emitError(source.locateInField(record, "results", token));
      diagnostic << "'" << name << "' is not an output";
      SmallVector<StringRef> outputs;
      for (ParamAttr param : declarations.params)
        if (param.getRole() == Role::Out)
          outputs.push_back(param.getName());
      suggest(diagnostic, name, outputs, "$");
      ok = false;
      continue;
    }
    const llvm::Init *formula = (*results)->getArg(i);
    if (llvm::isa<llvm::UnsetInit>(formula)) {
      emitError(source.locateInField(record, "results", token))
          << "output '" << name << "' has no formula; expected (formula):$"
          << name;
      ok = false;
      continue;
    }
    if (values.contains(name)) {
      emitError(source.locateInField(record, "results", token))
          << "output '" << name << "' is given twice";
      ok = false;
      continue;
    }
    auto value = formulas.importFormula(formula, site, name, output.getKind());
    ok &= succeeded(value) && succeeded(checkDims(output, *value, site));
    values[name] = succeeded(value) ? *value : Value();
  }

  SmallVector<Value> yielded;
  SmallVector<StringRef> names;
  for (ParamAttr param : declarations.params) {
    if (param.getRole() != Role::Out)
      continue;
    auto it = values.find(param.getName());
    if (it == values.end()) {
      InFlightDiagnostic diagnostic = fields.error("results");
      diagnostic << "'results' does not give output '"
                 << param.getName().getValue() << "'";
      diagnostic.attachNote(declarations.getPlace(param.getName(), site.loc))
          << "it is declared here";
      ok = false;
      continue;
    }
    yielded.push_back(it->second);
    names.push_back(param.getName());
  }
  if (!ok)
    return failure();
  OpBuilder &at = formulas.getBuilder();
  YieldOp::create(at, site.loc, yielded, at.getStrArrayAttr(names));
  return success();
}

/// Results written by hand come before derived ones.
bool OperatorImporter::isDerived() const {
  if (!record.isSubClassOf("BackwardOf"))
    return false;
  const llvm::RecordVal *results = record.getValue("results");
  return options.ignoreResults ||
         llvm::isa<llvm::UnsetInit>(results->getValue());
}

LogicalResult OperatorImporter::importBody(Block &block) {
  for (ParamAttr param : declarations.params)
    if (param.isInput())
      block.addArgument(
          ValueType::get(builder.getContext(), param.getShape().getDims(),
                         param.getKind()),
          NameLoc::get(param.getName(), declarations.getPlace(
                                            param.getName(), fields.getLoc())));
  if (isDerived())
    return importDerivedBody(record, source, declarations, rules, block,
                             builder);
  FormulaImporter formulas(record, source, declarations, block,
                           FormulaImporter::Place::Body);
  if (record.isSubClassOf("Composed") &&
      failed(importParts(record, source, declarations, formulas, block,
                         cast<ModuleOp>(builder.getBlock()->getParentOp()))))
    return failure();
  bool ok = true;
  for (StringRef name : declarations.lets)
    ok &= succeeded(formulas.importLet(name));
  if (!ok || failed(importResults(formulas)))
    return failure();
  for (StringRef name : declarations.lets)
    if (!formulas.isUsed(name))
      emitWarning(source.locateField(record, name))
          << "result '" << name << "' is never used";
  return checkReads(block);
}

/// An input that nothing reads is a slip, unless the record says so.
LogicalResult OperatorImporter::checkReads(Block &body) {
  auto asksAbout = [&](StringRef name) {
    return llvm::any_of(body, [&](Operation &op) {
      auto asked = op.getAttrOfType<StringAttr>("name");
      return asked && asked.getValue() == name;
    });
  };
  unsigned index = 0;
  for (ParamAttr param : declarations.params) {
    if (!param.isInput())
      continue;
    bool read = !body.getArgument(index++).use_empty();
    bool unread = declarations.unread.contains(param.getName());
    Location loc = declarations.getPlace(param.getName(), fields.getLoc());
    if (read && unread)
      return emitError(loc) << "'" << param.getName().getValue()
                            << "' is declared as UnreadIn, but a formula reads "
                               "it";
    // The parameters of a gradient follow from its forward.
    if (!read && !unread && !asksAbout(param.getName()) &&
        !record.isSubClassOf("GradientOf"))
      emitWarning(loc) << "no formula reads '" << param.getName().getValue()
                       << "'; declare it as UnreadIn if that is meant";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operator
//===----------------------------------------------------------------------===//

/// Text blocks in records are indented and broken for reading.
static std::string reflow(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, " \t\r\n");
  return llvm::join(words, " ");
}

FailureOr<OperatorOp> OperatorImporter::createOperator() {
  auto function = fields.getString("function"),
       summary = fields.getString("summary"),
       description = fields.getString("description"),
       header = fields.getString("header");
  if (failed(function) || failed(summary) || failed(description) ||
      failed(header))
    return failure();
  if (failed(checkProse(*summary, "the summary",
                        source.locateField(record, "summary"))) ||
      failed(checkProse(*description, "the description",
                        source.locateField(record, "description"))) ||
      (!header->empty() &&
       failed(checkFileName(*header, "the header",
                            source.locateField(record, "header")))))
    return failure();
  if (failed(checkWanted(record, source)))
    return failure();
  auto read = importDeclarations(record, source);
  if (failed(read))
    return failure();
  declarations = std::move(*read);

  SmallVector<StringRef> products = llvm::map_to_vector(
      declarations.products, [](StringAttr name) { return name.getValue(); });
  SmallVector<Attribute> dims(declarations.dims.begin(),
                              declarations.dims.end());
  SmallVector<Attribute> params(declarations.params.begin(),
                                declarations.params.end());
  std::string text = reflow(*description);
  auto op = OperatorOp::create(
      builder, NameLoc::get(builder.getStringAttr(*function), fields.getLoc()),
      *function, reflow(*summary),
      text.empty() ? StringAttr() : builder.getStringAttr(text),
      builder.getStrArrayAttr(products), builder.getArrayAttr(dims),
      builder.getArrayAttr(params), /*formula=*/nullptr,
      header->empty() ? StringAttr() : builder.getStringAttr(*header),
      /*forward=*/false, /*derived=*/false, /*gradients=*/nullptr,
      /*upstream=*/nullptr);
  return op;
}

FailureOr<OperatorOp> OperatorImporter::import() {
  FailureOr<OperatorOp> op = createOperator();
  if (failed(op))
    return failure();
  bool ok = succeeded(importContract(op->getContract().emplaceBlock()));
  ok &= succeeded(importBody(op->getBody().emplaceBlock()));
  // A verifier's message points at the record; the op would hide it.
  MLIRContext *context = builder.getContext();
  bool printed = context->shouldPrintOpOnDiagnostic();
  context->printOpOnDiagnostic(false);
  ok = ok && succeeded(verify(*op));
  context->printOpOnDiagnostic(printed);
  if (ok && options.objectives && record.isSubClassOf("BackwardOf"))
    ok = succeeded(
        importObjective(record, source, declarations, rules, *op, builder));
  // A forward is not called, and a body that is yet to be derived cannot run.
  if (ok && !record.isSubClassOf("Loss") && !isDerived())
    ok = succeeded(checkContract(*op));
  if (ok)
    return op;
  op->erase();
  return failure();
}

LogicalResult OperatorImporter::checkContract(OperatorOp op) {
  // Where a record has no checks, their place is in the base class.
  Location checks = op.getContract().front().empty()
                        ? fields.getLoc()
                        : source.locateField(record, "checks");
  return checkCoverage(op, checks);
}

//===----------------------------------------------------------------------===//
// Entry point
//===----------------------------------------------------------------------===//

/// Adds the rules that derivations need, and derives.
static LogicalResult derive(ModuleOp module, const RuleTable &rules,
                            const RecordSource &source,
                            const ImportOptions &options) {
  auto toDerive =
      module.walk([](GradientOp) { return WalkResult::interrupt(); });
  if (!toDerive.wasInterrupted())
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  if (failed(rules.import(source, builder)))
    return failure();
  return options.derive ? deriveGradients(module) : success();
}

/// An operator for each forward of a file that has nothing else.
static std::string getGradients(ArrayRef<const Record *> defs) {
  std::string text;
  for (const Record *def : defs) {
    if (!def->isSubClassOf("Loss"))
      return "";
    std::string name = def->getNameInitAsString();
    text += "def " + name + "Backward : GradientOf<" + name + ">;\n";
  }
  return text;
}

namespace {
/// The operators of a file.
class ModuleImporter {
public:
  ModuleImporter(llvm::SourceMgr &sources, const llvm::RecordKeeper &records,
                 const ImportOptions &options, const RuleTable &rules,
                 const RecordSource &source, ModuleOp module)
      : sources(sources), records(records), options(options), rules(rules),
        source(source), module(module),
        builder(OpBuilder::atBlockEnd(module.getBody())) {}

  LogicalResult import();

private:
  LogicalResult importAll(ArrayRef<const Record *> defs);
  LogicalResult importComposed(ArrayRef<const Record *> defs);
  LogicalResult checkDerived();
  bool isInMainFile(const Record &def) const {
    return sources.FindBufferContainingLoc(def.getLoc().front()) ==
           sources.getMainFileID();
  }

  llvm::SourceMgr &sources;
  const llvm::RecordKeeper &records;
  const ImportOptions &options;
  const RuleTable &rules;
  const RecordSource &source;
  ModuleOp module;
  OpBuilder builder;
  llvm::StringMap<Location> operators;
  std::list<std::pair<OperatorImporter, OperatorOp>> derived;
};
} // namespace

LogicalResult ModuleImporter::importAll(ArrayRef<const Record *> defs) {
  bool ok = true;
  for (const Record *def : defs) {
    OperatorImporter importer(*def, source, rules, options, builder);
    FailureOr<OperatorOp> op = importer.import();
    if (failed(op)) {
      ok = false;
      continue;
    }
    if (def->isSubClassOf("Loss"))
      op->setForward(true);
    auto [it, isNew] = operators.try_emplace(op->getSymName(), op->getLoc());
    if (!isNew) {
      InFlightDiagnostic diagnostic = emitError(op->getLoc());
      diagnostic << "operator '" << op->getSymName() << "' is defined twice";
      diagnostic.attachNote(it->second) << "first defined here";
      ok = false;
      op->erase();
      continue;
    }
    if (importer.isDerived())
      derived.emplace_back(std::move(importer), *op);
    else if (def->isSubClassOf("Composed"))
      op->setDerived(true);
  }
  return success(ok);
}

/// Once all others have their bodies; in the order of the text, so that one may
/// be a part of another.
LogicalResult ModuleImporter::importComposed(ArrayRef<const Record *> defs) {
  if (defs.empty())
    return success();
  llvm::SetVector<const Record *> parts;
  for (const Record *def : defs) {
    auto operators = getPartOperators(*def, source);
    if (failed(operators))
      return failure();
    parts.insert_range(*operators);
  }
  if (failed(importAll(defs)) ||
      (options.derive && failed(deriveGradients(module))))
    return failure();
  // An operator that a file includes to make another of it is not the file's.
  for (const Record *part : parts)
    if (!isInMainFile(*part)) {
      auto name = RecordFields(*part, source).getString("function");
      auto op = module.lookupSymbol<OperatorOp>(*name);
      derived.remove_if([&](auto &each) { return each.second == op; });
      op.erase();
    }
  return success();
}

LogicalResult ModuleImporter::checkDerived() {
  bool ok = true;
  SmallVector<Attribute> names;
  for (auto &[importer, op] : derived) {
    names.push_back(op.getSymNameAttr());
    // Checks are those of a body that is written by hand.
    if (options.derive && !options.ignoreResults)
      ok &= succeeded(importer.checkContract(op));
  }
  if (options.objectives)
    module->setAttr(kFromForwardAttr, builder.getArrayAttr(names));
  return success(ok);
}

LogicalResult ModuleImporter::import() {
  SmallVector<const Record *> defs, composed;
  for (const Record *def : records.getAllDerivedDefinitions("LossBackward"))
    if (def->isSubClassOf("Composed"))
      composed.push_back(def);
    else if (!def->isSubClassOf("Loss") || options.forwards)
      defs.push_back(def);
  llvm::sort(composed, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  if (failed(importAll(defs)) ||
      failed(derive(module, rules, source, options)) ||
      failed(importComposed(composed)))
    return failure();
  return checkDerived();
}

static OwningOpRef<ModuleOp> importParsed(llvm::SourceMgr &sources,
                                          const llvm::RecordKeeper &records,
                                          const ImportOptions &options,
                                          MLIRContext *context,
                                          size_t written = StringRef::npos) {
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  Location start = FileLineColLoc::get(context, file, 1, 1);
  if (!records.getClass("LossBackward")) {
    emitError(start) << "the file does not know class LossBackward; include "
                        "\"Base.td\"";
    return nullptr;
  }
  ArrayRef<const Record *> defs =
      records.getAllDerivedDefinitions("LossBackward");
  if (defs.empty()) {
    emitError(start) << "the file defines no operator: no record derives from "
                        "LossBackward";
    return nullptr;
  }
  StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  RecordSource source(sources, context,
                      written < text.size() ? text.data() + written : nullptr);
  OwningOpRef<ModuleOp> module = ModuleOp::create(start);
  FailureOr<RuleTable> rules = RuleTable::read(records, source);
  if (failed(rules))
    return nullptr;
  if (failed(ModuleImporter(sources, records, options, *rules, source, *module)
                 .import()))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> lossgrad::importRecords(llvm::SourceMgr &sources,
                                              const ImportOptions &options,
                                              MLIRContext *context) {
  context->loadDialect<LossGradDialect>();
  cutLongLines(sources);
  llvm::RecordKeeper records;
  if (failed(parseRecords(sources, options, context, records)))
    return nullptr;
  std::string gradients;
  if (records.getClass("GradientOf"))
    gradients = getGradients(records.getAllDerivedDefinitions("LossBackward"));
  if (gradients.empty())
    return importParsed(sources, records, options, context);
  // At the end of the text, so that all places stay what they are.
  const llvm::MemoryBuffer *main =
      sources.getMemoryBuffer(sources.getMainFileID());
  llvm::SourceMgr extended;
  extended.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          (main->getBuffer() + gradients).str(), main->getBufferIdentifier()),
      llvm::SMLoc());
  llvm::RecordKeeper all;
  if (failed(parseRecords(extended, options, context, all)))
    return nullptr;
  return importParsed(extended, all, options, context, main->getBufferSize());
}
