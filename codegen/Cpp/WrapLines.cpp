//===- WrapLines.cpp - No line of emitted C++ too long --------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/WrapLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lossgrad;

/// 1 where a list of template arguments begins, -1 where one ends. Operators
/// have blanks around them.
static int templateDepth(StringRef line, size_t i, int open) {
  if (i == 0 || i + 1 >= line.size())
    return 0;
  char before = line[i - 1], after = line[i + 1];
  if (line[i] == '<')
    return (isAlnum(before) || before == '_') && !isSpace(after) ? 1 : 0;
  return line[i] == '>' && open && before != ' ' && before != '-' ? -1 : 0;
}

/// Where a line of code is broken: after the comma or before the operator that
/// is in the fewest brackets, and of those the last that fits; npos if there is
/// none.
static size_t findBreak(StringRef line, size_t begin, size_t width) {
  size_t best = StringRef::npos;
  int depth = 0, bestDepth = 0, templates = 0;
  bool inText = false;
  for (size_t i = begin; i < line.size() && i <= width; ++i) {
    char c = line[i];
    inText ^= c == '"' && line[i - 1] != '\\';
    if (inText)
      continue;
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    int step = templateDepth(line, i, templates);
    templates += step;
    depth += step;
    if (c != ' ' || i <= begin)
      continue;
    StringRef rest = line.substr(i + 1);
    bool afterComma = line[i - 1] == ',' || line[i - 1] == ';';
    bool beforeOperator =
        any_of(ArrayRef<StringRef>{"&& ", "|| ", "? ", ": ", "+ ", "- "},
               [&](StringRef symbol) { return rest.starts_with(symbol); });
    if (!afterComma && !beforeOperator)
      continue;
    if (best == StringRef::npos || depth <= bestDepth) {
      best = i;
      bestDepth = depth;
    }
  }
  return best;
}

/// Breaks between words; `mark` opens every further line.
static std::string wrapComment(StringRef line, StringRef mark, size_t width) {
  std::string result;
  bool first = true;
  while (true) {
    size_t room = first ? width : width - mark.size();
    std::string opening = first ? std::string() : mark.str();
    if (line.size() <= room)
      return result + opening + line.str();
    size_t at = line.rfind(' ', room);
    if (at == StringRef::npos || line.take_front(at).trim(" /*").empty())
      return result + opening + line.str();
    result += opening + line.take_front(at).str() + "\n";
    line = line.drop_front(at + 1);
    first = false;
  }
}

static std::string wrapCode(StringRef line, size_t width) {
  std::string indent = line.take_while([](char c) { return c == ' '; }).str();
  // A comment that does not fit behind the code goes in front of it.
  if (size_t comment = line.find(" // "); comment != StringRef::npos)
    return wrapComment(indent + line.substr(comment + 1).str(), indent + "// ",
                       width) +
           "\n" + line.take_front(comment).rtrim().str();
  std::string further = indent + "    ", result;
  std::string rest = line.str();
  while (rest.size() > width) {
    size_t begin = rest.find_first_not_of(' ');
    size_t at = findBreak(rest, begin, width);
    if (at == StringRef::npos)
      break;
    result += rest.substr(0, at) + "\n";
    rest = further + rest.substr(at + 1);
  }
  return result + rest;
}

std::string cpp::wrapLines(StringRef text, size_t width) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (auto [i, line] : enumerate(lines)) {
    StringRef code = line.ltrim(' ');
    std::string indent = line.drop_back(code.size()).str();
    if (line.size() <= width || code.starts_with("#"))
      result += line.str();
    else if (code.starts_with("//"))
      result += wrapComment(line, indent + "// ", width);
    else if (code.starts_with("* "))
      result += wrapComment(line, indent + "*     ", width);
    else
      result += wrapCode(line, width);
    if (i + 1 < lines.size())
      result += '\n';
  }
  return result;
}
