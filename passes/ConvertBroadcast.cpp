//===- ConvertBroadcast.cpp - The kernel of the broadcast schedule --------===//
//
// Tiles of rows and lanes over the collapsed axes. Every operand is brought to
// a dense float32 tile in one of a few forms, which the host chooses per
// operand: dense rows, one row for all, one element per row, one element, or
// elements with a gap, gathered. Lanes are padded to whole blocks, and what the
// padding holds is never stored.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"

using namespace mlir;
using namespace lossgrad;

namespace {

/// What a tile needs to know of an operand.
struct Layout {
  Value form;                  // i32
  Value rowStride, laneStride; // i64, elements
};

class BroadcastKernelBuilder : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

private:
  std::string describe() override {
    return "broadcast: tiles of rows and lanes over collapsed axes, equal "
           "numbers of tiles per core";
  }
  /// Tiles are raw bytes, so that one copy serves all element types.
  Type tileElement(const KernelTensor &) override {
    return builder.getIntegerType(8, /*isSigned=*/false);
  }
  void buildMembers() override;
  void buildInit() override;
  LogicalResult buildStages() override;
  void buildProcess() override;

  Value size(const KernelTensor &tensor) {
    if (tensor.size)
      return tensor.size;
    return i32(elementType(tensor.element).isF32() ? 4 : 2);
  }
  Value is(const Layout &layout, LoadForm form) {
    return equals(layout.form, static_cast<int>(form));
  }
  Value bytes(Value elements, const KernelTensor &tensor, StringRef name = "") {
    bool wide = elements.getType().isInteger(64);
    return mul(elements, wide ? widen64(size(tensor)) : size(tensor), name);
  }
  SmallVector<KernelTensor *> moved();
  SmallVector<std::pair<std::string, Type>> stageArguments(bool in, bool out);
  void buildLoad(const KernelTensor &tensor, Value offset, Value rows,
                 Value lanes, Value pitch);
  void buildStore(const KernelTensor &tensor, Value offset, Value rows,
                  Value lanes, Value pitch);
  Value buildExpand(const KernelTensor &tensor, Value rows, Value lanes,
                    Value pitch);
  void buildRepeat(Value dst, Value src, Value rows, Value pitch,
                   bool alongRows, Value repeatStride);
  void buildPadding(const KernelTensor &tensor, Value rows, Value lanes,
                    Value pitch);
  /// Byte offsets of `count` elements that stand alone in blocks.
  Value buildBlockOffsets(const KernelTensor &tensor, Value step, Value count);
  void buildGather(const KernelTensor &tensor, Value dst, Value wide,
                   Value rows, Value lanes, Value pitch);
  void buildSpread(const KernelTensor &tensor, Value dst, Value wide,
                   Value rows, Value lanes, Value pitch);
  SmallVector<Value> buildOffsets(Value outer, Value row, Value lane);

  llvm::DenseMap<unsigned, Layout> layouts; // by index of the tensor
  Value zeros;                              // one block
};

} // namespace

/// Tensors that are moved tile by tile, inputs first.
SmallVector<KernelTensor *> BroadcastKernelBuilder::moved() {
  SmallVector<KernelTensor *> list;
  for (auto *tensors : {&inputs, &outputs})
    for (KernelTensor &tensor : *tensors)
      if (!tensor.variable)
        list.push_back(&tensor);
  return list;
}

void BroadcastKernelBuilder::buildMembers() {
  Type wide = builder.getI64Type();
  zeros = fixedBuffer("zeros", builder.getF32Type(), 8,
                      ascendc::Lifetime::Resident);
  for (KernelTensor *tensor : moved()) {
    tensor->tile = buffer(tensor->name, tileElement(*tensor), 4);
    int64_t base = tensor->index * kAxes;
    Layout &layout = layouts[tensor->index];
    layout.form = field(member::kForms, builder.getI32Type(), tensor->index,
                        tensor->name + "Form");
    layout.rowStride = field(member::kStrides, wide, base + kRowAxis,
                             tensor->name + "RowStride");
    layout.laneStride = field(member::kStrides, wide, base + kLaneAxis,
                              tensor->name + "LaneStride");
  }
}

