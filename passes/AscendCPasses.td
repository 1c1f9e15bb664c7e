//===- AscendCPasses.td - level 3: buffers, pipes, text -------------------===//
//
// The passes between conversion to the ascendc dialect and the printer, in the
// order in which they run.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_ASCENDCPASSES_TD
#define LOSSGRAD_ASCENDCPASSES_TD

include "mlir/Pass/PassBase.td"

def AscendCPlanBuffers : Pass<"ascendc-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Place virtual buffers in queues and TBufs and state the UB budget";
  let description = [{
    Buffers that a copy_in stage loads share the blocks of one VECIN queue, those that a copy_out stage stores one VECOUT queue, both
    double-buffered; the rest is scratch. Values share storage where their lives do not meet; a call writes over an operand that dies in it where
    the API allows it. Two sources of one vector call start half a bank period apart. Queries of the UB budget in host code become arithmetic.
    Calls say which value is in a tensor that is called after another one (`ascendc.held`).

    ```mlir
    %a = ascendc.buffer "a" [%tileLength] : !ascendc.local<f32>
    %b = ascendc.buffer "b" [%tileLength] : !ascendc.local<f32>
    %y = ascendc.buffer "y" [%tileLength] : !ascendc.local<f32>
    ascendc.stage compute @Compute (%count: i32) {
      ascendc.add %y, %a, %b, %count : !ascendc.local<f32>
    }
    ```
    becomes
    ```mlir
    %inQueue = ascendc.queue_member "inQueue" blocks 2 bytes %inBytes : !ascendc.queue<vecin>
    %outQueue = ascendc.queue_member "outQueue" blocks 2 bytes %outBytes : !ascendc.queue<vecout>
    ascendc.stage compute @Compute (%count: i32) {
      %inputs = ascendc.de_que %inQueue : !ascendc.queue<vecin> to !ascendc.local<f32>
      %a = ascendc.view %inputs slot 0 : !ascendc.local<f32> to !ascendc.local<f32>
      %b = ascendc.view %inputs[%bOffset] slot 1 : !ascendc.local<f32> to !ascendc.local<f32>
      %y = ascendc.alloc_tensor %outQueue : !ascendc.queue<vecout> to !ascendc.local<f32>
      ascendc.add %y, %a, %b, %count : !ascendc.local<f32>
      ascendc.free_tensor %inQueue, %inputs : !ascendc.queue<vecin>, !ascendc.local<f32>
      ascendc.en_que %outQueue, %y : !ascendc.queue<vecout>, !ascendc.local<f32>
    }
    ```
    Precondition: kernels as conversion leaves them (docs/ascendc-dialect.md). It is an error if a kernel needs more buffers or more blocks in flight
    than the product has.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AscendCInsertSync : Pass<"ascendc-insert-sync", "::mlir::ModuleOp"> {
  let summary = "Order what queues do not order, and nothing else";
  let description = [{
    Follows the kernel through init, process and the stages it runs. Where an op reads or writes bytes that an earlier op still may be writing or reading:
    on the vector pipe a `PipeBarrier<PIPE_V>` (not on products that order vector calls themselves), between pipes an event. Bytes differ if their
    slots differ, or if they start at different constant offsets and do not reach each other. Between a stage that runs rarely and one that runs
    often the event is put into the former.

    ```mlir
    ascendc.sub %x, %a, %b, %count : !ascendc.local<f32>
    ascendc.mul %x, %x, %c, %count : !ascendc.local<f32>
    %first = ascendc.get_value %x[%zero : i32] : !ascendc.local<f32> to f32
    ```
    becomes
    ```mlir
    ascendc.sub %x, %a, %b, %count : !ascendc.local<f32>
    ascendc.pipe_barrier V
    ascendc.mul %x, %x, %c, %count : !ascendc.local<f32>
    %event = ascendc.fetch_event_id : !ascendc.event<V_S>
    ascendc.set_flag %event : !ascendc.event<V_S>
    ascendc.wait_flag %event : !ascendc.event<V_S>
    %first = ascendc.get_value %x[%zero : i32] : !ascendc.local<f32> to f32
    ```
    Precondition: `ascendc-plan-buffers` has run.
  }];
}

def AscendCMergeKernels : Pass<"ascendc-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Make one class template of kernels that differ in their element types";
  let description = [{
    Kernels of one `group` compute the same on float32, on a 16-bit type, and on bytes whose types the call tells; planning puts their values into
    different places. Their statements are aligned. What all do is written once: on the parameter where each has its own element type, on a variable
    where places differ. The rest stands in the cases of an `ascendc.by_type`. Kernels whose cases would be longer than what they share stay apart.

    ```mlir
    ascendc.kernel @FlatF32 ... group "Flat" of f32 { ... ascendc.sub %self, %self, %target, %count ... }
    ascendc.kernel @Flat16 ... group "Flat" of !Narrow { ... ascendc.cast ... ascendc.sub %selfF32, %selfF32, %targetF32, %count ... }
    ```
    becomes
    ```mlir
    ascendc.kernel @Flat ... template [!T] of !T {
      ...
      %selfF32, %targetF32 = ascendc.by_type !T names ["selfF32", "targetF32"] case [f32] { ... } case [f16, bf16] { ... ascendc.cast ... } -> ...
      ascendc.sub %selfF32, %selfF32, %targetF32, %count : !ascendc.local<f32>
      ...
    }
    ```
    Launches and the host's table name the template. Precondition: `ascendc-insert-sync` has run; the UB of the kernels is no longer asked for.
  }];
  let statistics = [Statistic<"numMerged", "templates", "class templates made">];
}

def AscendCNameValues : Pass<"ascendc-name-values", "::mlir::ModuleOp"> {
  let summary = "Call tensors after the values that they hold";
  let description = [{
    Planning lets values share storage, and calls compute in place. Here a tensor gets a name for each value with a meaning of its own, a value of the
    formula or of a parameter, from where that is computed on: a `view` of the same place. What is computed on the way, in place and for nothing else, has
    the name of what it becomes. What is only rounded into a result is that result (`outF32`), what is only summed up is called like its sum. Other values
    are called after what their call does (`product`), with what they are for in front where two tensors of a stage were called alike (`nllProduct`).

    ```mlir
    ascendc.sub %target, %self, %target, %count {ascendc.held = ["x", "", "", ""]} : !ascendc.local<f32>
    ascendc.muls %target, %target, %k, %count {ascendc.held = ["product", "x", "", ""]} : !ascendc.local<f32>, f32
    ascendc.mul %target, %target, %gradOut, %count {ascendc.held = ["gradInput", "product", "", ""]} : !ascendc.local<f32>
    ```
    becomes
    ```mlir
    %x = ascendc.view %target : !ascendc.local<f32> to !ascendc.local<f32>
    ascendc.sub %x, %self, %target, %count : !ascendc.local<f32>
    %gradInput = ascendc.view %x : !ascendc.local<f32> to !ascendc.local<f32>
    ascendc.muls %gradInput, %x, %k, %count : !ascendc.local<f32>, f32
    ascendc.mul %gradInput, %gradInput, %gradOut, %count : !ascendc.local<f32>
    ```
    A TBuf is called after what stages take it for, or `scratch` where that differs. Calls, buffers and their order stay.
    Precondition: `ascendc-insert-sync` and, where it runs, `ascendc-merge-kernels` have run.
  }];
}

def AscendCPrepareForEmission : Pass<"ascendc-prepare-for-emission", "::mlir::ModuleOp"> {
  let summary = "Rewrite what C++ cannot say, so that the printer decides nothing";
  let description = [{
    Scalars that the kernel body computes and stages use become members (`ascendc.field`); members of the tiling data lose their names and are
    written where they are used, as are the parts of a block in stages that mention them once; scalars without a name that several ops use get one.

    ```mlir
    %tileLength = ascendc.tiling_field @tileLength : i32
    %selfOffset = arith.addi %tileLength, %c64 : i32
    ascendc.stage copy_in @CopyIn { ... %inputs[%selfOffset] ... }
    ```
    becomes
    ```mlir
    %0 = ascendc.tiling_field @tileLength : i32
    %1 = arith.addi %0, %c64 : i32
    %selfOffset = ascendc.field "selfOffset", %1 : i32
    ascendc.stage copy_in @CopyIn { ... %inputs[%selfOffset] ... }
    ```
    Precondition: `ascendc-insert-sync` has run. `index` values, scalar 16-bit floats and unsigned arithmetic are errors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AscendCFixNames : Pass<"ascendc-fix-names", "::mlir::ModuleOp"> {
  let summary = "Write the names of values down as attributes";
  let description = [{
    Passes of level 3 and emitters read attributes, so that text without locations, or `-strip-debuginfo`, prints the same
    C++: `ascendc.name` on an op names its result or the variable of a loop, `ascendc.argument_names` the arguments of its
    region. `lossgrad-schedule` and `convert-lossgrad-to-ascendc` end by doing this to what they make; the pass is for
    modules that are written by hand, where a location is the shorter way to give a name.

    ```mlir
    %0 = arith.mulf %a, %b : f32 loc("scale")
    ```
    becomes
    ```mlir
    %0 = arith.mulf %a, %b {ascendc.name = "scale"} : f32 loc("scale")
    ```
    Only kernels and host functions change.
  }];
  let dependentDialects = ["::lossgrad::ascendc::AscendCDialect"];
}

#endif // LOSSGRAD_ASCENDCPASSES_TD
