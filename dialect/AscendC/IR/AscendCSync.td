//===- AscendCSync.td - synchronisation and core identity -----------------===//
//
// Flags, barriers and the core's place among the cores. Conversion emits
// SyncAll and identity only; the rest comes from ascendc-insert-sync.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_SYNC_TD
#define LOSSGRAD_DIALECT_ASCENDC_SYNC_TD

include "AscendCCall.td"

class AscendC_SyncCall<string mnemonic, string cpp>
    : AscendC_Call<mnemonic, cpp, "S", "Sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  string syncDeclaration = callDeclaration # [{
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) {}
  }];
  let extraClassDeclaration = syncDeclaration;
}

def AscendC_FetchEventIdOp : AscendC_SyncCall<"fetch_event_id", "FetchEventID"> {
  let summary = "an id for a set and wait that follow at once";
  let results = (outs AscendC_Event:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let extraClassDeclaration = syncDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text("HardEvent::" + stringifyHardEvent(getResult().getType().getEvent()));
    }
  }];
}

class AscendC_Flag<string mnemonic, string cpp> : AscendC_SyncCall<mnemonic, cpp> {
  let arguments = (ins AscendC_Event:$event);
  let assemblyFormat = "$event attr-dict `:` type($event)";
  let extraClassDeclaration = syncDeclaration # [{
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text("HardEvent::" + stringifyHardEvent(getEvent().getType().getEvent()));
    }
  }];
}
def AscendC_SetFlagOp : AscendC_Flag<"set_flag", "SetFlag"> { let summary = "raise a flag when the source pipe gets here"; }
def AscendC_WaitFlagOp : AscendC_Flag<"wait_flag", "WaitFlag"> { let summary = "hold the destination pipe until the flag"; }

def AscendC_PipeBarrierOp : AscendC_SyncCall<"pipe_barrier", "PipeBarrier"> {
  let summary = "hold a pipe until its earlier instructions are done";
  let arguments = (ins AscendC_PipeAttr:$pipe);
  let assemblyFormat = "$pipe attr-dict";
  let extraClassDeclaration = [{
    ::llvm::StringRef getCallee() { return "PipeBarrier"; }
    ::lossgrad::ascendc::CostClass getCostClass() { return ::lossgrad::ascendc::CostClass::Sync; }
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) {}
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text("PIPE_" + stringifyPipe(getPipe()));
    }
  }];
}

def AscendC_SyncAllOp : AscendC_SyncCall<"sync_all", "SyncAll"> {
  let summary = "all cores meet (hardware form)";
  let assemblyFormat = "attr-dict";
}

def AscendC_SyncAllSoftwareOp : AscendC_SyncCall<"sync_all_software", "SyncAll"> {
  let summary = "all cores meet by what they write to global memory";
  let description = [{
    Every core has a block of 32 bytes in `slots`, which are zero before, and as
    much room for all of them in `work`. Like the hardware form it waits for all
    pipes of the core.

    ```mlir
    ascendc.sync_all_software %slotsGm[%offset], %slots : !ascendc.global<i32>, !ascendc.local<i32>
    ```
  }];
  let arguments = (ins Updates<AscendC_GlobalTensor>:$slots, I64:$offset, Updates<AscendC_LocalTensor>:$work);
  let assemblyFormat = "$slots `[` $offset `]` `,` $work attr-dict `:` type($slots) `,` type($work)";
  let extraClassDeclaration = syncDeclaration # [{
    ::llvm::StringRef getSupportRow() { return "SyncAllSoftware"; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.at(getSlots(), getOffset()).value(getWork()); }
  }];
}

class AscendC_Identity<string mnemonic, string cpp> : AscendC_Call<mnemonic, cpp, "S", "Scalar", [Pure]> {
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = callDeclaration # [{
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) {}
  }];
}
def AscendC_GetBlockIdxOp : AscendC_Identity<"get_block_idx", "GetBlockIdx"> { let summary = "number of this core"; }
def AscendC_GetBlockNumOp : AscendC_Identity<"get_block_num", "GetBlockNum"> { let summary = "number of cores"; }

#endif // LOSSGRAD_DIALECT_ASCENDC_SYNC_TD
