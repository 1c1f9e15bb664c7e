// A tensor is called after the value that it holds, from where that is computed.
// RUN: lossgrad-opt %s --ascendc-fix-names --ascendc-name-values -split-input-file -mlir-use-nameloc-as-prefix | FileCheck %s

!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!bits = !ascendc.local<i1>
!words = !ascendc.local<ui16>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" formula ["x = self - target", "y = exp(x) * self", "out = y - x * x"] {
  // CHECK-LABEL: ascendc.kernel @InPlace
  // A buffer is called after what it is taken for; one that stages take for different values is scratch.
  // CHECK: ascendc.tbuf_member "tileScratch1Buf"
  // CHECK-NEXT: ascendc.tbuf_member "tileScratch2Buf"
  // CHECK-NEXT: ascendc.tbuf_member "maskBuf"
  ascendc.kernel @InPlace tiling(@Tiling) (%self: !gm loc("self"), %target: !gm loc("target"), %out: !gm loc("out")) {
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %one = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %targetBuf = ascendc.tbuf_member "targetF32Buf" bytes %tile : !ascendc.tbuf
    %selfBuf = ascendc.tbuf_member "self3Buf" bytes %tile : !ascendc.tbuf
    %maskBuf = ascendc.tbuf_member "mask7Buf" bytes %one : !ascendc.tbuf
    %outQueue = ascendc.queue_member "outQueue" blocks 2 bytes %tile : !ascendc.queue<vecout>
    // CHECK: ascendc.stage compute @Compute
    ascendc.stage compute @Compute (%count: i32 loc("count"), %choice: i1 loc("choice")) {
      // CHECK-NEXT: %targetF32 = ascendc.tbuf_get
      // CHECK-NEXT: %selfF32 = ascendc.tbuf_get
      // CHECK-NEXT: %outF32 = ascendc.alloc_tensor
      %t = ascendc.tbuf_get %targetBuf : !f32 loc("targetF32")
      %s = ascendc.tbuf_get %selfBuf : !f32 loc("selfF32")
      %o = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !f32 loc("outF32")
      // CHECK-NEXT: ascendc.duplicate %selfF32,
      // CHECK-NEXT: ascendc.duplicate %targetF32,
      ascendc.duplicate %s, %zero, %count : !f32, f32
      ascendc.duplicate %t, %zero, %count : !f32, f32
      // A value of the formula has a name of its own.
      // CHECK-NEXT: %x = ascendc.view %targetF32 {
      // CHECK-NEXT: ascendc.sub %x, %selfF32, %targetF32, %count : <f32>
      ascendc.sub %t, %s, %t, %count {ascendc.held = ["x", "", "", ""]} : !f32
      // What is computed on the way to a value, in place, is called like it; what is read by others as well is not. A block keeps its name beside.
      // CHECK-NEXT: %y = ascendc.view %outF32 {
      // CHECK-NEXT: ascendc.exp %y, %x, %count
      // CHECK-NEXT: ascendc.mul %y, %y, %selfF32, %count
      ascendc.exp %o, %t, %count {ascendc.held = ["exponential", "x", ""]} : !f32
      ascendc.mul %o, %o, %s, %count {ascendc.held = ["y", "exponential", "", ""]} : !f32
      // A value that is written in both branches is declared in front of them.
      // CHECK-NEXT: %product = ascendc.view %x {
      // CHECK-NEXT: scf.if %choice {
      // CHECK-NEXT: ascendc.mul %product, %x, %x, %count
      // CHECK-NEXT: } else {
      // CHECK-NEXT: ascendc.muls %product, %x,
      scf.if %choice {
        ascendc.mul %t, %t, %t, %count {ascendc.held = ["product", "x", "x", ""]} : !f32
      } else {
        ascendc.muls %t, %t, %zero, %count {ascendc.held = ["product", "x", "", ""]} : !f32, f32
      }
      // CHECK: ascendc.sub %outF32, %y, %product, %count
      ascendc.sub %o, %o, %t, %count {ascendc.held = ["outF32", "y", "product", ""]} : !f32
      ascendc.en_que %outQueue, %o : !ascendc.queue<vecout>, !f32
    }
    // Two tensors that would be called alike are told apart by what they are for.
    // CHECK: ascendc.stage compute @Alike
    ascendc.stage compute @Alike (%count: i32 loc("count")) {
      // CHECK-NEXT: %yProduct = ascendc.tbuf_get
      // CHECK-NEXT: %xProduct = ascendc.tbuf_get
      // CHECK-NEXT: %mask = ascendc.tbuf_get
      %t = ascendc.tbuf_get %targetBuf : !f32 loc("targetF32")
      %s = ascendc.tbuf_get %selfBuf : !f32 loc("selfF32")
      %m = ascendc.tbuf_get %maskBuf : !bits loc("mask7")
      %o = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !f32 loc("outF32")
      // CHECK: ascendc.muls %yProduct
      // CHECK-NEXT: ascendc.muls %xProduct
      ascendc.duplicate %o, %zero, %count : !f32, f32
      ascendc.muls %t, %o, %zero, %count {ascendc.held = ["product", "", "", ""]} : !f32, f32
      ascendc.muls %s, %o, %zero, %count {ascendc.held = ["product", "", "", ""]} : !f32, f32
      // CHECK-NEXT: ascendc.compare %mask, %xProduct, %yProduct
      // CHECK-NEXT: %x = ascendc.view %xProduct {
      // CHECK-NEXT: ascendc.muls %x, %xProduct,
      // CHECK-NEXT: ascendc.mul %outF32, %x, %x,
      // CHECK-NEXT: %y = ascendc.view %yProduct {
      // CHECK-NEXT: ascendc.exp %y, %yProduct,
      // CHECK-NEXT: ascendc.select %outF32, %mask, %y, %outF32,
      ascendc.compare %m, %s, %t, eq, %count {ascendc.held = ["mask", "product", "product", ""]} : !bits, !f32, !f32
      ascendc.muls %s, %s, %zero, %count {ascendc.held = ["x", "product", "", ""]} : !f32, f32
      ascendc.mul %o, %s, %s, %count {ascendc.held = ["", "x", "x", ""]} : !f32
      ascendc.exp %t, %t, %count {ascendc.held = ["y", "product", ""]} : !f32
      ascendc.select %o, %m, %t, %o, %count {ascendc.held = ["", "mask", "y", "", ""]} : !f32, !bits, !f32, !f32
      ascendc.en_que %outQueue, %o : !ascendc.queue<vecout>, !f32
    }
    ascendc.process {}
  }
}

