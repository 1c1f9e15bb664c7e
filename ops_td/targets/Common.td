//===- Common.td - what several families share ----------------------------===//
//
// Lists of types, open behaviours and calls that more than one family record
// refers to. Not a place for sizes.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TARGETS_COMMON_TD
#define LOSSGRAD_TARGETS_COMMON_TD

include "Target.td"

defvar F16F32 = [Float16, Float32];
defvar Arithmetic = [Float16, Float32, Int16, Int32];
defvar Words16 = [Int16, UInt16];
defvar Words = [Int16, UInt16, Int32, UInt32];
defvar Copyable = [Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float16, Float32, Double, Bool];
defvar CopyableB = Copyable # [Bfloat16];
defvar AnyRound = [RINT, FLOOR, CEIL, ROUND, TRUNC];

/// Calls that exist on every family, whatever the type.
defvar UniversalCalls = Supports<["SetFlag", "WaitFlag", "PipeBarrier", "SyncAllSoftware", "GetBlockIdx", "GetBlockNum", "SetVectorMask",
                                  "SetDeqScale", "SetAtomicNone", "InitOutput"]>;

def OpenMaxMinNaN : Open<"MAX_MIN_KEEPS_NAN", 0,
    "Max, Min, Maxs, Mins and Relu of a NaN: 1 keeps the NaN, 0 returns the other operand.">;
def OpenFusedRounding : Open<"FUSED_MULADD_ONE_ROUNDING", 0,
    "Axpy, MulAddDst and FusedMulAdd with equal types: 1 rounds once (fma), 0 rounds the product and the sum.">;
def OpenNaNToInt : Open<"NAN_TO_INT_IS_ZERO", 1,
    "Cast of NaN to an integer: 1 gives 0, 0 gives the most negative value.">;
def OpenIntWrap : Open<"INT_ARITHMETIC_WRAPS", 1,
    "Add, Sub and Mul of int16 and int32: 1 wraps around, 0 saturates.">;
defvar OpenEverywhere = [OpenMaxMinNaN, OpenFusedRounding, OpenNaNToInt, OpenIntWrap];
#endif
