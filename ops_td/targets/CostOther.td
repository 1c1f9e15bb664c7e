//===- CostOther.td - cost models of the products without measurements ----===//
//
// Atlas inference and training take the instruction table of 2201, scaled by
// the clock alone (nothing is published, confidence L). Ascend 950 has fits of
// its register instructions; a call is one vector function here, which the
// vendor's compiler may fuse with its neighbours.
//
//===----------------------------------------------------------------------===//

include "Cost2201.td"

class CostUnmeasured<string title_, list<Family> families_> : Cost2201Values<title_, families_> {
  let memoryEfficiency = Param<"0.8", "own: nothing published", "L">;
  let l2Efficiency = Param<"0.75", "own: as 2201", "L">;
  let syncHardwareUs = Param<"2.0", "own: no hardware SyncAll on 310P", "L">;
}
def Cost2002 : CostUnmeasured<"Atlas inference", [A310P]> {
  let vector = [
    VectorCost<["Brcb"], "40", "60", 40, "own: two or four dependent instructions per 8 elements", "L">,
  ] # Vector2201;
}
def Cost1001 : CostUnmeasured<"Atlas training", [A910]>;

def : ChipCost<"Ascend310P1"> { let memoryPeakMBps = 205000; let l2PeakMBps = 970000; let source = "public specification; INI"; }
def : ChipCost<"Ascend310P3"> { let memoryPeakMBps = 205000; let l2PeakMBps = 970000; let source = "public specification; INI"; }
def : ChipCost<"Ascend310P5"> { let memoryPeakMBps = 205000; let l2PeakMBps = 970000; let source = "as 310P3"; }
def : ChipCost<"Ascend310P7"> { let memoryPeakMBps = 205000; let l2PeakMBps = 970000; let source = "as 310P3"; }
foreach chip = ["Ascend910A", "Ascend910ProA", "Ascend910PremiumA", "Ascend910B", "Ascend910ProB"] in
  def : ChipCost<chip> { let memoryPeakMBps = 1200000; let l2PeakMBps = 3500000; let source = "public specification; INI"; }

def Cost3510 : Cost2201Values<"Ascend 950", [A950]> {
  let vectorHead = Param<"0", "inside the function head", "M">;
  let countTail = Param<"0", "no counter mode in hardware", "M">;
  let readWriteConflict = Param<"0", "a group serves one read and one write per cycle", "M">;
  let functionHead = Param<"20", "ATT: vector function head", "M">;
  let issueWidth = Param<"1.25", "vendor stories reach 1.25 to 1.34", "L">;
  let loadIssue = Param<"20", "own: ATT gives 160 with the latency", "L">;
  let loadLatency = Param<"140", "ATT: 160 per load, less the issue", "M">;
  let loadFirst = Param<"775", "ATT: once per kernel", "M">;
  let storeIssue = Param<"20", "own: ATT gives 160 with the latency", "L">;
  let storeLatency = Param<"140", "ATT: 160 per store, less the issue", "M">;
  let storeFirst = Param<"571", "ATT: once per kernel", "M">;
  let unaligned32 = Param<"1.02", "DCP: rows misaligned by 2 bytes", "M">;
  let memoryEfficiency = Param<"0.95", "DCP: 1.63 TB/s read with 64 cores", "M">;
  let l2Efficiency = Param<"0.59", "DCP: 5.2 of PRF's 8.8 TB/s", "M">;
  let vector = [
    VectorCost<["Add", "Sub", "Max", "Min", "Mul", "Muls", "Maxs", "Mins", "Abs", "Relu", "Neg", "LeakyRelu"], "1", "1", 24, "ATT: 1 per repeat, latency 2 to 5", "M">,
    VectorCost<["Adds"], "2", "2", 24, "ATT: 2 per repeat", "M">,
    VectorCost<["Exp"], "4", "8", 36, "ATT: latency 13 / 18", "M">,
    VectorCost<["Ln", "Log"], "4", "8", 37, "ATT: latency 15 / 20", "M">,
    VectorCost<["Sqrt", "Div", "Reciprocal", "Rsqrt"], "4", "8", 36, "ATT: latency 14 / 19", "M">,
    VectorCost<["Compare", "CompareScalar", "CompareScalars", "Compares", "Select", "SelectScalar", "SelectTensor", "And", "Or", "Not"], "1", "1", 23, "ATT: latency 3", "M">,
    VectorCost<["Duplicate", "Brcb", "Copy", "DataCopy"], "1", "1", 28, "ATT: latency 8", "M">,
    VectorCost<["MulAddDst", "Axpy", "FusedMulAdd"], "1", "1", 26, "ATT: latency 6", "M">,
    VectorCost<["WholeReduceSum", "WholeReduceMax", "WholeReduceMin", "BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "ReduceSum", "ReduceMax", "ReduceMin"], "1", "1", 83, "ATT: latency 19 to 21, head 64", "M">,
    VectorCost<["Gather"], "12", "24", 16, "own: as 2201", "L">,
  ];
  let casts = [
    CastCost<Float16, Float32, "1", 64, 24, "ATT: latency 4", "M">,
    CastCost<Bfloat16, Float32, "1", 64, 24, "ATT: latency 4", "M">,
    CastCost<Float32, Bfloat16, "1", 64, 24, "ATT: latency 4", "M">,
    CastCost<Float32, Float16, "1", 64, 24, "ATT: latency 4", "M">,
    CastCost<Int32, Float32, "2", 64, 25, "ATT: latency 5", "M">,
    CastCost<Float32, Int32, "2", 64, 25, "ATT: latency 5", "M">,
  ];
}
