//===- Ascend3510.td - Ascend 950PR and 950DT -----------------------------===//
//
// Split cores with a register-based vector unit; the memory-based calls are
// kept for compatibility, their count forms take more types. Only chips whose
// numbers are public are listed.
//
//===----------------------------------------------------------------------===//

include "Common.td"

defvar Words950 = [Int16, UInt16, Int32, UInt32];
defvar Reals950 = [Float16, Float32, Bfloat16];
defvar Wide950 = [Int64, UInt64];
defvar Bytes950 = [Int8, UInt8];

def A950 : Family<"Ascend 950", "Ascend950", "ascend950"> {
  let npuArch = 3510;
  let socVersion = 4;
  let cceAicore = 310;
  let implementation = "dav_3510";
  let splitCores = 1;
  let vectorsPerCube = 2;
  let ubHoldbackBytes = 0;
  let ubScratchBytes = 8192;
  let ubScratchOffset = 253952; // 248 KiB: beyond what is normally visible
  let ubBankGroups = 8;
  let ubBanks = 16;
  let gmLineBytes = 128;
  let eventIds = 8;
  let maxStreams = 1984;
  let libApiWorkspaceBytes = 16777216;
  let overflowToInfinity = 1;
  let flushSubnormals = 1;
  let vectorOrdered = 1;
  let zeroCountIsNoop = 0;
  let compareHonoursMask = 1;
  let compareCountsTail = 1;
  let sumLaneRepeats = 4;
  let deqScalePreset = 1;
  let reduceWritesNeutral = 1;
  let open = OpenEverywhere;
  let supports = [
    UniversalCalls,
    Supports<["DataCopy", "DataCopyPad"], CopyableB>,
    Supports<["Copy"], Words950 # Wide950 # Reals950>, // bytes need masks of 256 bits
    Supports<["CopyCount"], Bytes950 # Words950 # Wide950 # Reals950>,
    Supports<["SetL2CacheHint", "SyncAll", "CrossCoreSetFlag", "DataSyncBarrier", "SetMaskCount", "SetMaskNorm", "ResetMask", "DataCacheCleanAndInvalid", "SetPadValue"]>,
    Supports<["SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"], [Int8, Int16, Int32, Float16, Bfloat16, Float32]>,
    Supports<["Add", "Sub", "Mul", "Max", "Min"], Reals950 # Words950>,
    Supports<["Adds", "Muls", "Maxs", "Mins"], Reals950 # [Int16, Int32]>,
    Supports<["Div"], F16F32 # Words950>,
    Supports<["Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal", "LeakyRelu"], F16F32>,
    Supports<["Abs"], F16F32 # [Int16, Int32]>,
    Supports<["AddRelu", "SubRelu"], [Float16, Float32, Int16]>,
    Supports<["Relu"], [Float16, Float32, Int32]>,
    Supports<["And", "Or", "ShiftLeft", "ShiftRight"], Words950>,
    Supports<["Not"], Words950 # F16F32>,
    Supports<["Axpy"], Reals950>,
    Supports<["MulAddDst", "FusedMulAddRelu", "MulAddRelu"], F16F32>,
    Supports<["FusedMulAdd"], Reals950>,
    Supports<["AddReluCast", "SubReluCast"], [Float16, Float32, Int16]>,
    Supports<["MulCast"], [Float16]>,
    Supports<["AddDeqRelu"], [Int32]>,
    Supports<["Duplicate"], Words950 # Reals950>,
    Supports<["Brcb", "Gather", "Gatherb", "GatherMask", "Scatter"], Words950 # Reals950>,
    Supports<["CreateVecIndex", "ArithProgression"], Arithmetic>,
    Supports<["Compare", "CompareScalar"], Reals950 # Words950>,
    Supports<["CompareEqual"], [Int32]>,
    Supports<["CompareRegister"], F16F32>,
    Supports<["Select", "SelectScalar", "SelectTensor"], Reals950 # Words950>,
    Supports<["BlockReduce", "PairReduce", "RepeatReduce", "ReduceSum", "ReduceMax", "ReduceMin"], F16F32>,
    Supports<["WholeReduceSum", "WholeReduceMaxMin", "WholeReduceIndexFirst", "WholeReduceValueOnly", "WholeReduceIndexOnly"], F16F32 # [Int16, Int32]>,
    Supports<["Transpose"], [Int16, UInt16, Float16]>,
    Supports<["TransDataTo5HD"], Bytes950 # Words950 # Reals950>,
    Supports<["BroadCast"], Bytes950 # Words950 # Wide950 # Reals950>,
    Supports<["Sign", "Power", "Tanh", "Sigmoid", "Log", "AdvExp", "Clamp", "Ceil", "Floor", "SoftMax", "SoftmaxGrad", "LogSoftMax"], F16F32>,
  ];
  let countOnly = [
    SupportsCount<["Add", "Sub", "Max", "Min"], Bytes950 # Wide950>,
    SupportsCount<["Mul", "Div", "Muls", "Axpy", "Reciprocal"], Wide950>,
    SupportsCount<["Adds", "Maxs", "Mins"], Bytes950 # Wide950>,
    SupportsCount<["Relu"], [Int64]>,
    SupportsCount<["Abs"], [Int8, Int64]>,
    SupportsCount<["And", "Or", "Not", "ShiftLeft", "ShiftRight"], Bytes950 # Wide950>,
    SupportsCount<["Compare", "CompareScalar", "Select", "SelectScalar", "SelectTensor"], Bytes950 # Wide950>,
    SupportsCount<["Duplicate"], Bytes950 # Wide950>,
  ];
  let casts = [
    CastRow<Float16, Float32, [NONE]>,
    CastRow<Bfloat16, Float32, [NONE]>,
    CastRow<Float32, Float16, [RINT, FLOOR, CEIL, ROUND, TRUNC, ODD, NONE]>,
    CastRow<Float32, Bfloat16, AnyRound>,
    CastRow<Float16, Bfloat16, AnyRound>,
    CastRow<Bfloat16, Float16, AnyRound>,
    CastRow<Float32, Float32, AnyRound>,
    CastRow<Float32, Int32, AnyRound>,
    CastRow<Float32, Int64, AnyRound>,
    CastRow<Float32, Int16, AnyRound>,
    CastRow<Int32, Float32, AnyRound>,
    CastRow<Int64, Float32, AnyRound>,
    CastRow<Int64, Int32, [NONE]>,
    CastRow<Int32, Int64, [NONE]>,
    CastRow<Int32, Int16, [NONE]>,
    CastRow<Int32, Float16, AnyRound # [NONE, ODD]>,
    CastRow<Float16, Int32, AnyRound>,
    CastRow<Float16, Int16, AnyRound>,
    CastRow<Int16, Float16, AnyRound>,
    CastRow<Int16, Float32, [NONE]>,
    CastRow<Float16, Int8, AnyRound>,
    CastRow<Float16, UInt8, AnyRound>,
    CastRow<Int8, Float16, [NONE]>,
    CastRow<UInt8, Float16, [NONE]>,
    CastRow<Bfloat16, Int32, AnyRound>,
    CastRow<Float16, Int4, AnyRound>,
    CastRow<Int4, Float16, [NONE]>,
  ];
}

