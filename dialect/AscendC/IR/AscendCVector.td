//===- AscendCVector.td - vector calls ------------------------------------===//
//
// One op per AscendC vector call. `dst` comes first as in C++; what a call
// reads and writes is declared on its operands.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_VECTOR_TD
#define LOSSGRAD_DIALECT_ASCENDC_VECTOR_TD

include "AscendCCall.td"

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class AscendC_Binary<string mnemonic, string cpp, string cost = "Elementwise">
    : AscendC_ShapedCall<mnemonic, cpp, cost, "BinaryRepeatParams", 6, [AllTypesMatch<["dst", "src0", "src1"]>]> {
  let summary = cpp # "(dst, src0, src1)";
  let description = [{
    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %a, %b, %count : !ascendc.local<f32>
    ascendc.}] # mnemonic # [{ %dst, %a, %b mask(%lanes) repeat(%rows) strides [1, 1, 1, %pitch, %pitch, 0] : !ascendc.local<f32>
    ```
  }];
  let arguments = !con((ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src0,
                            Reads<AscendC_LocalTensor>:$src1), shape);
  let assemblyFormat = "$dst `,` $src0 `,` $src1" # shapeFormat # "`:` type($dst)";
  let extraClassDefinition = shapedDefinition # [{
    void $cppClass::getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc0()).value(getSrc1());
      }] # shapeArguments # [{
    }
  }];
}
def AscendC_AddOp : AscendC_Binary<"add", "Add">;
def AscendC_SubOp : AscendC_Binary<"sub", "Sub">;
def AscendC_MulOp : AscendC_Binary<"mul", "Mul">;
def AscendC_DivOp : AscendC_Binary<"div", "Div", "Division">;
def AscendC_MaxOp : AscendC_Binary<"max", "Max">;
def AscendC_MinOp : AscendC_Binary<"min", "Min">;
def AscendC_AndOp : AscendC_Binary<"and", "And">;
def AscendC_OrOp : AscendC_Binary<"or", "Or">;

class AscendC_Unary<string mnemonic, string cpp, string cost = "Elementwise">
    : AscendC_ShapedCall<mnemonic, cpp, cost, "UnaryRepeatParams", 4, [AllTypesMatch<["dst", "src"]>]> {
  let summary = cpp # "(dst, src)";
  let description = [{
    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %src, %count : !ascendc.local<f32>
    ```
  }];
  let arguments = !con((ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src), shape);
  let assemblyFormat = "$dst `,` $src" # shapeFormat # "`:` type($dst)";
  let extraClassDefinition = shapedDefinition # [{
    void $cppClass::getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc());
      }] # shapeArguments # [{
    }
  }];
}
def AscendC_ExpOp : AscendC_Unary<"exp", "Exp", "Transcendental">;
def AscendC_LnOp : AscendC_Unary<"ln", "Ln", "Transcendental">;
def AscendC_SqrtOp : AscendC_Unary<"sqrt", "Sqrt", "Transcendental">;
def AscendC_RsqrtOp : AscendC_Unary<"rsqrt", "Rsqrt">;
def AscendC_ReciprocalOp : AscendC_Unary<"reciprocal", "Reciprocal">;
def AscendC_AbsOp : AscendC_Unary<"abs", "Abs">;
def AscendC_ReluOp : AscendC_Unary<"relu", "Relu">;
def AscendC_NotOp : AscendC_Unary<"not", "Not">;

