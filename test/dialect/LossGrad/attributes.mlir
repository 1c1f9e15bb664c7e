// RUN: lossgrad-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// What passes tell each other stands in attributes of the ops themselves; of
// those of the dialect on other ops there are three.

// CHECK-LABEL: lossgrad.operator @Kept
// CHECK: attributes {derived, formula = ["y = x"], header = "aclnn_kept"}
lossgrad.operator @Kept summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    attributes {derived, formula = ["y = x"], header = "aclnn_kept"}
    contract {} body(%x: [n] real) { yield y = %x : [n] real }

// CHECK: lossgrad.variant @Kept_0_f32 of @Kept families [A2] base "Kept_0" title "" occasion "always"
lossgrad.variant @Kept_0_f32 of @Kept families [A2] base "Kept_0" title "" occasion "always"
  when { %true = constant true holds %true }
  body(%x: [n] real) {
    %0 = widen %x <fixed float32> : !lossgrad.value<[n], real>
    %y = narrow %0 <fixed float32> : !lossgrad.value<[n], real>
    yield y = %y : [n] real
  }

// CHECK: func.func private @KeptTiling() attributes {lossgrad.operator = @Kept, lossgrad.tiling = @KeptTilingData}
func.func private @KeptTiling() attributes {lossgrad.operator = @Kept, lossgrad.tiling = @KeptTilingData}

// -----

lossgrad.operator @HeaderOfNumbers summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    // expected-error@+1 {{attribute 'header' failed to satisfy constraint: string attribute}}
    attributes {header = 1}
    contract {} body(%x: [n] real) { yield y = %x : [n] real }

// -----

// expected-error@+1 {{has one of 'gradients' and 'upstream'; both belong together}}
lossgrad.operator @HalfAnObjective summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    attributes {gradients = {gradX = "x"}}
    contract {} body(%x: [n] real) { yield y = %x : [n] real }

// -----

// expected-error@+1 {{has "z" in the place of the name of an input}}
lossgrad.operator @GradientOfNothing summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    attributes {gradients = {gradX = "z"}, upstream = []}
    contract {} body(%x: [n] real) { yield y = %x : [n] real }

// -----

lossgrad.operator @Base summary "" products [A2] dims [n]
    params [in x : [n] real "const aclTensor *" dtypes {[float32]}, out y : [n] real "aclTensor *" dtypes {[float32]}]
    contract {} body(%x: [n] real) { yield y = %x : [n] real }
// expected-error@+1 {{has a base, but no element types of its own}}
lossgrad.variant @Base_0 of @Base base "Base"
  when { %true = constant true holds %true }
  body(%x: [n] real) { yield y = %x : [n] real }

// -----

// expected-error@+1 {{has 'lossgrad.name', which is no attribute of the dialect}}
func.func private @Named() attributes {lossgrad.name = "Named"}

// -----

// expected-error@+1 {{has 'lossgrad.operator', which names a symbol on a function}}
func.func private @Text() attributes {lossgrad.operator = "Text"}

// -----

// expected-error@+1 {{has 'lossgrad.from_forward', which is a list of names on a module}}
module attributes {lossgrad.from_forward = 1} {}

// -----

// expected-error@+1 {{has 'ascendc.name', which is a string}}
func.func private @Numbered() attributes {ascendc.name = 1}

// -----

// expected-error@+1 {{has 'ascendc.held', which is a list of strings}}
func.func private @Holding() attributes {ascendc.held = "x"}

// -----

// expected-error@+1 {{has 'ascendc.independent', which is a mark on a loop}}
func.func private @Loop() attributes {ascendc.independent}

// -----

// expected-error@+1 {{has 'ascendc.depth', which is no attribute of the dialect}}
func.func private @Deep() attributes {ascendc.depth = 2}
