//===- aclnn_util.h - visibility of operator functions ----------*- C++ -*-===//
//
// The same file under the name by which operator headers include it.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACLNN_UTIL_H
#define LOSSGRAD_ACLNN_UTIL_H

#include "aclnnop/aclnn_util.h"

#endif // LOSSGRAD_ACLNN_UTIL_H
