// An input that no formula reads is a warning, unless the record says that it is meant; an output in front of another parameter is refused.
// RUN: lossgrad-tblgen -I %S/Inputs %s 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: printf 'include "Tiny.td"\ndef Late : Tiny<"Late"> {\n  let params = [Out<"y", Floats, ["n", "c"], "result">, In<"x", Floats, ["n", "c"], "data">];\n  let results = (outs (neg $x):$y);\n}\n' > %t.late.td
// RUN: not lossgrad-tblgen -I %S/Inputs %t.late.td 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: :3:{{[0-9]+}}: error: 'x' stands after the output 'y'; outputs come last
// RUN: printf 'include "Tiny.td"\ndef Meant : Tiny<"Meant"> {\n  let params = [In<"x", Floats, ["n", "c"], "data">, UnreadIn<"z", Floats, ["n"], "data">, Out<"y", Floats, ["n", "c"], "result">];\n  let results = (outs (mul $x, $z):$y);\n}\n' > %t.read.td
// RUN: not lossgrad-tblgen -I %S/Inputs %t.read.td 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: 'z' is declared as UnreadIn, but a formula reads it

include "Tiny.td"

class Beside<string name, Parameter second> : Tiny<name> {
  let params = [In<"x", Floats, ["n", "c"], "data">, second, Out<"y", Floats, ["n", "c"], "result">];
  let checks = Sound<["x", "z", "y"]>.checks;
  let results = (outs (neg $x):$y);
}
// CHECK: warning: no formula reads 'z'; declare it as UnreadIn if that is meant
def Forgotten : Beside<"Forgotten", In<"z", Floats, ["n"], "data">>;
def Meant : Beside<"Meant", UnreadIn<"z", Floats, ["n"], "data">>;
