//===- Writer.cpp - A folder of emitted files, all or nothing -------------===//
//
// See the header. The new folder is completed beside the old one: unchanged
// files are linked into it, so that they keep their time stamps and nothing is
// built again for them; then both change places.
//
//===----------------------------------------------------------------------===//

#include "codegen/Project/Writer.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::project;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr StringLiteral markerTitle = "lossgrad project, format 1";

static Error failure(const Twine &what, std::error_code code = {}) {
  return createStringError(code ? what + ": " + code.message() : what);
}

static std::string join(StringRef folder, StringRef name) {
  SmallString<256> result(folder);
  path::append(result, name);
  return result.str().str();
}

/// With the permissions that the user's mask leaves.
static std::error_code makeFolder(StringRef folder) {
  return fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all);
}

static std::string digest(StringRef text) {
  return MD5::hash(arrayRefFromStringRef(text)).digest().str().str();
}

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

namespace {
/// The state of the folder before.
struct Existing {
  bool present = false;
  /// path -> digest of what was written.
  StringMap<std::string> files;
};
} // namespace

static Expected<Existing> readMarker(StringRef folder) {
  Existing result;
  if (!fs::exists(folder))
    return result;
  if (!fs::is_directory(folder))
    return failure("'" + folder + "' is not a folder");
  auto marker = MemoryBuffer::getFile(join(folder, markerFile));
  if (!marker) {
    std::error_code code;
    if (fs::directory_iterator(folder, code) == fs::directory_iterator() &&
        !code)
      return result; // an empty folder may be taken
    return failure("'" + folder + "' was not written by this tool (it has no " +
                   markerFile + "); give a new or empty folder");
  }
  SmallVector<StringRef> lines;
  (*marker)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty() || lines.front() != markerTitle)
    return failure("'" + join(folder, markerFile) +
                   "' is not of this version; remove the folder first");
  result.present = true;
  for (StringRef line : drop_begin(lines)) {
    auto [sum, name] = line.split(' ');
    result.files[name] = sum.str();
  }
  return result;
}

