//===- Composition.cpp - Bodies made of other operators -------------------===//
//
// The ops of a part are copied one by one: dims take the names that they have
// here, inputs the values of the arguments, and questions about the call are
// asked about what stands for a parameter here. Nothing is simplified.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Composition.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

static ValueType typeOf(Value value) {
  return cast<ValueType>(value.getType());
}

FailureOr<SmallVector<const Record *>>
lossgrad::getPartOperators(const Record &record, const RecordSource &source) {
  auto parts = RecordFields(record, source).getDefs("parts");
  if (failed(parts))
    return failure();
  SmallVector<const Record *> operators;
  for (const Record *part : *parts) {
    auto op = RecordFields(*part, source).getDef("operator");
    if (failed(op))
      return failure();
    if (!llvm::is_contained(operators, *op))
      operators.push_back(*op);
  }
  return operators;
}

namespace {
/// Copies the body of one part.
class PartImporter {
public:
  PartImporter(const Record &record, const Record &part, OperatorOp op,
               const RecordSource &source, const Declarations &own,
               FormulaImporter &formulas, Block &block)
      : record(record), of(part, source), op(op), source(source), own(own),
        formulas(formulas), builder(formulas.getBuilder()), block(block) {}

  LogicalResult import();

private:
  LogicalResult readDims();
  LogicalResult readArguments();
  LogicalResult bindInput(ParamAttr param, BlockArgument argument);
  LogicalResult copy(Operation &each);
  LogicalResult copyQuery(Operation &each, StringRef name);
  LogicalResult bindResults();

  SmallVector<StringAttr> rename(ArrayRef<StringAttr> names) const;
  ValueType rename(ValueType type) const;
  /// The number of elements of dims here, as an int.
  Value countElements(ArrayRef<StringAttr> dims, Location loc);
  InFlightDiagnostic error(StringRef token = "") {
    return emitError(token.empty()
                         ? source.locateField(record, "parts")
                         : source.locateInField(record, "parts", token))
           << "in the part '" << op.getSymName() << "': ";
  }

