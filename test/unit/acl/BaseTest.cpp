//===- BaseTest.cpp - numbers, half helpers and the log -------------------===//
//
// Enumerators and status codes are part of the binary interface: a program
// compiled against CANN must find the same numbers here.
//
//===----------------------------------------------------------------------===//
#include "AclFixture.h"

#include "aclnn/acl_meta.h"
#include "graph/types.h"

#include <cmath>
#include <limits>

static_assert(ACL_DT_UNDEFINED == -1 && ACL_FLOAT == 0 && ACL_FLOAT16 == 1 &&
              ACL_INT8 == 2 && ACL_INT32 == 3 && ACL_UINT8 == 4 &&
              ACL_INT16 == 6 && ACL_UINT16 == 7 && ACL_UINT32 == 8 &&
              ACL_INT64 == 9 && ACL_UINT64 == 10 && ACL_DOUBLE == 11 &&
              ACL_BOOL == 12 && ACL_STRING == 13 && ACL_COMPLEX64 == 16 &&
              ACL_COMPLEX128 == 17 && ACL_BF16 == 27 && ACL_INT4 == 29 &&
              ACL_UINT1 == 30 && ACL_COMPLEX32 == 33);
static_assert(ge::DT_UNDEFINED == 28 && ge::DT_BF16 == 27 && ge::DT_MAX == 42);
static_assert(ACL_FORMAT_UNDEFINED == -1 && ACL_FORMAT_ND == 2 &&
              ACL_FORMAT_FRACTAL_NZ == 29 && ACL_FRACTAL_Z_3D == 33 &&
              ACL_FORMAT_NCL == 47);
static_assert(ge::FORMAT_NCL == 47 && ge::FORMAT_RESERVED == 40 &&
              ge::FORMAT_NULL == 42 && ge::FORMAT_MAX == 0xff &&
              ge::FORMAT_DHWCN == 31 && ge::FORMAT_NDHWC == 27);
static_assert(ACL_MEMCPY_DEFAULT == 4 &&
              ACL_MEMCPY_INTER_DEVICE_TO_DEVICE == 7);
static_assert(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P == 7 &&
              ACL_HBM_MEM_P2P_HUGE1G == 11);
static_assert(ACL_EVENT_RECORDED_STATUS_COMPLETE == 1 &&
              ACL_EVENT_STATUS_COMPLETE == 0 &&
              ACL_STREAM_STATUS_NOT_READY == 1);
static_assert(ACL_ERROR_RT_PARAM_INVALID == 107000 &&
              ACL_ERROR_RT_CONTEXT_NULL == 107002 &&
              ACL_ERROR_RT_INVALID_HANDLE == 107017 &&
              ACL_ERROR_RT_FEATURE_NOT_SUPPORT == 207000 &&
              ACL_ERROR_RT_MEMORY_ALLOCATION == 207001 &&
              ACL_ERROR_RT_CONTEXT_RELEASE_ERROR == 507007 &&
              ACL_ERROR_RT_STREAM_SYNC_TIMEOUT == 507046 &&
              ACL_ERROR_RT_DRV_INTERNAL_ERROR == 507899);
static_assert(OK == 0 && sizeof(aclnnStatus) == 4);

TEST(Base, ErrorConstants) {
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, 100000);
  EXPECT_EQ(ACL_ERROR_REPEAT_INITIALIZE, 100002);
  EXPECT_EQ(ACL_ERROR_REPEAT_FINALIZE, 100037);
  EXPECT_EQ(ACL_ERROR_STORAGE_OVER_LIMIT, 300000);
  EXPECT_EQ(ACL_ERROR_INTERNAL_ERROR, 500000);
}

TEST(Base, DataTypeSizes) {
  EXPECT_EQ(aclDataTypeSize(ACL_DT_UNDEFINED), 0u);
  EXPECT_EQ(aclDataTypeSize(ACL_STRING), 0u);
  for (auto type :
       {ACL_BOOL, ACL_INT8, ACL_UINT8, ACL_INT4, ACL_UINT1, ACL_FLOAT8_E5M2})
    EXPECT_EQ(aclDataTypeSize(type), 1u);
  for (auto type : {ACL_FLOAT16, ACL_BF16, ACL_INT16, ACL_UINT16})
    EXPECT_EQ(aclDataTypeSize(type), 2u);
  for (auto type : {ACL_FLOAT, ACL_INT32, ACL_UINT32, ACL_COMPLEX32})
    EXPECT_EQ(aclDataTypeSize(type), 4u);
  for (auto type : {ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64})
    EXPECT_EQ(aclDataTypeSize(type), 8u);
  EXPECT_EQ(aclDataTypeSize(ACL_COMPLEX128), 16u);
}

TEST(Base, HalfRoundTrip) {
  // Every finite half survives the way to float and back.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00)
      continue;
    ASSERT_EQ(aclFloatToFloat16(aclFloat16ToFloat(uint16_t(bits))), bits);
  }
  EXPECT_EQ(aclFloat16ToFloat(0x3c00), 1.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x0001), std::ldexp(1.0f, -24));
}

TEST(Base, HalfRoundsToNearestEven) {
  EXPECT_EQ(aclFloatToFloat16(2049.0f), 0x6800); // tie to 2048
  EXPECT_EQ(aclFloatToFloat16(2051.0f), 0x6802); // tie to 2052
  EXPECT_EQ(aclFloatToFloat16(0.99999f), 0x3c00);
}

TEST(Base, HalfSaturates) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(aclFloatToFloat16(NAN), 0x7bff);
  EXPECT_EQ(aclFloatToFloat16(inf), 0x7bff);
  EXPECT_EQ(aclFloatToFloat16(-inf), 0xfbff);
  EXPECT_EQ(aclFloatToFloat16(1e10f), 0x7bff);
  EXPECT_EQ(aclFloat16ToFloat(0x7c00), 65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xfc00), -65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7e00), 98304.0f);
}

TEST(Base, AppLogFeedsRecentError) {
  aclGetRecentErrMsg();
  ACL_APP_LOG(ACL_WARNING, "not an error");
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  testing::internal::CaptureStderr();
  ACL_APP_LOG(ACL_ERROR, "dim %d is bad", 3);
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("[ERROR] BaseTest.cpp:"),
      std::string::npos);
  EXPECT_NE(recentError().find("dim 3 is bad"), std::string::npos);
  aclAppLog(ACL_ERROR, nullptr, nullptr, 0, "%s", ""); // no crash
}
