// Cores meet without hardware on 310P and 910: every core clears the slots of all
// in a region of the workspace that this meeting has for itself, behind the sums
// of 72 cores, the most that any product has, and counts in its own. The kernel type is that of any other.
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/LogSoftmaxBackward.td | lossgrad-opt --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A310P --lossgrad-schedule --convert-lossgrad-to-ascendc | FileCheck %s
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/LogSoftmaxBackward.td | lossgrad-opt --lossgrad-to-ascendc=soc=A910 | lossgrad-translate --mlir-to-ascendc | FileCheck %s --check-prefix=TEXT
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/LogSoftmaxBackward.td | lossgrad-opt --lossgrad-to-ascendc=soc=A910 | lossgrad-translate --mlir-to-tiling | FileCheck %s --check-prefix=HOST
// RUN: lossgrad-translate --td-to-mlir %source_root/ops_td/LogSoftmaxBackward.td | lossgrad-opt --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=HARDWARE

// CHECK-LABEL: ascendc.kernel @RowsSplitF32
// CHECK: %[[GM:.*]] = ascendc.global "slotsGm"
// CHECK: %[[SLOTS:.*]] = ascendc.buffer "slots" [576] : <i32>
// CHECK: ascendc.stage {{ *}}compute @ClearSlotsTotal
// CHECK: ascendc.duplicate %[[SLOTS]], %{{.*}}, %{{.*}} : <i32>, i32
// CHECK: ascendc.stage {{ *}}copy_out @MeetTotal
// CHECK: ascendc.data_copy_out %[[GM]][%c2304_i64{{.*}}], %[[SLOTS]], %{{.*}}
// CHECK: ascendc.sync_all_software %[[GM]][%c2304_i64{{.*}}], %[[SLOTS]]
// CHECK: ascendc.run @StorePartialTotal
// CHECK-NEXT: ascendc.run @ClearSlotsTotal
// CHECK-NEXT: ascendc.run @MeetTotal
// CHECK-NEXT: ascendc.run @LoadPartialTotal
// CHECK-NOT: ascendc.sync_all{{$}}
// CHECK: ascendc.entry @{{.*}} tiling(@LogSoftmaxBackwardTilingData)
// CHECK-NOT: syncs

// TEXT: void MeetTotal()
// TEXT: DataCopy(slotsGm[2304], slots, static_cast<int32_t>(GetBlockNum() * 8));
// TEXT-NEXT: SyncAll(slotsGm[2304], slots);
// TEXT-NOT: KERNEL_TASK_TYPE_DEFAULT

// 72 cores with 128 floats and a slot each.
// HOST: 39168
// HOST: context->SetScheduleMode(ALL_CORES_AT_ONCE);

// HARDWARE-NOT: slots
// HARDWARE: ascendc.sync_all{{$}}
// HARDWARE-NOT: sync_all_software
