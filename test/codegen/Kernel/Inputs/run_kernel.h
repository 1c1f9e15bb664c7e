// Runs an emitted kernel on the stand-in for CANN, or, with REAL_HEADERS, on
// the vendor's headers. A test program includes this file and checks values;
// broken rules (memory, synchronisation) end in a status of their own.
#pragma once

#ifdef REAL_HEADERS
#define TILING_KEY_IS(k) (g_tilingKey == (k))
#define GET_TILING_DATA_WITH_STRUCT(type, name, pointer) \
    type name = *reinterpret_cast<const type *>(pointer)
#include "kernel_operator.h"
#include KERNEL_FILE
#include "hdr_rt.h"
#else
#include "tikicpulib.h"
#include "kernel_operator.h"
#include KERNEL_FILE
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <typename T>
T *allocate(size_t count)
{
#ifdef REAL_HEADERS
    return static_cast<T *>(hdr::gm_alloc(count * sizeof(T)));
#else
    return static_cast<T *>(AscendC::GmAlloc(count * sizeof(T)));
#endif
}

// Returns the number of blocks that broke a rule.
#ifdef REAL_HEADERS
#define RUN_KERNEL(key, blocks, kernel, ...)                                     \
    (g_tilingKey = (key),                                                        \
     hdr::run(blocks, [&] { launch(kernel, __VA_ARGS__); checkDependences(); }))
inline void checkDependences()
{
    if (hdr::vvdep)
        hdr::err("BARRIER", "vector calls", "depend on each other without a barrier");
}
#else
#define RUN_KERNEL(key, blocks, kernel, ...)                                     \
    (AscendC::SetKernelMode(KernelMode::AIV_MODE), [&] {                          \
        ICPU_SET_TILING_KEY(key);                                              \
        ICPU_RUN_KF(kernel, blocks, __VA_ARGS__);                              \
        return 0;                                                              \
    }())
#endif

template <typename Kernel, typename... Args>
void launch(Kernel kernel, Args... args)
{
    kernel(reinterpret_cast<GM_ADDR>(args)...);
}

// Deterministic numbers in [-3, 3).
inline float sample(uint32_t seed)
{
    seed = seed * 747796405u + 2891336453u;
    seed = ((seed >> ((seed >> 28) + 4)) ^ seed) * 277803737u;
    return static_cast<float>(seed % 60000) / 10000.0f - 3.0f;
}

inline bool same(float a, float b)
{
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}
