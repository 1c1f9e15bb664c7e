//===- Cost2201.td - cost model of Atlas A2 and A3 ------------------------===//
//
// The calibrated one: three independent sources agree on the fixed part and the
// slope of vector instructions, and six measured variants of an Add kernel are
// reproduced within 15 %.
//
//===----------------------------------------------------------------------===//

include "Cost.td"

/// What each call costs per repeat.
defvar Vector2201 = [
  VectorCost<["Adds", "Muls", "Maxs", "Mins", "Abs", "Relu", "LeakyRelu", "Neg", "ShiftLeft", "ShiftRight"], "1", "1", 24, "ATT 0.90-0.99, KPP 1.00, PTO 1.00-1.03", "H">,
  VectorCost<["Duplicate", "CreateVecIndex", "ArithProgression"], "1", "1", 17, "ATT 1.00, KPP 1.00", "H">,
  VectorCost<["Copy"], "1", "1", 13, "ATT 1.00, KPP 1.00", "H">,
  VectorCost<["DataCopy"], "1", "1", 12, "UB to UB at 440 GiB/s", "H">,
  VectorCost<["Reciprocal", "Rsqrt"], "1", "1", 22, "ATT 0.91-1.0, KPP 1.00, PTO 1.07", "H">,
  VectorCost<["Add", "Sub", "Mul", "Max", "Min", "AddRelu", "SubRelu"], "1", "1", 22, "BNK, ADD 1.00; 2.00 on a bank conflict, which the addresses decide", "H">,
  VectorCost<["And", "Or", "Not", "Xor"], "1", "1", 18, "ATT 1.37-1.69, KPP 2", "M">,
  VectorCost<["Exp", "Ln", "Sqrt"], "2", "4", 30, "ATT 1.96 / 3.98, KPP 2.00 / 3.90, PTO 2.00", "H">,
  VectorCost<["Div"], "4", "4", 30, "KPP 4.00 / 4.13, PTO 4.03; ATT 2.91 / 5.89", "M">,
  VectorCost<["Axpy"], "2", "2", 24, "KPP 2.00", "M">,
  VectorCost<["MulAddDst", "FusedMulAdd", "FusedMulAddRelu", "MulAddRelu"], "6", "6", 25, "KPP 6.00, single source", "M">,
  VectorCost<["AddReluCast", "SubReluCast", "MulCast"], "1", "1", 24, "own: as Add", "L">,
  VectorCost<["CompareScalar", "CompareScalars", "Compares"], "1", "1", 22, "ATT 1.02-1.10, KPP 1.00", "H", 7>,
  VectorCost<["Compare"], "1", "1", 21, "ATT 1.98 aligned, 1.0 unaligned, KPP 2.0: the bank effect", "H", 7>,
  VectorCost<["Select", "SelectScalar", "SelectTensor"], "1.5", "1.5", 36, "ATT 1.47-1.51, KPP 2.0, PTO 2", "M">,
  VectorCost<["Brcb"], "1", "1", 16, "ATT 0.93, KPP 1.00", "H">,
  VectorCost<["BlockReduceSum", "BlockReduceMax", "BlockReduceMin"], "1", "7", 28, "KPP 1.00 / 7.0, PTO 1, ATT 1.27 / 7.0", "H">,
  VectorCost<["WholeReduceSum", "RepeatReduceSum"], "7", "7", 39, "ATT 7.0, PTO 7; KPP 3.0 / 7.0", "M">,
  VectorCost<["WholeReduceMax", "WholeReduceMin"], "7", "7", 20, "ATT 7.0, KPP 7.0", "H">,
  VectorCost<["PairReduceSum"], "7", "7", 37, "ATT 7.0; KPP 1.00", "L">,
  VectorCost<["ReduceSum", "ReduceMax", "ReduceMin"], "7", "7", 120, "own: WholeReduce per repeat and two dependent steps more", "L">,
  VectorCost<["Gather"], "12", "24", 16, "ATT 12.0 / 24.0, KPP 12.2 / 24.2", "H">,
  VectorCost<["Gatherb"], "2.1", "2.1", 11, "KPP", "M">,
  VectorCost<["GatherMask"], "2", "2", 14, "ATT 2.0, KPP 2.0; a mask tensor takes 14", "M">,
  VectorCost<["Transpose", "TransDataTo5HD"], "21", "21", 10, "KPP: 21 per 16 x 16", "M">,
  VectorCost<["BroadCast"], "1", "1", 40, "own: Brcb and Copy", "L">,
  VectorCost<["Sign"], "8", "8", 120, "own: two compares, two selects", "L">,
  VectorCost<["Clamp", "ClampMax", "ClampMin"], "4", "4", 80, "own: compares and selects", "L">,
  VectorCost<["Sigmoid"], "9", "11", 120, "own: Muls, Exp, Adds, Div", "L">,
  VectorCost<["Tanh"], "11", "13", 150, "own: Exp, Div and arithmetic", "L">,
  VectorCost<["Power"], "24", "28", 250, "own: Ln, Mul, Exp and special cases", "L">,
  VectorCost<["Log"], "2", "4", 30, "own: as Ln", "L">,
  VectorCost<["Ceil", "Floor"], "2", "2", 40, "own: two casts", "L">,
  VectorCost<["SoftMax", "SoftmaxGrad", "LogSoftMax"], "24", "30", 400, "own: reductions, Exp and Div", "L">,
];

