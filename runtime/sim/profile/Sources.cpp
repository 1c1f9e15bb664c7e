// See Sources.h.
#include "sim/profile/Sources.h"

#include <dlfcn.h>
#include <filesystem>

namespace fs = std::filesystem;

namespace lossgrad::sim::profile {

// <library>.ops/kernels/<architecture>/<kernel>.so: three folders up.
constexpr int kMaxFoldersUp = 3;

static fs::path findBelow(const fs::path &folder, const fs::path &name) {
  std::error_code ignored;
  for (auto first = name.begin(); first != name.end(); ++first) {
    fs::path end;
    for (auto part = first; part != name.end(); ++part)
      end /= *part;
    if (*first != ".." && fs::is_regular_file(folder / end, ignored))
      return folder / end;
  }
  return {};
}

std::string findSource(const char *file) {
  std::error_code ignored;
  Dl_info library;
  if (fs::exists(file, ignored) || !dladdr(file, &library) ||
      !library.dli_fname)
    return file;
  fs::path folder = fs::path(library.dli_fname).parent_path();
  for (int up = 0; up < kMaxFoldersUp; ++up, folder = folder.parent_path())
    if (fs::is_directory(folder / "sources", ignored))
      if (fs::path found = findBelow(folder / "sources", file); !found.empty())
        return found.string();
  return file;
}

} // namespace lossgrad::sim::profile
