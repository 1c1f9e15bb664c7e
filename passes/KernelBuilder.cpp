//===- KernelBuilder.cpp - Building an AscendC kernel ---------------------===//
//
// See the header. Tensors and members are in KernelMembers.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/Families.h"
#include "passes/UniformValues.h"
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

Value KernelBuilder::makeBuffer(StringRef label, Type element,
                                ValueRange extents, ArrayRef<int64_t> shape,
                                ascendc::Lifetime lifetime) {
  OpBuilder members = memberBuilder(kernel);
  std::string unique = uniqueLabel(label);
  StringAttr value;
  if (unique != label)
    value = builder.getStringAttr(label);
  return ascendc::BufferOp::create(members, loc, local(element), unique,
                                   extents, shape, lifetime, value);
}

Value KernelBuilder::buffer(StringRef label, Type element, int64_t factor) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  if (factor != 1)
    shape.push_back(factor);
  return makeBuffer(label, element, tileLength, shape, ascendc::Lifetime::Tile);
}

Value KernelBuilder::fixedBuffer(StringRef label, Type element, int64_t count,
                                 ascendc::Lifetime lifetime) {
  return makeBuffer(label, element, ValueRange(), count, lifetime);
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
  return makeBuffer(label, element, getRowLength(), ShapedType::kDynamic,
                    ascendc::Lifetime::Resident);
}

Value KernelBuilder::variable(StringRef name, Type type) {
  OpBuilder members(tileLength.getDefiningOp());
  members.setInsertionPointAfter(tileLength.getDefiningOp());
  return ascendc::VariableOp::create(
      members, loc, ascendc::VariableType::get(builder.getContext(), type),
      uniqueLabel(name));
}

Value KernelBuilder::residentTile(StringRef label) {
  return makeBuffer(label, builder.getF32Type(), tileLength,
                    ShapedType::kDynamic, ascendc::Lifetime::Resident);
}

Value KernelBuilder::laneBuffer(StringRef label, Type element,
                                ascendc::Lifetime lifetime) {
  if (hasPlanes() && lifetime == ascendc::Lifetime::Tile)
    return planeBuffer(label, element);
  if (hasShortRows())
    return fixedBuffer(label, element, kMaxShortRow, lifetime);
  if (lifetime == ascendc::Lifetime::Tile)
    return buffer(label, element);
  // What stays is as long as a row, of which a tile may have several.
  std::optional<llvm::SaveAndRestore<Value>> lanes;
  if (source.getSpace().takesSingleRows() && !hasPlanes())
    lanes.emplace(tileLength, getRowLength());
  return residentTile(label);
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

const KernelTensor *KernelBuilder::findTable(Value global) const {
  for (const KernelTensor &tensor : inputs)
    if (tensor.isTable && tensor.global == global)
      return &tensor;
  return nullptr;
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

static bool holdsBytes(Value tensor) {
  return cast<ascendc::LocalTensorType>(tensor.getType())
      .getElementType()
      .isUnsignedInteger(8);
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
