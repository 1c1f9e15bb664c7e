// Every field of a record gives its name to one op, also where the formula is
// only a conversion.
// RUN: lossgrad-tblgen -I %S/Inputs %s | FileCheck %s

include "Tiny.td"

// CHECK: body(%x
// CHECK: %above = cast {{.*}} bool to real
// CHECK: %y = mul %above, %x
def Named : Tiny<"Named"> {
  let checks = Sound<["x", "target", "y"]>.checks;
  dag above = (to_real (gt $x, 1));
  let results = (outs (mul $above, $x):$y);
}
