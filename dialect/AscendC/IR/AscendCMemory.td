//===- AscendCMemory.td - tensors, queues and copies ----------------------===//
//
// Declarations of memory (members of the kernel) and the calls that move data.
// Lengths and gaps in global memory count elements; gaps in UB count blocks of
// 32 bytes, as the hardware does.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_MEMORY_TD
#define LOSSGRAD_DIALECT_ASCENDC_MEMORY_TD

include "AscendCCall.td"

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

def AscendC_GlobalOp : AscendC_Op<"global", [HasParent<"KernelOp">, Pure]> {
  let summary = "a GlobalTensor member over a kernel argument";
  let description = [{
    The tensor starts at the argument (plus `offset` elements); 64-bit offsets
    go into the copies.

    ```mlir
    %selfGm = ascendc.global "selfGm", %self : !ascendc.global<f32>
    ```
  }];
  let arguments = (ins StrAttr:$label, AscendC_GmAddr:$address, Optional<I64>:$offset);
  let results = (outs AscendC_GlobalTensor:$result);
  let assemblyFormat = "$label `,` $address (`offset` $offset^)? attr-dict `:` type($result)";
}

def AscendC_BufferOp : AscendC_Op<"buffer", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "a virtual buffer in UB";
  let description = [{
    What conversion produces, one per value; `ascendc-plan-buffers` places it.
    `shape` is a product of numbers and tiling members. A `tile` buffer holds
    nothing from one run of its first writer to the next; a `resident` buffer
    keeps its content and is never shared. Where the label has a number because
    another buffer has the same name, `value` is the name.

    ```mlir
    %x = ascendc.buffer "x" [%tileLength] : !ascendc.local<f32>
    %y = ascendc.buffer "product2" [%tileLength] value "product" : !ascendc.local<f32>
    %mask = ascendc.buffer "notNaN" [%tileLength] : !ascendc.local<i1>
    %weights = ascendc.buffer "weights" [%classes] resident : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins StrAttr:$label, Variadic<I32>:$shape, DenseI64ArrayAttr:$static_shape,
                       DefaultValuedAttr<AscendC_LifetimeAttr, "::lossgrad::ascendc::Lifetime::Tile">:$lifetime,
                       OptionalAttr<StrAttr>:$value);
  let results = (outs AscendC_LocalTensor:$result);
  let assemblyFormat = "$label custom<DynamicIndexList>($shape, $static_shape) (`lifetime` $lifetime^)? (`value` $value^)? attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedShape();
    /// What is in it, whatever number the label has.
    ::mlir::StringAttr getValueName() { return getValueAttr() ? getValueAttr() : getLabelAttr(); }
  }];
  let hasVerifier = 1;
}

def AscendC_QueueOp : AscendC_Op<"queue_member", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "a TQue member and its InitBuffer";
  let description = [{
    Without `bytes`, `ascendc.init_buffer` says how long it is.

    ```mlir
    %inQueue = ascendc.queue_member "inQueue" blocks 2 bytes %length : !ascendc.queue<vecin>
    ```
  }];
  let arguments = (ins StrAttr:$label, I64Attr:$blocks, Optional<I32>:$bytes);
  let results = (outs AscendC_Queue:$result);
  let assemblyFormat = "$label `blocks` $blocks (`bytes` $bytes^)? attr-dict `:` type($result)";
}

def AscendC_TBufOp : AscendC_Op<"tbuf_member", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "a TBuf member and its InitBuffer";
  let arguments = (ins StrAttr:$label, Optional<I32>:$bytes);
  let results = (outs AscendC_TBuf:$result);
  let assemblyFormat = "$label (`bytes` $bytes^)? attr-dict `:` type($result)";
}

def AscendC_SizeOfOp : AscendC_Op<"size_of", [Pure]> {
  let summary = "sizeof(element type)";
  let arguments = (ins TypeAttr:$element);
  let results = (outs I32:$result);
  let assemblyFormat = "$element attr-dict";
  let hasFolder = 0;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def AscendC_ViewOp : AscendC_Op<"view", [Pure]> {
  let summary = "tensor[offset], reinterpreted if the types differ";
  let description = [{
    `offset` counts elements of the source. `slot` is set by planning: views
    with different slots of one block do not overlap.

    ```mlir
    %target = ascendc.view %inputs[%tileLength] slot 1 : !ascendc.local<f32> to !ascendc.local<f32>
    ```
  }];
  let arguments = (ins AscendC_LocalTensor:$source, Optional<I32>:$offset, OptionalAttr<I64Attr>:$slot);
  let results = (outs AscendC_LocalTensor:$result);
  let assemblyFormat = "$source (`[` $offset^ `]`)? (`slot` $slot^)? attr-dict `:` type($source) `to` type($result)";
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

class AscendC_QueueCall<string mnemonic, string cpp> : AscendC_Call<mnemonic, cpp, "S", "Sync"> {
  string queueDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    ::mlir::Value getReceiver() { return getQueue(); }
  }];
}
class AscendC_QueueResult<string mnemonic, string cpp> : AscendC_QueueCall<mnemonic, cpp> {
  let arguments = (ins Updates<AscendC_Queue>:$queue);
  let results = (outs AscendC_LocalTensor:$result);
  let assemblyFormat = "$queue attr-dict `:` type($queue) `to` type($result)";
  let extraClassDeclaration = queueDeclaration # [{
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.type(getResult().getType().getElementType()); }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}
class AscendC_QueueGive<string mnemonic, string cpp> : AscendC_QueueCall<mnemonic, cpp> {
  let arguments = (ins Updates<AscendC_Queue>:$queue, AscendC_LocalTensor:$tensor);
  let assemblyFormat = "$queue `,` $tensor attr-dict `:` type($queue) `,` type($tensor)";
  let extraClassDeclaration = queueDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getTensor()); }
  }];
}
def AscendC_AllocTensorOp : AscendC_QueueResult<"alloc_tensor", "AllocTensor"> {
  let summary = "take a free block of a queue";
}
def AscendC_DeQueOp : AscendC_QueueResult<"de_que", "DeQue"> {
  let summary = "take the oldest enqueued block";
}
def AscendC_EnQueOp : AscendC_QueueGive<"en_que", "EnQue"> {
  let summary = "hand a block to the other side of a queue";
}
def AscendC_FreeTensorOp : AscendC_QueueGive<"free_tensor", "FreeTensor"> {
  let summary = "give a block back";
}

def AscendC_TBufGetOp : AscendC_Call<"tbuf_get", "Get", "S", "Sync", [Pure]> {
  let summary = "the tensor of a TBuf";
  let arguments = (ins AscendC_TBuf:$buffer);
  let results = (outs AscendC_LocalTensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($result)";
  let extraClassDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    ::mlir::Value getReceiver() { return getBuffer(); }
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.type(getResult().getType().getElementType()); }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {}
  }];
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Calls that move data check the element type of the local tensor.
class AscendC_Transfer<string mnemonic, string cpp, string pipe, list<Trait> traits = []>
    : AscendC_Call<mnemonic, cpp, pipe, "Transfer", traits> {
  string transferDeclaration = callDeclaration # [{
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) { types.push_back(getLocal().getType().getElementType()); }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments);
  }];
  let extraClassDeclaration = transferDeclaration;
  let hasVerifier = 1;
}

def AscendC_DataCopyInOp : AscendC_Transfer<"data_copy_in", "DataCopy", "MTE2"> {
  let summary = "DataCopy from global memory; the count is a multiple of 32 bytes";
  let description = [{
    ```mlir
    ascendc.data_copy_in %local, %gm[%offset], %count : !ascendc.local<f32>, !ascendc.global<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$local, Reads<AscendC_GlobalTensor>:$global, I64:$offset, I32:$count);
  let assemblyFormat = "$local `,` $global `[` $offset `]` `,` $count attr-dict `:` type($local) `,` type($global)";
  let extraClassDeclaration = transferDeclaration # "::mlir::Value getCoveredCount() { return getCount(); }\n";
}

