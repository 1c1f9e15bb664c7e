//===- securec.h - bounded memory and string functions ----------*- C++ -*-===//
//
// The few functions of the vendor's C library that kernels and their tests
// call, with its status codes. Bounds are checked as documented: nothing is
// written beyond destMax, and a failure is a status, never a trap.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_SECUREC_H
#define LOSSGRAD_SECUREC_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifndef errno_t
typedef int errno_t;
#endif
#ifndef EOK
#define EOK 0
#endif
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL

static inline errno_t memcpy_s(void *dest, size_t destMax, const void *src,
                               size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN)
    return ERANGE;
  if (!dest || !src)
    return EINVAL;
  if (count > destMax)
    return ERANGE;
  memcpy(dest, src, count);
  return EOK;
}

static inline errno_t memmove_s(void *dest, size_t destMax, const void *src,
                                size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN)
    return ERANGE;
  if (!dest || !src)
    return EINVAL;
  if (count > destMax)
    return ERANGE;
  memmove(dest, src, count);
  return EOK;
}

static inline errno_t memset_s(void *dest, size_t destMax, int value,
                               size_t count) {
  if (destMax == 0 || destMax > SECUREC_MEM_MAX_LEN)
    return ERANGE;
  if (!dest)
    return EINVAL;
  if (count > destMax)
    return ERANGE;
  memset(dest, value, count);
  return EOK;
}

static inline errno_t strcpy_s(char *dest, size_t destMax, const char *src) {
  if (!src)
    return EINVAL;
  return memcpy_s(dest, destMax, src, strlen(src) + 1);
}

#endif // LOSSGRAD_SECUREC_H
