// Text made to hurt is an error like any other: the parser runs under limits,
// and the process that asked survives.
// RUN: split-file %s %t
// RUN: not lossgrad-tblgen %t/self.td 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: %python -c "print('include \"Base.td\"\ndef X { dag d = ' + '(neg ' * 200000 + '1' + ')' * 200000 + '; }')" > %t/deep.td
// RUN: not lossgrad-tblgen %t/deep.td 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: %python -c "print('include \"Tiny.td\"\ndef X : Tiny<\"X\"> {\n  let results = (outs ' + '(neg ' * 3000 + '$x' + ')' * 3000 + ':$y); }')" > %t/nested.td
// RUN: not lossgrad-tblgen -I %S/Inputs %t/nested.td 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not lossgrad-tblgen -I %S/Inputs %t/multiply.td 2>&1 | FileCheck %s --check-prefix=MULTIPLY
// RUN: not lossgrad-tblgen --list %t/self.td 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: head -c 4096 /dev/urandom > %t/noise.td
// RUN: not lossgrad-tblgen %t/noise.td 2>&1 | FileCheck %s --check-prefix=NOISE

// SELF: self.td:1:1: error: TableGen cannot cope with this file (Segmentation fault): it nests or expands too far
// DEEP: deep.td:1:1: error: TableGen cannot cope with this file (Segmentation fault): it nests or expands too far
// NESTED: nested.td:3:7: error: in 'results': the formula nests deeper than 200 levels
// MULTIPLY: multiply.td:{{[0-9]+}}:{{[0-9]+}}: error: in function 'f{{[0-9]}}': the operator needs more than 20000 ops
// MULTIPLY: multiply.td:8:7: note: it is called here
// NOISE: noise.td:{{[0-9]+}}:{{[0-9]+}}: error:

//--- self.td
include "self.td"

//--- multiply.td
// Each level doubles the work below it.
include "Tiny.td"
def f0 : Function<["v"], (add (neg $v), (exp $v)), "">;
foreach i = !range(1, 20) in
  def f#i : Function<["v"], !dag(add, [!dag(!cast<Function>("f" # !sub(i, 1)), [(neg $v)], ?),
                                       !dag(!cast<Function>("f" # !sub(i, 1)), [(exp $v)], ?)], ?), "">;
def X : Tiny<"X"> {
  let results = (outs (f19 $x):$y);
}
