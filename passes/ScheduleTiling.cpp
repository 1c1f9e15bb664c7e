//===- ScheduleTiling.cpp - The host side of schedules --------------------===//
//
// Builds the tiling struct and the tiling function of an operator: which
// variant, which element types, which schedule, how large a tile, and the
// uniform values in float64. What does not depend on the operator (collapsing
// axes, dealing work to cores) is called by symbol; the emitted helper header
// has it.
//
//===----------------------------------------------------------------------===//

#include "passes/Schedules.h"
#include "passes/UniformToArith.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;

//===----------------------------------------------------------------------===//
// Tiling struct
//===----------------------------------------------------------------------===//

static void buildStruct(OperatorOp op, ArrayRef<ScheduledVariant> variants,
                        bool hasRunTimeTypes, OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  auto structOp = ascendc::TilingStructOp::create(builder, op.getLoc(),
                                                  tilingStructName(op));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&structOp.getBody().emplaceBlock());
  auto member = [&](StringRef name, Type type, StringRef doc, int64_t array = 0,
                    int64_t multiple = 0) {
    ascendc::TilingMemberOp::create(
        builder, op.getLoc(), name, type,
        array ? builder.getI64IntegerAttr(array) : IntegerAttr(),
        multiple ? builder.getI64IntegerAttr(multiple) : IntegerAttr(),
        builder.getStringAttr(doc));
  };
  Type i64 = IntegerType::get(context, 64), i32 = IntegerType::get(context, 32),
       f32 = Float32Type::get(context);
  SmallVector<ParamAttr> tensors = getPackTensors(op);
  int64_t count = tensors.size();
  // 64-bit members first, so that nothing is padded.
  member(member::kElements, i64, "elements of the output");
  member(member::kCoreLength, i64, "work of each core: elements (flat) or tiles (broadcast)");
  member(member::kExtraCores, i64, "cores that get one granule (flat) or tile (broadcast) more");
  member(member::kRowBlocks, i64, "tiles along the rows");
  member(member::kLaneBlocks, i64, "tiles along the lanes");
  member(member::kExtents, i64, "outer axes, rows, lanes", kAxes);
  member(member::kStrides, i64, "elements between neighbours, by tensor and axis", kAxes * count);
  member(member::kTileLength, i32, "elements of a tile", 0, kGranule);
  member(member::kRowTile, i32, "rows of a tile");
  member(member::kLaneTile, i32, "lanes of a tile");
  member(member::kFirstAxis, i32, "first outer axis that is there");
  member(member::kBypassL2, i32, "1: inputs are read past L2");
  member(member::kForms, i32, "how each tensor lies in a tile", count);
  if (hasRunTimeTypes)
    for (ParamAttr tensor : tensors)
      member(dtypeMember(tensor.getName()), i32,
             "element type: 0 float, 1 half, 2 bfloat16_t");
  llvm::MapVector<StringRef, int> seen;
  for (const ScheduledVariant &variant : variants)
    for (auto &[name, value] : variant.uniforms)
      if (seen.insert({name, 0}).second)
        member(name, f32, "computed from the attributes and shapes of the call");
}

//===----------------------------------------------------------------------===//
// Tiling function
//===----------------------------------------------------------------------===//

namespace {

/// What is known once the variant is chosen.
struct Choice {
  Value key, tile; // i64
  Value flat;      // i1
  Value used;      // i64, bit i: tensor i is moved tile by tile
};

class TilingBuilder {
public:
  TilingBuilder(OperatorOp op, unsigned arch,
                ArrayRef<ScheduledVariant> variants, OpBuilder &builder)
      : op(op), arch(arch), variants(variants), builder(builder),
        loc(op.getLoc()), tensors(getPackTensors(op)) {}

  void build(bool hasRunTimeTypes);

private:
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value code(DtypeCode value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  }
  Value askDtype(StringRef tensor) {
    return TilingAskOp::create(builder, named(dtypeMember(tensor)),
                               builder.getI32Type(), TilingQuestion::DType,
                               tensor, IntegerAttr());
  }
  Type host(StringRef name) { return HostType::get(builder.getContext(), name); }
  Value call(StringRef helper, Type result, ValueRange operands, StringRef name);
  void store(StringRef member, Value value) {
    TilingStoreOp::create(builder, loc, member, value);
  }
  void storeField(StringRef member, Value source, StringRef field, Type type) {
    store(member,
          TilingReadOp::create(builder, named(member), type, source, field));
  }
  Choice chooseVariant(size_t index);
  Choice buildVariant(const ScheduledVariant &variant);
  Choice buildIf(Value condition, llvm::function_ref<Choice()> then,
                 llvm::function_ref<Choice()> otherwise);
  std::pair<Value, Value> chooseTyping(const ScheduledVariant &variant,
                                       Value outputCode, Value same);
  std::pair<Value, Value> kernel(StringRef name, Value key);
  Value buildFlat(Value tile, Value used);
  Value buildBroadcast(Value tile, Value used);

