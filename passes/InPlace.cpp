//===- InPlace.cpp - May a kernel write over its input? -------------------===//
//
// See the header. Within one tile an element is loaded before it is stored, and
// tiles of one sweep share no elements, in whatever order their loads and
// stores run. So what matters is which sweeps read the input, and which other
// elements or cores are served from it.
//
//===----------------------------------------------------------------------===//

#include "passes/InPlace.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lossgrad;

namespace {

class Reader {
public:
  Reader(KernelOp kernel, ParamAttr output)
      : space(kernel.getSpace()), input(output.getInPlaceOf()),
        sweeps(kernel.getBody().getOps<SweepOp>()) {
    for (auto [i, sweep] : llvm::enumerate(sweeps))
      if (llvm::is_contained(sweep.getEnd().getOutputs(), output.getName()))
        store = i;
  }

  std::string findFault();

private:
  std::string findFault(size_t reading, BlockArgument argument, Access access);
  bool hasReduced(ValueType type) const {
    return space.getReduced() &&
           llvm::any_of(type.getDims(), [&](StringAttr dim) {
             return llvm::is_contained(space.getReduced().getDims(), dim);
           });
  }

  SpaceAttr space;
  StringAttr input;
  SmallVector<SweepOp> sweeps;
  size_t store = 0;
};

} // namespace

std::string Reader::findFault(size_t reading, BlockArgument argument,
                              Access access) {
  SweepOp sweep = sweeps[reading];
  bool isTable = access == Access::Table;
  // Cores do not wait for each other.
  if (sweep.isPerLaunch())
    return "sums it up on every core before it is overwritten on any";
  // A row that stays in UB was loaded before the first of its tiles is stored.
  bool isAtHand = access == Access::Resident || access == Access::Kept;
  if (reading > store && !isAtHand)
    return "reads it after a sweep that overwrites it";
  if (reading == store && isTable && sweep.walksReduced())
    return "looks elements of it up while others are overwritten";
  // Cores that share rows read what one of them stores, unless they have
  // exchanged sums in between.
  bool isShared = isTable || !hasReduced(cast<ValueType>(argument.getType()));
  if ((!space.isSplit() && !space.takesSingleRows()) || !isShared)
    return "";
  for (size_t i = reading; i < store; ++i)
    if (!sweeps[i].getEnd().getReduced().empty() && !sweeps[i].isPerLaunch())
      return "";
  return "reads it on several cores, one of which overwrites it";
}

std::string Reader::findFault() {
  for (auto [i, sweep] : llvm::enumerate(sweeps))
    for (auto [name, access, argument] :
         llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                         sweep.getAccesses().getAsRange<AccessAttr>(),
                         sweep.getBody().getArguments()))
      if (name == input)
        if (std::string fault = findFault(i, argument, access.getValue());
            !fault.empty())
          return fault;
  return "";
}

std::string lossgrad::whyNotInPlace(KernelOp kernel) {
  for (ParamAttr output : kernel.getOperator().getOutputs())
    if (output.getInPlaceOf())
      if (std::string fault = Reader(kernel, output).findFault();
          !fault.empty())
        return fault;
  return "";
}
