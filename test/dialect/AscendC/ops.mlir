// RUN: lossgrad-opt %s | lossgrad-opt | FileCheck %s
// RUN: lossgrad-opt %s --mlir-print-op-generic | lossgrad-opt | FileCheck %s

!T = !ascendc.type_param<"T", f16, bf16>
!f32 = !ascendc.local<f32>
!i32 = !ascendc.local<i32>
!t = !ascendc.local<!T>
!bits = !ascendc.local<i1>
!gm = !ascendc.global<f32>

// CHECK-LABEL: ascendc.tiling_struct @Tiling
ascendc.tiling_struct @Tiling {
  // CHECK: ascendc.tiling_member @total : i64
  ascendc.tiling_member @total : i64
  // CHECK: ascendc.tiling_member @strides : i64 array 8 "in elements"
  ascendc.tiling_member @strides : i64 array 8 "in elements"
  // CHECK: ascendc.tiling_member @tile : i32 multiple 128
  ascendc.tiling_member @tile : i32 multiple 128
  ascendc.tiling_member @scale : f32
}

// CHECK-LABEL: ascendc.program @arch2201 for ["A2", "A3"] operator "Op" file "op" formula ["y = x"]
ascendc.program @arch2201 for ["A2", "A3"] operator "Op" file "op" formula ["y = x"] {
  // CHECK: ascendc.kernel @K tiling(@Tiling) template [!ascendc.type_param<"T", f16, bf16>] schedule "all calls" (%{{.*}}: !ascendc.gm_addr)
  ascendc.kernel @K tiling(@Tiling) template [!T] schedule "all calls" (%arg: !ascendc.gm_addr) {
    %c0 = arith.constant 0 : i32
    %c0_64 = arith.constant 0 : i64
    // CHECK: ascendc.tiling_field @tile : i32
    %n = ascendc.tiling_field @tile : i32
    %s = ascendc.tiling_field @scale : f32
    // CHECK: ascendc.tiling_field @strides[%{{.*}} : i32] : i64
    %stride = ascendc.tiling_field @strides[%c0 : i32] : i64
    // CHECK: ascendc.global "xGm", %{{.*}} : <f32>
    %gm = ascendc.global "xGm", %arg : !gm
    %slotsGm = ascendc.global "slotsGm", %arg : !ascendc.global<i32>
    // CHECK: ascendc.variable "sum" : <f32>
    %sum = ascendc.variable "sum" : !ascendc.var<f32>
    // CHECK: ascendc.buffer "a" [%{{.*}}] : <f32>
    %a = ascendc.buffer "a" [%n] : !f32
    // CHECK: ascendc.buffer "b" [%{{.*}}, 8] lifetime resident : <f32>
    %b = ascendc.buffer "b" [%n, 8] lifetime resident : !f32
    // CHECK: ascendc.buffer "b2" [%{{.*}}] value "b" : <f32>
    %b2 = ascendc.buffer "b2" [%n] value "b" : !f32
    %d = ascendc.buffer "d" [%n] : !f32
    %t = ascendc.buffer "t" [%n] : !t
    %i = ascendc.buffer "i" [%n] : !i32
    %o = ascendc.buffer "o" [%n] : !ascendc.local<ui32>
    %h = ascendc.buffer "h" [256] : !ascendc.local<f16>
    %w = ascendc.buffer "w" [%n] : !ascendc.local<i16>
    // CHECK: ascendc.buffer "m" [%{{.*}}] : <i1>
    %m = ascendc.buffer "m" [%n] : !bits
    // CHECK: ascendc.init
    ascendc.init {
      // CHECK: ascendc.set_l2_cache_hint %{{.*}} bypass : <f32>
      ascendc.set_l2_cache_hint %gm bypass : !gm
    }
    // CHECK: ascendc.stage copy_in @In doc "load" (%{{.*}}: i64, %{{.*}}: i32)
    ascendc.stage copy_in @In doc "load" (%offset: i64, %count: i32) {
      // CHECK: ascendc.data_copy_in %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : <f32>, <f32>
      ascendc.data_copy_in %a, %gm[%offset], %count : !f32, !gm
      // CHECK: ascendc.data_copy_pad_in %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} rows(%{{.*}}) gm_gap(%{{.*}} : i64) ub_gap(%{{.*}}) pad(%{{.*}}) value(%{{.*}} : f32) : <f32>, <f32>
      ascendc.data_copy_pad_in %a, %gm[%offset], %count rows(%count) gm_gap(%offset : i64) ub_gap(%count) pad(%count) value(%s : f32) : !f32, !gm
    }
    // CHECK: ascendc.stage compute @Compute (%{{.*}}: i32)
    ascendc.stage compute @Compute (%count: i32) {
      // CHECK: ascendc.add %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <f32>
      ascendc.add %d, %a, %b, %count : !f32
      // CHECK: ascendc.sub %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) repeat(%{{.*}}) strides [1, 1, 1, %{{.*}}, 8, 0] : <f32>
      ascendc.sub %d, %a, %b mask(%count) repeat(%count) strides [1, 1, 1, %count, 8, 0] : !f32
      ascendc.mul %d, %a, %b, %count : !f32
      ascendc.div %d, %a, %b, %count : !f32
      ascendc.max %d, %a, %b, %count : !f32
      ascendc.min %d, %a, %b, %count : !f32
      ascendc.and %w, %w, %w, %count : !ascendc.local<i16>
      ascendc.or %w, %w, %w, %count : !ascendc.local<i16>
      // CHECK: ascendc.exp %{{.*}}, %{{.*}}, %{{.*}} : <f32>
      ascendc.exp %d, %a, %count : !f32
      ascendc.ln %d, %a, %count : !f32
      ascendc.sqrt %d, %a, %count : !f32
      ascendc.rsqrt %d, %a, %count : !f32
      ascendc.reciprocal %d, %a, %count : !f32
      ascendc.abs %d, %a, %count : !f32
      ascendc.relu %d, %a, %count : !f32
      ascendc.not %w, %w, %count : !ascendc.local<i16>
      // CHECK: ascendc.muls %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <f32>, f32
      ascendc.muls %d, %a, %s, %count : !f32, f32
      ascendc.adds %d, %a, %s, %count : !f32, f32
      ascendc.maxs %d, %a, %s, %count : !f32, f32
      ascendc.mins %d, %a, %s, %count : !f32, f32
      ascendc.leaky_relu %d, %a, %s, %count : !f32, f32
      ascendc.shift_left %i, %i, %count, %count : !i32, i32
      ascendc.shift_right %i, %i, %count, %count : !i32, i32
      // CHECK: ascendc.axpy %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <f32>, <f32>, f32
      ascendc.axpy %d, %a, %s, %count : !f32, !f32, f32
      ascendc.mul_add_dst %d, %a, %b, %count : !f32, !f32, !f32
      ascendc.fused_mul_add %d, %a, %b, %count : !f32, !f32, !f32
      // CHECK: ascendc.cast %{{.*}}, %{{.*}}, none, %{{.*}} : <f32>, <!ascendc.type_param<"T", f16, bf16>>
      ascendc.cast %d, %t, none, %count : !f32, !t
      ascendc.cast %t, %d, rint, %count : !t, !f32
      // CHECK: ascendc.compare %{{.*}}, %{{.*}}, %{{.*}}, eq, %{{.*}} : <i1>, <f32>, <f32>
      ascendc.compare %m, %a, %b, eq, %count : !bits, !f32, !f32
      ascendc.compare %m, %i, %i, eq, %count : !bits, !i32, !i32
      // CHECK: ascendc.compare_scalar %{{.*}}, %{{.*}}, %{{.*}}, gt, %{{.*}} : <i1>, <f32>, f32
      ascendc.compare_scalar %m, %a, %s, gt, %count : !bits, !f32, f32
      // CHECK: ascendc.select %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <f32>, <i1>, <f32>, <f32>
      ascendc.select %d, %m, %a, %b, %count : !f32, !bits, !f32, !f32
      ascendc.select_scalar %d, %m, %a, %s, %count : !f32, !bits, !f32, f32
      ascendc.duplicate %d, %s, %count : !f32, f32
      ascendc.create_vec_index %i, %c0, %count : !i32, i32
      ascendc.arith_progression %i, %c0, %count, %count : !i32, i32, i32
      // CHECK: ascendc.brcb %{{.*}}, %{{.*}} repeat(%{{.*}}) strides [1, 8] : <f32>
      ascendc.brcb %b, %a repeat(%count) strides [1, 8] : !f32
      // CHECK: ascendc.copy %{{.*}}, %{{.*}} mask(%{{.*}}) repeat(%{{.*}}) strides [1, 1, 8, 0] : <f32>
      ascendc.copy %d, %a mask(%count) repeat(%count) strides [1, 1, 8, 0] : !f32
      ascendc.data_copy_local %d, %a, %count : !f32
      ascendc.gather %d, %a, %o, %c0, %count : !f32, !f32, !ascendc.local<ui32>
      ascendc.transpose %h, %h : !ascendc.local<f16>
      // CHECK: ascendc.whole_reduce_sum %{{.*}}, %{{.*}} mask(%{{.*}}) repeat(%{{.*}}) strides [1, 1, 8] : <f32>
      ascendc.whole_reduce_sum %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.whole_reduce_max %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.whole_reduce_min %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.block_reduce_sum %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.block_reduce_max %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.block_reduce_min %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      ascendc.pair_reduce_sum %d, %a mask(%count) repeat(%count) strides [1, 1, 8] : !f32
      // CHECK: ascendc.reduce_sum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <f32>
      ascendc.reduce_sum %d, %a, %b, %count : !f32
      ascendc.reduce_max %d, %a, %b, %count : !f32
      ascendc.reduce_min %d, %a, %b, %count : !f32
      // CHECK: ascendc.get_value %{{.*}}[%{{.*}} : i32] : <f32> to f32
      %first = ascendc.get_value %d[%c0 : i32] : !f32 to f32
      // CHECK: ascendc.set_value %{{.*}}[%{{.*}} : i32], %{{.*}} : <f32>, f32
      ascendc.set_value %d[%c0 : i32], %first : !f32, f32
      // CHECK: ascendc.assign %{{.*}}, %{{.*}} : <f32>, f32
      ascendc.assign %sum, %first : !ascendc.var<f32>, f32
      // CHECK: ascendc.read %{{.*}} : <f32> -> f32
      %again = ascendc.read %sum : !ascendc.var<f32> -> f32
      // CHECK: ascendc.view %{{.*}}[%{{.*}}] slot 1 : <f32> to <i32>
      %view = ascendc.view %d[%c0] slot 1 : !f32 to !i32
      // CHECK: ascendc.pipe_barrier V
      ascendc.pipe_barrier V
      // CHECK: ascendc.fetch_event_id : <V_S>
      %event = ascendc.fetch_event_id : !ascendc.event<V_S>
      ascendc.set_flag %event : !ascendc.event<V_S>
      ascendc.wait_flag %event : !ascendc.event<V_S>
    }
    ascendc.stage copy_out @Out (%offset: i64, %count: i32) {
      // CHECK: ascendc.set_atomic_add f32
      ascendc.set_atomic_add f32
      // CHECK: ascendc.data_copy_out %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : <f32>, <f32>
      ascendc.data_copy_out %gm[%offset], %d, %count : !gm, !f32
      ascendc.data_copy_pad_out %gm[%offset], %d, %count rows(%count) gm_gap(%offset : i64) ub_gap(%count) : !gm, !f32
      // CHECK: ascendc.set_atomic_none
      ascendc.set_atomic_none
    }
    // CHECK: ascendc.process
    ascendc.process {
      // CHECK: ascendc.get_block_idx
      %core = ascendc.get_block_idx
      %cores = ascendc.get_block_num
      // CHECK: ascendc.run @In(%{{.*}}, %{{.*}}) : i64, i32
      ascendc.run @In(%core, %n) : i64, i32
      ascendc.sync_all
      // CHECK: ascendc.sync_all_software %{{.*}}[%{{.*}}], %{{.*}} : <i32>, <i32>
      ascendc.sync_all_software %slotsGm[%c0_64], %i : !ascendc.global<i32>, !ascendc.local<i32>
      %x = ascendc.global_get_value %gm[%c0_64 : i64] : !gm to f32
      ascendc.global_set_value %gm[%c0_64 : i64], %x : !gm, f32
    }
  }
  // CHECK: ascendc.entry @op tiling(@Tiling) syncs (%{{.*}}: !ascendc.gm_addr)
  ascendc.entry @op tiling(@Tiling) syncs (%arg: !ascendc.gm_addr) {
    // CHECK: ascendc.key 1
    ascendc.key 1 {
      // CHECK: ascendc.launch @K<[f16]> (%{{.*}}) : !ascendc.gm_addr
      ascendc.launch @K<[f16]>(%arg) : !ascendc.gm_addr
    }
    ascendc.key 2 {
      ascendc.launch @K<[bf16]>(%arg) : !ascendc.gm_addr
    }
  }
}

// CHECK-LABEL: func.func @host
func.func @host(%ub: i64) -> (i64, i64) {
  // CHECK: ascendc.ub_solve @arch2201::@K for "tile" in %{{.*}} given []()
  %tile = ascendc.ub_solve @arch2201::@K for "tile" in %ub given []()
  // CHECK: ascendc.ub_bytes @arch2201::@K ["tile"](%{{.*}})
  %bytes = ascendc.ub_bytes @arch2201::@K ["tile"](%tile)
  return %tile, %bytes : i64, i64
}
