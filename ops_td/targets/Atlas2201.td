//===- Atlas2201.td - Atlas A2 and A3: one architecture, two families -----===//
//
// 1 cube core and 2 vector cores per AI core, 192 KiB UB, memory-based vector
// unit. A3 has the instruction set of A2 but its own compute unit and binaries.
//
//===----------------------------------------------------------------------===//

include "Common.td"

class Family2201<string title_, string shortSoc_, string computeUnit_>
    : Family<title_, shortSoc_, computeUnit_> {
  let npuArch = 2201;
  let socVersion = 1; // A3, too
  let cceAicore = 220;
  let implementation = "dav_c220";
  let splitCores = 1;
  let vectorsPerCube = 2;
  let ubHoldbackBytes = 256;
  let ubScratchBytes = 8192;
  let ubScratchOffset = 188416; // 184 KiB
  let scratchCalls = ["SelectScalar", "SelectTensor", "AddDeqRelu", "Sign", "Power"];
  let ubBankGroups = 16;
  let ubBanks = 48;
  let eventIds = 8;
  let maxStreams = 1984;
  let libApiWorkspaceBytes = 16777216;
  let overflowToInfinity = 1;
  let sumAccumulates = 1;
  let reduceWaits = 1;
  let open = OpenEverywhere;
  let supports = [
    UniversalCalls,
    Supports<["DataCopy", "DataCopyPad"], CopyableB>,
    Supports<["Copy"], [Int16, UInt16, Int32, UInt32, Float16, Bfloat16, Float32]>,
    Supports<["SetL2CacheHint", "SyncAll", "CrossCoreSetFlag", "DataSyncBarrier", "SetMaskCount", "SetMaskNorm", "ResetMask", "DataCacheCleanAndInvalid", "SetPadValue"]>,
    Supports<["SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"], [Int8, Int16, Int32, Float16, Bfloat16, Float32]>,
    Supports<["Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls", "Maxs", "Mins"], Arithmetic>,
    Supports<["Div", "Exp", "Ln", "Sqrt", "Rsqrt", "Abs", "Reciprocal", "LeakyRelu"], F16F32>,
    Supports<["AddRelu", "SubRelu"], [Float16, Float32, Int16]>,
    Supports<["Relu"], [Float16, Float32, Int32]>,
    Supports<["And", "Or", "Not"], Words16>,
    Supports<["ShiftLeft", "ShiftRight"], Words>,
    Supports<["Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu", "MulAddRelu"], F16F32>,
    Supports<["AddReluCast", "SubReluCast"], [Float16, Float32, Int16]>,
    Supports<["MulCast"], [Float16]>,
    Supports<["AddDeqRelu"], [Int32]>,
    Supports<["Duplicate"], [Int16, UInt16, Int32, UInt32, Float16, Bfloat16, Float32]>,
    Supports<["Brcb", "Gather", "Gatherb", "GatherMask"], [Int16, UInt16, Int32, UInt32, Float16, Bfloat16, Float32]>,
    Supports<["CreateVecIndex", "ArithProgression"], Arithmetic>,
    Supports<["Compare", "CompareRegister", "CompareScalar"], F16F32>,
    Supports<["CompareEqual"], [Int32]>,
    Supports<["Select", "SelectScalar", "SelectTensor"], F16F32>,
    Supports<["BlockReduce", "PairReduce", "RepeatReduce", "WholeReduceSum", "WholeReduceMaxMin", "WholeReduceIndexFirst", "WholeReduceValueOnly", "WholeReduceIndexOnly",
              "ReduceSum", "ReduceMax", "ReduceMin"], F16F32>,
    Supports<["Transpose"], [Int16, UInt16, Float16]>,
    Supports<["TransDataTo5HD"], [Int8, UInt8, Int16, UInt16, Float16, Int32, UInt32, Float32]>,
    Supports<["BroadCast"], [Int8, UInt8, Float16, Float32]>,
    Supports<["Sign", "Power", "Tanh", "Sigmoid", "Log", "AdvExp", "Clamp", "Ceil", "Floor", "SoftMax", "SoftmaxGrad", "LogSoftMax"], F16F32>,
  ];
  let casts = [
    CastRow<Float16, Float32, [NONE]>,
    CastRow<Bfloat16, Float32, [NONE]>,
    CastRow<Float32, Float16, [RINT, FLOOR, CEIL, ROUND, TRUNC, ODD, NONE]>,
    CastRow<Float32, Bfloat16, AnyRound>,
    CastRow<Float32, Float32, AnyRound>,
    CastRow<Float32, Int32, AnyRound>,
    CastRow<Float32, Int64, AnyRound>,
    CastRow<Float32, Int16, AnyRound>,
    CastRow<Int32, Float32, AnyRound # [NONE]>,
    CastRow<Int64, Float32, AnyRound>,
    CastRow<Int64, Int32, [NONE]>,
    CastRow<Int32, Int64, [NONE]>,
    CastRow<Int32, Int16, [NONE]>,
    CastRow<Int32, Float16, AnyRound # [NONE, ODD]>, // dequantisation path: the mode is ignored
    CastRow<Float16, Int32, AnyRound>,
    CastRow<Float16, Int16, AnyRound>,
    CastRow<Int16, Float16, AnyRound # [NONE]>,
    CastRow<Int16, Float32, [NONE]>,
    CastRow<Float16, Int8, AnyRound # [NONE]>,
    CastRow<Float16, UInt8, AnyRound # [NONE]>,
    CastRow<Int8, Float16, [NONE]>,
    CastRow<UInt8, Float16, [NONE]>,
    CastRow<Bfloat16, Int32, AnyRound>,
    CastRow<Float16, Int4, AnyRound # [NONE]>,
    CastRow<Int4, Float16, [NONE]>,
  ];
}

