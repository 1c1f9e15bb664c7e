//===- LossGradPasses.td - from a body to kernels -------------------------===//
//
// The passes between level 1 and level 3, in the order in which the pipeline
// lossgrad-to-ascendc runs them. Those of level 3 are in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_LOSSGRADPASSES_TD
#define LOSSGRAD_LOSSGRADPASSES_TD

include "mlir/Pass/PassBase.td"

def LossgradOptimize : Pass<"lossgrad-optimize", "::lossgrad::OperatorOp"> {
  let summary = "Let the host compute once what does not depend on data";
  let description = [{
    Algebra on uniform factors: divisions become multiplications by a reciprocal, factors gather into one coefficient,
    scaling moves before clamping, a sign is a saturated product, and a choice between equal computations becomes a
    choice between their coefficients. Powers of data become products and roots, or exponentials of logarithms. Factors keep the order in which they are written unless they are provably in [2^-64, 1], so
    that no intermediate result leaves float32 where the written order does not. Coefficients are float64 on the host; where float32
    may not hold one, a uniform condition says whether a second factor follows, so that results at the edges (0, infinity, tiny and
    huge attributes) do not change. Bounds that data is compared with are rounded to the side that gives the same answers, and a
    uniform NaN in min, max or clamp is kept by a guarded step. The file's head has the table of rewrites with their errors; each has a switch.

    ```mlir
    %r = div %x, %beta : [b] real, [] real
    %d = clamp %r, %minusOne, %one : [b] real, [] real, [] real
    %e = mul %d, %gradOut : [b] real
    %f = mul %e, %k : [b] real, [] real
    ```
    becomes
    ```mlir
    %reciprocal = div %one, %beta : [] real
    %scale = mul %k, %reciprocal : [] real
    %s = mul %x, %scale : [b] real, [] real     // and a second factor where a uniform select says so
    %low = neg %k : [] real
    %d = clamp %s, %low, %k : [b] real, [] real, [] real
    %f = mul %d, %gradOut : [b] real
    ```
    Precondition: none. The pass reads and writes level 1.
  }];
  let options = [
    Option<"reciprocal", "reciprocal", "bool", "true", "divide by a uniform value with a multiplication (1 ulp)">,
    Option<"sign", "sign", "bool", "true", "compute sign(x) as clamp(x * 2^160, -1, 1) (exact in float32)">,
    Option<"merge", "merge", "bool", "true", "choose coefficients instead of results (exact)">,
    Option<"gather", "gather", "bool", "true", "gather uniform factors (0.5 ulp less per factor)">,
    Option<"clamp", "clamp", "bool", "true", "scale before clamping (saturated values stay exact)">];
  let statistics = [
    Statistic<"numReciprocals", "reciprocals", "divisions that became products">,
    Statistic<"numSigns", "signs", "signs that became saturated products">,
    Statistic<"numMerged", "merged", "choices between equal computations">,
    Statistic<"numGathered", "gathered", "uniform factors put to others">,
    Statistic<"numPowers", "powers", "powers that became products or exponentials">,
    Statistic<"numLookUps", "look-ups", "look-ups moved to the inputs">,
    Statistic<"numScaled", "scaled", "clamps that took in a factor">,
    Statistic<"numGuarded", "guarded", "ops prepared for what float32 cannot hold">];
  let dependentDialects = ["::lossgrad::LossGradDialect"];
}

def LossgradSpecialize : Pass<"lossgrad-specialize", "::mlir::ModuleOp"> {
  let summary = "Make variants where a condition changes the work per element";
  let description = [{
    A select on a uniform condition between different computations, and a uniform condition within one on data, splits
    the body in two variants, each with its condition; what neither side needs is no longer read, and a side with fewer dims gives fewer to what follows. Then
    inputs that are plain factors of the results get a variant for calls where they have one element: the value loses its
    dims and is read once. Such variants are added in the order of the parameters, those with the fewest inputs first, as long as the
    limit on tiling keys allows and every result keeps its dims. The operator itself stays as it is.

    ```mlir
    %y = select %weighted, %product, %self : [] bool, [b] real, [b] real
    ```
    becomes
    ```mlir
    lossgrad.variant @Op_0 of @Op when { ... holds %weighted } body(...) { ... %product ... }
    lossgrad.variant @Op_1 of @Op when { ... holds %not } body(...) { ... %self ... }
    ```
    A choice whether one more call is made on a value that nothing else needs, `select(u, v, v * c)`, stays: a branch around a call on the same
    buffer costs nothing, a variant would cost keys. So does one of what is there once per row or lane, unless a side leaves fewer ops per element,
    because it has fewer dims. A condition that those of a variant decide already is folded, so no variant is made for
    calls that do not exist.

    A sum onto a part of a broadcast pack (`reduce_onto`) makes two variants: one for calls where the part is the whole pack and there is nothing to sum, and one
    where the axes of the part and the rest of the pack are two dims, over the second of which the sum is an ordinary reduction.
    Precondition: level 1, best after lossgrad-optimize. Conditions of the variants exclude each other and cover every call.
  }];
  let options = [
    Option<"maxVariants", "max-variants", "unsigned", "6", "one-element variants are added while the number of variants stays within this limit; one that sums onto a part counts half">];
  let statistics = [
    Statistic<"numVariants", "variants", "variants made">,
    Statistic<"numDecided", "decided", "conditions decided by those that a variant has already">];
  let dependentDialects = ["::lossgrad::LossGradDialect"];
}

