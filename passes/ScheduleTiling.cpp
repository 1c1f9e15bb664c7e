//===- ScheduleTiling.cpp - The host side of schedules --------------------===//
//
// Builds the tiling struct and the tiling function of an operator: which
// variant, which element types, which schedule, how large a tile, and the
// uniform values in float64. What does not depend on the operator (collapsing
// axes, dealing work to cores) is called by symbol; the emitted helper header
// has it.
//
//===----------------------------------------------------------------------===//

#include "passes/FormulaText.h"
#include "passes/Schedules.h"
#include "passes/UniformToArith.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Tiling struct
//===----------------------------------------------------------------------===//

namespace {

/// The members of the tiling struct, each once.
class StructBuilder {
public:
  StructBuilder(OperatorOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(withoutName(op.getLoc())) {}

  void build(ArrayRef<ScheduledArch> archs);

private:
  void member(StringRef name, Type type, StringRef doc, int64_t array = 0,
              int64_t multiple = 0) {
    ascendc::TilingMemberOp::create(
        builder, loc, name, type,
        array ? builder.getI64IntegerAttr(array) : IntegerAttr(),
        multiple ? builder.getI64IntegerAttr(multiple) : IntegerAttr(),
        builder.getStringAttr(doc));
  }
  void buildShape();
  void buildCoefficients(ArrayRef<ScheduledArch> archs);

  OperatorOp op;
  OpBuilder &builder;
  Location loc;
};

} // namespace

/// What does not depend on the formula; 64-bit members first, so that nothing
/// is padded.
void StructBuilder::buildShape() {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  int64_t count = getPackTensors(op).size();
  member(member::kElements, i64, "flat: elements of the output");
  member(member::kCoreLength, i64,
         "work of each core: elements (flat) or tiles (broadcast)");
  member(member::kExtraCores, i64,
         "cores that get one granule (flat) or one tile (broadcast) more");
  member(member::kRowBlocks, i64, "broadcast: tiles along the rows");
  member(member::kLaneBlocks, i64, "broadcast: tiles along the lanes");
  member(member::kExtents, i64, "broadcast: outer axes, rows, lanes", kAxes);
  member(member::kStrides, i64,
         "broadcast: elements between neighbours, by tensor and axis",
         kAxes * count);
  member(member::kTileLength, i32, "elements of a tile in UB", 0, kGranule);
  member(member::kRowTile, i32, "broadcast: rows of a tile");
  member(member::kLaneTile, i32, "broadcast: lanes of a tile");
  member(member::kFirstAxis, i32, "broadcast: first outer axis that is there");
  member(member::kBypassL2, i32, "flat: 1 if inputs are read past L2");
  member(member::kForms, i32,
         "broadcast: how each tensor lies in a tile, see LoadForm", count);
}

/// Named values on the way to `value` that several others are computed from
/// and neither the formula nor a member explains, the nearest first.
static void collectUnexplained(Value value, const llvm::StringSet<> &names,
                               llvm::MapVector<StringRef, Value> &unexplained) {
  for (Value operand : value.getDefiningOp()->getOperands()) {
    StringRef name = getValueName(operand);
    Operation *op = operand.getDefiningOp();
    if (names.contains(name) || isa<ConstantOp, AttributeOp>(op))
      continue;
    if (!name.empty() && !operand.hasOneUse())
      unexplained.insert({name, operand});
    collectUnexplained(operand, names, unexplained);
  }
}

/// Uniform values of the formula: numbers in float32, conditions as 0 or 1.
void StructBuilder::buildCoefficients(ArrayRef<ScheduledArch> archs) {
  llvm::MapVector<StringRef, Value> coefficients;
  for (const ScheduledArch &arch : archs)
    for (const ScheduledVariant &variant : arch.variants)
      for (auto &[name, value] : variant.uniforms)
        coefficients.insert({name, value});
  llvm::StringSet<> names = getFormulaNames(op);
  for (auto &[name, value] : coefficients)
    names.insert(name);
  for (auto &[name, value] : coefficients) {
    // A step on the way is explained where it is met first.
    llvm::MapVector<StringRef, Value> steps;
    collectUnexplained(value, names, steps);
    for (auto &[step, definition] : steps)
      names.insert(step);
    bool isBool = cast<ValueType>(value.getType()).getKind() == Kind::Bool;
    std::string doc = (isBool ? "1 if " : "") + getDefinition(value, names);
    for (auto &[step, definition] : steps)
      doc += "; " + step.str() + " = " + getDefinition(definition, names);
    member(name, isBool ? builder.getI32Type() : Type(builder.getF32Type()),
           doc);
  }
}

void StructBuilder::build(ArrayRef<ScheduledArch> archs) {
  auto structOp =
      ascendc::TilingStructOp::create(builder, loc, tilingStructName(op));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&structOp.getBody().emplaceBlock());
  buildShape();
  bool hasRunTimeTypes = llvm::any_of(
      archs, [](const ScheduledArch &arch) { return arch.hasRunTimeTypes(); });
  if (hasRunTimeTypes)
    for (ParamAttr tensor : getPackTensors(op))
      member(dtypeMember(tensor.getName()), builder.getI32Type(),
             "element type: 0 float, 1 half, 2 bfloat16_t");
  buildCoefficients(archs);
}

