// The public function over the generated one: checks what the generated code
// does not (shapes), narrows nothing, forwards both phases.
#include "aclnn_add_broadcast.h"

#include "acl/acl.h"
#include "aclnnInner_add_custom.h"

#include <algorithm>
#include <vector>

namespace {

constexpr aclnnStatus NULLPTR_STATUS = 161001;
constexpr aclnnStatus INVALID_STATUS = 161002;
constexpr size_t MAX_RANK = 8;

std::vector<int64_t> ViewShape(const aclTensor *tensor)
{
    int64_t *dims = nullptr;
    uint64_t count = 0;
    if (aclGetViewShape(tensor, &dims, &count) != OK) {
        return {};
    }
    std::vector<int64_t> shape(dims, dims + count);
    delete[] dims;
    return shape;
}

bool BroadcastShape(const std::vector<int64_t> &a, const std::vector<int64_t> &b, std::vector<int64_t> &out)
{
    out.assign(std::max(a.size(), b.size()), 1);
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (da != db && da != 1 && db != 1) {
            return false;
        }
        out[out.size() - 1 - i] = da == 1 ? db : da;
    }
    return true;
}

} // namespace

aclnnStatus aclnnAddBroadcastGetWorkspaceSize(const aclTensor *self, const aclTensor *other, float alpha,
                                              aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    if (workspaceSize == nullptr || executor == nullptr || self == nullptr || other == nullptr || out == nullptr) {
        ACL_APP_LOG(ACL_ERROR, "a pointer argument is null");
        return NULLPTR_STATUS;
    }
    const std::vector<int64_t> selfShape = ViewShape(self);
    const std::vector<int64_t> otherShape = ViewShape(other);
    std::vector<int64_t> shape;
    if (!BroadcastShape(selfShape, otherShape, shape)) {
        ACL_APP_LOG(ACL_ERROR, "self and other cannot be broadcast");
        return INVALID_STATUS;
    }
    if (shape.size() > MAX_RANK) {
        ACL_APP_LOG(ACL_ERROR, "rank %zu exceeds %zu", shape.size(), MAX_RANK);
        return INVALID_STATUS;
    }
    if (ViewShape(out) != shape) {
        ACL_APP_LOG(ACL_ERROR, "out does not have the broadcast shape");
        return INVALID_STATUS;
    }
    return aclnnInnerAddCustomGetWorkspaceSize(self, other, alpha, out, workspaceSize, executor);
}

aclnnStatus aclnnAddBroadcast(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    return aclnnInnerAddCustom(workspace, workspaceSize, executor, stream);
}
