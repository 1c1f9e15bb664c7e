// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --canonicalize --cse -split-input-file | FileCheck %s

// Each typed variant becomes a flat kernel; one broadcast kernel carries every
// mixture of types. Uniform values are arguments of the kernels, members of the
// tiling data, and computed in float64 by the tiling function. Keys are assigned once.

// CHECK-LABEL: lossgrad.kernel @FlatF32 of @Scale families [A2, A3] keys [1] space <[b: core, lane]>
// CHECK-SAME: when "dense tensors of one shape{{.*}}" (%[[K:.*]]: [] real)
// CHECK-NEXT: sweep reads [gradOut stream, self stream]
// CHECK-NEXT: %[[G:.*]] = widen %{{.*}} <fixed float32>
// CHECK-NEXT: %[[S:.*]] = widen %{{.*}} <fixed float32>
// CHECK-NEXT: %[[E:.*]] = exp %[[S]] : [b] real
// CHECK-NEXT: %[[P:.*]] = mul %[[E]], %[[K]] : [b] real, [] real
// CHECK-NEXT: %[[Y:.*]] = mul %[[P]], %[[G]] : [b] real
// CHECK-NEXT: %[[R:.*]] = narrow %[[Y]] <fixed float32>
// CHECK-NEXT: end store ["y"](%[[R]] :

// CHECK-LABEL: ascendc.tiling_struct @ScaleTilingData
// CHECK-DAG: ascendc.tiling_member @tileLength : i32 multiple 256
// CHECK-DAG: ascendc.tiling_member @selfDtype : i32
// CHECK-DAG: ascendc.tiling_member @k : f32

// CHECK-LABEL: func.func @ScaleTiling
// CHECK: %[[COUNT:.*]] = lossgrad.tiling.ask {{ *}}numel "gradOut"{{.*}} : i64
// CHECK: %[[SINGLE:.*]] = arith.cmpi eq, %[[COUNT]], %c1_i64{{.*}} : i64
// CHECK: %[[RUNS:.*]] = lossgrad.tiling.runs ["gradOut", "self", "y"] dims [#lossgrad.host_dim<name = "b", tensors = 7, isBroadcast = true, isReduced = false>]
// CHECK: %[[USED:.*]] = arith.select %[[SINGLE]], %c6_i64, %c7_i64{{.*}} : i64
// CHECK: %[[VARIANT:.*]] = arith.extui %[[SINGLE]]{{.*}} : i1 to i64
// The table of keys: kernels in the order in which they are tried.
// CHECK: %[[PLAN:.*]] = lossgrad.tiling.plan %[[RUNS]], used %[[USED]], typed %c7_i64, outputs 1, variant %[[VARIANT]] on 2201
// CHECK-SAME: <key = 1, variant = 0, dtype = 0, kernel = @FlatF32, space = <[b: core, lane]>, anyLayout = false, resident = false, launch = false>
// CHECK-SAME: <key = 3, variant = 0, dtype = 2, kernel = @Flat16,
// CHECK-SAME: <key = 4, variant = 0, dtype = -1, kernel = @FlatMixed,
// CHECK-SAME: <key = 5, variant = 0, dtype = -1, kernel = @Broadcast, space = <[b: core, outer, row, lane]>, anyLayout = true
// CHECK-SAME: <key = 10, variant = 1, dtype = -1, kernel = @BroadcastSingleGradOut,
// CHECK: %[[FITS:.*]] = lossgrad.tiling.read %[[PLAN]] "fits"
// CHECK: lossgrad.tiling.require %[[FITS]], "UB is too small for the smallest tile"
// CHECK: lossgrad.tiling.store_array @strides, %[[PLAN]] "strides"[27]
// CHECK: %[[ELEMENTS:.*]] = lossgrad.tiling.ask {{ *}}numel "self"{{.*}} : i64
// CHECK: %[[REAL:.*]] = arith.sitofp %[[ELEMENTS]]{{.*}} : i64 to f64
// CHECK: %[[QUOTIENT:.*]] = arith.divf %{{.*}}, %[[REAL]]{{.*}} : f64
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[QUOTIENT]]{{.*}} : f64 to f32
// CHECK: lossgrad.tiling.store @k, %[[ROUNDED]] : f32
// CHECK: lossgrad.tiling.launch key

