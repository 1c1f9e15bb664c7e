//===- Names.cpp - C++ names for values -----------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/Names.h"

#include "dialect/AscendC/IR/NameAttributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::cpp;

StringRef cpp::nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(ascendc::kNameAttr);
  return name ? name.getValue() : StringRef();
}

StringRef cpp::nameOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return nameOf(op);
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto names = owner->getAttrOfType<ArrayAttr>(ascendc::kArgumentNamesAttr))
    return cast<StringAttr>(names[argument.getArgNumber()]).getValue();
  return {};
}

/// Words that cannot name a variable, in C++ or because AscendC has macros or
/// types of that name.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = {
      "auto",      "bool",     "break",     "case",    "char",     "class",
      "const",     "continue", "default",   "delete",  "do",       "double",
      "else",      "enum",     "explicit",  "extern",  "false",    "float",
      "for",       "friend",   "goto",      "half",    "if",       "inline",
      "int",       "long",     "namespace", "new",     "operator", "private",
      "protected", "public",   "register",  "return",  "short",    "signed",
      "sizeof",    "static",   "struct",    "switch",  "template", "this",
      "throw",     "true",     "try",       "typedef", "typename", "union",
      "unsigned",  "using",    "virtual",   "void",    "volatile", "while",
      "pipe",      "tiling"};
  return words.contains(name);
}

bool Names::isTaken(StringRef name) const {
  return isReserved(name) || llvm::any_of(scopes, [&](const auto &scope) {
           return scope.contains(name);
         });
}

StringRef Names::declare(Value value, StringRef wanted) {
  std::string base;
  for (char c : wanted)
    if (llvm::isAlnum(c) || c == '_')
      base += c;
  if (base.empty() || llvm::isDigit(base[0]))
    base = "value" + base;
  std::string name = base;
  for (unsigned suffix = 2; isTaken(name); ++suffix)
    name = base + std::to_string(suffix);
  scopes.back()[name] = true;
  return table[value] = name;
}

StringRef Names::lookup(Value value) const {
  auto it = table.find(value);
  return it == table.end() ? StringRef() : StringRef(it->second);
}
