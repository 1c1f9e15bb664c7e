//===- KernelMembers.cpp - Tensors and members of an AscendC kernel -------===//
//
// What a kernel has beside its stages: arguments, tiling members, tensors with
// their tiles, and what is done once when it starts. See KernelBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Families.h"
#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;

namespace lossgrad {
/// A tensor that some sweep reads or stores.
struct TensorUse {
  std::string name;
  ElementAttr element;
  Type type;
  Access access = Access::Stream;
  bool isOutput = false;

  bool isTable() const { return access == Access::Table; }
};
} // namespace lossgrad

void KernelBuilder::buildTensor(const TensorUse &use, Value address) {
  KernelTensor tensor;
  StringRef name = use.name;
  ElementAttr element = use.element;
  auto type = cast<ValueType>(use.type);
  tensor.name = name.str();
  tensor.element = element;
  tensor.layout = layoutOf(type);
  tensor.isResident = use.access == Access::Resident;
  tensor.isKept = use.access == Access::Keep;
  tensor.isInt = type.getKind() == Kind::Int;
  tensor.isTable = use.isTable();
  bool oneElement = use.access == Access::Element;
  for (auto [i, param] : llvm::enumerate(getPackTensors(op)))
    if (param.getName() == name)
      tensor.index = i;
  if (element.getBinding() == Binding::RunTime)
    tensor.code = field(dtypeMember(name), builder.getI32Type());
  tensor.global = ascendc::GlobalOp::create(
      builder, loc,
      global(oneElement ? elementType(element) : tileElement(tensor)),
      (name + (tensor.isTable ? "TableGm" : "Gm")).str(), address, Value());
  if (oneElement)
    tensor.variable = ascendc::VariableOp::create(
        builder, loc,
        ascendc::VariableType::get(builder.getContext(), builder.getF32Type()),
        (name + "Value").str());
  (use.isOutput ? outputs : inputs).push_back(tensor);
}

/// A result may have fewer dims than what it is stored to. Where a space tells
/// dims apart, those of the parameter may be others there: a part of a pack.
static ValueType typeOfOutput(lossgrad::KernelOp source, ParamAttr param,
                              Value value) {
  ArrayRef<StringAttr> declared = param.getShape().getDims();
  auto type = cast<ValueType>(value.getType());
  SmallVector<StringAttr> dims(declared);
  if (SpaceAxisAttr reduced = source.getSpace().getReduced()) {
    dims.assign(type.getDims().begin(), type.getDims().end());
    SpaceAxisAttr kept = source.getSpace().getKept();
    for (StringAttr dim : declared)
      if (!type.hasDim(dim) && (reduced.has(dim) || (kept && kept.has(dim))))
        dims.push_back(dim);
    source.getOperator().sortDims(dims);
  }
  return ValueType::get(source.getContext(), dims, Kind::Real);
}

/// The tensors of all sweeps, inputs first, each once, in the order of the
/// operator.
static SmallVector<TensorUse> getTensorUses(lossgrad::KernelOp source) {
  SmallVector<TensorUse> uses;
  auto add = [&](TensorUse use) {
    if (llvm::none_of(uses, [&](const TensorUse &known) {
          return known.name == use.name && known.isTable() == use.isTable();
        }))
      uses.push_back(std::move(use));
  };
  for (bool isOutput : {false, true})
    for (ParamAttr param : getPackTensors(source.getOperator()))
      for (SweepOp sweep : source.getBody().getOps<SweepOp>()) {
        if (isOutput) {
          EndOp end = sweep.getEnd();
          for (auto [name, value] : llvm::zip_equal(
                   end.getOutputs().getAsRange<StringAttr>(), end.getStored()))
            if (name == param.getName())
              add({name.str(), value.getDefiningOp<NarrowOp>().getElement(),
                   typeOfOutput(source, param, value), Access::Stream,
                   /*isOutput=*/true});
          continue;
        }
        for (auto [name, access, argument] :
             llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                             sweep.getAccesses().getAsRange<AccessAttr>(),
                             sweep.getBody().getArguments()))
          for (Operation *user : argument.getUsers())
            if (auto widen = dyn_cast<WidenOp>(user);
                widen && name == param.getName())
              add({name.str(), widen.getElement(), argument.getType(),
                   access.getValue()});
      }
  return uses;
}

