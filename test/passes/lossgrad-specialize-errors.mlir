// RUN: lossgrad-opt %s --lossgrad-specialize -split-input-file -verify-diagnostics

lossgrad.operator @TwoParts
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self, w... = b of target]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}, out z : [w] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      %d = sub %self, %target : [b] real
      %y = reduce_onto sum %d from b to v : [b] real
      // expected-error @+1 {{no schedule carries this yet: sums onto 'v' and onto 'w' in one operator}}
      %z = reduce_onto sum %d from b to w : [b] real
      yield y = %y : [v] real, z = %z : [w] real
    }

// -----

lossgrad.operator @PartAndAll
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      // expected-error @+1 {{no schedule carries this yet: a reduction over 'b' beside a sum onto 'v', a part of it}}
      %total = reduce sum %target over [b] : [b] real
      %d = sub %self, %total : [b] real, [] real
      %y = reduce_onto sum %d from b to v : [b] real
      yield y = %y : [v] real
    }

// -----

lossgrad.operator @Largest
    summary "" products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, in target : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [v] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real, %target: [b] real) {
      %d = sub %self, %target : [b] real
      // expected-error @+1 {{no schedule carries this yet: max as a reduction, which must keep NaN}}
      %y = reduce_onto max %d from b to v : [b] real
      yield y = %y : [v] real
    }

// -----

// Eleven attributes that each choose a computation make 2,048 variants.
// expected-error @+1 {{splits into more than 1024 variants; conditions on attributes, shapes and presence should choose coefficients instead of computations}}
lossgrad.operator @Many
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr a1 : bool "bool", attr a2 : bool "bool", attr a3 : bool "bool", attr a4 : bool "bool", attr a5 : bool "bool", attr a6 : bool "bool", attr a7 : bool "bool", attr a8 : bool "bool", attr a9 : bool "bool", attr a10 : bool "bool", attr a11 : bool "bool",
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %a1 = attribute a1 : bool
      %e1 = exp %self : [b] real
      %x1 = select %a1, %e1, %self : [] bool, [b] real, [b] real
      %a2 = attribute a2 : bool
      %e2 = exp %x1 : [b] real
      %x2 = select %a2, %e2, %x1 : [] bool, [b] real, [b] real
      %a3 = attribute a3 : bool
      %e3 = exp %x2 : [b] real
      %x3 = select %a3, %e3, %x2 : [] bool, [b] real, [b] real
      %a4 = attribute a4 : bool
      %e4 = exp %x3 : [b] real
      %x4 = select %a4, %e4, %x3 : [] bool, [b] real, [b] real
      %a5 = attribute a5 : bool
      %e5 = exp %x4 : [b] real
      %x5 = select %a5, %e5, %x4 : [] bool, [b] real, [b] real
      %a6 = attribute a6 : bool
      %e6 = exp %x5 : [b] real
      %x6 = select %a6, %e6, %x5 : [] bool, [b] real, [b] real
      %a7 = attribute a7 : bool
      %e7 = exp %x6 : [b] real
      %x7 = select %a7, %e7, %x6 : [] bool, [b] real, [b] real
      %a8 = attribute a8 : bool
      %e8 = exp %x7 : [b] real
      %x8 = select %a8, %e8, %x7 : [] bool, [b] real, [b] real
      %a9 = attribute a9 : bool
      %e9 = exp %x8 : [b] real
      %x9 = select %a9, %e9, %x8 : [] bool, [b] real, [b] real
      %a10 = attribute a10 : bool
      %e10 = exp %x9 : [b] real
      %x10 = select %a10, %e10, %x9 : [] bool, [b] real, [b] real
      %a11 = attribute a11 : bool
      %e11 = exp %x10 : [b] real
      %x11 = select %a11, %e11, %x10 : [] bool, [b] real, [b] real
      yield y = %x11 : [b] real
    }
