//===- AscendCBase.td - dialect, types and enums of level 3 ---------------===//
//
// The vocabulary that all ascendc ops share. A type stands for one C++ type of
// the AscendC API; nothing here knows an operator or a product.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_BASE_TD
#define LOSSGRAD_DIALECT_ASCENDC_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def AscendC_Dialect : Dialect {
  let name = "ascendc";
  let summary = "AscendC kernels: buffers, pipes and one op per API call";
  let description = [{
    Level 3 of the compiler. An `ascendc.program` holds the kernels of the
    product families that share one architecture. A kernel is a C++ class:
    members with their initialisers, an optional `ascendc.init`, the stages
    CopyIn, Compute and CopyOut, and the loop over tiles in `ascendc.process`.
    Every op that stands for an API call implements `ApiCallInterface`.

    The dialect has two shapes. As conversion leaves it, vector code works on
    *virtual* buffers (`ascendc.buffer`, symbolic size, one per value). After
    `ascendc-plan-buffers` the same code works on sub-tensors of queues and
    TBufs, and `ascendc-insert-sync` has added what queues do not order.
  }];
  let cppNamespace = "::lossgrad::ascendc";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class AscendC_Type<string className, string typeMnemonic>
    : TypeDef<AscendC_Dialect, className> {
  let mnemonic = typeMnemonic;
}

def AscendC_TypeParam : AscendC_Type<"TypeParam", "type_param"> {
  let summary = "a C++ template parameter of a kernel and the types it stands for";
  let description = [{
    `!ascendc.type_param<"T", f16, bf16>`: the kernel class is
    `template <typename T>` and is instantiated for each candidate. A call is
    legal if it is legal for every candidate. Buffers are planned for candidates
    of one width; `ascendc-merge-kernels` makes kernels for several.
  }];
  let parameters = (ins StringRefParameter<"C++ name">:$name,
                        ArrayRefParameter<"::mlir::Type">:$candidates);
  let assemblyFormat = "`<` $name `,` $candidates `>`";
  let genVerifyDecl = 1;
}

