//===- Families.cpp - Which products a pass works for ---------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "passes/Families.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace lossgrad {

ArrayAttr FamilyGroup::getNames(Builder &builder) const {
  SmallVector<StringRef> names;
  for (const targets::Family *family : families)
    names.push_back(family->key);
  return builder.getStrArrayAttr(names);
}

const targets::Family *findProduct(StringRef request) {
  std::string_view name(request.data(), request.size());
  if (const targets::Family *family = targets::findFamily(name))
    return family;
  if (const targets::Family *family = targets::findComputeUnit(name))
    return family;
  if (const targets::Soc *soc = targets::findSoc(name))
    return soc->family;
  return nullptr;
}

static void add(SmallVectorImpl<FamilyGroup> &groups,
                const targets::Family *family) {
  for (FamilyGroup &group : groups)
    if (group.arch == family->npuArch) {
      if (!llvm::is_contained(group.families, family))
        group.families.push_back(family);
      return;
    }
  groups.push_back({family->npuArch, {family}});
}

FailureOr<SmallVector<FamilyGroup>>
selectFamilies(OperatorOp op, ArrayRef<StringRef> requests) {
  SmallVector<FamilyGroup> groups;
  for (StringRef request : requests) {
    const targets::Family *family = findProduct(request);
    if (!family)
      return op.emitError() << "unknown product '" << request
                            << "'; expected a family (A2), a compute unit "
                               "(ascend910b) or a chip (Ascend910B1)";
    if (!op.hasProduct(family->key))
      return op.emitError()
             << "does not list " << family->key << " among its products";
    add(groups, family);
  }
  if (requests.empty())
    for (auto product : op.getProducts().getAsRange<StringAttr>())
      if (const targets::Family *family =
              targets::findFamily(std::string_view(product.getValue())))
        add(groups, family);
  if (groups.empty())
    return op.emitError("has no product");
  // The order of the tables, whatever the order of the request.
  for (FamilyGroup &group : groups)
    llvm::sort(group.families);
  llvm::sort(groups, [](const FamilyGroup &l, const FamilyGroup &r) {
    return l.arch < r.arch;
  });
  return groups;
}

bool allHave(ArrayRef<const targets::Family *> families, targets::Api api) {
  return llvm::all_of(families, [&](const targets::Family *family) {
    return family->has(api);
  });
}

SmallVector<FamilyGroup> groupFamilies(ArrayAttr names) {
  SmallVector<FamilyGroup> groups;
  for (auto name : names.getAsRange<StringAttr>())
    if (const targets::Family *family =
            targets::findFamily(std::string_view(name.getValue())))
      add(groups, family);
  return groups;
}

} // namespace lossgrad