def AscendC_DataCopyOutOp : AscendC_Transfer<"data_copy_out", "DataCopy", "MTE3"> {
  let summary = "DataCopy to global memory; the count is a multiple of 32 bytes";
  let description = [{
    ```mlir
    ascendc.data_copy_out %gm[%offset], %local, %count : !ascendc.global<f32>, !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_GlobalTensor>:$global, I64:$offset, Reads<AscendC_LocalTensor>:$local, I32:$count);
  let assemblyFormat = "$global `[` $offset `]` `,` $local `,` $count attr-dict `:` type($global) `,` type($local)";
  let extraClassDeclaration = transferDeclaration # "::mlir::Value getCoveredCount() { return getCount(); }\n";
}

def AscendC_DataCopyLocalOp : AscendC_Call<"data_copy_local", "DataCopy", "V", "Fill", [AllTypesMatch<["dst", "src"]>]> {
  let summary = "DataCopy inside UB, on the vector pipe; the count is a multiple of 32 bytes";
  let description = [{
    ```mlir
    ascendc.data_copy_local %dst, %src, %count : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, I32:$count);
  let assemblyFormat = "$dst `,` $src `,` $count attr-dict `:` type($dst)";
  let extraClassDeclaration = callDeclaration # "::mlir::Value getCoveredCount() { return getCount(); }\n";
}

def AscendC_DataCopyPadInOp : AscendC_Transfer<"data_copy_pad_in", "DataCopyPad", "MTE2", [AttrSizedOperandSegments]> {
  let summary = "byte-granular copy from global memory, by rows";
  let description = [{
    Every row starts on a 32-byte boundary of UB. `rows` rows of `length`
    elements, `gm_gap` elements between them in global memory, `ub_gap` blocks
    in UB. `pad` fills that many elements after each row with `value`.

    ```mlir
    ascendc.data_copy_pad_in %local, %gm[%offset], %count : !ascendc.local<f32>, !ascendc.global<f32>
    ascendc.data_copy_pad_in %local, %gm[%offset], %cols rows(%rows) gm_gap(%gap) ub_gap(%blocks)
        pad(%n) value(%zero : f32) : !ascendc.local<f32>, !ascendc.global<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$local, Reads<AscendC_GlobalTensor>:$global, I64:$offset, I32:$length,
                       Optional<I32>:$rows, Optional<AnyTypeOf<[I32, I64]>>:$gm_gap, Optional<I32>:$ub_gap,
                       Optional<I32>:$pad, Optional<AscendC_Scalar>:$value);
  let assemblyFormat = [{
    $local `,` $global `[` $offset `]` `,` $length (`rows` `(` $rows^ `)`)? (`gm_gap` `(` $gm_gap^ `:` type($gm_gap) `)`)?
    (`ub_gap` `(` $ub_gap^ `)`)? (`pad` `(` $pad^ `)` `value` `(` $value `:` type($value) `)`)?
    attr-dict `:` type($local) `,` type($global)
  }];
}

def AscendC_DataCopyPadOutOp : AscendC_Transfer<"data_copy_pad_out", "DataCopyPad", "MTE3", [AttrSizedOperandSegments]> {
  let summary = "byte-granular copy to global memory, by rows";
  let description = [{
    It never writes past a row, so tails are stored with it.

    ```mlir
    ascendc.data_copy_pad_out %gm[%offset], %local, %count : !ascendc.global<f32>, !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_GlobalTensor>:$global, I64:$offset, Reads<AscendC_LocalTensor>:$local, I32:$length,
                       Optional<I32>:$rows, Optional<AnyTypeOf<[I32, I64]>>:$gm_gap, Optional<I32>:$ub_gap);
  let assemblyFormat = [{
    $global `[` $offset `]` `,` $local `,` $length (`rows` `(` $rows^ `)`)? (`gm_gap` `(` $gm_gap^ `:` type($gm_gap) `)`)?
    (`ub_gap` `(` $ub_gap^ `)`)? attr-dict `:` type($global) `,` type($local)
  }];
}

//===----------------------------------------------------------------------===//
// Scalar access
//===----------------------------------------------------------------------===//

class AscendC_ScalarAccess<string mnemonic, string cpp> : AscendC_Call<mnemonic, cpp, "S", "Scalar"> {
  string accessDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    ::mlir::Value getReceiver() { return getTensor(); }
  }];
  let hasVerifier = 1;
}
class AscendC_GetValue<string mnemonic, Type tensor> : AscendC_ScalarAccess<mnemonic, "GetValue"> {
  let summary = "read one element on the scalar unit";
  let arguments = (ins Reads<tensor>:$tensor, AnyTypeOf<[I32, I64]>:$index);
  let results = (outs AscendC_Scalar:$result);
  let assemblyFormat = "$tensor `[` $index `:` type($index) `]` attr-dict `:` type($tensor) `to` type($result)";
  let extraClassDeclaration = accessDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.value(getIndex()); }
  }];
}
def AscendC_GetValueOp : AscendC_GetValue<"get_value", AscendC_LocalTensor>;
def AscendC_GlobalGetValueOp : AscendC_GetValue<"global_get_value", AscendC_GlobalTensor>;

