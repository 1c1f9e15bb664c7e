//===- Atlas1001.td - Atlas training products, first generation -----------===//
//
// Coupled AI cores, 256 KiB UB, the smallest set of calls. Beware: the chip
// called Ascend910B (no digit) belongs here, while the short SoC version
// Ascend910B means Atlas A2.
//
//===----------------------------------------------------------------------===//

include "Common.td"

def A910 : Family<"Atlas training", "Ascend910", "ascend910"> {
  let npuArch = 1001;
  let socVersion = 0;
  let cceAicore = 100;
  let implementation = "dav_c100";
  let splitCores = 0;
  let ubHoldbackBytes = 0;
  let ubScratchBytes = 8192;
  let ubScratchOffset = 253952; // 248 KiB
  let ubBankGroups = 16;
  let ubBanks = 64;
  let eventIds = 4;
  let maxStreams = 2048;
  let libApiWorkspaceBytes = 2097152;
  let overflowToInfinity = 0;
  let sumTailApart = 1;
  let counterMode = 0;
  let open = OpenEverywhere;
  let supports = [
    UniversalCalls,
    Supports<["DataCopy"], Copyable>,
    Supports<["SetAtomicAdd"], [Float32]>,
    Supports<["Add", "Sub", "Mul", "Max", "Min"], [Float16, Float32, Int32]>,
    Supports<["Div", "Exp", "Ln", "Sqrt", "Rsqrt", "Abs", "Reciprocal", "Adds", "Muls"], F16F32>,
    Supports<["Relu"], [Float16]>,
    Supports<["And", "Or", "Not"], Words16>,
    Supports<["Axpy"], F16F32>,
    Supports<["Duplicate"], [Int16, UInt16, Int32, UInt32, Float16, Float32]>,
    Supports<["ArithProgression"], Arithmetic>,
    Supports<["Compare", "CompareRegister", "Select"], F16F32>,
    Supports<["BlockReduce", "PairReduce", "RepeatReduce", "WholeReduceMaxMin", "ReduceMax", "ReduceMin"], [Float16]>,
    Supports<["WholeReduceSum", "ReduceSum"], F16F32>,
    Supports<["Transpose"], [Int16, UInt16, Float16]>,
    Supports<["TransDataTo5HD"], [Int8, UInt8, Int16, UInt16, Float16]>,
  ];
  let casts = [
    CastRow<Float16, Float32, [NONE]>,
    CastRow<Float32, Float16, [NONE, ODD]>,
    CastRow<Float32, Int32, AnyRound>,
    CastRow<Int32, Float32, [NONE]>,
    CastRow<Int32, Float16, AnyRound # [NONE, ODD]>,
    CastRow<Float16, Int32, AnyRound>,
    CastRow<Float16, Int8, [FLOOR, CEIL, ROUND, TRUNC, NONE]>,
    CastRow<Float16, UInt8, [FLOOR, CEIL, ROUND, TRUNC, NONE]>,
    CastRow<Int8, Float16, [NONE]>,
    CastRow<UInt8, Float16, [NONE]>,
  ];
}

class Soc910<string name_, int aiCores, int clockMHz_>
    : Soc<name_, A910, aiCores, 0, clockMHz_, 262144, 32, 32768> {
  let l1Bytes = 1048576;
  let l0cBytes = 262144;
  let coreTypes = "AICore";
  let ddrReadRate = 32;
  let l2ReadRate = 110;
  let l2WriteRate = 86;
  let ubToL2Rate = 64;
  let ubToDdrRate = 64;
  let memoryPeakMBps = 1200000;
  let l2PeakMBps = 3500000;
}
def : Soc910<"Ascend910A", 32, 1000>;
def : Soc910<"Ascend910ProA", 32, 1100>;
def : Soc910<"Ascend910PremiumA", 32, 1220>;
def : Soc910<"Ascend910B", 30, 900>;
def : Soc910<"Ascend910ProB", 30, 1150>;
