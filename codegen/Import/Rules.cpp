//===- Rules.cpp - Rules of differentiation from records ------------------===//
//
// A rule is imported like any formula, over values that stand for the adjoint,
// the result and the operands.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Rules.h"
#include "codegen/Import/FormulaImporter.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

FailureOr<RuleTable> RuleTable::read(const llvm::RecordKeeper &records,
                                     const RecordSource &source) {
  RuleTable table;
  if (!records.getClass("Derivative"))
    return table;
  // In the order of the text, not of generated names.
  SmallVector<const Record *> all(
      records.getAllDerivedDefinitions("Derivative"));
  llvm::sort(all, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  for (const Record *rule : all) {
    auto op = RecordFields(*rule, source).getDef("op");
    if (failed(op))
      return failure();
    auto [it, isNew] = table.rules.try_emplace(*op, rule);
    if (isNew)
      table.order.push_back(*op);
    it->second = rule;
  }
  return table;
}

static bool isNone(const llvm::DagInit &dag) {
  auto *def = llvm::dyn_cast<llvm::DefInit>(dag.getOperator());
  return def && def->getDef()->getName() == "none";
}

FailureOr<RuleTable> RuleTable::getRedirects(const RecordSource &source) const {
  RuleTable table;
  for (const Record *op : order) {
    const Record *rule = rules.at(op);
    auto redirects = RecordFields(*rule, source).getBit("redirects");
    if (failed(redirects))
      return failure();
    if (!*redirects)
      continue;
    table.rules[op] = rule;
    table.order.push_back(op);
  }
  return table;
}

FailureOr<SmallVector<bool>>
RuleTable::getReceivers(StringRef function, const RecordSource &source) const {
  for (const Record *op : order) {
    if (op->getName() != function)
      continue;
    auto adjoints = RecordFields(*rules.at(op), source).getDags("adjoints");
    if (failed(adjoints))
      return failure();
    return llvm::map_to_vector(
        *adjoints, [](const llvm::DagInit *dag) { return !isNone(*dag); });
  }
  return failure();
}

/// A formula as it is written: `(mul $g, "0.5")`.
static std::string spell(const llvm::DagInit &dag) {
  std::string text = "(" + dag.getOperator()->getAsString();
  for (unsigned i = 0; i < dag.getNumArgs(); ++i) {
    const llvm::Init *argument = dag.getArg(i);
    text += i ? ", " : " ";
    if (auto *inner = llvm::dyn_cast<llvm::DagInit>(argument))
      text += spell(*inner);
    else if (llvm::isa<llvm::UnsetInit>(argument))
      text += "$" + dag.getArgNameStr(i).str();
    else
      text += argument->getAsString();
  }
  return text + ")";
}

static void printRow(StringRef op, StringRef adjoints, StringRef atKink,
                     llvm::raw_ostream &os) {
  os << "| `" << op << "` | " << adjoints << " | " << atKink << " |\n";
}

LogicalResult RuleTable::print(const llvm::RecordKeeper &records,
                               const RecordSource &source,
                               llvm::raw_ostream &os) const {
  os << "| operator | adjoints of its operands | at the kink "
        "|\n|---|---|---|\n";
  for (const Record *op : order) {
    RecordFields rule(*rules.at(op), source);
    auto operands = rule.getStrings("operands");
    auto adjoints = rule.getDags("adjoints");
    auto atKink = rule.getString("atKink");
    if (failed(operands) || failed(adjoints) || failed(atKink))
      return failure();
    std::string text;
    for (auto [operand, adjoint] : llvm::zip(*operands, *adjoints))
      text += (text.empty() ? "" : "; ") + operand.str() + ": `" +
              spell(*adjoint) + "`";
    printRow(op->getName(), text, *atKink, os);
  }
  SmallVector<const Record *> described(
      records.getAllDerivedDefinitionsIfDefined("BuiltInRule"));
  llvm::sort(described, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  for (const Record *rule : described) {
    RecordFields fields(*rule, source);
    auto op = fields.getDef("op");
    auto adjoints = fields.getString("adjoints"),
         atKink = fields.getString("atKink");
    if (failed(op) || failed(adjoints) || failed(atKink))
      return failure();
    printRow((*op)->getName(), *adjoints, *atKink, os);
  }
  return success();
}

Value lossgrad::createApply(OpBuilder &builder, Location loc,
                            StringRef function, ValueRange operands,
                            ArrayRef<StringRef> over) {
  return ApplyOp::create(
      builder, loc, builder.getStringAttr(function), operands,
      over.empty() ? ArrayAttr() : builder.getStrArrayAttr(over));
}

/// Declares values of these names: parameters of an operator that is none.
static Declarations declareValues(ArrayRef<StringRef> names,
                                  ArrayRef<StringRef> scalars,
                                  ArrayRef<StringRef> dims, Builder &builder) {
  Declarations declarations;
  SmallVector<StringAttr> all;
  for (StringRef dim : dims) {
    all.push_back(builder.getStringAttr(dim));
    declarations.dims.push_back(
        DimAttr::get(builder.getContext(), all.back(), DimKind::Axis, {}));
  }
  auto declare = [&](StringRef name, ArrayRef<StringAttr> over) {
    StringAttr none = builder.getStringAttr("");
    declarations.params.push_back(ParamAttr::get(
        builder.getContext(), builder.getStringAttr(name), Role::In, Kind::Real,
        none, ShapeAttr::get(builder.getContext(), over), {}, {}, {}, none));
  };
  for (StringRef name : scalars)
    declare(name, {});
  for (StringRef name : names)
    if (!llvm::is_contained(dims, name))
      declare(name, all);
  return declarations;
}

static void addArguments(Block &block, const Declarations &declarations,
                         Location loc) {
  for (ParamAttr param : declarations.params)
    block.addArgument(ValueType::get(loc.getContext(),
                                     param.getShape().getDims(), Kind::Real),
                      NameLoc::get(param.getName(), loc));
}

namespace {
/// Puts one rule together.
class RuleImporter {
public:
  RuleImporter(const RuleText &text, const RuleTable &table,
               const RecordSource &source, OpBuilder &builder)
      : text(text), table(table), source(source), fields(text.record, source),
        builder(builder), loc(fields.getLoc()) {}

  LogicalResult import(bool passesFirst);

private:
  LogicalResult importDefinition(Region &region, bool passesFirst);
  LogicalResult importDerivative(Region &region);

  const RuleText &text;
  const RuleTable &table;
  const RecordSource &source;
  RecordFields fields;
  OpBuilder &builder;
  Location loc;
  SmallVector<StringRef> operands; // without dims
};
} // namespace

LogicalResult RuleImporter::importDefinition(Region &region, bool passesFirst) {
  if (!text.body && !passesFirst)
    return success();
  ArrayRef<StringRef> names = text.body ? ArrayRef(text.bodyNames) : operands;
  Declarations declarations = declareValues(names, {}, text.dims, builder);
  Block &block = region.emplaceBlock();
  addArguments(block, declarations, loc);
  FormulaImporter formulas(text.record, source, declarations, block,
                           FormulaImporter::Place::Body);
  Value value = block.getArgument(0);
  if (text.body) {
    auto imported =
        formulas.importFormula(text.body, Site{loc}, "", Kind::Real);
    if (failed(imported))
      return failure();
    value = *imported;
  }
  YieldOp::create(formulas.getBuilder(), loc, value,
                  builder.getStrArrayAttr(StringRef("r")));
  return success();
}

LogicalResult RuleImporter::importDerivative(Region &region) {
  auto adjoints = fields.getDags("adjoints");
  auto listed = fields.getStrings("operands");
  if (failed(adjoints) || failed(listed))
    return failure();
  if (adjoints->size() != listed->size())
    return fields.error("adjoints")
           << "the rule of '" << text.name << "' has " << listed->size()
           << " operand(s) and " << adjoints->size() << " adjoint(s)";
  Declarations declarations =
      declareValues(operands, {"g", "r"}, text.dims, builder);
  Block &block = region.emplaceBlock();
  addArguments(block, declarations, loc);
  FormulaImporter formulas(text.record, source, declarations, block,
                           FormulaImporter::Place::Body);
  formulas.keepFunctions(table);
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  Site site{source.locateField(text.record, "adjoints"), &text.record,
            "adjoints"};
  for (auto [name, adjoint] : llvm::zip_equal(*listed, *adjoints)) {
    if (isNone(*adjoint))
      continue;
    auto value = formulas.importFormula(adjoint, site, "", Kind::Real);
    if (failed(value))
      return failure();
    values.push_back(*value);
    names.push_back(name);
  }
  // A rule without any adjoint says so by one that is 0: a yield has a value.
  if (values.empty()) {
    values.push_back(ConstantOp::create(formulas.getBuilder(), loc,
                                        builder.getF64FloatAttr(0)));
    names.push_back(operands.front());
  }
  YieldOp::create(formulas.getBuilder(), loc, values,
                  builder.getStrArrayAttr(names));
  return success();
}

LogicalResult RuleImporter::import(bool passesFirst) {
  auto listed = fields.getStrings("operands");
  if (failed(listed))
    return failure();
  if (passesFirst)
    operands.push_back("value");
  for (StringRef name : *listed)
    if (!llvm::is_contained(text.dims, name))
      operands.push_back(name);
  if (text.body && text.bodyNames.size() != listed->size())
    return fields.error("operands")
           << "'" << text.name << "' has " << text.bodyNames.size()
           << " operand(s), its rule " << listed->size();
  auto rule = RuleOp::create(
      builder, loc, text.name, builder.getStrArrayAttr(operands),
      text.dims.empty() ? ArrayAttr() : builder.getStrArrayAttr(text.dims));
  if (succeeded(importDefinition(rule.getDefinition(), passesFirst)) &&
      succeeded(importDerivative(rule.getDerivative())))
    return success();
  rule.erase();
  return failure();
}

LogicalResult lossgrad::importRule(const RuleText &text, const RuleTable &table,
                                   const RecordSource &source,
                                   OpBuilder &builder, bool passesFirst) {
  return RuleImporter(text, table, source, builder).import(passesFirst);
}

LogicalResult RuleTable::import(const RecordSource &source,
                                OpBuilder &builder) const {
  for (const Record *op : order) {
    FailureOr<FormulaOperator> known = readFormulaOperator(*op, source);
    if (failed(known))
      return failure();
    StringRef name = known->name;
    if (!known->body) // `lossgrad.exp` is `exp`
      name = StringRef(known->mlirOp).split('.').second;
    RuleText text{*rules.at(op), name.str(), known->body, known->names,
                  known->dims};
    if (failed(importRule(text, *this, source, builder)))
      return failure();
  }
  return success();
}
