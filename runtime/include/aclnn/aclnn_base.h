//===- aclnn_base.h - what every operator header includes -------*- C++ -*-===//
//
// acl_meta.h and the optional initialisation of the operator layer.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACLNN_ACLNN_BASE_H
#define LOSSGRAD_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

#ifdef __cplusplus
}
#endif

#endif // LOSSGRAD_ACLNN_ACLNN_BASE_H
