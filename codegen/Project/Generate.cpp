//===- Generate.cpp - From record files to the files of a project ---------===//
//
// Import, one pipeline run per operator, all emitters. Every operator has a
// module of its own, so that one that cannot be lowered does not stop others.
//
//===----------------------------------------------------------------------===//

#include "codegen/Project/Project.h"

#include "codegen/Docs/Docs.h"
#include "codegen/Host/HostEmitters.h"
#include "codegen/Import/Import.h"
#include "codegen/Project/ProjectFiles.h"
#include "codegen/Tiling/TilingEmitter.h"
#include "lossgrad/Targets.h"
#include "passes/Families.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <map>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::project;

static constexpr StringLiteral pipelineName = "lossgrad-to-ascendc";

//===----------------------------------------------------------------------===//
// Diagnostics as data
//===----------------------------------------------------------------------===//

namespace {
/// Holds back what stands in the way of an operator: the first error.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              !location)
            location = diagnostic.getLocation(), message = diagnostic.str();
          return success();
        }) {}
  std::optional<Location> location;
  std::string message;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

static std::string spellPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!place)
    return "";
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
          Twine(place.getColumn()))
      .str();
}

//===----------------------------------------------------------------------===//
// One operator
//===----------------------------------------------------------------------===//

/// Runs the named pipeline, so that its order stands in one place.
static LogicalResult lower(ModuleOp module, ArrayRef<std::string> socs) {
  if (!PassPipelineInfo::lookup(pipelineName))
    registerPipelines();
  std::string pipeline = pipelineName.str();
  if (!socs.empty())
    pipeline += "{soc=" + llvm::join(socs, ",") + "}";
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager)))
    return module.emitError("the pipeline '" + pipeline + "' is not known");
  return manager.run(module);
}

namespace {
/// The emitters' streams as files.
class FileSet {
public:
  template <typename Emit> LogicalResult add(const Twine &path, Emit emit) {
    EmittedFile file{path.str(), ""};
    llvm::raw_string_ostream os(file.text);
    if constexpr (std::is_void_v<decltype(emit(os))>) {
      emit(os);
    } else {
      if (failed(emit(os)))
        return failure();
    }
    files.push_back(std::move(file));
    return success();
  }
  std::vector<EmittedFile> files;
};
} // namespace

static LogicalResult emitHost(host::HostModel &model, FileSet &set) {
  std::string host = "op_host/" + model.file, api = "op_api/" + model.header;
  (void)set.add("op_api/lossgrad_contract.h", host::emitContractHelpers);
  (void)set.add("op_host/lossgrad_op_def.h", host::emitOpDefHelpers);
  (void)set.add(api + ".h",
                [&](raw_ostream &os) { emitAclnnHeader(model, os); });
  (void)set.add("op_graph/" + model.file + "_proto.h",
                [&](raw_ostream &os) { emitProto(model, os); });
  auto print = [&](auto emitter) {
    return [&model, emitter](raw_ostream &os) { return emitter(model, os); };
  };
  return success(
      succeeded(set.add(api + ".cpp", print(host::emitAclnnSource))) &&
      succeeded(set.add(host + "_def.cpp", print(host::emitOpDef))) &&
      succeeded(
          set.add(host + "_infershape.cpp", print(host::emitInferShape))));
}

static LogicalResult emitTiling(ModuleOp module, StringRef file, FileSet &set) {
  auto print = [&](auto emitter) {
    return [module, emitter](raw_ostream &os) { return emitter(module, os); };
  };
  std::string host = ("op_host/" + file).str();
  return success(
      succeeded(
          set.add("op_host/lossgrad_tiling.h", print(tiling::emitHelpers))) &&
      succeeded(set.add("op_host/lossgrad_tiling_call.h",
                        print(tiling::emitCallReader))) &&
      succeeded(set.add(host + "_tiling.h", print(tiling::emitComputation))) &&
      succeeded(set.add(host + "_tiling.cpp", print(tiling::emitAdapter))));
}

/// The example of the page is for a product with as many dtypes as any.
static std::string
chooseExampleProduct(ArrayRef<ParamAttr> tensors,
                     ArrayRef<const targets::Family *> families) {
  auto countDtypes = [&](const targets::Family *family) {
    size_t count = 0;
    for (ParamAttr tensor : tensors)
      count += tensor.getDTypesOn(family->key).size();
    return count;
  };
  const targets::Family *best = nullptr;
  for (const targets::Family *family : families)
    if (!best || countDtypes(family) > countDtypes(best))
      best = family;
  return best->key;
}

