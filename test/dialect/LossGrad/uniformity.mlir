// RUN: lossgrad-opt %S/Inputs/smooth_l1.mlir --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-print-uniformity))' -o /dev/null | FileCheck %s --check-prefix=SMOOTH
// RUN: lossgrad-opt %S/Inputs/founding.mlir --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-print-uniformity))' --mlir-disable-threading -o /dev/null | FileCheck %s --check-prefix=FOUNDING
// RUN: lossgrad-opt %s --pass-pipeline='builtin.module(lossgrad.operator(lossgrad-print-uniformity))' -o /dev/null | FileCheck %s

// SMOOTH-LABEL: operator @SmoothL1LossBackward
// SMOOTH:         x: reads self, target
// SMOOTH:         isMean: uniform
// SMOOTH:         k: uniform
// SMOOTH:         smooth: uniform
// SMOOTH:         scaled: reads self, target
// SMOOTH:         grad: reads gradOut, self, target
// SMOOTH:         outputs read: gradOut, self, target

// The contents of self play no part in these two: only its shape does.
// FOUNDING-LABEL: operator @KlDivBackward
// FOUNDING:         k: uniform
// FOUNDING:         sum: reads gradOutput, target
// FOUNDING:         outputs read: gradOutput, target
// FOUNDING-LABEL: operator @NLLLossBackward
// FOUNDING:         outputs read: gradOutput, target, weight, totalWeight
// FOUNDING-LABEL: operator @CrossEntropyLossGrad
// FOUNDING:         weightSum: reads target, weightOptional
// FOUNDING:         W: reads weightOptional
// FOUNDING:         hasGradZ: uniform
// FOUNDING:         lam2: uniform

// A sum over positions is the same for every tensor, but no scalar code of the host.
// CHECK-LABEL: operator @Kinds
// CHECK-NEXT:    j: independent of data
// CHECK-NEXT:    last: independent of data
// CHECK-NEXT:    sum: independent of data
// CHECK-NEXT:    first: reads x
// CHECK-NEXT:    out: reads x
// CHECK-NEXT:    outputs read: x
lossgrad.operator @Kinds
    summary "" products [A2] dims [n]
    params [in x : [n] int "const aclTensor *" dtypes {[int64]},
            in total : flat [] int "const aclTensor *" dtypes {[int64]},
            out out : [n] int "aclTensor *" dtypes {[int64]}]
    contract {}
    body(%x: [n] int, %total: [] int) {
      %j = iota n
      %last = neg %j : [n] int
      %sum = reduce sum %last over [n] : [n] int
      %first = reduce max %x over [n] : [n] int
      %out = add %first, %sum : [] int
      yield out = %out : [] int
    }