class Cost2201Values<string title_, list<Family> families_> : CostModel<title_, families_> {
  let vectorIssue = Param<"3", "KPP: one repeat takes 3.02 to 4.06 cycles for almost every call", "H">;
  let vectorHead = Param<"10", "ATT, PTO, ADD: head and latency are 22 to 26 together; the split is assumed", "M">;
  let countTail = Param<"16", "PTO: 12 to 18 on 910B3", "M">;
  let readWriteConflict = Param<"0.8", "BNK: 1.79 against 1.00 cycles per repeat", "M">;
  let functionHead = Param<"0", "no vector functions here", "H">;
  let issueWidth = Param<"1", "one vector instruction per cycle", "H">;
  let unknownCallFixed = Param<"22", "own: as Add, the most common value of the table", "L">;
  let unknownCastFixed = Param<"20", "own: as the other casts", "L">;
  let ubBankBytes = Param<"65536", "BNK: address bits 16 and 17 are the bank", "H">;
  let loadIssue = Param<"27", "ATT: 27.01 per instruction", "M">;
  let loadLatency = Param<"190", "KPP: 213 for small loads, less the issue", "M">;
  let loadRate = Param<"56", "own: between KPP's 46 and 86; ADD cases", "M">;
  let loadRateL2 = Param<"110", "INI: L2 read rate; KPP 910B3 127", "M">;
  let loadFirst = Param<"900", "ATT: 882 once per kernel when loads are small", "M">;
  let storeIssue = Param<"12", "ATT: 12.09 per instruction", "M">;
  let storeLatency = Param<"120", "KPP: 140 for small stores, less the issue", "M">;
  let storeRate = Param<"72", "own: KPP 66 to 88", "M">;
  let storeFirst = Param<"380", "ATT: 497 once per kernel, less the latency", "M">;
  let loadBlockBytes = Param<"128", "GDE: requests are split into 128, 256 or 512 bytes and rounded up", "M">;
  let burstBytes = Param<"512", "GDE, ATT: the largest request and the cache line", "H">;
  let unalignedBurst = Param<"1.1", "GDE: down to 70 % for one core", "M">;
  let unaligned32 = Param<"1.28", "DCP: rows misaligned by 2 bytes", "M">;
  let atomicWeight = Param<"2", "own: read-modify-write in L2, nothing published", "L">;
  let memoryEfficiency = Param<"0.83", "ADD, DCP: 1.456 to 1.49 of 1.8 TB/s; ATT: 0.66 to 0.68 of 0.8", "M">;
  let l2Efficiency = Param<"0.75", "DCP: 5.96 of 8.0 TB/s", "M">;
  let storeLongRow = Param<"512", "ATT: unaligned rows, where the fit changes", "M">;
  let storeLongCycles = Param<"256", "ATT: unaligned rows of more than 512 bytes", "M">;
  let storeFitIssue = Param<"12.09", "ATT: per instruction", "M">;
  let storeFitRate = Param<"9.96", "ATT: bytes per cycle, the part that does not depend on the cores", "M">;
  let storeFitRateShared = Param<"3.79", "ATT: bytes per cycle, the part that the cores share", "M">;
  let storeMediumPerByte = Param<"0.5", "ATT: unaligned rows of 32 to 512 bytes", "M">;
  let storeMediumCycles = Param<"1.3", "ATT, as above", "M">;
  let storeShortPerByte = Param<"-2.2", "ATT: unaligned rows under 32 bytes are read, changed and written", "M">;
  let storeShortPerByteAndCore = Param<"-0.101", "ATT, as above", "M">;
  let storeShortPerCore = Param<"8.89", "ATT, as above", "M">;
  let storeShortCycles = Param<"96.24", "ATT, as above", "M">;
  let expectedMemory = Param<"0.7778", "BEN, ADD: 1.4 of 1.8 TB/s", "M">;
  let expectedStores = Param<"0.2925", "ADD: 2.34 TB/s while others read, of L2's 8.0", "M">;
  let scalarIssue = Param<"5", "ADD: 26 to 61 scalar cycles per tile of about 10 instructions", "M">;
  let scalarGet = Param<"12", "ADD: 34 cycles per element for two reads, a write and arithmetic", "M">;
  let scalarSet = Param<"10", "ADD, as above", "M">;
  let globalHit = Param<"10", "own: data cache hit", "L">;
  let globalMiss = Param<"300", "SMP: some hundred cycles; L2 latency 241", "L">;
  let dataCacheBytes = Param<"32768", "GDE", "H">;
  let queueCall = Param<"10", "own: 40 per tile for all four", "L">;
  let pipeCreate = Param<"300", "SMP: dropping TPipe saved about 900 cycles of head", "L">;
  let initBuffer = Param<"60", "SMP, as above", "L">;
  let flagIssue = Param<"1", "PTO", "M">;
  let flagWake = Param<"20", "ATT: 18-cycle bubble", "M">;
  let barrierAll = Param<"20", "PTO", "L">;
  let queueDepth = Param<"32", "GDE: 32 entries for MTE1 and cube; assumed for the others", "L">;
  let syncHardwareUs = Param<"0.6", "own: two hops through L2 plus scalar code", "L">;
  let syncSoftwareUs = Param<"2.0", "own: copy latencies per round", "L">;
  let syncSoftwarePerCoreUs = Param<"0.05", "own: polling one slot per core", "L">;
  let launchUs = Param<"1.7", "SMP: scheduler 0.15, hardware 0.05, software 1, report 0.5", "M">;
  let launchPerCoreUs = Param<"0.035", "BEN: intercept of 3.4 us for 48 cores", "M">;
  let startSpreadUs = Param<"1.0", "own: used in the calibration on ADD", "L">;

