// RUN: lossgrad-opt %s --lossgrad-differentiate -split-input-file -verify-diagnostics

lossgrad.operator @NoRule
    summary "Test." products [A2] dims [n]
    params [
      in g : [n] real "const aclTensor *" dtypes {[float32]},
      in x : [n] real "const aclTensor *" dtypes {[float32]},
      out gx : [n] real "aclTensor *" dtypes {[float32]}
    ]
    contract {
    }
    body(%g: [n] real, %x: [n] real) {
      // expected-note @below {{the gradient flows through here}}
      %0 = exp %x : [n] real
      // expected-error @below {{'exp' has no derivative}}
      %1 = gradient of(%0 : !lossgrad.value<[n], real>) by(%g : !lossgrad.value<[n], real>) for %x : !lossgrad.value<[n], real> -> !lossgrad.value<[n], real>
      yield gx = %1 : [n] real
    }

// -----

lossgrad.operator @OtherDims
    summary "Test." products [A2] dims [n, c]
    params [
      in g : [n, c] real "const aclTensor *" dtypes {[float32]},
      in x : [n] real "const aclTensor *" dtypes {[float32]},
      out gx : [n] real "aclTensor *" dtypes {[float32]}
    ]
    contract {
    }
    body(%g: [n, c] real, %x: [n] real) {
      // expected-error @below {{has an upstream gradient over 'c', which its output of type [n] real lacks}}
      %1 = gradient of(%x : !lossgrad.value<[n], real>) by(%g : !lossgrad.value<[n, c], real>) for %x : !lossgrad.value<[n], real> -> !lossgrad.value<[n], real>
      yield gx = %1 : [n] real
    }

// -----

// expected-error @below {{yields an adjoint of 'z', which is no operand}}
lossgrad.rule "exp" derivative(%g: [] real, %r: [] real, %x: [] real) {
  yield z = %g : [] real
}
