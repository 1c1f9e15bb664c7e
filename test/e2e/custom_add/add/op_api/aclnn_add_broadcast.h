// out = self + alpha * other with broadcasting.
#ifndef ACLNN_ADD_BROADCAST_H
#define ACLNN_ADD_BROADCAST_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// self, other: FLOAT or FLOAT16, the same type, at most 8 dims, any strides.
// out: the broadcast shape, contiguous. 161001 for a null pointer, 161002 for
// types or shapes that do not fit.
__attribute__((visibility("default"))) aclnnStatus aclnnAddBroadcastGetWorkspaceSize(
    const aclTensor *self, const aclTensor *other, float alpha, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

__attribute__((visibility("default"))) aclnnStatus aclnnAddBroadcast(void *workspace, uint64_t workspaceSize,
                                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif // ACLNN_ADD_BROADCAST_H
