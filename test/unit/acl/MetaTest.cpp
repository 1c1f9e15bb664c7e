//===- MetaTest.cpp - tensors, scalars, arrays and lists ------------------===//
//
// View semantics and misuse of the descriptors of acl_meta.h.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"

#include "aclnn/aclnn_base.h"
#include "lossgrad/opapi.h"

#include <vector>

namespace {

std::vector<int64_t> take(int64_t *dims, uint64_t count) {
  std::vector<int64_t> result(dims, dims + count);
  delete[] dims;
  return result;
}

aclTensor *make(const std::vector<int64_t> &dims,
                const int64_t *strides = nullptr) {
  return aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, strides, 0,
                         ACL_FORMAT_ND, dims.data(), dims.size(), nullptr);
}

TEST(Meta, TensorGetters) {
  const int64_t view[] = {2, 3}, strides[] = {1, 2}, storage[] = {100};
  int data = 0;
  aclTensor *tensor = aclCreateTensor(view, 2, ACL_BF16, strides, 7,
                                      ACL_FORMAT_NCL, storage, 1, &data);
  ASSERT_NE(tensor, nullptr);
  int64_t *dims = nullptr, offset = 0;
  uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 0);
  EXPECT_EQ(take(dims, count), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(aclGetViewStrides(tensor, &dims, &count), 0);
  EXPECT_EQ(take(dims, count), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(aclGetStorageShape(tensor, &dims, &count), 0);
  EXPECT_EQ(take(dims, count), (std::vector<int64_t>{100}));
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 0);
  EXPECT_EQ(offset, 7);
  aclFormat format = ACL_FORMAT_UNDEFINED;
  EXPECT_EQ(aclGetFormat(tensor, &format), 0);
  EXPECT_EQ(format, ACL_FORMAT_NCL);
  aclDataType type = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &type), 0);
  EXPECT_EQ(type, ACL_BF16);
  void *address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, &data);
  EXPECT_EQ(aclSetRawTensorAddr(tensor, nullptr), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Meta, DefaultStridesScalarsAndEmpty) {
  aclTensor *tensor = make({2, 0, 5});
  int64_t *dims = nullptr;
  uint64_t count = 9;
  EXPECT_EQ(aclGetViewStrides(tensor, &dims, &count), 0);
  EXPECT_EQ(take(dims, count), (std::vector<int64_t>{0, 5, 1}));
  EXPECT_EQ(aclInitTensor(tensor, nullptr, 0, ACL_INT32, nullptr, 0,
                          ACL_FORMAT_ND, nullptr, 0, nullptr),
            0);
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 0);
  EXPECT_EQ(take(dims, count), std::vector<int64_t>());
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Meta, CreateErrors) {
  const int64_t dims[30] = {};
  EXPECT_FAILS(aclCreateTensor(nullptr, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                               dims, 1, nullptr),
               nullptr, "viewDims is null with 2 dims");
  EXPECT_FAILS(aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                               nullptr, 3, nullptr),
               nullptr, "storageDims is null with 3 dims");
  EXPECT_FAILS(aclCreateTensor(dims, 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                               dims, 1, nullptr),
               nullptr, "26 view and 1 storage dims exceed 25");
  EXPECT_FAILS(aclCreateScalar(nullptr, ACL_FLOAT), nullptr, "value is null");
  // Everything else is the operator's business.
  const int64_t odd[] = {-3, 4};
  aclTensor *tensor = aclCreateTensor(odd, 2, ACL_DT_UNDEFINED, odd, -9,
                                      ACL_FORMAT_UNDEFINED, odd, 1, nullptr);
  EXPECT_NE(tensor, nullptr);
  EXPECT_FAILS(aclInitTensor(tensor, nullptr, 1, ACL_FLOAT, nullptr, 0,
                             ACL_FORMAT_ND, nullptr, 0, nullptr),
               161001, "viewDims");
  EXPECT_FAILS(aclInitTensor(nullptr, odd, 1, ACL_FLOAT, nullptr, 0,
                             ACL_FORMAT_ND, odd, 1, nullptr),
               161001, "tensor is null");
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Meta, NullAndStaleTensors) {
  aclTensor *tensor = make({1});
  int64_t *dims = nullptr, offset = 0;
  uint64_t count = 0;
  aclFormat format;
  aclDataType type;
  void *address = nullptr;
  EXPECT_FAILS(aclGetViewShape(nullptr, &dims, &count), 161001, "is null");
  EXPECT_FAILS(aclGetViewShape(tensor, nullptr, &count), 161001, "output");
  EXPECT_FAILS(aclGetViewShape(tensor, &dims, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetStorageShape(nullptr, &dims, &count), 161001, "is null");
  EXPECT_FAILS(aclGetStorageShape(tensor, nullptr, &count), 161001, "output");
  EXPECT_FAILS(aclGetViewStrides(nullptr, &dims, &count), 161001, "is null");
  EXPECT_FAILS(aclGetViewStrides(tensor, &dims, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetViewOffset(tensor, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetFormat(nullptr, &format), 161001, "aclGetFormat");
  EXPECT_FAILS(aclGetFormat(tensor, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetDataType(nullptr, &type), 161001, "aclGetDataType");
  EXPECT_FAILS(aclGetDataType(tensor, nullptr), 161001, "output");
  EXPECT_FAILS(aclSetRawTensorAddr(nullptr, &count), 161001, "is null");
  EXPECT_FAILS(aclGetRawTensorAddr(tensor, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetRawTensorAddr(nullptr, &address), 161001, "is null");
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_FAILS(aclDestroyTensor(tensor), 161002, "destroyed twice?");
  EXPECT_FAILS(aclGetViewOffset(tensor, &offset), 161002, "not a live tensor");
}

TEST(Meta, ArraysCopyTheirValues) {
  int64_t ints[] = {1, 2, 3};
  const float floats[] = {1.5f};
  const bool bools[] = {true, false};
  aclIntArray *i = aclCreateIntArray(ints, 3);
  aclFloatArray *f = aclCreateFloatArray(floats, 1);
  aclBoolArray *b = aclCreateBoolArray(bools, 2);
  aclIntArray *none = aclCreateIntArray(nullptr, 0);
  uint64_t size = 9;
  EXPECT_EQ(aclGetIntArraySize(i, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclGetFloatArraySize(f, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclGetBoolArraySize(b, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclGetIntArraySize(none, &size), 0);
  EXPECT_EQ(size, 0u);
  EXPECT_FAILS(aclGetIntArraySize(nullptr, &size), 161001, "is null");
  EXPECT_FAILS(aclGetFloatArraySize(f, nullptr), 161001, "output");
  EXPECT_FAILS(aclGetBoolArraySize(nullptr, &size), 161001, "is null");
  EXPECT_EQ(aclDestroyIntArray(i), 0);
  EXPECT_EQ(aclDestroyIntArray(none), 0);
  EXPECT_EQ(aclDestroyFloatArray(f), 0);
  EXPECT_EQ(aclDestroyBoolArray(b), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), 0);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), 0);
  EXPECT_FAILS(aclDestroyIntArray(i), 161002, "destroyed twice?");
  EXPECT_FAILS(aclDestroyFloatArray(f), 161002, "destroyed twice?");
  EXPECT_FAILS(aclDestroyBoolArray(b), 161002, "destroyed twice?");
}

TEST(Meta, ListsOwnTheirElements) {
  const aclTensor *tensors[] = {make({1}), make({2})};
  aclTensorList *list = aclCreateTensorList(tensors, 2);
  uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  EXPECT_EQ(aclDestroyTensor(tensors[0]), 161002); // went with the list
  EXPECT_EQ(aclDestroyTensorList(list), 161002);
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  float value = 2;
  const aclScalar *scalars[] = {aclCreateScalar(&value, ACL_FLOAT)};
  aclScalarList *scalarList = aclCreateScalarList(scalars, 1);
  EXPECT_EQ(aclGetScalarListSize(scalarList, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_FAILS(aclGetScalarListSize(nullptr, &size), 161001, "is null");
  EXPECT_FAILS(aclGetTensorListSize(nullptr, &size), 161001, "is null");
  EXPECT_EQ(aclDestroyScalarList(scalarList), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
  aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
  EXPECT_FAILS(aclDestroyScalar(scalar), 161002, "destroyed twice?");
}

TEST(Meta, ExecutorErrors) {
  int local = 0;
  auto *stray = reinterpret_cast<aclOpExecutor *>(&local);
  EXPECT_FAILS(aclSetAclOpExecutorRepeatable(nullptr), 561103, "is null");
  EXPECT_FAILS(aclSetAclOpExecutorRepeatable(stray), 561000, "not an executor");
  EXPECT_FAILS(aclDestroyAclOpExecutor(nullptr), 561103, "is null");
  EXPECT_FAILS(aclDestroyAclOpExecutor(stray), 561000, "not an executor");
  EXPECT_FAILS(aclSetDynamicInputTensorAddr(nullptr, 0, 0, nullptr, nullptr),
               561103, "aclSetDynamicInputTensorAddr");
  EXPECT_FAILS(aclSetDynamicOutputTensorAddr(stray, 0, 0, nullptr, nullptr),
               561000, "aclSetDynamicOutputTensorAddr");
  EXPECT_FAILS(AclSetDynamicTensorAddr(nullptr, 0, 0, nullptr, nullptr), 561103,
               "AclSetDynamicTensorAddr");
  EXPECT_FAILS(aclSetOutputTensorAddr(nullptr, 0, nullptr, nullptr), 561103,
               "aclSetOutputTensorAddr");
}

TEST(Meta, ScalarConversionIsExactOrRefused) {
  using namespace lossgrad::opapi;
  const Param scalar = {"factor", Option::Required, false, false, ACL_FLOAT};
  const Operator op = {"Probe", "aclnnProbe", &scalar, 1,       nullptr,
                       0,       nullptr,      0,       nullptr, 0,
                       false};
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  uint16_t half = 0x3f80;
  aclScalar *bf16 = aclCreateScalar(&half, ACL_BF16);
  const Argument arguments[] = {Argument(static_cast<const aclScalar *>(bf16))};
  EXPECT_FAILS(prepare(op, arguments, 1, &size, &executor), 161002,
               "factor: a scalar of type BF16 cannot become FLOAT");
  EXPECT_EQ(aclDestroyScalar(bf16), 0);
  // A double is taken; the call then lacks a configuration for the product.
  double value = 1;
  aclScalar *real = aclCreateScalar(&value, ACL_DOUBLE);
  const Argument good[] = {Argument(static_cast<const aclScalar *>(real))};
  EXPECT_FAILS(prepare(op, good, 1, &size, &executor), 561003,
               "Probe has no configuration for Ascend910B1");
  EXPECT_EQ(aclDestroyScalar(real), 0);
}

TEST(Meta, InitIsOptionalAndRepeatable) {
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
  testing::internal::CaptureStderr();
  aclTensor *leak = make({1});
  EXPECT_EQ(aclFinalize(), 0);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "1 aclTensor(s) not destroyed"),
            std::string::npos);
  EXPECT_EQ(aclDestroyTensor(leak), 0);
}

} // namespace