/// Edits are the user's work: say so instead of losing them.
static Error checkUnedited(StringRef folder, const Existing &existing) {
  for (const auto &entry : existing.files) {
    auto text = MemoryBuffer::getFile(join(folder, entry.first()));
    if (text && digest((*text)->getBuffer()) != entry.second)
      return failure("'" + join(folder, entry.first()) +
                     "' was edited since it was written; keep a copy and "
                     "remove it, or give --overwrite-edited");
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// What comes
//===----------------------------------------------------------------------===//

static Error writeFile(StringRef file, StringRef text) {
  std::error_code code;
  raw_fd_ostream os(file, code, fs::CD_CreateNew);
  if (code)
    return failure("cannot write '" + file + "'", code);
  os << text;
  os.close();
  if (os.has_error()) {
    code = os.error();
    os.clear_error();
    return failure("cannot write '" + file + "'", code);
  }
  return Error::success();
}

/// True where `old` holds `text` and now stands at `file`, too.
static bool keep(StringRef old, StringRef file, StringRef text) {
  auto before = MemoryBuffer::getFile(old);
  return before && (*before)->getBuffer() == text &&
         !fs::create_hard_link(old, file);
}

static Expected<WriteResult> complete(StringRef folder, StringRef next,
                                      ArrayRef<EmittedFile> files,
                                      const Existing &existing) {
  WriteResult result;
  std::string marker = (markerTitle + "\n").str();
  for (const EmittedFile &file : files) {
    std::string target = join(next, file.path);
    if (std::error_code code = makeFolder(path::parent_path(target)))
      return failure("cannot make '" + path::parent_path(target) + "'", code);
    marker += digest(file.text) + " " + file.path + "\n";
    if (existing.files.contains(file.path) &&
        keep(join(folder, file.path), target, file.text)) {
      ++result.unchanged;
      continue;
    }
    if (Error error = writeFile(target, file.text))
      return error;
    ++result.written;
  }
  if (!keep(join(folder, markerFile), join(next, markerFile), marker))
    if (Error error = writeFile(join(next, markerFile), marker))
      return error;
  for (const auto &entry : existing.files)
    if (none_of(files, [&](auto &file) { return file.path == entry.first(); }))
      ++result.removed;
  return result;
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

/// Moves what `from` has and `to` lacks, where it is not one of `ours`.
static Error moveForeign(StringRef from, StringRef to, StringRef prefix,
                         const Existing &ours) {
  std::error_code code;
  for (fs::directory_iterator it(from, code, /*follow_symlinks=*/false), end;
       it != end && !code; it.increment(code)) {
    StringRef name = path::filename(it->path());
    std::string relative = prefix.empty() ? name.str() : join(prefix, name);
    if (ours.files.contains(relative) || relative == markerFile)
      continue;
    std::string target = join(to, name);
    bool folder = it->type() == fs::file_type::directory_file;
    if (folder && fs::is_directory(target)) {
      if (Error error = moveForeign(it->path(), target, relative, ours))
        return error;
      continue;
    }
    if (folder && any_of(ours.files, [&](const auto &entry) {
          return entry.first().starts_with(relative + "/");
        })) {
      // A folder of ours that is no longer written: only what is not ours goes.
      if (std::error_code failed = makeFolder(target))
        return failure("cannot make '" + target + "'", failed);
      if (Error error = moveForeign(it->path(), target, relative, ours))
        return error;
      fs::remove(target); // where it stayed empty
      continue;
    }
    if (fs::exists(target))
      continue; // a new file of ours takes this place
    if (std::error_code failed = fs::rename(it->path(), target))
      return failure("cannot keep '" + relative + "'", failed);
  }
  return Error::success();
}

/// Both folders change places in one step, where the file system can.
static std::error_code swapFolders(StringRef first, StringRef second) {
  std::string a = first.str(), b = second.str();
  if (!::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE))
    return {};
  if (errno != EINVAL && errno != ENOSYS)
    return std::error_code(errno, std::generic_category());
  std::string aside = a + ".old";
  if (std::error_code code = fs::rename(b, aside))
    return code;
  if (std::error_code code = fs::rename(a, b)) {
    fs::rename(aside, b);
    return code;
  }
  return fs::rename(aside, a);
}

Expected<WriteResult>
lossgrad::project::writeFolder(StringRef folder, ArrayRef<EmittedFile> files,
                               bool overwriteEdited) {
  SmallString<256> absolute(folder);
  if (std::error_code code = fs::make_absolute(absolute))
    return failure("cannot find '" + folder + "'", code);
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  std::string target = absolute.str().rtrim('/').str();
  Expected<Existing> existing = readMarker(target);
  if (!existing)
    return existing.takeError();
  if (!overwriteEdited)
    if (Error error = checkUnedited(target, *existing))
      return error;

  if (std::error_code code = makeFolder(path::parent_path(target)))
    return failure("cannot make '" + path::parent_path(target) + "'", code);
  SmallString<256> next;
  fs::createUniquePath(target + ".new-%%%%%%", next, /*MakeAbsolute=*/false);
  if (std::error_code code = makeFolder(next))
    return failure("cannot make '" + next + "'", code);
  scope_exit cleanUp([&] { fs::remove_directories(next); });

  Expected<WriteResult> result = complete(target, next, files, *existing);
  if (!result)
    return result.takeError();
  if (!existing->present) {
    fs::remove(target); // an empty folder, if any
    if (std::error_code code = fs::rename(next, target))
      return failure("cannot make '" + target + "'", code);
    cleanUp.release();
    return result;
  }
  if (std::error_code code = swapFolders(next, target))
    return failure("cannot replace '" + target + "'", code);
  // The project is complete; what is left in the old folder is not ours.
  if (Error error = moveForeign(next, target, "", *existing)) {
    cleanUp.release();
    return joinErrors(std::move(error),
                      failure("the project is written; the rest of the old "
                              "folder is in '" +
                              next + "'"));
  }
  return result;
}
