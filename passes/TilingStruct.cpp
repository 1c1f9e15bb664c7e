//===- TilingStruct.cpp - The members of the tiling data ------------------===//
//
// What kernels of an operator read: the shape of the work, element types, and
// uniform values of the formula with their definitions. See TilingParts.h.
//
//===----------------------------------------------------------------------===//

#include "passes/FormulaText.h"
#include "passes/TilingParts.h"
#include "passes/UniformNames.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace lossgrad;

bool lossgrad::hasRunTimeTypes(const ScheduledArch &arch) {
  bool found = false;
  auto note = [&](auto border) {
    found |= border.getElement().getBinding() == Binding::RunTime;
  };
  for (const ScheduledVariant &variant : arch.variants)
    for (lossgrad::KernelOp kernel : variant.kernels) {
      kernel.walk([&](WidenOp widen) { note(widen); });
      kernel.walk([&](NarrowOp narrow) { note(narrow); });
    }
  return found;
}

void lossgrad::forEachPlanMember(OperatorOp op, const ScheduledArch &arch,
                                 MLIRContext *context,
                                 function_ref<void(const PlanMember &)> visit) {
  Type i64 = IntegerType::get(context, 64), i32 = IntegerType::get(context, 32);
  int64_t tensors = getPackTensors(op).size();
  bool anyReduces = llvm::any_of(arch.variants, reduces);
  bool anyFlat = !llvm::all_of(arch.variants, reduces);
  // What only kernels with tiles of rows and lanes read.
  std::string tiles = anyReduces ? "" : "broadcast: ";
  auto visitTile = [&](StringRef name, Type type, StringRef doc,
                       int64_t count = 0) {
    std::string text = tiles + doc.str();
    visit({name, type, text, count});
  };
  if (anyFlat)
    visit({member::kElements, i64, "flat: elements of the output"});
  StringRef work = !anyReduces ? "elements (flat) or tiles (broadcast)"
                   : anyFlat   ? "elements (flat), tiles or units"
                               : "units";
  visit({member::kCoreLength, i64, "work of each core: " + work.str()});
  StringRef more = !anyReduces
                       ? "one granule (flat) or one tile (broadcast) more"
                   : anyFlat ? "one granule (flat), tile or unit more"
                             : "one unit more";
  visit({member::kExtraCores, i64, "cores that get " + more.str()});
  visitTile(member::kRowBlocks, i64, "tiles along the rows");
  visitTile(member::kLaneBlocks, i64, "tiles along the lanes");
  if (anyReduces)
    visit({member::kSteps, i64, "tiles of a unit along reduced axes"});
  visitTile(member::kExtents, i64, "outer axes, rows, lanes", kAxes);
  visitTile(member::kStrides, i64,
            "elements between neighbours, by tensor and axis", kAxes * tensors);
  visit(
      {member::kTileLength, i32, "elements of a tile in UB", 0, getGranule()});
  visitTile(member::kRowTile, i32, "rows of a tile");
  visitTile(member::kLaneTile, i32, "lanes of a tile");
  visitTile(member::kFirstAxis, i32, "first outer axis that is there");
  if (anyReduces) {
    visit({member::kTileRows, i32,
           "rows of a tile, of which a group has several"});
    visit({member::kStepAxis, i32, "first outer axis of the steps"});
    visit({member::kReducedAxis, i32, "axis that is reduced, or of classes"});
    if (llvm::any_of(arch.variants, [](const ScheduledVariant &variant) {
          return variant.shape.hasLaunch;
        })) {
      visit({member::kLaunchRows, i32, "rows in a step of a sum over all"});
      visit({member::kLaunchSplit, i32, "1 if the cores share those steps"});
    }
    visit({member::kWalksRows, i32, "1 if steps go along the rows"});
    visit({member::kWalksLanes, i32, "1 if steps go along the lanes"});
    visit({member::kRowLength, i32, "elements of a row that stays in UB", 0,
           getGranule()});
  }
  visit({member::kBypassL2, i32, "1 if what is read once is read past L2"});
  visitTile(member::kForms, i32, "how each tensor lies in a tile, see LoadForm",
            tensors);
}