//===----------------------------------------------------------------------===//
// Which variant
//===----------------------------------------------------------------------===//

namespace {

/// Chooses values by variant. The conditions of variants are conjunctions of
/// the same few questions, so choices are trees of those questions.
class VariantChoice {
public:
  VariantChoice(ArrayRef<ScheduledVariant> variants, UniformToArith &uniforms,
                OpBuilder &builder, Location loc);

  using ValueOf = function_ref<Value(const ScheduledVariant &)>;
  /// The value of the variant that holds; null values do not matter.
  Value choose(ValueOf value, StringRef name);

private:
  /// A question, and the answer to it in a variant.
  struct Literal {
    Value question;
    bool answer;
  };
  void addLiterals(Value condition, bool answer,
                   SmallVectorImpl<Literal> &literals);
  std::optional<bool> answerOf(size_t variant, Value question) const;
  Value choose(ArrayRef<size_t> which, SmallVectorImpl<Value> &asked,
               ArrayRef<Value> values);

  ArrayRef<ScheduledVariant> variants;
  UniformToArith &uniforms;
  OpBuilder &builder;
  Location loc;
  SmallVector<SmallVector<Literal>> literals; // by variant
  llvm::DenseMap<std::tuple<Value, Value, Value>, Value> choices;
};

} // namespace

VariantChoice::VariantChoice(ArrayRef<ScheduledVariant> variants,
                             UniformToArith &uniforms, OpBuilder &builder,
                             Location loc)
    : variants(variants), uniforms(uniforms), builder(builder), loc(loc) {
  for (const ScheduledVariant &each : variants) {
    VariantOp variant = each.variant;
    addLiterals(variant.getHolds().getCondition(), true,
                literals.emplace_back());
  }
}

void VariantChoice::addLiterals(Value condition, bool answer,
                                SmallVectorImpl<Literal> &to) {
  if (auto both = condition.getDefiningOp<AndOp>();
      both && answer && getValueName(condition).empty()) {
    addLiterals(both.getLhs(), answer, to);
    addLiterals(both.getRhs(), answer, to);
  } else if (auto inverse = condition.getDefiningOp<NotOp>()) {
    addLiterals(inverse.getOperand(), !answer, to);
  } else if (!condition.getDefiningOp<ConstantOp>()) {
    to.push_back({uniforms.convert(condition), answer});
  }
}

std::optional<bool> VariantChoice::answerOf(size_t variant,
                                            Value question) const {
  for (const Literal &literal : literals[variant])
    if (literal.question == question)
      return literal.answer;
  return std::nullopt;
}

Value VariantChoice::choose(ArrayRef<size_t> which,
                            SmallVectorImpl<Value> &asked,
                            ArrayRef<Value> values) {
  Value question;
  for (const Literal &literal : literals[which.front()])
    if (!question && !llvm::is_contained(asked, literal.question))
      question = literal.question;
  if (!question)
    return values[which.front()];
  SmallVector<size_t> yes, no;
  for (size_t variant : which) {
    std::optional<bool> answer = answerOf(variant, question);
    if (answer.value_or(true))
      yes.push_back(variant);
    if (!answer.value_or(false))
      no.push_back(variant);
  }
  asked.push_back(question);
  Value a = yes.empty() ? Value() : choose(yes, asked, values);
  Value b = no.empty() ? Value() : choose(no, asked, values);
  asked.pop_back();
  if (!a || !b || a == b)
    return a ? a : b;
  Value &choice = choices[{question, a, b}];
  if (!choice)
    choice = arith::SelectOp::create(builder, loc, question, a, b);
  return choice;
}

