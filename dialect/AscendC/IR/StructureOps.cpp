//===- StructureOps.cpp - programs, kernels, stages, tiling data ----------===//
//
// Syntax and verifiers of the frame of a kernel file.
//
//===----------------------------------------------------------------------===//

#include "dialect/AscendC/IR/AscendC.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

//===----------------------------------------------------------------------===//
// Syntax: a region whose block arguments are written before it
//===----------------------------------------------------------------------===//

static ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::OptionalParen,
                               /*allowType=*/true, /*allowAttrs=*/false) ||
      parser.parseRegion(body, arguments))
    return failure();
  if (body.empty())
    body.emplaceBlock();
  return success();
}

static void printBodyWithArguments(OpAsmPrinter &printer, Operation *,
                                   Region &body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument arg) {
    printer.printRegionArgument(arg);
  });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "dialect/AscendC/IR/AscendCOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Tiling data
//===----------------------------------------------------------------------===//

LogicalResult TilingMemberOp::verify() {
  Type type = getType();
  if (!type.isInteger(32) && !type.isInteger(64) && !type.isF32())
    return emitOpError() << "has type " << type
                         << "; tiling data holds i32, i64 and f32";
  if (getArray() && *getArray() < 1)
    return emitOpError("needs an array size of at least 1");
  return success();
}

uint64_t TilingStructOp::getSizeInBytes() {
  uint64_t size = 0, widest = 1;
  for (auto member : getBody().getOps<TilingMemberOp>()) {
    uint64_t width = member.getType().getIntOrFloatBitWidth() / 8;
    size = llvm::alignTo(size, width) + width * member.getArray().value_or(1);
    widest = std::max(widest, width);
  }
  return llvm::alignTo(size, widest);
}

LogicalResult TilingStructOp::verifyRegions() {
  for (Operation &op : getBody().getOps())
    if (!isa<TilingMemberOp>(op))
      return op.emitOpError("is not a tiling member");
  if (getBody().getOps<TilingMemberOp>().empty())
    return emitOpError("has no member");
  return success();
}

LogicalResult TilingFieldOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  TilingStructOp tiling = kernel ? kernel.getTilingStruct() : nullptr;
  if (!tiling)
    return emitOpError("stands outside a kernel with tiling data");
  auto member = symbols.lookupSymbolIn<TilingMemberOp>(tiling, getMemberAttr());
  if (!member)
    return emitOpError() << "names " << getMemberAttr() << ", which is not a "
                         << "member of @" << tiling.getSymName();
  if (member.getType() != getType())
    return emitOpError() << "has type " << getType() << ", but "
                         << getMemberAttr() << " is " << member.getType();
  if (static_cast<bool>(member.getArray()) != static_cast<bool>(getIndex()))
    return emitOpError() << (getIndex() ? "indexes a member that is no array"
                                        : "reads an array without an index");
  return success();
}

//===----------------------------------------------------------------------===//
// Program and entry
//===----------------------------------------------------------------------===//

SmallVector<const targets::Family *> ProgramOp::getFamilyTables() {
  SmallVector<const targets::Family *> tables;
  for (StringAttr key : getFamilies().getAsRange<StringAttr>())
    if (const targets::Family *family =
            targets::findFamily(std::string_view(key.getValue())))
      tables.push_back(family);
  return tables;
}

LogicalResult ProgramOp::verify() {
  SmallVector<const targets::Family *> tables = getFamilyTables();
  if (tables.size() != getFamilies().size() || tables.empty()) {
    SmallVector<StringRef> known;
    for (const auto *family = targets::familiesBegin();
         family != targets::familiesEnd(); ++family)
      known.push_back(family->key);
    return emitOpError() << "names a product family that has no record; known "
                            "families: "
                         << llvm::join(known, ", ");
  }
  for (const targets::Family *family : tables)
    if (family->npuArch != tables.front()->npuArch)
      return emitOpError() << "joins families of different architectures: "
                           << tables.front()->key << " ("
                           << tables.front()->npuArch << ") and " << family->key
                           << " (" << family->npuArch << ")";
  return success();
}

