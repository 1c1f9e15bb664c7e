//===- Texts.cpp - Names and texts that emitters can print ----------------===//

#include "codegen/Import/Texts.h"

#include "dialect/LossGrad/IR/LossGrad.h"
#include "dialect/LossGrad/IR/Naming.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace lossgrad;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Keywords of C++20 and the alternative spellings of its operators.
static const llvm::StringSet<> &getKeywords() {
  static const llvm::StringSet<> words = {
      "alignas",       "alignof",     "and",
      "and_eq",        "asm",         "auto",
      "bitand",        "bitor",       "bool",
      "break",         "case",        "catch",
      "char",          "char16_t",    "char32_t",
      "char8_t",       "class",       "co_await",
      "co_return",     "co_yield",    "compl",
      "concept",       "const",       "const_cast",
      "consteval",     "constexpr",   "constinit",
      "continue",      "decltype",    "default",
      "delete",        "do",          "double",
      "dynamic_cast",  "else",        "enum",
      "explicit",      "export",      "extern",
      "false",         "float",       "for",
      "friend",        "goto",        "if",
      "inline",        "int",         "long",
      "mutable",       "namespace",   "new",
      "noexcept",      "not",         "not_eq",
      "nullptr",       "operator",    "or",
      "or_eq",         "private",     "protected",
      "public",        "register",    "reinterpret_cast",
      "requires",      "return",      "short",
      "signed",        "sizeof",      "static",
      "static_assert", "static_cast", "struct",
      "switch",        "template",    "this",
      "thread_local",  "throw",       "true",
      "try",           "typedef",     "typeid",
      "typename",      "union",       "unsigned",
      "using",         "virtual",     "void",
      "volatile",      "wchar_t",     "while",
      "xor",           "xor_eq"};
  return words;
}

/// Types and functions that every emitted file may see, and the names that
/// emitted files give to what is theirs and that a name of the record would
/// hide or meet. (Macros, and types and functions of the toolkit and of our
/// headers, begin with a capital.)
static const llvm::StringSet<> &getTaken() {
  static const llvm::StringSet<> words = {
      // C and C++
      "assert", "errno", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
      "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t", "ptrdiff_t",
      "size_t", "ssize_t", "std", "stdin", "stdout", "stderr", "unix", "linux",
      "main", "i386", "signbit", "isnan", "isinf", "isfinite", "isnormal",
      // the toolkit
      "half", "bfloat16_t", "block_idx", "ge", "gert", "ops", "optiling",
      "graph", "graphStatus", "fe", "platform_ascendc",
      // the public function and inference
      "status", "strides", "shapes", "tensors", "prepared", "product",
      "context", "lossgrad",
      // the example
      "device", "stream", "workspace", "wrong", "each",
      // tiling data and tiling functions
      "elements", "coreLength", "extraCores", "rowBlocks", "laneBlocks",
      "extents", "tileLength", "rowTile", "laneTile", "firstAxis", "bypassL2",
      "forms", "call", "platform", "tiling", "tilingData", "launch", "runs",
      "used", "flat", "sameDtype", "firstKey", "key", "maxTile", "blocks",
      "reader", "attributes", "type", "chip",
      // kernels
      "pipe", "inQueue", "outQueue", "inputs", "results", "share", "offset"};
  return words;
}

std::string lossgrad::whyNoName(StringRef name) {
  if (getKeywords().contains(name))
    return "it is a keyword of C++";
  if (getTaken().contains(name) || name.starts_with("acl"))
    return "the emitted code uses this name itself";
  if (name.starts_with("_") || name.contains("__"))
    return "C++ keeps such names for itself";
  if (llvm::isUpper(name.front()))
    return "names begin with a small letter; capitals are for types and macros "
           "of the emitted code";
  return "";
}

/// Definitions of operators spell names in small letters and without a final
/// Optional.
static std::string spellForDefinition(StringRef name) {
  name.consume_back("Optional");
  return toSnakeCase(name);
}

std::string lossgrad::whyNoInputName(StringRef name,
                                     llvm::ArrayRef<StringRef> outputs) {
  // The toolkit names the outputs of the function that it generates itself.
  if (outputs.size() == 1 && name == "out" && outputs.front() != name)
    return ("beside the output '" + outputs.front() +
            "': the toolkit calls a single output so")
        .str();
  if (outputs.size() > 1)
    for (StringRef output : outputs)
      if (name == (output + "Out").str())
        return ("beside the output '" + output +
                "': the toolkit makes the longer name of the shorter")
            .str();
  return "";
}

std::string lossgrad::whyNoNameBeside(StringRef name,
                                      llvm::ArrayRef<StringRef> others) {
  // Every operator has these, too.
  llvm::SmallVector<StringRef> all(others);
  all.append({"strides", "shapes", kWorkspaceSizeArg, kExecutorArg});
  for (StringRef other : all) {
    std::string beside = ("beside '" + other + "': ").str();
    if (spellForDefinition(name) == spellForDefinition(other))
      return beside + "both are '" + spellForDefinition(name) +
             "' in the definition of the operator, which has small letters "
             "only";
    // The public function has a variable beside each parameter.
    for (StringRef suffix : {"Tensor", "Text"})
      if (name == (other + suffix).str() || other == (name + suffix).str())
        return beside + "the emitted code makes the longer name of the shorter";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static bool isUTF8(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  return llvm::isLegalUTF8String(
      &begin, reinterpret_cast<const llvm::UTF8 *>(text.end()));
}

static LogicalResult checkCharacters(StringRef text, StringRef what,
                                     Location loc) {
  if (!isUTF8(text))
    return emitError(loc) << what << " is not valid UTF-8";
  for (char c : text)
    if (static_cast<unsigned char>(c) < ' ' && !llvm::isSpace(c))
      return emitError(loc)
             << what << " contains the control character 0x"
             << llvm::utohexstr(static_cast<unsigned char>(c), true, 2);
  return success();
}

LogicalResult lossgrad::checkProse(StringRef text, StringRef what,
                                   Location loc) {
  if (failed(checkCharacters(text, what, loc)))
    return failure();
  for (StringRef mark : {"*/", "/*"})
    if (text.contains(mark))
      return emitError(loc) << what << " contains '" << mark
                            << "', which would begin or end a comment of the "
                               "emitted code";
  if (text.rtrim().ends_with("\\"))
    return emitError(loc) << what
                          << " ends with a backslash, which would join two "
                             "lines of the emitted code";
  return success();
}

LogicalResult lossgrad::checkWord(StringRef text, StringRef what,
                                  Location loc) {
  for (char c : text)
    if (!llvm::isPrint(c) || c == '"' || c == '\\')
      return emitError(loc)
             << what << " is '" << (isUTF8(text) ? text : "not valid UTF-8")
             << "'; expected printable ASCII without quotes and backslashes";
  return success();
}

LogicalResult lossgrad::checkFileName(StringRef text, StringRef what,
                                      Location loc) {
  if (!text.empty() &&
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return success();
  return emitError(loc) << what << " is '" << (isUTF8(text) ? text : "?")
                        << "'; expected letters, digits and underscores, "
                           "without folder and ending";
}
