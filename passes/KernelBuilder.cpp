//===- KernelBuilder.cpp - Building an AscendC kernel ---------------------===//
//
// See the header. The body of a sweep is converted in KernelBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/KernelBuilder.h"
#include "passes/UniformValues.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lossgrad;

KernelBuilder::KernelBuilder(lossgrad::KernelOp source,
                             ascendc::ProgramOp program)
    : source(source), sweep(*source.getBody().getOps<SweepOp>().begin()),
      program(program), op(source.getOperator()), builder(source.getContext()),
      loc(withoutName(source.getLoc())) {}

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

void KernelBuilder::buildShareLoop(Value share, StringRef name,
                                   function_ref<void(Value)> body) {
  auto bound = [&](ascendc::ShareBound which) -> Value {
    return ascendc::ShareBoundOp::create(builder, loc, share, which);
  };
  // Tiles of a grid have numbers.
  Value step = share.getDefiningOp<ascendc::TileShareOp>()
                   ? i64(1)
                   : bound(ascendc::ShareBound::Step);
  buildFor(bound(ascendc::ShareBound::Begin), bound(ascendc::ShareBound::End),
           step, name, body);
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

Type KernelBuilder::tileElement(const KernelTensor &tensor) {
  return elementType(tensor.element);
}

Value KernelBuilder::dtypeCode(const KernelTensor &tensor) {
  if (tensor.code)
    return tensor.code;
  Type type = ascendc::candidateTypes(elementType(tensor.element)).front();
  return i32(static_cast<int32_t>(type.isF32()   ? DtypeCode::Float32
                                  : type.isF16() ? DtypeCode::Float16
                                                 : DtypeCode::BFloat16));
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

void KernelBuilder::buildNarrow(const KernelTensor &tensor, Value dst,
                                Value src, Value count) {
  if (holdsBytes(dst))
    ascendc::NarrowTileOp::create(builder, loc, dst, src, dtypeCode(tensor),
                                  count);
  else if (elementType(tensor.element).isF32())
    ascendc::DataCopyLocalOp::create(builder, loc, dst, src, roundUp(count, 8));
  else
    ascendc::CastOp::create(builder, loc, dst, src, ascendc::RoundMode::RINT,
                            count, Value(), Value(), ValueRange(),
                            DenseI64ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

void KernelBuilder::buildTensor(StringRef name, ElementAttr element,
                                bool oneElement, Value address,
                                SmallVectorImpl<KernelTensor> &to) {
  KernelTensor tensor;
  tensor.name = name.str();
  tensor.element = element;
  for (auto [i, param] : llvm::enumerate(getPackTensors(op)))
    if (param.getName() == name)
      tensor.index = i;
  if (element.getBinding() == Binding::RunTime)
    tensor.code = field(dtypeMember(name), builder.getI32Type());
  tensor.global = ascendc::GlobalOp::create(
      builder, loc,
      global(oneElement ? elementType(element) : tileElement(tensor)),
      (name + "Gm").str(), address, Value());
  if (oneElement)
    tensor.variable = ascendc::VariableOp::create(
        builder, loc,
        ascendc::VariableType::get(builder.getContext(), builder.getF32Type()),
        (name + "Value").str());
  to.push_back(tensor);
}

/// The kernel, its arguments, the tiling members of uniform values, tensors.
void KernelBuilder::buildHeader() {
  builder.setInsertionPointToEnd(&program.getBody().front());
  SmallVector<Attribute> typeParams;
  auto noteTypeParam = [&](ElementAttr element) {
    Type type = elementType(element);
    if (isa<ascendc::TypeParamType>(type) && typeParams.empty())
      typeParams.push_back(TypeAttr::get(type));
  };
  Block &body = sweep.getBody().front();
  SmallVector<std::pair<std::string, ElementAttr>> tensors;
  for (BlockArgument argument : body.getArguments())
    for (Operation *user : argument.getUsers())
      if (auto widen = dyn_cast<WidenOp>(user))
        tensors.push_back({getValueName(argument).str(), widen.getElement()});
  size_t inputCount = tensors.size();
  YieldOp yield = sweep.getYield();
  for (auto [name, value] : llvm::zip(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues()))
    tensors.push_back(
        {name.getValue().str(), value.getDefiningOp<NarrowOp>().getElement()});
  for (auto &[name, element] : tensors)
    noteTypeParam(element);

  kernel = ascendc::KernelOp::create(
      builder, loc, source.getSymName(), tilingStructName(op),
      typeParams.empty() ? ArrayAttr() : builder.getArrayAttr(typeParams),
      source->getAttrOfType<StringAttr>(kVariantWhenAttr));
  Block &block = kernel.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&block);
  auto oneElement = source.getOneElement().getAsValueRange<StringAttr>();
  auto gm = ascendc::GmAddrType::get(builder.getContext());
  SmallVector<Value> addresses;
  for (auto &[name, element] : tensors)
    addresses.push_back(block.addArgument(gm, named(name)));
  tileLength = field(member::kTileLength, builder.getI32Type());
  for (BlockArgument uniform : source.getBody().getArguments()) {
    bool isBool = cast<ValueType>(uniform.getType()).getKind() == Kind::Bool;
    StringRef name = getValueName(uniform);
    scalars[uniform] = isBool ? equals(field(name, builder.getI32Type()), 1)
                              : field(name, builder.getF32Type());
  }
  for (auto [i, entry] : llvm::enumerate(tensors)) {
    auto &[name, element] = entry;
    bool single =
        i < inputCount && llvm::is_contained(oneElement, StringRef(name));
    buildTensor(name, element, single, addresses[i],
                i < inputCount ? inputs : outputs);
  }
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
  if (failed(buildStages()))
    return failure();
  auto process = ascendc::ProcessOp::create(builder, loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&process.getBody().emplaceBlock());
    buildProcess();
  }
  if (!hasInit)
    init.erase();
  return success();
}
