//===- TensorData.cpp - Tensors as bytes in storage -----------------------===//

#include "TensorData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool run::isRealDType(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float16 ||
         dtype == DType::BFloat16 || dtype == DType::Float64;
}

template <typename T> static T read(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <typename T> static void write(uint8_t *bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

/// A value that float16 has, so that nothing is rounded here.
static uint16_t encodeHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  if (std::isinf(value))
    return sign | 0x7c00;
  if (value < 0x1p-14)
    return sign | static_cast<uint16_t>(value * 0x1p24);
  int exponent = std::ilogb(value);
  auto fraction = static_cast<uint16_t>(std::ldexp(value, 10 - exponent));
  return sign | ((exponent + 15) << 10) | (fraction & 0x3ff);
}

static double decodeHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double value;
  if (exponent == 0x1f)
    value = fraction ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = fraction * 0x1p-24;
  else
    value = std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

void run::encode(DType dtype, Element element, uint8_t *bytes) {
  switch (dtype) {
  case DType::Float32:
    return write(bytes, static_cast<float>(element.real));
  case DType::Float64:
    return write(bytes, element.real);
  case DType::Float16:
    return write(bytes, encodeHalf(element.real));
  case DType::BFloat16: {
    auto value = static_cast<float>(element.real);
    return write(
        bytes, static_cast<uint16_t>(
                   read<uint32_t>(reinterpret_cast<uint8_t *>(&value)) >> 16));
  }
  default:
    // Little-endian, as every product and host that there is.
    std::memcpy(bytes, &element.integer, std::min(getElementBytes(dtype), 8u));
  }
}

Element run::decode(DType dtype, const uint8_t *bytes) {
  Element element;
  element.integer = 0;
  switch (dtype) {
  case DType::Float32:
    element.real = read<float>(bytes);
    break;
  case DType::Float64:
    element.real = read<double>(bytes);
    break;
  case DType::Float16:
    element.real = decodeHalf(read<uint16_t>(bytes));
    break;
  case DType::BFloat16: {
    uint32_t bits = static_cast<uint32_t>(read<uint16_t>(bytes)) << 16;
    element.real = read<float>(reinterpret_cast<uint8_t *>(&bits));
    break;
  }
  default:
    std::memcpy(&element.integer, bytes, std::min(getElementBytes(dtype), 8u));
    element.integer = roundTo(dtype, element.integer);
  }
  return element;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

int64_t View::getNumElements() const { return lossgrad::getNumElements(shape); }
bool View::isDense() const {
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] > 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}
int64_t View::getStorageElements() const {
  return lossgrad::getNumElements(storageShape);
}

static Error readList(const json::Object &tensor, StringRef name, StringRef key,
                      Extents &list) {
  const json::Value *value = tensor.get(key);
  if (!value)
    return Error::success();
  list.clear();
  const json::Array *array = value->getAsArray();
  for (size_t i = 0; array && i < array->size(); ++i)
    if (auto number = (*array)[i].getAsInteger())
      list.push_back(*number);
  if (!array || list.size() != array->size())
    return createStringError("tensor '" + name + "': '" + key +
                             "' must be a list of ints of 64 bits");
  return Error::success();
}

std::string run::listDTypes() {
  std::string names;
  for (uint64_t i = 0; i <= getMaxEnumValForDType(); ++i)
    if (std::optional<DType> dtype = symbolizeDType(i))
      names += (names.empty() ? "" : ", ") + stringifyDType(*dtype).str();
  return names;
}

Expected<View> run::parseView(const json::Object &tensor) {
  StringRef name = tensor.getString("name").value_or("");
  auto bad = [&](const Twine &what) {
    return createStringError("tensor '" + name + "': " + what);
  };
  View view;
  StringRef dtype = tensor.getString("dtype").value_or("");
  std::optional<DType> known = symbolizeDType(dtype);
  if (!known)
    return bad("unknown dtype '" + dtype + "'; known are " + listDTypes());
  view.dtype = *known;
  if (!tensor.get("shape"))
    return bad("has no 'shape'");
  if (Error error = readList(tensor, name, "shape", view.shape))
    return error;
  if (any_of(view.shape, [](int64_t extent) { return extent < 0; }))
    return bad("has a negative extent");
  view.strides.assign(view.shape.size(), 1);
  // Unsigned: where this is too large for 64 bits, a check below says so.
  for (size_t axis = view.shape.size(); axis-- > 1;)
    view.strides[axis - 1] = static_cast<uint64_t>(view.strides[axis]) *
                             std::max<uint64_t>(view.shape[axis], 1);
  if (Error error = readList(tensor, name, "strides", view.strides))
    return error;
  if (view.strides.size() != view.shape.size())
    return bad("has " + Twine(view.strides.size()) + " strides for " +
               Twine(view.shape.size()) + " axes");
  view.offset = tensor.getInteger("offset").value_or(0);
  view.format = tensor.getString("format").value_or("ND").str();

  int64_t first = view.offset, last = view.offset;
  bool empty = view.getNumElements() == 0;
  for (auto [extent, stride] : zip(view.shape, view.strides)) {
    int64_t &end = stride < 0 ? first : last, reach = 0;
    if (!empty && (MulOverflow<int64_t>(stride, extent - 1, reach) ||
                   AddOverflow(end, reach, end)))
      return bad("its view reaches further than 64 bits count");
  }
  if (tensor.get("storage_shape")) {
    if (Error error =
            readList(tensor, name, "storage_shape", view.storageShape))
      return error;
    if (any_of(view.storageShape, [](int64_t extent) { return extent < 0; }))
      return bad("'storage_shape' has a negative extent");
  } else if (!tensor.get("strides") && !tensor.get("offset")) {
    view.storageShape = view.shape;
  } else {
    view.storageShape = {empty ? 0 : last + 1};
  }
  if (!empty && (first < 0 || last >= view.getStorageElements()))
    return bad("its view reaches from element " + Twine(first) + " to " +
               Twine(last) + " of a storage of " +
               Twine(view.getStorageElements()));
  return view;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

Storage::Storage(View newView) : view(std::move(newView)) {
  bytes.assign(view.getStorageElements() * getElementBytes(view.dtype), canary);
}

void Storage::scatter(std::vector<Element> &elements) {
  unsigned size = getElementBytes(view.dtype);
  forEachElement(view, [&](int64_t i, int64_t position) {
    encode(view.dtype, elements[i], bytes.data() + position * size);
  });
  if (!view.isDense())
    elements = gather();
}

std::vector<Element> Storage::gather() const {
  unsigned size = getElementBytes(view.dtype);
  std::vector<Element> elements(view.getNumElements());
  forEachElement(view, [&](int64_t i, int64_t position) {
    elements[i] = decode(view.dtype, bytes.data() + position * size);
  });
  return elements;
}

std::optional<size_t> Storage::findTouchedByte() const {
  unsigned size = getElementBytes(view.dtype);
  if (view.isDense() && view.getNumElements() == view.getStorageElements())
    return std::nullopt;
  std::vector<bool> shown(view.getStorageElements());
  forEachElement(view,
                 [&](int64_t, int64_t position) { shown[position] = true; });
  for (size_t position = 0; position < shown.size(); ++position)
    for (unsigned byte = 0; byte < size && !shown[position]; ++byte)
      if (bytes[position * size + byte] != canary)
        return position * size + byte;
  return std::nullopt;
}
