// How kernels are run, chosen by LOSSGRAD_MODE or by the program: fast (the
// default), check (memory, alignment, queue and synchronisation rules) or
// profile (the cost model). Kernels are compiled once for all three. What a
// finding or a profile contains is defined here; how it is found is not.
#pragma once

#include "lossgrad/sim/Export.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lossgrad::sim {

enum class RunMode : uint8_t { Fast, Check, Profile };

// What counts as synchronised: only what the kernel writes down, or also what
// the vendor's compiler inserts by default (dependent vector calls, scalar
// access through tensors).
enum class SyncLevel : uint8_t { AutoSync, Strict };

struct CheckOptions {
  SyncLevel sync = SyncLevel::AutoSync;
  bool print = true; // findings to stderr as each launch ends
};

struct ProfileOptions {
  std::string directory = "lossgrad_profile"; // empty: no files
  bool print = true;                          // the table to stderr at exit
  bool timingOnly = false; // copies move no data; for shapes beyond memory
};

// Each takes effect for the launches that follow and wins over LOSSGRAD_MODE.
LOSSGRAD_API void useFastMode();
LOSSGRAD_API void useCheckMode(const CheckOptions &options = {});
LOSSGRAD_API void useProfileMode(const ProfileOptions &options = {});
LOSSGRAD_API RunMode runMode();

// A rule that a kernel breaks. Equal findings (same rule and place) are one,
// whatever the block.
struct Finding {
  std::string rule; // out-of-bounds, undefined-data, missing-sync, ...
  std::string kernel;
  std::string call; // Add, DataCopy, ...
  std::string file; // of the kernel
  uint32_t line = 0;
  uint32_t block = 0;          // lowest block that shows it
  std::string pipe;            // PIPE_V, ...
  std::string tensor;          // "VECIN buffer 0", "argument 2"
  uint64_t begin = 0, end = 0; // bytes of the tensor
  std::string what;
  std::string advice; // what would be right
  uint64_t times = 1;

  // One or two lines, without a line end after the last.
  LOSSGRAD_API std::string text() const;
};

// Findings so far, in order of file, line and rule; forgets them, so that they
// no longer decide the exit status.
LOSSGRAD_API std::vector<Finding> takeFindings();

// The same for programs that load the runtime and look its functions up by
// name: appends to `findings`.
extern "C" LOSSGRAD_API void
lossgradTakeFindings(std::vector<Finding> *findings);

// The profiles so far as the text of profile.json; forgets them, so that they
// are not written at the program's end.
LOSSGRAD_API std::string takeProfileJson();

} // namespace lossgrad::sim
