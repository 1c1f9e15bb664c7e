//===- Json.cpp - JSON from files of users --------------------------------===//

#include "dialect/LossGrad/Interpreter/Json.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

static constexpr size_t kMaxDepth = 200;

static Error bad(StringRef text, size_t at, const Twine &what) {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return createStringError("[" + Twine(line) + ":" + Twine(column) +
                           ", byte=" + Twine(at) + "]: " + what);
}

/// The end of the string that begins at `at`, behind its closing quote.
static size_t skipString(StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

/// One walk over the brackets: the depth, which the parser would not survive,
/// or the keys of what the parser has read, compared as they are spelt.
static Error checkStructure(StringRef text, bool isParsed) {
  struct Level {
    bool isObject;
    bool expectsKey;
    StringSet<> keys;
  };
  SmallVector<Level> levels;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') {
      size_t end = skipString(text, at);
      if (!levels.empty() && levels.back().expectsKey) {
        levels.back().expectsKey = false;
        StringRef key = text.slice(at + 1, end - 1);
        if (isParsed && !levels.back().keys.insert(key).second)
          return bad(text, at, "The key \"" + key + "\" is given twice");
      }
      at = end;
      continue;
    }
    if (c == '{' || c == '[') {
      if (levels.size() == kMaxDepth)
        return bad(text, at,
                   "Nested deeper than " + Twine(kMaxDepth) + " levels");
      levels.push_back({c == '{', c == '{', {}});
    } else if ((c == '}' || c == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (c == ',' && !levels.empty()) {
      levels.back().expectsKey = levels.back().isObject;
    }
    ++at;
  }
  return Error::success();
}

Expected<json::Value> lossgrad::parseJson(StringRef text) {
  if (Error error = checkStructure(text, /*isParsed=*/false))
    return error;
  Expected<json::Value> value = json::parse(text);
  if (value)
    if (Error error = checkStructure(text, /*isParsed=*/true))
      return error;
  return value;
}

Expected<json::Value> lossgrad::readJson(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(path + ": " + buffer.getError().message());
  Expected<json::Value> value = parseJson((*buffer)->getBuffer());
  if (!value)
    return createStringError(path + ": " + toString(value.takeError()));
  return value;
}