void BroadcastKernelBuilder::buildInit() {
  ascendc::DuplicateOp::create(builder, loc, zeros, f32(0), i32(8));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void BroadcastKernelBuilder::buildLoad(const KernelTensor &tensor, Value offset,
                                       Value rows, Value lanes, Value pitch) {
  const Layout &layout = layouts[tensor.index];
  StringRef name = tensor.name;
  Value one = i32(1);
  Value strided = is(layout, LoadForm::Strided);
  Value dense = is(layout, LoadForm::Dense);
  Value byRow = is(layout, LoadForm::RowByRow);
  Value perRow = is(layout, LoadForm::RepeatLanes);
  Value apart = is(layout, LoadForm::StridedRows);
  Value hasLanes = atMost(layout.form, static_cast<int>(LoadForm::RepeatRows));
  // Elements of a block, blocks of a copy, copies of a tile.
  Value length = select(hasLanes, lanes, select(perRow, rows, one),
                        (name + "Length").str());
  Value oneByRow = arith::OrIOp::create(builder, loc, dense, apart);
  Value blocks = select(oneByRow, rows, select(strided, lanes, one),
                        (name + "Blocks").str());
  Value many = arith::OrIOp::create(builder, loc, byRow, strided);
  Value copies = select(many, rows, one, (name + "Copies").str());
  Value gap =
      select(dense, sub(layout.rowStride, widen64(lanes)),
             select(strided, sub(layout.laneStride, i64(1)),
                    select(apart, sub(layout.rowStride, i64(1)), i64(0))),
             (name + "Gap").str());
  Value rowBytes = bytes(pitch, tensor);
  Value slack =
      sub(div(rowBytes, i32(32)), ceilDiv(bytes(lanes, tensor), i32(32)));
  Value ubGap = select(dense, slack, i32(0), (name + "UbGap").str());
  Value ubStep =
      select(strided, mul(lanes, i32(32)), rowBytes, (name + "UbStep").str());
  buildFor(i32(0), copies, one, "copy", [&](Value copy) {
    Value from = add(offset, mul(widen64(copy), layout.rowStride));
    ascendc::DataCopyPadInOp::create(
        builder, loc, view(tensor.tile, tileElement(tensor), mul(copy, ubStep)),
        tensor.global, bytes(from, tensor), bytes(length, tensor), blocks,
        bytes(gap, tensor), ubGap, Value(), Value());
  });
}

void BroadcastKernelBuilder::buildStore(const KernelTensor &tensor,
                                        Value offset, Value rows, Value lanes,
                                        Value pitch) {
  const Layout &layout = layouts[tensor.index];
  StringRef name = tensor.name;
  Value one = i32(1);
  Value dense = is(layout, LoadForm::Dense);
  Value blocks = select(dense, rows, one, (name + "Blocks").str());
  Value copies = select(dense, one, rows, (name + "Copies").str());
  Value gap = select(dense, sub(layout.rowStride, widen64(lanes)), i64(0),
                     (name + "Gap").str());
  Value rowBytes = bytes(pitch, tensor, (name + "RowBytes").str());
  Value laneBytes = bytes(lanes, tensor);
  Value ubGap = sub(div(rowBytes, i32(32)), ceilDiv(laneBytes, i32(32)),
                    (name + "UbGap").str());
  buildFor(i32(0), copies, one, "copy", [&](Value copy) {
    Value to = add(offset, mul(widen64(copy), layout.rowStride));
    ascendc::DataCopyPadOutOp::create(
        builder, loc, tensor.global, bytes(to, tensor),
        view(tensor.tile, tileElement(tensor), mul(copy, rowBytes)), laneBytes,
        blocks, bytes(gap, tensor), ubGap);
  });
}

//===----------------------------------------------------------------------===//
// From what was loaded to a dense tile
//===----------------------------------------------------------------------===//

/// Fills rows x pitch from one row (alongRows) or from one block per row.
void BroadcastKernelBuilder::buildRepeat(Value dst, Value src, Value rows,
                                         Value pitch, bool alongRows,
                                         Value repeatStride) {
  Type f32Type = builder.getF32Type();
  Value pitchBlocks = div(pitch, i32(8));
  buildFor(i32(0), pitch, i32(64), "lane", [&](Value lane) {
    Value lanesLeft = sub(pitch, lane, "lanesLeft");
    Value width = min(lanesLeft, i32(64));
    Value from = alongRows ? view(src, f32Type, lane) : src;
    SmallVector<Value> dynamic{pitchBlocks};
    SmallVector<int64_t> strides{1, alongRows ? 1 : 0, ShapedType::kDynamic, 0};
    if (repeatStride) {
      strides.back() = ShapedType::kDynamic;
      dynamic.push_back(repeatStride);
    }
    ascendc::CopyOp::create(builder, loc, view(dst, f32Type, lane), from, width,
                            rows, dynamic, strides);
  });
}

Value BroadcastKernelBuilder::buildBlockOffsets(const KernelTensor &tensor,
                                                Value step, Value count) {
  Value index = fixedBuffer(tensor.name + "Index", builder.getI32Type(),
                            kMaxGatheredLanes);
  Value offsets = fixedBuffer(tensor.name + "Offsets", builder.getI32Type(),
                              kMaxGatheredLanes);
  ascendc::CreateVecIndexOp::create(builder, loc, index, i32(0), count);
  ascendc::MulsOp::create(builder, loc, offsets, index, step, count, Value(),
                          Value(), ValueRange(), DenseI64ArrayAttr());
  return view(offsets, builder.getIntegerType(32, /*isSigned=*/false));
}

/// Elements stand alone, one per block; widening made a block of 16-bit
/// elements two blocks long.
void BroadcastKernelBuilder::buildGather(const KernelTensor &tensor, Value dst,
                                         Value wide, Value rows, Value lanes,
                                         Value pitch) {
  Value step = div(i32(128), size(tensor), tensor.name + "Step");
  Value offsets = buildBlockOffsets(tensor, step, lanes);
  ascendc::DuplicateOp::create(builder, loc, dst, f32(0), mul(rows, pitch));
  buildFor(i32(0), rows, i32(1), "row", [&](Value row) {
    Value base = mul(mul(row, lanes), step);
    ascendc::GatherOp::create(builder, loc,
                              view(dst, builder.getF32Type(), mul(row, pitch)),
                              wide, offsets, base, lanes);
  });
}

/// One value per row, or one for all, along the lanes.
void BroadcastKernelBuilder::buildSpread(const KernelTensor &tensor, Value dst,
                                         Value wide, Value rows, Value lanes,
                                         Value pitch) {
  const Layout &layout = layouts[tensor.index];
  Value single = is(layout, LoadForm::Single);
  Value block =
      fixedBuffer(tensor.name + "Blocks", builder.getF32Type(), kMaxRows * 8);
  auto spread = [&](Value values, Value count) {
    ascendc::BrcbOp::create(builder, loc, block, values, ceilDiv(count, i32(8)),
                            ValueRange(), ArrayRef<int64_t>{1, 8});
  };
  buildIf(
      is(layout, LoadForm::StridedRows),
      [&] {
        Value step = div(i32(128), size(tensor), tensor.name + "Step");
        Value offsets = buildBlockOffsets(tensor, step, rows);
        Value packed = fixedBuffer(tensor.name + "Rows", builder.getF32Type(),
                                   kMaxGatheredLanes);
        ascendc::GatherOp::create(builder, loc, packed, wide, offsets, i32(0),
                                  rows);
        spread(packed, rows);
      },
      [&] { spread(wide, select(single, i32(1), rows)); });
  Value next = select(single, i32(0), i32(1), tensor.name + "RepeatStride");
  buildRepeat(dst, block, rows, pitch, false, next);
}

/// A copy fills rows up to the next block. Rows of float are padded to two
/// blocks, so one block per row may be left: nothing computed from it is
/// stored, but what it holds should not depend on what ran before.
void BroadcastKernelBuilder::buildPadding(const KernelTensor &tensor,
                                          Value rows, Value lanes,
                                          Value pitch) {
  const Layout &layout = layouts[tensor.index];
  if (!tensor.code && !elementType(tensor.element).isF32())
    return;
  Value hasRows = atMost(layout.form, static_cast<int>(LoadForm::RepeatRows));
  Value filled = roundUp(lanes, 8);
  Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        filled, pitch);
  Value leaves = arith::AndIOp::create(builder, loc, hasRows, isShort);
  if (tensor.code)
    leaves = arith::AndIOp::create(
        builder, loc, leaves,
        equals(tensor.code, static_cast<int>(DtypeCode::Float32)));
  buildIf(leaves, [&] {
    Value isRow = is(layout, LoadForm::RepeatRows);
    Value blocks = div(pitch, i32(8));
    Value tile = view(tensor.tile, builder.getF32Type());
    Value last = view(tile, builder.getF32Type(), sub(pitch, i32(8)));
    ascendc::CopyOp::create(builder, loc, last, zeros, i32(8),
                            select(isRow, i32(1), rows), ValueRange{blocks},
                            ArrayRef<int64_t>{1, 1, ShapedType::kDynamic, 0});
  });
}