/// dst = src op scalar; the scalar is converted to the element type in the call.
class AscendC_TensorScalar<string mnemonic, string cpp>
    : AscendC_ShapedCall<mnemonic, cpp, "Elementwise", "UnaryRepeatParams", 4, [AllTypesMatch<["dst", "src"]>]> {
  let summary = cpp # "(dst, src, scalar)";
  let description = [{
    The scalar is f32 for real elements and i32 for integers; the call converts
    it to the element type.

    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %src, %scale, %count : !ascendc.local<f32>, f32
    ```
  }];
  let arguments = !con((ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src,
                            AscendC_Scalar:$scalar), shape);
  let assemblyFormat = "$dst `,` $src `,` $scalar" # shapeFormat # "`:` type($dst) `,` type($scalar)";
  let extraClassDefinition = shapedDefinition # [{
    void $cppClass::getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc()).scalar(getScalar(), getDst().getType().getElementType());
      }] # shapeArguments # [{
    }
  }];
}
def AscendC_AddsOp : AscendC_TensorScalar<"adds", "Adds">;
def AscendC_MulsOp : AscendC_TensorScalar<"muls", "Muls">;
def AscendC_MaxsOp : AscendC_TensorScalar<"maxs", "Maxs">;
def AscendC_MinsOp : AscendC_TensorScalar<"mins", "Mins">;
def AscendC_LeakyReluOp : AscendC_TensorScalar<"leaky_relu", "LeakyRelu">;
def AscendC_ShiftLeftOp : AscendC_TensorScalar<"shift_left", "ShiftLeft">;
def AscendC_ShiftRightOp : AscendC_TensorScalar<"shift_right", "ShiftRight">;

/// Count-form calls whose arguments are the operands in order.
class AscendC_CountCall<string mnemonic, string cpp, string cost, list<Trait> traits = []>
    : AscendC_Call<mnemonic, cpp, "V", cost, traits> {
  string countDeclaration = callDeclaration # "::mlir::Value getCoveredCount() { return getCount(); }\n";
  let extraClassDeclaration = countDeclaration;
}

def AscendC_AxpyOp : AscendC_CountCall<"axpy", "Axpy", "Axpy"> {
  let summary = "dst = scalar * src + dst";
  let description = [{
    ```mlir
    ascendc.axpy %dst, %src, %scale, %count : !ascendc.local<f32>, !ascendc.local<f16>, f32
    ```
  }];
  let arguments = (ins Updates<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, AscendC_Scalar:$scalar, I32:$count);
  let assemblyFormat = "$dst `,` $src `,` $scalar `,` $count attr-dict `:` type($dst) `,` type($src) `,` type($scalar)";
  let extraClassDeclaration = countDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc()).scalar(getScalar(), getSrc().getType().getElementType()).value(getCount());
    }
  }];
}

class AscendC_Fused<string mnemonic, string cpp, string formula>
    : AscendC_CountCall<mnemonic, cpp, "FusedMultiplyAdd"> {
  let summary = formula;
  let description = [{
    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %a, %b, %count : !ascendc.local<f32>, !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Updates<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src0, Reads<AscendC_LocalTensor>:$src1, I32:$count);
  let assemblyFormat = "$dst `,` $src0 `,` $src1 `,` $count attr-dict `:` type($dst) `,` type($src0)";
}
def AscendC_MulAddDstOp : AscendC_Fused<"mul_add_dst", "MulAddDst", "dst = src0 * src1 + dst"> {
  let assemblyFormat = "$dst `,` $src0 `,` $src1 `,` $count attr-dict `:` type($dst) `,` type($src0) `,` type($src1)";
}
def AscendC_FusedMulAddOp : AscendC_Fused<"fused_mul_add", "FusedMulAdd", "dst = src0 * dst + src1"> {
  let assemblyFormat = "$dst `,` $src0 `,` $src1 `,` $count attr-dict `:` type($dst) `,` type($src0) `,` type($src1)";
}

def AscendC_CastOp : AscendC_ShapedCall<"cast", "Cast", "Conversion", "UnaryRepeatParams", 4> {
  let summary = "Cast(dst, src, roundMode)";
  let description = [{
    A pair of types or a rounding mode that the product does not have writes
    nothing on the device, so it is an error here.

    ```mlir
    ascendc.cast %wide, %narrow, none, %count : !ascendc.local<f32>, !ascendc.local<f16>
    ```
  }];
  let arguments = !con((ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, AscendC_RoundAttr:$round), shape);
  let assemblyFormat = "$dst `,` $src `,` $round" # shapeFormat # "`:` type($dst) `,` type($src)";
  let extraClassDeclaration = shapedDeclaration # [{
    ::llvm::StringRef getSupportRow() { return ""; }
    ::llvm::LogicalResult verifyOnFamily(const ::lossgrad::targets::Family &family);
  }];
  let extraClassDefinition = shapedDefinition # [{
    void $cppClass::getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc()).text("RoundMode::CAST_" + ::lossgrad::ascendc::upperCase(stringifyRoundMode(getRound())));
      }] # shapeArguments # [{
    }
  }];
}

//===----------------------------------------------------------------------===//
// Compare and select
//===----------------------------------------------------------------------===//

class AscendC_CompareBase<string mnemonic, string cpp> : AscendC_CountCall<mnemonic, cpp, "Comparison"> {
  string compareDeclaration = countDeclaration # [{
    /// Only full 256-byte repeats are compared; the count must be rounded up.
    unsigned getGranule(::mlir::OpOperand &operand) { return operand.get() == getDst() ? 32 : 256; }
    void getCheckedTypes(::llvm::SmallVectorImpl<::mlir::Type> &types) { types.push_back(getSrc0().getType().getElementType()); }
  }];
}

def AscendC_CompareOp : AscendC_CompareBase<"compare", "Compare"> {
  let summary = "mask = src0 mode src1";
  let description = [{
    The count must be a multiple of 256 bytes of the sources.

    ```mlir
    ascendc.compare %mask, %x, %x, eq, %roundedCount : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_Mask>:$dst, Reads<AscendC_LocalTensor>:$src0, Reads<AscendC_LocalTensor>:$src1,
                       AscendC_CompareAttr:$mode, I32:$count);
  let assemblyFormat = "$dst `,` $src0 `,` $src1 `,` $mode `,` $count attr-dict `:` type($dst) `,` type($src0) `,` type($src1)";
  let extraClassDeclaration = compareDeclaration # [{
    ::llvm::StringRef getSupportRow();
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc0()).value(getSrc1())
          .text("CMPMODE::" + ::lossgrad::ascendc::upperCase(stringifyCompareMode(getMode()))).value(getCount());
    }
  }];
}