Value VariantChoice::choose(ValueOf value, StringRef name) {
  SmallVector<Value> values;
  SmallVector<size_t> all;
  for (const ScheduledVariant &each : variants) {
    all.push_back(values.size());
    values.push_back(value(each));
  }
  SmallVector<Value> asked;
  Value chosen = choose(all, asked, values);
  if (!name.empty() && !llvm::is_contained(values, chosen))
    chosen.setLoc(NameLoc::get(builder.getStringAttr(name), loc));
  return chosen;
}

//===----------------------------------------------------------------------===//
// Tiling function
//===----------------------------------------------------------------------===//

namespace {

/// The function on one architecture.
class TilingBuilder {
public:
  TilingBuilder(OperatorOp op, const ScheduledArch &arch, OpBuilder &builder)
      : op(op), arch(arch), builder(builder), uniforms(builder),
        loc(withoutName(op.getLoc())),
        choice(arch.variants, uniforms, builder, loc),
        tensors(getPackTensors(op)) {}

  void build();

private:
  Value integer(int64_t value);
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  }
  Value askDtype(StringRef tensor) {
    return TilingAskOp::create(builder, loc, builder.getI32Type(),
                               TilingQuestion::DType, tensor, IntegerAttr());
  }
  Value askPlatform(PlatformFact fact) {
    return TilingPlatformOp::create(builder, loc, builder.getI64Type(), fact);
  }
  Type host(StringRef name) {
    return HostType::get(builder.getContext(), name);
  }
  Value call(StringRef helper, Type result, ValueRange operands,
             StringRef name);
  void store(StringRef member, Value value) {
    TilingStoreOp::create(builder, loc, member, value);
  }
  void storeField(StringRef member, Value source, StringRef field, Type type) {
    store(member, TilingReadOp::create(builder, loc, type, source, field));
  }
  uint64_t tensorsOf(const ScheduledVariant &variant, bool onlyMoved);
  void storeUniforms();
  Value haveSameDtype();
  Value chooseKey();
  Value chooseTile(Value key);
  Value buildFlat(Value tile);
  Value buildBroadcast(Value tile);

  OperatorOp op;
  const ScheduledArch &arch;
  OpBuilder &builder;
  UniformToArith uniforms;
  Location loc;
  VariantChoice choice;
  SmallVector<ParamAttr> tensors;
  llvm::DenseMap<int64_t, Value> integers;
  Value runs; // the axes of the call
  Value used; // i64, bit i: tensor i is moved tile by tile
  Value flat; // i1
};

} // namespace

/// One constant per number, so that equal choices are seen to be equal.
Value TilingBuilder::integer(int64_t value) {
  Value &known = integers[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    auto *function = builder.getInsertionBlock()->getParentOp();
    while (!isa<func::FuncOp>(function))
      function = function->getParentOp();
    builder.setInsertionPointToStart(
        &cast<func::FuncOp>(function).getBody().front());
    known = arith::ConstantOp::create(builder, loc,
                                      builder.getI64IntegerAttr(value));
  }
  return known;
}

/// Calls a function of the helper header and declares it on first use.
Value TilingBuilder::call(StringRef helper, Type result, ValueRange operands,
                          StringRef name) {
  auto module = op->getParentOfType<ModuleOp>();
  auto type = builder.getFunctionType(operands.getTypes(), result);
  if (!module.lookupSymbol(helper)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto declaration = func::FuncOp::create(builder, loc, helper, type);
    declaration.setPrivate();
  }
  return func::CallOp::create(builder, named(name), helper, result, operands)
      .getResult(0);
}

/// Coefficients of all variants; one that its variant does not read does no
/// harm.
void TilingBuilder::storeUniforms() {
  llvm::MapVector<StringRef, int> members;
  for (const ScheduledVariant &each : arch.variants)
    for (auto &[name, value] : each.uniforms)
      members.insert({name, 0});
  for (auto &[member, unused] : members) {
    StringRef wanted = member;
    Value exact = choice.choose(
        [&](const ScheduledVariant &each) -> Value {
          for (auto &[name, value] : each.uniforms)
            if (name == wanted)
              return uniforms.convert(value);
          return {};
        },
        member);
    Value rounded;
    if (exact.getType().isInteger(1))
      rounded =
          arith::ExtUIOp::create(builder, loc, builder.getI32Type(), exact);
    else if (exact.getType().isF64())
      rounded =
          arith::TruncFOp::create(builder, loc, builder.getF32Type(), exact);
    else
      rounded =
          arith::SIToFPOp::create(builder, loc, builder.getF32Type(), exact);
    store(member, rounded);
  }
}

