//===- CheckCoverage.cpp - What the checks of a record miss ---------------===//

#include "codegen/Import/CheckCoverage.h"

#include "dialect/LossGrad/Contract/Coverage.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;

static std::string quoteAll(ArrayRef<std::string> names) {
  return "\"" + llvm::join(names, "\", \"") + "\"";
}

/// The check class that says what the dims of a tensor say.
static std::string suggestShapeCheck(OperatorOp op, ParamAttr param) {
  std::string name = param.getName().str();
  for (StringAttr dimName : param.getShape().getDims()) {
    DimAttr dim = op.findDim(dimName);
    if (dim.getKind() != DimKind::Broadcast)
      continue;
    std::vector<std::string> refs;
    for (StringAttr ref : dim.getRefs())
      refs.push_back(ref.str());
    if (!param.isInput())
      return "BroadcastShapeIs<[" + quoteAll(refs) + "], \"" + name + "\">";
    if (llvm::is_contained(dim.getRefs(), param.getName()))
      return "BroadcastCheck<[" + quoteAll(refs) + "]>";
    return "BroadcastsInto<\"" + name + "\", [" + quoteAll(refs) + "]>";
  }
  if (param.getShape().getDims().empty())
    return "NumelIs<1, [\"" + name + "\"]>";
  if (param.getShape().getConditionName())
    return "a check of its shape under each condition";
  return "DeclaredShape<[\"" + name + "\"]>";
}

/// One message for all tensors that lack the same check.
static void reportTensors(OperatorOp op, ArrayRef<Gap> gaps, GapKind kind,
                          StringRef what, StringRef check, Location loc) {
  std::vector<std::string> names;
  for (const Gap &gap : gaps) {
    ParamAttr param = op.findParam(gap.name);
    if (gap.kind != kind || !param)
      continue;
    if (kind == GapKind::Null && param.getRole() == Role::Optional)
      emitError(loc) << "the formulas read optional '" << gap.name
                     << "' where it is null; read it under (select (present $"
                     << gap.name << "), ...)";
    else
      names.push_back(gap.name);
  }
  if (!names.empty())
    emitError(loc) << what << " '" << llvm::join(names, "', '") << "'; add "
                   << check << "<[" << quoteAll(names) << "]>";
}

static void reportOthers(OperatorOp op, const Gap &gap, Location loc) {
  switch (gap.kind) {
  case GapKind::Null:
  case GapKind::DType:
    return;
  case GapKind::Order: {
    bool optional = op.findParam(gap.name).getRole() == Role::Optional;
    emitError(loc) << "the checks ask about '" << gap.name
                   << "' where it is null; "
                   << (optional ? "put them under IfPresent<\""
                                : "first comes NullCheck<[\"")
                   << gap.name << (optional ? "\", ...>" : "\"]>");
    return;
  }
  case GapKind::Shape:
    emitError(loc) << "the checks accept '" << gap.name << "' with "
                   << gap.found << "; add "
                   << suggestShapeCheck(op, op.findParam(gap.name));
    return;
  case GapKind::Attribute:
    emitError(loc) << "the checks accept values of '" << gap.name
                   << "' with which " << gap.found << "; add AttrIsAxis<\""
                   << gap.name << "\", ...> or another check of it";
    return;
  case GapKind::Overlap:
    emitError(loc) << "'" << gap.name
                   << "' may lie in place of an input, but the checks do not "
                      "say how: "
                   << gap.found << "; add InPlaceCheck<\"" << gap.name
                   << "\", \""
                   << op.findParam(gap.name).getInPlaceOf().getValue() << "\">";
    return;
  case GapKind::Product:
    emitError(loc) << "the checks accept products that the operator "
                      "does not support; add ProductCheck";
  }
}

LogicalResult lossgrad::checkCoverage(OperatorOp op, Location loc) {
  Coverage coverage = findGaps(op);
  if (!coverage.anyAccepted) {
    emitWarning(loc)
        << "no call was found that the checks accept, so that nobody knows "
           "whether they refuse what they must";
    return success();
  }
  if (llvm::any_of(coverage.gaps, [](const Gap &gap) {
        return gap.name == kWorkspaceSizeArg || gap.name == kExecutorArg;
      }))
    emitError(loc) << "the checks accept null for 'workspaceSize' or "
                      "'executor'; add ArgPointers";
  reportTensors(op, coverage.gaps, GapKind::Null, "the checks accept null for",
                "NullCheck", loc);
  reportTensors(op, coverage.gaps, GapKind::DType,
                "the checks accept dtypes that are not declared for",
                "DtypeCheck", loc);
  for (const Gap &gap : coverage.gaps)
    reportOthers(op, gap, loc);
  return success(coverage.gaps.empty());
}