def AscendC_CompareScalarOp : AscendC_CompareBase<"compare_scalar", "CompareScalar"> {
  let summary = "mask = src0 mode scalar";
  let description = [{
    ```mlir
    ascendc.compare_scalar %mask, %x, %zero, gt, %roundedCount : !ascendc.local<i1>, !ascendc.local<f32>, f32
    ```
  }];
  let arguments = (ins Writes<AscendC_Mask>:$dst, Reads<AscendC_LocalTensor>:$src0, AscendC_Scalar:$scalar,
                       AscendC_CompareAttr:$mode, I32:$count);
  let assemblyFormat = "$dst `,` $src0 `,` $scalar `,` $mode `,` $count attr-dict `:` type($dst) `,` type($src0) `,` type($scalar)";
  let extraClassDeclaration = compareDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc0()).scalar(getScalar(), getSrc0().getType().getElementType())
          .text("CMPMODE::" + ::lossgrad::ascendc::upperCase(stringifyCompareMode(getMode()))).value(getCount());
    }
  }];
}

def AscendC_SelectOp : AscendC_CountCall<"select", "Select", "Selection"> {
  let summary = "dst = mask ? src0 : src1 (VSEL_TENSOR_TENSOR_MODE)";
  let description = [{
    ```mlir
    ascendc.select %dst, %mask, %a, %b, %count : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_Mask>:$mask, Reads<AscendC_LocalTensor>:$src0,
                       Reads<AscendC_LocalTensor>:$src1, I32:$count);
  let assemblyFormat = "$dst `,` $mask `,` $src0 `,` $src1 `,` $count attr-dict `:` type($dst) `,` type($mask) `,` type($src0) `,` type($src1)";
  let extraClassDeclaration = countDeclaration # [{
    ::llvm::StringRef getSupportRow() { return "SelectTensor"; }
    bool usesReservedUb() { return true; }
    bool mayOverwrite(::mlir::OpOperand &source) { return source.getOperandNumber() >= 2; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getMask()).value(getSrc0()).value(getSrc1())
          .text("SELMODE::VSEL_TENSOR_TENSOR_MODE").value(getCount());
    }
  }];
}

def AscendC_SelectScalarOp : AscendC_CountCall<"select_scalar", "Select", "Selection"> {
  let summary = "dst = mask ? src0 : scalar (VSEL_TENSOR_SCALAR_MODE)";
  let description = [{
    ```mlir
    ascendc.select_scalar %dst, %mask, %a, %zero, %count : !ascendc.local<f32>, f32
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_Mask>:$mask, Reads<AscendC_LocalTensor>:$src0,
                       AscendC_Scalar:$scalar, I32:$count);
  let assemblyFormat = "$dst `,` $mask `,` $src0 `,` $scalar `,` $count attr-dict `:` type($dst) `,` type($mask) `,` type($src0) `,` type($scalar)";
  let extraClassDeclaration = countDeclaration # [{
    ::llvm::StringRef getSupportRow() { return "SelectScalar"; }
    bool usesReservedUb() { return true; }
    bool mayOverwrite(::mlir::OpOperand &source) { return source.getOperandNumber() == 2; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getMask()).value(getSrc0()).scalar(getScalar(), getDst().getType().getElementType())
          .text("SELMODE::VSEL_TENSOR_SCALAR_MODE").value(getCount());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Fill, broadcast, gather
//===----------------------------------------------------------------------===//

def AscendC_DuplicateOp : AscendC_CountCall<"duplicate", "Duplicate", "Fill"> {
  let summary = "dst = scalar in every element";
  let description = [{
    ```mlir
    ascendc.duplicate %dst, %value, %count : !ascendc.local<f32>, f32
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, AscendC_Scalar:$scalar, I32:$count);
  let assemblyFormat = "$dst `,` $scalar `,` $count attr-dict `:` type($dst) `,` type($scalar)";
  let extraClassDeclaration = countDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).scalar(getScalar(), getDst().getType().getElementType()).value(getCount());
    }
  }];
}

class AscendC_Sequence<string mnemonic, string cpp> : AscendC_CountCall<mnemonic, cpp, "Fill"> {}

def AscendC_CreateVecIndexOp : AscendC_Sequence<"create_vec_index", "CreateVecIndex"> {
  let summary = "dst[i] = first + i";
  let description = [{
    ```mlir
    ascendc.create_vec_index %dst, %first, %count : !ascendc.local<i32>, i32
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, AscendC_Scalar:$first, I32:$count);
  let assemblyFormat = "$dst `,` $first `,` $count attr-dict `:` type($dst) `,` type($first)";
  let extraClassDeclaration = countDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).scalar(getFirst(), getDst().getType().getElementType()).converted(getCount(), "uint32_t");
    }
  }];
}

