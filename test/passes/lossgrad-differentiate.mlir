// RUN: lossgrad-opt %s --lossgrad-differentiate -split-input-file | FileCheck %s

// A rule is written out for its operands; broadcasting is a sum the other way.
lossgrad.rule "mul" derivative(%g: [] real, %r: [] real, %x: [] real, %y: [] real) {
  %a = mul %g, %y : [] real
  %b = mul %g, %x : [] real
  yield x = %a : [] real, y = %b : [] real
}
// CHECK-LABEL: lossgrad.operator @Broadcast
// CHECK: attributes {derived}
// CHECK: body(%g: [n, c] real, %x: [n] real, %y: [n, c] real) {
// CHECK: %[[B:.*]] = mul %g, %y : [n, c] real
// CHECK: %[[S:.*]] = reduce sum %[[B]] over [c] : [n, c] real
// CHECK: yield gx = %[[S]] : [n] real
lossgrad.operator @Broadcast
    summary "Test." products [A2] dims [n, c]
    params [
      in g : [n, c] real "const aclTensor *" dtypes {[float32]},
      in x : [n] real "const aclTensor *" dtypes {[float32]},
      in y : [n, c] real "const aclTensor *" dtypes {[float32]},
      out gx : [n] real "aclTensor *" dtypes {[float32]}
    ]
    contract {
    }
    body(%g: [n, c] real, %x: [n] real, %y: [n, c] real) {
      %0 = mul %x, %y : [n] real, [n, c] real
      %1 = gradient of(%0 : !lossgrad.value<[n, c], real>) by(%g : !lossgrad.value<[n, c], real>) for %x : !lossgrad.value<[n], real> -> !lossgrad.value<[n], real>
      yield gx = %1 : [n] real
    }

// -----

// An adjoint that lacks a dim counts once per element of it; the largest share
// theirs; a gather becomes a one-hot; a choice chooses again.
lossgrad.rule "add" derivative(%g: [] real, %r: [] real, %x: [] real, %y: [] real) {
  yield x = %g : [] real, y = %g : [] real
}
// CHECK-LABEL: lossgrad.operator @Dims
// CHECK: body(%g: [] real, %x: [n, c] real, %w: [n] real, %t: [n] int) {
// CHECK-DAG: %[[MAX:.*]] = reduce max %x over [c] : [n, c] real
// CHECK-DAG: %[[GE:.*]] = compare gt
// CHECK-DAG: %[[N:.*]] = numel n
// CHECK-DAG: onehot %t over c : [n] int
// CHECK: compare eq %x, %[[MAX]] : [n, c] real, [n] real
// CHECK: %[[COUNT:.*]] = reduce sum %{{.*}} over [c] : [n, c] real
// CHECK: %[[SHARE:.*]] = div %{{.*}}, %[[COUNT]]
// CHECK: yield gx = %{{.*}} : [n, c] real, gw = %{{.*}} : [] real
lossgrad.operator @Dims
    summary "Test." products [A2] dims [n, c]
    params [
      in g : [] real "const aclTensor *" dtypes {[float32]},
      in x : [n, c] real "const aclTensor *" dtypes {[float32]},
      in w : [n] real "const aclTensor *" dtypes {[float32]},
      in t : [n] int "const aclTensor *" dtypes {[int64]},
      out gx : [n, c] real "aclTensor *" dtypes {[float32]},
      out gw : [n] real "aclTensor *" dtypes {[float32]}
    ]
    contract {
    }
    body(%g: [] real, %x: [n, c] real, %w: [n] real, %t: [n] int) {
      %zero = constant 0.0
      %max = reduce max %x over [c] : [n, c] real
      %at = gather %x[%t] over c else %zero : [n, c] real, [n] int, [] real
      %is = compare gt %w, %zero : [n] real, [] real
      %either = select %is, %at, %max : [n] bool, [n] real, [n] real
      %both = add %either, %w : [n] real
      %all = reduce sum %both over [n] : [n] real
      %more = add %all, %w : [] real, [n] real
      %total = reduce sum %more over [n] : [n] real
      %gx = gradient of(%total : !lossgrad.value<[], real>) by(%g : !lossgrad.value<[], real>) for %x : !lossgrad.value<[n, c], real> -> !lossgrad.value<[n, c], real>
      %gw = gradient of(%total : !lossgrad.value<[], real>) by(%g : !lossgrad.value<[], real>) for %w : !lossgrad.value<[n], real> -> !lossgrad.value<[n], real>
      yield gx = %gx : [n, c] real, gw = %gw : [n] real
    }
