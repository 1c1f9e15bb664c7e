// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics

// What the verifier says of variants: they fit their operator, and of the
// variants of one operator exactly one runs in every call.

lossgrad.operator @Op
    summary "" products [A2]
    dims [b... = broadcast(self, other)]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, optional other : [b] real "const aclTensor *" dtypes {[float32]},
            attr mode : int "int64_t", attr a : real "float", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %other: [b] real) { yield y = %self : [b] real }
// mode is 1; it is not, but 2; it is neither, and a is above 0; and the rest, NaN among it.
lossgrad.variant @Op_0 of @Op
  when { %m = attribute mode : int  %c1 = constant 1  %is = compare eq %m, %c1 : [] int  holds %is }
  body(%self: [b] real, %other: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_1 of @Op
  when { %m = attribute mode : int  %c2 = constant 2  %is = compare eq %m, %c2 : [] int  holds %is }
  body(%self: [b] real, %other: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_2 of @Op
  when {
    %m = attribute mode : int  %c1 = constant 1  %c2 = constant 2
    %is1 = compare eq %m, %c1 : [] int  %is2 = compare ge %c2, %m : [] int  %below = compare lt %m, %c1 : [] int
    %either = or %is1, %is2 : [] bool  %above = not %either : [] bool  %others = or %above, %below : [] bool
    %a = attribute a : real  %zero = constant 0.0  %positive = compare gt %a, %zero : [] real
    %both = and %others, %positive : [] bool
    holds %both
  }
  body(%self: [b] real, %other: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_3 of @Op
  when {
    %m = attribute mode : int  %c1 = constant 1  %c2 = constant 2
    %not1 = compare ne %m, %c1 : [] int  %not2 = compare ne %m, %c2 : [] int
    %others = and %not1, %not2 : [] bool
    %a = attribute a : real  %zero = constant 0.0  %positive = compare gt %a, %zero : [] real  %rest = not %positive : [] bool
    %both = and %others, %rest : [] bool
    holds %both
  }
  body(%self: [b] real, %other: [b] real) { yield y = %self : [b] real }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr a : real "float", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
// a > 0 and a <= 0 leave NaN out.
// expected-error @+1 {{'lossgrad.variant' op and its siblings leave a call without a body: a is nan}}
lossgrad.variant @Op_0 of @Op
  when { %a = attribute a : real  %zero = constant 0.0  %c = compare gt %a, %zero : [] real  holds %c }
  body(%self: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_1 of @Op
  when { %a = attribute a : real  %zero = constant 0.0  %c = compare le %a, %zero : [] real  holds %c }
  body(%self: [b] real) { yield y = %self : [b] real }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr mode : int "int64_t", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
// expected-note @+1 {{the other variant}}
lossgrad.variant @Op_0 of @Op
  when { %m = attribute mode : int  %three = constant 3  %c = compare le %m, %three : [] int  holds %c }
  body(%self: [b] real) { yield y = %self : [b] real }
// expected-error @+1 {{'lossgrad.variant' op runs in the same call as another variant: mode is 3}}
lossgrad.variant @Op_1 of @Op
  when { %m = attribute mode : int  %two = constant 2  %c = compare gt %m, %two : [] int  holds %c }
  body(%self: [b] real) { yield y = %self : [b] real }

// -----

// expected-error @+1 {{'lossgrad.variant' op is of @Op, which is not an operator of this module}}
lossgrad.variant @Op_0 of @Op
  when { %true = constant true  holds %true }
  body(%self: [b] real) { yield y = %self : [b] real }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
// expected-error @+1 {{'lossgrad.variant' op has a body with 0 argument(s), but its operator has 1 input tensor(s)}}
lossgrad.variant @Op_0 of @Op
  when { %true = constant true  holds %true }
  body() {
    %y = constant 1.0
    yield y = %y : [] real
  }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
// expected-error @+1 {{'lossgrad.variant' op has a body whose argument for 'self' has type '!lossgrad.value<[], real>'; expected '!lossgrad.value<[b], real>'}}
lossgrad.variant @Op_0 of @Op
  when { %true = constant true  holds %true }
  body(%self: [] real) { yield y = %self : [] real }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
// expected-error @+1 {{'lossgrad.variant' op has one element of 'other', which is no input of its operator}}
lossgrad.variant @Op_0 of @Op one_element [other]
  when { %true = constant true  holds %true }
  body(%self: [b] real) { yield y = %self : [b] real }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_0 of @Op
  when { %true = constant true  holds %true }
  body(%self: [b] real) {
    // expected-error @+1 {{'lossgrad.yield' op gives (z); expected the outputs in C order: (y)}}
    yield z = %self : [b] real
  }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_0_f32 of @Op families [A2]
  when { %true = constant true  holds %true }
  body(%self: [b] real) {
    %x = widen %self <fixed float32> : <[b], real>
    // expected-error @+1 {{'lossgrad.yield' op gives a result of a typed variant that no narrow rounded}}
    yield y = %x : [b] real
  }

// -----

lossgrad.operator @Op
    summary "" products [A2] dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) { yield y = %self : [b] real }
lossgrad.variant @Op_0_f32 of @Op families [A2]
  when { %true = constant true  holds %true }
  body(%self: [b] real) {
    // expected-error @+1 {{'lossgrad.narrow' op reads an input of a typed variant; expected a widen}}
    %y = narrow %self <fixed float32> : <[b], real>
    yield y = %y : [b] real
  }
