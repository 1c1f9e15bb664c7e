//===- acl_mdl.h - the model API, which is left out -------------*- C++ -*-===//
//
// acl.h includes this name. Loading and running offline models is not part of
// the stand-in.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_ACL_ACL_MDL_H
#define LOSSGRAD_ACL_ACL_MDL_H

#include "acl_base.h"

#endif // LOSSGRAD_ACL_ACL_MDL_H