  let vector = Vector2201;
  let casts = [
    CastCost<Float16, Float32, "1", 64, 20, "ATT 0.0147 per element, KPP 1.00", "H">,
    CastCost<Bfloat16, Float32, "1", 64, 20, "ATT 0.0147 per element, KPP 1.00", "H">,
    CastCost<Float32, Bfloat16, "1", 64, 20, "ATT 0.0147 per element, KPP 1.00", "H">,
    CastCost<Float32, Float16, "0.5", 64, 20, "ATT 0.0087 per element, KPP 0.49", "M">,
    CastCost<Int32, Float32, "1", 64, 20, "ATT, KPP 1.00", "H">,
    CastCost<Float32, Int32, "1", 64, 20, "ATT, KPP 1.00", "H">,
    CastCost<Int64, Int32, "1", 32, 19, "ATT 0.0332 per element, KPP 1.00", "M">,
    CastCost<Int64, Float32, "1", 32, 19, "ATT 0.0332 per element, KPP 1.00", "M">,
    CastCost<Float32, Int64, "1", 32, 19, "ATT 0.0332 per element, KPP 1.00", "M">,
    CastCost<Float16, UInt8, "1", 128, 20, "ATT, KPP", "M">,
    CastCost<Float16, Int8, "1", 128, 20, "ATT, KPP", "M">,
    CastCost<UInt8, Float16, "1", 128, 47, "ATT, KPP", "M">,
  ];
}

def Cost2201 : Cost2201Values<"Atlas A2 and A3", [A2, A3]>;

// PRF and the calibration use 1650; the platform file says 1500.
def : ChipCost<"Ascend910B4"> { let clockMHz = 1650; let source = "PRF"; }
def : ChipCost<"Ascend910B4-1"> { let clockMHz = 1650; let source = "PRF"; }
def : ChipCost<"Ascend910_9362"> { let memoryPeakMBps = 800000; let l2PeakMBps = 4000000; let source = "own: as 910B4, nothing published"; }
