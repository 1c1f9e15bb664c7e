// Which lines of global memory are in L2. A line hits when it was touched and
// less than L2's size has been brought in since. Addresses are the host's;
// stamps are kept in pages so that large tensors stay cheap.
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

} // namespace lossgrad::sim::profile