/// The kernel, its arguments, the tiling members of uniform values, tensors.
void KernelBuilder::buildHeader() {
  builder.setInsertionPointToEnd(&program.getBody().front());
  SmallVector<TensorUse> tensors = getTensorUses(source);
  SmallVector<Attribute> typeParams;
  for (const TensorUse &use : tensors) {
    Type type = elementType(use.element);
    if (isa<ascendc::TypeParamType>(type) && typeParams.empty())
      typeParams.push_back(TypeAttr::get(type));
  }
  // Results have the type that whole tiles have.
  TypeAttr element;
  if (!source.getAnyLayout())
    element = TypeAttr::get(elementType(tensors.back().element));
  kernel = ascendc::KernelOp::create(
      builder, loc, kernelClassName(source), tilingStructName(op),
      typeParams.empty() ? ArrayAttr() : builder.getArrayAttr(typeParams),
      source.getWhenAttr(), StringAttr(), element);
  Block &block = kernel.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&block);
  auto gm = ascendc::GmAddrType::get(builder.getContext());
  llvm::StringMap<Value> addresses;
  for (const TensorUse &use : tensors)
    if (Value &address = addresses[use.name]; !address)
      address = block.addArgument(gm, named(use.name));
  if (source.getSpace().isSplit() || hasLaunch()) {
    Value address = block.addArgument(gm, named("workspace"));
    workspace =
        ascendc::GlobalOp::create(builder, loc, global(builder.getF32Type()),
                                  "partialsGm", address, Value());
    if (meetsInMemory())
      slots =
          ascendc::GlobalOp::create(builder, loc, global(builder.getI32Type()),
                                    "slotsGm", address, Value());
  }
  tileLength = field(member::kTileLength, builder.getI32Type());
  for (BlockArgument uniform : source.getBody().getArguments()) {
    StringRef name = getValueName(uniform);
    switch (cast<ValueType>(uniform.getType()).getKind()) {
    case Kind::Bool:
      scalars[uniform] = equals(field(name, builder.getI32Type()), 1);
      break;
    case Kind::Int:
      scalars[uniform] = ascendc::ToNumberOp::create(
          builder, loc, field(name, builder.getI64Type()));
      break;
    default:
      scalars[uniform] = field(name, builder.getF32Type());
    }
  }
  for (const TensorUse &use : tensors)
    buildTensor(use, addresses.lookup(use.name));
}

/// Whether a sum over everything reads a tensor, which takes more rows at a
/// time than a tile has.
static bool isSummed(lossgrad::KernelOp source, StringRef name) {
  for (SweepOp sweep : source.getBody().getOps<SweepOp>())
    if (sweep.isPerLaunch() &&
        llvm::is_contained(sweep.getInputs().getAsValueRange<StringAttr>(),
                           name))
      return true;
  return false;
}

static bool holdsBytes(Type element) { return element.isUnsignedInteger(8); }

