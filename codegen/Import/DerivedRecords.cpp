//===- DerivedRecords.cpp - A file with what was derived written down -----===//
//
// The text stays as it is, with comments and the forward; formulas go where one
// would have written them.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/RecordSource.h"
#include "codegen/Import/RecordText.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TableGen/Record.h"

using namespace mlir;
using namespace lossgrad;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

namespace {
/// Where the definition of a record ends: before the brace that closes it, or
/// at the semicolon that stands for one without a body.
struct End {
  size_t at;
  bool hasBody;
};

class DerivedRecords {
public:
  DerivedRecords(StringRef text, const RecordKeeper &records,
                 llvm::raw_ostream &os)
      : text(text), records(records), os(os) {}

  void print(ModuleOp module);

private:
  const Record *findRecord(OperatorOp op) const;
  std::optional<End> findEnd(StringRef name) const;
  SmallVector<StringRef> getReserved(const Record *record) const;

  StringRef text;
  const RecordKeeper &records;
  llvm::raw_ostream &os;
};
} // namespace

const Record *DerivedRecords::findRecord(OperatorOp op) const {
  for (const Record *def : records.getAllDerivedDefinitions("LossBackward"))
    if (auto *name = llvm::dyn_cast_or_null<llvm::StringInit>(
            def->getValueInit("function"));
        name && !def->isSubClassOf("Loss") &&
        name->getValue() == op.getSymName())
      return def;
  return nullptr;
}

/// `def` and the name, outside of comments and texts, and what follows. Nothing
/// if the definition stands elsewhere, or is one of a multiclass or a loop.
std::optional<End> DerivedRecords::findEnd(StringRef name) const {
  unsigned depth = 0, braces = 0;
  std::optional<unsigned> inside; // how many braces there were before it
  for (size_t i = 0; i < text.size();) {
    bool isComment;
    StringRef rest = text.drop_front(i);
    if (size_t length = skipQuoted(rest, isComment)) {
      i += length;
      continue;
    }
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!inside && word == "def" && braces == 0 && depth == 0) {
      StringRef next = rest.drop_front(3).ltrim();
      if (next.take_while(
              [](char c) { return llvm::isAlnum(c) || c == '_'; }) == name)
        inside = braces;
    }
    if (!word.empty()) {
      i += word.size();
      continue;
    }
    char c = text[i];
    depth += StringRef("<([").contains(c);
    depth -= StringRef(">)]").contains(c) && depth > 0;
    braces += c == '{';
    braces -= c == '}' && braces > 0;
    if (inside && c == '}' && braces == *inside)
      return End{i, true};
    if (inside && c == ';' && braces == *inside && depth == 0)
      return End{i, false};
    ++i;
  }
  return std::nullopt;
}

/// The fields that a definition has already.
SmallVector<StringRef> DerivedRecords::getReserved(const Record *record) const {
  SmallVector<StringRef> names;
  if (const Record *of = record ? record : records.getClass("GradientOf"))
    for (const llvm::RecordVal &field : of->getValues())
      names.push_back(field.getName());
  for (const auto &def : records.getDefs())
    if (def.second->isSubClassOf("FormulaOp") ||
        def.second->isSubClassOf("Function"))
      names.push_back(def.first);
  return names;
}

void DerivedRecords::print(ModuleOp module) {
  std::map<size_t, std::string> insertions; // by place
  std::string behind;
  llvm::raw_string_ostream more(behind);
  for (auto op : module.getOps<OperatorOp>()) {
    const Record *record = findRecord(op);
    SmallVector<StringRef> reserved = getReserved(record);
    bool isOpen = record && record->isSubClassOf("BackwardOf") &&
                  llvm::isa<llvm::UnsetInit>(record->getValueInit("results"));
    std::optional<End> end =
        isOpen ? findEnd(record->getName()) : std::optional<End>();
    if (end) {
      llvm::raw_string_ostream into(insertions[end->at]);
      into << (end->hasBody ? "" : " {\n");
      printFormulas(op, into, reserved);
      into << (end->hasBody ? "" : "}");
    } else if (!record) {
      // A file that has forwards only.
      StringRef name = op.getSymName();
      for (const Record *def : records.getAllDerivedDefinitions("Loss"))
        if (def->getValueAsString("function").str() + "Backward" == name) {
          more << "\ndef " << def->getName() << "Backward : GradientOf<"
               << def->getName() << "> {\n";
          printFormulas(op, more, reserved);
          more << "}\n";
        }
    } else {
      more << "\n// " << op.getSymName() << ", derived:\n";
      printFormulas(op, more, reserved, "//   ");
    }
  }
  size_t at = 0;
  for (auto &[place, formulas] : insertions) {
    // A closing brace has a line of its own.
    StringRef before = text.slice(at, place);
    bool isBody = text[place] == '}';
    os << (isBody ? before.rtrim() : before) << (isBody ? "\n" : "")
       << formulas;
    at = place + (isBody ? 0 : 1);
  }
  os << text.drop_front(at).rtrim() << '\n' << behind;
}

void lossgrad::printDerivedRecords(StringRef text, ModuleOp module,
                                   const RecordKeeper &records,
                                   llvm::raw_ostream &os) {
  DerivedRecords(text, records, os).print(module);
}
