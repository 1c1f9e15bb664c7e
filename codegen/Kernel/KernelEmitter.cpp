//===- KernelEmitter.cpp - AscendC sources of a module --------------------===//
//
// Puts the printed kernels into files. See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelEmitter.h"
#include "codegen/Cpp/Version.h"
#include "codegen/Cpp/WrapLines.h"
#include "codegen/Kernel/DeviceHeader.h"
#include "codegen/Kernel/IndexHeader.h"
#include "codegen/Kernel/IndexLookUps.h"
#include "codegen/Kernel/IndexMasks.h"
#include "codegen/Kernel/KernelPrinter.h"
#include "codegen/Kernel/LaunchSums.h"
#include "codegen/Kernel/RowFolds.h"
#include "codegen/Kernel/RowHeader.h"
#include "codegen/Kernel/RowValues.h"
#include "codegen/Kernel/Templates.h"
#include "codegen/Kernel/TileCopies.h"
#include "codegen/Kernel/TileHeader.h"
#include "codegen/Kernel/TileValues.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

#ifndef LOSSGRAD_VERSION
#error "the build defines LOSSGRAD_VERSION"
#endif

static std::string guardName(StringRef base, StringRef suffix) {
  return base.upper() + "_" + suffix.upper() + "_H";
}

//===----------------------------------------------------------------------===//
// Tiling data
//===----------------------------------------------------------------------===//

static EmittedFile emitTilingData(TilingStructOp tiling, ProgramOp program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = guardName(program.getFile(), "TILING_DATA");
  os << llvm::formatv(templates::tilingOpening, program.getOpName(), guard,
                      LOSSGRAD_VERSION);
  os << "struct " << tiling.getSymName() << " {\n";
  KernelPrinter types(llvm::nulls());
  // Declarations with their comments in one column.
  SmallVector<std::pair<std::string, StringRef>> members;
  size_t column = 0;
  for (auto member : tiling.getBody().getOps<TilingMemberOp>()) {
    std::string text = "    " + types.spellType(member.getType()) + " " +
                       member.getSymName().str();
    if (member.getArray())
      text += "[" + std::to_string(*member.getArray()) + "]";
    column = std::max(column, text.size() + 2);
    members.push_back({text + ";", member.getDoc().value_or("")});
  }
  for (auto &[text, doc] : members) {
    os << text;
    if (!doc.empty())
      os.indent(column - text.size()) << "// " << doc;
    os << '\n';
  }
  os << "};\n";
  os << llvm::formatv(templates::tilingClosing, tiling.getSymName(),
                      tiling.getSizeInBytes(), guard);
  return {("op_kernel/" + program.getFile() + "_tiling_data.h").str(),
          cpp::wrapLines(text)};
}

//===----------------------------------------------------------------------===//
// Kernel files
//===----------------------------------------------------------------------===//

/// "Atlas A2 and Atlas A3"
static std::string listProducts(ProgramOp program) {
  SmallVector<std::string> titles;
  for (const targets::Family *family : program.getFamilyTables())
    titles.push_back(family->title);
  return llvm::join(titles, " and ");
}

static std::string describe(ProgramOp program) {
  std::string text;
  if (program.getFormula())
    for (StringAttr line : program.getFormula()->getAsRange<StringAttr>())
      text += (" *   " + line.getValue() + "\n").str();
  return text;
}

static unsigned architecture(ProgramOp program) {
  return program.getFamilyTables().front()->npuArch;
}

static std::string archPath(ProgramOp program) {
  return llvm::formatv("arch{0}/{1}.h", architecture(program),
                       program.getFile());
}

