//===- RecordSource.cpp - Places and fields of records --------------------===//
//
// See the header. TableGen records a location per field, not per dag, so the
// place of a name inside a formula is found again in the text.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/RecordSource.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Location RecordSource::locate(llvm::SMLoc loc) const {
  unsigned buffer = loc.isValid() ? sources.FindBufferContainingLoc(loc) : 0;
  if (!buffer)
    return UnknownLoc::get(context);
  auto [line, column] = sources.getLineAndColumn(loc, buffer);
  StringRef file = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  return FileLineColLoc::get(context, file, line, column);
}

Location RecordSource::locate(const Record &record) const {
  if (record.getLoc().empty())
    return UnknownLoc::get(context);
  llvm::SMLoc loc = record.getLoc().front();
  bool isAdded =
      added &&
      sources.FindBufferContainingLoc(loc) == sources.getMainFileID() &&
      loc.getPointer() >= added;
  // What was added for a forward is the forward's.
  const llvm::RecordVal *forward =
      isAdded ? record.getValue("forward") : nullptr;
  if (forward)
    if (auto *def = llvm::dyn_cast<llvm::DefInit>(forward->getValue()))
      return locate(*def->getDef());
  return locate(loc);
}

/// Whether a field is what GradientOf makes of its arguments.
bool RecordSource::isComputed(const Record &record, StringRef field) const {
  const llvm::RecordVal *value = record.getValue(field);
  return value && value->getLoc().isValid() && !record.getLoc().empty() &&
         record.isSubClassOf("GradientOf") &&
         sources.FindBufferContainingLoc(value->getLoc()) !=
             sources.FindBufferContainingLoc(record.getLoc().front());
}

Location RecordSource::locateField(const Record &record,
                                   StringRef field) const {
  if (isComputed(record, field))
    return locate(record);
  if (const llvm::RecordVal *value = record.getValue(field))
    if (value->getLoc().isValid())
      return locate(value->getLoc());
  return locate(record);
}

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