def A2 : Family2201<"Atlas A2", "Ascend910B", "ascend910b">;
def A3 : Family2201<"Atlas A3", "Ascend910_93", "ascend910_93">;

class Soc2201<string name_, Family family_, int cubeCores_, int clockMHz_, int l2MiB_, int memoryGiB,
              int memoryPeak, int l2Peak>
    : Soc<name_, family_, cubeCores_, !mul(cubeCores_, 2), clockMHz_, 196608, l2MiB_, !mul(memoryGiB, 1024)> {
  let l1Bytes = 524288;
  let l0cBytes = 131072;
  let coreTypes = "CubeCore,VectorCore";
  let ddrReadRate = 32;
  let l2ReadRate = 110;
  let l2WriteRate = 86;
  let ubToL2Rate = 64;
  let ubToDdrRate = 64;
  let memoryPeakMBps = memoryPeak;
  let l2PeakMBps = l2Peak;
}

def : Soc2201<"Ascend910B1", A2, 24, 1850, 192, 64, 1800000, 8000000>;
def : Soc2201<"Ascend910B2", A2, 24, 1800, 192, 64, 1750000, 7780000>;
def : Soc2201<"Ascend910B2C", A2, 24, 1800, 192, 0, 1750000, 7780000>; // memory size not stated
def : Soc2201<"Ascend910B3", A2, 20, 1800, 192, 64, 1750000, 7780000>;
def : Soc2201<"Ascend910B4", A2, 20, 1500, 96, 32, 800000, 4000000>;
def : Soc2201<"Ascend910B4-1", A2, 20, 1500, 168, 32, 800000, 4000000>;

def : Soc2201<"Ascend910_9391", A3, 24, 1850, 192, 64, 1800000, 8000000>;
def : Soc2201<"Ascend910_9392", A3, 24, 1850, 192, 64, 1800000, 8000000>;
def : Soc2201<"Ascend910_9381", A3, 24, 1800, 192, 64, 1750000, 7780000>;
def : Soc2201<"Ascend910_9382", A3, 24, 1800, 192, 64, 1750000, 7780000>;
def : Soc2201<"Ascend910_9372", A3, 20, 1800, 192, 64, 1750000, 7780000>;
def : Soc2201<"Ascend910_9362", A3, 20, 1500, 168, 32, 0, 0>;
