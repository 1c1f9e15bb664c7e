//===- Derivations.cpp - What tests of derivations share ------------------===//

#include "test/unit/derive/Derivations.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <cmath>

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
  StringRef folder = name.ends_with(".td") ? "/test/unit/derive/" : "/ops_td/";
  StringRef ending = name.ends_with(".td") ? "" : ".td";
  auto buffer = llvm::MemoryBuffer::getFile(
      (LOSSGRAD_SOURCE_DIR + folder + name + ending).str());
  return Imported(std::move(*buffer), options);
}

OperatorOp Imported::get(StringRef name) const {
  return (**module).lookupSymbol<OperatorOp>(name);
}

OperatorOp Imported::getForward() const {
  for (auto op : (**module).getOps<OperatorOp>())
    if (op->hasAttr(kForwardAttr))
      return op;
  return {};
}

OperatorOp Imported::getBackward() const {
  for (auto op : (**module).getOps<OperatorOp>())
    if (!op->hasAttr(kForwardAttr))
      return op;
  return {};
}

std::optional<std::vector<OutputTensor>> lossgrad::run(OperatorOp op,
                                                       const Call &call) {
  auto outputs = interpret(op, call);
  if (outputs)
    return std::move(*outputs);
  llvm::consumeError(outputs.takeError());
  return std::nullopt;
}

Call lossgrad::asForward(OperatorOp forward, const Call &call) {
  Call result;
  result.product = call.product;
  for (auto param : forward.getParams().getAsRange<ParamAttr>()) {
    StringRef name = param.getName();
    if (auto it = call.tensors.find(name); it != call.tensors.end())
      result.tensors.insert({name, it->second});
    if (auto it = call.attributes.find(name); it != call.attributes.end())
      result.attributes.insert({name, it->second});
  }
  return result;
}

/// Of all outputs that are defined; upstream gradients are equal.
static double sumOf(OperatorOp forward, const Call &call,
                    bool *isDefined = nullptr) {
  auto outputs = run(forward, call);
  double sum = 0;
  bool all = outputs.has_value();
  if (outputs)
    for (const OutputTensor &output : *outputs)
      for (const Element &element : output.elements) {
        all &= !std::isnan(element.real);
        sum += std::isnan(element.real) ? 0 : element.real;
      }
  if (isDefined)
    *isDefined = all;
  return sum;
}

void lossgrad::compareWithDifferences(OperatorOp forward, OperatorOp backward,
                                      StringRef input, StringRef output,
                                      unsigned profile) {
  const double h = 1e-4, upstream = 0.75;
  unsigned points = 0;
  for (unsigned index = profile; index < 64; index += 4) {
    Call call = makeSampleCall(backward, index);
    for (auto &entry : call.tensors)
      if (entry.getKey().starts_with("grad") || entry.getKey() == "dy")
        for (Element &element : entry.second.elements)
          element.real = upstream;
    auto found = run(backward, call);
    ASSERT_TRUE(found);
    const OutputTensor *gradient = nullptr;
    for (const OutputTensor &each : *found)
      if (each.name == output)
        gradient = &each;
    ASSERT_TRUE(gradient);
    Call shifted = asForward(forward, call);
    std::vector<Element> &x = shifted.tensors[input].elements;
    ASSERT_EQ(x.size(), gradient->elements.size());
    bool isDefined = false;
    sumOf(forward, shifted, &isDefined);
    for (size_t i = 0; i < x.size(); ++i) {
      double before = x[i].real;
      auto at = [&](double step) {
        x[i].real = before + step;
        double sum = sumOf(forward, shifted);
        x[i].real = before;
        return sum;
      };
      double wide = (at(2 * h) - at(-2 * h)) / (4 * h),
             near = (at(h) - at(-h)) / (2 * h);
      double difference = upstream * (4 * near - wide) / 3;
      // Neither at a kink nor where the forward is not defined.
      if (!(std::abs(wide - near) < 1e-4 * (1 + std::abs(near))) ||
          (!isDefined && std::isnan(gradient->elements[i].real)))
        continue;
      ++points;
      EXPECT_NEAR(gradient->elements[i].real, difference,
                  1e-6 * (1 + std::abs(difference)))
          << output.str() << "[" << i << "] of call " << index;
    }
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(points, 30u);
}
