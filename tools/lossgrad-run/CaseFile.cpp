//===- CaseFile.cpp - Operator cases from files ---------------------------===//

#include "CaseFile.h"
#include "CaseForm.h"
#include "dialect/LossGrad/Interpreter/Json.h"
#include "lossgrad/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

static Error bad(StringRef where, const Twine &what) {
  return createStringError(where + ": " + what);
}

static std::vector<std::string> splitList(StringRef text, StringRef separator) {
  SmallVector<StringRef> parts;
  text.split(parts, separator, -1, /*KeepEmpty=*/false);
  std::vector<std::string> result;
  for (StringRef part : parts)
    result.push_back(part.trim().str());
  return result;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Expected<Case> run::parseCase(json::Object object, std::string where) {
  Case test;
  test.where = std::move(where);
  if (Error error = checkForm(object))
    return bad(test.where, llvm::toString(std::move(error)));
  test.id = object.getString("id").value_or(test.where).str();
  test.op = object.getString("op").value_or("").str();
  StringRef kind = object.getString("kind").value_or("numeric");
  if (kind != "numeric" && kind != "validate")
    return bad(test.where, "\"kind\" must be \"numeric\" or \"validate\", "
                           "not \"" +
                               kind + "\"");
  test.validateOnly = kind == "validate";
  StringRef level = object.getString("level").value_or("aclnn");
  if (level != "aclnn" && level != "kernel")
    return bad(test.where, "\"level\" must be \"aclnn\" or \"kernel\", not \"" +
                               level + "\"");
  test.kernelLevel = level == "kernel";
  test.units = splitList(object.getString("soc").value_or(""), "|");
  test.notes = splitList(object.getString("note").value_or(""), "; ");
  if (const json::Object *expect = object.getObject("expect"))
    test.expectedStatus = expect->getInteger("status").value_or(0);
  test.json = std::move(object);
  return test;
}

static Error appendCase(json::Value value, std::string where,
                        std::vector<Case> &cases) {
  json::Object *object = value.getAsObject();
  if (!object)
    return bad(where, "a case must be a JSON object");
  Expected<Case> test = parseCase(std::move(*object), std::move(where));
  if (!test)
    return test.takeError();
  cases.push_back(std::move(*test));
  return Error::success();
}

/// The parser's `[line:column, byte=n]: what` as `file:line:column: what`, with
/// a hint where a number was written that JSON does not have.
static Error badJson(StringRef path, unsigned firstLine, StringRef text,
                     Error error) {
  std::string message = llvm::toString(std::move(error));
  StringRef rest = message;
  unsigned line = 0, column = 0;
  size_t byte = 0;
  if (!rest.consume_front("[") || rest.consumeInteger(10, line) ||
      !rest.consume_front(":") || rest.consumeInteger(10, column) ||
      !rest.consume_front(", byte=") || rest.consumeInteger(10, byte) ||
      !rest.consume_front("]: "))
    return bad(path, message);
  // The parser may have stopped within the word.
  StringRef word = text.substr(text.take_front(byte).find_last_of(" ,:[") + 1)
                       .ltrim("-")
                       .take_front(3);
  bool special =
      word.equals_insensitive("nan") || word.equals_insensitive("inf");
  return createStringError(
      path + ":" + Twine(firstLine + line - 1) + ":" + Twine(column) + ": " +
      rest +
      (special ? " (write \"nan\", \"inf\" or \"-inf\", as strings)" : ""));
}

/// A file that is one value: a case, or a list of them.
static Expected<std::vector<Case>> readWhole(json::Value whole,
                                             StringRef path) {
  std::vector<Case> cases;
  json::Array *list = whole.getAsArray();
  if (!list) {
    if (Error error = appendCase(std::move(whole), path.str(), cases))
      return error;
    return cases;
  }
  if (list->empty())
    return bad(path, "holds no case");
  for (auto [i, value] : enumerate(*list))
    if (Error error = appendCase(std::move(value),
                                 (path + "[" + Twine(i) + "]").str(), cases))
      return error;
  return cases;
}

Expected<std::vector<Case>> run::readCases(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return bad(path, buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xEF\xBB\xBF"); // editors' mark of UTF-8
  if (text.trim().empty())
    return bad(path, "holds no case");
  Expected<json::Value> whole = parseJson(text);
  if (whole)
    return readWhole(std::move(*whole), path);
  StringRef all = text;
  std::vector<Case> cases;
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [first, rest] = text.split('\n');
    text = rest;
    if (first.trim().empty())
      continue;
    Expected<json::Value> value = parseJson(first);
    if (!value && cases.empty()) {
      // Not even the first line is a value: the file was meant as one.
      consumeError(value.takeError());
      return badJson(path, 1, all, whole.takeError());
    }
    if (!value) {
      consumeError(whole.takeError());
      return badJson(path, line, first, value.takeError());
    }
    if (Error error = appendCase(std::move(*value),
                                 (path + ":" + Twine(line)).str(), cases)) {
      consumeError(whole.takeError());
      return error;
    }
  }
  consumeError(whole.takeError());
  return cases;
}

//===----------------------------------------------------------------------===//
// Deviations
//===----------------------------------------------------------------------===//

Error run::applyDeviations(std::vector<Case> &cases,
                           const StringMap<Deviation> &table) {
  for (Case &test : cases) {
    auto row = table.find(test.id);
    if (row == table.end())
      continue;
    if (row->second.status == test.expectedStatus)
      return bad(test.where, "the deviation of '" + test.id + "' to status " +
                                 Twine(row->second.status) +
                                 " is stale: that is what the case expects");
    test.expectedStatus = row->second.status;
    test.deviation = row->second.reason;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Whether people call a product so: in any case, with "Ascend" before it or not.
static bool isCalled(StringRef product, StringRef name) {
  product.consume_front_insensitive("ascend");
  name.consume_front_insensitive("ascend");
  return product.equals_insensitive(name);
}

/// The name of a chip comes first as the documents have it, for Ascend910B is
/// none of ascend910b; otherwise 910B is the compute unit.
Expected<const targets::Soc *> run::findProduct(StringRef name) {
  if (const targets::Soc *soc = targets::findSoc(name.str()))
    return soc;
  ArrayRef<targets::Soc> socs(targets::socsBegin(), targets::socsEnd());
  for (const targets::Soc &soc : socs)
    if (name.equals_insensitive(soc.family->key) ||
        isCalled(soc.family->computeUnit, name))
      return &soc;
  std::string families, chips;
  for (const targets::Soc &soc : socs) {
    if (isCalled(soc.name, name))
      return &soc;
    std::string known =
        std::string(soc.family->key) + " (" + soc.family->computeUnit + ")";
    if (!StringRef(families).contains(known))
      families += (families.empty() ? "" : ", ") + known;
    if (StringRef(soc.name).edit_distance(name) <= 2)
      chips += (chips.empty() ? "" : ", ") + std::string(soc.name);
  }
  return createStringError("unknown product '" + name +
                           "'; expected a family or its compute unit: " +
                           families + "; or a chip, for example " +
                           (chips.empty() ? "Ascend910B1" : chips));
}

/// Cases of one test of the source differ in a number in brackets.
static StringRef stem(StringRef id) { return id.substr(0, id.rfind('[')); }

static constexpr StringLiteral defaultUnit = "ascend910b";

/// Without a sibling among the cases, what it names is the default.
static bool isNamedBySiblings(const Case &test, const targets::Family &family,
                              const std::vector<Case> &all) {
  bool hasSibling = false;
  for (const Case &other : all) {
    if (stem(other.id) != stem(test.id) || is_contained(other.units, "other"))
      continue;
    hasSibling = true;
    std::vector<std::string> units = other.units;
    if (units.empty())
      units.push_back(defaultUnit.str());
    for (const std::string &unit : units)
      if (const targets::Family *named = targets::findComputeUnit(unit))
        // Families of one architecture have the same operators.
        if (named->npuArch == family.npuArch)
          return true;
  }
  return !hasSibling &&
         targets::findComputeUnit(defaultUnit.str())->npuArch == family.npuArch;
}

/// Whether a call that should succeed has tensors of a type that the product
/// cannot even copy; most cases do not say for which products they are.
static bool hasForeignType(const Case &test, const targets::Family &family) {
  if (test.validateOnly || test.expectedStatus != 0 ||
      family.takes(targets::Api::DataCopy, targets::Dtype::Bfloat16))
    return false;
  for (StringRef list : {"inputs", "outputs"})
    if (const json::Array *tensors = test.json.getArray(list))
      for (const json::Value &tensor : *tensors)
        if (const json::Object *object = tensor.getAsObject())
          if (object->getString("dtype") == StringRef("bfloat16"))
            return true;
  return false;
}

std::optional<std::string> run::whySkipped(const Case &test,
                                           const Selection &selection,
                                           const std::vector<Case> &all) {
  if (hasForeignType(test, *selection.family))
    return "bfloat16, which the product does not have";
  if (test.kernelLevel) {
    if (selection.kernelCases == KernelCases::None)
      return "written for a bare kernel";
    // A kernel's own cases name the product whose kernel they tested; through
    // the public function they are good for every product. Remarks say where
    // they go beyond that function.
    for (StringRef note : test.notes)
      if (!note.starts_with("weak:") &&
          (selection.kernelCases == KernelCases::Documented ||
           note.starts_with("kernel only:")))
        return "written for a bare kernel, and a note speaks against the "
               "public function";
    return std::nullopt;
  }
  std::vector<std::string> units = test.units;
  if (units.empty()) {
    if (!test.validateOnly)
      return std::nullopt;
    units.push_back(defaultUnit.str());
  }
  if (is_contained(units, "other"))
    return isNamedBySiblings(test, *selection.family, all)
               ? std::optional<std::string>("meant for another product")
               : std::nullopt;
  if (!is_contained(units, StringRef(selection.family->computeUnit)))
    return "meant for another product";
  return std::nullopt;
}
