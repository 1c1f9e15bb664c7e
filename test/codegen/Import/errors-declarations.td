// Messages about products, dims, parameters and results.
// RUN: not lossgrad-tblgen -I %S/Inputs %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

include "Tiny.td"

def Half950 : DtypeSet<[DtypesOn<[A950], [Float16]>]>;
def Mixed : Everywhere<[Float32, Int32]>;

class Output<list<Parameter> others> {
  list<Parameter> all = others # [Out<"y", Floats, ["n", "c"], "result">];
}

def DtypesMissing : Tiny<"DtypesMissing"> {
  let products = [A2, A950];
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'x' has no dtypes on A2, which the operator supports
    In<"x", Half950, ["n", "c"], "data">]>.all;
  // CHECK-DAG: errors-declarations.td:6:5: note: its dtype set is this one
  let results = (outs (neg $x):$y);
}

def DtypesMixed : Tiny<"DtypesMixed"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: dtypes of 'x' mix real and int; a tensor holds values of one kind
    In<"x", Mixed, ["n", "c"], "data">]>.all;
  let results = (outs (neg $x):$y);
}

def DuplicateParameter : Tiny<"DuplicateParameter"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:8: note: first declared here
    In<"x", Floats, ["n", "c"], "data">,
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'x' is declared twice
    Attr<"x", "double", "data">]>.all;
  let results = (outs (neg $x):$y);
}

def DuplicateDim : Tiny<"DuplicateDim"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+2]]:20: error: 'n' is declared twice
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:20: note: first declared here
  let dims = [Axis<"n">, Axis<"n">];
  let results = (outs (neg $x):$y);
}

def DuplicateResult : Tiny<"DuplicateResult"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'beta' is declared twice
  dag beta = (neg $x);
  // CHECK-DAG: Tiny.td:16:5: note: first declared here
  let results = (outs (neg $beta):$y);
}

def ReservedName : Tiny<"ReservedName"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'executor' cannot name a result: it belongs to every first-phase function
  dag executor = (neg $x);
  let results = (outs (neg $executor):$y);
}

def NoIdentifier : Tiny<"NoIdentifier"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'the x' cannot name a parameter: expected a C identifier
    In<"the x", Floats, ["n", "c"], "data">]>.all;
  let results = (outs (neg $x):$y);
}

def UnknownDimOfShape : Tiny<"UnknownDimOfShape"> {
  let dims = [Axis<"rows">, Axis<"n">, Axis<"c">];
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'row' is not a dim; did you mean 'rows'?
    In<"x", Floats, ["row", "c"], "data">]>.all;
  let results = (outs (neg $x):$y);
}

def DimsOutOfOrder : Tiny<"DimsOutOfOrder"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: shape of 'x' names dim 'n' out of order; shapes follow the order of 'dims'
    In<"x", Floats, ["c", "n"], "data">]>.all;
  let results = (outs (neg $x):$y);
}

def UnknownBroadcast : Tiny<"UnknownBroadcast"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:37: error: 'targt' is not an input tensor; did you mean 'target'?
  let dims = [Axis<"n">, Axis<"c">, BroadcastPack<"b", ["x", "targt"]>];
  let results = (outs (neg $x):$y);
}

def SplitAtNumber : Tiny<"SplitAtNumber"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:15: error: 'beta' is not an int64_t attribute
  let dims = [SplitAt<"r", "beta">, Axis<"n">, Axis<"c">];
  let results = (outs (neg $x):$y);
}

def PartOfAxis : Tiny<"PartOfAxis"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:37: error: 'n' is not a broadcast pack
  let dims = [Axis<"n">, Axis<"c">, PartOf<"v", "n", "x">];
  let results = (outs (neg $x):$y);
}

def UnknownCType : Tiny<"UnknownCType"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: attribute 'p' has C type 'int'; expected int64_t, float, double, bool or char *
    Attr<"p", "int", "power">]>.all;
  let results = (outs (to_real $p):$y);
}

def BadDefault : Tiny<"BadDefault"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: default value 'one' is not int
    Attr<"p", "int64_t", "power", "one">]>.all;
  let results = (outs (to_real $p):$y);
}

