//===- CaseFile.cpp - Operator cases from files ---------------------------===//

#include "CaseFile.h"
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

/// Keys that would be ignored are mistakes: a misspelt one changes what a case
/// tests.
static Error checkKeys(const json::Object &object, ArrayRef<StringRef> known,
                       StringRef where, StringRef what) {
  for (const auto &[key, value] : object)
    if (!is_contained(known, StringRef(key)))
      return bad(where, what + " has an unknown key '" + StringRef(key) +
                            "'; known are " + join(known, ", "));
  return Error::success();
}

static Error checkTensors(const json::Object &object, StringRef list,
                          StringRef where) {
  const json::Value *value = object.get(list);
  if (!value)
    return Error::success();
  if (!value->getAsArray())
    return bad(where, "'" + list + "' must be a list of tensors");
  for (const json::Value &entry : *value->getAsArray()) {
    const json::Object *tensor = entry.getAsObject();
    auto name = tensor ? tensor->getString("name") : std::nullopt;
    if (!name)
      return bad(where, "each of '" + list + "' needs a \"name\"");
    if (Error error = checkKeys(*tensor,
                                {"name", "null", "dtype", "shape", "range",
                                 "range_given", "values", "normal", "strides",
                                 "offset", "storage_shape", "format"},
                                where, ("tensor '" + *name + "'").str()))
      return error;
  }
  return Error::success();
}

static Error parseExpectation(const json::Object &object, Case &test) {
  const json::Object *expect = object.getObject("expect");
  if (!expect)
    return Error::success();
  if (Error error = checkKeys(*expect,
                              {"status", "standard", "rtol", "ptol", "atol",
                               "divisor", "largest_term_ulps"},
                              test.where, "'expect'"))
    return error;
  if (const json::Value *status = expect->get("status")) {
    if (!status->getAsInteger())
      return bad(test.where, "'expect.status' must be an int");
    test.expectedStatus = *status->getAsInteger();
  }
  return Error::success();
}

Expected<Case> run::parseCase(json::Object object, std::string where) {
  Case test;
  test.where = std::move(where);
  if (Error error =
          checkKeys(object,
                    {"id", "op", "kind", "level", "soc", "inputs", "attrs",
                     "outputs", "expect", "source", "note", "null_pointers"},
                    test.where, "a case"))
    return error;
  for (StringRef list : {"inputs", "outputs"})
    if (Error error = checkTensors(object, list, test.where))
      return error;
  test.id = object.getString("id").value_or(test.where).str();
  auto op = object.getString("op");
  if (!op)
    return bad(test.where, "a case needs \"op\", the aclnn function to call");
  test.op = op->str();
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
  if (Error error = parseExpectation(object, test))
    return error;
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

Expected<std::vector<Case>> run::readCases(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return bad(path, buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  std::vector<Case> cases;
  if (text.trim().empty())
    return bad(path, "holds no case");
  std::string problemOfWhole;
  if (Expected<json::Value> whole = json::parse(text)) {
    if (json::Array *list = whole->getAsArray()) {
      for (auto [i, value] : enumerate(*list))
        if (Error error = appendCase(
                std::move(value), (path + "[" + Twine(i) + "]").str(), cases))
          return error;
      return cases;
    }
    if (Error error = appendCase(std::move(*whole), path.str(), cases))
      return error;
    return cases;
  } else {
    problemOfWhole = llvm::toString(whole.takeError());
  }
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [first, rest] = text.split('\n');
    text = rest;
    if (first.trim().empty())
      continue;
    std::string where = (path + ":" + Twine(line)).str();
    Expected<json::Value> value = json::parse(first);
    if (!value) {
      std::string problem = llvm::toString(value.takeError());
      // Where not even the first line is a value, the file was meant as one.
      return cases.empty() ? bad(path, problemOfWhole) : bad(where, problem);
    }
    if (Error error = appendCase(std::move(*value), where, cases))
      return error;
  }
  return cases;
}

//===----------------------------------------------------------------------===//
// Deviations
//===----------------------------------------------------------------------===//

Expected<StringMap<Deviation>> run::readDeviations(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return bad(path, buffer.getError().message());
  Expected<json::Value> table = json::parse((*buffer)->getBuffer());
  if (!table)
    return bad(path, llvm::toString(table.takeError()));
  const json::Array *rows = table->getAsArray();
  if (!rows)
    return bad(path, "must be a list of {\"id\", \"status\", \"reason\"}");
  StringMap<Deviation> deviations;
  for (const json::Value &row : *rows) {
    const json::Object *object = row.getAsObject();
    auto id = object ? object->getString("id") : std::nullopt;
    auto status = object ? object->getInteger("status") : std::nullopt;
    auto reason = object ? object->getString("reason") : std::nullopt;
    if (!id || !status || !reason || reason->empty())
      return bad(path, "each row needs \"id\", \"status\" and \"reason\"");
    if (!deviations.try_emplace(*id, Deviation{*status, reason->str()}).second)
      return bad(path, "'" + *id + "' is given twice");
  }
  return deviations;
}

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

std::optional<std::string> run::whySkipped(const Case &test,
                                           const Selection &selection,
                                           const std::vector<Case> &all) {
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
