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
#include "llvm/ADT/MapVector.h"
#include <functional>

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
  member(member::kCoreLength, i64,
         "work of each core: elements (flat) or tiles (broadcast)");
  member(member::kExtraCores, i64,
         "cores that get one granule (flat) or tile (broadcast) more");
  member(member::kRowBlocks, i64, "tiles along the rows");
  member(member::kLaneBlocks, i64, "tiles along the lanes");
  member(member::kExtents, i64, "outer axes, rows, lanes", kAxes);
  member(member::kStrides, i64,
         "elements between neighbours, by tensor and axis", kAxes * count);
  member(member::kTileLength, i32, "elements of a tile", 0, kGranule);
  member(member::kRowTile, i32, "rows of a tile");
  member(member::kLaneTile, i32, "lanes of a tile");
  member(member::kFirstAxis, i32, "first outer axis that is there");
  member(member::kBypassL2, i32, "1: inputs are read past L2");
  member(member::kForms, i32,
         "how each tensor lies in a tile: 0 dense, 1 row by row, 2 repeat "
         "rows, 3 repeat lanes, 4 single, 5 strided, 6 strided rows",
         count);
  if (hasRunTimeTypes)
    for (ParamAttr tensor : tensors)
      member(dtypeMember(tensor.getName()), i32,
             "element type: 0 float, 1 half, 2 bfloat16_t");
  llvm::MapVector<StringRef, int> seen;
  for (const ScheduledVariant &variant : variants)
    for (auto &[name, value] : variant.uniforms)
      if (seen.insert({name, 0}).second)
        member(name, f32,
               "computed from the attributes and shapes of the call");
}

//===----------------------------------------------------------------------===//
// Tiling function
//===----------------------------------------------------------------------===//

namespace {

class TilingBuilder {
public:
  TilingBuilder(OperatorOp op, unsigned arch,
                ArrayRef<ScheduledVariant> variants, OpBuilder &builder)
      : op(op), arch(arch), variants(variants), builder(builder),
        uniforms(builder), loc(op.getLoc()), tensors(getPackTensors(op)) {}

  void build(bool hasRunTimeTypes);

private:
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  }
  Value equals(Value x, int64_t value) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x,
                                 integer(value));
  }
  Value askDtype(StringRef tensor) {
    return TilingAskOp::create(builder, loc, builder.getI32Type(),
                               TilingQuestion::DType, tensor, IntegerAttr());
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
  Value chooseVariant();
  Value byVariant(function_ref<Value(const ScheduledVariant &)> value,
                  StringRef name);
  bool moves(const ScheduledVariant &variant, size_t tensor, bool &reads);
  void storeUniforms();
  Value chooseKey();
  Value chooseTile(Value key);
  Value buildFlat(Value tile);
  Value buildBroadcast(Value tile);

  OperatorOp op;
  unsigned arch;
  ArrayRef<ScheduledVariant> variants;
  OpBuilder &builder;
  UniformToArith uniforms;
  Location loc;
  SmallVector<ParamAttr> tensors;
  Value runs, cores, ub; // the call and the platform
  Value variant;         // i64, position in `variants`
  Value used;            // i64, bit i: tensor i is moved tile by tile
  Value flat;            // i1
};

} // namespace

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

/// The first variant whose condition holds; the last needs no test, since the
/// conditions cover every call.
Value TilingBuilder::chooseVariant() {
  Value chosen = integer(variants.size() - 1);
  for (size_t i = variants.size() - 1; i-- > 0;) {
    VariantOp source = variants[i].variant;
    Value holds = uniforms.convert(source.getHolds().getCondition());
    chosen = arith::SelectOp::create(builder, named("variant"), holds,
                                     integer(i), chosen);
  }
  return chosen;
}

/// A value that may differ between variants; equal values need no choice.
Value TilingBuilder::byVariant(
    function_ref<Value(const ScheduledVariant &)> value, StringRef name) {
  Value chosen;
  for (auto [i, each] : llvm::enumerate(variants)) {
    Value own = value(each);
    if (!own)
      continue;
    if (!chosen || chosen == own)
      chosen = own;
    else
      chosen = arith::SelectOp::create(builder, named(name), equals(variant, i),
                                       own, chosen);
  }
  return chosen;
}

