//===- HostModel.h - What host emitters ask of an operator ------*- C++ -*-===//
//
// Names, product groups, dtype rows and sources of dims, derived from a
// level-1 operator and nothing else. The rules are those of
// docs/host-emitters.md; emitters print what stands here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_HOST_HOSTMODEL_H
#define LOSSGRAD_CODEGEN_HOST_HOSTMODEL_H

#include "dialect/LossGrad/IR/LossGrad.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace lossgrad::targets {
struct Family;
}

namespace lossgrad::host {

/// MAX_TENSORS of the header that tiling functions share.
inline constexpr size_t kMaxTensors = 16;
/// Combinations of dtypes that a definition lists: three dtypes of six
/// independent tensors. With more, tensors are handed on as bytes.
inline constexpr size_t kMaxRows = 729;

/// Products of an operator on which every tensor has the same dtypes.
struct ProductGroup {
  std::vector<const targets::Family *> families;
  llvm::StringRef anyProduct() const;
};

/// Tensors whose dtypes must be equal, by position in HostModel::tensors.
using DTypeTie = llvm::SmallVector<size_t, 4>;

/// Where the axes of a dim stand in a tensor parameter: [begin, end) with the
/// counting of `Axes` in the emitted headers.
struct AxisRange {
  ParamAttr param;
  int64_t begin = 0, end = 0;
  /// Single axes of the declaration, and whether it has a pack beside them.
  int64_t single = 0;
  bool pack = false;
};

class HostModel {
public:
  /// Products: those of the operator, or of its kernels where the module has
  /// some. Fails with a diagnostic for an unknown product or C type.
  static mlir::FailureOr<HostModel> create(OperatorOp op);

  OperatorOp op;
  std::string type;   // LossgradSmoothL1LossBackward
  std::string api;    // aclnnSmoothL1LossBackward
  std::string file;   // lossgrad_smooth_l1_loss_backward
  std::string header; // aclnn_smooth_l1_loss_backward
  /// Inputs, then outputs, each in C order; and the attributes.
  std::vector<ParamAttr> inputs, outputs, tensors, attributes;
  std::vector<ProductGroup> groups;
  /// A partition of all tensors.
  std::vector<DTypeTie> ties;
  /// The combinations of dtypes are too many for rows of a definition, so that
  /// the public function describes tensors as bytes.
  bool asBytes = false;

  /// The name of a parameter in the op definition: `grad_out`.
  static std::string definitionName(ParamAttr param);

  /// One range for most dims, one per operand for a broadcast pack. Fails with
  /// a diagnostic at `asking` where no required input settles the dim.
  mlir::FailureOr<std::vector<AxisRange>> findDim(mlir::Operation *asking,
                                                  llvm::StringRef dim);

  /// The inputs whose promotion is the dtype of an output, where inference has
  /// to choose one.
  std::vector<ParamAttr> dtypeSources(ParamAttr output);

  /// dtypes of a tie on a product: what all of its tensors take there.
  llvm::SmallVector<DType> dtypesOf(const DTypeTie &tie,
                                    llvm::StringRef product) const;

  /// A dtype that the rows of all products have for a tensor, if there is one.
  DType anyDType(ParamAttr tensor) const;
  /// What a definition lists for it, on some product.
  llvm::SmallVector<DType> listedDTypes(ParamAttr tensor) const;
  /// Whether the contract lets other dtypes through than those: in calls that
  /// do not read the tensor.
  bool mayHaveAnyDType(ParamAttr tensor) const;

private:
  void findTies();
  bool hasTooManyRows() const;
  mlir::LogicalResult groupProducts();
  std::optional<AxisRange> findRange(ParamAttr param, llvm::StringRef dim);
};

/// HostModel::asBytes, for whoever needs nothing else.
mlir::FailureOr<bool> handsOnBytes(OperatorOp op);

/// The shortest decimal that reads back as the same number, as a C++ literal.
std::string spellReal(double value);

/// `head` with `parts` joined by `separator` behind it, broken into lines where
/// they are longer than emitted files allow.
std::string fitLine(llvm::StringRef head, llvm::ArrayRef<std::string> parts,
                    llvm::StringRef separator, llvm::StringRef tail,
                    llvm::StringRef indent);

/// Enumerators: `ACL_FLOAT`, `ge::DT_FLOAT` without its prefix.
llvm::StringRef dtypeSuffix(DType dtype);

} // namespace lossgrad::host

#endif // LOSSGRAD_CODEGEN_HOST_HOSTMODEL_H