def AscendC_LocalTensor : AscendC_Type<"LocalTensor", "local"> {
  let summary = "LocalTensor<T>: a view of UB";
  let description = [{
    Element types: f32, f16, bf16, iN and siN (signed), uiN (unsigned), a
    template parameter, and `i1`: the bit mask that Compare writes and Select
    reads, one bit per element, a LocalTensor<uint8_t> in C++.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def AscendC_GlobalTensor : AscendC_Type<"GlobalTensor", "global"> {
  let summary = "GlobalTensor<T>: a view of global memory";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def AscendC_GmAddr : AscendC_Type<"GmAddr", "gm_addr"> {
  let summary = "GM_ADDR: a kernel argument";
}

def AscendC_PositionAttr : I32EnumAttr<"Position", "where a queue stands", [
    I32EnumAttrCase<"VECIN", 0, "vecin">,
    I32EnumAttrCase<"VECOUT", 1, "vecout">]> {
  let cppNamespace = "::lossgrad::ascendc";
}

def AscendC_Queue : AscendC_Type<"Queue", "queue"> {
  let summary = "TQue<position, 1>";
  let description = [{
    A queue between the copy pipes and the vector pipe. The depth is 1; how many
    blocks it has (2: double buffering) is said where it is initialised.
  }];
  let parameters = (ins EnumParameter<AscendC_PositionAttr>:$position);
  let assemblyFormat = "`<` $position `>`";
}

def AscendC_TBuf : AscendC_Type<"TBuf", "tbuf"> {
  let summary = "TBuf<TPosition::VECCALC>: UB without synchronisation";
}

def AscendC_HardEventAttr : I32EnumAttr<"HardEvent", "an event from one pipe to another", [
    I32EnumAttrCase<"MTE2_V", 0>, I32EnumAttrCase<"V_MTE2", 1>,
    I32EnumAttrCase<"MTE3_V", 2>, I32EnumAttrCase<"V_MTE3", 3>,
    I32EnumAttrCase<"MTE3_MTE2", 4>, I32EnumAttrCase<"MTE2_MTE3", 5>,
    I32EnumAttrCase<"S_V", 6>, I32EnumAttrCase<"V_S", 7>,
    I32EnumAttrCase<"S_MTE2", 8>, I32EnumAttrCase<"MTE2_S", 9>,
    I32EnumAttrCase<"S_MTE3", 10>, I32EnumAttrCase<"MTE3_S", 11>]> {
  let cppNamespace = "::lossgrad::ascendc";
}

def AscendC_Event : AscendC_Type<"Event", "event"> {
  let summary = "an event id of one pair of pipes";
  let parameters = (ins EnumParameter<AscendC_HardEventAttr>:$event);
  let assemblyFormat = "`<` $event `>`";
}

/// The structs of the shared tile header.
def AscendC_TileGrid : AscendC_Type<"TileGrid", "tile_grid">,
    BuildableType<"::lossgrad::ascendc::TileGridType::get($_builder.getContext())"> {
  let summary = "TileGrid: how the output of a kernel is cut into tiles of rows and lanes";
}
def AscendC_TileLayout : AscendC_Type<"TileLayout", "tile_layout">,
    BuildableType<"::lossgrad::ascendc::TileLayoutType::get($_builder.getContext())"> {
  let summary = "TileLayout: how a tensor lies in memory and in a tile";
}
def AscendC_TilePosition : AscendC_Type<"TilePosition", "tile_position">,
    BuildableType<"::lossgrad::ascendc::TilePositionType::get($_builder.getContext())"> {
  let summary = "TilePosition: where a tile begins, and its size";
}

def AscendC_StepGrid : AscendC_Type<"StepGrid", "step_grid">,
    BuildableType<"::lossgrad::ascendc::StepGridType::get($_builder.getContext())"> {
  let summary = "StepGrid: units of work that are walked over in steps";
}

def AscendC_CoreShare : AscendC_Type<"CoreShare", "core_share">,
    BuildableType<"::lossgrad::ascendc::CoreShareType::get($_builder.getContext())"> {
  let summary = "CoreShare: the part of the work that a core takes";
}

def AscendC_Variable : AscendC_Type<"Variable", "var"> {
  let summary = "a scalar member that stages assign";
  let parameters = (ins "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $valueType `>`";
}

/// Scalars of the arith and scf subset: no index (a C++ width is needed), no
/// 16-bit floats (no scalar half arithmetic).
def AscendC_Scalar : AnyTypeOf<[I1, I32, I64, F32], "i1, i32, i64 or f32">;

class AscendC_MaskType : Type<
    And<[AscendC_LocalTensor.predicate,
         CPred<"::llvm::cast<::lossgrad::ascendc::LocalTensorType>($_self).getElementType().isInteger(1)">]>,
    "bit mask (!ascendc.local<i1>)", "::lossgrad::ascendc::LocalTensorType">;
def AscendC_Mask : AscendC_MaskType;

//===----------------------------------------------------------------------===//
// Enums of the API
//===----------------------------------------------------------------------===//

class AscendC_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::lossgrad::ascendc";
  let genSpecializedAttr = 0;
}

def AscendC_PipeEnum : AscendC_Enum<"Pipe", "execution pipe", [
    I32EnumAttrCase<"S", 0>, I32EnumAttrCase<"V", 1>,
    I32EnumAttrCase<"MTE2", 2>, I32EnumAttrCase<"MTE3", 3>]>;
def AscendC_PipeAttr : EnumAttr<AscendC_Dialect, AscendC_PipeEnum, "pipe">;

def AscendC_RoundEnum : AscendC_Enum<"RoundMode", "rounding mode of Cast", [
    I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"RINT", 1, "rint">,
    I32EnumAttrCase<"FLOOR", 2, "floor">, I32EnumAttrCase<"CEIL", 3, "ceil">,
    I32EnumAttrCase<"ROUND", 4, "round">, I32EnumAttrCase<"TRUNC", 5, "trunc">,
    I32EnumAttrCase<"ODD", 6, "odd">]>;
def AscendC_RoundAttr : EnumAttr<AscendC_Dialect, AscendC_RoundEnum, "round_mode">;

def AscendC_CompareEnum : AscendC_Enum<"CompareMode", "CMPMODE", [
    I32EnumAttrCase<"LT", 0, "lt">, I32EnumAttrCase<"GT", 1, "gt">,
    I32EnumAttrCase<"EQ", 2, "eq">, I32EnumAttrCase<"LE", 3, "le">,
    I32EnumAttrCase<"GE", 4, "ge">, I32EnumAttrCase<"NE", 5, "ne">]>;
def AscendC_CompareAttr : EnumAttr<AscendC_Dialect, AscendC_CompareEnum, "cmp_mode">;

def AscendC_BoundEnum : AscendC_Enum<"ShareBound", "a member of CoreShare", [
    I32EnumAttrCase<"Begin", 0, "begin">, I32EnumAttrCase<"End", 1, "end">,
    I32EnumAttrCase<"Step", 2, "step">]>;
def AscendC_BoundAttr : EnumAttr<AscendC_Dialect, AscendC_BoundEnum, "share_bound">;

def AscendC_StageEnum : AscendC_Enum<"StageKind", "what a stage does", [
    I32EnumAttrCase<"CopyIn", 0, "copy_in">,
    I32EnumAttrCase<"Compute", 1, "compute">,
    I32EnumAttrCase<"CopyOut", 2, "copy_out">]>;
def AscendC_StageAttr : EnumAttr<AscendC_Dialect, AscendC_StageEnum, "stage_kind">;

def AscendC_LifetimeEnum : AscendC_Enum<"Lifetime", "how long a buffer keeps its content", [
    I32EnumAttrCase<"Tile", 0, "tile">,
    I32EnumAttrCase<"Resident", 1, "resident">]>;
def AscendC_LifetimeAttr : EnumAttr<AscendC_Dialect, AscendC_LifetimeEnum, "lifetime">;

#endif // LOSSGRAD_DIALECT_ASCENDC_BASE_TD
