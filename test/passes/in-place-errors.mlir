// RUN: lossgrad-opt %s --lossgrad-to-ascendc -split-input-file -verify-diagnostics

// Every core sums up all rows, without waiting for the others: one of them may
// have overwritten its rows by then.

// expected-error @+1 {{no schedule carries this yet: an output in place of an input, because a kernel sums it up on every core before it is overwritten on any}}
lossgrad.operator @Launch
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in rows : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" dtypes {[float32]}, out z : [n] real "aclTensor *" in_place_of rows dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %rows: [n] real) {
      %all = reduce sum %rows over [n] : [n] real
      %sum = reduce sum %self over [c] : [n, c] real
      %y = mul %self, %all : [n, c] real, [] real
      %z = mul %sum, %rows : [n] real
      yield y = %y : [n, c] real, z = %z : [n] real
    }
