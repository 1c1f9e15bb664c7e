//===- AscendCCall.td - base classes of API calls -------------------------===//
//
// What the ops for API calls share: the interface and the two call shapes,
// count (contiguous, exact tail) and mask + repeat (strided).
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_CALL_TD
#define LOSSGRAD_DIALECT_ASCENDC_CALL_TD

include "AscendCInterfaces.td"
include "AscendCStructure.td"

/// An op that is one call of `cpp` on `pipe`.
class AscendC_Call<string mnemonic, string cpp, string pipe, string cost, list<Trait> traits = []>
    : AscendC_Op<mnemonic, traits # [ApiCallInterface]> {
  string callDeclaration = [{
    ::llvm::StringRef getCallee() { return "}] # cpp # [{"; }
    ::lossgrad::ascendc::Pipe getPipe() { return ::lossgrad::ascendc::Pipe::}] # pipe # [{; }
    ::lossgrad::ascendc::CostClass getCostClass() { return ::lossgrad::ascendc::CostClass::}] # cost # [{; }
  }];
  let extraClassDeclaration = callDeclaration;
}

class Reads<Type type> : Arg<type, "", [MemRead]>;
class Writes<Type type> : Arg<type, "", [MemWrite]>;
class Updates<Type type> : Arg<type, "", [MemRead, MemWrite]>;

/// A vector call that has both shapes. `sources` are the operands between dst
/// and the shape, `params` the repeat-parameter struct and `strides` how many
/// numbers it takes: block strides, then repeat strides, destination first.
class AscendC_ShapedCall<string mnemonic, string cpp, string cost, string params, int strides,
                         list<Trait> traits = []>
    : AscendC_Call<mnemonic, cpp, "V", cost, traits # [AttrSizedOperandSegments]> {
  dag shape = (ins Optional<I32>:$count, Optional<I32>:$mask, Optional<I32>:$repeat,
                   Variadic<I32>:$strides, OptionalAttr<DenseI64ArrayAttr>:$static_strides);
  string shapeFormat = [{
    (`,` $count^)? (`mask` `(` $mask^ `)` `repeat` `(` $repeat `)`
    `strides` custom<DynamicIndexList>($strides, $static_strides))? attr-dict
  }];
  string shapedDeclaration = callDeclaration # [{
    ::mlir::Value getCoveredCount() { return getCount(); }
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments);
    bool mayOverwrite(::mlir::OpOperand &source);
  }];
  let extraClassDeclaration = shapedDeclaration;
  string shapedDefinition = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> $cppClass::getMixedStrides() {
      return ::lossgrad::ascendc::detail::mixedStrides(*this, getStaticStrides(), getStrides());
    }
    bool $cppClass::mayOverwrite(::mlir::OpOperand &source) {
      return ::lossgrad::ascendc::detail::mayOverwrite(source, getMixedStrides());
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::lossgrad::ascendc::detail::verifyShape(*this, getCount(), getMask(), getRepeat(), getMixedStrides(), }] # strides # [{);
    }
  }];
  string shapeArguments = "::lossgrad::ascendc::detail::shapeArguments(arguments, getCount(), getMask(), getRepeat(), \""
                          # params # "\", getMixedStrides());";
  let extraClassDefinition = shapedDefinition;
  let hasVerifier = 1;
}

#endif // LOSSGRAD_DIALECT_ASCENDC_CALL_TD