static LogicalResult emitAll(ModuleOp module, Operator &result, FileSet &set) {
  FailureOr<std::vector<EmittedFile>> kernels = emitKernels(module);
  if (failed(kernels))
    return failure();
  set.files = std::move(*kernels);
  FailureOr<host::HostModel> model =
      host::HostModel::create(*module.getOps<OperatorOp>().begin());
  if (failed(model))
    return failure();
  result.api = model->api;
  result.type = model->type;
  result.file = model->file;
  result.header = model->header;
  SmallVector<const targets::Family *> families;
  for (const host::ProductGroup &group : model->groups)
    for (const targets::Family *family : group.families) {
      result.units.push_back(family->computeUnit);
      families.push_back(family);
    }
  result.exampleProduct = chooseExampleProduct(model->tensors, families);
  return success(succeeded(emitTiling(module, model->file, set)) &&
                 succeeded(emitHost(*model, set)));
}

/// The page and the example are made from the operator as the record has it.
static LogicalResult emitDocs(OperatorOp op, const Operator &result,
                              FileSet &set) {
  FailureOr<host::HostModel> model = host::HostModel::create(op);
  if (failed(model))
    return failure();
  FailureOr<docs::ExampleCall> example =
      docs::makeExampleCall(op, result.exampleProduct);
  if (failed(example))
    return failure();
  (void)set.add("examples/test_" + model->header + ".cpp",
                [&](raw_ostream &os) {
                  os << docs::emitExampleProgram(*model, *example);
                });
  (void)set.add("docs/" + model->api + ".md", [&](raw_ostream &os) {
    os << docs::emitOperatorPage(*model, *example, result.units);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// The project
//===----------------------------------------------------------------------===//

namespace {
class Generator {
public:
  Generator(const Options &options, MLIRContext *context)
      : options(options), context(context) {}

  LogicalResult addFile(StringRef recordFile);
  FailureOr<Project> finish();

private:
  LogicalResult addOperator(OperatorOp op);
  LogicalResult skip(OperatorOp op, Location location, StringRef reason);
  /// Families that do not carry an operator, each with the reason.
  using Refusals = std::map<std::string, std::string>;
  LogicalResult lowerWherePossible(OperatorOp op, OwningOpRef<ModuleOp> &module,
                                   Refusals &refusals);
  void noteProductsWithout(OperatorOp op, const Operator &result,
                           const Refusals &refusals);
  LogicalResult addFiles(OperatorOp op, std::vector<EmittedFile> &&files);

  const Options &options;
  MLIRContext *context;
  Project project;
  std::map<std::string, std::string> files;
  std::map<std::string, Location> seen;
};
} // namespace

LogicalResult Generator::addFile(StringRef recordFile) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> text =
      openInputFile(recordFile, &message);
  if (!text)
    return emitError(UnknownLoc::get(context), message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  ImportOptions import;
  import.includeDirs = options.includeDirs;
  OwningOpRef<ModuleOp> module = importRecords(sources, import, context);
  if (!module)
    return failure();
  for (OperatorOp op : module->getOps<OperatorOp>())
    if (failed(addOperator(op)))
      return failure();
  return success();
}

/// Names of files, functions and classes are made of it.
static bool isOperatorName(StringRef name) {
  return !name.empty() && llvm::isUpper(name.front()) &&
         llvm::all_of(name, llvm::isAlnum);
}

/// Whether some file is part of a location.
static bool isLocated(Location loc) {
  return loc
      ->walk([](Location part) {
        return isa<FileLineColLoc>(part) ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Generator::addOperator(OperatorOp op) {
  if (!isOperatorName(op.getSymName()))
    return op.emitError("the name of an operator must be letters and digits "
                        "that begin with a capital, not '")
           << op.getSymName() << "'";
  auto [entry, isNew] = seen.try_emplace(op.getSymName().str(), op.getLoc());
  if (!isNew)
    return op.emitError("is defined twice").attachNote(entry->second)
           << "the other definition";
  OwningOpRef<ModuleOp> module;
  Refusals refusals;
  Operator result;
  result.record = op.getSymName().str();
  result.summary = op.getSummary().str();
  FileSet set;
  Location where = op.getLoc();
  std::string why;
  {
    FirstError error(context);
    // What host code cannot carry need not be compiled.
    if (failed(host::HostModel::create(op)) ||
        failed(lowerWherePossible(op, module, refusals)) ||
        failed(emitAll(*module, result, set)) ||
        failed(emitDocs(op, result, set))) {
      // What was derived stands nowhere.
      if (error.location && isLocated(*error.location))
        where = *error.location;
      why = error.message.empty() ? "the compiler does not say why"
                                  : error.message;
    }
  }
  if (!why.empty())
    return skip(op, where, why);
  noteProductsWithout(op, result, refusals);
  project.operators.push_back(std::move(result));
  return addFiles(op, std::move(set.files));
}

/// A module of the operator alone, lowered. Where not all of its products carry
/// it, for those that do, each architecture tried alone; what stands in the way
/// of the others is kept.
LogicalResult Generator::lowerWherePossible(OperatorOp op,
                                            OwningOpRef<ModuleOp> &module,
                                            Refusals &refusals) {
  auto attempt = [&](ArrayRef<std::string> socs, std::string &why) {
    module = ModuleOp::create(op.getLoc());
    module->push_back(op->clone());
    FirstError error(context);
    LogicalResult result = lower(*module, socs);
    why = error.message;
    return result;
  };
  auto start = [&](ArrayRef<std::string> socs) {
    module = ModuleOp::create(op.getLoc());
    module->push_back(op->clone());
    return lower(*module, socs);
  };
  std::string why;
  if (!options.socs.empty())
    return start(options.socs);
  if (succeeded(attempt({}, why)))
    return success();
  FailureOr<SmallVector<FamilyGroup>> groups = selectFamilies(op, {});
  if (failed(groups))
    return failure();
  std::vector<std::string> carried;
  for (const FamilyGroup &group : *groups) {
    bool isCarried = groups->size() > 1 &&
                     succeeded(attempt({group.families.front()->key}, why));
    for (const targets::Family *family : group.families)
      if (isCarried)
        carried.push_back(family->key);
      else
        refusals[family->key] = why;
  }
  return start(carried);
}

/// A product that nobody asked to leave out is not left out silently.
void Generator::noteProductsWithout(OperatorOp op, const Operator &result,
                                    const Refusals &refusals) {
  if (!options.socs.empty())
    return;
  for (auto *family = targets::familiesBegin();
       family != targets::familiesEnd(); ++family) {
    if (!op.hasProduct(family->key) ||
        llvm::is_contained(result.units, family->computeUnit))
      continue;
    auto refusal = refusals.find(family->key);
    if (refusal == refusals.end())
      continue;
    const std::string &reason = refusal->second;
    auto entry =
        llvm::find_if(project.withoutKernels, [&](const WithoutKernels &other) {
          return other.product == family->key && other.reason == reason;
        });
    if (entry == project.withoutKernels.end())
      entry = project.withoutKernels.insert(
          entry, {family->key, family->title, family->computeUnit, reason, {}});
    entry->operators.push_back(result.record);
  }
}

LogicalResult Generator::skip(OperatorOp op, Location where, StringRef why) {
  if (options.requireAll)
    return emitError(where) << "operator '" << op.getSymName()
                            << "' cannot be generated: " << why;
  project.skipped.push_back({op.getSymName().str(), op.getSummary().str(),
                             spellPlace(where), why.str()});
  return success();
}

/// Operators share helper headers; anything else that meets is a mistake.
LogicalResult Generator::addFiles(OperatorOp op,
                                  std::vector<EmittedFile> &&emitted) {
  for (EmittedFile &file : emitted) {
    auto [entry, isNew] = files.try_emplace(file.path, file.text);
    if (!isNew && entry->second != file.text)
      return op.emitError("needs a file '")
             << file.path << "' of its own, which another operator has";
  }
  return success();
}

FailureOr<Project> Generator::finish() {
  if (project.operators.empty()) {
    InFlightDiagnostic error =
        emitError(UnknownLoc::get(context),
                  seen.empty() ? "the files hold no operator records"
                               : "none of the operators can be generated");
    for (const Skipped &skipped : project.skipped)
      error.attachNote() << skipped.record << ": " << skipped.place << ": "
                         << skipped.reason;
    return failure();
  }
  llvm::sort(project.operators, [](const Operator &a, const Operator &b) {
    return a.record < b.record;
  });
  for (WithoutKernels &product : project.withoutKernels)
    llvm::sort(product.operators);
  llvm::sort(project.withoutKernels, [](const WithoutKernels &a,
                                        const WithoutKernels &b) {
    return std::tie(a.product, a.reason) < std::tie(b.product, b.reason);
  });
  llvm::sort(project.skipped, [](const Skipped &a, const Skipped &b) {
    return a.record < b.record;
  });
  for (EmittedFile &file : emitProjectFiles(project))
    files[file.path] = file.text;
  for (auto &[path, text] : files)
    project.files.push_back({path, text});
  return std::move(project);
}

FailureOr<Project> project::generate(ArrayRef<std::string> recordFiles,
                                     const Options &options,
                                     MLIRContext *context) {
  for (const std::string &soc : options.socs)
    if (!findProduct(soc))
      return emitError(UnknownLoc::get(context))
             << "unknown product '" << soc
             << "'; expected a family (A2), a compute unit (ascend910b) or a "
                "chip (Ascend910B1)";
  Generator generator(options, context);
  for (const std::string &file : recordFiles)
    if (failed(generator.addFile(file)))
      return failure();
  return generator.finish();
}
