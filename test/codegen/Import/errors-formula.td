// Messages about formulas: what is wrong, where, and what would be right.
// RUN: not lossgrad-tblgen -I %S/Inputs %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

include "Tiny.td"

// The place is that of the name, not of the formula.
def UnknownName : Tiny<"UnknownName"> {
  dag scaled = (mul $x,
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:22: error: in 'scaled': unknown name '$btea'; did you mean '$beta'?
                (add $btea, 1));
  let results = (outs (neg $scaled):$y);
}

def UnknownNameFarFromAll : Tiny<"UnknownNameFarFromAll"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:28: error: in 'results': unknown name '$somethingElse'{{$}}
  let results = (outs (neg $somethingElse):$y);
}

def TooManyArguments : Tiny<"TooManyArguments"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': 'sub' takes 2 arguments, found 3: (sub value, value)
  let results = (outs (sub $x, $beta, 1):$y);
}

def TooFewArguments : Tiny<"TooFewArguments"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': 'mul' takes at least 2 arguments, found 1: (mul value, value, ...)
  let results = (outs (mul $x):$y);
}

def NoDims : Tiny<"NoDims"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': 'sum' takes at least 2 arguments, found 1: (sum value, dim, ...)
  let results = (outs (sum $x):$y);
}

def WrongArityOfFunction : Tiny<"WrongArityOfFunction"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': 'sigmoid' takes 1 argument, found 2: (sigmoid x)
  let results = (outs (sigmoid $x, $x):$y);
}

def Cycle : Tiny<"Cycle"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: 'a' depends on itself: a -> b -> d -> a
  dag a = (add $x, $b);
  dag b = (exp $d);
  dag d = (neg $a);
  let results = (outs (neg $a):$y);
}

def SelfReference : Tiny<"SelfReference"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: 'a' depends on itself: a -> a
  dag a = (add $a, $x);
  let results = (outs (neg $a):$y);
}

def DimAsValue : Tiny<"DimAsValue"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:32: error: in 'results': 'c' is a dim, not a value; (extent $c) is its length, (iota $c) the position along it
  let results = (outs (div $x, $c):$y);
}

def ReadsOutput : Tiny<"ReadsOutput"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:32: error: in 'results': 'y' is an output; a formula cannot read it
  let results = (outs (add $x, $y):$y);
}

def UnknownDim : Tiny<"UnknownDim"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:37: error: in 'results': 'sum' wants the names of one or more dims, found 'beta'
  let results = (outs (exp (sum $x, $beta)):$y);
}

def NotATensor : Tiny<"NotATensor"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:39: error: in 'results': 'numel' wants the name of a tensor parameter or of a dim, found 'beta'
  let results = (outs (div $x, (numel $beta)):$y);
}

def MissspeltTensor : Tiny<"MissspeltTensor"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:40: error: in 'results': 'present' wants the name of a tensor parameter, workspaceSize or executor, found 'trget'; did you mean '$target'?
  let results = (outs (select (present $trget), $x, 0):$y);
}

def FormulaForName : Tiny<"FormulaForName"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:32: error: in 'results': 'numel' wants a name here, found (neg ?:$x): (numel tensor or dim)
  let results = (outs (div $x, (numel (neg $x))):$y);
}

def BoolForNumber : Tiny<"BoolForNumber"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': argument 1 of 'exp' is bool, expected real; (to_real ...) makes it 0 or 1
  let results = (outs (exp (gt $x, 0)):$y);
}

def KindsDoNotFit : Tiny<"KindsDoNotFit"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': values of 'add' do not fit together: real, bool
  let results = (outs (add $x, (gt $x, 0)):$y);
}

def SelectsMixed : Tiny<"SelectsMixed"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': values of 'select' do not fit together: real, bool
  let results = (outs (select (gt $x, 0), $x, (lt $x, 1)):$y);
}

def NumberAsCondition : Tiny<"NumberAsCondition"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': argument 1 of 'select' is real, expected bool
  let results = (outs (select $x, $x, 0):$y);
}

def RealAsIndex : Tiny<"RealAsIndex"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': argument 1 of 'onehot' is real, expected int; (to_int ...) rounds it toward zero
  let results = (outs (to_real (onehot $x, $c)):$y);
}

def NotDecimal : Tiny<"NotDecimal"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': values of 'add' do not fit together: real, string
  let results = (outs (add $x, "beta"):$y);
}

