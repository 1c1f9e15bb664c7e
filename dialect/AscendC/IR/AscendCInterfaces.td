//===- AscendCInterfaces.td - what an API call says about itself ----------===//
//
// One interface for all ops that stand for an AscendC call. Verification asks
// it for the row of the product tables, planning for overlap and alignment,
// synchronisation for the pipe and the accesses, printing for the arguments.
// What is read and written comes from the declared memory effects, so that
// there is one statement of it.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_INTERFACES_TD
#define LOSSGRAD_DIALECT_ASCENDC_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ApiCallInterface : OpInterface<"ApiCallInterface"> {
  let cppNamespace = "::lossgrad::ascendc";
  let description = [{
    An op that is printed as one AscendC call:
    `[result =] [receiver.]callee[<template arguments>](arguments);`.
  }];
  let methods = [
    InterfaceMethod<"The name of the function or method.",
      "::llvm::StringRef", "getCallee">,
    InterfaceMethod<"The pipe that executes the call.",
      "::lossgrad::ascendc::Pipe", "getPipe">,
    InterfaceMethod<"The row group of the cost model.",
      "::lossgrad::ascendc::CostClass", "getCostClass">,
    InterfaceMethod<"Its row in the product tables; empty: on every product.",
      "::llvm::StringRef", "getSupportRow", (ins), "", [{ return $_op.getCallee(); }]>,
    InterfaceMethod<"The element types that the row must list.",
      "void", "getCheckedTypes", (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types), "", [{
        ::lossgrad::ascendc::detail::destinationElementType($_op, types);
      }]>,
    InterfaceMethod<"Elements that each tensor operand covers, from its start; null: unknown, up to all.",
      "::mlir::Value", "getCoveredCount", (ins), "", [{ return {}; }]>,
    InterfaceMethod<"May the destination take the exact place of this source?",
      "bool", "mayOverwrite", (ins "::mlir::OpOperand &":$source), "", [{ return false; }]>,
    InterfaceMethod<"Granule in bytes up to which the call may touch this tensor.",
      "unsigned", "getGranule", (ins "::mlir::OpOperand &":$operand), "", [{ return 32; }]>,
    InterfaceMethod<"Does the call use the reserved top of UB on memory-based products?",
      "bool", "usesReservedUb", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Does the call itself wait until the scalar unit may read its result (A2, A3)?",
      "bool", "endsOnScalar", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Does the scalar unit read this tensor while it issues the call?",
      "bool", "isReadByScalar", (ins "::mlir::OpOperand &":$operand), "", [{ return false; }]>,
    InterfaceMethod<"The object of a method call; null for a free function.",
      "::mlir::Value", "getReceiver", (ins), "", [{ return {}; }]>,
    InterfaceMethod<"Template arguments.",
      "void", "getTemplateArguments", (ins "::lossgrad::ascendc::CallArguments &":$arguments), "", [{ (void)arguments; }]>,
    InterfaceMethod<"Arguments in the order of the C++ signature.",
      "void", "getCallArguments", (ins "::lossgrad::ascendc::CallArguments &":$arguments), "", [{
        for (::mlir::Value operand : $_op->getOperands())
          arguments.value(operand);
      }]>,
    InterfaceMethod<"Product rules beyond the table of element types.",
      "::llvm::LogicalResult", "verifyOnFamily",
      (ins "const ::lossgrad::targets::Family &":$family), "", [{ return ::mlir::success(); }]>,
  ];
  let verify = [{ return ::lossgrad::ascendc::detail::verifyApiCall($_op); }];
}

#endif // LOSSGRAD_DIALECT_ASCENDC_INTERFACES_TD