  OperatorOp op;
  unsigned arch;
  ArrayRef<ScheduledVariant> variants;
  OpBuilder &builder;
  Location loc;
  SmallVector<ParamAttr> tensors;
  Value runs, cores, ub;
};

} // namespace

/// Names for several results of one op; a location has room for one.
static void nameResults(scf::IfOp op, ArrayRef<StringRef> names) {
  op->setAttr("lossgrad.names", Builder(op.getContext()).getStrArrayAttr(names));
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

Choice TilingBuilder::buildIf(Value condition, llvm::function_ref<Choice()> then,
                              llvm::function_ref<Choice()> otherwise) {
  Type i64 = builder.getI64Type();
  auto ifOp = scf::IfOp::create(
      builder, loc, TypeRange{i64, i64, builder.getI1Type(), i64}, condition,
      /*withElseRegion=*/true);
  nameResults(ifOp, {"key", "maxTile", "flat", "used"});
  auto fill = [&](Block *block, llvm::function_ref<Choice()> body) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    Choice choice = body();
    scf::YieldOp::create(builder, loc, ValueRange{choice.key, choice.tile,
                                                  choice.flat, choice.used});
  };
  fill(ifOp.thenBlock(), then);
  fill(ifOp.elseBlock(), otherwise);
  ValueRange results = ifOp.getResults();
  return {results[0], results[1], results[2], results[3]};
}

Choice TilingBuilder::chooseVariant(size_t index) {
  const ScheduledVariant &variant = variants[index];
  if (index + 1 == variants.size()) // the conditions cover every call
    return buildVariant(variant);
  VariantOp source = variant.variant;
  Value condition =
      UniformToArith(builder).convert(source.getHolds().getCondition());
  return buildIf(
      condition, [&] { return buildVariant(variant); },
      [&] { return chooseVariant(index + 1); });
}

/// The key of a kernel and the largest tile that it has room for.
std::pair<Value, Value> TilingBuilder::kernel(StringRef name, Value key) {
  Value tile = TilingMaxTileOp::create(builder, loc, builder.getI64Type(), name,
                                       arch, ub);
  return {key, tile};
}

std::pair<Value, Value>
TilingBuilder::chooseTyping(const ScheduledVariant &variant, Value outputCode,
                            Value same) {
  Type i64 = builder.getI64Type();
  auto choose = [&](Value condition, auto then, auto otherwise) {
    auto ifOp = scf::IfOp::create(builder, loc, TypeRange{i64, i64}, condition,
                                  /*withElseRegion=*/true);
    nameResults(ifOp, {"typedKey", "typedTile"});
    for (auto [block, body] :
         {std::pair<Block *, llvm::function_ref<std::pair<Value, Value>()>>(
              ifOp.thenBlock(), then),
          {ifOp.elseBlock(), otherwise}}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(block);
      auto [key, tile] = body();
      scf::YieldOp::create(builder, loc, ValueRange{key, tile});
    }
    return std::pair<Value, Value>(ifOp.getResult(0), ifOp.getResult(1));
  };
  auto float32 = [&] { return kernel(*variant.float32, integer(variant.firstKey)); };
  auto narrow = [&] {
    Value wide = arith::ExtSIOp::create(builder, loc, i64, outputCode);
    Value key =
        arith::AddIOp::create(builder, loc, integer(variant.firstKey), wide);
    return kernel(*variant.narrow, key);
  };
  auto mixed = [&] {
    return kernel(*variant.mixed, integer(variant.firstKey +
                                          static_cast<int>(Typing::Mixed)));
  };
  auto uniform = [&]() -> std::pair<Value, Value> {
    if (!variant.narrow)
      return float32();
    if (!variant.float32)
      return narrow();
    Value isFloat32 =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              outputCode, code(DtypeCode::Float32));
    return choose(isFloat32, float32, narrow);
  };
  if (!variant.mixed)
    return uniform();
  if (!variant.float32 && !variant.narrow)
    return mixed();
  return choose(same, uniform, mixed);
}

