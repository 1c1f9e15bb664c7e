//===- KernelBuilder.cpp - Building an AscendC kernel ---------------------===//
//
// See the header. The body of a sweep is converted in KernelBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/Families.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lossgrad;

KernelBuilder::KernelBuilder(lossgrad::KernelOp source,
                             ascendc::ProgramOp program)
    : source(source), program(program), op(source.getOperator()),
      builder(source.getContext()), loc(withoutName(source.getLoc())) {}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Location KernelBuilder::named(StringRef name) {
  if (name.empty())
    return loc;
  return NameLoc::get(builder.getStringAttr(name), loc);
}
Value KernelBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value KernelBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}
Value KernelBuilder::f32(double value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
}
Value KernelBuilder::mul(Value a, Value b, StringRef name) {
  return arith::MulIOp::create(builder, named(name), a, b);
}
Value KernelBuilder::div(Value a, Value b, StringRef name) {
  return arith::DivSIOp::create(builder, named(name), a, b);
}
Value KernelBuilder::ceilDiv(Value a, Value b) {
  return arith::CeilDivSIOp::create(builder, loc, a, b);
}
Value KernelBuilder::roundUp(Value x, int64_t m, StringRef name) {
  return mul(ceilDiv(x, i32(m)), i32(m), name);
}
Value KernelBuilder::equals(Value x, int64_t value) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x,
                               i32(value));
}
Value KernelBuilder::field(StringRef member, Type type,
                           std::optional<int64_t> index, StringRef name) {
  return ascendc::TilingFieldOp::create(
      builder, named(name.empty() ? member : name), type,
      FlatSymbolRefAttr::get(builder.getContext(), member),
      index ? i32(*index) : Value());
}

ascendc::Fold lossgrad::foldOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::sum:
    return ascendc::Fold::Sum;
  case ReduceKind::max:
    return ascendc::Fold::Max;
  case ReduceKind::min:
    return ascendc::Fold::Min;
  }
  llvm_unreachable("unknown kind of reduction");
}

//===----------------------------------------------------------------------===//
// Control flow and stages
//===----------------------------------------------------------------------===//

