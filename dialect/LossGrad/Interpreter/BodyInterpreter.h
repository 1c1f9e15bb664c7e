//===- BodyInterpreter.h - A body that is being run -------------*- C++ -*-===//
//
// The state of one run, for the files of the interpreter: ops in
// Interpreter.cpp, tensors in TensorsInOut.cpp, error terms in
// InterpretTerms.cpp. Whoever wants a body to run includes Interpreter.h.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_BODYINTERPRETER_H
#define LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_BODYINTERPRETER_H

#include "dialect/LossGrad/Interpreter/Interpreter.h"
#include "llvm/ADT/DenseMap.h"

namespace lossgrad {

class BodyInterpreter {
public:
  BodyInterpreter(OperatorOp op, const Call &call, InterpreterOptions options)
      : op(op), call(call), dims(op, call), options(options) {}
  BodyInterpreter(VariantOp variant, const Call &call,
                  InterpreterOptions options);

  llvm::Expected<std::vector<OutputTensor>> run(mlir::Region &body);
  llvm::Expected<bool> runCondition(mlir::Block &condition);

private:
  llvm::SmallVector<size_t> axesOver(llvm::ArrayRef<mlir::StringAttr> declared,
                                     mlir::StringAttr dim);
  llvm::Expected<int64_t> countOf(mlir::StringAttr dim);
  llvm::Error load(ParamAttr param, mlir::Value argument);
  llvm::Expected<OutputTensor> store(ParamAttr param, mlir::Value value);
  llvm::Expected<RuntimeValue> evaluate(mlir::Operation *inner);

  llvm::Expected<RuntimeValue> allocate(mlir::Value result);
  llvm::Expected<RuntimeValue> allocate(mlir::Value result, Element fill);
  llvm::Expected<RuntimeValue> constant(ConstantOp inner);
  llvm::Expected<RuntimeValue> attribute(AttributeOp inner);
  llvm::Expected<RuntimeValue> scalar(mlir::Value result, int64_t integer);
  llvm::Expected<RuntimeValue> extent(ExtentOp inner);
  llvm::Expected<RuntimeValue> elementwise(mlir::Operation *inner);
  llvm::Expected<RuntimeValue> compareText(CompareOp inner);
  llvm::Expected<RuntimeValue> selectText(SelectOp inner);
  llvm::Expected<RuntimeValue> iota(IotaOp inner);
  llvm::Expected<RuntimeValue>
  reduce(ReduceOp inner, const RuntimeValue &source, ReduceKind kind);
  llvm::Expected<RuntimeValue>
  reduceOnto(ReduceOntoOp inner, const RuntimeValue &source, ReduceKind kind);
  llvm::Expected<RuntimeValue> gather(GatherOp inner, const RuntimeValue &table,
                                      const RuntimeValue &otherwise);
  llvm::Expected<RuntimeValue> oneHot(OneHotOp inner);
  llvm::Expected<RuntimeValue> reduced(ReducedOp inner);

  /// The extents of a tensor parameter or dim, one per axis.
  llvm::Expected<Extents> axesOf(llvm::StringRef name);
  Extents stridesOver(mlir::Value operand,
                      llvm::ArrayRef<mlir::StringAttr> dims);
  Extents stridesOver(mlir::Value operand, llvm::ArrayRef<int64_t> extents,
                      llvm::ArrayRef<mlir::StringAttr> dims);
  const RuntimeValue &get(mlir::Value value) {
    auto rounded = onData ? metByData.find(value) : metByData.end();
    return rounded != metByData.end() ? rounded->second
                                      : values.find(value)->second;
  }
  void roundOperands(mlir::Operation *inner);
  /// The largest terms of a value as a value, where they are tracked.
  const RuntimeValue &getTerms(mlir::Value value) {
    return terms.find(value)->second;
  }
  llvm::Error trackTerms(mlir::Operation *inner, const RuntimeValue &result);
  RuntimeValue reducedTerms(ReducedOp inner);
  llvm::Expected<RuntimeValue> elementwiseTerms(mlir::Operation *inner,
                                                const RuntimeValue &result);

  OperatorOp op;
  const Call &call;
  DimBinding dims;
  DimAttr split;                  // a part whose axes a variant tells apart
  llvm::SmallVector<bool> ofPart; // per axis of its pack
  InterpreterOptions options;
  llvm::DenseMap<mlir::Value, RuntimeValue> values, terms;
  llvm::DenseMap<mlir::Value, RuntimeValue> metByData; // uniform, in float32
  bool onData = false; // they are what an op reads
};

inline ValueType typeOf(mlir::Value value) {
  return llvm::cast<ValueType>(value.getType());
}

inline Element makeInt(int64_t value) {
  Element element;
  element.integer = value;
  return element;
}

} // namespace lossgrad

#endif // LOSSGRAD_DIALECT_LOSSGRAD_INTERPRETER_BODYINTERPRETER_H
