//===- PageTemplates.h - Fixed text of operator pages -----------*- C++ -*-===//
//
// What stands on every operator's page; {0}, {1}, ... are filled in by
// llvm::formatv.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_DOCS_PAGETEMPLATES_H
#define LOSSGRAD_CODEGEN_DOCS_PAGETEMPLATES_H

namespace lossgrad::docs::templates {

/// 0: API, 1: parameters, 2: header
constexpr char prototypes[] = R"md(
## Functions

A call has two phases. The first checks the arguments and says how much workspace the call needs; the second
enqueues the work on a stream. Both are declared in `aclnnop/{2}.h`.

```cpp
aclnnStatus {0}GetWorkspaceSize(
    {1});
```

```cpp
aclnnStatus {0}(
    void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
```
)md";

constexpr char parametersOpening[] = R"md(
## First phase

| parameter | direction | type | meaning | dtypes | format | rank | shape | strides | may be null |
|---|---|---|---|---|---|---|---|---|---|
)md";

constexpr char parametersEnd[] =
    R"md(| `workspaceSize` | out | `uint64_t *` | bytes of device memory that the second phase needs; may be 0 | | | | | | no |
| `executor` | out | `aclOpExecutor **` | the prepared call, for the second phase | | | | | | no |

Strides: any, so tensors need not be contiguous, inputs and outputs alike; the storage offset is free, too. Tensors with
another format tag than ND are taken as ND. A tensor of rank 0 has one element.
)md";

/// 0: API
constexpr char statusOpening[] = R"md(
### Status of {0}GetWorkspaceSize

The checks in the order in which they are made; the first that fails decides. The log has the message with the
values of the call.

| # | status | ends the call where this does not hold; message |
|---|---|---|
)md";

constexpr char promotion[] = R"md(
### Promotion of dtypes

Where tensors of different dtypes meet, their common dtype is:

| | FLOAT | FLOAT16 | BF16 |
|---|---|---|---|
| FLOAT | FLOAT | FLOAT | FLOAT |
| FLOAT16 | FLOAT | FLOAT16 | FLOAT |
| BF16 | FLOAT | FLOAT | BF16 |

It decides only what is accepted. Nothing is rounded to it: inputs are widened as they are, and results are rounded once, to the dtype of the output.
)md";

constexpr char statusEnd[] = R"md(
The names of these codes, and what can follow the checks:

| status | name | reason |
|---|---|---|
| 0 | ACLNN_SUCCESS | the call is prepared |
| 161001 | ACLNN_ERR_PARAM_NULLPTR | a pointer is null that must not be |
| 161002 | ACLNN_ERR_PARAM_INVALID | a dtype, shape, rank or attribute is not accepted |
| 561002 | ACLNN_ERR_INNER_TILING_ERROR | the tiling function finds no way to run the call; the log says why |
| 561003 | ACLNN_ERR_INNER_FIND_KERNEL_ERROR | there is no kernel for the product |
| 561101 | ACLNN_ERR_INNER_CREATE_EXECUTOR | no executor can be created |
| 561103 | ACLNN_ERR_INNER_NULLPTR | an internal object cannot be created |
)md";

/// 0: API
constexpr char secondPhase[] = R"md(
## Second phase

| parameter | direction | type | meaning |
|---|---|---|---|
| `workspace` | in | `void *` | device memory of at least `workspaceSize` bytes; null where that is 0 |
| `workspaceSize` | in | `uint64_t` | the value that the first phase gave |
| `executor` | in | `aclOpExecutor *` | from the first phase; used up by this call unless it was made repeatable |
| `stream` | in | `aclrtStream` | the stream that the work is enqueued on |

Returns 0, 161001 for a null executor or a missing workspace, 161002 for a workspace that is too small, or the
status of the launch.

## Constraints

- Tensor descriptions live until the second phase returns, device memory and workspace until the stream has done the
  work. Results are there after `aclrtSynchronizeStream`.
- One second phase per first phase. With `aclSetAclOpExecutorRepeatable` the same executor runs as often as
  wanted; it is freed with `aclDestroyAclOpExecutor`.
- Outputs do not overlap inputs or each other.
- Calls from several threads and on several streams do not disturb each other.

## Precision and determinism

16-bit floats are widened exactly when they are read; all arithmetic on elements is float32 and every output
element is rounded once, to nearest even, when it is written. What does not depend on elements (attributes, extents)
is computed in float64 on the host. The order of all operations is fixed: the same call gives the same bits every
time.
)md";

/// 0: header, 1: program
constexpr char example[] = R"md(
## Example

The program is `examples/test_{0}.cpp`. It prints each result and, in brackets, the value that is right:

```
{2}```

In the folder of the project, with its library in `build_out` (an operator of the SDK itself needs neither `op_api` nor `build_out`: it is in `-lopapi`):

```sh
g++ examples/test_{0}.cpp -I <sdk>/include -I op_api -L build_out -L <sdk>/lib -lcust_opapi -lascendcl -lnnopbase -o example
LD_LIBRARY_PATH=build_out:<sdk>/lib ./example
```

```cpp
{1}```
)md";

} // namespace lossgrad::docs::templates

#endif // LOSSGRAD_CODEGEN_DOCS_PAGETEMPLATES_H
