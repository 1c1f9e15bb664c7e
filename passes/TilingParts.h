//===- TilingParts.h - What tiling functions are built of -------*- C++ -*-===//
//
// Between the files that build the host side of schedules: the members of the
// tiling struct (TilingStruct.cpp), choices by variant (VariantChoice.cpp), and
// the tiling function that uses both (ScheduleTiling.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PASSES_TILINGPARTS_H
#define LOSSGRAD_PASSES_TILINGPARTS_H

#include "passes/Schedules.h"
#include "passes/UniformToArith.h"

namespace lossgrad {

/// A member of the tiling struct that a plan has too.
struct PlanMember {
  llvm::StringRef name;
  mlir::Type type;
  std::string doc;
  int64_t count = 0;    // of an array
  int64_t multiple = 0; // that the host promises
};

/// The members that the kernels of an architecture read; 64-bit ones first, so
/// that nothing is padded.
void forEachPlanMember(OperatorOp op, const ScheduledArch &arch,
                       mlir::MLIRContext *context,
                       llvm::function_ref<void(const PlanMember &)> visit);

/// Whether some tensor's element type is told in the tiling data.
bool hasRunTimeTypes(const ScheduledArch &arch);

inline bool reduces(const ScheduledVariant &variant) {
  return !variant.shape.reduced.empty();
}

/// Builds the tiling struct of an operator.
void buildTilingStruct(OperatorOp op, llvm::ArrayRef<ScheduledArch> archs,
                       mlir::OpBuilder &builder);

/// Chooses values by variant. The conditions of variants are conjunctions of
/// the same few questions, so choices are trees of those questions.
class VariantChoice {
public:
  VariantChoice(llvm::ArrayRef<ScheduledVariant> variants,
                UniformToArith &uniforms, mlir::OpBuilder &builder,
                mlir::Location loc);

  using ValueOf = llvm::function_ref<mlir::Value(const ScheduledVariant &)>;
  /// The value of the variant that holds; null values do not matter.
  mlir::Value choose(ValueOf value, llvm::StringRef name);

private:
  /// A question, and the answer to it in a variant.
  struct Literal {
    mlir::Value question;
    bool answer;
  };
  void addLiterals(mlir::Value condition, bool answer,
                   llvm::SmallVectorImpl<Literal> &literals);
  std::optional<bool> answerOf(size_t variant, mlir::Value question) const;
  mlir::Value choose(llvm::ArrayRef<size_t> which,
                     llvm::SmallVectorImpl<mlir::Value> &asked,
                     llvm::ArrayRef<mlir::Value> values);

  llvm::ArrayRef<ScheduledVariant> variants;
  UniformToArith &uniforms;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<llvm::SmallVector<Literal>> literals; // by variant
  llvm::DenseMap<std::tuple<mlir::Value, mlir::Value, mlir::Value>, mlir::Value>
      choices;
};

} // namespace lossgrad

#endif // LOSSGRAD_PASSES_TILINGPARTS_H
