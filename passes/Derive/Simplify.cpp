//===- Simplify.cpp - lossgrad-simplify -----------------------------------===//
//
// Takes a derived body as expressions, replaces what is saved, simplifies under
// every combination of a few global choices, and keeps the cheapest result
// whose sampled error is no worse than that of any other.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Derive/Derive.h"
#include "passes/Derive/NormalForm.h"
#include "passes/Derive/Rules.h"
#include "passes/Derive/SampledError.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace lossgrad {
#define GEN_PASS_DECL_LOSSGRADSIMPLIFY
#define GEN_PASS_DEF_LOSSGRADSIMPLIFY
#include "passes/Passes.h.inc"
} // namespace lossgrad

using namespace mlir;
using namespace lossgrad;

namespace {

/// Which formulas are atoms to the normal form.
enum class Closed { Nothing, Named, NamedAndSums };

struct Candidate {
  SmallVector<Node> outputs;
  BodyCost cost;
};

class BodySimplifier {
public:
  BodySimplifier(OperatorOp op, const ModuleRules &rules, IdentitySet enabled,
                 bool choose)
      : op(op), rules(rules), pool(op, rules), enabled(enabled),
        choose(choose) {}

  LogicalResult run();

private:
  /// What is saved, and what the contract promises.
  void readContext();
  void makeCandidates(SmallVector<Node> outputs);
  void collectClosed(ArrayRef<Node> outputs, Closed closed,
                     DenseMap<Node, Node> &close, DenseMap<Node, Node> &open);
  void addCandidates(SmallVector<Node> outputs);
  void addCandidate(SmallVector<Node> outputs);
  LogicalResult checkMissing(ArrayRef<Node> outputs);
  /// The operator with these outputs, functions written out.
  OwningOpRef<OperatorOp> instantiateCandidate(ArrayRef<Node> outputs);
  void writeBody(ArrayRef<Node> outputs);
  size_t findChosen();

  OperatorOp op;
  const ModuleRules &rules;
  ExpressionPool pool;
  IdentitySet enabled;
  bool choose;
  SmallVector<Candidate> candidates;
};

} // namespace

static void eraseDead(Block &block) {
  for (Operation &each : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&each))
      each.erase();
}

void BodySimplifier::addCandidates(SmallVector<Node> outputs) {
  addCandidate(outputs);
  if (!choose || !enabled[size_t(Identity::SelectOfFactors)])
    return;
  SmallVector<Node> merged = mergeSelects(pool, outputs);
  if (merged != outputs)
    addCandidate(merged);
}

void BodySimplifier::addCandidate(SmallVector<Node> outputs) {
  if (enabled[size_t(Identity::Softmax)])
    outputs = writeSoftmax(pool, outputs);
  if (enabled[size_t(Identity::SelectIsGuards)])
    outputs = hoistGuards(pool, outputs);
  for (const Candidate &other : candidates)
    if (other.outputs == outputs)
      return;
  candidates.push_back({outputs, countSpecialised(pool, outputs)});
}

/// What stays whole becomes an atom of its own.
void BodySimplifier::collectClosed(ArrayRef<Node> outputs, Closed closed,
                                   DenseMap<Node, Node> &close,
                                   DenseMap<Node, Node> &open) {
  // An output is what is simplified, whatever its name.
  llvm::SmallSetVector<Node, 4> roots;
  for (Node output : outputs) {
    roots.insert(output);
    if (output->is("reduce_onto"))
      roots.insert(output->args[0]);
  }
  auto add = [&](Node node) {
    if (isUniformNode(node) || close.contains(node) || roots.contains(node))
      return;
    Node whole = pool.close(node);
    close[node] = whole;
    open[whole] = node;
  };
  if (closed == Closed::Nothing)
    return;
  llvm::for_each(pool.named, add);
  if (closed == Closed::NamedAndSums)
    for (Node node : inOrder(outputs))
      if (node->is("add") && llvm::all_of(node->args, [](Node term) {
            return llvm::all_of(getFactors(term), [](Node factor) {
              return factor->leaf || factor->isConst();
            });
          }))
        add(node);
}

