//===- ConvertFlat.cpp - The kernel of the elementwise flat schedule ------===//
//
// All tensors are one dense run of the same length. Each core takes a
// contiguous part, in granules, and walks over it in tiles.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class FlatKernelBuilder : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

private:
  void buildMembers() override;
  void buildInit() override;
  LogicalResult buildStages() override;
  void buildProcess() override;
  SmallVector<std::pair<std::string, Type>> copyArguments() {
    return {{"offset", builder.getI64Type()}, {"count", builder.getI32Type()}};
  }
};

} // namespace

void FlatKernelBuilder::buildMembers() {
  for (auto *list : {&inputs, &outputs})
    for (KernelTensor &tensor : *list)
      if (!tensor.variable)
        tensor.tile =
            buffer(tensor.name, tileElement(tensor), tensor.code ? 4 : 1);
}

void FlatKernelBuilder::buildInit() {
  SmallVector<Value> streamed;
  for (KernelTensor &tensor : inputs)
    if (!tensor.variable)
      streamed.push_back(tensor.global);
  if (streamed.empty())
    return;
  Value bypass = field(member::kBypassL2, builder.getI32Type());
  buildIf(equals(bypass, 1),
          [&] { ascendc::BypassL2Op::create(builder, loc, streamed); });
}

LogicalResult FlatKernelBuilder::buildStages() {
  LogicalResult result = success();
  buildStage(ascendc::StageKind::CopyIn, "CopyIn",
             "Load one tile of the inputs.", copyArguments(),
             [&](ValueRange arguments) {
               for (KernelTensor &tensor : inputs)
                 if (!tensor.variable)
                   ascendc::LoadDenseOp::create(builder, loc, tensor.tile,
                                                tensor.global, arguments[0],
                                                arguments[1], tensor.code);
             });
  buildStage(
      ascendc::StageKind::Compute, "Compute", "Compute one tile in float.",
      {{"count", builder.getI32Type()}}, [&](ValueRange arguments) {
        Value count = arguments[0];
        SmallVector<Value> tiles;
        for (KernelTensor &tensor : inputs) {
          bool isFloat = !tensor.code && elementType(tensor.element).isF32();
          if (tensor.variable || isFloat) {
            tiles.push_back(tensor.tile);
            continue;
          }
          Value wide = buffer(tensor.name + "F32", builder.getF32Type());
          buildWiden(tensor, wide, tensor.tile, count);
          tiles.push_back(wide);
        }
        result = buildBody(tiles, count);
      });
  buildStage(ascendc::StageKind::CopyOut, "CopyOut",
             "Store one tile of the results.", copyArguments(),
             [&](ValueRange arguments) {
               for (KernelTensor &tensor : outputs)
                 ascendc::StoreDenseOp::create(builder, loc, tensor.global,
                                               arguments[0], tensor.tile,
                                               arguments[1], tensor.code);
             });
  return result;
}

void FlatKernelBuilder::buildProcess() {
  Value share = ascendc::FlatShareOp::create(builder, named("share"));
  buildShareLoop(share, "offset", [&](Value offset) {
    Value count =
        ascendc::ShareCountOp::create(builder, named("count"), share, offset);
    ascendc::RunOp::create(builder, loc, "CopyIn", ValueRange{offset, count});
    ascendc::RunOp::create(builder, loc, "Compute", ValueRange{count});
    ascendc::RunOp::create(builder, loc, "CopyOut", ValueRange{offset, count});
  });
}

std::unique_ptr<KernelBuilder>
lossgrad::createFlatKernelBuilder(lossgrad::KernelOp source,
                                  ascendc::ProgramOp program) {
  return std::make_unique<FlatKernelBuilder>(source, program);
}