def BadCondition : Tiny<"BadCondition"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: condition of the shape of 'x' is (gt ?:$p, 0); expected (is $attribute, "choice") or its not
    In<"x", Floats, ["n", "c"], "data", (gt $p, 0)>,
    Attr<"p", "int64_t", "power">]>.all;
  let results = (outs (neg $x):$y);
}

def NoProduct : Tiny<"NoProduct"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: the operator supports no product
  let products = [];
  let results = (outs (neg $x):$y);
}

def ProductTwice : Tiny<"ProductTwice"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: product A2 is listed twice
  let products = [A2, A3, A2];
  let results = (outs (neg $x):$y);
}

def NoOutput : Tiny<"NoOutput"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: the operator has no output
  let params = [In<"x", Floats, ["n", "c"], "data">];
  let results = (outs);
}

// CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: field 'summary' (string) of record 'NoSummary' is not set
def NoSummary : LossBackward<"NoSummary"> {
  let products = [A2];
}

def MissingOutput : Tiny<"MissingOutput"> {
  let params = Output<[
    In<"x", Floats, ["n", "c"], "data">,
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: note: it is declared here
    Out<"z", Floats, ["n"], "another">]>.all;
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'results' does not give output 'z'
  let results = (outs (neg $x):$y);
}

def WrongOutput : Tiny<"WrongOutput"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+2]]:35: error: 'grady' is not an output
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'results' does not give output 'y'
  let results = (outs (neg $beta):$grady);
}

def OutputTwice : Tiny<"OutputTwice"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:32: error: output 'y' is given twice
  let results = (outs (neg $x):$y, (exp $x):$y);
}

def OutputWithoutFormula : Tiny<"OutputWithoutFormula"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+2]]:23: error: output 'y' has no formula; expected (formula):$y
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'results' does not give output 'y'
  let results = (outs $y);
}

def NoOuts : Tiny<"NoOuts"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: 'results' is (neg ?:$x); expected (outs (formula):$output, ...)
  let results = (neg $x);
}

def TooManyDims : Tiny<"TooManyDims"> {
  let params = [In<"x", Floats, ["n", "c"], "data">, Out<"y", Floats, ["n"], "result">];
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:32: error: the value of 'y' has dim 'c', which the output lacks: [n]
  let results = (outs (neg $x):$y);
}

def BoolOutput : Tiny<"BoolOutput"> {
  // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:7: error: in 'results': the formula is bool, expected real; (to_real ...) makes it 0 or 1
  let results = (outs (gt $x, 0):$y);
}

// CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: note: first defined here
def Same1 : Tiny<"Same"> {
  let params = Output<[In<"x", Floats, ["n", "c"], "data">]>.all;
  let checks = Sound<["x", "y"]>.checks;
  let results = (outs (neg $x):$y);
}
// CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: operator 'Same' is defined twice
def Same2 : Tiny<"Same"> {
  let params = Output<[In<"x", Floats, ["n", "c"], "data">]>.all;
  let checks = Sound<["x", "y"]>.checks;
  let results = (outs (neg $x):$y);
}

def Flat : Tiny<"Flat"> {
  let dims = [BroadcastPack<"b", ["x"]>];
  let params = [In<"x", Floats, ["b"], "data">,
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'z' is flat over the pack 'b', which kernels cannot read; declare it with the axes of the pack (In), or over single axes
    FlatIn<"z", Floats, ["b"], "factor">, Out<"y", Floats, ["b"], "result">];
  let results = (outs (mul $x, $z):$y);
}

def AfterOutput : Tiny<"AfterOutput"> {
  let params = [In<"x", Floats, ["n", "c"], "data">, Out<"y", Floats, ["n", "c"], "result">,
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:10: error: 'beta' stands after the output 'y'; outputs come last
    Attr<"beta", "double", "a number">];
  let results = (outs (neg $x):$y);
}

def ReadUnread : Tiny<"ReadUnread"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: 'x' is declared as UnreadIn, but a formula reads it
    UnreadIn<"x", Floats, ["n", "c"], "data">]>.all;
  let results = (outs (neg $x):$y);
}

def CType : Tiny<"CType"> {
  let params = Output<[
    // CHECK-DAG: errors-declarations.td:[[@LINE+1]]:5: error: tensor 'x' has C type 'int'; expected const aclTensor * or aclTensor *
    Tensor<"x", Floats, ["n", "c"], "data", "int">]>.all;
  let results = (outs (neg $x):$y);
}
