//===- CaseMaker.h - Cases from a record ------------------------*- C++ -*-===//
//
// Makes cases where no file has any: one from a few words on the command line,
// completed from the record's declarations, or many random ones that its
// contract accepts. Made cases are ordinary cases; they can be printed, kept
// and run again.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_CASEMAKER_H
#define LOSSGRAD_TOOLS_RUN_CASEMAKER_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace lossgrad::run {

/// Both ends of what a parameter may be, by its name.
using ParameterRanges = llvm::StringMap<std::pair<double, double>>;

/// What a command line says of a case. Each entry is `name=value`; an entry of
/// shapes or dtypes without a name holds for all tensors not named.
struct CaseWords {
  std::vector<std::string> shapes, dtypes, ranges, values, strides, offsets,
      storageShapes, overs, nulls, attributes;

  bool empty() const {
    return shapes.empty() && dtypes.empty() && ranges.empty() &&
           values.empty() && strides.empty() && offsets.empty() &&
           storageShapes.empty() && overs.empty() && nulls.empty() &&
           attributes.empty();
  }
};

/// The object of one case. What the words leave open comes from the record:
/// shapes from the dims of tensors that are given, the first dtype of a set,
/// defaults of attributes; optional tensors that are not named are null.
llvm::Expected<llvm::json::Object>
makeCase(OperatorOp op, llvm::StringRef product, const CaseWords &words);

/// Random cases that the contract accepts on a product: every dtype and
/// choice, broadcasting, strided views, an empty one, special values. None if
/// the operator is not for the product. The same seed gives the same cases.
/// `ranges`: what to draw a parameter from, by name, where its values mean
/// something only there (a probability).
std::vector<llvm::json::Object>
makeRandomCases(OperatorOp op, llvm::StringRef product, unsigned count,
                llvm::StringRef seed, const ParameterRanges &ranges = {});

/// The dim whose positions an int input names, by way of gather or onehot;
/// empty if there is none.
llvm::StringRef findIndexedDim(OperatorOp op, llvm::StringRef input);

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_CASEMAKER_H