def AscendC_ArithProgressionOp : AscendC_Sequence<"arith_progression", "ArithProgression"> {
  let summary = "dst[i] = first + i * step";
  let description = [{
    It writes up to the next 32-byte boundary.

    ```mlir
    ascendc.arith_progression %dst, %first, %step, %count : !ascendc.local<i32>, i32
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, AscendC_Scalar:$first, AscendC_Scalar:$step, I32:$count);
  let assemblyFormat = "$dst `,` $first `,` $step `,` $count attr-dict `:` type($dst) `,` type($first) `,` type($step)";
  let extraClassDeclaration = countDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      ::mlir::Type element = getDst().getType().getElementType();
      arguments.value(getDst()).scalar(getFirst(), element).scalar(getStep(), element).value(getCount());
    }
  }];
}

def AscendC_BrcbOp : AscendC_Call<"brcb", "Brcb", "V", "Fill", [AllTypesMatch<["dst", "src"]>]> {
  let summary = "each of 8 elements per repeat fills one block of 32 bytes";
  let description = [{
    src is read up to a multiple of 8 elements. On 310P it is built in software
    and uses the reserved top of UB.

    ```mlir
    ascendc.brcb %dst, %src repeat(%n) strides [1, 8] : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, I32:$repeat,
                       Variadic<I32>:$strides, DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $dst `,` $src `repeat` `(` $repeat `)` `strides` custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` type($dst)
  }];
  let extraClassDeclaration = callDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments);
    bool usesReservedUb();
  }];
  let hasVerifier = 1;
}

def AscendC_CopyOp : AscendC_Call<"copy", "Copy", "V", "Fill", [AllTypesMatch<["dst", "src"]>]> {
  let summary = "UB to UB with strides; repeat stride 0 of the source repeats a row";
  let description = [{
    ```mlir
    ascendc.copy %tile, %row mask(%lanes) repeat(%rows) strides [1, 1, %pitch, 0] : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, I32:$mask, I32:$repeat,
                       Variadic<I32>:$strides, DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $dst `,` $src `mask` `(` $mask `)` `repeat` `(` $repeat `)` `strides` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($dst)
  }];
  let extraClassDeclaration = callDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments);
  }];
  let hasVerifier = 1;
}