/// The tensors that a variant reads or writes, as bits; without inputs of one
/// element where only what is moved tile by tile counts.
uint64_t TilingBuilder::tensorsOf(const ScheduledVariant &each,
                                  bool onlyMoved) {
  VariantOp source = each.variant;
  Region &body = source.getBody();
  auto oneElement = source.getOneElement().getAsValueRange<StringAttr>();
  uint64_t mask = 0;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    bool isInput = i < body.getNumArguments();
    if (isInput && body.getArgument(i).use_empty())
      continue;
    bool isSingle =
        isInput && llvm::is_contained(oneElement, tensor.getName().getValue());
    if (!onlyMoved || !isSingle)
      mask |= uint64_t(1) << i;
  }
  return mask;
}

/// Whether everything that is read has the element type of the output.
Value TilingBuilder::haveSameDtype() {
  auto boolean = [&](bool value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  };
  Value yes = boolean(true), no = boolean(false), all = yes;
  for (auto [i, tensor] : llvm::enumerate(ArrayRef(tensors).drop_back())) {
    Value reads = choice.choose(
        [&, i = i](const ScheduledVariant &each) {
          return tensorsOf(each, /*onlyMoved=*/false) >> i & 1 ? yes : no;
        },
        "");
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        askDtype(tensor.getName()),
                                        askDtype(tensors.back().getName()));
    if (reads != yes) {
      Value unread = arith::XOrIOp::create(builder, loc, reads, yes);
      equal = arith::OrIOp::create(builder, loc, unread, equal);
    }
    all = arith::AndIOp::create(builder, loc, all, equal);
  }
  all.setLoc(named("sameDtype"));
  return all;
}

/// Five keys per variant: by element type if flat, or the broadcast kernel.
Value TilingBuilder::chooseKey() {
  Value same = haveSameDtype();
  Value typing = arith::ExtSIOp::create(builder, loc, builder.getI64Type(),
                                        askDtype(tensors.back().getName()));
  Value byType = arith::SelectOp::create(
      builder, loc, same, typing, integer(static_cast<int64_t>(Typing::Mixed)));
  Value slot = arith::SelectOp::create(builder, loc, flat, byType,
                                       integer(kBroadcastSlot));
  Value first = choice.choose(
      [&](const ScheduledVariant &each) { return integer(each.firstKey); },
      "firstKey");
  return arith::AddIOp::create(builder, named("key"), first, slot);
}

/// The largest tile of the chosen kernel.
Value TilingBuilder::chooseTile(Value key) {
  SmallVector<int64_t> keys;
  SmallVector<StringRef> kernels;
  for (const ScheduledVariant &each : arch.variants)
    for (auto &[number, kernel] : each.kernels) {
      keys.push_back(number);
      kernels.push_back(kernel);
    }
  Type i64 = builder.getI64Type();
  Value ub = askPlatform(PlatformFact::UbBytes);
  Value selector =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), key);
  auto chosen = scf::IndexSwitchOp::create(
      builder, named("maxTile"), TypeRange{i64}, selector, keys, keys.size());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&chosen.getDefaultRegion().emplaceBlock());
  scf::YieldOp::create(builder, loc, integer(0));
  for (auto [region, kernel] : llvm::zip(chosen.getCaseRegions(), kernels)) {
    builder.setInsertionPointToStart(&region.emplaceBlock());
    Value tile =
        TilingMaxTileOp::create(builder, loc, i64, kernel, arch.arch, ub);
    scf::YieldOp::create(builder, loc, tile);
  }
  return chosen.getResult(0);
}

Value TilingBuilder::buildFlat(Value tile) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value split =
      call("SplitFlat", host("FlatSplit"),
           {runs, askPlatform(PlatformFact::Cores), tile, integer(kGranule)},
           "split");
  storeField(member::kElements, split, "elements", i64);
  storeField(member::kCoreLength, split, "coreLength", i64);
  storeField(member::kExtraCores, split, "extraCores", i64);
  storeField(member::kTileLength, split, "tileLength", i32);
  store(member::kBypassL2,
        call("BypassL2", i32, {runs, used, askPlatform(PlatformFact::L2Bytes)},
             ""));
  return TilingReadOp::create(builder, loc, i64, split, "blocks");
}

