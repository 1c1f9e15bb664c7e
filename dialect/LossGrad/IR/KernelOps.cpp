//===- KernelOps.cpp - Text and verifiers of variants and kernels ---------===//
//
// Level 2 of the dialect: parsing and printing of ops with a body, and what
// can be verified about them. What schedules mean is in docs/schedule.md.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Syntax.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::detail;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

ParseResult lossgrad::detail::parseNamedBody(OpAsmParser &parser,
                                             Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColon() ||
        parseShortType(parser, argument.type))
      return failure();
    StringRef name = argument.ssaName.name.drop_front();
    argument.sourceLoc =
        NameLoc::get(StringAttr::get(parser.getContext(), name),
                     parser.getEncodedSourceLoc(argument.ssaName.location));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseRegion(region, arguments))
    return failure();
  if (region.empty())
    region.emplaceBlock();
  return success();
}

void lossgrad::detail::printNamedBody(OpAsmPrinter &printer, Region &region) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer << argument << ": ";
                          printShortType(printer, argument.getType());
                        });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

void lossgrad::detail::nameArguments(Region &region,
                                     OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (StringRef name = getValueName(argument); !name.empty())
      setName(argument, name);
}

ParseResult lossgrad::detail::parseOptionalNames(OpAsmParser &parser,
                                                 StringRef keyword,
                                                 ArrayAttr &names) {
  names = ArrayAttr::get(parser.getContext(), {});
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseNameArray(parser, names);
}

void lossgrad::detail::printOptionalNames(OpAsmPrinter &printer,
                                          StringRef keyword, ArrayAttr names) {
  if (!names || names.empty())
    return;
  printer << ' ' << keyword << ' ';
  printNameArray(printer, names);
}

template <typename OpTy> static OperatorOp lookUpOperator(OpTy op) {
  return SymbolTable::lookupNearestSymbolFrom<OperatorOp>(
      op->getParentOp(), op.getOperator_Attr());
}

template <typename OpTy> static OpTy terminator(Region &region) {
  Block &block = region.front();
  return block.empty() ? OpTy() : dyn_cast<OpTy>(block.back());
}

static LogicalResult verifyEndsInYield(Operation *op, Region &body) {
  if (terminator<YieldOp>(body))
    return success();
  return op->emitOpError("ends its body without a lossgrad.yield");
}

//===----------------------------------------------------------------------===//
// VariantOp
//===----------------------------------------------------------------------===//

OperatorOp VariantOp::getOperator() { return lookUpOperator(*this); }
YieldOp VariantOp::getYield() { return terminator<YieldOp>(getBody()); }
HoldsOp VariantOp::getHolds() { return terminator<HoldsOp>(getCondition()); }
StringRef VariantOp::getDefaultDialect() { return "lossgrad"; }

SmallVector<StringAttr> VariantOp::getDimsOf(ParamAttr param) {
  if (llvm::is_contained(getOneElement().getAsRange<StringAttr>(),
                         param.getName()))
    return {};
  OperatorOp op = getOperator();
  SmallVector<StringAttr> dims(param.getShape().getDims());
  for (auto name : getWhole().getAsRange<StringAttr>())
    llvm::replace(dims, name, op.findDim(name).getRefs()[0]);
  for (auto name : getSplit().getAsRange<StringAttr>()) {
    DimAttr part = op.findDim(name);
    StringAttr *pack = llvm::find(dims, part.getRefs()[0]);
    if (pack == dims.end())
      continue;
    // The tensor that was broadcast has the part alone.
    if (part.getRefs()[1] == param.getName())
      *pack = name;
    else
      dims.push_back(name);
  }
  op.sortDims(dims);
  return dims;
}

void VariantOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

ParseResult VariantOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *condition = state.addRegion();
  Region *body = state.addRegion();
  ArrayAttr families;
  auto parseOptionalText = [&](StringRef keyword, StringAttr &text) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return ParseResult(success());
    return parser.parseAttribute(text);
  };
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseKeyword("of") ||
      parser.parseAttribute(properties.operator_) ||
      parseOptionalNames(parser, "one_element", properties.one_element) ||
      parseOptionalNames(parser, "whole", properties.whole) ||
      parseOptionalNames(parser, "split", properties.split) ||
      parseOptionalNames(parser, "families", families) ||
      parseOptionalText("base", properties.base) ||
      parseOptionalText("title", properties.title) ||
      parseOptionalText("occasion", properties.occasion) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseKeyword("when") || parser.parseRegion(*condition) ||
      parser.parseKeyword("body") || parseNamedBody(parser, *body))
    return failure();
  if (!families.empty())
    properties.families = families;
  if (condition->empty())
    condition->emplaceBlock();
  return success();
}

void VariantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " of " << getOperator_Attr();
  printOptionalNames(printer, "one_element", getOneElement());
  printOptionalNames(printer, "whole", getWhole());
  printOptionalNames(printer, "split", getSplit());
  printOptionalNames(printer, "families", getFamiliesAttr());
  auto printOptionalText = [&](StringRef keyword, StringAttr text) {
    if (text)
      printer << ' ' << keyword << ' ' << text;
  };
  printOptionalText("base", getBaseAttr());
  printOptionalText("title", getTitleAttr());
  printOptionalText("occasion", getOccasionAttr());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer.increaseIndent();
  printer.printNewline();
  printer << "when ";
  printer.printRegion(getCondition(), /*printEntryBlockArgs=*/false);
  printer.printNewline();
  printer << "body";
  printNamedBody(printer, getBody());
  printer.decreaseIndent();
}

LogicalResult VariantOp::verifyRegions() {
  if (!getHolds())
    return emitOpError("ends its condition without a lossgrad.holds");
  if (getBase() && !getFamilies())
    return emitOpError("has a base, but no element types of its own");
  return verifyEndsInYield(*this, getBody());
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

OperatorOp KernelOp::getOperator() { return lookUpOperator(*this); }
StringRef KernelOp::getDefaultDialect() { return "lossgrad"; }
void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

/// `3 bfloat16`, without the brackets of the generic form.
static void printKey(AsmPrinter &printer, KeyAttr key) {
  printer << key.getKey();
  if (key.getDtype() != DType::Undefined)
    printer << ' ' << stringifyDType(key.getDtype());
}

/// `[1 float16, 2 bfloat16]`
static ParseResult parseKeys(OpAsmParser &parser, ArrayAttr &keys) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    Attribute key = KeyAttr::parse(parser, Type());
    list.push_back(key);
    return success(static_cast<bool>(key));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  keys = ArrayAttr::get(parser.getContext(), list);
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *body = state.addRegion();
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseKeyword("of") ||
      parser.parseAttribute(properties.operator_) ||
      parser.parseKeyword("families") ||
      parseNameArray(parser, properties.families) ||
      parser.parseKeyword("keys") || parseKeys(parser, properties.keys) ||
      parser.parseKeyword("space") ||
      parser.parseCustomAttributeWithFallback(properties.space))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("any_layout")))
    properties.any_layout = UnitAttr::get(parser.getContext());
  return failure(parser.parseKeyword("when") ||
                 parser.parseAttribute(properties.when) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parseNamedBody(parser, *body));
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " of " << getOperator_Attr() << " families ";
  printNameArray(printer, getFamilies());
  printer << " keys [";
  llvm::interleaveComma(getKeys().getAsRange<KeyAttr>(), printer,
                        [&](KeyAttr key) { printKey(printer, key); });
  printer << "] space ";
  getSpace().print(printer);
  if (getAnyLayout())
    printer << " any_layout";
  printer << " when " << getWhenAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printNamedBody(printer, getBody());
}

LogicalResult KernelOp::verifyRegions() {
  if (getKeys().empty())
    return emitOpError("has no tiling key");
  llvm::SmallSet<int64_t, 8> seen;
  for (KeyAttr key : getKeys().getAsRange<KeyAttr>())
    if (!seen.insert(key.getKey()).second)
      return emitOpError() << "has the tiling key " << key.getKey() << " twice";
  for (BlockArgument argument : getBody().getArguments()) {
    auto type = dyn_cast<ValueType>(argument.getType());
    if (!type || !type.getDims().empty())
      return emitOpError() << "takes uniform values, found "
                           << argument.getType();
  }
  bool stores = false;
  for (Operation &op : getBody().front()) {
    if (isa<ConstantOp>(op))
      continue;
    auto sweep = dyn_cast<SweepOp>(op);
    if (!sweep)
      return op.emitOpError("stands in a kernel outside of a sweep");
    stores |= sweep.getEnd() && !sweep.getEnd().getStored().empty();
  }
  if (!stores)
    return emitOpError("has no sweep that stores a result");
  return success();
}

//===----------------------------------------------------------------------===//
// SweepOp
//===----------------------------------------------------------------------===//

EndOp SweepOp::getEnd() { return terminator<EndOp>(getBody()); }
StringRef SweepOp::getDefaultDialect() { return "lossgrad"; }
void SweepOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  nameArguments(region, setName);
}