LogicalResult EntryOp::verifyRegions() {
  std::set<int64_t> keys;
  for (Operation &op : getBody().getOps()) {
    auto key = dyn_cast<KeyOp>(op);
    if (!key)
      return op.emitOpError("stands in an entry beside the keys");
    int64_t value = static_cast<int64_t>(key.getKey());
    if (value < 0)
      return key.emitOpError() << "has the negative tiling key " << value;
    if (!keys.insert(value).second)
      return key.emitOpError() << "repeats the tiling key " << value;
  }
  if (keys.empty())
    return emitOpError("has no tiling key");
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "names " << getKernelAttr()
                         << ", which is not a kernel";
  unsigned expected = kernel.getBody().getNumArguments();
  if (getInputs().size() != expected)
    return emitOpError() << "passes " << getInputs().size()
                         << " arguments, the kernel takes " << expected;
  size_t params = kernel.getTypeParams() ? kernel.getTypeParams()->size() : 0;
  size_t given = getInstance() ? getInstance()->size() : 0;
  if (params != given)
    return emitOpError() << "gives " << given
                         << " template arguments, the kernel has " << params;
  for (size_t i = 0; i < params; ++i) {
    auto param = dyn_cast<TypeParamType>(
        cast<TypeAttr>((*kernel.getTypeParams())[i]).getValue());
    Type type = cast<TypeAttr>((*getInstance())[i]).getValue();
    if (!param || !llvm::is_contained(param.getCandidates(), type))
      return emitOpError() << "instantiates the kernel with " << type
                           << ", which is not a candidate of " << param;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

ProcessOp KernelOp::getProcess() {
  auto processes = getBlock().getOps<ProcessOp>();
  return processes.empty() ? nullptr : *processes.begin();
}

TilingStructOp KernelOp::getTilingStruct() {
  auto module = (*this)->getParentOfType<ModuleOp>();
  return module
             ? dyn_cast_or_null<TilingStructOp>(
                   mlir::SymbolTable::lookupSymbolIn(module, getTilingAttr()))
             : nullptr;
}

LogicalResult KernelOp::verifyRegions() {
  if (!getTilingStruct())
    return emitOpError() << "names " << getTilingAttr()
                         << ", which is not a tiling struct of the module";
  for (BlockArgument argument : getBlock().getArguments())
    if (!isa<GmAddrType>(argument.getType()))
      return emitOpError() << "has an argument of type " << argument.getType()
                           << "; kernel arguments are !ascendc.gm_addr, "
                              "scalars travel in the tiling data";
  unsigned part = 0, processes = 0;
  for (Operation &op : getBlock()) {
    unsigned own = isa<InitOp>(op)      ? 1
                   : isa<StageOp>(op)   ? 2
                   : isa<ProcessOp>(op) ? 3
                                        : 0;
    if (own < part)
      return op.emitOpError("is out of order in the kernel: members come "
                            "first, then init, the stages, process");
    part = own;
    processes += own == 3;
  }
  if (processes != 1)
    return emitOpError() << "has " << processes
                         << " ascendc.process, expected one";
  return success();
}

LogicalResult StageOp::verifyRegions() {
  // Which pipe may move data where: a stage that breaks this could not be
  // ordered by queues.
  WalkResult result = getBody().walk([&](ApiCallInterface call) {
    Pipe pipe = call.getPipe();
    bool allowed =
        pipe == Pipe::S ||
        (getKind() == StageKind::CopyIn ? pipe == Pipe::MTE2 || pipe == Pipe::V
         : getKind() == StageKind::Compute ? pipe == Pipe::V
                                           : pipe == Pipe::MTE3);
    if (isa<PipeBarrierOp>(call) || allowed)
      return WalkResult::advance();
    call->emitOpError() << "runs on pipe " << stringifyPipe(pipe)
                        << ", which a " << stringifyStageKind(getKind())
                        << " stage does not use";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  StageOp stage = kernel
                      ? symbols.lookupSymbolIn<StageOp>(kernel, getStageAttr())
                      : nullptr;
  if (!stage)
    return emitOpError() << "names " << getStageAttr()
                         << ", which is not a stage of the kernel";
  if (getInputs().getTypes() != stage.getBody().getArgumentTypes())
    return emitOpError() << "passes (" << getInputs().getTypes()
                         << ") to a stage that takes ("
                         << stage.getBody().getArgumentTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The structs of the tile header read members of the tiling data by name.
static LogicalResult verifyMembers(Operation *op,
                                   ArrayRef<StringRef> expected) {
  auto kernel = op->getParentOfType<KernelOp>();
  TilingStructOp tiling = kernel ? kernel.getTilingStruct() : nullptr;
  for (StringRef name : expected)
    if (!tiling || !mlir::SymbolTable::lookupSymbolIn(tiling, name))
      return op->emitOpError() << "needs the member '" << name
                               << "' in the tiling data of the kernel";
  return success();
}

LogicalResult TileGridOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyMembers(*this, {"extents", "rowBlocks", "laneBlocks", "rowTile",
                               "laneTile", "firstAxis"});
}

LogicalResult TileLayoutOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyMembers(*this, {"strides", "forms"});
}

LogicalResult FlatShareOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyMembers(*this,
                       {"elements", "coreLength", "extraCores", "tileLength"});
}

LogicalResult TileShareOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyMembers(*this, {"coreLength", "extraCores"});
}

LogicalResult StepGridOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyMembers(*this, {"extents", "rowBlocks", "laneBlocks", "rowTile",
                               "laneTile", "firstAxis", "steps", "stepAxis",
                               "reducedAxis", "walksRows", "walksLanes"});
}

template <template <typename> class Trait>
static bool hasOpWith(ProgramOp program) {
  return program
      .walk([](Operation *op) {
        return op->hasTrait<Trait>() ? WalkResult::interrupt()
                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

bool ascendc::usesTileHeader(ProgramOp program) {
  return hasOpWith<OfTileHeader>(program);
}
bool ascendc::usesRowHeader(ProgramOp program) {
  return hasOpWith<OfRowHeader>(program);
}
bool ascendc::usesIndexHeader(ProgramOp program) {
  return hasOpWith<OfIndexHeader>(program);
}

std::string ascendc::detail::capitalized(StringRef word) {
  return word.take_front().upper() + word.drop_front().str();
}

//===----------------------------------------------------------------------===//
// UB budget
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyKernel(Op op, SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<KernelOp>(op, op.getKernelAttr()))
    return success();
  return op.emitOpError() << "names " << op.getKernelAttr()
                          << ", which is not a kernel";
}

template <typename Op>
static LogicalResult verifyQuery(Op op, SymbolTableCollection &symbols) {
  if (op.getSymbols().size() != op.getValues().size())
    return op.emitOpError()
           << "names " << op.getSymbols().size() << " symbols but gives "
           << op.getValues().size() << " values";
  return verifyKernel(op, symbols);
}

LogicalResult UbBytesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyQuery(*this, symbols);
}

LogicalResult UbSolveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyQuery(*this, symbols);
}

LogicalResult UbTermsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernel(*this, symbols);
}
