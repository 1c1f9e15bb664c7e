// Messages about checks point at the check as the record uses it, also when the
// formula stands in a class of another file.
// RUN: not lossgrad-tblgen -I %S/Inputs %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

include "Tiny.td"

class Negated<string name> : Tiny<name> {
  let results = (outs (neg $x):$y);
}

def UnknownTensor : Negated<"UnknownTensor"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:30: error: 'dtype' wants the name of a tensor parameter, found 'tagret'; did you mean '$target'?
  let checks = [ArgPointers, DtypeCheck<["x", "tagret"]>];
}

def ContentsInCheck : Negated<"ContentsInCheck"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: 'x' is a tensor, whose contents are not known when checks run
  let checks = [Require<(gt $x, 0), "x must be positive">];
}

def BodyOpInCheck : Negated<"BodyOpInCheck"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: 'iota' may not stand in a check: tensors have no contents yet
  let checks = [Require<(gt (iota $c), 0), "never">];
}

def NumberAsCheck : Negated<"NumberAsCheck"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: the formula is int, expected bool
  let checks = [Require<(rank $x), "rank">];
}

def UnknownChoiceInCondition : Negated<"UnknownChoiceInCondition"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: 'non' is not a choice of 'reduction'; did you mean 'none'?
  let checks = [When<(is $reduction, "non"), [RankIs<2, ["x"]>]>];
}

def DtypeAndShape : Negated<"DtypeAndShape"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: values of 'eq' do not fit together: dtype, shape
  let checks = [Require<(eq (dtype $x), (shape $x)), "confused">];
}

def FamilyAsValue : Negated<"FamilyAsValue"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: 'on_family' wants one or more product families, found 1
  let checks = [When<(on_family 1), [RankIs<2, ["x"]>]>];
}

def AxisAsName : Negated<"AxisAsName"> {
  // CHECK-DAG: errors-checks.td:[[@LINE+1]]:17: error: 'extent' wants an axis number, found "c"
  let checks = [Require<(gt (extent $x, "c"), 0), "empty">];
}