Value BroadcastKernelBuilder::buildExpand(const KernelTensor &tensor,
                                          Value rows, Value lanes,
                                          Value pitch) {
  const Layout &layout = layouts[tensor.index];
  Value dst = buffer(tensor.name + "F32", builder.getF32Type());
  buildPadding(tensor, rows, lanes, pitch);
  Value isTile = atMost(layout.form, static_cast<int>(LoadForm::RowByRow));
  auto expand = [&] {
    Value wide = buffer(tensor.name + "Wide", builder.getF32Type());
    Value isRow = is(layout, LoadForm::RepeatRows);
    Value perRow = is(layout, LoadForm::RepeatLanes);
    Value strided = is(layout, LoadForm::Strided);
    Value apart = is(layout, LoadForm::StridedRows);
    Value perBlock = div(i32(32), size(tensor));
    Value gathered = mul(mul(rows, lanes), perBlock);
    Value rest =
        select(strided, gathered, select(apart, mul(rows, perBlock), i32(1)));
    Value count =
        select(isRow, pitch, select(perRow, rows, rest), tensor.name + "Count");
    buildWiden(tensor, wide, tensor.tile, count);
    buildIf(
        isRow, [&] { buildRepeat(dst, wide, rows, pitch, true, Value()); },
        [&] {
          buildIf(
              strided,
              [&] { buildGather(tensor, dst, wide, rows, lanes, pitch); },
              [&] { buildSpread(tensor, dst, wide, rows, lanes, pitch); });
        });
  };
  buildIf(
      isTile, [&] { buildWiden(tensor, dst, tensor.tile, mul(rows, pitch)); },
      expand);
  return dst;
}

