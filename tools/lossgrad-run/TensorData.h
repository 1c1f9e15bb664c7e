//===- TensorData.h - Tensors as bytes in storage ---------------*- C++ -*-===//
//
// Between the elements of a call (float64 or int64, row-major) and the storage
// that an operator sees: encoding by dtype, views with strides and offset, and
// the bytes around a view, which nobody may touch. Knows no device.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_TENSORDATA_H
#define LOSSGRAD_TOOLS_RUN_TENSORDATA_H

#include "dialect/LossGrad/Interpreter/Call.h"
#include "llvm/Support/JSON.h"

namespace lossgrad::run {

/// One element to and from its bytes. Reals must be values of the dtype.
void encode(DType dtype, Element element, uint8_t *bytes);
Element decode(DType dtype, const uint8_t *bytes);

bool isRealDType(DType dtype);

/// The names of all dtypes, for messages.
std::string listDTypes();

/// Where the elements of a tensor stand in its storage.
struct View {
  DType dtype = DType::Float32;
  Extents shape;
  /// In elements, one per axis, also where the tensor is dense.
  Extents strides;
  int64_t offset = 0;
  Extents storageShape;
  std::string format = "ND";

  int64_t getNumElements() const;
  /// Row-major without gaps (it may still be a part of its storage).
  bool isDense() const;
  /// Elements of the storage.
  int64_t getStorageElements() const;
};

/// Reads the view of a tensor of a case. An element outside of the storage is
/// an error, which names the tensor. Without `storage_shape` the storage ends
/// with the last element; a dense tensor without one is its own storage.
llvm::Expected<View> parseView(const llvm::json::Object &tensor);

/// Storage with the elements of a view in it and a known pattern elsewhere.
class Storage {
public:
  explicit Storage(View view);

  /// Writes all elements, in row-major order. Where the view shows a place
  /// more than once, the last wins, and `elements` is changed to what a reader
  /// sees.
  void scatter(std::vector<Element> &elements);
  std::vector<Element> gather() const;

  /// The first byte of the storage that the view does not show and that is not
  /// what it was; nothing if there is none.
  std::optional<size_t> findTouchedByte() const;

  const View &getView() const { return view; }
  std::vector<uint8_t> bytes;

  /// What fills storage before anything is written: no dtype reads it as NaN,
  /// an infinity or a round number.
  static constexpr uint8_t canary = 0xA5;

private:
  View view;
};

/// Calls `visit(i, position)` for each element of a view, in row-major order.
template <typename Visitor>
void forEachElement(const View &view, Visitor visit) {
  int64_t count = view.getNumElements(), position = view.offset;
  Extents index(view.shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, position);
    for (size_t axis = index.size(); axis-- > 0;) {
      position += view.strides[axis];
      if (++index[axis] < view.shape[axis])
        break;
      position -= view.strides[axis] * view.shape[axis];
      index[axis] = 0;
    }
  }
}

} // namespace lossgrad::run

#endif // LOSSGRAD_TOOLS_RUN_TENSORDATA_H
