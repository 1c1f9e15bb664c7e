// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes --lossgrad-schedule --convert-lossgrad-to-ascendc -mlir-use-nameloc-as-prefix | FileCheck %s

// One lowering for all spaces. Many rows per tile: the sum is one value per
// row, spread to a block each and combined with the tile by repeats.

// CHECK-LABEL: ascendc.kernel @RowsSplitF32
// The steps are dealt to the cores: each stores its sums, all meet, each folds those of all.
// CHECK: ascendc.stage {{ *}}compute @ComputeSum
// CHECK: ascendc.accumulate {{ *}}sum %[[PARTIAL:.*]], %{{.*}}, %at of %whole, %step
// CHECK: ascendc.stage {{ *}}compute @FinishSum
// CHECK: ascendc.duplicate
// CHECK: ascendc.reduce_lanes_in_place {{ *}}sum %[[SUMS:.*]], %[[PARTIAL]], %at
// CHECK: ascendc.stage {{ *}}copy_out @StorePartialSum
// CHECK: ascendc.store_dense %{{.*}}[%{{.*}}], %[[SUMS]], %c32_i32
// CHECK: ascendc.stage {{ *}}copy_in @LoadPartialSum
// CHECK: ascendc.stage {{ *}}compute @CombineSum
// CHECK: ascendc.combine_partials {{ *}}sum
// CHECK: ascendc.process
// CHECK: ascendc.run @FinishSum
// CHECK-NEXT: ascendc.run @StorePartialSum
// CHECK-NEXT: ascendc.sync_all
// CHECK-NEXT: ascendc.run @LoadPartialSum
// CHECK-NEXT: ascendc.run @CombineSum

// A packed tile: tables of offsets, made anew where the number of rows changes,
// take the rows apart and spread what they have once.
// CHECK-LABEL: ascendc.kernel @PackedF32
// CHECK: %[[TAKE:.*]] = ascendc.buffer "takeOffsets" [%tileLength] lifetime {{ *}}resident
// CHECK: %[[SPREAD:.*]] = ascendc.buffer "spreadOffsets" [%tileLength] lifetime {{ *}}resident
// CHECK: ascendc.stage {{ *}}compute @FindRows
// CHECK: ascendc.packed_offsets %[[TAKE]], %[[SPREAD]], %{{.*}}, %at scratch %{{.*}}
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: ascendc.reduce_packed {{ *}}sum %[[SUM:.*]], %[[SELF:.*]], %[[TAKE]], %at
// CHECK: ascendc.spread_packed %[[SPREADS:.*]], %[[SUM]], %[[SPREAD]], %at
// CHECK: ascendc.sub %{{.*}}, %[[SELF]], %[[SPREADS]], %
// CHECK: ascendc.process
// CHECK: %[[AT:.*]] = ascendc.packed_at %{{.*}}, %tile
// CHECK: scf.if
// CHECK-NEXT: ascendc.run @FindRows(%[[AT]])
// CHECK: ascendc.run @CopyIn(%[[AT]])

// CHECK-LABEL: ascendc.kernel @RowsF32
// CHECK: ascendc.tile_grid "grid"
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: ascendc.reduce_lanes {{ *}}sum %[[SUM:.*]], %[[SELF:.*]], %at scratch %{{.*}}
// CHECK: ascendc.spread_rows %[[BLOCKS:.*]], %[[SUM]], %at
// CHECK: ascendc.with_rows {{ *}}minus %{{.*}}, %[[SELF]], %[[BLOCKS]], %at

// A row stays in UB: it is loaded once per unit, and steps take parts of it.
// CHECK-LABEL: ascendc.kernel @RowsResidentF32
// CHECK: ascendc.step_grid "grid"
// CHECK: ascendc.buffer "self" [%rowLength] lifetime {{ *}}resident
// CHECK: ascendc.stage {{ *}}copy_in @CopyInRow
// CHECK: ascendc.stage {{ *}}compute @ComputeSum
// CHECK: %[[FIRST:.*]] = ascendc.first_lane %at
// CHECK: ascendc.view %{{.*}}[%[[FIRST]]]
// One row per tile: the sum is a scalar, read once per row.
// CHECK: ascendc.stage {{ *}}compute @FinishSum
// CHECK: ascendc.get_value
// CHECK-NEXT: ascendc.assign
// CHECK: ascendc.stage {{ *}}compute @Compute
// CHECK: ascendc.read
// CHECK: ascendc.adds
// CHECK: ascendc.process
// CHECK: ascendc.unit_row %{{.*}}, %unit
// CHECK-NEXT: ascendc.run @CopyInRow

// CHECK-LABEL: ascendc.kernel @RowsTwiceF32
// CHECK: ascendc.stage {{ *}}copy_in @CopyInSum
// CHECK: ascendc.stage {{ *}}copy_in @CopyIn

// Lanes along what is kept: the sum is one value per lane.
// CHECK-LABEL: ascendc.kernel @ColumnsF32
// CHECK: ascendc.reduce_rows {{ *}}sum %[[SUMS:.*]], %[[SELF:.*]], %at
// CHECK: ascendc.with_lanes {{ *}}minus %{{.*}}, %[[SELF]], %[[SUMS]], %at
// CHECK-LABEL: ascendc.kernel @ColumnsTwiceF32
// CHECK: ascendc.reduce_rows_in_place {{ *}}sum

// CHECK-LABEL: ascendc.kernel @AnyRows
// CHECK: ascendc.expand_tile
// CHECK-LABEL: ascendc.kernel @AnyColumns
// CHECK: ascendc.entry @lossgrad_center tiling(@CenterTilingData) syncs
lossgrad.operator @Center
    summary "" products [A2]
    dims [a1..., r at dim, a0...]
    params [in self : [a1, r, a0] real "const aclTensor *" dtypes {[float32]}, attr dim : int "int64_t", out y : [a1, r, a0] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%self: [a1, r, a0] real) {
      %sum = reduce sum %self over [r] : [a1, r, a0] real
      %y = sub %self, %sum : [a1, r, a0] real, [a1, a0] real
      yield y = %y : [a1, r, a0] real
    }