//===----------------------------------------------------------------------===//
// Stages and process
//===----------------------------------------------------------------------===//

SmallVector<std::pair<std::string, Type>>
BroadcastKernelBuilder::stageArguments(bool in, bool out) {
  SmallVector<std::pair<std::string, Type>> arguments;
  for (KernelTensor &tensor : inputs)
    if (in && !tensor.variable)
      arguments.push_back({tensor.name + "Offset", builder.getI64Type()});
  for (KernelTensor &tensor : outputs)
    if (out)
      arguments.push_back({tensor.name + "Offset", builder.getI64Type()});
  arguments.push_back({"rows", builder.getI32Type()});
  arguments.push_back({"lanes", builder.getI32Type()});
  return arguments;
}

LogicalResult BroadcastKernelBuilder::buildStages() {
  LogicalResult result = success();
  auto pitchOf = [&](Value lanes) { return roundUp(lanes, kLanePad, "pitch"); };
  buildStage(ascendc::StageKind::CopyIn, "CopyIn",
             "Load one tile of the inputs, each as it lies in memory.",
             stageArguments(true, false), [&](ValueRange arguments) {
               Value rows = arguments.drop_back().back(),
                     lanes = arguments.back();
               Value pitch = pitchOf(lanes);
               unsigned next = 0;
               for (KernelTensor &tensor : inputs)
                 if (!tensor.variable)
                   buildLoad(tensor, arguments[next++], rows, lanes, pitch);
             });
  buildStage(ascendc::StageKind::Compute, "Compute",
             "Expand the inputs to dense tiles and compute in float.",
             stageArguments(false, false), [&](ValueRange arguments) {
               Value rows = arguments[0], lanes = arguments[1];
               Value pitch = pitchOf(lanes);
               SmallVector<Value> tiles;
               for (KernelTensor &tensor : inputs)
                 tiles.push_back(tensor.variable
                                     ? Value()
                                     : buildExpand(tensor, rows, lanes, pitch));
               result = buildBody(tiles, mul(rows, pitch, "count"));
             });
  buildStage(
      ascendc::StageKind::CopyOut, "CopyOut", "Store one tile of the results.",
      stageArguments(false, true), [&](ValueRange arguments) {
        Value rows = arguments.drop_back().back(), lanes = arguments.back();
        Value pitch = pitchOf(lanes);
        for (auto [i, tensor] : llvm::enumerate(outputs))
          buildStore(tensor, arguments[i], rows, lanes, pitch);
      });
  return result;
}

