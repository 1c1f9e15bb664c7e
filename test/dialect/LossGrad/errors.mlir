// RUN: lossgrad-opt %s --split-input-file --verify-diagnostics -o /dev/null

// Declarations.

// expected-error@+1 {{declares 'n' twice, as a dim and as a parameter}}
lossgrad.operator @Twice summary "" products [A2] dims [n]
    params [in n : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{declares 'executor' as a parameter; every operator has this argument already}}
lossgrad.operator @Reserved summary "" products [A2] dims [n]
    params [in executor : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has a parameter named 'x y'; names are letters, digits and underscores}}
lossgrad.operator @Name summary "" products [A2] dims [n]
    params [in "x y" : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has 'y' in place of 'z'; expected an output and an input tensor}}
lossgrad.operator @NotAnInput summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out y : [n] real "aclTensor *" in_place_of z dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield y = %x : [n] real }

// -----

// expected-error@+1 {{has 'x' in place of 'w'; expected an output and an input tensor}}
lossgrad.operator @NotAnOutput summary "" products [A2] dims [n]
    params [in w : [n] real "const aclTensor *" dtypes {[float32]}, in x : [n] real "const aclTensor *" in_place_of w dtypes {[float32]},
            out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%w: [n] real, %x: [n] real) { yield y = %x : [n] real }

// -----

// expected-error@+1 {{has 'y' in place of 'x', which is declared with another shape}}
lossgrad.operator @OtherShape summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, in w : [n, c] real "const aclTensor *" dtypes {[float32]},
            out y : [n, c] real "aclTensor *" in_place_of x dtypes {[float32]}]
    contract {} body(%x: [n] real, %w: [n, c] real) { yield y = %w : [n, c] real }

// -----

// expected-error@+1 {{has both 'y' and 'z' in place of 'x'}}
lossgrad.operator @TwoOverOne summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" in_place_of x dtypes {[float32]},
            out z : [n] real "aclTensor *" in_place_of x dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield y = %x : [n] real, z = %x : [n] real }

// -----

// expected-error@+1 {{lists no products}}
lossgrad.operator @NoProduct summary "" products [] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has no dtypes of 'out' on 'A950'; expected one list per product}}
lossgrad.operator @MissingDtypes summary "" products [A2, A950] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32] on [A2]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has several lists of dtypes of 'x' on 'A2'; expected one list per product}}
lossgrad.operator @TwoLists summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32], [float16] on [A2]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has dtypes of 'x' on 'A3', which is not one of its products}}
lossgrad.operator @OtherProduct summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32] on [A2, A3]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has 'x' of kind real with the dtype int64}}
lossgrad.operator @KindOfDtype summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[int64]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has 'x' with the dim 'm', which is not declared}}
lossgrad.operator @UndeclaredDim summary "" products [A2] dims [n]
    params [in x : [m] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [m] real) { yield out = %x : [m] real }

// -----

// expected-error@+1 {{has 'x' with the dim 'n' twice or against the order of declaration}}
lossgrad.operator @DimOrder summary "" products [A2] dims [n, c]
    params [in x : [c, n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [c, n] real) { yield out = %x : [c, n] real }

// -----

// expected-error@+1 {{declares the dim 'c', which no parameter has}}
lossgrad.operator @UnusedDim summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{splits at 'beta' to find the dim 'r'; expected an int attribute}}
lossgrad.operator @SplitAtReal summary "" products [A2] dims [r at beta]
    params [in x : [r] real "const aclTensor *" dtypes {[float32]},
            attr beta : real "float",
            out out : [r] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [r] real) { yield out = %x : [r] real }

// -----

// expected-error@+1 {{has the dim 'b' as a broadcast of 'y', which is not an input tensor}}
lossgrad.operator @BroadcastOfNothing summary "" products [A2] dims [b... = broadcast(x, y)]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]},
            out out : [b] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [b] real) { yield out = %x : [b] real }

// -----

// expected-error@+1 {{has the dim 'v' as a part of 'n', which is not a broadcast pack}}
lossgrad.operator @PartOfAxis summary "" products [A2] dims [n, v... = n of x]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [v] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{makes the shape of 'x' depend on 'mode', which is not an attribute}}
lossgrad.operator @Condition summary "" products [A2] dims [n]
    params [in x : [n] real if mode is 0 "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{compares the attribute 'mode' of kind string with a value of another kind: 0 : i64}}
lossgrad.operator @ConditionKind summary "" products [A2] dims [n]
    params [in x : [n] real if mode is 0 "const aclTensor *" dtypes {[float32]},
            attr mode : string "char *",
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has the attribute 'k' of kind int with a default of another kind: 1.000000e+00 : f64}}
lossgrad.operator @Default summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, attr k : int "int64_t" default 1.0,
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield out = %x : [n] real }

// -----

// expected-error@+1 {{has no output}}
lossgrad.operator @NoOutput summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {}

// -----