class Soc950<string name_, int cubeCores_, int clockMHz_, int l2MiB_, int memoryGiB, int ddrRate>
    : Soc<name_, A950, cubeCores_, !mul(cubeCores_, 2), clockMHz_, 253952, l2MiB_, !mul(memoryGiB, 1024)> {
  let l1Bytes = 524288;
  let l0cBytes = 262144;
  let coreTypes = "CubeCore,VectorCore";
  let ddrReadRate = ddrRate;
  let l2ReadRate = 100;
  let l2WriteRate = 100;
  let ubToL2Rate = 128;
  let ubToDdrRate = 128;
}
class Soc950PR<string name_, int cubeCores_, int clockMHz_, int l2MiB_, int memoryGiB, int ddrRate>
    : Soc950<name_, cubeCores_, clockMHz_, l2MiB_, memoryGiB, ddrRate> {
  let memoryPeakMBps = 1600000;
  let l2PeakMBps = 8800000;
}
def : Soc950PR<"Ascend950PR_9599", 36, 1800, 128, 128, 31>;
def : Soc950PR<"Ascend950PR_9589", 32, 1650, 128, 128, 31>;
def : Soc950PR<"Ascend950PR_958b", 32, 1650, 112, 112, 27>;
def : Soc950PR<"Ascend950PR_9579", 28, 1650, 128, 128, 31>;
def : Soc950PR<"Ascend950PR_957b", 28, 1650, 112, 112, 27>;
def : Soc950PR<"Ascend950PR_957c", 28, 1650, 112, 84, 27>;
def : Soc950PR<"Ascend950PR_957d", 28, 1650, 96, 96, 23>;
def : Soc950<"Ascend950PR_950z", 4, 1650, 16, 24, 4>;
def : Soc950<"Ascend950DT_9591", 36, 1800, 128, 144, 80>;
def : Soc950<"Ascend950DT_9592", 36, 1800, 128, 96, 80>;
def : Soc950<"Ascend950DT_95A1", 36, 1800, 128, 144, 80>;
def : Soc950<"Ascend950DT_95A2", 36, 1800, 128, 96, 80>;
def : Soc950<"Ascend950DT_9595", 36, 1800, 128, 96, 61>;
def : Soc950<"Ascend950DT_9596", 36, 1800, 128, 64, 61>;
def : Soc950<"Ascend950DT_950x", 8, 1650, 32, 24, 19>;
def : Soc950<"Ascend950DT_950y", 8, 1650, 32, 16, 14>;
