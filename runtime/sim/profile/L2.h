// Which lines of global memory are in L2. A line hits when it was touched and
// less than L2's size has been brought in since. What is brought in is what was
// asked for: a line is as long as the memory's smallest request, so that the
// other part of a longer one is not there for nothing. And which bytes have
// been touched at all. Addresses are the host's; both are kept in pages so that
// large tensors stay cheap.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lossgrad::sim::profile {

class L2 {
public:
  L2(uint64_t bytes, uint32_t lineBytes) : size(bytes), line(lineBytes) {}

  // Reads [address, address + bytes): how many of its bytes hit. Lines that
  // miss are brought in unless the read bypasses L2.
  uint64_t read(uint64_t address, uint64_t bytes, bool bypass);
  // A store brings its lines in.
  void write(uint64_t address, uint64_t bytes);

private:
  static constexpr uint64_t kLinesPerPage = 4096;
  static constexpr uint64_t kStampUnit = 4096; // bytes brought in per stamp
  bool touch(uint64_t lineNumber, bool bringIn);

  uint64_t size;
  uint64_t line;
  uint64_t broughtIn = 0;
  std::unordered_map<uint64_t, std::unique_ptr<std::vector<uint32_t>>> pages;
};

// Counts bytes once, in the blocks of 32 that memory moves at least.
class TouchedBytes {
public:
  // Bytes of [address, address + bytes), in whole blocks, that are new.
  uint64_t add(uint64_t address, uint64_t bytes);

private:
  static constexpr uint64_t kBlock = 32, kBlocks = 64; // of a word
  static constexpr uint64_t kWordsPerPage = 1024;
  std::unordered_map<uint64_t, std::unique_ptr<std::vector<uint64_t>>> pages;
};

} // namespace lossgrad::sim::profile
