//===- ConvertBroadcast.cpp - The kernel of the broadcast schedule --------===//
//
// Tiles of rows and lanes over the collapsed axes. Every operand is loaded as
// it lies in memory and brought to a dense float32 tile, in the form that the
// host chose for it. How the forms are loaded and expanded is in the emitted
// tile header; here stands what is done with which tensor. Lanes are padded to
// whole blocks, and what the padding holds is never stored.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class BroadcastKernelBuilder : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

private:
  /// Tiles are raw bytes, so that one copy serves all element types.
  Type tileElement(const KernelTensor &) override {
    return builder.getIntegerType(8, /*isSigned=*/false);
  }
  void buildMembers() override;
  LogicalResult buildStages() override;
  void buildProcess() override;

  Value buildExpand(const KernelTensor &tensor, Value position);

  llvm::DenseMap<unsigned, Value> layouts; // by index of the tensor
  Value grid;
};

} // namespace

void BroadcastKernelBuilder::buildMembers() {
  grid = ascendc::TileGridOp::create(builder, loc, "grid");
  for (auto *tensors : {&inputs, &outputs})
    for (KernelTensor &tensor : *tensors) {
      if (tensor.variable)
        continue;
      tensor.tile = buffer(tensor.name, tileElement(tensor), 4);
      layouts[tensor.index] =
          ascendc::TileLayoutOp::create(builder, loc, tensor.name + "Layout",
                                        tensor.index, dtypeCode(tensor));
    }
}

Value BroadcastKernelBuilder::buildExpand(const KernelTensor &tensor,
                                          Value position) {
  Value dst = buffer(tensor.name + "F32", builder.getF32Type());
  Value wide = buffer("wide", builder.getF32Type());
  Value blocks = fixedBuffer("rowBlocks", builder.getF32Type(), kMaxRows * 8);
  ascendc::ExpandTileOp::create(builder, loc, dst, tensor.tile,
                                layouts[tensor.index], position, wide, blocks);
  return dst;
}

LogicalResult BroadcastKernelBuilder::buildStages() {
  LogicalResult result = success();
  std::pair<std::string, Type> at{
      "at", ascendc::TilePositionType::get(builder.getContext())};
  buildStage(ascendc::StageKind::CopyIn, "CopyIn",
             "Load one tile of the inputs, each as it lies in memory.", {at},
             [&](ValueRange arguments) {
               for (KernelTensor &tensor : inputs)
                 if (!tensor.variable)
                   ascendc::LoadTileOp::create(
                       builder, loc, tensor.tile, tensor.global,
                       layouts[tensor.index], arguments[0]);
             });
  buildStage(ascendc::StageKind::Compute, "Compute",
             "Expand the inputs to dense tiles and compute in float.", {at},
             [&](ValueRange arguments) {
               SmallVector<Value> tiles;
               for (KernelTensor &tensor : inputs)
                 tiles.push_back(tensor.variable
                                     ? Value()
                                     : buildExpand(tensor, arguments[0]));
               Value count = ascendc::TileCountOp::create(
                   builder, named("count"), builder.getI32Type(), arguments[0]);
               result = buildBody(tiles, count);
             });
  buildStage(ascendc::StageKind::CopyOut, "CopyOut",
             "Store one tile of the results.", {at}, [&](ValueRange arguments) {
               for (KernelTensor &tensor : outputs)
                 ascendc::StoreTileOp::create(
                     builder, loc, tensor.global, tensor.tile,
                     layouts[tensor.index], arguments[0]);
             });
  return result;
}

void BroadcastKernelBuilder::buildProcess() {
  Value share = ascendc::TileShareOp::create(builder, named("share"));
  buildShareLoop(share, "tile", [&](Value tile) {
    Value at = ascendc::TileAtOp::create(
        builder, named("at"),
        ascendc::TilePositionType::get(builder.getContext()), grid, tile);
    for (StringRef stage : {"CopyIn", "Compute", "CopyOut"})
      ascendc::RunOp::create(builder, loc, stage, at);
  });
}

std::unique_ptr<KernelBuilder>
lossgrad::createBroadcastKernelBuilder(lossgrad::KernelOp source,
                                       ascendc::ProgramOp program) {
  return std::make_unique<BroadcastKernelBuilder>(source, program);
}
