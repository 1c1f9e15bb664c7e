//===- aclnn_util.h - visibility of operator functions ----------*- C++ -*-===//
//
// Operator headers mark what they declare with ACLNN_API.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACLNNOP_ACLNN_UTIL_H
#define LOSSGRAD_ACLNNOP_ACLNN_UTIL_H

#define ACLNN_API __attribute__((visibility("default")))

#endif // LOSSGRAD_ACLNNOP_ACLNN_UTIL_H
