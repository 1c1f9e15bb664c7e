//===- Reductions.cpp - Reductions within a tile --------------------------===//
//
// Along the lanes they leave one value per row, along the rows one per lane.
// What takes several tiles or cores ends a sweep (LowerReductions.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/Body/BodyPatterns.h"
#include "passes/BodyNames.h"

using namespace mlir;
using namespace lossgrad;

namespace {

struct ReduceTile : BodyPattern<ReduceOp> {
  using BodyPattern::BodyPattern;

  Value lower(ReduceOp op, ArrayRef<Held> x) const override {
    KernelBuilder &kernel = body.kernel;
    Location loc = kernel.loc;
    ascendc::Fold fold = foldOf(op.getReduceKind());
    Value source = body.asTile(x[0], "summands");
    Layout layout = layoutOf(op);
    std::string name = callReduction(op);
    Value dst = body.fresh(op, name.empty() ? roleOf(op.getReduceKind()) : name,
                           layout);
    if (kernel.source.getSpace().isPacked())
      ascendc::ReducePackedOp::create(body.builder, loc, fold, dst, source,
                                      kernel.takeOffsets, body.tile.at);
    else if (layout == Layout::Rows)
      ascendc::ReduceLanesOp::create(body.builder, loc, fold, dst, source,
                                     body.temporary("folded", Layout::Tile),
                                     body.tile.at);
    else
      ascendc::ReduceRowsOp::create(body.builder, loc, fold, dst, source,
                                    body.tile.at);
    return dst;
  }
};

} // namespace

void lossgrad::populateReductionPatterns(RewritePatternSet &patterns,
                                         const LayoutConverter &layouts,
                                         BodyBuilder &body) {
  patterns.add<ReduceTile>(layouts, body, kOrdinary);
}
