//===- ShortLines.cpp - Diagnostics of very long lines --------------------===//
//
// A diagnostic shows the line that it is about. Of a line that fills several
// rows of a terminal only what stands around the column is shown, with dots
// where something is left out; place and message stay what they are.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/Import.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

static constexpr StringLiteral kDots = "...";

/// A part of the line of at most kMaxShownColumns around the column, and where
/// the column is in it.
static std::pair<std::string, int> cut(StringRef line, int column) {
  constexpr size_t width = lossgrad::kMaxShownColumns;
  size_t at = column < 0 ? 0 : std::min<size_t>(column, line.size());
  // More after the column than before it: what is wrong begins there.
  size_t begin = at < width / 3 ? 0 : at - width / 3;
  begin = std::min(begin, line.size() - width);
  // Not inside a character of several bytes.
  while (begin > 0 && (line[begin] & 0xC0) == 0x80)
    --begin;
  size_t end = std::min(begin + width, line.size());
  while (end < line.size() && (line[end] & 0xC0) == 0x80)
    --end;
  std::string shown = begin > 0 ? kDots.str() : "";
  int shift = static_cast<int>(begin) - static_cast<int>(shown.size());
  shown += line.slice(begin, end);
  if (end < line.size())
    shown += kDots;
  return {shown, column < 0 ? column : column - shift};
}

static void report(const SMDiagnostic &diagnostic, void *) {
  raw_ostream &os = errs();
  const SourceMgr *sources = diagnostic.getSourceMgr();
  if (sources && diagnostic.getLoc().isValid()) {
    unsigned buffer = sources->FindBufferContainingLoc(diagnostic.getLoc());
    if (buffer)
      sources->PrintIncludeStack(sources->getBufferInfo(buffer).IncludeLoc, os);
  }
  StringRef line = diagnostic.getLineContents();
  if (line.size() <= lossgrad::kMaxShownColumns || !sources)
    return diagnostic.print(nullptr, os);
  auto [shown, column] = cut(line, diagnostic.getColumnNo());
  StringRef kind = diagnostic.getKind() == SourceMgr::DK_Error     ? "error"
                   : diagnostic.getKind() == SourceMgr::DK_Warning ? "warning"
                                                                   : "note";
  os << diagnostic.getFilename() << ':' << diagnostic.getLineNo() << ':'
     << diagnostic.getColumnNo() + 1 << ": " << kind << ": "
     << diagnostic.getMessage() << '\n'
     << shown << '\n';
  os.indent(std::max(column, 0)) << "^\n";
}

void lossgrad::cutLongLines(SourceMgr &sources) {
  if (!sources.getDiagHandler())
    sources.setDiagHandler(report);
}
