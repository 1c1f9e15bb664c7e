//===- LossGradDeriveOps.td - Forwards and what to derive ---*- tablegen -*-===//
//
// What a body holds between the importer and the derivation passes: the
// formulas of a forward loss, which gradient is wanted, and what the call has
// saved of the forward; and the rules of differentiation as data. Only
// `reduced` has a meaning beyond that, as the last op of a forward.
// lossgrad-differentiate and lossgrad-simplify leave none of these behind.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DERIVE_OPS
#define LOSSGRAD_DERIVE_OPS

include "LossGradBodyOps.td"

class LossGrad_DeriveOp<string mnemonic, list<Trait> traits = []>
    : LossGrad_Op<mnemonic, !listconcat([Pure, LossGrad_BodyOnly,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>], traits)> {
  let results = (outs LossGrad_Value:$result);
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameFromLocation(getOperation(), setName);
    }
  }];
}

def LossGrad_ReducedOp : LossGrad_DeriveOp<"reduced", [AllTypesMatch<["value", "result"]>]> {
  let summary = "a loss as its reduction wants it";
  let description = [{
    The value itself where `none` holds. Otherwise one number, the sum over all
    dims, divided by `count` where `mean` holds; every element of the result
    is that number, and the output has one element.

    ```mlir
    %loss = lossgrad.reduced %l by %count none %isNone mean %isMean : !lossgrad.value<[b], real>
    ```
  }];
  let arguments = (ins LossGrad_Real:$value, LossGrad_Real:$count, LossGrad_ScalarBool:$none, LossGrad_ScalarBool:$mean);
  let assemblyFormat = "$value `by` $count `:` type($count) `none` $none `mean` $mean attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def LossGrad_GradientOp : LossGrad_DeriveOp<"gradient", [AttrSizedOperandSegments]> {
  let summary = "the gradient for one input of a forward";
  let description = [{
    The derivative of the sum of `outputs * upstream` for the input: what a
    backward operator computes. An output made by `reduced` has one element
    where that says so, and so has its upstream gradient. lossgrad-differentiate
    replaces the op by formulas.

    ```mlir
    %d = lossgrad.gradient of(%loss : !lossgrad.value<[b], real>) by(%gradOut : !lossgrad.value<[b], real>)
           for %self : !lossgrad.value<[b], real> -> !lossgrad.value<[b], real>
    ```
  }];
  let arguments = (ins Variadic<LossGrad_Real>:$outputs, Variadic<LossGrad_Real>:$upstream, LossGrad_Real:$input);
  let assemblyFormat = [{
    `of` `(` $outputs `:` type($outputs) `)` `by` `(` $upstream `:` type($upstream) `)` `for` $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def LossGrad_SavedOp : LossGrad_DeriveOp<"saved", [AllTypesMatch<["definition", "result"]>]> {
  let summary = "a result of the forward that the call hands over";
  let description = [{
    Has the value of `given` and is differentiated as `definition`. Where
    `trusted` is set, what follows from the definition may be used: a value
    saved as a logsumexp makes the exponentials of a row sum to 1.

    ```mlir
    %logp = lossgrad.saved %difference as %logProb trusted : !lossgrad.value<[n, c], real>
    ```
  }];
  let arguments = (ins LossGrad_Real:$definition, LossGrad_Real:$given, UnitAttr:$trusted);
  let assemblyFormat = "$definition `as` $given `:` type($given) (`trusted` $trusted^)? attr-dict `:` type($definition)";
}

def LossGrad_MissingOp : LossGrad_DeriveOp<"missing"> {
  let summary = "an input of the forward that the call does not hand over";
  let description = [{
    Must be gone after simplification; otherwise the gradient needs what the
    operator's parameters lack, which is an error.

    ```mlir
    %x = lossgrad.missing "input" : !lossgrad.value<[n, c], real>
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def LossGrad_ApplyOp : LossGrad_DeriveOp<"apply", [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "a function with a rule of its own";
  let description = [{
    The function is the `rule` of this name in the module; `over` takes the
    place of the dims that the rule names.

    ```mlir
    %s = lossgrad.apply "sigmoid"(%x : !lossgrad.value<[b], real>) : !lossgrad.value<[b], real>
    %l = lossgrad.apply "logsumexp"(%x : !lossgrad.value<[n, c], real>) over ["c"] : !lossgrad.value<[n], real>
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<LossGrad_Real>:$operands, OptionalAttr<StrArrayAttr>:$over);
  let assemblyFormat = "$function `(` $operands `:` type($operands) `)` (`over` $over^)? attr-dict `:` type($result)";
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameFromLocation(getOperation(), setName);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
      return detail::sameUpToOrder(l, r);
    }
  }];
}

def LossGrad_RuleOp : LossGrad_Op<"rule", [
    IsolatedFromAbove, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames", "getDefaultDialect"]>]> {
  let summary = "how an op or function is computed and differentiated";
  let description = [{
    `derivative` computes from the adjoint of the result (`g`), the result (`r`)
    and the operands the adjoint of each operand; an operand that it does not
    yield has none. `definition` says what a function is; an op of the dialect
    has none. Values stand without dims but for those in `over`; where a rule is
    used, operands bring their own.

    ```mlir
    lossgrad.rule "exp" derivative(%g: [] real, %r: [] real, %x: [] real) {
      %a = mul %g, %r : [] real
      yield x = %a : [] real
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, StrArrayAttr:$operand_names, OptionalAttr<StrArrayAttr>:$over);
  let regions = (region AnyRegion:$definition, SizedRegion<1>:$derivative);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isFunction() { return !getDefinition().empty(); }
    YieldOp getDerivativeYield();
  }];
}

#endif // LOSSGRAD_DERIVE_OPS
