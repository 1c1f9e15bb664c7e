// The vocabulary of the AscendC kernel API that needs no machinery: address
// space qualifiers, positions, pipes, hardware events, constants. Numbers are
// the vendor's, since kernels cast between enumerators and integers.
#pragma once

#include "lossgrad/sim/DType.h"
#include "lossgrad/sim/Site.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef ASCENDC_CPU_DEBUG
#define ASCENDC_CPU_DEBUG 1
#endif

// Address spaces and function spaces mean nothing to a host compiler.
#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __sync_alias__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __check_sync_alias__
#define __simd_callee__
#ifndef __vector__
#define __vector__
#endif
#ifndef __cube__
#define __cube__
#endif
#define __mix__(cube, vec)
#define __schedmode__(mode)
#define GM_ADDR __gm__ uint8_t *

typedef enum {
  PIPE_S = 0,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_ALL,
  PIPE_MTE4,
  PIPE_MTE5,
  PIPE_V2,
  PIPE_FIX,
} pipe_t;

typedef enum {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
} event_t;

namespace AscendC {

using ::int4b_t;

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX,
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

// SRC_DST: the pipe that sets the flag and the one that waits for it.
enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX,
};

enum class MemoryT : uint8_t { L1 = 0, L0A, L0B, L0C, UB, BIAS };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CacheMode {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL = 1,
  CACHE_MODE_LAST = 2,
  CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t {
  CACHELINE_ALL = 0,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};
enum class RoundMode {
  CAST_NONE = 0,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
  CAST_HYBRID,
  UNKNOWN,
};
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};
enum class ReduceMode : uint8_t { MAX_VALUE = 0, MIN_VALUE, SUM };
enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class DeqScale : uint8_t { DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class AtomicDtype {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM = 0 };
enum class DataFormat : uint8_t {
  ND = 0,
  NZ,
  NCHW,
  NC1HWC0,
  NHWC,
  NCDHW,
  NDC1HWC0,
  FRACTAL_Z_3D
};

using TEventID = int8_t;
using TBufHandle = uint8_t *;

constexpr TEventID INVALID_TEVENTID = static_cast<TEventID>(-1);
constexpr int32_t QUE_MAX_EVENT = 8;
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint32_t ONE_BYTE_BIT_SIZE = 8;
constexpr uint32_t B64_BYTE_SIZE = 8;
constexpr uint32_t B32_BYTE_SIZE = 4;
constexpr uint32_t B16_BYTE_SIZE = 2;
constexpr uint32_t B8_BYTE_SIZE = 1;
constexpr uint64_t FULL_MASK = 0xffffffffffffffff;
constexpr uint64_t CONST_MASK_VALUE = 0x8000000000000000;
constexpr uint8_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr int32_t DEFAULT_REDUCE_DST_REP_SRIDE = 1;
constexpr uint32_t HALF_REPEAT_SIZE = ONE_REPEAT_BYTE_SIZE / B16_BYTE_SIZE;
constexpr uint32_t FLOAT_REPEAT_SIZE = ONE_REPEAT_BYTE_SIZE / B32_BYTE_SIZE;
constexpr uint32_t ONE_REPEAT_HALF_SIZE = HALF_REPEAT_SIZE;
constexpr uint32_t ONE_REPEAT_FLOAT_SIZE = FLOAT_REPEAT_SIZE;
constexpr uint32_t MAX_REPEAT_HALF_SIZE = HALF_REPEAT_SIZE * MAX_REPEAT_TIMES;
constexpr uint32_t MAX_REPEAT_FLOAT_SIZE = FLOAT_REPEAT_SIZE * MAX_REPEAT_TIMES;
constexpr uint8_t B16_DATA_NUM_PER_BLOCK = ONE_BLK_SIZE / B16_BYTE_SIZE;
constexpr uint8_t B32_DATA_NUM_PER_BLOCK = ONE_BLK_SIZE / B32_BYTE_SIZE;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = HALF_REPEAT_SIZE;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = FLOAT_REPEAT_SIZE;
constexpr uint32_t ONE_BLK_HALF_NUM = ONE_BLK_SIZE / B16_BYTE_SIZE;
constexpr uint32_t ONE_BLK_FLOAT_NUM = ONE_BLK_SIZE / B32_BYTE_SIZE;
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint32_t BRCB_MAX_REPEAT_SIZE =
    BRCB_BROADCAST_NUMBER * MAX_REPEAT_TIMES;

// The element type behind a tensor type; TensorTrait tensors name it, plain
// ones are it.
template <typename T, typename = void> struct PrimTypeOf {
  using type = T;
};
template <typename T> struct PrimTypeOf<T, std::void_t<typename T::LiteType>> {
  using type = typename T::LiteType;
};
template <typename T> using PrimT = typename PrimTypeOf<T>::type;

template <typename A, typename B> struct IsSameType : std::is_same<A, B> {};

using lossgrad::sim::Site;

} // namespace AscendC
