// Two functions, one of which a reduction may drop.
func.func @keep(%a: i32) -> i32 {
  %b = arith.muli %a, %a : i32
  return %b : i32
}
func.func @drop(%a: i32) -> i32 {
  return %a : i32
}
