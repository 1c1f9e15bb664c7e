// RUN: lossgrad-opt %s --lossgrad-legalize-dtypes -split-input-file | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-legalize-dtypes=soc=Ascend910B1 -split-input-file | FileCheck %s --check-prefix=CHIP

// All float32, all of one 16-bit type, any mixture. Inputs that are read are
// widened, results rounded once; an input that only gives its shape is not touched.
// Families with the same types and architecture share a variant.

// CHECK-LABEL: lossgrad.variant @Double_0_f32 of @Double families [A2, A3]
// CHECK: body(%[[SELF:.*]]: [b] real, %{{.*}}: [b] real)
// CHECK-NEXT: %[[X:.*]] = widen %[[SELF]] <fixed float32> : <[b], real>
// CHECK-NEXT: %[[Y:.*]] = add %[[X]], %[[X]] : [b] real
// CHECK-NEXT: %[[R:.*]] = narrow %[[Y]] <fixed float32> : <[b], real>
// CHECK-NEXT: yield y = %[[R]]

// CHECK-LABEL: lossgrad.variant @Double_0_16 of @Double families [A2, A3]
// CHECK: widen %{{.*}} <template float16, bfloat16> : <[b], real>
// CHECK-NOT: widen
// CHECK: narrow %{{.*}} <template float16, bfloat16> : <[b], real>

// CHECK-LABEL: lossgrad.variant @Double_0_mixed of @Double families [A2, A3]
// CHECK: widen %{{.*}} <run_time float32, float16, bfloat16> : <[b], real>
// CHECK: narrow %{{.*}} <run_time float32, float16, bfloat16> : <[b], real>

// CHIP-LABEL: lossgrad.variant @Double_0_f32 of @Double families [A2]
lossgrad.operator @Double
    summary "" products [A2, A3]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16]}, in shape : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16]},
            out y : [b] real "aclTensor *" dtypes {[float32, float16, bfloat16]}]
    contract {}
    body(%self: [b] real, %shape: [b] real) {
      %y = add %self, %self : [b] real
      yield y = %y : [b] real
    }
lossgrad.variant @Double_0 of @Double
    when {
      %true = constant true
      holds %true
    }
    body(%self: [b] real, %shape: [b] real) {
      %y = add %self, %self : [b] real
      yield y = %y : [b] real
    }

// -----

// One type is one variant.
// CHECK-LABEL: lossgrad.variant @Narrow_0_16 of @Narrow families [A2]
// CHECK: widen %{{.*}} <template float16> : <[b], real>
// CHECK-NOT: lossgrad.variant

// CHIP-LABEL: lossgrad.variant @Narrow_0_16 of @Narrow families [A2]
lossgrad.operator @Narrow
    summary "" products [A2]
    dims [b...]
    params [in self : [b] real "const aclTensor *" dtypes {[float16]}, out y : [b] real "aclTensor *" dtypes {[float16]}]
    contract {}
    body(%self: [b] real) {
      %y = add %self, %self : [b] real
      yield y = %y : [b] real
    }
lossgrad.variant @Narrow_0 of @Narrow
    when {
      %true = constant true
      holds %true
    }
    body(%self: [b] real) {
      %y = add %self, %self : [b] real
      yield y = %y : [b] real
    }

// -----

// What a look-up gives beyond its dim is chosen afterwards, unless it is wanted
// only within.
// CHECK-LABEL: lossgrad.variant @LookUps_0_f32
// CHECK: %[[A:.*]] = gather
// CHECK: %[[B:.*]] = gather
// CHECK: %[[GUARDED:.*]] = select %{{.*}}, %[[B]], %{{.*}} : [n] bool, [n] real, [] real
// CHECK: select %{{.*}}, %[[A]], %{{.*}} : [n] bool, [n] real, [] real
// CHECK: add %{{.*}}, %[[GUARDED]]
lossgrad.operator @LookUps
    summary "" products [A2]
    dims [n, c]
    params [in t : [n] int "const aclTensor *" dtypes {[int64]}, in w : [c] real "const aclTensor *" dtypes {[float32]},
            out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%t: [n] int, %w: [c] real) {
      %zero = constant 0.0
      %a = gather %w[%t] over c else %zero : [c] real, [n] int, [] real
      yield y = %a : [n] real
    }
lossgrad.variant @LookUps_0 of @LookUps
    when {
      %true = constant true
      holds %true
    }
    body(%t: [n] int, %w: [c] real) {
      %zero = constant 0.0
      %first = constant 0
      %extent = extent c
      %low = compare ge %t, %first : [n] int, [] int
      %high = compare lt %t, %extent : [n] int, [] int
      %inside = and %low, %high : [n] bool
      %a = gather %w[%t] over c else %zero : [c] real, [n] int, [] real
      %b = gather %w[%t] over c else %zero : [c] real, [n] int, [] real
      %kept = select %inside, %a, %zero : [n] bool, [n] real, [] real
      %y = add %kept, %b : [n] real
      yield y = %y : [n] real
    }
