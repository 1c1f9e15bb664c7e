// Encoding of elements, views in storage, and what surrounds them.
#include "TensorData.h"
#include "llvm/Support/Error.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace lossgrad;
using namespace lossgrad::run;

namespace {

Element real(double value) {
  Element element;
  element.real = value;
  return element;
}

View parse(llvm::StringRef text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  return llvm::cantFail(parseView(*value.getAsObject()));
}

std::string parseError(llvm::StringRef text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  llvm::Expected<View> view = parseView(*value.getAsObject());
  return view ? "" : llvm::toString(view.takeError());
}

TEST(TensorData, EveryHalfSurvivesARoundTrip) {
  for (DType dtype : {DType::Float16, DType::BFloat16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      uint8_t in[2] = {uint8_t(bits), uint8_t(bits >> 8)}, out[2];
      Element element = decode(dtype, in);
      EXPECT_EQ(roundTo(dtype, element.real) == element.real,
                !std::isnan(element.real));
      if (std::isnan(element.real))
        continue;
      encode(dtype, element, out);
      ASSERT_EQ(out[0], in[0]) << bits;
      ASSERT_EQ(out[1], in[1]) << bits;
    }
}

TEST(TensorData, KnownPatterns) {
  uint8_t bytes[8] = {};
  encode(DType::Float16, real(1.5), bytes);
  EXPECT_EQ(bytes[1], 0x3e);
  encode(DType::Float16, real(0x1p-24), bytes);
  EXPECT_EQ(bytes[0], 1);
  encode(DType::BFloat16, real(-2), bytes);
  EXPECT_EQ(bytes[1], 0xc0);
  Element negative;
  negative.integer = -3;
  encode(DType::Int32, negative, bytes);
  EXPECT_EQ(decode(DType::Int32, bytes).integer, -3);
  encode(DType::UInt8, negative, bytes);
  EXPECT_EQ(decode(DType::UInt8, bytes).integer, 253);
}

TEST(TensorData, RoundingToHalvesIsToNearestEven) {
  EXPECT_EQ(roundTo(DType::Float16, 2049.0), 2048.0);
  EXPECT_EQ(roundTo(DType::Float16, 2051.0), 2052.0);
  EXPECT_EQ(roundTo(DType::Float16, 65519.9), 65504.0);
  EXPECT_TRUE(std::isinf(roundTo(DType::Float16, 65520.0)));
  EXPECT_EQ(roundTo(DType::Float16, 0x1p-25), 0.0);
  EXPECT_EQ(roundTo(DType::Float16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(roundTo(DType::BFloat16, 1 + 0x1p-8), 1.0);
  EXPECT_EQ(roundTo(DType::BFloat16, 1 + 0x3p-8), 1 + 0x1p-6);
}

TEST(TensorData, TheCanaryIsNoSpecialValue) {
  uint8_t bytes[8];
  std::fill(std::begin(bytes), std::end(bytes), Storage::canary);
  for (DType dtype : {DType::Float32, DType::Float16, DType::BFloat16}) {
    double value = decode(dtype, bytes).real;
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_NE(value, 0);
  }
}

TEST(TensorData, DenseViews) {
  View view = parse(R"({"name": "x", "dtype": "float32", "shape": [2, 3]})");
  EXPECT_EQ(view.strides, (Extents{3, 1}));
  EXPECT_TRUE(view.isDense());
  EXPECT_EQ(view.getStorageElements(), 6);
  EXPECT_EQ(parse(R"({"name": "x", "dtype": "float32", "shape": []})")
                .getNumElements(),
            1);
}

TEST(TensorData, TransposedViewGoesToTheRightPlaces) {
  View view = parse(R"({"name": "x", "dtype": "float32", "shape": [2, 3],
                        "strides": [1, 2], "storage_shape": [3, 2]})");
  EXPECT_FALSE(view.isDense());
  Storage storage(view);
  std::vector<Element> elements;
  for (int i = 0; i < 6; ++i)
    elements.push_back(real(i));
  storage.scatter(elements);
  View plain = view;
  plain.shape = {6};
  plain.strides = {1};
  Storage flat(plain);
  flat.bytes = storage.bytes;
  double expected[] = {0, 3, 1, 4, 2, 5};
  std::vector<Element> inOrder = flat.gather();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(inOrder[i].real, expected[i]);
  EXPECT_FALSE(storage.findTouchedByte());
}

TEST(TensorData, AViewThatRepeatsShowsWhatAReaderSees) {
  View view = parse(R"({"name": "x", "dtype": "float32", "shape": [3, 2],
                        "strides": [0, 1], "storage_shape": [2]})");
  Storage storage(view);
  std::vector<Element> elements;
  for (int i = 0; i < 6; ++i)
    elements.push_back(real(i));
  storage.scatter(elements);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(elements[i].real, 4 + i % 2);
}

TEST(TensorData, BytesThatAViewDoesNotShowAreWatched) {
  View view = parse(R"({"name": "x", "dtype": "float16", "shape": [2, 2],
                        "strides": [4, 1], "offset": 1, "storage_shape": [2, 4]})");
  Storage storage(view);
  std::vector<Element> elements(4, real(1));
  storage.scatter(elements);
  EXPECT_FALSE(storage.findTouchedByte());
  storage.bytes[2 * 3] ^= 1; // element 3 lies behind the first row
  EXPECT_EQ(storage.findTouchedByte(), 6u);
  storage.bytes[2 * 3] ^= 1;
  storage.bytes[2 * 1] ^= 1; // element 1 is shown
  EXPECT_FALSE(storage.findTouchedByte());
}

TEST(TensorData, ErrorsNameTheTensor) {
  EXPECT_EQ(
      parseError(R"({"name": "x", "dtype": "float3", "shape": []})"),
      "tensor 'x': unknown dtype 'float3'; known are float32, float16, int8, "
      "int32, uint8, int16, uint16, uint32, int64, uint64, float64, bool, "
      "string, complex64, complex128, bfloat16, undefined");
  EXPECT_EQ(parseError(R"({"name": "x", "dtype": "float32"})"),
            "tensor 'x': has no 'shape'");
  EXPECT_EQ(parseError(R"({"name": "x", "dtype": "float32", "shape": [2],
                           "strides": [1, 1]})"),
            "tensor 'x': has 2 strides for 1 axes");
  EXPECT_EQ(
      parseError(R"({"name": "x", "dtype": "float32", "shape": [4],
                           "strides": [2], "storage_shape": [6]})"),
      "tensor 'x': its view reaches from element 0 to 6 of a storage of 6");
  EXPECT_EQ(parseError(R"({"name": "x", "dtype": "float32", "shape": [-1]})"),
            "tensor 'x': has a negative extent");
}

} // namespace
