// RUN: lossgrad-opt %s --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --lossgrad-schedule | FileCheck %s

// Members of the tiling data mean the same in all variants, so that what they
// are stands beside them: equal values share one, others have their own, also
// where nothing names them. What a definition uses is called as its member.
lossgrad.operator @Choice
    summary "" products [A2]
    dims [b...]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]}, attr flag : bool "bool", attr a : real "double",
            attr c : real "double", out y : [b] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%x: [b] real) {
      %flag = attribute flag : bool
      %a = attribute a : real
      %c = attribute c : real
      %zero = constant 0.0
      %0 = exp %a : [] real
      %1 = exp %c : [] real
      %2 = compare gt %a, %zero : [] real
      %3 = compare gt %c, %zero : [] real
      %4 = mul %x, %0 : [b] real, [] real
      %5 = select %2, %4, %x : [] bool, [b] real, [b] real
      %6 = exp %x : [b] real
      %7 = mul %6, %1 : [b] real, [] real
      %8 = select %3, %7, %6 : [] bool, [b] real, [b] real
      %9 = mul %8, %0 : [b] real, [] real
      %y = select %flag, %5, %9 : [] bool, [b] real, [b] real
      yield y = %y : [b] real
    }
// CHECK-LABEL: lossgrad.kernel @FlatF32AAbove0Flag of @Choice
// CHECK-SAME: (%coefficient: [] real)
// CHECK: ascendc.tiling_member @coefficient : f32 "exp(a)"
// CHECK-NEXT: ascendc.tiling_member @coefficient1 : f32 "exp(c)"
// CHECK-NEXT: ascendc.tiling_member @cAbove0 : i32 "1 if c > 0"
// CHECK-NEXT: }
// One value each, whatever variant the call is for.
// CHECK: %[[A:.*]] = lossgrad.tiling.ask {{ ?}}attribute "a"
// CHECK: %[[EXP:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[COEFFICIENT:.*]] = arith.truncf %[[EXP]]
// CHECK-NEXT: lossgrad.tiling.store @coefficient, %[[COEFFICIENT]]
// CHECK-LABEL: lossgrad.kernel @FlatF32AAbove0 of @Choice
// CHECK-SAME: (%coefficient1: [] real, %cAbove0: [] bool, %coefficient: [] real)
