// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics

// A call that the product does not have.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A910"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %s = arith.constant 1.0 : f32
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.maxs' op Maxs does not exist on Atlas training}}
      ascendc.maxs %a, %a, %s, %count : !ascendc.local<f32>, f32
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// An element type that the call does not take.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<bf16>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.add' op Add on Atlas A2 does not take bfloat16_t; it takes half, float, int16_t, int32_t}}
      ascendc.add %a, %a, %a, %count : !ascendc.local<bf16>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Each candidate of a template parameter counts.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<!ascendc.type_param<"T", f16, bf16>>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.exp' op Exp on Atlas A2 does not take bfloat16_t; it takes half, float}}
      ascendc.exp %a, %a, %count : !ascendc.local<!ascendc.type_param<"T", f16, bf16>>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// A rounding mode that writes nothing on the device.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %b = ascendc.buffer "b" [%n] : !ascendc.local<bf16>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.cast' op Cast from float to bfloat16_t on Atlas A2 has no rounding mode none; it has rint, floor, ceil, round, trunc}}
      ascendc.cast %b, %a, none, %count : !ascendc.local<bf16>, !ascendc.local<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// A conversion that does not exist.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A310P"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %b = ascendc.buffer "b" [%n] : !ascendc.local<i16>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.cast' op Cast from float to int16_t on Atlas inference does not exist}}
      ascendc.cast %b, %a, rint, %count : !ascendc.local<i16>, !ascendc.local<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Byte-granular copies only where the product has them.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A310P"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %z = arith.constant 0 : i64
    %g = ascendc.global "g", %arg : !ascendc.global<f32>
    ascendc.stage copy_in @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.data_copy_pad_in' op DataCopyPad does not exist on Atlas inference}}
      ascendc.data_copy_pad_in %a, %g[%z], %count : !ascendc.local<f32>, !ascendc.global<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// 32-bit integers compare for equality only.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<i32>
    %m = ascendc.buffer "m" [%n] : !ascendc.local<i1>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.compare' op Compare on Atlas A2 does not take int32_t; it takes half, float}}
      ascendc.compare %m, %a, %a, lt, %count : !ascendc.local<i1>, !ascendc.local<i32>, !ascendc.local<i32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Neither shape.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.abs' op needs either a count or mask, repeat and strides}}
      ascendc.abs %a, %a : !ascendc.local<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Too few strides.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.abs' op has 2 strides, expected 4}}
      ascendc.abs %a, %a mask(%count) repeat(%count) strides [1, 1] : !ascendc.local<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// A stage that uses a pipe that is not its own.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f32>
    %z = arith.constant 0 : i64
    %g = ascendc.global "g", %arg : !ascendc.global<f32>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.data_copy_in' op runs on pipe MTE2, which a compute stage does not use}}
      ascendc.data_copy_in %a, %g[%z], %count : !ascendc.local<f32>, !ascendc.global<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Copies do not convert.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f16>
    %z = arith.constant 0 : i64
    %g = ascendc.global "g", %arg : !ascendc.global<f32>
    ascendc.stage copy_in @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.data_copy_in' op copies between element types 'f32' and 'f16'; they must be equal}}
      ascendc.data_copy_in %a, %g[%z], %count : !ascendc.local<f16>, !ascendc.global<f32>
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// No scalar half.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %a = ascendc.buffer "a" [%n] : !ascendc.local<f16>
    ascendc.stage compute @Stage (%count: i32) {
      // expected-error @+1 {{'ascendc.get_value' op accesses one 'f16' as 'f32'; only f32 and integers have scalar access, convert with Cast first}}
      %0 = ascendc.get_value %a[%count : i32] : !ascendc.local<f16> to f32
    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// An extent that the host could not know.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    %m = arith.addi %n, %n : i32
    // expected-error @+1 {{'ascendc.buffer' op has an extent that is neither a number nor a member of the tiling data; the UB budget could not be stated to the host}}
    %a = ascendc.buffer "a" [%m] : !ascendc.local<f32>
    ascendc.stage compute @Stage (%count: i32) {

    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// A member that is not there.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    // expected-error @+1 {{'ascendc.tiling_field' op names @length, which is not a member of @Tiling}}
    %m = ascendc.tiling_field @length : i32
    ascendc.stage compute @Stage (%count: i32) {

    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// A member of another type.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32
    // expected-error @+1 {{'ascendc.tiling_field' op has type 'i64', but @tile is 'i32'}}
    %m = ascendc.tiling_field @tile : i64
    ascendc.stage compute @Stage (%count: i32) {

    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
}

// -----

// Unknown product.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
// expected-error @+1 {{'ascendc.program' op names a product family that has no record; known families: }}
ascendc.program @p for ["A7"] operator "Op" file "op" {}

// -----

// Families of two architectures.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
// expected-error @+1 {{'ascendc.program' op joins families of different architectures: A2 (2201) and A310P (2002)}}
ascendc.program @p for ["A2", "A310P"] operator "Op" file "op" {}

// -----

// A key twice.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32

    ascendc.stage compute @Stage (%count: i32) {

    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
  ascendc.entry @op tiling(@Tiling) (%a: !ascendc.gm_addr) {
    ascendc.key 1 { ascendc.launch @K(%a) : !ascendc.gm_addr }
    // expected-error @+1 {{'ascendc.key' op repeats the tiling key 1}}
    ascendc.key 1 { ascendc.launch @K(%a) : !ascendc.gm_addr }
  }
}

// -----

// A launch with the wrong arguments.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    %n = ascendc.tiling_field @tile : i32

    ascendc.stage compute @Stage (%count: i32) {

    }
    ascendc.process { ascendc.run @Stage(%n) : i32 }
  }
  ascendc.entry @op tiling(@Tiling) (%a: !ascendc.gm_addr) {
    ascendc.key 1 { ascendc.launch @K(%a) : !ascendc.gm_addr }
    ascendc.key 2 {
      // expected-error @+1 {{'ascendc.launch' op passes 2 arguments, the kernel takes 1}}
      ascendc.launch @K(%a, %a) : !ascendc.gm_addr, !ascendc.gm_addr
    }
  }
}

// -----

// Members come first.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {
    ascendc.process {}
    // expected-error @+1 {{'ascendc.tiling_field' op is out of order in the kernel: members come first, then init, the stages, process}}
    %n = ascendc.tiling_field @tile : i32
  }
}

