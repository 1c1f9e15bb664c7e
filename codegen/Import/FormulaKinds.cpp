//===- FormulaKinds.cpp - Kinds of values in formulas ---------------------===//
//
// Literals take the kind that their place needs, ints become reals beside
// reals. A bool never becomes a number by itself, nor a real an int.
//
//===----------------------------------------------------------------------===//

#include "codegen/Import/FormulaImporter.h"

using namespace mlir;
using namespace lossgrad;
using llvm::StringRef;

/// Constants and names are what strings are taken for by mistake.
static constexpr llvm::StringLiteral kDecimalHint =
    "; a decimal constant is a string such as \"1e-12\" or \"0.5\" with "
    "nothing behind it, a name is written $name";

using llvm::Twine;

Kind FormulaImporter::kindOf(const Term &term) {
  if (term.value)
    return cast<ValueType>(term.value.getType()).getKind();
  if (isa<FloatAttr>(term.literal))
    return Kind::Real;
  return isa<StringAttr>(term.literal) ? Kind::String : Kind::Int;
}

/// The kind that all terms can have: real if numbers include a real, otherwise
/// that of the first.
std::optional<Kind> FormulaImporter::commonKind(ArrayRef<Term> terms) {
  Kind common = kindOf(terms[0]);
  for (const Term &term : terms.drop_front()) {
    Kind kind = kindOf(term);
    bool numbers = (kind == Kind::Real || kind == Kind::Int) &&
                   (common == Kind::Real || common == Kind::Int);
    if (kind != common && !numbers)
      return std::nullopt;
    if (kind == Kind::Real)
      common = Kind::Real;
  }
  return common;
}

Value FormulaImporter::materialize(Attribute literal, Location loc) {
  Value &value = constants[literal];
  if (!value)
    value = ConstantOp::create(builder, loc, literal);
  return value;
}

FailureOr<Value> FormulaImporter::adapt(const Term &term, Kind kind,
                                        const Site &site, const Twine &what,
                                        bool explicitly) {
  Kind from = kindOf(term);
  bool toReal = from == Kind::Int && kind == Kind::Real;
  if (from != kind && !toReal &&
      !(explicitly && from != Kind::String && from != Kind::DType &&
        from != Kind::Shape)) {
    InFlightDiagnostic diagnostic = error(site);
    diagnostic << what << " is ";
    if (auto text = dyn_cast_or_null<StringAttr>(term.literal))
      diagnostic << "\"" << text.getValue() << "\"";
    else
      diagnostic << stringifyKind(from);
    diagnostic << ", expected " << stringifyKind(kind);
    bool numbers = kind == Kind::Real || kind == Kind::Int;
    if (from == Kind::Bool && numbers)
      diagnostic << "; (to_" << stringifyKind(kind) << " ...) makes it 0 or 1";
    else if (from == Kind::Real && kind == Kind::Int)
      diagnostic << "; (to_int ...) rounds it toward zero";
    else if (from == Kind::String && numbers)
      diagnostic << kDecimalHint;
    return diagnostic;
  }
  if (!term.value) {
    Attribute literal = term.literal;
    if (toReal)
      literal = builder.getF64FloatAttr(cast<IntegerAttr>(literal).getInt());
    return materialize(literal, site.loc);
  }
  if (from == kind)
    return term.value;
  auto type = cast<ValueType>(term.value.getType()).withKind(kind);
  return CastOp::create(builder, site.loc, type, term.value).getResult();
}

LogicalResult FormulaImporter::adaptAll(const FormulaOperator &op,
                                        ArrayRef<Term> terms, const Site &site,
                                        SmallVectorImpl<Value> &values) {
  // The kind of each term, by the rule of the operator.
  SmallVector<Kind> kinds = llvm::map_to_vector(terms, kindOf);
  auto together = [&](ArrayRef<unsigned> places) -> LogicalResult {
    SmallVector<Term> some =
        llvm::map_to_vector(places, [&](unsigned i) { return terms[i]; });
    std::optional<Kind> common = commonKind(some);
    if (!common) {
      InFlightDiagnostic diagnostic = misused(op, site);
      diagnostic << "values of '" << op.name << "' do not fit together: ";
      llvm::interleaveComma(some, diagnostic, [&](const Term &term) {
        diagnostic << stringifyKind(kindOf(term));
      });
      for (const Term &term : some)
        if (auto text = dyn_cast_or_null<StringAttr>(term.literal))
          return diagnostic << "; \"" << text.getValue() << "\" is no number"
                            << kDecimalHint;
      return diagnostic;
    }
    for (unsigned i : places)
      kinds[i] = *common;
    return success();
  };
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(terms.size()));
  LogicalResult fits = success();
  if (op.kinds == "number") {
    fits = together(all);
    if (succeeded(fits) && !all.empty() && kinds[0] != Kind::Real &&
        kinds[0] != Kind::Int)
      return misused(op, site) << "'" << op.name << "' works on numbers, found "
                               << stringifyKind(kinds[0]);
  } else if (op.kinds == "alike") {
    fits = all.empty() ? success() : together(all);
  } else if (op.kinds == "choose" && terms.size() == 3) {
    kinds[0] = Kind::Bool;
    fits = together({1, 2});
  } else if (op.kinds == "lookup" && terms.size() == 3) {
    kinds[1] = Kind::Int;
    fits = together({0, 2});
  } else if (op.kinds == "as real" || op.kinds == "as int") {
    kinds.assign(terms.size(), op.kinds == "as real" ? Kind::Real : Kind::Int);
  } else if (std::optional<Kind> kind = symbolizeKind(op.kinds)) {
    kinds.assign(terms.size(), *kind);
  } else if (op.kinds != "any") {
    return emitError(source.locate(*op.record))
           << "operator '" << op.name << "' has unknown kinds '" << op.kinds
           << "'";
  }
  if (failed(fits))
    return failure();
  bool explicitly = op.kinds.starts_with("as ");
  for (auto [i, term] : llvm::enumerate(terms)) {
    FailureOr<Value> value =
        adapt(term, kinds[i], site,
              "argument " + Twine(i + 1) + " of '" + op.name + "'", explicitly);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return success();
}
