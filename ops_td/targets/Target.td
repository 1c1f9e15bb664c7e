//===- Target.td - classes of product families and SoCs -------------------===//
//
// What a product is, as data: one Family record per architecture (vector
// geometry, limits, which AscendC call takes which dtype there, behaviour that
// the documents leave open) and one Soc record per chip (cores, clock,
// memories). lossgrad-target-tblgen turns them into plain C++ tables for the
// runtime and the compiler; no size or product literal stands anywhere else.
// Numbers here are defaults and planning limits: emitted host code asks the
// platform at run time.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TARGETS_TARGET_TD
#define LOSSGRAD_TARGETS_TARGET_TD

/// An element type. `cpp` is its AscendC spelling.
class Dtype<string cppName, int bytes> {
  string cpp = cppName;
  int size = bytes;
}
def Int4 : Dtype<"int4b_t", 1>;
def Int8 : Dtype<"int8_t", 1>;
def UInt8 : Dtype<"uint8_t", 1>;
def Int16 : Dtype<"int16_t", 2>;
def UInt16 : Dtype<"uint16_t", 2>;
def Int32 : Dtype<"int32_t", 4>;
def UInt32 : Dtype<"uint32_t", 4>;
def Int64 : Dtype<"int64_t", 8>;
def UInt64 : Dtype<"uint64_t", 8>;
def Float16 : Dtype<"half", 2>;
def Bfloat16 : Dtype<"bfloat16_t", 2>;
def Float32 : Dtype<"float", 4>;
def Double : Dtype<"double", 8>;
def Bool : Dtype<"bool", 1>;

/// A rounding mode of Cast, by its AscendC enumerator without CAST_.
class RoundMode<int enumValue> {
  int value = enumValue;
}
def NONE : RoundMode<0>;
def RINT : RoundMode<1>;
def FLOOR : RoundMode<2>;
def CEIL : RoundMode<3>;
def ROUND : RoundMode<4>;
def TRUNC : RoundMode<5>;
def ODD : RoundMode<6>;

/// AscendC calls that a family has, with the element types they take there. An
/// empty type list means that the call does not depend on a type. A call that
/// is in no Supports row of a family does not exist on it.
class Supports<list<string> calls, list<Dtype> types = []> {
  list<string> apis = calls;
  list<Dtype> dtypes = types;
}

/// Calls that the family's documents let take more types in their count form
/// only (register-based products).
class SupportsCount<list<string> calls, list<Dtype> types> {
  list<string> apis = calls;
  list<Dtype> dtypes = types;
}

/// Cast from one type to another: the rounding modes that do something. Any
/// other mode leaves the destination unwritten on the device.
class CastRow<Dtype from, Dtype to, list<RoundMode> roundModes> {
  Dtype src = from;
  Dtype dst = to;
  list<RoundMode> modes = roundModes;
}

/// Behaviour that no public document settles. The stand-in takes `value` unless
/// a switch of the same name says otherwise; emitted code relies on neither.
class Open<string behaviour, int value, string text> {
  string name = behaviour;
  int defaultValue = value;
  string doc = text;
}

/// An architecture: everything that is the same for all chips of a product
/// family.
class Family<string title_, string shortSoc_, string computeUnit_> {
  string title = title_;             // as the documents call it
  string shortSoc = shortSoc_;       // short SoC version, e.g. Ascend910B
  string computeUnit = computeUnit_; // OpDef AddConfig, e.g. ascend910b
  int npuArch;                       // __NPU_ARCH__
  int socVersion;                    // platform_ascendc::SocVersion
  int cceAicore;                     // __CCE_AICORE__
  string implementation;             // name of the architecture, e.g. dav_c220
  bit splitCores;                    // cube and vector cores are separate
  int vectorsPerCube = 1;            // vector cores per cube core when split

  // Vector unit and UB geometry.
  int blockBytes = 32;
  int repeatBytes = 256;
  int ubHoldbackBytes;      // always taken off what the platform reports
  int ubScratchBytes;       // top of UB that some calls use as scratch
  int ubScratchOffset;      // where that scratch begins; from the end of UB on: out of a kernel's reach
  list<string> scratchCalls = []; // the calls that overwrite it
  int ubBankGroups;
  int ubBanks;
  int gmLineBytes = 512;
  int dataCacheLineBytes = 64;

  // Limits.
  int eventIds;             // per pair of pipes
  int maxBuffers = 64;      // queue blocks and TBufs of one TPipe
  int maxRepeat = 255;
  int maxCopyBlocks = 4095;
  int maxStreams;
  int libApiWorkspaceBytes;

  // Numeric state.
  bit overflowToInfinity;   // default of the runtime: Inf/NaN kept, else saturation
  bit flushSubnormals = 0;  // Exp, Ln, Sqrt, Rsqrt, Div, Reciprocal
  bit vectorOrdered = 0;    // the hardware orders dependent vector calls
  bit counterMode = 1;
  bit zeroCountIsNoop = 1;
  bit compareHonoursMask = 0;
  bit compareCountsTail = 0;   // Compare over a count: what is left of the last repeat, too
  bit reduceWritesNeutral = 0; // fully masked blocks get the neutral element
  // ReduceSum over a count: repeats are added one after the other to an
  // accumulator, or as a tree with the tail added last; neither: one tree.
  bit sumAccumulates = 0;
  bit sumTailApart = 0;
  int sumLaneRepeats = 1;      // up to so many repeats are added lane by lane before the tree
  bit reduceWaits = 0;         // ReduceSum, ReduceMax, ReduceMin wait for the vector unit and write the result as a scalar
  bit gatherMaskTotal = 0;     // GatherMask's mask is the total, not per repeat
  bit gatherMaskAll = 1;       // GatherMask has the built-in pattern 7: all
  bit deqScalePreset = 0;      // the scale of int32 to half is 1 before SetDeqScale
  int overflowCtrlBit = 48;    // bit of CTRL that holds the overflow mode
  bit overflowCtrlSaturates = 0; // what a set bit means: saturation, else Inf/NaN

  list<Supports> supports = [];
  list<SupportsCount> countOnly = [];
  list<CastRow> casts = [];
  list<Open> open = [];
}

/// A chip. Rates are the platform file's bytes per cycle and core (0: not
/// stated); peaks are the vendor profiler's divisors in MB/s (0: not published).
class Soc<string name_, Family family_, int cubeCores_, int vectorCores_,
          int clockMHz_, int ubBytes_, int l2MiB_, int memoryMiB_> {
  string name = name_;
  Family family = family_;
  int cubeCores = cubeCores_;     // AI cores on coupled products
  int vectorCores = vectorCores_; // separate or additional vector cores
  int clockMHz = clockMHz_;
  int ubBytes = ubBytes_;
  int l2MiB = l2MiB_;
  int memoryMiB = memoryMiB_;
  int l1Bytes;
  int l0aBytes = 65536;
  int l0bBytes = 65536;
  int l0cBytes;
  string coreTypes;               // core_type_list of the platform file
  int ddrReadRate = 0;
  int l2ReadRate = 0;
  int l2WriteRate = 0;
  int ubToL2Rate = 0;
  int ubToDdrRate = 0;
  int memoryPeakMBps = 0;
  int l2PeakMBps = 0;
}
#endif
