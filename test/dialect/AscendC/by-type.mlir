// What depends on the type of a kernel: text form, and what is refused.
// RUN: lossgrad-opt %s -split-input-file -verify-diagnostics | FileCheck %s

!T = !ascendc.type_param<"T", f32, f16, bf16>
!N = !ascendc.type_param<"T", f16, bf16>

// CHECK-LABEL: func.func @cases
// CHECK: %[[X:.*]] = ascendc.by_type !ascendc.type_param<"T", f32, f16, bf16> names ["x"] case [f32] {
// CHECK-NEXT: %[[F:.*]] = ascendc.instance %{{.*}} : !ascendc.local<!ascendc.type_param<"T", f32, f16, bf16>> to !ascendc.local<f32>
// CHECK-NEXT: ascendc.give %[[F]] : !ascendc.local<f32>
// CHECK-NEXT: } case [f16, bf16] {
// CHECK-NEXT: %[[B:.*]] = ascendc.tbuf_get
// CHECK-NEXT: ascendc.give %[[B]] : !ascendc.local<f32>
// CHECK-NEXT: } -> !ascendc.local<f32>
// CHECK: ascendc.by_type !ascendc.type_param<"T", f32, f16, bf16> case [f16, bf16] {
// CHECK-NEXT: ascendc.pipe_barrier V
// CHECK-NEXT: }
// CHECK: ascendc.element_code !ascendc.type_param<"T", f32, f16, bf16>
func.func @cases(%self: !ascendc.local<!T>, %buffer: !ascendc.tbuf, %bytes: i32) {
  %x = ascendc.by_type !T names ["x"] case [f32] {
    %0 = ascendc.instance %self : !ascendc.local<!T> to !ascendc.local<f32>
    ascendc.give %0 : !ascendc.local<f32>
  } case [f16, bf16] {
    %0 = ascendc.tbuf_get %buffer : !ascendc.local<f32>
    ascendc.give %0 : !ascendc.local<f32>
  } -> !ascendc.local<f32>
  ascendc.by_type !T case [f16, bf16] {
    ascendc.pipe_barrier V
  }
  ascendc.by_type !T case [f32] {
    ascendc.init_buffer %buffer, %bytes : !ascendc.tbuf
  }
  %code = ascendc.element_code !T
  return
}

// -----

func.func @noParam() {
  // expected-error @+1 {{needs a template parameter, found 'f32'}}
  ascendc.by_type f32 case [f32] { }
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @notACandidate() {
  // expected-error @+1 {{has a case for 'bf16', which is not a candidate of '!ascendc.type_param<"T", f32, f16>'}}
  ascendc.by_type !T case [bf16] { }
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @twice() {
  // expected-error @+1 {{has two cases for 'f16'}}
  ascendc.by_type !T case [f32, f16] { } case [f16] { }
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @uncovered(%n: i32) {
  // expected-error @+1 {{has results but no case for some candidate}}
  %x = ascendc.by_type !T names ["x"] case [f32] { ascendc.give %n : i32 } -> i32
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @unnamed(%n: i32) {
  // expected-error @+1 {{has 0 names for 1 results}}
  %x = ascendc.by_type !T case [f32, f16] { ascendc.give %n : i32 } -> i32
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @otherType(%n: i64) {
  %x = ascendc.by_type !T names ["x"] case [f32, f16] {
    // expected-error @+1 {{gives ('i64'), expected ('i32')}}
    ascendc.give %n : i64
  } -> i32
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @outside(%x: !ascendc.local<!T>) {
  // expected-error @+1 {{stands outside of a case}}
  %0 = ascendc.instance %x : !ascendc.local<!T> to !ascendc.local<f32>
  return
}

// -----

!T = !ascendc.type_param<"T", f32, f16>
func.func @noInstance(%x: !ascendc.local<!T>) {
  ascendc.by_type !T case [f32] {
    // expected-error @+1 {{takes '!ascendc.type_param<"T", f32, f16>' for 'bf16', which is no candidate of it}}
    %0 = ascendc.instance %x : !ascendc.local<!T> to !ascendc.local<bf16>
  }
  return
}