void BodySimplifier::makeCandidates(SmallVector<Node> outputs) {
  SmallVector<SigmoidForm> forms = {SigmoidForm::AsIs};
  if (choose && llvm::any_of(inOrder(outputs), [](Node node) {
        return node->isCall("sigmoid");
      })) {
    if (enabled[size_t(Identity::SigmoidMirror)])
      llvm::append_values(forms, SigmoidForm::Positive, SigmoidForm::Negative);
    if (enabled[size_t(Identity::SigmoidByLog)] && rules.find("log_sigmoid"))
      forms.push_back(SigmoidForm::ByLog);
  }
  const bool mayShare =
      outputs.size() > 1 ||
      llvm::any_of(inOrder(outputs), [](Node node) { return node->isSum(); });
  SmallVector<Choices> all;
  for (SigmoidForm form : forms)
    for (unsigned bits = 0; bits < (choose ? 16 : 1); ++bits)
      if (bits < 8 || mayShare)
        all.push_back({form, bool(bits & 1), bool(bits & 2), bool(bits & 4),
                       bool(bits & 8)});
  for (Closed closed : {Closed::Nothing, Closed::Named, Closed::NamedAndSums}) {
    if (closed != Closed::Nothing && !choose)
      break;
    DenseMap<Node, Node> close, whole;
    collectClosed(outputs, closed, close, whole);
    SmallVector<Node> source = substitute(pool, outputs, close);
    if (closed != Closed::Nothing && source == outputs)
      continue;
    for (const Choices &choices : all) {
      Normalizer normalizer(pool, enabled, choices);
      SmallVector<Node> result = normalizer.simplify(source);
      // What stays whole need not stay as it was written.
      DenseMap<Node, Node> open(whole);
      if (choices.stepwise && enabled[size_t(Identity::StepwiseQuotient)])
        for (auto &entry : open) {
          SmallVector<Node> inside =
              substitute(pool, entry.second->args, close);
          Node rewritten =
              normalizer.simplify(pool.rebuild(entry.second, inside)).front();
          if (rewritten->type != entry.second->type)
            continue;
          if (!rewritten->name)
            rewritten->name = entry.second->name;
          entry.second = rewritten;
        }
      // A name may stand for a formula with names.
      for (unsigned i = 0; i < open.size(); ++i) {
        SmallVector<Node> opened = substitute(pool, result, open);
        if (opened == result)
          break;
        result = opened;
      }
      addCandidates(result);
    }
  }
}

//===----------------------------------------------------------------------===//
// Missing inputs
//===----------------------------------------------------------------------===//