/// Coefficients of all variants; one that its variant does not read does no
/// harm.
void TilingBuilder::storeUniforms() {
  llvm::MapVector<StringRef, int> members;
  for (const ScheduledVariant &each : variants)
    for (auto &[name, value] : each.uniforms)
      members.insert({name, 0});
  for (auto &[member, unused] : members) {
    StringRef wanted = member;
    Value exact = byVariant(
        [&](const ScheduledVariant &each) -> Value {
          for (auto &[name, value] : each.uniforms)
            if (name == wanted)
              return uniforms.convert(value);
          return {};
        },
        member);
    Value rounded;
    if (exact.getType().isF64())
      rounded =
          arith::TruncFOp::create(builder, loc, builder.getF32Type(), exact);
    else
      rounded =
          arith::SIToFPOp::create(builder, loc, builder.getF32Type(), exact);
    store(member, rounded);
  }
}

/// Whether a tensor is moved tile by tile, and whether it is read or written at
/// all, in a variant.
bool TilingBuilder::moves(const ScheduledVariant &each, size_t tensor,
                          bool &reads) {
  VariantOp source = each.variant;
  Region &body = source.getBody();
  bool isInput = tensor < body.getNumArguments();
  reads = !isInput || !body.getArgument(tensor).use_empty();
  auto oneElement = source.getOneElement().getAsValueRange<StringAttr>();
  return reads &&
         !(isInput && llvm::is_contained(oneElement,
                                         tensors[tensor].getName().getValue()));
}

/// Five keys per variant: by element type if flat, or the broadcast kernel.
Value TilingBuilder::chooseKey() {
  Type i64 = builder.getI64Type();
  // Equal element types of everything that is read or written.
  llvm::DenseMap<uint64_t, Value> known;
  Value same = byVariant(
      [&](const ScheduledVariant &each) {
        uint64_t mask = 0;
        for (size_t i = 0; i < tensors.size(); ++i) {
          bool reads;
          moves(each, i, reads);
          mask |= reads ? uint64_t(1) << i : 0;
        }
        Value &result = known[mask];
        Value output = askDtype(tensors.back().getName());
        for (size_t i = 0; !result && i < tensors.size(); ++i)
          if ((mask >> i & 1) && i + 1 < tensors.size()) {
            Value all;
            for (size_t j = i; j + 1 < tensors.size(); ++j) {
              if (!(mask >> j & 1))
                continue;
              Value equal =
                  arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        askDtype(tensors[j].getName()), output);
              all = all ? Value(arith::AndIOp::create(
                              builder, named("sameDtype"), all, equal))
                        : equal;
            }
            result = all;
          }
        if (!result)
          result = arith::ConstantOp::create(
              builder, loc, builder.getIntegerAttr(builder.getI1Type(), 1));
        return result;
      },
      "sameDtype");
  Value typing = arith::ExtSIOp::create(builder, loc, i64,
                                        askDtype(tensors.back().getName()));
  Value slot = arith::SelectOp::create(
      builder, loc, same, typing, integer(static_cast<int64_t>(Typing::Mixed)));
  slot = arith::SelectOp::create(builder, named("slot"), flat, slot,
                                 integer(kBroadcastSlot));
  Value first = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, variant, integer(kKeysPerVariant)),
      integer(1));
  return arith::AddIOp::create(builder, named("key"), first, slot);
}