// -----

// In a template names stand for the places of all types: a name that comes later is one more for the variable, and what a case rounds is the result.
!gm = !ascendc.gm_addr
!f32 = !ascendc.local<f32>
!T = !ascendc.type_param<"T", f32, f16>
!t = !ascendc.local<!T>
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 multiple 128 }
ascendc.program @p for ["A2"] operator "Op" file "op" formula ["x = self * 2", "out = abs(x)"] {
  // CHECK-LABEL: ascendc.kernel @Cases
  // CHECK: ascendc.tbuf_member "selfF32Buf"
  ascendc.kernel @Cases tiling(@Tiling) template [!T] of !T (%self: !gm loc("self"), %out: !gm loc("out")) {
    %tile = ascendc.tiling_field @tile : i32 loc("tile")
    %zero = arith.constant 0.0 : f32
    %buf = ascendc.tbuf_member "scratch9Buf" : !ascendc.tbuf
    %inQueue = ascendc.queue_member "inQueue" blocks 2 bytes %tile : !ascendc.queue<vecin>
    %outQueue = ascendc.queue_member "outQueue" blocks 2 bytes %tile : !ascendc.queue<vecout>
    ascendc.stage compute @Compute (%count: i32 loc("count")) {
      // CHECK: %self_{{[0-9]+}} = ascendc.de_que
      // CHECK-NEXT: %out_{{[0-9]+}} = ascendc.alloc_tensor
      %in = ascendc.de_que %inQueue : !ascendc.queue<vecin> to !t loc("self")
      %o = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !t loc("out")
      // CHECK: %[[F32:.*]] = ascendc.by_type {{.*}} names ["selfF32"]
      %v = ascendc.by_type !T names ["scratch"] case [f32] {
        %a = ascendc.instance %in : !t to !f32
        ascendc.give %a : !f32
      } case [f16] {
        %a = ascendc.tbuf_get %buf : !f32
        %n = ascendc.instance %in : !t to !ascendc.local<f16>
        // CHECK: ascendc.cast
        ascendc.cast %a, %n, none, %count {ascendc.held = ["selfF32", "self", ""]} : !f32, !ascendc.local<f16>
        ascendc.give %a : !f32
      } -> !f32
      // CHECK: %x = ascendc.view %[[F32]] {
      // CHECK-NEXT: ascendc.muls %x, %[[F32]],
      // CHECK-NEXT: %outF32 = ascendc.view %x {
      // CHECK-NEXT: ascendc.abs %outF32, %x,
      ascendc.muls %v, %v, %zero, %count {ascendc.held = ["x", "selfF32", "", ""]} : !f32, f32
      ascendc.abs %v, %v, %count {ascendc.held = ["size", "x", ""]} : !f32
      // CHECK: ascendc.cast %{{.*}}, %outF32,
      ascendc.by_type !T names [] case [f16] {
        %n = ascendc.instance %o : !t to !ascendc.local<f16>
        ascendc.cast %n, %v, rint, %count {ascendc.held = ["out", "size", ""]} : !ascendc.local<f16>, !f32
        ascendc.give
      }
      ascendc.free_tensor %inQueue, %in : !ascendc.queue<vecin>, !t
      ascendc.en_que %outQueue, %o : !ascendc.queue<vecout>, !t
    }
    ascendc.process {}
  }
}
