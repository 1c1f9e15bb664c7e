// RUN: lossgrad-translate --mlir-to-tiling %s -o %t.txt
// RUN: FileCheck %s --input-file %t.txt
// RUN: rm -rf %t && split-file %t.txt %t && mkdir %t/op_kernel
// RUN: lossgrad-translate --mlir-to-ascendc %s -o %t.kernels.txt && split-file %t.kernels.txt %t
// RUN: %compile_tiling %t
// Kernels for two architectures: one tiling function, which branches on the architecture of the chip that it runs on. Chips are numbers, because the
// toolkits differ in which of them they name; one that has no kernels is refused.

// CHECK: inline bool ComputeTwoTiling(
// CHECK: if (platform.arch == 2002) {
// CHECK: tiling.tileLength = 1024;
// CHECK: tiling.tileLength = 2048;

// CHECK-COUNT-1: LossgradTwoTilingFunc(gert::TilingContext *context)
// CHECK: switch (static_cast<int>(chip.GetSocVersion())) {
// CHECK-NEXT: case 2: // Atlas inference
// CHECK-NEXT: platform.arch = 2002;
// CHECK-NEXT: break;
// CHECK-NEXT: case 1: // Atlas A2 and Atlas A3
// CHECK-NEXT: platform.arch = 2201;
// CHECK-NEXT: platform.cores = static_cast<int64_t>(chip.GetCoreNumAiv());
// CHECK-NEXT: break;
// CHECK-NEXT: default:
// CHECK-NEXT: LOSSGRAD_TILING_ERROR("%s: there is no kernel for chips of SocVersion %d", type,
// CHECK-NEXT: static_cast<int>(chip.GetSocVersion()));
// CHECK-NEXT: return ge::GRAPH_FAILED;
// CHECK-NOT: TilingFunc(
lossgrad.operator @Two
    summary "Kernels for two architectures."
    products [A3, A2, A310P]
    dims [n]
    params [
      in x : [n] real "const aclTensor *" dtypes {[float32]} doc "values",
      out out : [n] real "aclTensor *" dtypes {[float32]} doc "result"
    ]
    contract {
    }
    body(%x: [n] real) {
      yield out = %x : [n] real
    }
ascendc.tiling_struct @TwoTilingData {
  ascendc.tiling_member @tileLength : i64 "elements of a tile"
}
func.func @TwoTiling() attributes {lossgrad.operator = @Two, lossgrad.tiling = @TwoTilingData} {
  %one = arith.constant 1 : i64
  %blocks = lossgrad.tiling.ask numel "x" : i64
  %short = arith.constant 1024 : i64
  %long = arith.constant 2048 : i64
  %here = lossgrad.tiling.on_arch 2002 : i1
  scf.if %here {
    lossgrad.tiling.store @tileLength, %short : i64
    lossgrad.tiling.launch key %one blocks %blocks
  } else {
    lossgrad.tiling.store @tileLength, %long : i64
    lossgrad.tiling.launch key %one blocks %blocks
  }
  return
}
ascendc.program @Two2002 for ["A310P"] operator "Two" file "lossgrad_two" {
}
ascendc.program @Two2201 for ["A2", "A3"] operator "Two" file "lossgrad_two" {
}
