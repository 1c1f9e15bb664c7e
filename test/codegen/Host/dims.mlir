// RUN: lossgrad-translate --mlir-to-aclnn %s | FileCheck %s --check-prefix=API
// RUN: lossgrad-translate --mlir-to-infershape %s | FileCheck %s --check-prefix=INFER
// Contracts and inference that speak of dims: each is taken from a required
// input, counted from the end that is a fixed number of axes away.

// API: if (!Same(targetTensor.GetShape(), Concat({Axes(selfTensor.GetShape(), 0, 1, 3, true), Axes(selfTensor.GetShape(), 2, -1, 3, true)}))) {
// API: if (Axes(selfTensor.GetShape(), 1, 2, 3, true).Extent(0) <= 0) {
// API-NEXT: ACL_APP_LOG(ACL_ERROR, "100%% of {braces} and \"quotes\"");
// API: if (Axes(selfTensor.GetShape(), -1, 0, 3, true).Numel() != 4) {
// API: if (selfTensor.Extent(-1) < 4) {

// INFER: !AppendAxes(*self, 0, 1, *out)
// INFER: !AppendAxes(*self, -1, 0, *out)
lossgrad.operator @Dims
    summary "Dims around a pack."
    products [A2]
    dims [n, c, s..., w]
    params [
      in self : [n, c, s, w] real "const aclTensor *" dtypes {[float32]} doc "values",
      in target : [n, s] int "const aclTensor *" dtypes {[int64]} doc "classes",
      out out : [n, w] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
      %actual = shape target
      %wanted = shape [n, s]
      %same = compare eq %actual, %wanted : [] shape
      check %same else 161002 "target has shape {0}"(%actual : [] shape)
      %classes = extent c
      %zero = constant 0
      %some = compare gt %classes, %zero : [] int
      check %some else 161002 "100% of {{braces} and \"quotes\""
      %width = numel w
      %four = constant 4
      %fits = compare eq %width, %four : [] int
      check %fits else 161002 "width"
      %last = extent self at -1
      %wide = compare ge %last, %four : [] int
      check %wide else 161002 "last axis"
    }
    body(%self: [n, c, s, w] real, %target: [n, s] int) {
      %a = reduce sum %self over [c, s] : [n, c, s, w] real
      yield out = %a : [n, w] real
    }