namespace {

/// The members of the tiling struct, each once.
class StructBuilder {
public:
  StructBuilder(OperatorOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(withoutName(op.getLoc())),
        formula(getFormulaNames(op)), taken(formula) {}

  void build(ArrayRef<ScheduledArch> archs);

private:
  void member(StringRef name, Type type, StringRef doc, int64_t array = 0,
              int64_t multiple = 0) {
    ascendc::TilingMemberOp::create(
        builder, loc, name, type,
        array ? builder.getI64IntegerAttr(array) : IntegerAttr(),
        multiple ? builder.getI64IntegerAttr(multiple) : IntegerAttr(),
        builder.getStringAttr(doc));
  }
  void buildShape(ArrayRef<ScheduledArch> archs);
  void collectSteps(Value value, SmallVectorImpl<Value> &steps,
                    llvm::DenseSet<Value> &seen);
  bool nameStep(Value step);
  void buildCoefficients(ArrayRef<ScheduledArch> archs, bool ofInts);

  OperatorOp op;
  OpBuilder &builder;
  Location loc;
  llvm::StringSet<> formula; // names that it defines
  llvm::StringSet<> taken;
  llvm::DenseMap<Value, std::string> called; // members, and steps on the way
  llvm::DenseMap<unsigned, std::string> stepNames;
  ValueNumbers numbers;
};

} // namespace

/// What does not depend on the formula.
void StructBuilder::buildShape(ArrayRef<ScheduledArch> archs) {
  llvm::StringSet<> known;
  for (const ScheduledArch &arch : archs)
    forEachPlanMember(op, arch, op.getContext(), [&](const PlanMember &each) {
      if (known.insert(each.name).second)
        member(each.name, each.type, each.doc, each.count, each.multiple);
    });
}

/// Named values on the way to `value` that several others are computed from
/// and neither the formula nor a member explains, the nearest first. A shared
/// value is looked at once.
void StructBuilder::collectSteps(Value value, SmallVectorImpl<Value> &steps,
                                 llvm::DenseSet<Value> &seen) {
  for (Value operand : value.getDefiningOp()->getOperands()) {
    StringRef name = getValueName(operand);
    if (formula.contains(name) || called.contains(operand) ||
        isa<ConstantOp, AttributeOp>(operand.getDefiningOp()) ||
        !seen.insert(operand).second)
      continue;
    if (!name.empty() && !operand.hasOneUse())
      steps.push_back(operand);
    collectSteps(operand, steps, seen);
  }
}

/// Calls a step something; whether that is new, so that it is explained where
/// it is met first.
bool StructBuilder::nameStep(Value step) {
  auto [it, isNew] = stepNames.try_emplace(numbers.get(step));
  if (isNew) {
    StringRef base = getValueName(step);
    it->second = base.str();
    for (unsigned i = 1; !taken.insert(it->second).second; ++i)
      it->second = base.str() + std::to_string(i);
  }
  called[step] = it->second;
  return isNew;
}

/// Uniform values of the formula: ints as they are; numbers in float32,
/// conditions as 0 or 1.
void StructBuilder::buildCoefficients(ArrayRef<ScheduledArch> archs,
                                      bool ofInts) {
  llvm::MapVector<StringRef, Value> coefficients;
  for (const ScheduledArch &arch : archs)
    for (const ScheduledVariant &variant : arch.variants)
      for (auto &[name, value] : variant.uniforms)
        coefficients.insert({name, value});
  for (auto &[name, value] : coefficients) {
    Kind kind = cast<ValueType>(value.getType()).getKind();
    if ((kind == Kind::Int) != ofInts)
      continue;
    SmallVector<Value> steps;
    llvm::DenseSet<Value> seen;
    collectSteps(value, steps, seen);
    llvm::erase_if(steps, [&](Value step) { return !nameStep(step); });
    std::string doc = (kind == Kind::Bool ? "1 if " : "") +
                      getDefinition(value, formula, called);
    for (Value step : steps)
      doc += "; " + called[step] + " = " + getDefinition(step, formula, called);
    member(name,
           kind == Kind::Int    ? Type(builder.getI64Type())
           : kind == Kind::Bool ? Type(builder.getI32Type())
                                : Type(builder.getF32Type()),
           doc);
  }
}

void StructBuilder::build(ArrayRef<ScheduledArch> archs) {
  auto structOp =
      ascendc::TilingStructOp::create(builder, loc, tilingStructName(op));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&structOp.getBody().emplaceBlock());
  for (const ScheduledArch &arch : archs)
    for (const ScheduledVariant &variant : arch.variants)
      for (auto &[name, value] : variant.uniforms) {
        called[value] = name;
        taken.insert(name);
      }
  buildCoefficients(archs, /*ofInts=*/true);
  buildShape(archs);
  if (llvm::any_of(archs, hasRunTimeTypes))
    for (ParamAttr tensor : getPackTensors(op))
      member(dtypeMember(tensor.getName()), builder.getI32Type(),
             tensor.getKind() == Kind::Int
                 ? "element type: 3 int64_t, 4 int32_t, 5 uint8_t"
                 : "element type: 0 float, 1 half, 2 bfloat16_t");
  buildCoefficients(archs, /*ofInts=*/false);
}

void lossgrad::buildTilingStruct(OperatorOp op, ArrayRef<ScheduledArch> archs,
                                 OpBuilder &builder) {
  StructBuilder(op, builder).build(archs);
}