// Text.

lossgrad.operator @Role summary "" products [A2] dims [n]
    // expected-error@+1 {{unknown role 'input'; expected in, optional, out or attr}}
    params [input x : [n] real "const aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {}

// -----

lossgrad.operator @Dots summary "" products [A2] dims [n...]
    // expected-error@+1 {{'n...': the dots of a pack are written only where it is declared}}
    params [in x : [n...] real "const aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {}

// -----

lossgrad.operator @Dtype summary "" products [A2] dims [n]
    // expected-error@+1 {{unknown dtype 'float'; expected float32, float16, bfloat16, int64, ...}}
    params [in x : [n] real "const aclTensor *" dtypes {[float]}]
    contract {} body(%x: [n] real) {}

// -----

// Bodies.

// expected-error@+1 {{has 1 input tensor(s), but its body has 0 argument(s)}}
lossgrad.operator @Arguments summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body() { %a = constant 1.0
      yield out = %a : [] real }

// -----

// expected-error@+1 {{has a body whose argument for 'x' has type '!lossgrad.value<[], real>'; expected '!lossgrad.value<[n], real>'}}
lossgrad.operator @ArgumentType summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [] real) { yield out = %x : [] real }

// -----

// expected-error@+1 {{has a body that does not end with yield}}
lossgrad.operator @NoYield summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { %a = neg %x : [n] real }

// -----

lossgrad.operator @Outputs summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out a : [n] real "aclTensor *" dtypes {[float32]},
            out b : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{gives (b, a); expected the outputs in C order: (a, b)}}
      yield b = %x : [n] real, a = %x : [n] real
    }

// -----

lossgrad.operator @OutputType summary "" products [A2] dims [n, c]
    params [in x : [n, c] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n, c] real) {
      // expected-error@+1 {{gives 'out' a value of type [n, c] real; it is declared as [n] real}}
      yield out = %x : [n, c] real
    }

// -----

lossgrad.operator @Kinds summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      %n = extent n
      // expected-error@+1 {{operands have different kinds, real and int; cast one of them first}}
      %a = div %x, %n : [n] real, [] int
      yield out = %a : [n] real
    }

// -----

lossgrad.operator @RealOnly summary "" products [A2] dims [n]
    params [in x : [n] int "const aclTensor *" dtypes {[int64]},
            out out : [n] int "aclTensor *" dtypes {[int64]}]
    contract {} body(%x: [n] int) {
      // expected-error@+1 {{operand #0 must be a real value, but got '!lossgrad.value<[n], int>'}}
      %a = exp %x : [n] int
      yield out = %a : [n] int
    }

// -----

lossgrad.operator @StringOrder summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, attr mode : string "char *",
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      %m = attribute mode : string
      // expected-error@+1 {{values of kind string are compared with eq or ne, not with lt}}
      %a = compare lt %m, %m : [] string
      yield out = %x : [n] real
    }

// -----

lossgrad.operator @Order summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            in w : [c] real "const aclTensor *" dtypes {[float32]},
            out out : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real, %w: [c] real) {
      // expected-error@+1 {{has its dims against the order of declaration: found [c, n] real, expected [n, c] real; write the result type after '->'}}
      %a = mul %w, %x : [c] real, [n] real
      yield out = %a : [c, n] real
    }

// -----

lossgrad.operator @WrongResult summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+2 {{failed to infer returned types}}
      // expected-error@+1 {{inferred type(s) '!lossgrad.value<[n], real>' are incompatible with return type(s) of operation '!lossgrad.value<[n, c], real>'}}
      %a = neg %x : [n] real -> [n, c] real
      yield out = %a : [n, c] real
    }

// -----

lossgrad.operator @Misspelt summary "" products [A2] dims [n]
    params [in target : [n] real "const aclTensor *" dtypes {[float32]}, attr beta : real "float",
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%t: [n] real) {
      // expected-error@+1 {{names 'targte', which is not a tensor parameter or a dim; did you mean 'target'?}}
      %a = numel targte
      yield out = %t : [n] real
    }

// -----

lossgrad.operator @AttributeKind summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, attr beta : real "float",
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{reads 'beta' as int, but it is declared as real}}
      %a = attribute beta : int
      yield out = %x : [n] real
    }

// -----

lossgrad.operator @TensorAsAttribute summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{names 'x', which is not an attribute parameter}}
      %a = attribute x : real
      yield out = %x : [n] real
    }

// -----

lossgrad.operator @ExtentOfPack summary "" products [A2] dims [s...]
    params [in x : [s] real "const aclTensor *" dtypes {[float32]},
            out out : [s] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [s] real) {
      // expected-error@+1 {{without 'at' is about one axis, but 's' is a pack of any number of axes}}
      %a = extent s
      yield out = %x : [s] real
    }

// -----