/// Tiles, and where tensors do not lie alike, how they do.
void KernelBuilder::buildMembers() {
  if (source.getSpace().walks() || source.getSpace().takesSingleRows())
    grid = ascendc::StepGridOp::create(builder, loc, "grid");
  else if (!isFlat())
    grid = ascendc::TileGridOp::create(builder, loc, "grid");
  bool anyLayout = source.getAnyLayout();
  int64_t blockBytes = program.getFamilyTables().front()->blockBytes;
  for (auto *list : {&inputs, &outputs})
    for (KernelTensor &tensor : *list) {
      if (tensor.variable)
        continue;
      if (!isFlat())
        tensor.strides = ascendc::TileLayoutOp::create(
            builder, loc,
            tensor.name + (tensor.isTable ? "TableLayout" : "Layout"),
            tensor.index, dtypeCode(tensor));
      // An element that stands alone takes a block.
      int64_t bytes = tensor.isInt ? 8 : 4;
      if (tensor.isTable && hasPlanes()) {
        tensor.tile = fixedBuffer(tensor.name + "Table", tileElement(tensor),
                                  kMaxTable * bytes);
        tensor.table =
            fixedBuffer(tensor.name + "TableF32", builder.getF32Type(),
                        kMaxTable, ascendc::Lifetime::Resident);
      } else if (tensor.isTable)
        tensor.tile = fixedBuffer(tensor.name + "Table", tileElement(tensor),
                                  kTableLanes * 4);
      else if (tensor.layout == Layout::Rows && source.getSpace().isPacked())
        tensor.tile = buffer(tensor.name, tileElement(tensor), bytes);
      else if (tensor.layout == Layout::Rows)
        tensor.tile = fixedBuffer(
            tensor.name, tileElement(tensor),
            std::max(groupCapacity() * (anyLayout ? blockBytes : bytes),
                     isSummed(source, tensor.name) ? kLaunchRows * bytes
                                                   : int64_t(0)));
      else if (tensor.isResident)
        tensor.tile = residentBuffer(tensor.name, tileElement(tensor));
      else if (tensor.layout == Layout::Lanes && hasPlanes())
        tensor.tile = planeBuffer(tensor.name, tileElement(tensor),
                                  holdsBytes(tileElement(tensor)) ? bytes : 1);
      else
        tensor.tile = buffer(tensor.name, tileElement(tensor),
                             holdsBytes(tileElement(tensor)) ? bytes : 1);
      if (tensor.isKept)
        tensor.row = residentBuffer(tensor.name + "Row", builder.getF32Type());
    }
}

/// Whether every tile of an input is loaded once: by one sweep, or to stay.
static bool isReadOnce(lossgrad::KernelOp source, StringRef name) {
  unsigned sweeps = 0;
  for (SweepOp sweep : source.getBody().getOps<SweepOp>())
    for (auto [input, access] :
         llvm::zip_equal(sweep.getInputs().getAsRange<StringAttr>(),
                         sweep.getAccesses().getAsRange<AccessAttr>()))
      sweeps += input == name && access.getValue() == Access::Stream;
  return sweeps <= 1;
}

/// Lets inputs of whole tiles that are read once pass by L2 where the host says
/// so: the output stays there instead.
void KernelBuilder::buildInit() {
  SmallVector<Value> streamed;
  for (KernelTensor &tensor : inputs)
    if (!tensor.variable && !tensor.isTable && tensor.layout == Layout::Tile &&
        isReadOnce(source, tensor.name))
      streamed.push_back(tensor.global);
  if (streamed.empty() ||
      !allHave(program.getFamilyTables(), targets::Api::SetL2CacheHint))
    return;
  Value bypass = field(member::kBypassL2, builder.getI32Type());
  buildIf(equals(bypass, 1),
          [&] { ascendc::BypassL2Op::create(builder, loc, streamed); });
}

/// Reads inputs of one element. What the scalar unit cannot read goes through
/// two blocks of UB, the same for all of them.
void KernelBuilder::buildOneElementReads() {
  Value scratch;
  for (KernelTensor &tensor : inputs) {
    if (!tensor.variable)
      continue;
    Type held = elementType(tensor.element);
    Value value;
    if (held.isF32()) {
      value = ascendc::GlobalGetValueOp::create(
          builder, loc, builder.getF32Type(), tensor.global, i64(0));
    } else {
      int64_t bytes = ascendc::elementBits(held) / 8;
      if (!scratch)
        scratch = fixedBuffer("element", held, 64 / bytes,
                              ascendc::Lifetime::Resident);
      value = ascendc::ReadElementOp::create(builder, loc, tensor.global,
                                             scratch, tensor.code);
    }
    ascendc::AssignOp::create(builder, loc, tensor.variable, value);
  }
}

LogicalResult KernelBuilder::build() {
  buildHeader();
  buildMembers();
  auto init = ascendc::InitOp::create(builder, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&init.getBody().emplaceBlock());
    buildInit();
    buildOneElementReads();
  }
  bool hasInit = !init.getBody().front().empty();
  if (failed(lowerSweeps(*this)))
    return failure();
  if (!hasInit)
    init.erase();
  return success();
}
