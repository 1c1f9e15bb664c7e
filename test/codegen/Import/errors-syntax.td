// What TableGen itself rejects is reported at its place, with a suggestion for
// names. Each error ends the parse, so each has a file of its own.
// RUN: split-file %s %t
// RUN: not lossgrad-tblgen %t/operator.td 2>&1 | FileCheck %s --check-prefix=OPERATOR
// RUN: not lossgrad-tblgen %t/decimal.td 2>&1 | FileCheck %s --check-prefix=DECIMAL
// RUN: not lossgrad-tblgen %t/class.td 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: not lossgrad-tblgen %t/text.td 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not lossgrad-tblgen %t/include.td 2>&1 | FileCheck %s --check-prefix=INCLUDE
// RUN: not lossgrad-tblgen %t/fatal.td 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not lossgrad-tblgen %t/nobase.td 2>&1 | FileCheck %s --check-prefix=NOBASE
// RUN: not lossgrad-tblgen %t/nothing.td 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not lossgrad-tblgen %t/own.td 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not lossgrad-tblgen %t/field.td 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not lossgrad-tblgen %t/absent.td 2>&1 | FileCheck %s --check-prefix=ABSENT

//--- operator.td
include "Base.td"
def X : LossBackward<"X"> {
  let results = (outs (slect $a, $b, 0):$y);
}
// OPERATOR: operator.td:3:24: error: Variable not defined: 'slect'; did you mean 'select'?

//--- decimal.td
include "Base.td"
def X : LossBackward<"X"> {
  dag f = (mul $a, 0.5);
  dag g = (quux $a);
}
// DECIMAL: decimal.td:3:22: error: expected field identifier after '.'; a decimal constant is a string: "0.5"
// DECIMAL-NOT: error:
// RUN: sed /0.5/d %t/decimal.td > %t/quux.td
// RUN: not lossgrad-tblgen %t/quux.td 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: quux.td:3:12: error: Variable not defined: 'quux'; `lossgrad-tblgen --list-formula-operators` lists what may stand in a formula{{$}}

// Names that other systems have for it come with how it is written here, also
// where the name of something else is near.
// RUN: sed s/quux/ln/ %t/quux.td > %t/ln.td
// RUN: not lossgrad-tblgen %t/ln.td 2>&1 | FileCheck %s --check-prefix=LN
// LN: ln.td:3:12: error: Variable not defined: 'ln'; here it is (log x){{$}}
// RUN: sed s/quux/sinh/ %t/quux.td > %t/sinh.td
// RUN: not lossgrad-tblgen %t/sinh.td 2>&1 | FileCheck %s --check-prefix=SINH
// SINH: error: Variable not defined: 'sinh'; here it is (mul "0.5", (sub (expm1 x), (expm1 (neg x)))){{$}}
// RUN: sed s/quux/maximum/ %t/quux.td > %t/maximum.td
// RUN: not lossgrad-tblgen %t/maximum.td 2>&1 | FileCheck %s --check-prefix=MAXIMUM
// MAXIMUM: error: Variable not defined: 'maximum'; here it is (max x, y, ...){{$}}
// RUN: sed "s/quux \$a/> $a/" %t/quux.td > %t/sign.td
// RUN: not lossgrad-tblgen %t/sign.td 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: expected identifier or list of value types in dag init; the operator of a formula is a name: (gt x, y){{$}}

// A suggestion for what is no name would lead astray.
// RUN: sed "s/0.5/1e-3/" %t/decimal.td > %t/exponent.td
// RUN: not lossgrad-tblgen %t/exponent.td 2>&1 | FileCheck %s --check-prefix=EXPONENT
// EXPONENT: exponent.td:3:20: error: Variable not defined: '1e'; a decimal constant is a string: "0.5"
// RUN: sed "s/0.5/-.5/" %t/decimal.td > %t/minus.td
// RUN: not lossgrad-tblgen %t/minus.td 2>&1 | FileCheck %s --check-prefix=MINUS
// MINUS: minus.td:3:20: error: Unknown or reserved token when parsing a value; a decimal constant is a string: "0.5"

//--- call.td
include "Base.td"
def X : LossBackward<"X"> {
  dag f = abs($a);
}
// RUN: not lossgrad-tblgen %t/call.td 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: call.td:3:11: error: Field 'f' of type 'dag' is incompatible with value 'abs' of type 'Unary'; a formula stands in parentheses, with its operator: (abs $x), (value 1)

//--- comma.td
include "Base.td"
def X : LossBackward<"X"> {
  dag f = (mul $a $b);
}
// RUN: not lossgrad-tblgen %t/comma.td 2>&1 | FileCheck %s --check-prefix=COMMA
// COMMA: comma.td:3:19: error: expected ')' in dag init; arguments of a formula are separated by commas

//--- class.td
include "Base.td"
def X : LossBackwards<"X"> {
}
// CLASS: class.td:2:9: error: Couldn't find class 'LossBackwards'; did you mean 'LossBackward'?

// RUN: sed "s/}/let dims = [BroadcstPack<1>]; }/; s/LossBackwards/LossBackward/" %t/class.td > %t/axis.td
// RUN: not lossgrad-tblgen %t/axis.td 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: axis.td:3:13: error: Expected a class name, got 'BroadcstPack'; did you mean 'BroadcastPack'?

//--- text.td
include "Base.td"
def X : LossBackward<"X"> {
  let summary = ;
}
// TEXT: text.td:3:17: error: Unknown or reserved token when parsing a value

//--- include.td
include "Basis.td"
// INCLUDE: include.td:1:9: error: could not find include file 'Basis.td'

//--- fatal.td
def X { int a = !div(1, 0); }
// FATAL: fatal.td:1:5: error: Illegal operation: division by zero

//--- nobase.td
def X { int a = 1; }
// NOBASE: nobase.td:1:1: error: the file does not know class LossBackward; include "Base.td"

//--- nothing.td
include "Base.td"
// NOTHING: nothing.td:1:1: error: the file defines no operator: no record derives from LossBackward

//--- own.td
class LossBackward<int name> { int function = name; }
def X : LossBackward<1> { dag results = (X); }
// OWN: own.td:1:36: error: field 'function' must be a string, found 1

//--- field.td
// An intermediate result with the name of a field that all operators have.
include "Base.td"
def X : LossBackward<"X"> {
  dag dims = (sub $self, $target);
}
// FIELD: field.td:4:14: error: Field 'dims' of type 'list<Dim>' is incompatible with value
// FIELD-NOT: Stack dump

//--- none.td
// ABSENT: error: cannot open input file '{{.*}}absent.td'
