// Names and places of the record travel with the ops; a complaint of the
// dialect's verifier points at the record too.
// RUN: lossgrad-tblgen -I %S/Inputs --locations %s | FileCheck %s
// RUN: not lossgrad-tblgen -I %S/Inputs %S/Inputs/unverified.td 2>&1 | FileCheck %s --check-prefix=VERIFY

include "Tiny.td"

def Located : Tiny<"Located"> {
  dag twice = (mul 2,
               $x);
  let checks = Sound<["x", "target", "y"]>.checks # [
                RankIs<2, ["x"]>];
  let results = (outs (neg $twice):$y);
}

// CHECK: check {{.*}} "rank of x is {0}, must be 2"{{.*}} loc([[CHECK:#.+]])
// CHECK: body(%x
// CHECK: %twice = mul {{.*}} loc([[TWICE:#.+]])
// CHECK: %y = neg {{.*}} loc([[Y:#.+]])
// CHECK-DAG: [[CHECK]] = loc("{{.*}}locations.td":12:17)
// CHECK-DAG: [[TWICEAT:#.+]] = loc("{{.*}}locations.td":9:7)
// CHECK-DAG: [[YAT:#.+]] = loc("{{.*}}locations.td":13:7)
// CHECK-DAG: [[TWICE]] = loc("twice"([[TWICEAT]]))
// CHECK-DAG: [[Y]] = loc("y"([[YAT]]))

// VERIFY: unverified.td:8:18: error: {{.*}}
// VERIFY-NOT: see current operation
