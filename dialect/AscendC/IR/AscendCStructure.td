//===- AscendCStructure.td - programs, kernels, stages, tiling ------------===//
//
// The frame of an emitted kernel file. These ops say what stands where, so that
// the printer decides nothing. They are not API calls.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_STRUCTURE_TD
#define LOSSGRAD_DIALECT_ASCENDC_STRUCTURE_TD

include "AscendCBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Ops that are printed as something of the shared tile header.
def AscendC_OfTileHeader : NativeOpTrait<"OfTileHeader"> {
  let cppNamespace = "::lossgrad::ascendc";
}

class AscendC_Op<string mnemonic, list<Trait> traits = []>
    : Op<AscendC_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Tiling data
//===----------------------------------------------------------------------===//

def AscendC_TilingStructOp : AscendC_Op<"tiling_struct",
    [Symbol, SymbolTable, NoTerminator, SingleBlock, IsolatedFromAbove, HasParent<"::mlir::ModuleOp">]> {
  let summary = "the plain struct that host and kernel share";
  let description = [{
    The one source of the tiling data: the header with its `static_assert` is
    printed from it, kernels read it with `ascendc.tiling_field`, the host
    tiling function returns one value per member.

    ```mlir
    ascendc.tiling_struct @SmoothL1LossBackwardTilingData {
      ascendc.tiling_member @tileLength : i32 multiple 128 "elements per tile"
      ascendc.tiling_member @strides : i64 array 8 "elements between neighbours"
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// Size in bytes with the padding that C++ inserts.
    uint64_t getSizeInBytes();
  }];
  let hasRegionVerifier = 1;
}

def AscendC_TilingMemberOp : AscendC_Op<"tiling_member", [Symbol, HasParent<"TilingStructOp">]> {
  let summary = "a member of the tiling struct";
  let description = [{
    `multiple m` states that the host only ever stores multiples of m; planning
    relies on it for offsets. `array n` makes it an array.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<I64Attr>:$array,
                       OptionalAttr<I64Attr>:$multiple, OptionalAttr<StrAttr>:$doc);
  let assemblyFormat = "$sym_name `:` $type (`array` $array^)? (`multiple` $multiple^)? ($doc^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Program and entry
//===----------------------------------------------------------------------===//

def AscendC_ProgramOp : AscendC_Op<"program",
    [Symbol, SymbolTable, NoTerminator, SingleBlock, IsolatedFromAbove, HasParent<"::mlir::ModuleOp">]> {
  let summary = "one kernel file: the kernels for one architecture";
  let description = [{
    `families` lists records of the product tables (A2, A3) that share an
    architecture; every call inside must be legal on each of them. `operator` is
    the record's name, `formula` the lines of the comment on top, `file` the
    snake-case base of file names.

    ```mlir
    ascendc.program @arch2201 for ["A2", "A3"] operator "SmoothL1LossBackward"
        file "smooth_l1_loss_backward" formula ["gradInput = ..."] { ... }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$families, StrAttr:$op_name,
                       StrAttr:$file, OptionalAttr<StrArrayAttr>:$formula);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `for` $families `operator` $op_name `file` $file (`formula` $formula^)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// The product families; never empty after verification.
    ::llvm::SmallVector<const ::lossgrad::targets::Family *> getFamilyTables();
  }];
  let hasVerifier = 1;
}