def NotDecimalAlone : Tiny<"NotDecimalAlone"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': argument 1 of 'exp' is "beta", expected real; a decimal constant is a string such as "1e-12" or "0.5" with nothing behind it, a name is written $name
  let results = (outs (exp "beta"):$y);
}

// What is cut off or cannot be a float64 does not become another number.
def CutExponent : Tiny<"CutExponent"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:23: error: in 'results': values of 'mul' do not fit together: real, string; "1.5e+" is no number; a decimal constant is a string such as "1e-12" or "0.5" with nothing behind it, a name is written $name
  let results = (outs (mul $x, "1.5e+"):$y);
}

def CutExponentAlone : Tiny<"CutExponentAlone"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': argument 1 of 'exp' is "1e", expected real; a decimal constant is a string such as "1e-12" or "0.5" with nothing behind it, a name is written $name
  let results = (outs (exp "1e"):$y);
}

def TooLarge : Tiny<"TooLarge"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:32: error: in 'results': the constant "1e999" is beyond what float64 can hold; infinity is written "inf"
  let results = (outs (mul $x, "1e999"):$y);
}

def TooSmall : Tiny<"TooSmall"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:32: error: in 'results': the constant "-1e-999" is too small for float64, which would make it 0
  let results = (outs (mul $x, "-1e-999"):$y);
}

def UnknownChoice : Tiny<"UnknownChoice"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': 'maen' is not a choice of 'reduction'; did you mean 'mean'?
  let results = (outs (select (is $reduction, "maen"), $x, 0):$y);
}

def ChoiceOfNumber : Tiny<"ChoiceOfNumber"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': 'mean' is not a choice of 'beta', which has none
  let results = (outs (select (is $beta, "mean"), $x, 0):$y);
}

def NotAnOperator : Tiny<"NotAnOperator"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+2]]:23: error: in 'results': 'A2' is not a formula operator
  // CHECK-DAG: Atlas2201.td:{{[0-9]+}}:5: note: it is defined here
  let results = (outs (A2 $x):$y);
}

def OnlyInChecks : Tiny<"OnlyInChecks"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:41: error: in 'results': 'dtype' may not stand in a formula: it asks about the call
  let results = (outs (select (dtype_in (dtype $x), $x), $x, 0):$y);
}

def Unset : Tiny<"Unset"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': an argument is not set ('?')
  let results = (outs (add $x, ?):$y);
}

def NamedArgument : Tiny<"NamedArgument"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'results': the argument 1 has a name, '$one'; only results have names
  let results = (outs (add $x, 1:$one):$y);
}

def forever : Function<["v"], (add 1, (forever $v)), "never ends">;
def Recursive : Tiny<"Recursive"> {
  // CHECK-DAG: errors-formula.td:[[@LINE-2]]:5: error: in function 'forever': the formula nests deeper than 200 levels; a function that calls itself never ends
  let results = (outs (forever $x):$y);
}

def NoFormula : Tiny<"NoFormula"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: error: in 'a': the result has no formula
  dag a;
  let results = (outs (add $x, $a):$y);
}

def Unused : Tiny<"Unused"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: warning: result 'a' is never used
  dag a = (exp $x);
  let results = (outs (neg $x):$y);
}

// A mistake in a function points into the function, one in its argument does not.
// CHECK-DAG: errors-formula.td:[[@LINE+1]]:44: error: in function 'wrongInside': unknown name '$y2'
def wrongInside : Function<["x"], (mul $x, $y2), "a name that nobody has">;
def InFunction : Tiny<"InFunction"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:7: note: it is called here
  let results = (outs (wrongInside $x):$y);
}
def InArgument : Tiny<"InArgument"> {
  // CHECK-DAG: errors-formula.td:[[@LINE+1]]:31: error: in 'results': unknown name '$tagret'; did you mean '$target'?
  let results = (outs (square $tagret):$y);
}
// CHECK-DAG: errors-formula.td:[[@LINE+2]]:23: error: in 'results': values of 'mul' do not fit together: real, string; "1e-3x" is no number; a decimal constant is a string such as "1e-12" or "0.5" with nothing behind it, a name is written $name
def Trailing : Tiny<"Trailing"> {
  let results = (outs (mul $x, "1e-3x"):$y);
}