/// The largest tile of the chosen kernel.
Value TilingBuilder::chooseTile(Value key) {
  struct Entry {
    int64_t first, last; // keys
    std::string kernel;
  };
  SmallVector<Entry> entries;
  for (const ScheduledVariant &each : variants) {
    auto add = [&](const std::optional<std::string> &kernel, int64_t first,
                   int64_t last) {
      if (kernel)
        entries.push_back(
            {each.firstKey + first, each.firstKey + last, *kernel});
    };
    add(each.float32, 0, 0);
    add(each.narrow, 1, 2);
    add(each.mixed, 3, 3);
    add(each.broadcast, kBroadcastSlot, kBroadcastSlot);
  }
  Type i64 = builder.getI64Type();
  std::function<Value(size_t)> chain = [&](size_t i) -> Value {
    auto ask = [&]() -> Value {
      return TilingMaxTileOp::create(builder, loc, i64, entries[i].kernel, arch,
                                     ub);
    };
    if (i + 1 == entries.size())
      return ask();
    // Keys come in ascending order, so the upper end suffices.
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                        key, integer(entries[i].last));
    auto ifOp =
        scf::IfOp::create(builder, named("maxTile"), TypeRange{i64}, below,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(ifOp.thenBlock());
    scf::YieldOp::create(builder, loc, ask());
    builder.setInsertionPointToEnd(ifOp.elseBlock());
    scf::YieldOp::create(builder, loc, chain(i + 1));
    return ifOp.getResult(0);
  };
  return chain(0);
}

Value TilingBuilder::buildFlat(Value tile) {
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value l2 = TilingPlatformOp::create(builder, loc, i64, PlatformFact::L2Bytes);
  Value split = call("SplitFlat", host("FlatSplit"),
                     {runs, cores, tile, integer(kGranule)}, "split");
  storeField(member::kElements, split, "elements", i64);
  storeField(member::kCoreLength, split, "coreLength", i64);
  storeField(member::kExtraCores, split, "extraCores", i64);
  storeField(member::kTileLength, split, "tileLength", i32);
  store(member::kBypassL2, call("BypassL2", i32, {runs, used, l2}, "bypassL2"));
  return TilingReadOp::create(builder, loc, i64, split, "blocks");
}

Value TilingBuilder::buildBroadcast(Value tile) {
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
  return TilingReadOp::create(builder, loc, i64, plan, "blocks");
}

void TilingBuilder::build(bool hasRunTimeTypes) {
  Type i64 = builder.getI64Type();
  auto function = func::FuncOp::create(builder, loc, tilingFunctionName(op),
                                       builder.getFunctionType({}, {}));
  function->setAttr("lossgrad.operator",
                    FlatSymbolRefAttr::get(op.getSymNameAttr()));
  function->setAttr("lossgrad.arch", builder.getI64IntegerAttr(arch));
  function->setAttr(
      "lossgrad.tiling",
      FlatSymbolRefAttr::get(builder.getContext(), tilingStructName(op)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock());
  cores = TilingPlatformOp::create(builder, named("cores"), i64,
                                   PlatformFact::Cores);
  ub = TilingPlatformOp::create(builder, named("ubBytes"), i64,
                                PlatformFact::UbBytes);
  SmallVector<StringRef> names;
  for (ParamAttr tensor : tensors)
    names.push_back(tensor.getName().getValue());
  runs = TilingRunsOp::create(builder, named("runs"), host("Runs"),
                              builder.getStrArrayAttr(names));
  if (hasRunTimeTypes)
    for (ParamAttr tensor : tensors)
      store(dtypeMember(tensor.getName()), askDtype(tensor.getName()));
  variant = chooseVariant();
  storeUniforms();
  used = byVariant(
      [&](const ScheduledVariant &each) {
        int64_t mask = 0;
        for (size_t i = 0; i < tensors.size(); ++i) {
          bool reads;
          mask |= moves(each, i, reads) ? int64_t(1) << i : 0;
        }
        return integer(mask);
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
  TilingLaunchOp::create(builder, loc, key, ifOp.getResult(0));
  func::ReturnOp::create(builder, loc);
}

void lossgrad::buildTiling(OperatorOp op, unsigned arch,
                           ArrayRef<ScheduledVariant> variants,
                           bool hasRunTimeTypes, OpBuilder &builder) {
  buildStruct(op, variants, hasRunTimeTypes, builder);
  TilingBuilder(op, arch, variants, builder).build(hasRunTimeTypes);
}
