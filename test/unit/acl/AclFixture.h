//===- AclFixture.h - what the ACL tests share ------------------*- C++ -*-===//
//
// A current device per test and the recent-error text.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_TEST_UNIT_ACL_ACLFIXTURE_H
#define LOSSGRAD_TEST_UNIT_ACL_ACLFIXTURE_H

#include "acl/acl.h"

#include <gtest/gtest.h>

#include <string>

inline std::string recentError() {
  const char *text = aclGetRecentErrMsg();
  return text ? text : "";
}

/// The call fails with that status and leaves that text behind.
#define EXPECT_FAILS(call, code, text)                                         \
  do {                                                                         \
    aclGetRecentErrMsg();                                                      \
    EXPECT_EQ(call, code);                                                     \
    EXPECT_PRED2(                                                              \
        [](const std::string &all, const std::string &part) {                  \
          return all.find(part) != std::string::npos;                          \
        },                                                                     \
        recentError(), std::string(text));                                     \
  } while (0)

class OnDevice : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclGetRecentErrMsg();
  }
  void TearDown() override { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }
};

#endif // LOSSGRAD_TEST_UNIT_ACL_ACLFIXTURE_H
