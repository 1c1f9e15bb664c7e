//===- ProductLimits.cpp - What holds on every product --------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/ProductLimits.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cassert>

using namespace lossgrad;
using namespace lossgrad::ascendc;

ProductLimits ProductLimits::of(const targets::Family &family) {
  ProductLimits limits{family.blockBytes, family.repeatBytes, family.maxRepeat,
                       family.gmLineBytes, 0};
  for (const targets::Soc *soc = targets::socsBegin();
       soc != targets::socsEnd(); ++soc)
    if (soc->family == &family)
      limits.cores = std::max<int64_t>(limits.cores, soc->kernelCores());
  return limits;
}

const ProductLimits &ProductLimits::ofAll() {
  static const ProductLimits limits = [] {
    ProductLimits all = of(*targets::familiesBegin());
    for (const targets::Family *family = targets::familiesBegin();
         family != targets::familiesEnd(); ++family) {
      ProductLimits one = of(*family);
      // Tensors lie in UB in the same way everywhere.
      assert(one.blockBytes == all.blockBytes &&
             one.repeatBytes == all.repeatBytes && "another vector unit");
      all.maxRepeat = std::min(all.maxRepeat, one.maxRepeat);
      all.lineBytes = std::max(all.lineBytes, one.lineBytes);
      all.cores = std::max(all.cores, one.cores);
    }
    assert(all.getGranule() * 2 % all.repeatBytes == 0 &&
           "a granule is no whole number of repeats");
    return all;
  }();
  return limits;
}

std::string ProductLimits::fill(llvm::StringRef text) const {
  const std::pair<llvm::StringRef, int64_t> numbers[] = {
      {"@BLOCK_BYTES@", blockBytes}, {"@REPEAT_BYTES@", repeatBytes},
      {"@MAX_REPEAT@", maxRepeat},   {"@MAX_ROWS@", getMaxRows()},
      {"@LINE_BYTES@", lineBytes},   {"@GRANULE@", getGranule()}};
  std::string filled = text.str();
  for (auto [mark, number] : numbers) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(filled).split(parts, mark);
    filled = llvm::join(parts, std::to_string(number));
  }
  return filled;
}