// -----

// A kernel without its loop.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // expected-error @+1 {{'ascendc.kernel' op has 0 ascendc.process, expected one}}
  ascendc.kernel @K tiling(@Tiling) (%arg: !ascendc.gm_addr) {}
}

// -----

// Scalars travel in the tiling data.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  // expected-error @+1 {{'ascendc.kernel' op has an argument of type 'f32'; kernel arguments are !ascendc.gm_addr, scalars travel in the tiling data}}
  ascendc.kernel @K tiling(@Tiling) (%arg: f32) { ascendc.process {} }
}

// -----

// Buffers are planned for elements of one width.
ascendc.tiling_struct @Tiling { ascendc.tiling_member @tile : i32 }
ascendc.program @p for ["A2"] operator "Op" file "op" {
  ascendc.kernel @K tiling(@Tiling) () {
    // expected-error @+1 {{'ascendc.buffer' op holds elements of 'f16' or 'f32', which differ in width}}
    %x = ascendc.buffer "x" [64] : !ascendc.local<!ascendc.type_param<"T", f16, f32>>
    ascendc.process {}
  }
}

// -----

// Types.
// expected-error @+1 {{'f64' is not an element type of AscendC tensors; expected f32, f16, bf16, a sized integer or a template parameter}}
func.func private @f(!ascendc.local<f64>)

// -----

// Queries name a kernel.
func.func @f(%ub: i64) -> i64 {
  // expected-error @+1 {{'ascendc.ub_bytes' op names @p::@K, which is not a kernel}}
  %0 = ascendc.ub_bytes @p::@K ["tile"](%ub)
  return %0 : i64
}
