//===- opapi.h - what generated aclnn functions call ------------*- C++ -*-===//
//
// lossgrad-opbuild turns an OpDef into constant tables of these types and two
// functions that forward their arguments. Everything that such a call does
// (checks, row match, tiling, launch) is in libnnopbase behind prepare and run.
// Generated sources are the only users.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_OPAPI_H
#define LOSSGRAD_OPAPI_H

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"

#include <cstddef>
#include <cstdint>

namespace lossgrad {
namespace opapi {

enum class Option : uint8_t { Required, Optional, Dynamic };

struct Param {
  const char *name;
  Option option;
  bool ignoreContiguous;
  bool autoContiguous;
  int16_t hostType; ///< element type of a value given on the host, else -1
};

enum class AttrKind : uint8_t {
  Bool,
  Float,
  Int,
  String,
  ListBool,
  ListFloat,
  ListInt
};

struct Attr {
  const char *name;
  AttrKind kind;
  bool required;
  const char *text;    ///< default of a string
  const int64_t *ints; ///< default of a list, also of bools
  const float *floats; ///< default of a list
  size_t count;
};

/// One supported combination: types and formats of inputs, then outputs.
struct Row {
  const int16_t *dtypes;
  const int16_t *formats;
  const char *kernel; ///< file name of the binary without extension
};

/// What one compute unit (ascend910b) supports.
struct Unit {
  const char *name;
  const char *function; ///< entry point in the binary
  const Row *rows;
  size_t rowCount;
};

struct Operator {
  const char *type;
  const char *api;
  const Param *inputs;
  size_t inputCount;
  const Param *outputs;
  size_t outputCount;
  const Attr *attrs;
  size_t attrCount;
  const Unit *units;
  size_t unitCount;
  bool strictFormats;
};

/// One C argument of the call.
struct Argument {
  enum Kind : uint8_t {
    Tensor,
    TensorList,
    Scalar,
    ScalarList,
    IntArray,
    FloatArray,
    BoolArray,
    Int,
    Float,
    Bool,
    String
  };
  Kind kind;
  const void *object;
  int64_t integer;
  double real;

  Argument(const aclTensor *p) : Argument(Tensor, p) {}
  Argument(const aclTensorList *p) : Argument(TensorList, p) {}
  Argument(const aclScalar *p) : Argument(Scalar, p) {}
  Argument(const aclScalarList *p) : Argument(ScalarList, p) {}
  Argument(const aclIntArray *p) : Argument(IntArray, p) {}
  Argument(const aclFloatArray *p) : Argument(FloatArray, p) {}
  Argument(const aclBoolArray *p) : Argument(BoolArray, p) {}
  Argument(int64_t v) : Argument(Int, nullptr) { integer = v; }
  Argument(double v) : Argument(Float, nullptr) { real = v; }
  Argument(bool v) : Argument(Bool, nullptr) { integer = v; }
  Argument(const char *v) : Argument(String, v) {}

private:
  Argument(Kind k, const void *p) : kind(k), object(p), integer(0), real(0) {}
};

/// Phase 1. `arguments` are the inputs, attributes and outputs in order.
__attribute__((visibility("default"))) aclnnStatus
prepare(const Operator &op, const Argument *arguments, size_t count,
        uint64_t *workspaceSize, aclOpExecutor **executor);

/// Phase 2.
__attribute__((visibility("default"))) aclnnStatus run(const Operator &op,
                                                       void *workspace,
                                                       uint64_t workspaceSize,
                                                       aclOpExecutor *executor,
                                                       aclrtStream stream);

} // namespace opapi
} // namespace lossgrad

#endif // LOSSGRAD_OPAPI_H
