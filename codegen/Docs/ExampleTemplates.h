//===- ExampleTemplates.h - Fixed text of example programs ------*- C++ -*-===//
//
// What stands in example programs whatever the operator; {0}, {1}, ... are
// filled in by llvm::formatv.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_DOCS_EXAMPLETEMPLATES_H
#define LOSSGRAD_CODEGEN_DOCS_EXAMPLETEMPLATES_H

namespace lossgrad::docs::templates {

/// 0: API, 1: header
constexpr char programOpening[] = R"cpp(/*
 * A call of {0}: inputs to the device, both phases, results back.
 * Prints every result beside the value that is right; exits with 0 where they agree.
 *
 * In the folder of the project, built with the lossgrad SDK in build_out:
 *   g++ examples/test_{1}.cpp -I <sdk>/include -I op_api
 *       -L build_out -L <sdk>/lib -lcust_opapi -lascendcl -lnnopbase
 * With an operator of the SDK itself:
 *   g++ test_{1}.cpp -I <sdk>/include -L <sdk>/lib -lascendcl -lnnopbase -lopapi
 * With a CANN toolkit and the installed operator package:
 *   g++ test_{1}.cpp -I $ASCEND_HOME_PATH/include -I <vendors>/lossgrad/op_api/include
 *       -L $ASCEND_HOME_PATH/lib64 -L <vendors>/lossgrad/op_api/lib -lascendcl -lnnopbase -lcust_opapi
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#if __has_include("aclnnop/{1}.h")
#include "aclnnop/{1}.h"
#else
#include "{1}.h"
#endif

#define CHECK(call)                                                                       \
    do {{                                                                                  \
        const int status = static_cast<int>(call);                                        \
        if (status != 0) {{                                                                \
            const char *text = aclGetRecentErrMsg();                                      \
            std::printf("%s failed with %d. %s\n", #call, status, text ? text : "");      \
            return 1;                                                                     \
        }                                                                                 \
    } while (0)

struct DeviceTensor {{
    void *memory = nullptr;
    aclTensor *tensor = nullptr;
};

/* Copies values to the device and describes them as a dense tensor. */
template <typename T>
int CreateTensor(const std::vector<T> &values, const std::vector<int64_t> &shape, aclDataType dtype,
    DeviceTensor &result)
{{
    const size_t bytes = values.size() * sizeof(T);
    CHECK(aclrtMalloc(&result.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(result.memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i) {{
        strides[i] = strides[i + 1] * shape[i + 1];
    }
    result.tensor = aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND,
        shape.data(), shape.size(), result.memory);
    return result.tensor != nullptr ? 0 : 1;
}

/* Reads a result back and compares it; the number of wrong elements. */
template <typename T>
int Compare(const char *name, const DeviceTensor &result, const std::vector<T> &expected)
{{
    std::vector<T> values(expected.size());
    const size_t bytes = values.size() * sizeof(T);
    CHECK(aclrtMemcpy(values.data(), bytes, result.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    int wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {{
        const double value = static_cast<double>(values[i]), right = static_cast<double>(expected[i]);
        std::printf("%s[%zu] = %g (%g)\n", name, i, value, right);
        const bool same = value == right || (std::isnan(value) && std::isnan(right));
        wrong += same || std::fabs(value - right) <= 1e-4 * std::fabs(right) + 1e-6 ? 0 : 1;
    }
    return wrong;
}

int main()
{{
    const int32_t device = 0;
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    CHECK(aclrtCreateStream(&stream));

)cpp";

/// 0: API, 1: the first phase as a statement
constexpr char programCalls[] = R"cpp(
    // First phase: checks the call and says how much workspace it needs.
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
{1}
    void *workspace = nullptr;
    if (workspaceSize > 0) {{
        CHECK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }

    // Second phase: enqueues the work. Results are there after the synchronise.
    CHECK({0}(workspace, workspaceSize, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));

    int wrong = 0;
)cpp";

/// 0: head of a loop over all tensors
constexpr char programEnd[] = R"cpp(
{0}
        CHECK(aclDestroyTensor(each->tensor));
        CHECK(aclrtFree(each->memory));
    }
    if (workspace != nullptr) {{
        CHECK(aclrtFree(workspace));
    }
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(device));
    CHECK(aclFinalize());
    return wrong == 0 ? 0 : 1;
}
)cpp";

} // namespace lossgrad::docs::templates

#endif // LOSSGRAD_CODEGEN_DOCS_EXAMPLETEMPLATES_H
