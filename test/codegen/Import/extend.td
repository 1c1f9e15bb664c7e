// A user's own operators, checks, dtype sets and families of operators need no
// C++: everything is found at run time.
// RUN: lossgrad-tblgen %s | FileCheck %s
// RUN: lossgrad-tblgen --list %s | FileCheck %s --check-prefix=LIST
// RUN: lossgrad-tblgen --list-formula-operators %s | FileCheck %s --check-prefix=OPERATORS
// RUN: lossgrad-translate --td-to-mlir %s | FileCheck %s
// RUN: mkdir -p %t && cd %t && lossgrad-tblgen - < %s | FileCheck %s

include "Base.td"

// OPERATORS: (add value, value, ...)
// OPERATORS-NEXT: sum
// OPERATORS: (extent tensor or dim, [int])
// OPERATORS: (log_1_exp x)
// OPERATORS-NEXT: log(1 + exp(x))
def log_1_exp : Function<["x"], (log (add 1, (exp $x))), "log(1 + exp(x))">;

/// A kind of check that Checks.td does not have.
class EvenExtent<string n, int axis>
    : Check<[Step<(eq (extent n, axis), (mul 2, (to_int (div (extent n, axis), 2)))), ParamInvalid,
                  "axis " # axis # " of " # n # " has {0} elements, must be even", [(extent n, axis)]>]>;

multiclass Family<dag inner> {
  def Backward : LossBackward<NAME # "Backward"> {
    let summary = "Member of a family.";
    let products = [A2, A910];
    let dims = [Axis<"n">];
    let params = [In<"x", Floats, ["n"], "data">, Out<"y", OnlyFloat32, ["n"], "result">];
    let checks = [ArgPointers, NullCheck<["x", "y"]>, ProductCheck, DtypeCheck<["x", "y"]>, EvenExtent<"x", 0>, On<[A910], [RankIs<1, ["x"]>]>,
                  DeclaredShape<["x", "y"]>];
    dag u = inner;
    let results = (outs (mul $u, "0.5"):$y);
  }
}
defm Plain : Family<(value $x)>;
defm Soft : Family<(log_1_exp $x)>;

// LIST: PlainBackward: Member of a family.
// LIST-NEXT: SoftBackward: Member of a family.

// CHECK-LABEL: lossgrad.operator @PlainBackward
// CHECK:       in x : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16] on [A2], [float32, float16] on [A910]} doc "data",
// CHECK-NEXT:  out y : [n] real "aclTensor *" dtypes {[float32] on [A2, A910]} doc "result"
// CHECK:       contract {
// CHECK:         %[[E:.+]] = extent x at 0
// CHECK-NEXT:    %[[R:.+]] = cast %[[E]] : [] int to real
// CHECK-NEXT:    %[[TWOR:.+]] = constant 2.0
// CHECK-NEXT:    %[[H:.+]] = div %[[R]], %[[TWOR]] : [] real
// CHECK-NEXT:    %[[I:.+]] = cast %[[H]] : [] real to int
// CHECK-NEXT:    %[[TWO:.+]] = constant 2{{$}}
// CHECK-NEXT:    %[[M:.+]] = mul %[[TWO]], %[[I]] : [] int
// CHECK-NEXT:    %[[C:.+]] = compare eq %[[E]], %[[M]] : [] int
// CHECK-NEXT:    check %[[C]] else 161002 "axis 0 of x has {0} elements, must be even"(%[[E]] : [] int)
// CHECK-NEXT:    %[[ON:.+]] = product_in [A910]
// CHECK:         check %{{.+}} else 161002 "rank of x is {0}, must be 1"(%{{.+}} : [] int) when %[[ON]]
// CHECK:       body(%x: [n] real) {
// CHECK-NEXT:    %[[K:.+]] = constant 0.5
// CHECK-NEXT:    %y = mul %x, %[[K]] : [n] real, [] real
// CHECK-NEXT:    yield y = %y : [n] real

// CHECK-LABEL: lossgrad.operator @SoftBackward
// CHECK:       body(%x: [n] real) {
// CHECK-NEXT:    %[[EX:.+]] = exp %x : [n] real
// CHECK-NEXT:    %[[ONE:.+]] = constant 1.0
// CHECK-NEXT:    %[[S:.+]] = add %[[ONE]], %[[EX]] : [] real, [n] real
// CHECK-NEXT:    %u = log %[[S]] : [n] real
// CHECK-NEXT:    %[[K:.+]] = constant 0.5
// CHECK-NEXT:    %y = mul %u, %[[K]] : [n] real, [] real