def AscendC_GatherOp : AscendC_CountCall<"gather", "Gather", "Gather"> {
  let summary = "dst[i] = src at byte base + offsets[i]";
  let description = [{
    ```mlir
    ascendc.gather %dst, %table, %byteOffsets, %base, %count : !ascendc.local<f32>, !ascendc.local<ui32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, Reads<AscendC_LocalTensor>:$offsets,
                       I32:$base, I32:$count);
  let assemblyFormat = [{
    $dst `,` $src `,` $offsets `,` $base `,` $count attr-dict `:` type($dst) `,` type($src) `,` type($offsets)
  }];
  let extraClassDeclaration = countDeclaration # [{
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      arguments.value(getDst()).value(getSrc()).value(getOffsets()).converted(getBase(), "uint32_t").converted(getCount(), "uint32_t");
    }
  }];
}

def AscendC_TransposeOp : AscendC_Call<"transpose", "Transpose", "V", "Gather", [AllTypesMatch<["dst", "src"]>]> {
  let summary = "transpose one 16 x 16 matrix of 16-bit elements";
  let description = [{
    ```mlir
    ascendc.transpose %dst, %src : !ascendc.local<f16>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type($dst)";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The argument order differs: WholeReduce takes (mask, repeat), BlockReduce
/// and PairReduce take (repeat, mask).
class AscendC_RepeatReduce<string mnemonic, string cpp, string row, string cost, bit maskFirst, string tail = "">
    : AscendC_Call<mnemonic, cpp, "V", cost, [AllTypesMatch<["dst", "src"]>]> {
  let summary = cpp # " per repeat";
  let description = [{
    Strides: repeat stride of the destination in its own unit, block stride and
    repeat stride of the source in blocks.

    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %src mask(%lanes) repeat(%rows) strides [1, 1, 8] : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, I32:$mask, I32:$repeat,
                       Variadic<I32>:$strides, DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $dst `,` $src `mask` `(` $mask `)` `repeat` `(` $repeat `)` `strides` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($dst)
  }];
  let extraClassDeclaration = callDeclaration # [{
    ::llvm::StringRef getSupportRow() { return "}] # row # [{"; }
    void getCallArguments(::lossgrad::ascendc::CallArguments &arguments) {
      ::lossgrad::ascendc::detail::reduceArguments(arguments, *this, }] # maskFirst # [{);
      ::llvm::StringRef tail = "}] # tail # [{";
      if (!tail.empty())
        arguments.text(tail);
    }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::lossgrad::ascendc::detail::verifyStrides(*this, getStaticStrides().size(), 3);
    }
  }];
  let hasVerifier = 1;
}
def AscendC_WholeReduceSumOp : AscendC_RepeatReduce<"whole_reduce_sum", "WholeReduceSum", "WholeReduceSum", "WholeReduction", 1>;
def AscendC_WholeReduceMaxOp : AscendC_RepeatReduce<"whole_reduce_max", "WholeReduceMax", "WholeReduceValueOnly", "WholeReduction", 1, "ReduceOrder::ORDER_ONLY_VALUE">;
def AscendC_WholeReduceMinOp : AscendC_RepeatReduce<"whole_reduce_min", "WholeReduceMin", "WholeReduceValueOnly", "WholeReduction", 1, "ReduceOrder::ORDER_ONLY_VALUE">;
def AscendC_BlockReduceSumOp : AscendC_RepeatReduce<"block_reduce_sum", "BlockReduceSum", "BlockReduce", "BlockReduction", 0>;
def AscendC_BlockReduceMaxOp : AscendC_RepeatReduce<"block_reduce_max", "BlockReduceMax", "BlockReduce", "BlockReduction", 0>;
def AscendC_BlockReduceMinOp : AscendC_RepeatReduce<"block_reduce_min", "BlockReduceMin", "BlockReduce", "BlockReduction", 0>;
def AscendC_PairReduceSumOp : AscendC_RepeatReduce<"pair_reduce_sum", "PairReduceSum", "PairReduce", "WholeReduction", 0>;

/// Whole-tensor reductions. On A2 and A3 the result is written by the scalar
/// unit after internal waits, so GetValue(0) is safe at once there.
class AscendC_TensorReduce<string mnemonic, string cpp>
    : AscendC_CountCall<mnemonic, cpp, "WholeReduction", [AllTypesMatch<["dst", "src", "work"]>]> {
  let summary = cpp # " of count elements into dst[0]";
  let description = [{
    ```mlir
    ascendc.}] # mnemonic # [{ %dst, %src, %work, %count : !ascendc.local<f32>
    ```
  }];
  let arguments = (ins Writes<AscendC_LocalTensor>:$dst, Reads<AscendC_LocalTensor>:$src, Writes<AscendC_LocalTensor>:$work, I32:$count);
  let assemblyFormat = "$dst `,` $src `,` $work `,` $count attr-dict `:` type($dst)";
  let extraClassDeclaration = callDeclaration # [{
    bool endsOnScalar() { return true; }
  }];
}
def AscendC_ReduceSumOp : AscendC_TensorReduce<"reduce_sum", "ReduceSum">;
def AscendC_ReduceMaxOp : AscendC_TensorReduce<"reduce_max", "ReduceMax">;
def AscendC_ReduceMinOp : AscendC_TensorReduce<"reduce_min", "ReduceMin">;

#endif // LOSSGRAD_DIALECT_ASCENDC_VECTOR_TD