// CHECK-LABEL: lossgrad.kernel @Flat16 of @Scale families [A2, A3] keys [2 float16, 3 bfloat16]
// CHECK: widen %{{.*}} <template float16, bfloat16>
// CHECK-LABEL: lossgrad.kernel @FlatMixed of @Scale families [A2, A3] keys [4]
// CHECK: widen %{{.*}} <run_time float32, float16, bfloat16>
// CHECK-LABEL: lossgrad.kernel @Broadcast of @Scale families [A2, A3] keys [5]
// CHECK-SAME: space <[b: core, outer, row, lane]> any_layout
// CHECK: widen %{{.*}} <run_time float32, float16, bfloat16>

// A one-element factor has no dims, and stays where it is while the tiles pass.
// CHECK-LABEL: lossgrad.kernel @FlatF32SingleGradOut of @Scale families [A2, A3] keys [6]
// CHECK-NEXT: sweep reads [gradOut element, self stream] (%{{.*}}: [] real, %{{.*}}: [b] real)
lossgrad.operator @Scale
    summary "" products [A2, A3]
    dims [b... = broadcast(gradOut, self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16]}, in self : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            out y : [b] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real) {
      %one = constant 1.0
      %n = numel self
      %count = cast %n : [] int to real
      %k = div %one, %count : [] real
      %e = exp %self : [b] real
      %p = mul %e, %k : [b] real, [] real
      %y = mul %p, %gradOut : [b] real
      yield y = %y : [b] real
    }

// -----

// The size of a dim is that of a tensor which shows it: of the output for a broadcast pack.
// CHECK-LABEL: func.func @MeanTiling
// CHECK: %[[ALL:.*]] = lossgrad.tiling.ask {{ *}}numel "y"{{.*}} : i64
// CHECK: %[[AXES:.*]] = lossgrad.tiling.ask {{ *}}rank "y"{{.*}} : i64
// CHECK: %[[FIRST:.*]] = lossgrad.tiling.ask {{ *}}extent "y" at 0{{.*}} : i64
// CHECK: arith.sitofp
lossgrad.operator @Mean
    summary "" products [A2]
    dims [b... = broadcast(gradOut, self)]
    params [in gradOut : [b] real "const aclTensor *" dtypes {[float32]}, in self : [b] real "const aclTensor *" dtypes {[float32]},
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%gradOut: [b] real, %self: [b] real) {
      %n = numel b
      %r = rank b
      %e = extent b at 0
      %nr = add %n, %r : [] int
      %nre = add %nr, %e : [] int
      %k = cast %nre : [] int to real
      %p = mul %self, %k : [b] real, [] real
      %y = mul %p, %gradOut : [b] real
      yield y = %y : [b] real
    }

// -----

// Attributes that data meets keep their names, also through a conversion; what has no name is a coefficient.
// CHECK-LABEL: lossgrad.kernel @FlatF32 of @Attributes
// CHECK-SAME: (%label: [] real, %margin: [] real, %coefficient: [] real)
lossgrad.operator @Attributes
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32]}, attr label : int "int64_t", attr margin : real "float",
            out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [b] real) {
      %label = attribute label : int
      %margin = attribute margin : real
      %0 = cast %label : [] int to real
      %1 = mul %margin, %margin : [] real
      %a = min %self, %0 : [b] real, [] real
      %b = max %a, %margin : [b] real, [] real
      %y = add %b, %1 : [b] real, [] real
      yield y = %y : [b] real
    }