lossgrad.operator @ExtentOfTensor summary "" products [A2] dims [s...]
    params [in x : [s] real "const aclTensor *" dtypes {[float32]},
            out out : [s] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [s] real) {
      // expected-error@+1 {{of the parameter 'x' needs to say which axis: extent x at 0}}
      %a = extent x
      yield out = %x : [s] real
    }

// -----

lossgrad.operator @ReduceOver summary "" products [A2] dims [n, c]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{reduces over 'c', which its operand of type [n] real does not have}}
      %a = reduce sum %x over [c] : [n] real
      yield out = %x : [n] real
    }

// -----

lossgrad.operator @Onto summary "" products [A2] dims [b... = broadcast(x), c... = broadcast(x)]
    params [in x : [b, c] real "const aclTensor *" dtypes {[float32]},
            out out : [b, c] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [b, c] real) {
      // expected-error@+1 {{goes from 'b' to 'c', which is not declared as a part of it: c... = b of <parameter>}}
      %a = reduce_onto sum %x from b to c : [b, c] real
      yield out = %x : [b, c] real
    }

// -----

lossgrad.operator @MixedPart summary "" products [A2] dims [b... = broadcast(x), v... = b of x]
    params [in x : [b] real "const aclTensor *" dtypes {[float32]},
            out out : [b] real "aclTensor *" dtypes {[float32]},
            out small : [v] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [b] real) {
      %a = reduce_onto sum %x from b to v : [b] real
      // expected-error@+1 {{mixes 'b' with its part 'v' in [b, v] real}}
      %m = mul %x, %a : [b] real, [v] real
      yield out = %x : [b] real, small = %a : [v] real
    }

// -----

lossgrad.operator @GatherOver summary "" products [A2] dims [n, c]
    params [in x : [c] real "const aclTensor *" dtypes {[float32]}, in t : [n] int "const aclTensor *" dtypes {[int64]},
            out out : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [c] real, %t: [n] int) {
      %zero = constant 0.0
      // expected-error@+1 {{looks up along 'n', which its table of type [c] real does not have}}
      %a = gather %x[%t] over n else %zero : [c] real, [n] int, [] real
      yield out = %zero : [] real
    }

// -----

lossgrad.operator @OneHotTwice summary "" products [A2] dims [n, c]
    params [in t : [n, c] int "const aclTensor *" dtypes {[int64]},
            out out : [n, c] bool "aclTensor *" dtypes {[bool]}]
    contract {} body(%t: [n, c] int) {
      // expected-error@+1 {{spreads its index over 'c', but the index of type [n, c] int has this dim already; compare it with iota c instead}}
      %a = onehot %t over c : [n, c] int
      yield out = %a : [n, c] bool
    }

// -----

lossgrad.operator @Sine summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{is computed on the host only; its operand has the type [n] real, expected [] real}}
      %a = sin %x : [n] real
      yield out = %a : [n] real
    }

// -----

lossgrad.operator @Place summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) {
      // expected-error@+1 {{stands in a body; it belongs into a contract}}
      %a = dtype x
      yield out = %x : [n] real
    }

// -----

// Contracts.

lossgrad.operator @IotaInContract summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      // expected-error@+1 {{stands in a contract; it belongs into a body}}
      %a = iota n
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @Status summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      %a = present x
      // expected-error@+1 {{has status 0, which means success; write done_if}}
      check %a else 0 "x is null"
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @Message summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      %a = present x
      // expected-error@+1 {{has {1} in its message, but only 1 value(s)}}
      check %a else 161001 "x is {1}"(%a : [] bool)
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @MessageValue summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      %a = present x
      // expected-error@+1 {{has a value that its message does not mention: {0}}}
      check %a else 161001 "x is null"(%a : [] bool)
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @MessageBrace summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      %a = present x
      // expected-error@+1 {{has a brace in its message that is not of the form {0}; write {{ for a brace}}
      check %a else 161001 "x is {name}"
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @Defined summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      %a = rank x
      // expected-error@+1 {{asks about a dtype or a shape, not about a value of kind int}}
      %b = defined %a : [] int
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

lossgrad.operator @Foreign summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]},
            out out : [n] real "aclTensor *" dtypes {[float32]}]
    contract {
      // expected-error@+1 {{does not belong into an operator}}
      %a = "builtin.unrealized_conversion_cast"() : () -> !lossgrad.value<[], int>
    }
    body(%x: [n] real) { yield out = %x : [n] real }

// -----

// Types.

// expected-error@+1 {{dim 'n' appears twice in a value type}}
"builtin.unrealized_conversion_cast"() : () -> !lossgrad.value<[n, n], real>

// -----

// expected-error@+1 {{a value of kind shape has no dims; write [] shape}}
"builtin.unrealized_conversion_cast"() : () -> !lossgrad.value<[n], shape>

// -----

// expected-error@+1 {{unknown kind 'float'; expected real, int, bool, string, dtype or shape}}
"builtin.unrealized_conversion_cast"() : () -> !lossgrad.value<[n], float>
