// RUN: lossgrad-opt %s --pass-pipeline="builtin.module(ascendc-fix-names,func.func(lossgrad-prepare-tiling))" -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @tiling
func.func @tiling() {
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f64
  // A question that is asked once needs no variable; one that is asked twice does.
  // CHECK: ask attribute "reduction"{{.*}} : i64 loc(unknown)
  %reduction = lossgrad.tiling.ask attribute "reduction" : i64 loc("reduction")
  // CHECK: ask attribute "beta"{{.*}} : f64 loc("beta"
  %beta = lossgrad.tiling.ask attribute "beta" : f64 loc("beta")
  %isMean = arith.cmpi eq, %reduction, %one : i64
  // Of two values with one name the one that is used once gives it up.
  // CHECK: arith.divf {{.*}} loc(unknown)
  %first = arith.divf %unit, %beta : f64 loc("reciprocal")
  // CHECK: arith.select {{.*}} loc("reciprocal"
  %second = arith.select %isMean, %first, %beta : f64 loc("reciprocal")
  // Written twice: a variable, although it had no name.
  // CHECK: arith.addf {{.*}} loc("factor"
  %square = arith.mulf %second, %second : f64
  %cube = arith.mulf %square, %second : f64
  %sum = arith.addf %square, %cube : f64
  %product = arith.mulf %sum, %sum : f64
  %narrow = arith.truncf %product : f64 to f32
  lossgrad.tiling.store @a, %narrow : f32
  // Only stored under its own name.
  // CHECK: arith.negf {{.*}} loc(unknown)
  %low = arith.negf %sum : f64 loc("low")
  %rounded = arith.truncf %low : f64 to f32
  lossgrad.tiling.store @low, %rounded : f32
  return
}