  const Record &record;
  RecordFields of;
  OperatorOp op;
  const RecordSource &source;
  const Declarations &own;
  FormulaImporter &formulas;
  OpBuilder &builder;
  Block &block;
  llvm::DenseMap<StringAttr, SmallVector<StringAttr, 1>> dims;
  llvm::StringMap<const llvm::Init *> arguments;
  IRMapping mapping;
};
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

LogicalResult PartImporter::readDims() {
  auto list = of.getDefs("dims");
  if (failed(list))
    return failure();
  for (const Record *as : *list) {
    RecordFields fields(*as, source);
    auto dim = fields.getString("dim");
    auto here = fields.getStrings("here");
    if (failed(dim) || failed(here))
      return failure();
    std::string token = ("\"" + *dim + "\"").str();
    DimAttr theirs = op.findDim(*dim);
    if (!theirs)
      return error(token) << "it has no dim '" << *dim << "'";
    if (!theirs.isPack() && here->size() != 1)
      return error(token) << "'" << *dim << "' is one axis, not "
                          << here->size();
    SmallVector<StringAttr, 1> &names = dims[theirs.getName()];
    for (StringRef name : *here)
      names.push_back(builder.getStringAttr(name));
  }
  for (auto theirs : op.getDims().getAsRange<DimAttr>()) {
    auto [it, isNew] = dims.try_emplace(theirs.getName());
    if (isNew)
      it->second.push_back(theirs.getName());
    for (StringAttr name : it->second) {
      DimAttr here = own.findDim(name);
      if (!here)
        return error() << "its dim '" << theirs.getName().getValue() << "' is '"
                       << name.getValue()
                       << "' here, which is not declared; say what it is with "
                          "As<\""
                       << theirs.getName().getValue() << "\", [...]>";
      // One axis is one axis, wherever it stands.
      bool fits = theirs.isPack() || !here.isPack();
      if (theirs.getKind() == DimKind::Broadcast ||
          theirs.getKind() == DimKind::Part)
        fits = here.getKind() == theirs.getKind();
      if (!fits)
        return error() << "its dim '" << theirs.getName().getValue()
                       << "' is of another kind than '" << name.getValue()
                       << "' here";
    }
  }
  return success();
}

SmallVector<StringAttr> PartImporter::rename(ArrayRef<StringAttr> names) const {
  SmallVector<StringAttr> here;
  for (DimAttr dim : own.dims)
    if (llvm::any_of(names, [&](StringAttr name) {
          return llvm::is_contained(dims.at(name), dim.getName());
        }))
      here.push_back(dim.getName());
  return here;
}

ValueType PartImporter::rename(ValueType type) const {
  return ValueType::get(type.getContext(), rename(type.getDims()),
                        type.getKind());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult PartImporter::readArguments() {
  auto dag = of.getDag("arguments");
  if (failed(dag))
    return failure();
  for (unsigned i = 0, e = (*dag)->getNumArgs(); i != e; ++i) {
    StringRef name = (*dag)->getArgNameStr(i);
    ParamAttr param = op.findParam(name);
    if (!param || param.getRole() == Role::Out) {
      InFlightDiagnostic diagnostic = error(("$" + name).str());
      diagnostic << "'" << name << "' is not an input or attribute of it";
      SmallVector<StringRef> names;
      for (auto each : op.getParams().getAsRange<ParamAttr>())
        if (each.getRole() != Role::Out)
          names.push_back(each.getName());
      suggest(diagnostic, name, names);
      return diagnostic;
    }
    arguments[name] = (*dag)->getArg(i);
  }
  unsigned index = 0;
  for (ParamAttr param : op.getInputs())
    if (failed(bindInput(param, op.getBody().getArgument(index++))))
      return failure();
  return success();
}

LogicalResult PartImporter::bindInput(ParamAttr param, BlockArgument argument) {
  StringRef name = param.getName();
  const llvm::Init *formula = arguments.lookup(name);
  ParamAttr same = own.findParam(name);
  if (!formula && !(same && same.isInput())) {
    if (argument.use_empty() || param.getRole() == Role::Optional)
      return success();
    return error() << "nothing says what its input '" << name
                   << "' is; add it to args, or declare it here";
  }
  Value value;
  if (formula) {
    Site site{source.locateInField(record, "parts", ("$" + name).str()),
              &record, "parts"};
    auto imported = formulas.importFormula(formula, site, "", param.getKind());
    if (failed(imported))
      return failure();
    value = *imported;
  } else {
    unsigned index = 0;
    for (ParamAttr each : own.params) {
      if (each == same)
        break;
      index += each.isInput();
    }
    value = block.getArgument(index);
  }
  ValueType wanted = rename(typeOf(argument));
  if (typeOf(value) != wanted)
    return error(("$" + name).str())
           << "its input '" << name << "' is " << toString(wanted)
           << " here, the argument " << toString(typeOf(value));
  mapping.map(argument, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value PartImporter::countElements(ArrayRef<StringAttr> names, Location loc) {
  Value count;
  for (StringAttr name : rename(names)) {
    Value one = NumelOp::create(builder, loc, name);
    count = count ? MulOp::create(builder, loc, count, one).getResult() : one;
  }
  return count ? count
               : ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1))
                     .getResult();
}

/// Questions about a tensor or dim.
LogicalResult PartImporter::copyQuery(Operation &each, StringRef name) {
  StringAttr attr = builder.getStringAttr(name);
  Location loc = each.getLoc();
  Value answer;
  if (op.findDim(attr)) {
    ArrayRef<StringAttr> here = dims.at(attr);
    if (isa<NumelOp>(each))
      answer = countElements(attr, loc);
    else if (here.size() != 1)
      return error() << "it asks for '" << each.getName().stripDialect()
                     << "' of its dim '" << name << "', which is "
                     << here.size() << " dims here";
    else
      attr = here[0];
  } else {
    ParamAttr param = op.findParam(attr);
    SmallVector<ParamAttr> inputs = op.getInputs();
    unsigned index = llvm::find(inputs, param) - inputs.begin();
    Value value = mapping.lookupOrNull(op.getBody().getArgument(index));
    auto input = dyn_cast_or_null<BlockArgument>(value);
    if (isa<PresentOp>(each) && !input)
      answer = ConstantOp::create(builder, loc, builder.getBoolAttr(!!value));
    else if (isa<NumelOp>(each) && !input &&
             !param.getShape().getConditionName())
      answer = countElements(param.getShape().getDims(), loc);
    else if (!input)
      return error() << "it asks for '" << each.getName().stripDialect()
                     << "' of its input '" << name
                     << "', which is not a parameter here";
    else
      attr = builder.getStringAttr(getValueName(input));
  }
  if (!answer) {
    Operation *copied = builder.clone(each, mapping);
    copied->setAttr("name", attr);
    answer = copied->getResult(0);
    answer.setType(rename(typeOf(answer)));
  }
  mapping.map(each.getResult(0), answer);
  return success();
}

LogicalResult PartImporter::copy(Operation &each) {
  if (auto attribute = dyn_cast<AttributeOp>(each)) {
    ParamAttr theirs = op.findParam(attribute.getName());
    if (const llvm::Init *formula = arguments.lookup(attribute.getName())) {
      Site site{source.locateInField(record, "parts",
                                     ("$" + attribute.getName()).str()),
                &record, "parts"};
      auto value = formulas.importFormula(formula, site, "", theirs.getKind());
      if (failed(value))
        return failure();
      mapping.map(attribute.getResult(), *value);
      return success();
    }
    ParamAttr here = own.findParam(attribute.getName());
    if (!here || here.getRole() != Role::Attr ||
        here.getKind() != theirs.getKind() ||
        here.getChoices() != theirs.getChoices())
      return error() << "nothing says what its attribute '"
                     << attribute.getName()
                     << "' is; add it to args, or declare it here as it is "
                        "declared there";
    builder.clone(each, mapping);
    return success();
  }
  if (isa<PresentOp, NumelOp, RankOp, ExtentOp, IotaOp>(each))
    return copyQuery(each, each.getAttrOfType<StringAttr>("name").getValue());
  // What an absent input would be chosen for is not computed.
  if (auto select = dyn_cast<SelectOp>(each)) {
    BoolAttr known;
    if (auto constant = mapping.lookupOrDefault(select.getCondition())
                            .getDefiningOp<ConstantOp>())
      known = dyn_cast<BoolAttr>(constant.getValue());
    Value chosen = known && known.getValue() ? select.getTrueValue()
                                             : select.getFalseValue();
    if (known && typeOf(chosen) == typeOf(select.getResult())) {
      mapping.map(select.getResult(), mapping.lookupOrDefault(chosen));
      return success();
    }
  }
  for (Value operand : each.getOperands())
    if (!mapping.contains(operand))
      return success(); // of an input that is not there; see bindResults
  Operation *copied = builder.clone(each, mapping);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](StringAttr text) -> std::optional<Attribute> {
    auto it = dims.find(text);
    if (it == dims.end() || it->second.size() != 1)
      return std::nullopt;
    return Attribute(it->second[0]);
  });
  replacer.addReplacement(
      [&](ArrayAttr list) -> std::optional<std::pair<Attribute, WalkResult>> {
        SmallVector<StringAttr> names;
        for (Attribute element : list) {
          auto name = dyn_cast<StringAttr>(element);
          if (!name || !dims.contains(name))
            return std::nullopt;
          names.push_back(name);
        }
        SmallVector<Attribute> here(llvm::map_range(
            rename(names), [](StringAttr name) { return Attribute(name); }));
        return std::pair(Attribute(builder.getArrayAttr(here)),
                         WalkResult::skip());
      });
  replacer.replaceElementsIn(copied);
  copied->getResult(0).setType(rename(typeOf(each.getResult(0))));
  return success();
}

