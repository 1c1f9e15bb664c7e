// Every op, read and printed, printed and read again, and through the generic
// form (names travel with the locations).
//
// RUN: lossgrad-opt %s | FileCheck %s
// RUN: lossgrad-opt %s | lossgrad-opt | FileCheck %s
// RUN: lossgrad-opt %s --mlir-print-op-generic --mlir-print-debuginfo --mlir-print-local-scope | lossgrad-opt | FileCheck %s
// RUN: lossgrad-opt %S/Inputs/smooth_l1.mlir -o %t.1
// RUN: lossgrad-opt %t.1 | diff %t.1 -
// RUN: lossgrad-opt %S/Inputs/founding.mlir -o %t.2
// RUN: lossgrad-opt %t.2 | diff %t.2 -

// CHECK-LABEL: lossgrad.operator @Everything
// CHECK-NEXT:    summary "All there is."
// CHECK-NEXT:    description "More words."
// CHECK-NEXT:    products [A2, A950]
// CHECK-NEXT:    dims [n, c, s..., r at axis, b... = broadcast(x, y), v... = b of x]
// CHECK-NEXT:    params [
// CHECK-NEXT:      in x : [b] real "const aclTensor *" dtypes {[float32, bfloat16] on [A950], [float32] on [A2]} doc "x",
// CHECK-NEXT:      in y : [b] real "const aclTensor *" dtypes {[float32]},
// CHECK-NEXT:      in t : [n] int if mode is not "flat" "const aclTensor *" dtypes {[int64, int32]},
// CHECK-NEXT:      optional w : flat [c] real "const aclTensor *" dtypes {[float32]},
// CHECK-NEXT:      in m : [n, c, s] bool "const aclTensor *" dtypes {[bool]},
// CHECK-NEXT:      in z : [r] real "const aclTensor *" dtypes {[float32]},
// CHECK-NEXT:      attr axis : int "int64_t" default -1,
// CHECK-NEXT:      attr mode : string "char *" default "full" choices ["full", "flat"] doc "how",
// CHECK-NEXT:      attr eps : real "double" default 1.0e-12,
// CHECK-NEXT:      attr flag : bool "bool" default true,
// CHECK-NEXT:      out out : [n, c] real "aclTensor *" dtypes {[float32]},
// CHECK-NEXT:      out sum : [v] real "aclTensor *" dtypes {[float32]},
// CHECK-NEXT:      out over : [r] real "aclTensor *" in_place_of z dtypes {[float32]} doc "over z"
// CHECK-NEXT:    ]
// CHECK-NEXT:    attributes {header = "aclnnop/aclnn_everything.h"}
// CHECK-NEXT:    contract {
lossgrad.operator @Everything
    summary "All there is."
    description "More words."
    products [A2, A950]
    dims [n, c, s..., r at axis, b... = broadcast(x, y), v... = b of x]
    params [
      in x : [b] real "const aclTensor *" dtypes {[float32, bfloat16] on [A950], [float32] on [A2]} doc "x",
      in y : [b] real "const aclTensor *" dtypes {[float32]},
      in t : [n] int if mode is not "flat" "const aclTensor *" dtypes {[int64, int32]},
      optional w : flat [c] real "const aclTensor *" dtypes {[float32]},
      in m : [n, c, s] bool "const aclTensor *" dtypes {[bool]},
      in z : [r] real "const aclTensor *" dtypes {[float32]},
      attr axis : int "int64_t" default -1,
      attr mode : string "char *" default "full" choices ["full", "flat"] doc "how",
      attr eps : real "double" default 1.0e-12,
      attr flag : bool "bool" default true,
      out out : [n, c] real "aclTensor *" dtypes {[float32]},
      out sum : [v] real "aclTensor *" dtypes {[float32]},
      out over : [r] real "aclTensor *" in_place_of z dtypes {[float32]} doc "over z"
    ]
    attributes {header = "aclnnop/aclnn_everything.h"}
    contract {
      // CHECK-NEXT: %size = present workspaceSize
      %size = present workspaceSize
      // CHECK-NEXT: check %size else 161001 "workspaceSize must not be null"
      check %size else 161001 "workspaceSize must not be null"
      // CHECK-NEXT: %xd = dtype x
      %xd = dtype x
      // CHECK-NEXT: %yd = dtype y
      %yd = dtype y
      // CHECK-NEXT: %in = dtype_in %xd, [float32, float16, bfloat16]
      %in = dtype_in %xd, [float32, float16, bfloat16]
      // CHECK-NEXT: %declared = dtype_declared %xd for x
      %declared = dtype_declared %xd for x
      // CHECK-NEXT: %p = dtype_promote %xd, %yd
      %p = dtype_promote %xd, %yd
      // CHECK-NEXT: %castable = dtype_castable %p, %xd
      %castable = dtype_castable %p, %xd
      // CHECK-NEXT: %f32 = constant dtype float32
      %f32 = constant dtype float32
      // CHECK-NEXT: %same = compare eq %p, %f32 : [] dtype
      %same = compare eq %p, %f32 : [] dtype
      // CHECK-NEXT: %xs = shape x
      %xs = shape x
      // CHECK-NEXT: %bs = shape [b]
      %bs = shape [b]
      // CHECK-NEXT: %joint = shape_broadcast %xs, %bs
      %joint = shape_broadcast %xs, %bs
      // CHECK-NEXT: %fits = defined %joint : [] shape
      %fits = defined %joint : [] shape
      // CHECK-NEXT: %format = format x
      %format = format x
      // CHECK-NEXT: %dense = contiguous out
      %dense = contiguous out
      // CHECK-NEXT: %placed = same_or_apart out, m
      %placed = same_or_apart out, m
      // CHECK-NEXT: %a2 = product_in [A2, A310P]
      %a2 = product_in [A2, A310P]
      // CHECK-NEXT: check %fits else 161002 "x {0} does not fit {1} {{[{][{]}}sic}"(%xs : [] shape, %bs : [] shape) when %a2
      check %fits else 161002 "x {0} does not fit {1} {{sic}"(%xs : [] shape, %bs : [] shape) when %a2
      // CHECK-NEXT: done_if %dense when %a2
      done_if %dense when %a2
      // CHECK-NEXT: done_if %a2
      done_if %a2
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: body(%x: [b] real, %y: [b] real, %t: [n] int, %w: [c] real, %m: [n, c, s] bool, %z: [r] real) {
    body(%x: [b] real, %y: [b] real, %t: [n] int, %w: [c] real, %m: [n, c, s] bool, %z: [r] real) {
      // CHECK-NEXT: %eps = attribute eps : real
      %eps = attribute eps : real
      // CHECK-NEXT: %mode = attribute mode : string
      %mode = attribute mode : string
      // CHECK-NEXT: %full = constant "full"
      %full = constant "full"
      // CHECK-NEXT: %isFull = compare ne %mode, %full : [] string
      %isFull = compare ne %mode, %full : [] string
      // CHECK-NEXT: %tenth = constant 0.1
      %tenth = constant 0.1
      // CHECK-NEXT: %small = constant 1.0e-12
      %small = constant 1.0e-12
      // CHECK-NEXT: %third = constant 0.3333333333333333
      %third = constant 0.3333333333333333
      // CHECK-NEXT: %inf = constant inf
      %inf = constant inf
      // CHECK-NEXT: %minusInf = constant minus_inf
      %minusInf = constant minus_inf
      // CHECK-NEXT: %nan = constant nan
      %nan = constant nan
      // CHECK-NEXT: %minusZero = constant -0.0
      %minusZero = constant -0.0
      // CHECK-NEXT: %most = constant -9223372036854775808
      %most = constant -9223372036854775808
      // CHECK-NEXT: %yes = constant true
      %yes = constant true
      // CHECK-NEXT: %has = present w
      %has = present w
      // CHECK-NEXT: %count = numel s
      %count = numel s
      // CHECK-NEXT: %rank = rank x
      %rank = rank x
      // CHECK-NEXT: %classes = extent c
      %classes = extent c
      // CHECK-NEXT: %last = extent b at -1
      %last = extent b at -1
      // CHECK-NEXT: %j = iota c
      %j = iota c
      // CHECK-NEXT: %add = add %x, %y : [b] real
      %add = add %x, %y : [b] real
      // CHECK-NEXT: %sub = sub %add, %tenth : [b] real, [] real
      %sub = sub %add, %tenth : [b] real, [] real
      // CHECK-NEXT: %mul = mul %t, %j : [n] int, [c] int
      %mul = mul %t, %j : [n] int, [c] int
      // CHECK-NEXT: %order = mul %j, %t : [c] int, [n] int -> [n, c] int
      %order = mul %j, %t : [c] int, [n] int -> [n, c] int
      // CHECK-NEXT: %div = div %sub, %x : [b] real
      %div = div %sub, %x : [b] real
      // CHECK-NEXT: %min = min %div, %x : [b] real
      %min = min %div, %x : [b] real
      // CHECK-NEXT: %max = max %min, %x : [b] real
      %max = max %min, %x : [b] real
      // CHECK-NEXT: %pow = pow %max, %tenth : [b] real, [] real
      %pow = pow %max, %tenth : [b] real, [] real
      // CHECK-NEXT: %clamp = clamp %pow, %minusInf, %inf : [b] real, [] real, [] real
      %clamp = clamp %pow, %minusInf, %inf : [b] real, [] real, [] real
      // CHECK-NEXT: %neg = neg %clamp : [b] real
      %neg = neg %clamp : [b] real
      // CHECK-NEXT: %abs = abs %neg : [b] real
      %abs = abs %neg : [b] real
      // CHECK-NEXT: %sign = sign %abs : [b] real
      %sign = sign %abs : [b] real
      // CHECK-NEXT: %exp = exp %sign : [b] real
      %exp = exp %sign : [b] real
      // CHECK-NEXT: %log = log %exp : [b] real
      %log = log %exp : [b] real
      // CHECK-NEXT: %sqrt = sqrt %log : [b] real
      %sqrt = sqrt %log : [b] real
      // CHECK-NEXT: %sin = sin %eps : [] real
      %sin = sin %eps : [] real
      // CHECK-NEXT: %cos = cos %sin : [] real
      %cos = cos %sin : [] real
      // CHECK-NEXT: %less = compare lt %t, %classes : [n] int, [] int
      %less = compare lt %t, %classes : [n] int, [] int
      // CHECK-NEXT: %and = and %less, %has : [n] bool, [] bool
      %and = and %less, %has : [n] bool, [] bool
      // CHECK-NEXT: %or = or %and, %m : [n] bool, [n, c, s] bool
      %or = or %and, %m : [n] bool, [n, c, s] bool
      // CHECK-NEXT: %not = not %or {hint = 1 : i64} : [n, c, s] bool
      %not = not %or {hint = 1 : i64} : [n, c, s] bool
      // CHECK-NEXT: %flags = cast %not : [n, c, s] bool to real
      %flags = cast %not : [n, c, s] bool to real
      // CHECK-NEXT: %rows = reduce max %flags over [s, c] : [n, c, s] real
      %rows = reduce max %flags over [s, c] : [n, c, s] real
      // CHECK-NEXT: %onto = reduce_onto sum %sqrt from b to v : [b] real
      %onto = reduce_onto sum %sqrt from b to v : [b] real
      // CHECK-NEXT: %wt = gather %w[%t] over c else %eps : [c] real, [n] int, [] real
      %wt = gather %w[%t] over c else %eps : [c] real, [n] int, [] real
      // CHECK-NEXT: %hit = onehot %t over c : [n] int
      %hit = onehot %t over c : [n] int
      // CHECK-NEXT: %sel = select %hit, %wt, %rows : [n, c] bool, [n] real, [n] real
      %sel = select %hit, %wt, %rows : [n, c] bool, [n] real, [n] real
      // CHECK-NEXT: %0 = add %sel, %eps : [n, c] real, [] real
      %0 = add %sel, %eps : [n, c] real, [] real
      // CHECK-NEXT: yield out = %0 : [n, c] real, sum = %onto : [v] real, over = %z : [r] real
      yield out = %0 : [n, c] real, sum = %onto : [v] real, over = %z : [r] real
    }