class AscendC_SetValue<string mnemonic, Type tensor> : AscendC_ScalarAccess<mnemonic, "SetValue"> {
  let summary = "write one element on the scalar unit";
  let arguments = (ins Writes<tensor>:$tensor, AnyTypeOf<[I32, I64]>:$index, AscendC_Scalar:$value);
  let assemblyFormat = "$tensor `[` $index `:` type($index) `]` `,` $value attr-dict `:` type($tensor) `,` type($value)";
  let extraClassDeclaration = accessDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getIndex()).scalar(getValue(), getTensor().getType().getElementType());
    }
  }];
}
def AscendC_SetValueOp : AscendC_SetValue<"set_value", AscendC_LocalTensor>;
def AscendC_GlobalSetValueOp : AscendC_SetValue<"global_set_value", AscendC_GlobalTensor>;

def AscendC_SetL2CacheHintOp : AscendC_Call<"set_l2_cache_hint", "SetL2CacheHint", "S", "Scalar", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let the copies of a global tensor bypass L2, or not";
  let description = [{
    ```mlir
    ascendc.set_l2_cache_hint %selfGm bypass : !ascendc.global<f32>
    ```
  }];
  let arguments = (ins AscendC_GlobalTensor:$tensor, UnitAttr:$bypass);
  let assemblyFormat = "$tensor (`bypass` $bypass^)? attr-dict `:` type($tensor)";
  let extraClassDeclaration = callDeclaration # [{
    ::mlir::Value getReceiver() { return getTensor(); }
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) {}
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.text(getBypass() ? "CacheMode::CACHE_MODE_DISABLE" : "CacheMode::CACHE_MODE_NORMAL");
    }
  }];
}

def AscendC_SetAtomicAddOp : AscendC_Call<"set_atomic_add", "SetAtomicAdd", "S", "Scalar", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let later copies to global memory add";
  let description = [{
    ```mlir
    ascendc.set_atomic_add f32
    ```
  }];
  let arguments = (ins TypeAttr:$element);
  let assemblyFormat = "$element attr-dict";
  let extraClassDeclaration = callDeclaration # [{
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) { types.push_back(getElement()); }
    void getTemplateArguments(::lossgrad::ascendc::CallArguments &arguments) { arguments.type(getElement()); }
  }];
}
def AscendC_SetAtomicNoneOp : AscendC_Call<"set_atomic_none", "SetAtomicNone", "S", "Scalar", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let later copies to global memory store";
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = callDeclaration # [{
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) {}
  }];
}

#endif // LOSSGRAD_DIALECT_ASCENDC_MEMORY_TD
