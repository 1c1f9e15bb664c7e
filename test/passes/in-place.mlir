// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --canonicalize --cse -split-input-file | FileCheck %s

// An output that may lie over an input: every kernel has read an element before
// it is stored to. What is ready in the first sweep is stored in the last one
// that reads the input.

// CHECK-LABEL: lossgrad.kernel @RowsSplitF32 of @Both
// CHECK: sweep reads [self stream]
// CHECK-NOT: store
// CHECK: sweep reads [self stream]
// CHECK: end store ["twice", "scaled"]
// A row in one tile has one sweep anyway.
// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Both
// CHECK: end store ["twice", "scaled"]
// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Both
// CHECK: sweep reads [self stream]
// CHECK-NOT: store
// CHECK: sweep reads [self stream]
// CHECK: end store ["twice", "scaled"]
// CHECK-LABEL: lossgrad.kernel @AnyColumns of @Both
// CHECK: sweep reads [self stream]
// CHECK-NOT: store
// CHECK: end store ["twice", "scaled"]
lossgrad.operator @Both
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out twice : [n, c] real "aclTensor *" in_place_of self dtypes {[float32]},
            out scaled : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      %two = constant 2.0
      %twice = mul %self, %two : [n, c] real, [] real
      %sum = reduce sum %self over [c] : [n, c] real
      %scaled = mul %self, %sum : [n, c] real, [n] real
      yield twice = %twice : [n, c] real, scaled = %scaled : [n, c] real
    }

// -----

// The same without the promise stores as soon as it can.

// CHECK-LABEL: lossgrad.kernel @RowsTwiceF32 of @Apart
// CHECK: sweep reads [self stream]
// CHECK: end store ["twice"]
// CHECK: sweep reads [self stream]
// CHECK: end store ["scaled"]
lossgrad.operator @Apart
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, out twice : [n, c] real "aclTensor *" dtypes {[float32]},
            out scaled : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real) {
      %two = constant 2.0
      %twice = mul %self, %two : [n, c] real, [] real
      %sum = reduce sum %self over [c] : [n, c] real
      %scaled = mul %self, %sum : [n, c] real, [n] real
      yield twice = %twice : [n, c] real, scaled = %scaled : [n, c] real
    }

// -----

// Rows that are split over cores: each of them reads the value of a row, and
// the first overwrites it. That is right where all have read it before they
// exchange their sums. A kernel that reads it afterwards is left out, and
// others take its calls and its key.

// CHECK-LABEL: lossgrad.kernel @RowsSplitF32 of @PerRow families [A2] keys [1]
// CHECK: sweep reads [scale stream]
// CHECK: sweep reads [self stream]
// CHECK: end reduce
// CHECK: sweep reads []
// CHECK: end store ["y"]
// CHECK-LABEL: func.func @PerRowTiling
// CHECK-NOT: @RowsSplitF32SingleScale
// CHECK: key = {{[0-9]+}}, {{.*}}, kernel = @RowsF32SingleScale,
// CHECK-NOT: @RowsSplitF32SingleScale
lossgrad.operator @PerRow
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in scale : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n] real "aclTensor *" in_place_of scale dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %scale: [n] real) {
      %sum = reduce sum %self over [c] : [n, c] real
      %y = mul %sum, %scale : [n] real
      yield y = %y : [n] real
    }

// -----

// An element that is looked up is read before its row is overwritten, because
// rows are not split.

// CHECK-LABEL: lossgrad.kernel @AnyRows of @LookUp
// CHECK: sweep reads [self table, target stream]
// CHECK: end keep(
// CHECK: sweep reads [self stream]
// CHECK: end store ["y"]
lossgrad.operator @LookUp
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" in_place_of self dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      %picked = gather %self[%target] over c else %zero : [n, c] real, [n] int, [] real
      %y = sub %self, %picked : [n, c] real, [n] real
      yield y = %y : [n, c] real
    }

// -----

// Tiles that are dealt whatever row they belong to: another core may have
// overwritten what is looked up. Rows that are not split take these calls.

// CHECK-NOT: @SingleRows
// CHECK-LABEL: lossgrad.kernel @AnyRows of @LookUpAndPoint
// CHECK: end store ["y"]
// CHECK-NOT: @SingleRows
lossgrad.operator @LookUpAndPoint
    summary "" products [A2]
    dims [n, c]
    params [in self : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64]},
            out y : [n, c] real "aclTensor *" in_place_of self dtypes {[float32]}]
    contract {}
    body(%self: [n, c] real, %target: [n] int) {
      %zero = constant 0.0
      %picked = gather %self[%target] over c else %zero : [n, c] real, [n] int, [] real
      %far = sub %self, %picked : [n, c] real, [n] real
      %hit = onehot %target over c : [n] int
      %point = select %hit, %picked, %zero : [n, c] bool, [n] real, [] real
      %y = sub %far, %point : [n, c] real
      yield y = %y : [n, c] real
    }
