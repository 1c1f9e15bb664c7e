//===- kernel_prelude.h - format numbers for kernels ------------*- C++ -*-===//
//
// Included before each kernel that lossgrad-opbuild compiles: FORMAT_<NAME> of
// a parameter expands to one of these, so that `#if FORMAT_X == FORMAT_ND`
// means what it says.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_KERNEL_PRELUDE_H
#define LOSSGRAD_KERNEL_PRELUDE_H

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_HWCN 16
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_DHWCN 31
#define FORMAT_NC 35
#define FORMAT_NCL 47

#endif // LOSSGRAD_KERNEL_PRELUDE_H