LogicalResult BodySimplifier::checkMissing(ArrayRef<Node> outputs) {
  SmallVector<StringRef> missing;
  for (Node node : inOrder(outputs))
    if (node->leaf)
      if (auto lacks = node->leaf.getDefiningOp<MissingOp>())
        missing.push_back(lacks.getName());
  if (missing.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(op.getLoc());
  diagnostic << "the gradient needs '" << llvm::join(missing, "', '")
             << "' of the forward, which the operator is not handed; add it to "
                "params";
  // What depends on it and has a name could be saved instead.
  SmallVector<StringRef> names;
  for (Node named : pool.named)
    if (llvm::any_of(inOrder(named), [](Node node) {
          return node->leaf && node->leaf.getDefiningOp<MissingOp>();
        }))
      names.push_back(named->name.getValue());
  if (!names.empty())
    diagnostic << ", or save what depends on it: '" << llvm::join(names, "', '")
               << "'";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void BodySimplifier::writeBody(ArrayRef<Node> outputs) {
  YieldOp yield = op.getYield();
  OpBuilder builder(yield);
  DenseMap<Node, Value> made;
  SmallVector<Value> values;
  for (Node node : outputs)
    values.push_back(pool.write(node, builder, made));
  yield.getValuesMutable().assign(values);
}

OwningOpRef<OperatorOp>
BodySimplifier::instantiateCandidate(ArrayRef<Node> outputs) {
  SmallVector<Value> before(op.getYield().getValues());
  if (!outputs.empty())
    writeBody(outputs);
  OwningOpRef<OperatorOp> copy = op.clone();
  op.getYield().getValuesMutable().assign(before);
  eraseDead(op.getBody().front());
  Block &body = copy->getBody().front();
  eraseDead(body);
  for (Operation &each : llvm::make_early_inc_range(body))
    if (auto saved = dyn_cast<SavedOp>(each)) {
      saved.replaceAllUsesWith(saved.getGiven());
      saved.erase();
    }
  eraseDead(body);
  rules.expandFunctions(body);
  eraseDead(body);
  return copy;
}

/// Names of the outputs stay with their values.
static void nameOutputs(OperatorOp op) {
  YieldOp yield = op.getYield();
  for (auto [name, value] : llvm::zip(
           yield.getOutputs().getAsRange<StringAttr>(), yield.getValues()))
    if (Operation *each = value.getDefiningOp())
      if (getValueName(value).empty())
        each->setLoc(NameLoc::get(name, op.getYield().getLoc()));
}

/// The cheapest of those that are as exact as the best.
size_t BodySimplifier::findChosen() {
  if (candidates.size() == 1)
    return 0;
  SmallVector<OwningOpRef<OperatorOp>> copies;
  SmallVector<OperatorOp> bodies;
  for (const Candidate &candidate : candidates) {
    copies.push_back(instantiateCandidate(candidate.outputs));
    bodies.push_back(*copies.back());
  }
  SmallVector<unsigned> bad = countBadPoints(bodies);
  unsigned best = *llvm::min_element(bad);
  auto *it = llvm::find_if(
      bad, [&](unsigned count) { return count <= best + kFewPoints; });
  return it - bad.begin();
}

void BodySimplifier::readContext() {
  for (Operation &each : op.getBody().front().without_terminator())
    if (isa<SavedOp>(each) || !getValueName(each.getResult(0)).empty())
      pool.read(each.getResult(0));
  for (CheckOp check : op.getContract().getOps<CheckOp>()) {
    if (check.getWhen())
      continue;
    SmallVector<Node> parts;
    collectConjuncts(pool.read(check.getCondition()), parts);
    pool.facts.insert_range(parts);
  }
}

LogicalResult BodySimplifier::run() {
  readContext();
  SmallVector<Node> outputs;
  for (Value value : op.getYield().getValues())
    outputs.push_back(pool.read(value));
  outputs = substitute(pool, outputs, pool.savedAs);
  makeCandidates(outputs);
  if (choose) // the body as it was derived
    addCandidate(outputs);
  // What both sides of a select share is computed twice then.
  SmallVector<Node> decided = decideSelects(pool, outputs);
  if (choose && enabled[size_t(Identity::DecidedSelect)] && decided != outputs)
    makeCandidates(decided);
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.cost < b.cost;
  });
  const Candidate *chosen = &candidates[findChosen()];
  if (failed(checkMissing(chosen->outputs)))
    return failure();
  writeBody(chosen->outputs);
  eraseDead(op.getBody().front());
  rules.expandFunctions(op.getBody().front());
  eraseDead(op.getBody().front());
  nameOutputs(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct Simplify : public lossgrad::impl::LossgradSimplifyBase<Simplify> {
  using LossgradSimplifyBase::LossgradSimplifyBase;

  FailureOr<IdentitySet> getIdentities() {
    IdentitySet set;
    set.set();
    SmallVector<StringRef> names;
    StringRef(without.getValue()).split(names, ',', -1, false);
    for (StringRef name : names) {
      auto *it = llvm::find_if(kIdentities, [&](const IdentityText &text) {
        return text.name == name;
      });
      if (it == kIdentities.end())
        return emitError(getOperation().getLoc())
               << "'" << name << "' is not an identity";
      set.reset(it - kIdentities.begin());
    }
    return set;
  }

  void runOnOperation() override {
    FailureOr<IdentitySet> enabled = getIdentities();
    if (failed(enabled))
      return signalPassFailure();
    ModuleRules rules(getOperation());
    OpPassManager cleanUp(OperatorOp::getOperationName());
    cleanUp.addPass(createCanonicalizerPass());
    cleanUp.addPass(createCSEPass());
    bool ok = true;
    for (OperatorOp op : getOperation().getOps<OperatorOp>()) {
      if (!op.getDerived())
        continue;
      ok &= succeeded(BodySimplifier(op, rules, *enabled, choose).run()) &&
            succeeded(runPipeline(cleanUp, op));
      op.setDerived(false);
    }
    if (!ok)
      return signalPassFailure();
    rules.erase();
  }
};
} // namespace
