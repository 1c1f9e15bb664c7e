//===- AscendCByType.td - what depends on a kernel's type parameter -------===//
//
// Kernels for several element types are one class template. What they have in
// common stands in it once; what differs stands in the cases of an
// `ascendc.by_type`, an `if constexpr` in C++. Made by `ascendc-merge-kernels`.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_BYTYPE_TD
#define LOSSGRAD_DIALECT_ASCENDC_BYTYPE_TD

include "AscendCStructure.td"

def AscendC_ByTypeOp : AscendC_Op<"by_type", [SingleBlockImplicitTerminator<"GiveOp">, RecursiveMemoryEffects]> {
  let summary = "statements and values that depend on the type that a kernel is instantiated with";
  let description = [{
    Each case lists candidates of the type parameter; no candidate is in two
    cases. One that is in none has nothing to do, so with results all of them
    are in a case. Inside a case the parameter is what the case says:
    `ascendc.instance` brings values there. `names` are those of the results.

    ```mlir
    %x = ascendc.by_type !T names ["x"] case [f32] {
      %0 = ascendc.instance %self : !ascendc.local<!T> to !ascendc.local<f32>
      ascendc.give %0 : !ascendc.local<f32>
    } case [f16, bf16] {
      %0 = ascendc.tbuf_get %xBuf : !ascendc.local<f32>
      %1 = ascendc.instance %self : !ascendc.local<!T> to !ascendc.local<!Narrow>
      ascendc.cast %0, %1, none, %count : !ascendc.local<f32>, !ascendc.local<!Narrow>
      ascendc.give %0 : !ascendc.local<f32>
    } -> !ascendc.local<f32>
    ```
  }];
  let arguments = (ins TypeAttr:$param, TypedArrayAttrBase<TypeArrayAttr, "list of lists of types">:$cases,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$names);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def AscendC_GiveOp : AscendC_Op<"give", [Pure, Terminator, HasParent<"ByTypeOp">]> {
  let summary = "what a case results in";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

def AscendC_InstanceOp : AscendC_Op<"instance", [Pure]> {
  let summary = "a value as the case knows it";
  let description = [{
    The same tensor; its element type is the parameter outside of the case, and
    what the case says inside. Nothing in C++.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def AscendC_InitBufferOp : AscendC_Op<"init_buffer"> {
  let summary = "InitBuffer of a queue or TBuf member";
  let description = [{
    For members whose size depends on the type of the kernel.

    ```mlir
    ascendc.init_buffer %inQueue, %bytes : !ascendc.queue<vecin>
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[AscendC_Queue, AscendC_TBuf]>, "", [MemWrite]>:$member, I32:$bytes);
  let assemblyFormat = "$member `,` $bytes attr-dict `:` type($member)";
}

def AscendC_ElementCodeOp : AscendC_Op<"element_code", [Pure]> {
  let summary = "the number that the tiling data has for an element type";
  let description = [{
    ```mlir
    %dtype = ascendc.element_code !T
    ```
  }];
  let arguments = (ins TypeAttr:$element);
  let results = (outs I32:$result);
  let assemblyFormat = "$element attr-dict";
}

#endif // LOSSGRAD_DIALECT_ASCENDC_BYTYPE_TD