Choice TilingBuilder::buildVariant(const ScheduledVariant &variant) {
  Choice choice;
  VariantOp source = variant.variant;
  Region &body = source.getBody();
  UniformToArith uniforms(builder);
  for (auto &[name, value] : variant.uniforms) {
    Value exact = uniforms.convert(value);
    Value rounded;
    if (exact.getType().isF64())
      rounded = arith::TruncFOp::create(builder, named(name),
                                        builder.getF32Type(), exact);
    else
      rounded = arith::SIToFPOp::create(builder, named(name),
                                        builder.getF32Type(), exact);
    store(name, rounded);
  }

  auto oneElement = source.getOneElement().getAsValueRange<StringAttr>();
  int64_t used = 0;
  Value outputCode = askDtype(op.getOutputs().front().getName());
  Value same;
  auto require = [&](StringRef tensor) {
    Value equal = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, askDtype(tensor), outputCode);
    same = same ? Value(arith::AndIOp::create(builder, loc, same, equal)) : equal;
  };
  for (auto [i, param] : llvm::enumerate(tensors)) {
    bool isInput = i < body.getNumArguments();
    if (isInput && body.getArgument(i).use_empty())
      continue;
    if (isInput || i > body.getNumArguments())
      require(param.getName());
    if (!isInput || !llvm::is_contained(oneElement, param.getName().getValue()))
      used |= int64_t(1) << i;
  }
  if (!same)
    same = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(builder.getI1Type(), 1));
  choice.used = integer(used);
  choice.flat =
      call("IsFlat", builder.getI1Type(), {runs, choice.used}, "flat");
  Type i64 = builder.getI64Type();
  auto ifOp = scf::IfOp::create(builder, loc, TypeRange{i64, i64}, choice.flat,
                                /*withElseRegion=*/true);
  nameResults(ifOp, {"ownKey", "ownTile"});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(ifOp.thenBlock());
    auto [key, tile] = chooseTyping(variant, outputCode, same);
    scf::YieldOp::create(builder, loc, ValueRange{key, tile});
    builder.setInsertionPointToEnd(ifOp.elseBlock());
    std::tie(key, tile) = kernel(*variant.broadcast,
                                 integer(variant.firstKey + kBroadcastSlot));
    scf::YieldOp::create(builder, loc, ValueRange{key, tile});
  }
  choice.key = ifOp.getResult(0);
  choice.tile = ifOp.getResult(1);
  return choice;
}

Value TilingBuilder::buildFlat(Value tile, Value used) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value l2 = TilingPlatformOp::create(builder, named("l2Bytes"), i64,
                                      PlatformFact::L2Bytes);
  Value split = call("SplitFlat", host("FlatSplit"),
                     {runs, cores, tile, integer(kGranule)}, "split");
  storeField(member::kElements, split, "elements", i64);
  storeField(member::kCoreLength, split, "coreLength", i64);
  storeField(member::kExtraCores, split, "extraCores", i64);
  storeField(member::kTileLength, split, "tileLength", i32);
  store(member::kBypassL2, call("BypassL2", i32, {runs, used, l2}, "bypassL2"));
  return TilingReadOp::create(builder, named("blocks"), i64, split, "blocks");
}

Value TilingBuilder::buildBroadcast(Value tile, Value used) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value plan = call("PlanBroadcast", host("BroadcastPlan"),
                    {runs, used, cores, tile}, "plan");
  storeField(member::kElements, plan, "elements", i64);
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
  return TilingReadOp::create(builder, named("blocks"), i64, plan, "blocks");
}

void TilingBuilder::build(bool hasRunTimeTypes) {
  Type i64 = builder.getI64Type();
  auto function =
      func::FuncOp::create(builder, loc, tilingFunctionName(op),
                           builder.getFunctionType({}, {}));
  function->setAttr("lossgrad.operator", FlatSymbolRefAttr::get(op.getSymNameAttr()));
  function->setAttr("lossgrad.arch", builder.getI64IntegerAttr(arch));
  function->setAttr("lossgrad.tiling",
                    FlatSymbolRefAttr::get(builder.getContext(), tilingStructName(op)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock());
  cores = TilingPlatformOp::create(builder, named("cores"), i64, PlatformFact::Cores);
  ub = TilingPlatformOp::create(builder, named("ubBytes"), i64, PlatformFact::UbBytes);
  SmallVector<StringRef> names;
  for (ParamAttr tensor : tensors)
    names.push_back(tensor.getName().getValue());
  runs = TilingRunsOp::create(builder, named("runs"), host("Runs"),
                              builder.getStrArrayAttr(names));
  if (hasRunTimeTypes)
    for (ParamAttr tensor : tensors)
      store(dtypeMember(tensor.getName()), askDtype(tensor.getName()));
  Choice choice = chooseVariant(0);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                     choice.tile, integer(0));
  TilingRequireOp::create(builder, loc, fits,
                          "UB is too small for the smallest tile");
  auto ifOp = scf::IfOp::create(builder, named("blocks"), TypeRange{i64}, choice.flat,
                                /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToEnd(ifOp.thenBlock());
    scf::YieldOp::create(builder, loc, buildFlat(choice.tile, choice.used));
    builder.setInsertionPointToEnd(ifOp.elseBlock());
    scf::YieldOp::create(builder, loc, buildBroadcast(choice.tile, choice.used));
  }
  TilingLaunchOp::create(builder, loc, choice.key, ifOp.getResult(0));
  func::ReturnOp::create(builder, loc);
}

void lossgrad::buildTiling(OperatorOp op, unsigned arch,
                           ArrayRef<ScheduledVariant> variants,
                           bool hasRunTimeTypes, OpBuilder &builder) {
  buildStruct(op, variants, hasRunTimeTypes, builder);
  TilingBuilder(op, arch, variants, builder).build(hasRunTimeTypes);
}
