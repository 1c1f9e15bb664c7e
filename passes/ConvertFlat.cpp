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
  /// In raw tiles positions count bytes.
  Value scaled(const KernelTensor &tensor, Value elements) {
    if (!tensor.code)
      return elements;
    bool wide = elements.getType().isInteger(64);
    return mul(elements, wide ? widen64(tensor.size) : tensor.size);
  }
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
  if (llvm::all_of(inputs, [](KernelTensor &t) { return t.variable; }))
    return;
  Value bypass = field(member::kBypassL2, builder.getI32Type());
  buildIf(equals(bypass, 1), [&] {
    for (KernelTensor &tensor : inputs)
      if (!tensor.variable)
        ascendc::SetL2CacheHintOp::create(builder, loc, tensor.global,
                                          /*bypass=*/true);
  });
}

LogicalResult FlatKernelBuilder::buildStages() {
  LogicalResult result = success();
  buildStage(
      ascendc::StageKind::CopyIn, "CopyIn", "Load one tile of the inputs.",
      copyArguments(), [&](ValueRange arguments) {
        for (KernelTensor &tensor : inputs)
          if (!tensor.variable)
            ascendc::DataCopyPadInOp::create(
                builder, loc, tensor.tile, tensor.global,
                scaled(tensor, arguments[0]), scaled(tensor, arguments[1]),
                Value(), Value(), Value(), Value(), Value());
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
                 ascendc::DataCopyPadOutOp::create(
                     builder, loc, tensor.global, scaled(tensor, arguments[0]),
                     tensor.tile, scaled(tensor, arguments[1]), Value(),
                     Value(), Value());
             });
  return result;
}

void FlatKernelBuilder::buildProcess() {
  Type wide = builder.getI64Type();
  Value elements = field(member::kElements, wide);
  Value coreLength = field(member::kCoreLength, wide);
  Value extraCores = field(member::kExtraCores, wide);
  Value core = ascendc::GetBlockIdxOp::create(builder, named("core"));
  // The first extraCores cores take one granule more.
  Value before = min(core, extraCores);
  Value begin = add(mul(core, coreLength), mul(before, i64(kGranule)), "begin");
  Value isExtra = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        core, extraCores);
  Value extra = select(isExtra, i64(kGranule), i64(0));
  Value ownEnd = add(add(begin, coreLength), extra, "ownEnd");
  Value end = min(ownEnd, elements, "end");
  Value step = widen64(tileLength, "step");
  buildFor(begin, end, step, "offset", [&](Value offset) {
    Value left = sub(end, offset, "left");
    Value count = narrow32(min(left, step), "count");
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
