//===- DerivePasses.td - from a forward to its gradient -------------------===//
//
// The passes that an import runs on operators whose bodies hold a forward. They
// read and write level 1.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DERIVEPASSES_TD
#define LOSSGRAD_DERIVEPASSES_TD

include "mlir/Pass/PassBase.td"

def LossgradDifferentiate : Pass<"lossgrad-differentiate", "::mlir::ModuleOp"> {
  let summary = "Replace gradients by formulas, by the rules of the module";
  let description = [{
    Reverse-mode differentiation of the forward that a body holds: from the outputs back, each op passes the adjoint of its result on
    to its operands, by the `lossgrad.rule` of its name. Where an operand was broadcast, its adjoint is the sum over the dims that it lacks.
    Choices, conversions and ops over dims have their rules in the pass.

    ```mlir
    %x = sub %self, %target : [b] real
    %l = mul %x, %x : [b] real
    %d = lossgrad.gradient of(%l : !lossgrad.value<[b], real>) by(%gradOut : !lossgrad.value<[b], real>) for %self : !lossgrad.value<[b], real> -> !lossgrad.value<[b], real>
    ```
    becomes
    ```mlir
    %x = sub %self, %target : [b] real
    %a = mul %gradOut, %x : [b] real
    %b = mul %gradOut, %x : [b] real
    %d = add %a, %b : [b] real
    ```
    Precondition: every op between the input and the outputs has a rule. Functions stay `lossgrad.apply`.
  }];
  let dependentDialects = ["::lossgrad::LossGradDialect"];
}

def LossgradSimplify : Pass<"lossgrad-simplify", "::mlir::ModuleOp"> {
  let summary = "Rewrite derived formulas as one would have written them";
  let description = [{
    Takes the values that the call hands over for results of the forward, brings each output to a normal form (a sum of products over
    atoms, conditions as factors that are 0 or 1), applies the identities of docs/derivation.md, and factors it again. A few choices are
    tried in all combinations; the result with the fewest vector ops counts among those whose sampled error in float32 is no worse than that of
    any other. Conditions come back as selects around whole terms, so a branch that is not taken has no influence.

    ```mlir
    %a = mul %gradOut, %x : [b] real
    %b = mul %gradOut, %x : [b] real
    %d = add %a, %b : [b] real
    ```
    becomes
    ```mlir
    %d = mul %x, %two : [b] real, [] real
    %gradInput = mul %d, %gradOut : [b] real
    ```
    Rules and `apply` are gone afterwards. A `missing` input that is still needed is an error.
    Precondition: lossgrad-differentiate. Operators that were not derived are left as they are.
  }];
  let options = [
    Option<"without", "without", "std::string", "\"\"", "comma-separated names of identities to leave out, for tests">,
    Option<"choose", "choose", "bool", "true", "try candidates; otherwise only the normal form as it comes">];
  let dependentDialects = ["::lossgrad::LossGradDialect"];
}

#endif // LOSSGRAD_DERIVEPASSES_TD
