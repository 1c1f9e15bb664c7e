//===- FormulaImporter.h - From dags to ops ---------------------*- C++ -*-===//
//
// Imports the formulas of one operator into one region, body or contract. Ops
// are made generically from what Formula.td says of an operator; result types
// are inferred by the dialect. Ints become reals where a real is needed;
// nothing else is adapted silently.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_FORMULAIMPORTER_H
#define LOSSGRAD_CODEGEN_IMPORT_FORMULAIMPORTER_H

#include "codegen/Import/Declarations.h"
#include "codegen/Import/FormulaOperator.h"
#include "codegen/Import/Rules.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <map>

namespace lossgrad {

/// Where a formula stands, for messages and locations.
struct Site {
  mlir::Location loc;
  /// The record and field of an intermediate result; none for checks.
  const llvm::Record *record = nullptr;
  llvm::StringRef field = {};
  /// The function whose body is being imported; none in the formula itself.
  const llvm::Record *function = nullptr;
};

class FormulaImporter {
public:
  enum class Place { Contract, Body };

  FormulaImporter(const llvm::Record &record, const RecordSource &source,
                  const Declarations &declarations, mlir::Block &block,
                  Place place);

  /// From now on functions with a rule become `apply`, not their bodies.
  void keepFunctions(const RuleTable &table) { rules = &table; }

  /// Stands for the input of this name instead of a block argument.
  void bind(llvm::StringRef name, mlir::Value value) { bound[name] = value; }

  /// Called with every intermediate result when it has been imported; what it
  /// returns takes its place.
  using Replace =
      std::function<mlir::FailureOr<mlir::Value>(llvm::StringRef, mlir::Value)>;
  void replaceLets(Replace replace) { replaceLet = std::move(replace); }

  /// The intermediate result `name`, imported when first asked for.
  mlir::FailureOr<mlir::Value> importLet(llvm::StringRef name);

  /// A formula. With `kind` given, the value is adapted to it. The op gets
  /// `name` as the name of its location.
  mlir::FailureOr<mlir::Value>
  importFormula(const llvm::Init *formula, const Site &site,
                llvm::StringRef name = "",
                std::optional<Kind> kind = std::nullopt);

  /// Whether a formula has asked for the intermediate result.
  bool isUsed(llvm::StringRef let) const { return used.contains(let); }

  mlir::OpBuilder &getBuilder() { return builder; }

private:
  /// A value, or a literal that takes the kind its place needs.
  struct Term {
    mlir::Value value;
    mlir::Attribute literal;
  };

  /// The names that a function's body binds; the outermost binds none. Every
  /// dag is imported once per scope, so that text that repeats itself does not
  /// multiply.
  struct Scope {
    /// Where what this scope's dags say stands.
    const Site *site = nullptr;
    Scope *caller = nullptr;
    const llvm::DagInit *call = nullptr;
    llvm::ArrayRef<llvm::StringRef> names;
    llvm::DenseMap<const llvm::DagInit *, Term> dags;
  };

  /// An argument of a call with the scope it belongs to.
  struct Argument {
    const llvm::Init *init;
    llvm::StringRef name;
    Scope *scope;
  };

  // Dags.
  mlir::FailureOr<Term> importDag(const llvm::DagInit &dag, Scope &scope,
                                  const Site &site, llvm::StringRef name);
  mlir::FailureOr<Term> importCall(const FormulaOperator &op,
                                   const llvm::DagInit &dag, Scope &scope,
                                   const Site &site, llvm::StringRef name);
  mlir::FailureOr<Term> importApply(const FormulaOperator &op,
                                    const llvm::DagInit &dag, Scope &scope,
                                    const Site &site, llvm::StringRef name);
  mlir::FailureOr<Term> importOp(const FormulaOperator &op,
                                 const llvm::DagInit &dag, Scope &scope,
                                 const Site &site, llvm::StringRef name);
  const FormulaOperator *findOperator(const llvm::DagInit &dag,
                                      const Site &site);
  mlir::LogicalResult checkArity(const FormulaOperator &op,
                                 const llvm::DagInit &dag, const Site &site);
  mlir::FailureOr<mlir::Value>
  createOp(const FormulaOperator &op, llvm::ArrayRef<mlir::Value> operands,
           llvm::ArrayRef<mlir::NamedAttribute> attrs, mlir::Location loc,
           const Site &site);

  // Arguments.
  Argument getArgument(const llvm::DagInit &dag, unsigned i, Scope &scope);
  mlir::FailureOr<Term> importTerm(Argument argument, const Site &site);
  mlir::FailureOr<Term> importName(llvm::StringRef name, const Site &site);
  mlir::FailureOr<Term> importLiteral(llvm::StringRef text, const Site &site);
  mlir::FailureOr<llvm::StringRef>
  resolveName(const FormulaOperator &op, Argument argument, const Site &site);
  mlir::LogicalResult importNameArg(const FormulaOperator &op,
                                    const FormulaArg &arg,
                                    llvm::ArrayRef<Argument> arguments,
                                    const Site &site,
                                    mlir::NamedAttrList &attrs);
  mlir::LogicalResult checkName(const FormulaOperator &op,
                                const FormulaArg &arg, llvm::StringRef name,
                                const Site &site);
  mlir::FailureOr<Term>
  importChoice(Argument argument, llvm::StringRef attribute, const Site &site);
  mlir::Value getAttribute(ParamAttr param);

  // Kinds.
  mlir::LogicalResult adaptAll(const FormulaOperator &op,
                               llvm::ArrayRef<Term> terms, const Site &site,
                               llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::FailureOr<mlir::Value> adapt(const Term &term, Kind kind,
                                     const Site &site, const llvm::Twine &what,
                                     bool explicitly = false);
  static std::optional<Kind> commonKind(llvm::ArrayRef<Term> terms);
  static Kind kindOf(const Term &term);
  mlir::Value materialize(mlir::Attribute literal, mlir::Location loc);

  // Messages.
  mlir::InFlightDiagnostic error(const Site &site,
                                 llvm::StringRef token = "") const;
  mlir::InFlightDiagnostic misused(const FormulaOperator &op,
                                   const Site &site) const;
  llvm::SmallVector<llvm::StringRef>
  getKnownNames(llvm::function_ref<bool(llvm::StringRef)> keep) const;

  const llvm::Record &record;
  const RecordSource &source;
  const Declarations &declarations;
  mlir::OpBuilder builder;
  Place place;
  const RuleTable *rules = nullptr;
  llvm::StringMap<mlir::Value> bound;
  Replace replaceLet;

  Scope root;
  std::map<const llvm::Record *, FormulaOperator> operators;
  llvm::StringMap<mlir::FailureOr<mlir::Value>> lets;
  llvm::SmallVector<llvm::StringRef> importing; // lets, outermost first
  llvm::StringSet<> used;
  llvm::StringMap<mlir::Value> attributes;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  unsigned depth = 0;
  unsigned opCount = 0;
};

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_FORMULAIMPORTER_H
