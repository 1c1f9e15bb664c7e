// Cycles of single instructions from the tables: vector instructions with the
// bank conflicts that their addresses cause, and the bytes and extra cycles of
// copies. What other instructions do at the same time is the simulator's.
#pragma once

#include "lossgrad/Costs.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lossgrad::sim::profile {

// The 32-byte blocks of one operand in the order that the instruction takes
// them, as UB byte addresses; `perRepeat` of them belong to one repeat.
struct OperandBlocks {
  std::vector<uint32_t> addresses;
  uint32_t perRepeat = 8;
};

// A conflict pattern repeats after as many repeats as there are bank groups.
constexpr uint32_t kSampledRepeats = 16;

struct BankCost {
  double read = 1;  // cycles per repeat to read all sources
  double write = 1; // cycles per repeat to write
  double mixed = 0; // per repeat, because source and destination share a bank
};
BankCost bankCost(const targets::Family &family,
                  const targets::CostModel &model,
                  const std::vector<OperandBlocks> &reads,
                  const std::vector<OperandBlocks> &writes);

struct VectorCall {
  std::string_view call;
  uint32_t elementBytes = 4;            // of the widest operand
  const targets::Dtype *from = nullptr; // both set for Cast
  const targets::Dtype *to = nullptr;
  uint64_t elements = 0;
  uint32_t repeats = 0;
  unsigned tensorSources = 1;
};

struct VectorTime {
  double occupation = 0;
  double latency = 0;
  double conflict = 0; // part of the occupation
  bool known = true;   // false: the call is not in the table
};
VectorTime vectorTime(const targets::CostModel &model, const VectorCall &call,
                      const BankCost &banks);

struct CopyShape {
  uint64_t address = 0; // in global memory
  uint64_t rowBytes = 0;
  uint32_t rows = 1;
  int64_t pitch = 0;
};
struct CopyTime {
  uint64_t bytes = 0; // as they count at the greatest rate
  double cycles = 0;  // on top of issue and bytes
};
CopyTime loadTime(const targets::CostModel &model, const CopyShape &shape);
// `cores`: how many store at the same time.
CopyTime storeTime(const targets::CostModel &model, const CopyShape &shape,
                   uint32_t cores);

} // namespace lossgrad::sim::profile