/// The device headers of a program's architecture, beside its kernels. Their
/// text depends on the architecture and on nothing else, so that the operators
/// of a project share them.
static void addHeaders(ProgramOp program, std::vector<EmittedFile> &files) {
  const targets::Family &family = *program.getFamilyTables().front();
  auto add = [&](StringRef name, ArrayRef<StringRef> parts) {
    files.push_back(
        {llvm::formatv("op_kernel/arch{0}/lossgrad_{1}.h", family.npuArch, name)
             .str(),
         fillVersion(composeHeader(llvm::join(parts, ""), family))});
  };
  if (usesTileHeader(program))
    add("tile", {kTileHeader, kTileCopies, kTileValues, kTileHeaderEnd});
  if (usesRowHeader(program))
    add("rows", {kRowHeader, kRowFolds, kRowValues, kRowHeaderEnd});
  if (usesIndexHeader(program))
    add("index", {kIndexHeader, kIndexMasks, kIndexLookUps, kLaunchSums,
                  kIndexHeaderEnd});
}

static FailureOr<EmittedFile> emitProgram(ProgramOp program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = guardName(
      program.getFile(), llvm::formatv("ARCH{0}", architecture(program)).str());
  std::string nameSpace =
      llvm::formatv("Lossgrad{0}", program.getOpName()).str();
  os << llvm::formatv(templates::kernelComment, program.getOpName(),
                      listProducts(program), describe(program),
                      LOSSGRAD_VERSION);
  bool hasTiles = usesTileHeader(program);
  StringRef header = usesIndexHeader(program)
                         ? "#include \"lossgrad_index.h\"\n"
                     : usesRowHeader(program)
                         ? "#include \"lossgrad_rows.h\"\n"
                     : hasTiles ? "#include \"lossgrad_tile.h\"\n"
                                : "";
  os << llvm::formatv(templates::kernelOpening, guard, program.getFile(),
                      nameSpace, header,
                      hasTiles ? "using namespace LossgradTile;\n" : "");
  KernelPrinter printer(os);
  for (KernelOp kernel : program.getBody().getOps<KernelOp>())
    if (failed(printer.printKernel(kernel)))
      return failure();
  os << llvm::formatv(templates::kernelNamespaceEnd, guard, nameSpace);
  for (EntryOp entry : program.getBody().getOps<EntryOp>())
    if (failed(printer.printEntry(entry, nameSpace)))
      return failure();
  os << "\n#endif // " << guard << '\n';
  return EmittedFile{"op_kernel/" + archPath(program), cpp::wrapLines(text)};
}

/// The file that the build compiles: one architecture's kernels.
static EmittedFile emitMain(ArrayRef<ProgramOp> programs) {
  ProgramOp first = programs.front();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(templates::mainComment, first.getOpName());
  SmallVector<std::string> products;
  for (ProgramOp program : programs) {
    const targets::Family *family =
        ProgramOp(program).getFamilyTables().front();
    os << llvm::formatv(templates::archInclude,
                        products.empty() ? "if" : "elif", family->npuArch,
                        family->cceAicore, archPath(program));
    products.push_back(listProducts(program));
  }
  os << llvm::formatv(templates::otherArchs, first.getOpName(),
                      llvm::join(products, " and "));
  return {("op_kernel/" + first.getFile() + ".cpp").str(), text};
}

FailureOr<std::vector<EmittedFile>> lossgrad::emitKernels(ModuleOp module) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  if (programs.empty()) {
    module.emitError("has no ascendc.program to emit");
    return failure();
  }
  std::vector<EmittedFile> files;
  files.push_back(emitMain(programs));
  for (TilingStructOp tiling : module.getOps<TilingStructOp>())
    files.push_back(emitTilingData(tiling, programs.front()));
  for (ProgramOp program : programs) {
    addHeaders(program, files);
    FailureOr<EmittedFile> file = emitProgram(program);
    if (failed(file))
      return failure();
    files.push_back(std::move(*file));
  }
  return files;
}

void lossgrad::printFiles(ArrayRef<EmittedFile> files, raw_ostream &os) {
  for (const EmittedFile &file : files)
    os << "//--- " << file.path << '\n' << file.text;
}
