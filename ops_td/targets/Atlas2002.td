//===- Atlas2002.td - Atlas inference products (Ascend310P) ---------------===//
//
// Coupled AI cores with additional vector cores, 256 KiB UB, no bfloat16 and no
// byte-granular copies.
//
//===----------------------------------------------------------------------===//

include "Common.td"

def A310P : Family<"Atlas inference", "Ascend310P", "ascend310p"> {
  let npuArch = 2002;
  let socVersion = 2;
  let cceAicore = 200;
  let implementation = "dav_m200";
  let splitCores = 0;
  let ubHoldbackBytes = 0;
  let ubScratchBytes = 8192;
  let ubScratchOffset = 253952; // 248 KiB
  let scratchCalls = ["SelectScalar", "SelectTensor", "Brcb"];
  let ubBankGroups = 16;
  let ubBanks = 64;
  let eventIds = 8;
  let maxStreams = 1024;
  let libApiWorkspaceBytes = 2097152;
  let overflowToInfinity = 0;
  let overflowCtrlBit = 53;
  let overflowCtrlSaturates = 1;
  let sumTailApart = 1;
  let gatherMaskTotal = 1;
  let gatherMaskAll = 0;
  let open = OpenEverywhere;
  let supports = [
    UniversalCalls,
    Supports<["DataCopy"], Copyable>,
    Supports<["SetMaskCount", "SetMaskNorm", "ResetMask", "DataCacheCleanAndInvalid"]>,
    Supports<["SetAtomicAdd"], [Int16, Float16, Float32]>,
    Supports<["Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls", "Maxs", "Mins"], Arithmetic>,
    Supports<["Div", "Exp", "Ln", "Sqrt", "Rsqrt", "Abs", "Reciprocal", "LeakyRelu"], F16F32>,
    Supports<["AddRelu", "SubRelu"], [Float16, Float32, Int16]>,
    Supports<["Relu"], [Float16, Float32, Int32]>,
    Supports<["And", "Or", "Not"], Words16>,
    Supports<["Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu", "MulAddRelu"], F16F32>,
    Supports<["AddReluCast", "SubReluCast"], [Float16, Float32, Int16]>,
    Supports<["MulCast"], [Float16]>,
    Supports<["AddDeqRelu"], [Int32]>,
    Supports<["Duplicate"], [Int16, UInt16, Int32, UInt32, Float16, Float32]>,
    Supports<["Brcb", "Gather", "GatherMask", "Scatter"], [Int16, UInt16, Int32, UInt32, Float16, Float32]>,
    Supports<["CreateVecIndex", "ArithProgression"], Arithmetic>,
    Supports<["Compare", "CompareRegister", "CompareScalar"], F16F32>,
    Supports<["Select", "SelectScalar", "SelectTensor"], F16F32>,
    Supports<["BlockReduce", "PairReduce", "RepeatReduce", "WholeReduceSum", "WholeReduceMaxMin", "WholeReduceIndexFirst", "ReduceSum", "ReduceMax", "ReduceMin"], F16F32>,
    Supports<["Transpose"], [Int16, UInt16, Float16]>,
    Supports<["TransDataTo5HD"], [Int8, UInt8, Int16, UInt16, Float16, Int32, UInt32, Float32]>,
    Supports<["BroadCast"], [Int8, UInt8, Float16, Float32]>,
    Supports<["Sign", "Power", "Tanh", "Sigmoid", "Log", "AdvExp", "Clamp", "Ceil", "Floor", "SoftMax", "SoftmaxGrad", "LogSoftMax"], F16F32>,
  ];
  let casts = [
    CastRow<Float16, Float32, [NONE]>,
    CastRow<Float32, Float16, [NONE, ODD]>,
    CastRow<Float32, Int32, AnyRound>,
    CastRow<Int32, Float32, [NONE]>,
    CastRow<Int32, Int16, [NONE]>,
    CastRow<Int32, Float16, AnyRound # [NONE, ODD]>,
    CastRow<Float16, Int32, AnyRound>,
    CastRow<Float16, Int16, [RINT]>,
    CastRow<Int16, Float16, [NONE]>,
    CastRow<Float16, Int8, [FLOOR, CEIL, ROUND, TRUNC, NONE]>,
    CastRow<Float16, UInt8, [FLOOR, CEIL, ROUND, TRUNC, NONE]>,
    CastRow<Int8, Float16, [NONE]>,
    CastRow<UInt8, Float16, [NONE]>,
    CastRow<Float16, Int4, [NONE]>,
  ];
}

class Soc310P<string name_, int aiCores, int extraVectorCores, int clockMHz_>
    : Soc<name_, A310P, aiCores, extraVectorCores, clockMHz_, 262144, 16, 22888> {
  let l1Bytes = 1048576;
  let l0cBytes = 262144;
  let coreTypes = "AICore,VectorCore";
  let ddrReadRate = 17;
  let l2ReadRate = 114;
  let l2WriteRate = 114;
  let ubToL2Rate = 114;
  let ubToDdrRate = 17;
}
def : Soc310P<"Ascend310P1", 10, 8, 1060>;
def : Soc310P<"Ascend310P3", 8, 7, 1060> {
  let memoryPeakMBps = 205000;
  let l2PeakMBps = 970000;
}
def : Soc310P<"Ascend310P5", 8, 7, 800>;
def : Soc310P<"Ascend310P7", 8, 7, 550>;
