//===- Deviations.cpp - Statuses that differ from a case's ----------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "dialect/LossGrad/Contract/Deviations.h"

#include "dialect/LossGrad/Interpreter/Json.h"

using namespace llvm;
using namespace lossgrad;

Expected<StringMap<Deviation>> lossgrad::readDeviations(StringRef path) {
  auto bad = [&](const Twine &what) {
    return createStringError(path + ": " + what);
  };
  Expected<json::Value> table = readJson(path);
  if (!table)
    return table.takeError();
  const json::Array *rows = table->getAsArray();
  if (!rows)
    return bad("must be a list of {\"id\", \"status\", \"reason\"}");
  StringMap<Deviation> deviations;
  for (const json::Value &row : *rows) {
    const json::Object *object = row.getAsObject();
    auto id = object ? object->getString("id") : std::nullopt;
    auto status = object ? object->getInteger("status") : std::nullopt;
    auto reason = object ? object->getString("reason") : std::nullopt;
    if (!id || !status || !reason || reason->empty())
      return bad("each row needs \"id\", \"status\" and \"reason\"");
    Deviation deviation{*status, reason->str(),
                        object->getString("by") == StringRef("library")};
    if (!deviations.try_emplace(*id, std::move(deviation)).second)
      return bad("'" + *id + "' is given twice");
  }
  return deviations;
}