bool SweepOp::walksReduced() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  SpaceAxisAttr reduced = kernel.getSpace().getReduced();
  if (!reduced)
    return false;
  auto hasReduced = [&](Type type) {
    return llvm::any_of(cast<ValueType>(type).getDims(),
                        [&](StringAttr dim) { return reduced.has(dim); });
  };
  // A table is looked up in, not walked over.
  for (auto [type, access] :
       llvm::zip_equal(getBody().getArgumentTypes(),
                       getAccesses().getAsRange<AccessAttr>()))
    if (access.getValue() != Access::Table && hasReduced(type))
      return true;
  // What is the same along them may be stored all along.
  OperatorOp op = kernel.getOperator();
  return llvm::any_of(getEnd().getOutputs().getAsRange<StringAttr>(),
                      [&](StringAttr name) {
                        ParamAttr output = op.findParam(name);
                        return llvm::any_of(
                            output.getShape().getDims(),
                            [&](StringAttr dim) { return reduced.has(dim); });
                      }) ||
         llvm::any_of(getEnd().getStored().getTypes(), hasReduced) ||
         llvm::any_of(getEnd().getReduced().getTypes(), hasReduced);
}

bool SweepOp::isPerLaunch() {
  EndOp end = getEnd();
  return end && !end.getReduced().empty() &&
         llvm::all_of(
             getResults().take_front(end.getReduced().size()),
             [](Value result) {
               return cast<ValueType>(result.getType()).getDims().empty();
             });
}

ParseResult SweepOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Region *body = state.addRegion();
  SmallVector<Attribute> names, accesses;
  auto parseRead = [&]() -> ParseResult {
    StringAttr name;
    StringRef keyword;
    SMLoc loc;
    if (parseName(parser, name) || parser.getCurrentLocation(&loc) ||
        parser.parseKeyword(&keyword))
      return failure();
    std::optional<Access> access = symbolizeAccess(keyword);
    if (!access)
      return parser.emitError(loc)
             << "expected stream, resident, element, table, keep or kept, "
                "found '"
             << keyword << "'";
    names.push_back(name);
    accesses.push_back(AccessAttr::get(parser.getContext(), *access));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("if"))) {
    OpAsmParser::UnresolvedOperand guard;
    if (parser.parseOperand(guard) ||
        parser.resolveOperand(guard,
                              ValueType::get(parser.getContext(), Kind::Bool),
                              state.operands))
      return failure();
  }
  if (parser.parseKeyword("reads") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRead) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parseNamedBody(parser, *body) ||
      parser.parseOptionalArrowTypeList(state.types))
    return failure();
  properties.inputs = ArrayAttr::get(parser.getContext(), names);
  properties.accesses = ArrayAttr::get(parser.getContext(), accesses);
  return success();
}

void SweepOp::print(OpAsmPrinter &printer) {
  if (getGuard())
    printer << " if " << getGuard();
  printer << " reads [";
  llvm::interleaveComma(llvm::zip_equal(getInputs().getAsRange<StringAttr>(),
                                        getAccesses().getAsRange<AccessAttr>()),
                        printer, [&](auto read) {
                          auto [name, access] = read;
                          printName(printer, name.getValue());
                          printer << ' ' << stringifyAccess(access.getValue());
                        });
  printer << ']';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printNamedBody(printer, getBody());
  printer.printOptionalArrowTypeList(getResultTypes());
}

LogicalResult SweepOp::verifyRegions() {
  if (getInputs().size() != getBody().getNumArguments() ||
      getAccesses().size() != getInputs().size())
    return emitOpError() << "names " << getInputs().size()
                         << " input(s) but its body has "
                         << getBody().getNumArguments() << " argument(s)";
  EndOp end = getEnd();
  if (!end)
    return emitOpError("ends its body without a lossgrad.end");
  if (end.getOutputs().size() != end.getStored().size())
    return end.emitOpError()
           << "names " << end.getOutputs().size() << " output(s) but stores "
           << end.getStored().size() << " value(s)";
  if (end.getKinds().size() != end.getReduced().size())
    return end.emitOpError()
           << "has " << end.getKinds().size() << " kind(s) for "
           << end.getReduced().size() << " reduction(s)";
  if (getNumResults() != end.getReduced().size() + end.getKept().size())
    return emitOpError() << "has " << getNumResults()
                         << " result(s) but hands on "
                         << end.getReduced().size() + end.getKept().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Spaces and keys
//===----------------------------------------------------------------------===//

Attribute KeyAttr::parse(AsmParser &parser, Type) {
  bool bracketed = succeeded(parser.parseOptionalLess());
  int64_t key = 0;
  DType dtype = DType::Undefined;
  if (parser.parseInteger(key))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    std::optional<DType> known = symbolizeDType(word);
    if (!known)
      return parser.emitError(loc)
                 << "expected an element type, found '" << word << "'",
             Attribute();
    dtype = *known;
  }
  if (bracketed && parser.parseGreater())
    return {};
  return get(parser.getContext(), key, dtype);
}

void KeyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printKey(printer, *this);
  printer << '>';
}