/// Where each moved tensor's part of the tile begins, in elements.
SmallVector<Value> BroadcastKernelBuilder::buildOffsets(Value outer, Value row,
                                                        Value lane) {
  SmallVector<KernelTensor *> tensors = moved();
  SmallVector<Value> inits{outer};
  for (KernelTensor *tensor : tensors) {
    const Layout &layout = layouts[tensor->index];
    inits.push_back(
        add(mul(row, layout.rowStride), mul(lane, layout.laneStride)));
  }
  Value firstAxis = field(member::kFirstAxis, builder.getI32Type());
  auto loop = scf::ForOp::create(builder, named("step"), firstAxis,
                                 i32(kRowAxis), i32(1), inits);
  loop.getRegionIterArg(0).setLoc(named("outer"));
  for (auto [i, tensor] : llvm::enumerate(tensors))
    loop.getRegionIterArg(i + 1).setLoc(named(tensor->name + "Start"));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto element = [&](StringRef member, Value index, StringRef name) -> Value {
      return ascendc::TilingFieldOp::create(
          builder, named(name), builder.getI64Type(),
          FlatSymbolRefAttr::get(builder.getContext(), member), index);
    };
    // From the innermost of the outer axes outwards.
    Value axis =
        sub(add(firstAxis, i32(kRowAxis - 1)), loop.getInductionVar(), "axis");
    Value extent = element(member::kExtents, axis, "extent");
    Value remaining = loop.getRegionIterArg(0);
    Value index = rem(remaining, extent, "index");
    SmallVector<Value> next;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      Value at = add(axis, i32(tensor->index * kAxes));
      Value stride = element(member::kStrides, at, tensor->name + "Stride");
      next.push_back(add(loop.getRegionIterArg(i + 1), mul(index, stride)));
    }
    next.insert(next.begin(), div(remaining, extent));
    scf::YieldOp::create(builder, loc, next);
  }
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

void BroadcastKernelBuilder::buildProcess() {
  Type wide = builder.getI64Type();
  Value coreLength = field(member::kCoreLength, wide);
  Value extraCores = field(member::kExtraCores, wide);
  Value rowBlocks = field(member::kRowBlocks, wide);
  Value laneBlocks = field(member::kLaneBlocks, wide);
  Value rowTile =
      widen64(field(member::kRowTile, builder.getI32Type()), "rowStep");
  Value laneTile =
      widen64(field(member::kLaneTile, builder.getI32Type()), "laneStep");
  Value allRows = field(member::kExtents, wide, kRowAxis, "allRows");
  Value allLanes = field(member::kExtents, wide, kLaneAxis, "allLanes");
  Value core = ascendc::GetBlockIdxOp::create(builder, named("core"));
  // The first extraCores cores take one tile more.
  Value begin = add(mul(core, coreLength), min(core, extraCores), "begin");
  Value isExtra = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        core, extraCores);
  Value end =
      add(begin, add(coreLength, select(isExtra, i64(1), i64(0))), "end");
  buildFor(begin, end, i64(1), "tile", [&](Value tile) {
    Value rest = div(tile, laneBlocks, "rest");
    Value lane = mul(rem(tile, laneBlocks), laneTile, "lane");
    Value row = mul(rem(rest, rowBlocks), rowTile, "row");
    Value rowsLeft = sub(allRows, row, "rowsLeft");
    Value lanesLeft = sub(allLanes, lane, "lanesLeft");
    Value rows = narrow32(min(rowsLeft, rowTile), "rows");
    Value lanes = narrow32(min(lanesLeft, laneTile), "lanes");
    SmallVector<Value> offsets = buildOffsets(div(rest, rowBlocks), row, lane);
    size_t loaded = offsets.size() - outputs.size();
    SmallVector<Value> in(offsets.begin(), offsets.begin() + loaded);
    SmallVector<Value> out(offsets.begin() + loaded, offsets.end());
    for (SmallVector<Value> *arguments : {&in, &out})
      arguments->append({rows, lanes});
    ascendc::RunOp::create(builder, loc, "CopyIn", in);
    ascendc::RunOp::create(builder, loc, "Compute", ValueRange{rows, lanes});
    ascendc::RunOp::create(builder, loc, "CopyOut", out);
  });
}

std::unique_ptr<KernelBuilder>
lossgrad::createBroadcastKernelBuilder(lossgrad::KernelOp source,
                                       ascendc::ProgramOp program) {
  return std::make_unique<BroadcastKernelBuilder>(source, program);
}