void KernelBuilder::buildIf(Value condition, Body then, Body otherwise) {
  auto ifOp = scf::IfOp::create(builder, loc, condition,
                                /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(ifOp.elseBlock());
  otherwise();
}

void KernelBuilder::buildFor(Value low, Value high, Value step, StringRef name,
                             function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, named(name), low, high, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value KernelBuilder::bound(Value share, ascendc::ShareBound which) {
  return ascendc::ShareBoundOp::create(builder, loc, share, which);
}

void KernelBuilder::buildStage(ascendc::StageKind kind, StringRef name,
                               StringRef doc,
                               ArrayRef<std::pair<std::string, Type>> arguments,
                               function_ref<void(ValueRange)> body) {
  auto stage = ascendc::StageOp::create(builder, loc, kind, name,
                                        builder.getStringAttr(doc));
  Block &block = stage.getBody().emplaceBlock();
  for (auto &[text, type] : arguments)
    block.addArgument(type, named(text));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  body(block.getArguments());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type KernelBuilder::local(Type element) {
  return ascendc::LocalTensorType::get(builder.getContext(), element);
}
Type KernelBuilder::global(Type element) {
  return ascendc::GlobalTensorType::get(builder.getContext(), element);
}

std::string KernelBuilder::uniqueLabel(StringRef label) {
  unsigned count = labels[label]++;
  return count ? (label + Twine(count + 1)).str() : label.str();
}

/// Buffers are members: they stand before the stages, wherever they are needed.
static OpBuilder memberBuilder(ascendc::KernelOp kernel) {
  for (Operation &op : kernel.getBlock())
    if (isa<ascendc::InitOp, ascendc::StageOp, ascendc::ProcessOp>(op))
      return OpBuilder(&op);
  return OpBuilder::atBlockEnd(&kernel.getBlock());
}

Value KernelBuilder::buffer(StringRef label, Type element, int64_t factor) {
  OpBuilder members = memberBuilder(kernel);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  if (factor != 1)
    shape.push_back(factor);
  return ascendc::BufferOp::create(members, loc, local(element),
                                   uniqueLabel(label), ValueRange(tileLength),
                                   shape, ascendc::Lifetime::Tile);
}

Value KernelBuilder::fixedBuffer(StringRef label, Type element, int64_t count,
                                 ascendc::Lifetime lifetime) {
  OpBuilder members = memberBuilder(kernel);
  return ascendc::BufferOp::create(members, loc, local(element),
                                   uniqueLabel(label), ValueRange(),
                                   ArrayRef<int64_t>{count}, lifetime);
}

Value KernelBuilder::getRowLength() {
  if (!rowLength) {
    OpBuilder members = memberBuilder(kernel);
    rowLength = ascendc::TilingFieldOp::create(
        members, named(member::kRowLength), builder.getI32Type(),
        FlatSymbolRefAttr::get(builder.getContext(), member::kRowLength),
        Value());
  }
  return rowLength;
}

/// A whole row of a tensor, which stays while its tiles pass.
Value KernelBuilder::residentBuffer(StringRef label, Type element) {
  Value length = getRowLength();
  OpBuilder members = memberBuilder(kernel);
  return ascendc::BufferOp::create(
      members, loc, local(element), uniqueLabel(label), ValueRange(length),
      ArrayRef<int64_t>{ShapedType::kDynamic}, ascendc::Lifetime::Resident);
}

Value KernelBuilder::residentTile(StringRef label) {
  OpBuilder members = memberBuilder(kernel);
  return ascendc::BufferOp::create(members, loc, local(builder.getF32Type()),
                                   uniqueLabel(label), ValueRange(tileLength),
                                   ArrayRef<int64_t>{ShapedType::kDynamic},
                                   ascendc::Lifetime::Resident);
}

Value KernelBuilder::laneBuffer(StringRef label, Type element,
                                ascendc::Lifetime lifetime) {
  if (hasPlanes() && lifetime == ascendc::Lifetime::Tile)
    return planeBuffer(label, element);
  if (hasShortRows())
    return fixedBuffer(label, element, kMaxShortRow, lifetime);
  return lifetime == ascendc::Lifetime::Tile ? buffer(label, element)
                                             : residentTile(label);
}

Value KernelBuilder::planeBuffer(StringRef label, Type element,
                                 int64_t factor) {
  // As a tile of the lanes that stay, instead of those of a step.
  llvm::SaveAndRestore lanes(tileLength, getRowLength());
  return buffer(label, element, factor);
}

Value KernelBuilder::classCount() {
  return arith::TruncIOp::create(
      builder, named("classCount"), builder.getI32Type(),
      field(member::kExtents, builder.getI64Type(), kRowAxis));
}

Value KernelBuilder::view(Value tensor, Type element, Value offset) {
  return ascendc::ViewOp::create(builder, loc, local(element), tensor, offset,
                                 IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static Type mlirType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return Float16Type::get(context);
  case DType::BFloat16:
    return BFloat16Type::get(context);
  default:
    return Float32Type::get(context);
  }
}

Type KernelBuilder::elementType(ElementAttr element) {
  MLIRContext *context = builder.getContext();
  if (element.getBinding() == Binding::RunTime)
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  if (element.getDtypes().size() == 1)
    return mlirType(context, element.getDtypes().front());
  SmallVector<Type> candidates;
  for (DType dtype : element.getDtypes())
    candidates.push_back(mlirType(context, dtype));
  return ascendc::TypeParamType::get(context, "T", candidates);
}

/// Tiles of tensors of any layout, and values per row or lane, are raw bytes,
/// so that one copy serves all element types.
Type KernelBuilder::tileElement(const KernelTensor &tensor) {
  if (source.getAnyLayout() || tensor.layout != Layout::Tile || tensor.isTable)
    return builder.getIntegerType(8, /*isSigned=*/false);
  return elementType(tensor.element);
}

Layout KernelBuilder::layoutOf(ValueType type) {
  if (type.getDims().empty())
    return Layout::Scalar;
  SpaceAxisAttr reduced = source.getSpace().getReduced();
  if (!reduced)
    return Layout::Tile;
  bool hasReduced = llvm::any_of(
      type.getDims(), [&](StringAttr dim) { return reduced.has(dim); });
  bool hasKept = llvm::any_of(
      type.getDims(), [&](StringAttr dim) { return !reduced.has(dim); });
  if (hasReduced && hasKept)
    return Layout::Tile;
  bool alongLanes = hasReduced == *source.getSpace().areLanesReduced();
  return alongLanes ? Layout::Lanes : Layout::Rows;
}

KernelTensor &KernelBuilder::inputNamed(StringRef name, bool isTable) {
  return *llvm::find_if(inputs, [&](const KernelTensor &tensor) {
    return tensor.name == name && tensor.isTable == isTable;
  });
}

bool KernelBuilder::hasLaunch() {
  return llvm::any_of(source.getBody().getOps<SweepOp>(),
                      [](SweepOp sweep) { return sweep.isPerLaunch(); });
}

bool KernelBuilder::meetsInMemory() {
  return !allHave(program.getFamilyTables(), targets::Api::SyncAll);
}

bool KernelBuilder::castsLongInts() {
  return llvm::all_of(
      program.getFamilyTables(), [](const targets::Family *family) {
        return family->casts(targets::Dtype::Int64, targets::Dtype::Int32,
                             targets::Round::NONE);
      });
}

KernelTensor &KernelBuilder::outputNamed(StringRef name) {
  return *llvm::find_if(
      outputs, [&](const KernelTensor &tensor) { return tensor.name == name; });
}

/// Of a type parameter the first candidate: all have the same size, which is
/// all that counts where the type itself is known.
Value KernelBuilder::dtypeCode(const KernelTensor &tensor) {
  if (tensor.code)
    return tensor.code;
  return i32(
      static_cast<int32_t>(getDtypeCode(tensor.element.getDtypes().front())));
}

static bool holdsBytes(Type element) { return element.isUnsignedInteger(8); }
static bool holdsBytes(Value tensor) {
  return holdsBytes(
      cast<ascendc::LocalTensorType>(tensor.getType()).getElementType());
}

void KernelBuilder::buildWiden(const KernelTensor &tensor, Value dst, Value src,
                               Value count) {
  if (holdsBytes(src))
    ascendc::WidenTileOp::create(builder, loc, dst, src, dtypeCode(tensor),
                                 count);
  else if (elementType(tensor.element).isF32())
    ascendc::DataCopyLocalOp::create(builder, loc, dst, src, roundUp(count, 8));
  else
    ascendc::CastOp::create(builder, loc, dst, src, ascendc::RoundMode::NONE,
                            count, Value(), Value(), ValueRange(),
                            DenseI64ArrayAttr());
}

/// The mode that rounds float32 to nearest even for all of these types. Where
/// the tables list the cast without that mode, no mode does the same.
static ascendc::RoundMode nearestMode(ascendc::ProgramOp program, Type types) {
  for (const targets::Family *family : program.getFamilyTables())
    for (Type type : ascendc::candidateTypes(types))
      if (!family->casts(targets::Dtype::Float32, *ascendc::toDtype(type),
                         targets::Round::RINT))
        return ascendc::RoundMode::NONE;
  return ascendc::RoundMode::RINT;
}

void KernelBuilder::buildNarrow(const KernelTensor &tensor, Value dst,
                                Value src, Value count) {
  if (holdsBytes(dst))
    ascendc::NarrowTileOp::create(builder, loc, dst, src, dtypeCode(tensor),
                                  count);
  else
    buildRound(tensor.element, dst, src, count);
}

void KernelBuilder::buildRound(ElementAttr element, Value dst, Value src,
                               Value count) {
  if (elementType(element).isF32())
    ascendc::DataCopyLocalOp::create(builder, loc, dst, src, roundUp(count, 8));
  else
    ascendc::CastOp::create(
        builder, loc, dst, src, nearestMode(program, elementType(element)),
        count, Value(), Value(), ValueRange(), DenseI64ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

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
              // A result may have fewer dims than what it is stored to, but
              // not the reduced ones where others are missing.
              add({name.str(), value.getDefiningOp<NarrowOp>().getElement(),
                   source.getSpace().getReduced()
                       ? value.getType()
                       : ValueType::get(source.getContext(),
                                        param.getShape().getDims(), Kind::Real),
                   Access::Stream, /*isOutput=*/true});
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

/// Tiles, and where tensors do not lie alike, how they do.
void KernelBuilder::buildMembers() {
  if (source.getSpace().walks() || source.getSpace().takesSingleRows())
    grid = ascendc::StepGridOp::create(builder, loc, "grid");
  else if (!isFlat())
    grid = ascendc::TileGridOp::create(builder, loc, "grid");
  bool anyLayout = source.getAnyLayout();
  for (auto *list : {&inputs, &outputs})
    for (KernelTensor &tensor : *list) {
      if (tensor.variable)
        continue;
      if (!isFlat())
        tensor.strides = ascendc::TileLayoutOp::create(
            builder, loc,
            tensor.name + (tensor.isTable ? "TableLayout" : "Layout"),
            tensor.index, dtypeCode(tensor));
      // An element that stands alone takes a block of 32 bytes.
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
            std::max(groupCapacity() * (anyLayout ? 32 : bytes),
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
