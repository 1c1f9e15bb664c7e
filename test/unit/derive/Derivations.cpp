//===- Derivations.cpp - What tests of derivations share ------------------===//

#include "test/unit/derive/Derivations.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace lossgrad;
using llvm::StringRef;

Imported::Imported(std::unique_ptr<llvm::MemoryBuffer> buffer,
                   ImportOptions options)
    : context(std::make_shared<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED)) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  options.includeDirs = {LOSSGRAD_SOURCE_DIR "/ops_td"};
  auto imported = importRecords(sources, options, context.get());
  // The module goes before the context does.
  auto *kept = new mlir::OwningOpRef<mlir::ModuleOp>(std::move(imported));
  module = {kept, [context = context](auto *m) { delete m; }};
}

Imported Imported::text(StringRef text, ImportOptions options) {
  return Imported(llvm::MemoryBuffer::getMemBufferCopy(text, "test.td"),
                  options);
}

Imported Imported::file(StringRef name, ImportOptions options) {
  auto buffer = llvm::MemoryBuffer::getFile(
      (LOSSGRAD_SOURCE_DIR "/ops_td/" + name + ".td").str());
  return Imported(std::move(*buffer), options);
}

Imported lossgrad::importByHand(StringRef record) {
  std::string kept =
      (LOSSGRAD_SOURCE_DIR "/test/unit/derive/ByHand/" + record + ".td").str();
  if (auto buffer = llvm::MemoryBuffer::getFile(kept))
    return Imported::text((*buffer)->getBuffer());
  return Imported::file(record);
}

OperatorOp lossgrad::getByHand(const Imported &imported, StringRef record) {
  OperatorOp kept = imported.get((record + "ByHand").str());
  return kept ? kept : imported.getBackward();
}

Imported lossgrad::importDerived(StringRef record) {
  ImportOptions options;
  options.ignoreResults = true;
  options.objectives = true;
  return Imported::file(record, options);
}

OperatorOp Imported::get(StringRef name) const {
  return (**module).lookupSymbol<OperatorOp>(name);
}

OperatorOp Imported::getForward() const {
  for (auto op : (**module).getOps<OperatorOp>())
    if (op.getForward())
      return op;
  return {};
}

OperatorOp Imported::getBackward() const {
  for (auto op : (**module).getOps<OperatorOp>())
    if (!op.getForward() && !op.getGradients())
      return op;
  return {};
}

OperatorOp Imported::getObjective() const {
  return get((getBackward().getSymName() + kObjectiveSuffix).str());
}

std::optional<std::vector<OutputTensor>> lossgrad::run(OperatorOp op,
                                                       const Call &call) {
  auto outputs = interpret(op, call);
  if (outputs)
    return std::move(*outputs);
  llvm::consumeError(outputs.takeError());
  return std::nullopt;
}

unsigned lossgrad::expectGradients(OperatorOp backward, OperatorOp objective,
                                   llvm::ArrayRef<unsigned> calls,
                                   unsigned perOutput) {
  unsigned compared = 0;
  for (unsigned index : calls) {
    Call call = makeSampleCall(backward, index);
    auto check = compareWithDifferences(backward, objective, call, perOutput,
                                        ("call " + llvm::Twine(index)).str());
    if (!check) {
      ADD_FAILURE() << "call " << index << ": "
                    << llvm::toString(check.takeError());
      return compared;
    }
    compared += check->compared;
    if (const auto &wrong = check->wrong) {
      ADD_FAILURE() << backward.getSymName().str() << ", call " << index << ": "
                    << wrong->output << "[" << wrong->index << "] is "
                    << wrong->gradient << ", by differences "
                    << wrong->difference;
      return compared;
    }
  }
  return compared;
}