def AscendC_EntryOp : AscendC_Op<"entry",
    [Symbol, NoTerminator, SingleBlock, IsolatedFromAbove, HasParent<"ProgramOp">]> {
  let summary = "the kernel function";
  let description = [{
    Arguments are the tensors in the order of the op definition; workspace and
    tiling are added by the printer, as the calling convention fixes them. The
    last argument of a launch may be `%workspace`, which is the block argument
    after the tensors. The region holds one `ascendc.key` per tiling key.

    `syncs` states that a kernel calls SyncAll, so that the kernel type is the
    one with hardware synchronisation across cores.

    ```mlir
    ascendc.entry @lossgrad_smooth_l1_loss_backward tiling(@Tiling)
        (%gradOut: !ascendc.gm_addr, ..., %workspace: !ascendc.gm_addr) {
      ascendc.key 1 { ascendc.launch @FlatF32(%gradOut, ...) : ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$tiling, UnitAttr:$syncs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `tiling` `(` $tiling `)` (`syncs` $syncs^)? attr-dict-with-keyword custom<BodyWithArguments>($body)
  }];
  let hasRegionVerifier = 1;
}

def AscendC_KeyOp : AscendC_Op<"key", [NoTerminator, SingleBlock, HasParent<"EntryOp">]> {
  let summary = "the branch of one tiling key";
  let arguments = (ins I64Attr:$key);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$key attr-dict-with-keyword $body";
}

def AscendC_LaunchOp : AscendC_Op<"launch", [AscendC_OfTileHeader, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "construct a kernel object and run it";
  let description = [{
    A call of `Run` in the shared tile header. `instance` names the types for the kernel's template parameters, in order.

    ```mlir
    ascendc.launch @Flat16<[bf16]>(%gradOut, %self) : !ascendc.gm_addr, !ascendc.gm_addr
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, OptionalAttr<TypeArrayAttr>:$instance,
                       Variadic<AscendC_GmAddr>:$inputs);
  let assemblyFormat = "$kernel (`<` $instance^ `>`)? `(` $inputs `)` attr-dict (`:` type($inputs)^)?";
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

def AscendC_KernelOp : AscendC_Op<"kernel",
    [Symbol, SymbolTable, NoTerminator, SingleBlock, IsolatedFromAbove, HasParent<"ProgramOp">]> {
  let summary = "one kernel class";
  let description = [{
    The body's block holds, in this order: members with their initialisers
    (scalars, `ascendc.global`, `ascendc.buffer` or, after planning, queues and
    TBufs), at most one `ascendc.init`, the stages, one `ascendc.process`.
    Stages see the members because they are SSA values of the enclosing block.
    `type_params` lists the template parameters; `schedule` is one line for the
    reader of the emitted class. Kernels of one `group` differ only in `element`,
    the type of the tensors that are moved tile by tile: f32, a parameter, or ui8
    where only the call tells the types. `ascendc-merge-kernels` makes one class
    template of them.

    ```mlir
    ascendc.kernel @FlatF32 tiling(@Tiling) schedule "flat, one tile at a time"
        (%self: !ascendc.gm_addr, %gradInput: !ascendc.gm_addr) {
      %tileLength = ascendc.tiling_field @tileLength : i32
      %selfGm = ascendc.global "selfGm", %self : !ascendc.global<f32>
      ...
      ascendc.process { ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$tiling,
                       OptionalAttr<TypeArrayAttr>:$type_params, OptionalAttr<StrAttr>:$schedule,
                       OptionalAttr<StrAttr>:$group, OptionalAttr<TypeAttr>:$element);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `tiling` `(` $tiling `)` (`template` $type_params^)? (`schedule` $schedule^)?
    (`group` $group^)? (`of` $element^)?
    attr-dict-with-keyword custom<BodyWithArguments>($body)
  }];
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    ::lossgrad::ascendc::ProcessOp getProcess();
    ::lossgrad::ascendc::TilingStructOp getTilingStruct();
  }];
  let hasRegionVerifier = 1;
}

def AscendC_InitOp : AscendC_Op<"init", [NoTerminator, SingleBlock, HasParent<"KernelOp">]> {
  let summary = "statements that run once, after the members are initialised";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def AscendC_StageOp : AscendC_Op<"stage", [Symbol, NoTerminator, SingleBlock, HasParent<"KernelOp">]> {
  let summary = "a method that works on one tile";
  let description = [{
    copy_in moves global memory to buffers, compute works on buffers, copy_out
    moves buffers to global memory. Every run of a copy_in stage is followed by
    one run of each compute stage that reads what it loaded, before it runs
    again; likewise compute and copy_out.
    
    ```mlir
    ascendc.stage copy_in @CopyIn doc "Load one tile of the inputs."
        (%offset: i64, %count: i32) { ... }
    ```
  }];
  let arguments = (ins AscendC_StageAttr:$kind, SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$doc);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind $sym_name (`doc` $doc^)? attr-dict-with-keyword custom<BodyWithArguments>($body)";
  let hasRegionVerifier = 1;
}

def AscendC_ProcessOp : AscendC_Op<"process", [NoTerminator, SingleBlock, HasParent<"KernelOp">]> {
  let summary = "the loop structure of the kernel";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def AscendC_RunOp : AscendC_Op<"run", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a stage";
  let arguments = (ins FlatSymbolRefAttr:$stage, Variadic<AnyTypeOf<[AscendC_Scalar, AscendC_TilePosition]>>:$inputs);
  let assemblyFormat = "$stage `(` $inputs `)` attr-dict (`:` type($inputs)^)?";
}

//===----------------------------------------------------------------------===//
// Scalar members
//===----------------------------------------------------------------------===//

def AscendC_TilingFieldOp : AscendC_Op<"tiling_field",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "read a member of the tiling data";
  let description = [{
    ```mlir
    %tileLength = ascendc.tiling_field @tileLength : i32
    %stride = ascendc.tiling_field @strides[%axis] : i64
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$member, Optional<AnyTypeOf<[I32, I64]>>:$index);
  let results = (outs AscendC_Scalar:$result);
  let assemblyFormat = "$member (`[` $index^ `:` type($index) `]`)? attr-dict `:` type($result)";
}

def AscendC_FieldOp : AscendC_Op<"field", [Pure, SameOperandsAndResultType, HasParent<"KernelOp">]> {
  let summary = "a scalar member, set in Init and never changed";
  let description = [{
    Made by `ascendc-prepare-for-emission` from scalars of the kernel body that
    stages use.
  }];
  let arguments = (ins StrAttr:$label, AscendC_Scalar:$init);
  let results = (outs AscendC_Scalar:$result);
  let assemblyFormat = "$label `,` $init attr-dict `:` type($init)";
}

def AscendC_VariableOp : AscendC_Op<"variable", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "a scalar member that stages may assign";
  let arguments = (ins StrAttr:$label);
  let results = (outs AscendC_Variable:$result);
  let assemblyFormat = "$label attr-dict `:` type($result)";
}

def AscendC_AssignOp : AscendC_Op<"assign"> {
  let summary = "assign a scalar member";
  let arguments = (ins Arg<AscendC_Variable, "", [MemWrite]>:$variable, AscendC_Scalar:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($variable) `,` type($value)";
}

def AscendC_ReadOp : AscendC_Op<"read"> {
  let summary = "read a scalar member";
  let arguments = (ins Arg<AscendC_Variable, "", [MemRead]>:$variable);
  let results = (outs AscendC_Scalar:$result);
  let assemblyFormat = "$variable attr-dict `:` type($variable) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// UB budget
//===----------------------------------------------------------------------===//

def AscendC_UbBytesOp : AscendC_Op<"ub_bytes", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "UB bytes that a kernel takes with these tile sizes";
  let description = [{
    A query in host code, replaced by arithmetic in `ascendc-plan-buffers`.
    `symbols` names the tiling members that buffer sizes depend on; the operands
    are their values. The result is exact and includes the top of UB that some
    calls reserve, so it may be compared with what the platform reports.

    ```mlir
    %bytes = ascendc.ub_bytes @arch2201::@FlatF32 ["tileLength"](%tile)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, StrArrayAttr:$symbols, Variadic<I64>:$values);
  let results = (outs I64:$result);
  let assemblyFormat = "$kernel $symbols `(` $values `)` attr-dict";
}

def AscendC_UbSolveOp : AscendC_Op<"ub_solve", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the largest tile size that fits UB";
  let description = [{
    A query in host code, replaced by arithmetic in `ascendc-plan-buffers`: with
    `ub` bytes of UB as the platform reports them and the given values of the
    other symbols, the largest multiple of the member's `multiple` for the free
    symbol, by one division; 0 or less if nothing fits. Rounding of buffers is
    taken at its worst, so `ascendc.ub_bytes` of the answer never exceeds `ub`.

    ```mlir
    %tile = ascendc.ub_solve @arch2201::@FlatF32 for "tileLength" in %ub given [](  )
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, StrAttr:$free, I64:$ub, StrArrayAttr:$symbols, Variadic<I64>:$values);
  let results = (outs I64:$result);
  let assemblyFormat = "$kernel `for` $free `in` $ub `given` $symbols `(` $values `)` attr-dict";
}

def AscendC_UbTermsOp : AscendC_Op<"ub_terms", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "UB bytes of a kernel as a sum of terms";
  let description = [{
    A query in host code, replaced by numbers in `ascendc-plan-buffers`: a tile
    of `n * per` units of the member, beside `m * per` units of a second one,
    takes at most `fixed + n * each + m * beside_each` bytes of UB, including the
    top of UB that some calls reserve. It is for kernels whose buffers depend on
    no other member, and on no product of the two.

    ```mlir
    %fixed, %each, %none = ascendc.ub_terms @arch2201::@FlatF32 for "tileLength" beside "rowLength" per 256
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, StrAttr:$free, StrAttr:$beside, I64Attr:$per);
  let results = (outs I64:$fixed, I64:$each, I64:$beside_each);
  let assemblyFormat = "$kernel `for` $free `beside` $beside `per` $per attr-dict";
}

#endif // LOSSGRAD_DIALECT_ASCENDC_STRUCTURE_TD
