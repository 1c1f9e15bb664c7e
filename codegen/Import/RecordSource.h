//===- RecordSource.h - Places and fields of records ------------*- C++ -*-===//
//
// Where things stand in the text of a record, and access to fields that reports
// what is missing instead of ending the process, which is what TableGen's own
// accessors do. Knows nothing of operators.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_IMPORT_RECORDSOURCE_H
#define LOSSGRAD_CODEGEN_IMPORT_RECORDSOURCE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SMLoc.h"

namespace llvm {
class DagInit;
class Init;
class ListInit;
class Record;
class SourceMgr;
} // namespace llvm

namespace lossgrad {

/// The length of the comment, string or code block that `text` starts with, or
/// 0. Only comments are to be skipped by a search, but none of the three ends a
/// field.
size_t skipQuoted(llvm::StringRef text, bool &isComment);

/// Translates TableGen's locations to MLIR's.
class RecordSource {
public:
  /// `added` is where text begins that is not the user's.
  RecordSource(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
               const char *added = nullptr)
      : sources(sources), context(context), added(added) {}

  mlir::Location locate(llvm::SMLoc loc) const;
  mlir::Location locate(const llvm::Record &record) const;
  mlir::Location locateField(const llvm::Record &record,
                             llvm::StringRef field) const;

  /// The place of `token` in the text of a field, from its name to the
  /// semicolon; the field itself if the token is not there.
  mlir::Location locateInField(const llvm::Record &record,
                               llvm::StringRef field,
                               llvm::StringRef token) const;

  /// The place of `token` in the text of a record without a body, from its name
  /// to the semicolon; the record itself if the token is not there.
  mlir::Location locateInHead(const llvm::Record &record,
                              llvm::StringRef token) const;

  /// The place of an element of a list field. TableGen keeps one record for
  /// equal instances of a class, so the element may stand elsewhere; then the
  /// place of `token` in the field.
  mlir::Location locateElement(const llvm::Record &record,
                               llvm::StringRef field,
                               const llvm::Record &element,
                               llvm::StringRef token) const;

  mlir::MLIRContext *getContext() const { return context; }

private:
  bool isComputed(const llvm::Record &record, llvm::StringRef field) const;
  llvm::StringRef getTextFrom(llvm::SMLoc loc) const;
  llvm::StringRef getFieldText(const llvm::Record &record,
                               llvm::StringRef field) const;

  const llvm::SourceMgr &sources;
  mlir::MLIRContext *context;
  const char *added;
};

/// The fields of one record. Every accessor reports a missing, unset or
/// mistyped field at the record and then fails.
class RecordFields {
public:
  RecordFields(const llvm::Record &record, const RecordSource &source)
      : record(record), source(source) {}

  mlir::FailureOr<llvm::StringRef> getString(llvm::StringRef field) const;
  mlir::FailureOr<int64_t> getInt(llvm::StringRef field) const;
  mlir::FailureOr<bool> getBit(llvm::StringRef field) const;
  mlir::FailureOr<const llvm::DagInit *> getDag(llvm::StringRef field) const;
  mlir::FailureOr<const llvm::Record *> getDef(llvm::StringRef field) const;
  mlir::FailureOr<llvm::SmallVector<llvm::StringRef>>
  getStrings(llvm::StringRef field) const;
  mlir::FailureOr<llvm::SmallVector<const llvm::Record *>>
  getDefs(llvm::StringRef field) const;
  mlir::FailureOr<llvm::SmallVector<const llvm::DagInit *>>
  getDags(llvm::StringRef field) const;

  mlir::InFlightDiagnostic error(llvm::StringRef field) const;
  mlir::Location getLoc() const { return source.locate(record); }

private:
  const llvm::Init *find(llvm::StringRef field, llvm::StringRef type) const;
  template <typename Element, typename Convert>
  mlir::FailureOr<llvm::SmallVector<Element>>
  getList(llvm::StringRef field, llvm::StringRef type, Convert convert) const;

  const llvm::Record &record;
  const RecordSource &source;
};

/// Appends "; did you mean 'x'?" if one of the candidates is near `name`.
void suggest(mlir::InFlightDiagnostic &diagnostic, llvm::StringRef name,
             llvm::ArrayRef<llvm::StringRef> candidates,
             llvm::StringRef prefix = "");

/// The candidate nearest to `name`, or empty if none is near.
llvm::StringRef findNearest(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace lossgrad

#endif // LOSSGRAD_CODEGEN_IMPORT_RECORDSOURCE_H
