//===- Cost.td - classes of the cost model --------------------------------===//
//
// What instructions, copies and synchronisation cost, as data: every number
// with where it comes from and how far it can be trusted. No NPU was used; all
// numbers are published by others or derived from such. lossgrad-target-tblgen
// turns the records into plain C++ tables for the profile mode.
//
// Sources:  ATT  per-API fits of the vendor's auto-tiler (graph-autofusion)
//           KPP  single-core measurements of mskpp (910B1, 910B3)
//           PTO  open cost model of pto-isa
//           ADD  seven measured variants of one Add kernel (asc-devkit)
//           DCP  measured copies from global memory (asc-devkit)
//           BNK  measured UB bank conflicts (asc-devkit)
//           GDE  the vendor's programming guide
//           INI  platform files,  PRF  peak rates that msopprof divides by
//           SMP  launch and scalar break-down (cann-samples)
//           BEN  measured kernel times (cann-bench)
//           own  estimated or derived here
// Confidence: H several sources agree, M one measured source, L an estimate.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TARGETS_COST_TD
#define LOSSGRAD_TARGETS_COST_TD

include "Target.td"

/// A number (decimal, as text) with its origin.
class Param<string number, string origin, string trust> {
  string value = number;
  string source = origin;
  string confidence = trust;
}

/// Cycles per repeat of 256 bytes of the widest operand, for elements of 4 or
/// more bytes and of 2 or fewer, and the fixed part of an isolated call (head
/// and latency together).
class VectorCost<list<string> names, string cycles4, string cycles2, int fixedCycles, string origin, string trust, int least = 0> {
  list<string> calls = names;
  string wide = cycles4;
  string narrow = cycles2;
  int fixed = fixedCycles;
  int minimum = least; // least occupation of one instruction
  string source = origin;
  string confidence = trust;
}

/// A Cast: cycles per `lanes` elements.
class CastCost<Dtype src, Dtype dst, string cycleCount, int laneCount, int fixedCycles, string origin, string trust> {
  Dtype from = src;
  Dtype to = dst;
  string cycles = cycleCount;
  int lanes = laneCount;
  int fixed = fixedCycles;
  string source = origin;
  string confidence = trust;
}

/// The model of one architecture. Times are cycles of the core's clock unless
/// the name says Us (microseconds); rates are bytes per cycle and core.
class CostModel<string title_, list<Family> families_> {
  string title = title_;
  list<Family> families = families_;

  // Vector unit.
  Param vectorIssue;      // least distance of two instructions
  Param vectorHead;       // paid when the pipe starts from empty
  Param countTail;        // binary call in counter mode, tail repeat not full
  Param readWriteConflict; // per repeat, source and destination in one bank
  Param functionHead;     // register architectures: around each call
  Param issueWidth;       // vector instructions per cycle
  Param unknownCallFixed; // isolated call that the table below lacks
  Param unknownCastFixed; // isolated Cast of types that the table lacks
  Param ubBankBytes;      // span of one bank id over all groups
  // Copies.
  Param loadIssue;
  Param loadLatency;
  Param loadRate;         // one core from memory
  Param loadRateL2;       // one core on an L2 hit
  Param loadFirst;        // first load of a core
  Param storeIssue;
  Param storeLatency;
  Param storeRate;
  Param storeFirst;
  Param loadBlockBytes;   // shorter blocks of a load count as this
  Param burstBytes;       // requests that start on a multiple are cheapest
  Param unalignedBurst;   // factor on bytes, block start not on such a multiple
  Param unaligned32;      // factor on bytes, load not on 32
  Param atomicWeight;
  Param memoryEfficiency; // reachable part of the memory's peak
  Param l2Efficiency;     // reachable part of L2's peak
  // Stores of rows that do not begin and end on 32 bytes: cycles of one row of
  // B bytes while n cores store. More than longRow bytes: longCycles - (fitIssue
  // + longRow / (fitRate + fitRateShared / n)), at least 0. From 32 bytes on:
  // mediumPerByte B + mediumCycles. Fewer: (shortPerByte + shortPerByteAndCore n)
  // B + shortPerCore n + shortCycles.
  Param storeLongRow;
  Param storeLongCycles;
  Param storeFitIssue;
  Param storeFitRate;
  Param storeFitRateShared;
  Param storeMediumPerByte;
  Param storeMediumCycles;
  Param storeShortPerByte;
  Param storeShortPerByteAndCore;
  Param storeShortPerCore;
  Param storeShortCycles;
  // The bound "expected": what the best published elementwise kernels reach.
  Param expectedMemory;   // part of the memory's peak
  Param expectedStores;   // part of L2's peak, by stores that stay there
  // Scalar unit and synchronisation.
  Param scalarIssue;
  Param scalarGet;
  Param scalarSet;
  Param globalHit;
  Param globalMiss;
  Param dataCacheBytes;
  Param queueCall;        // Alloc, EnQue, DeQue, Free: each
  Param pipeCreate;
  Param initBuffer;
  Param flagIssue;
  Param flagWake;
  Param barrierAll;
  Param queueDepth;       // instructions that a pipe takes ahead
  Param syncHardwareUs;
  Param syncSoftwareUs;
  Param syncSoftwarePerCoreUs;
  Param launchUs;
  Param launchPerCoreUs;
  Param startSpreadUs;    // cores start within this time

  list<VectorCost> vector;
  list<CastCost> casts;
}

/// What a chip's platform file lacks or contradicts; 0 keeps the Soc record.
class ChipCost<string soc_> {
  string soc = soc_;
  int clockMHz = 0;
  int memoryPeakMBps = 0;
  int l2PeakMBps = 0;
  string source = "";
}
#endif