def LossgradLegalizeDtypes : Pass<"lossgrad-legalize-dtypes", "::mlir::ModuleOp"> {
  let summary = "Fix element types: compute in float32, widen at reads, round once at the yield";
  let description = [{
    Each variant becomes up to three: all tensors float32; all tensors of one 16-bit type, a template parameter; any mixture,
    told at run time by codes in the tiling data. Inputs are widened exactly, results are rounded once, to nearest even.
    Which element types a family has is in the parameters' dtype sets and in the target tables. A variant per group of
    families with the same sets.

    ```mlir
    lossgrad.variant @Op_0 of @Op ... body(%self: [b] real, ...) { %x = sub %self, %target ... yield out = %d }
    ```
    becomes, among others,
    ```mlir
    lossgrad.variant @Op_0_16 of @Op families [A2, A3] ... body(%self: [b] real, ...) {
      %0 = lossgrad.widen %self <template float16, bfloat16> : !lossgrad.value<[b], real>
      ...
      %r = lossgrad.narrow %d <template float16, bfloat16> : !lossgrad.value<[b], real>
      yield out = %r
    }
    ```
    Integer inputs (class indices) are not carried yet: they will be int32 in the compute type, int64 by the low word
    after a range test in the high one, uint8 through float16. A body that reads one is an error that says so.
    Precondition: variants, each with real inputs and outputs.
  }];
  let options = [
    ListOption<"soc", "soc", "std::string", "product families (A2), compute units (ascend910b) or chips (Ascend910B1); default: all of the operator">];
  let dependentDialects = ["::lossgrad::LossGradDialect"];
}

def LossgradSchedule : Pass<"lossgrad-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose schedules, assign tiling keys, build the tiling function";
  let description = [{
    Each typed variant becomes one `lossgrad.kernel` per space that carries it, and the operator gets one host function that
    takes the first that fits: kernels in a fixed order, the last of which fits every call. Spaces are proposed from the dims that the body keeps and
    reduces; each is cut into sweeps. Uniform values of a body become members of the tiling data, computed in float64 by that function. Keys are assigned here and nowhere else; more than 32
    are an error. docs/schedule.md describes the spaces and how tiles are planned.

    ```mlir
    lossgrad.variant @Op_0_f32 of @Op families [A2, A3] when { ... } body(%self: [b] real, ...) { ... }
    ```
    becomes
    ```mlir
    lossgrad.kernel @FlatF32 of @Op families [A2, A3] keys [1] space <[b: core, lane]> when "..." (%scale: [] real) {
      lossgrad.sweep reads [self stream, target stream] (%self: [b] real, ...) { ... end store ["out"](...) }
    }
    func.func @OpTiling() { ... lossgrad.tiling.plan ... lossgrad.tiling.launch key %key blocks %n }
    ```
    Precondition: legalized variants. A body that no space carries is an error that names the op: arithmetic of ints, indices along
    several axes, two reductions over different dims, reductions of everything, the size of what no tensor of the call shows.
  }];
  let dependentDialects = ["::lossgrad::LossGradDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::lossgrad::ascendc::AscendCDialect"];
}

def ConvertLossgradToAscendC : Pass<"convert-lossgrad-to-ascendc", "::mlir::ModuleOp"> {
  let summary = "Turn kernels of sweeps into AscendC kernels with virtual buffers";
  let description = [{
    One `ascendc.program` per architecture, with an entry that branches on the tiling key, and per kernel a class with the
    stages CopyIn, Compute and CopyOut, and Finish where a reduction adds up over steps. Each value of a body becomes one virtual buffer; `ascendc-plan-buffers` places them.
    Where the target tables say that Max and Min may drop NaN, clamp, min and max get a Compare and a Select. Calls that the tables do not list for a product are
    replaced by others: scalars are filled into tensors, ints are compared as the float of their difference, and Select takes the bits of one repeat after the other.

    ```mlir
    %d = clamp %s, %low, %high : [b] real, [] real, [] real
    ```
    becomes
    ```mlir
    ascendc.maxs %d, %s, %low, %count : !ascendc.local<f32>, f32
    ascendc.mins %d, %d, %high, %count : !ascendc.local<f32>, f32
    ascendc.compare %notNaN, %s, %s, eq, %rounded : ...
    ascendc.select %r, %notNaN, %d, %s, %count : ...
    ```
    Precondition: kernels of lossgrad-schedule. The tiling function and the tiling struct are left as they are.
  }];
  let dependentDialects = ["::lossgrad::LossGradDialect", "::lossgrad::ascendc::AscendCDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def LossgradPrepareTiling : Pass<"lossgrad-prepare-tiling", "::mlir::func::FuncOp"> {
  let summary = "Decide which values of a tiling function are variables";
  let description = [{
    The counterpart of `ascendc-prepare-for-emission` on the host: what would be written more than once gets a name, and a
    question about the call that is used once loses its own.

    ```mlir
    %0 = lossgrad.tiling.ask attribute "reduction" : i64 loc("reduction")
    %1 = arith.cmpi eq, %0, %c1 : i64
    ```
    becomes, in the emitted text, `call.reduction == 1` without a variable.
  }];
}

#endif // LOSSGRAD_LOSSGRADPASSES_TD
