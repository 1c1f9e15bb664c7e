// RUN: not lossgrad-translate --split-input-file --mlir-to-aclnn %s 2>&1 | FileCheck %s
// RUN: not lossgrad-translate --mlir-to-opdef %S/Inputs/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// What host code cannot express is an error at its place.
// EMPTY: error: has no lossgrad.operator

lossgrad.operator @Unprintable
    summary "An op without a C++ form in contracts."
    products [A2]
    dims [n]
    params [
      in self : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      attr beta : real "float" doc "factor",
      out out : [n] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
      %beta = attribute beta : real
      // CHECK: error: cannot be printed in a contract
      // CHECK-NEXT: %power = exp %beta
      %power = exp %beta : [] real
      %ok = compare ge %power, %beta : [] real
      check %ok else 161002 "no"
    }
    body(%self: [n] real) {
      yield out = %self : [n] real
    }

// -----

lossgrad.operator @Open
    summary "A dim that no required input settles."
    products [A2]
    dims [n, c]
    params [
      in self : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      optional weight : [c] real "const aclTensor *" dtypes {[float32]} doc "weights",
      out out : [n] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
      // CHECK: error: host code cannot tell dim 'c': no required input has it at a fixed place
      // CHECK-NEXT: %classes = extent c
      %classes = extent c
      %zero = constant 0
      %ok = compare gt %classes, %zero : [] int
      check %ok else 161002 "no"
    }
    body(%self: [n] real, %weight: [c] real) {
      yield out = %self : [n] real
    }

// -----

// CHECK: error: attribute "beta" has C type "int32_t"; host code knows int64_t, float, double, bool and char *
lossgrad.operator @CType
    summary "A C type that generated functions do not have."
    products [A2]
    dims [n]
    params [
      in self : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      attr beta : int "int32_t" doc "factor",
      out out : [n] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
    }
    body(%self: [n] real) {
      yield out = %self : [n] real
    }

// -----

// CHECK: error: has 17 tensors; tiling functions and kernels take at most 16
lossgrad.operator @Many
    summary "More tensors than a tiling function holds."
    products [A2]
    dims [n]
    params [
      in x0 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x1 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x2 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x3 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x4 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x5 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x6 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x7 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x8 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x9 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x10 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x11 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x12 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x13 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x14 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      in x15 : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      out out : [n] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
    }
    body(%x0: [n] real, %x1: [n] real, %x2: [n] real, %x3: [n] real, %x4: [n] real, %x5: [n] real, %x6: [n] real, %x7: [n] real, %x8: [n] real, %x9: [n] real, %x10: [n] real, %x11: [n] real, %x12: [n] real, %x13: [n] real, %x14: [n] real, %x15: [n] real) {
      yield out = %x0 : [n] real
    }
