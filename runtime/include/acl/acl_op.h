//===- acl_op.h - the single-operator API, left out -------------*- C++ -*-===//
//
// acl.h includes this name. The single-operator API that it carries in CANN
// (models compiled ahead of time) is not part of the stand-in: operators are
// called through aclnn.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACL_ACL_OP_H
#define LOSSGRAD_ACL_ACL_OP_H

#include "acl_base.h"

#endif // LOSSGRAD_ACL_ACL_OP_H