LogicalResult PartImporter::bindResults() {
  auto results = of.getStrings("results");
  if (failed(results))
    return failure();
  YieldOp yield = op.getYield();
  if (results->size() != yield.getValues().size())
    return error() << "it has " << yield.getValues().size()
                   << " output(s), for which there are " << results->size()
                   << " name(s)";
  for (auto [name, value] : llvm::zip_equal(*results, yield.getValues())) {
    Value here = mapping.lookupOrNull(value);
    if (!here)
      return error() << "it needs an optional input that nothing stands for "
                        "here; add it to args";
    if (own.findParam(name) || own.findDim(name) || own.isLet(name))
      return error(("\"" + name + "\"").str())
             << "its result is called '" << name << "', which is taken";
    if (Operation *made = here.getDefiningOp())
      made->setLoc(NameLoc::get(builder.getStringAttr(name),
                                source.locateField(record, "parts")));
    formulas.bind(name, here);
  }
  return success();
}

LogicalResult PartImporter::import() {
  if (failed(readDims()) || failed(readArguments()))
    return failure();
  for (Operation &each : op.getBody().front().without_terminator())
    if (failed(copy(each)))
      return failure();
  return bindResults();
}

LogicalResult lossgrad::importParts(const Record &record,
                                    const RecordSource &source,
                                    const Declarations &declarations,
                                    FormulaImporter &formulas, Block &block,
                                    ModuleOp module) {
  auto parts = RecordFields(record, source).getDefs("parts");
  if (failed(parts))
    return failure();
  for (const Record *part : *parts) {
    auto def = RecordFields(*part, source).getDef("operator");
    if (failed(def))
      return failure();
    auto function = RecordFields(**def, source).getString("function");
    if (failed(function))
      return failure();
    auto op = module.lookupSymbol<OperatorOp>(*function);
    if (!op)
      return emitError(source.locateField(record, "parts"))
             << "the part '" << *function << "' is no operator";
    if (failed(PartImporter(record, *part, op, source, declarations, formulas,
                            block)
                   .import()))
      return failure();
  }
  return success();
}
