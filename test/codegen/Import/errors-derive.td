// Messages about forwards and derived operators.
// RUN: not lossgrad-tblgen %s 2>&1 | FileCheck %s --implicit-check-not=error:

include "Base.td"

def F : Loss<"F"> {
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Attr<"beta", "float", "">, Out<"loss", Floats, ["n"], "">];
  dag lse = (logsumexp $x, $c);
  dag l = (mul $beta, (sub $lse, (gather $x, $target, $c, 0)));
  let results = (outs (value $l):$loss);
}

class Backward<string name> : BackwardOf<F, name> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Axis<"n">, Axis<"c">];
  let params = [In<"g", Floats, ["n"], "">, In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Attr<"beta", "float", "">,
                Out<"gx", Floats, ["n", "c"], "">];
  let upstream = [Upstream<"loss", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
}

def NoSuchOutput : Backward<"NoSuchOutput"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:28: error: 'los' is not an output of 'F'; did you mean 'loss'?
  let upstream = [Upstream<"los", (value $g)>];
}

def NoSuchInput : Backward<"NoSuchInput"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:29: error: 'target' is not a real input of 'F'
  let gradients = [Gradient<"target", "gx">];
}

def NotAnOutput : Backward<"NotAnOutput"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:34: error: 'g' is not an output
  let gradients = [Gradient<"x", "g">];
}

def NoSuchResult : Backward<"NoSuchResult"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:22: error: 'ls' is not an intermediate result of 'F'; did you mean 'lse'?
  let saved = [Saved<"ls", "g">];
}

def OtherDims : Backward<"OtherDims"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:29: error: 'x' is [n, c] real, the result 'lse' that it holds is [n] real
  let saved = [Saved<"lse", "x">];
}

// CHECK-DAG: errors-derive.td:[[@LINE+2]]:7: error: the forward 'F' has the attribute 'beta', which the operator lacks
def NoAttribute : Backward<"NoAttribute"> {
  let params = [In<"g", Floats, ["n"], "">, In<"x", Floats, ["n", "c"], "">, In<"target", ClassIndices, ["n"], "">, Out<"gx", Floats, ["n", "c"], "">];
}

def GivenTwice : Backward<"GivenTwice"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:34: error: 'gradients' gives output 'gx' twice
  let gradients = [Gradient<"x", "gx">, Gradient<"x", "gx">];
}

class Overridden<Loss forward, string name> : BackwardOf<forward, name> {
  let summary = "Test.";
  let products = [A2];
  let dims = [Pack<"s">];
  let params = [In<"g", Floats, ["s"], "">, In<"x", Floats, ["s"], "">, Out<"gx", Floats, ["s"], "">];
  let upstream = [Upstream<"y", (value $g)>];
  let gradients = [Gradient<"x", "gx">];
}
class Forward<string name> : Loss<name> {
  let dims = [Pack<"s">];
  let params = [In<"x", Floats, ["s"], "">, Out<"y", Floats, ["s"], "">];
  dag inner = (exp $x);
  let results = (outs (mul $inner, $x):$y);
}
def OverridesNothing : Forward<"OverridesNothing"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:29: error: 'iner' is not an intermediate result of 'OverridesNothing'; did you mean 'inner'?
  let overrides = [Override<"iner", ["x"], [(value $g)]>];
}
def OverridesNothingBackward : Overridden<OverridesNothing, "OverridesNothingBackward">;
def OverridesOfNothing : Forward<"OverridesOfNothing"> {
  // CHECK-DAG: errors-derive.td:[[@LINE+1]]:39: error: the override of 'inner' names 'z', which is neither an input nor a result
  let overrides = [Override<"inner", ["z"], [(value $g)]>];
}
def OverridesOfNothingBackward : Overridden<OverridesOfNothing, "OverridesOfNothingBackward">;
