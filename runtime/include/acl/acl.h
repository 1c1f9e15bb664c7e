//===- acl.h - the umbrella header of the runtime API -----------*- C++ -*-===//
//
// Process-wide functions: initialisation, version, error text. Devices, streams
// and memory are in acl_rt.h, operators in aclnn/ and aclnnop/.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACL_ACL_H
#define LOSSGRAD_ACL_ACL_H

#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// The release whose interface is followed: CANN 8.1.
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 13
#define ACL_PATCH_VERSION 0
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/// Null selects the defaults; otherwise the path of a JSON file. A second call
/// counts up and answers 100002, which callers may ignore.
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/// Drops the count to zero and reports what was never freed. A second call
/// without an aclInit in between answers 100037.
ACL_FUNC_VISIBILITY aclError aclFinalize();

ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion,
                                             int32_t *minorVersion,
                                             int32_t *patchVersion);

/// The accumulated text of the calling thread, newest first; reading clears it.
/// Null when there is none. The pointer lives until the next call.
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg();

typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN,
  ACL_PKG_NAME_RUNTIME,
  ACL_PKG_NAME_COMPILER,
  ACL_PKG_NAME_HCCL,
  ACL_PKG_NAME_TOOLKIT,
  ACL_PKG_NAME_OPP,
  ACL_PKG_NAME_OPP_KERNEL,
  ACL_PKG_NAME_DRIVER
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

ACL_FUNC_VISIBILITY aclError
aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

#ifdef __cplusplus
}
#endif

#endif // LOSSGRAD_ACL_ACL_H