Attribute SpaceAxisAttr::parse(AsmParser &parser, Type) {
  bool isReduced = succeeded(parser.parseOptionalKeyword("reduces"));
  SmallVector<StringAttr> dims;
  AxisRole roles = AxisRole();
  if (parser.parseLSquare() || parser.parseCommaSeparatedList([&] {
        return parseName(parser, dims.emplace_back());
      }) ||
      parser.parseColon() || parser.parseCommaSeparatedList([&]() {
        StringRef word;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseKeyword(&word))
          return ParseResult(failure());
        std::optional<AxisRole> role = symbolizeAxisRole(word);
        if (!role)
          return ParseResult(parser.emitError(loc)
                             << "expected core, outer, row or lane, found '"
                             << word << "'");
        roles = roles | *role;
        return ParseResult(success());
      }) ||
      parser.parseRSquare())
    return {};
  return get(parser.getContext(), dims, roles, isReduced);
}

void SpaceAxisAttr::print(AsmPrinter &printer) const {
  if (getIsReduced())
    printer << "reduces ";
  printer << '[';
  llvm::interleaveComma(getDims(), printer, [&](StringAttr dim) {
    printName(printer, dim.getValue());
  });
  printer << ": " << stringifyAxisRole(getRoles()) << ']';
}

LogicalResult SpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<SpaceAxisAttr> axes) {
  unsigned kept = 0, reduced = 0, lanes = 0, rows = 0;
  bool isPacked = false; // kept dims along both
  for (SpaceAxisAttr axis : axes) {
    ++(axis.getIsReduced() ? reduced : kept);
    lanes += axis.is(AxisRole::Lane);
    rows += axis.is(AxisRole::Row) && !axis.is(AxisRole::Lane);
    isPacked |= axis.is(AxisRole::Row) && axis.is(AxisRole::Lane) &&
                !axis.getIsReduced();
  }
  if (kept > 1 || reduced > 1)
    return emitError() << "a space has one axis of kept dims and one of "
                          "reduced ones at most";
  if (lanes != 1 && !(lanes == 2 && isPacked))
    return emitError() << "a space has one axis along the lanes, found "
                       << lanes;
  if (rows > 1)
    return emitError() << "a space has at most one further axis along the rows";
  for (SpaceAxisAttr axis : axes)
    if (lanes == 2 && axis.getIsReduced() && axis.getRoles() != AxisRole::Lane)
      return emitError() << "what a packed tile reduces lies along its lanes "
                            "and nowhere else";
  return success();
}

static SpaceAxisAttr findAxis(SpaceAttr space, bool isReduced) {
  for (SpaceAxisAttr axis : space.getAxes())
    if (axis.getIsReduced() == isReduced)
      return axis;
  return {};
}
SpaceAxisAttr SpaceAttr::getKept() const { return findAxis(*this, false); }
SpaceAxisAttr SpaceAttr::getReduced() const { return findAxis(*this, true); }
bool SpaceAttr::walks() const {
  return getReduced() && getReduced().is(AxisRole::Outer);
}
bool SpaceAttr::isSplit() const {
  return getReduced() && getReduced().is(AxisRole::Core) && !takesSingleRows();
}
bool SpaceAttr::takesSingleRows() const {
  return getReduced() && getReduced().is(AxisRole::Core) && getKept() &&
         getKept().is(AxisRole::Core);
}
bool SpaceAttr::isPacked() const {
  return getReduced() && getReduced().is(AxisRole::Lane) && getKept() &&
         getKept().is(AxisRole::Lane);
}
static std::optional<bool> isReducedAlong(SpaceAttr space, AxisRole role) {
  for (SpaceAxisAttr axis : space.getAxes())
    if (axis.is(role))
      return axis.getIsReduced();
  return std::nullopt;
}
std::optional<bool> SpaceAttr::areLanesReduced() const {
  if (isPacked())
    return true;
  return isReducedAlong(*this, AxisRole::Lane);
}
std::optional<bool> SpaceAttr::areRowsReduced() const {
  return isReducedAlong(*this, AxisRole::Row);
}
bool SpaceAttr::isFlat() const {
  return getAxes().size() == 1 && !getAxes().front().is(AxisRole::Row);
}

LogicalResult TilingRunsOp::verify() {
  if (getDims().size() != getRanks().size())
    return emitOpError() << "has " << getDims().size() << " dim(s) but "
                         << getRanks().size() << " rank(s)";
  return success();
}

LogicalResult TilingPlanOp::verify() {
  if (getRows().empty())
    return emitOpError("has no kernel to try");
  if (!getTerms().empty() && getTerms().size() != 4 * getRows().size())
    return emitOpError() << "has " << getTerms().size() << " term(s) for "
                         << getRows().size()
                         << " row(s), expected four per row";
  llvm::SmallSet<int64_t, 32> keys;
  for (PlanRowAttr row : getRows().getAsRange<PlanRowAttr>())
    if (!keys.insert(row.getKey()).second)
      return emitOpError() << "has the tiling key " << row.getKey() << " twice";
  return success();
}
