//===- DeviceHeader.cpp - A device header for one architecture ------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/DeviceHeader.h"

#include "dialect/AscendC/IR/ProductLimits.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace lossgrad;

namespace {

[[noreturn]] void fail(const Twine &what) {
  report_fatal_error("text of a device header: " + what,
                     /*gen_crash_diag=*/false);
}

targets::Api findApi(StringRef name) {
  for (size_t i = 0; i < targets::numApis; ++i)
    if (name == targets::spelling(static_cast<targets::Api>(i)))
      return static_cast<targets::Api>(i);
  fail("no call '" + name + "' in the product tables");
}

targets::Dtype findDtype(StringRef name) {
  for (size_t i = 0; i < targets::numDtypes; ++i)
    if (name == targets::spelling(static_cast<targets::Dtype>(i)))
      return static_cast<targets::Dtype>(i);
  fail("no element type '" + name + "' in the product tables");
}

/// The first of these modes that the family has for a cast; null: none.
const char *findMode(const targets::Family &family, StringRef from,
                     StringRef to, ArrayRef<targets::Round> modes) {
  for (targets::Round mode : modes)
    if (family.casts(findDtype(from), findDtype(to), mode))
      return targets::spelling(mode);
  return nullptr;
}

bool holds(StringRef condition, const targets::Family &family) {
  SmallVector<StringRef> words;
  condition.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty())
    fail("a condition is missing");
  if (words.front() == "not")
    return !holds(condition.trim().drop_front(3), family);
  if (words.front() == "ordered")
    return family.vectorOrdered;
  if (words.front() == "cast") {
    if (words.size() != 3)
      fail("'" + condition + "' must name two types");
    using targets::Round;
    return findMode(family, words[1], words[2],
                    {Round::NONE, Round::RINT, Round::FLOOR, Round::TRUNC});
  }
  targets::Api api = findApi(words.front());
  return words.size() == 1 ? family.has(api)
                           : family.takes(api, findDtype(words[1]));
}

/// Replaces `@ROUND(from, to)@` and `@EXACT(from, to)@`.
std::string fillModes(StringRef line, const targets::Family &family) {
  using targets::Round;
  std::string text;
  while (true) {
    size_t round = line.find("@ROUND("), exact = line.find("@EXACT(");
    size_t at = std::min(round, exact);
    if (at == StringRef::npos)
      return text + line.str();
    text += line.take_front(at);
    auto [types, rest] = line.drop_front(at + 7).split(")@");
    auto [from, to] = types.split(", ");
    // Where the tables list a lossy cast without a mode, it is to nearest.
    const char *mode =
        at == round
            ? findMode(family, from, to, {Round::RINT, Round::NONE})
            : findMode(family, from, to, {Round::NONE, Round::RINT});
    if (!mode)
      fail("no cast from " + from + " to " + to + " on " + family.title);
    text += "RoundMode::" + std::string(mode);
    line = rest;
  }
}

} // namespace

std::string lossgrad::composeHeader(StringRef text,
                                    const targets::Family &family) {
  std::string result;
  SmallVector<bool> taken; // by nested conditions: whether this part is
  bool afterBlank = false;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef word = line.trim();
    if (word.consume_front("//@if ")) {
      taken.push_back(holds(word, family));
      continue;
    }
    if (word == "//@else" || word == "//@end") {
      if (taken.empty())
        fail("'" + word + "' without '//@if'");
      bool part = taken.pop_back_val();
      if (word == "//@else")
        taken.push_back(!part);
      continue;
    }
    if (word.starts_with("//@"))
      fail("unknown mark '" + word + "'");
    bool isLeftOut = is_contained(taken, false) ||
                     (family.vectorOrdered && word == "PipeBarrier<PIPE_V>();");
    // What is left out leaves no second blank line.
    if (isLeftOut || (word.empty() && afterBlank))
      continue;
    afterBlank = word.empty();
    result += fillModes(line, family) + "\n";
  }
  if (!taken.empty())
    fail("'//@if' without '//@end'");
  return ascendc::ProductLimits::ofAll().fill(result);
}