size_t lossgrad::skipQuoted(StringRef text, bool &isComment) {
  struct {
    StringRef open, close;
    bool comment;
  } forms[] = {{"//", "\n", true}, {"/*", "*/", true}, {"[{", "}]", false}};
  for (auto [open, close, comment] : forms)
    if (text.starts_with(open)) {
      isComment = comment;
      size_t end = text.find(close, open.size());
      return end == StringRef::npos ? text.size() : end + close.size();
    }
  isComment = false;
  if (!text.starts_with("\""))
    return 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// Up to the next semicolon.
StringRef RecordSource::getTextFrom(llvm::SMLoc loc) const {
  unsigned buffer = loc.isValid() ? sources.FindBufferContainingLoc(loc) : 0;
  if (!buffer)
    return {};
  const char *begin = loc.getPointer();
  StringRef whole = sources.getMemoryBuffer(buffer)->getBuffer();
  StringRef text(begin, whole.end() - begin);
  size_t end = 0;
  while (end < text.size() && text[end] != ';') {
    bool isComment;
    end += std::max<size_t>(1, skipQuoted(text.drop_front(end), isComment));
  }
  return text.take_front(end);
}

/// From the name of the field to its semicolon.
StringRef RecordSource::getFieldText(const Record &record,
                                     StringRef field) const {
  const llvm::RecordVal *value = record.getValue(field);
  return value ? getTextFrom(value->getLoc()) : StringRef();
}

/// The place of a token outside of comments, as a whole word.
static const char *findToken(StringRef text, StringRef token) {
  for (size_t at = 0; at < text.size(); ++at) {
    bool isComment;
    size_t length = skipQuoted(text.drop_front(at), isComment);
    if (length && isComment) {
      at += length - 1;
      continue;
    }
    if (text.drop_front(at).starts_with(token)) {
      size_t end = at + token.size();
      bool starts = at == 0 || !isWord(token.front()) || !isWord(text[at - 1]);
      bool ends =
          end == text.size() || !isWord(token.back()) || !isWord(text[end]);
      if (starts && ends)
        return text.data() + at;
    }
    if (length) // a string or code block, where nothing else is looked for
      at += length - 1;
  }
  return nullptr;
}

Location RecordSource::locateInField(const Record &record, StringRef field,
                                     StringRef token) const {
  if (isComputed(record, field))
    return locateInHead(record, token);
  if (const char *place = findToken(getFieldText(record, field), token))
    return locate(llvm::SMLoc::getFromPointer(place));
  return locateField(record, field);
}

Location RecordSource::locateInHead(const Record &record,
                                    StringRef token) const {
  if (!record.getLoc().empty() && !token.empty())
    if (const char *place =
            findToken(getTextFrom(record.getLoc().front()), token))
      return locate(llvm::SMLoc::getFromPointer(place));
  return locate(record);
}

Location RecordSource::locateElement(const Record &record, StringRef field,
                                     const Record &element,
                                     StringRef token) const {
  if (isComputed(record, field)) {
    // What the forward has is handed on as it is.
    bool isGiven = !element.getLoc().empty() &&
                   sources.FindBufferContainingLoc(element.getLoc().front()) ==
                       sources.FindBufferContainingLoc(record.getLoc().front());
    return isGiven ? locate(element) : locateInHead(record, token);
  }
  StringRef text = getFieldText(record, field);
  if (!element.getLoc().empty()) {
    const char *place = element.getLoc().front().getPointer();
    if (text.begin() <= place && place < text.end())
      return locate(element);
  }
  return locateInField(record, field, token);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

InFlightDiagnostic RecordFields::error(StringRef field) const {
  return emitError(source.locateField(record, field));
}

const llvm::Init *RecordFields::find(StringRef field, StringRef type) const {
  const llvm::RecordVal *value = record.getValue(field);
  if (!value) {
    emitError(getLoc()) << "record '" << record.getNameInitAsString()
                        << "' has no field '" << field << "' (" << type
                        << "); derive it from the classes of Base.td";
    return nullptr;
  }
  if (llvm::isa<llvm::UnsetInit>(value->getValue())) {
    emitError(getLoc()) << "field '" << field << "' (" << type
                        << ") of record '" << record.getNameInitAsString()
                        << "' is not set";
    return nullptr;
  }
  return value->getValue();
}

static InFlightDiagnostic mistyped(const RecordFields &fields, StringRef field,
                                   StringRef type, const llvm::Init *init) {
  auto diagnostic = fields.error(field);
  diagnostic << "field '" << field << "' must be " << type << ", found "
             << init->getAsString();
  return diagnostic;
}

FailureOr<StringRef> RecordFields::getString(StringRef field) const {
  const llvm::Init *init = find(field, "string");
  if (!init)
    return failure();
  if (auto *text = llvm::dyn_cast<llvm::StringInit>(init))
    return text->getValue();
  return mistyped(*this, field, "a string", init), failure();
}

FailureOr<int64_t> RecordFields::getInt(StringRef field) const {
  const llvm::Init *init = find(field, "int");
  if (!init)
    return failure();
  if (auto *number = llvm::dyn_cast<llvm::IntInit>(init))
    return number->getValue();
  return mistyped(*this, field, "an int", init), failure();
}

FailureOr<bool> RecordFields::getBit(StringRef field) const {
  const llvm::Init *init = find(field, "bit");
  if (!init)
    return failure();
  if (auto *bit = llvm::dyn_cast<llvm::BitInit>(init))
    return bit->getValue();
  return mistyped(*this, field, "a bit", init), failure();
}

FailureOr<const llvm::DagInit *> RecordFields::getDag(StringRef field) const {
  const llvm::Init *init = find(field, "dag");
  if (!init)
    return failure();
  if (auto *dag = llvm::dyn_cast<llvm::DagInit>(init))
    return dag;
  return mistyped(*this, field, "a dag", init), failure();
}

FailureOr<const Record *> RecordFields::getDef(StringRef field) const {
  const llvm::Init *init = find(field, "def");
  if (!init)
    return failure();
  if (auto *def = llvm::dyn_cast<llvm::DefInit>(init))
    return def->getDef();
  return mistyped(*this, field, "a def", init), failure();
}

template <typename Element, typename Convert>
FailureOr<SmallVector<Element>>
RecordFields::getList(StringRef field, StringRef type, Convert convert) const {
  const llvm::Init *init = find(field, type);
  if (!init)
    return failure();
  auto *list = llvm::dyn_cast<llvm::ListInit>(init);
  if (!list)
    return mistyped(*this, field, type, init), failure();
  SmallVector<Element> elements;
  for (const llvm::Init *element : list->getElements()) {
    std::optional<Element> converted = convert(element);
    if (!converted)
      return mistyped(*this, field, type, element), failure();
    elements.push_back(*converted);
  }
  return elements;
}

FailureOr<SmallVector<StringRef>>
RecordFields::getStrings(StringRef field) const {
  return getList<StringRef>(
      field, "a list of strings",
      [](const llvm::Init *init) -> std::optional<StringRef> {
        if (auto *text = llvm::dyn_cast<llvm::StringInit>(init))
          return text->getValue();
        return std::nullopt;
      });
}

FailureOr<SmallVector<const Record *>>
RecordFields::getDefs(StringRef field) const {
  return getList<const Record *>(
      field, "a list of defs",
      [](const llvm::Init *init) -> std::optional<const Record *> {
        if (auto *def = llvm::dyn_cast<llvm::DefInit>(init))
          return def->getDef();
        return std::nullopt;
      });
}

FailureOr<SmallVector<const llvm::DagInit *>>
RecordFields::getDags(StringRef field) const {
  return getList<const llvm::DagInit *>(
      field, "a list of dags",
      [](const llvm::Init *init) -> std::optional<const llvm::DagInit *> {
        if (auto *dag = llvm::dyn_cast<llvm::DagInit>(init))
          return dag;
        return std::nullopt;
      });
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

static bool haveSameLetters(StringRef lhs, StringRef rhs) {
  std::string left = lhs.str(), right = rhs.str();
  llvm::sort(left);
  llvm::sort(right);
  return left == right;
}

StringRef lossgrad::findNearest(StringRef name,
                                llvm::ArrayRef<StringRef> candidates) {
  StringRef nearest;
  unsigned limit = std::min<size_t>((name.size() + 2) / 3, 4);
  unsigned best = limit + 1;
  for (StringRef candidate : candidates) {
    if (candidate == name)
      continue;
    unsigned distance = name.edit_distance(candidate, true, best);
    if (candidate.equals_insensitive(name))
      distance = 0;
    // Half of a short word is another word (tanh is no slip for and), unless
    // letters are only out of place.
    size_t longer = std::max(name.size(), candidate.size());
    bool isSlip = distance < 2 || 3 * distance <= longer ||
                  haveSameLetters(name, candidate);
    if (distance < best && distance < name.size() && isSlip) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void lossgrad::suggest(InFlightDiagnostic &diagnostic, StringRef name,
                       llvm::ArrayRef<StringRef> candidates, StringRef prefix) {
  StringRef nearest = findNearest(name, candidates);
  if (!nearest.empty())
    diagnostic << "; did you mean '" << prefix << nearest << "'?";
}