Value TilingBuilder::buildBroadcast(Value tile) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value outputs = integer(op.getOutputs().size());
  Value plan = call(
      "PlanBroadcast", host("BroadcastPlan"),
      {runs, used, outputs, askPlatform(PlatformFact::Cores), tile}, "plan");
  storeField(member::kCoreLength, plan, "coreLength", i64);
  storeField(member::kExtraCores, plan, "extraCores", i64);
  storeField(member::kRowBlocks, plan, "rowBlocks", i64);
  storeField(member::kLaneBlocks, plan, "laneBlocks", i64);
  storeField(member::kTileLength, plan, "tileLength", i32);
  storeField(member::kRowTile, plan, "rowTile", i32);
  storeField(member::kLaneTile, plan, "laneTile", i32);
  storeField(member::kFirstAxis, plan, "firstAxis", i32);
  auto storeArray = [&](StringRef member, int64_t count) {
    TilingStoreArrayOp::create(builder, loc, member, plan, member, count);
  };
  storeArray(member::kExtents, kAxes);
  storeArray(member::kStrides, kAxes * tensors.size());
  storeArray(member::kForms, tensors.size());
  return TilingReadOp::create(builder, loc, i64, plan, "blocks");
}

void TilingBuilder::build() {
  Type i64 = builder.getI64Type();
  SmallVector<StringRef> names;
  for (ParamAttr tensor : tensors)
    names.push_back(tensor.getName().getValue());
  runs = TilingRunsOp::create(builder, named("runs"), host("Runs"),
                              builder.getStrArrayAttr(names));
  used = choice.choose(
      [&](const ScheduledVariant &each) {
        return integer(tensorsOf(each, /*onlyMoved=*/true));
      },
      "used");
  flat = call("IsFlat", builder.getI1Type(), {runs, used}, "flat");
  Value key = chooseKey();
  Value tile = chooseTile(key);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                     tile, integer(0));
  TilingRequireOp::create(builder, loc, fits,
                          "UB is too small for the smallest tile");
  auto ifOp = scf::IfOp::create(builder, named("blocks"), TypeRange{i64}, flat,
                                /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(ifOp.thenBlock());
    scf::YieldOp::create(builder, loc, buildFlat(tile));
    builder.setInsertionPointToEnd(ifOp.elseBlock());
    scf::YieldOp::create(builder, loc, buildBroadcast(tile));
  }
  if (arch.hasRunTimeTypes())
    for (ParamAttr tensor : tensors)
      store(dtypeMember(tensor.getName()), askDtype(tensor.getName()));
  storeUniforms();
  TilingLaunchOp::create(builder, loc, key, ifOp.getResult(0));
}

/// One architecture after the other; the last needs no question.
static void buildByArch(OperatorOp op, ArrayRef<ScheduledArch> archs,
                        OpBuilder &builder) {
  if (archs.size() == 1)
    return TilingBuilder(op, archs.front(), builder).build();
  Location loc = withoutName(op.getLoc());
  Value isHere = TilingOnArchOp::create(builder, loc, builder.getI1Type(),
                                        archs.front().arch);
  auto ifOp = scf::IfOp::create(builder, loc, isHere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  TilingBuilder(op, archs.front(), builder).build();
  builder.setInsertionPointToStart(ifOp.elseBlock());
  buildByArch(op, archs.drop_front(), builder);
}

void lossgrad::buildTiling(OperatorOp op, ArrayRef<ScheduledArch> archs,
                           OpBuilder &builder) {
  StructBuilder(op, builder).build(archs);
  Location loc = withoutName(op.getLoc());
  auto function = func::FuncOp::create(builder, loc, tilingFunctionName(op),
                                       builder.getFunctionType({}, {}));
  function->setAttr("lossgrad.operator",
                    FlatSymbolRefAttr::get(op.getSymNameAttr()));
  function->setAttr(
      "lossgrad.tiling",
      FlatSymbolRefAttr::get(builder.getContext(), tilingStructName(op)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock());
  buildByArch(op, archs, builder);
  func::ReturnOp::create(builder, loc);
}
