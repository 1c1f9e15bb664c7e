//===- operator_reg.h - graph prototypes: REG_OP ----------------*- C++ -*-===//
//
// REG_OP(Type).INPUT(...)...OP_END_FACTORY_REG(Type) makes a class that knows
// the operator's inputs, outputs and attributes in order. It type-checks a
// prototype and lets tests compare it with the OpDef; it builds no graphs.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_GRAPH_OPERATOR_REG_H
#define LOSSGRAD_GRAPH_OPERATOR_REG_H

#include "graph/operator.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ge {

/// The element types that a parameter takes.
class TensorType {
public:
  TensorType(DataType dt) : types(1, dt) {}
  TensorType(const std::initializer_list<DataType> &initial) : types(initial) {}
  static TensorType ALL() {
    return {DT_BOOL,    DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE,  DT_FLOAT,
            DT_FLOAT16, DT_INT16,      DT_INT32,     DT_INT64,   DT_INT8,
            DT_QINT16,  DT_QINT32,     DT_QINT8,     DT_QUINT16, DT_QUINT8,
            DT_UINT16,  DT_UINT32,     DT_UINT64,    DT_UINT8,   DT_BF16};
  }
  static TensorType FLOAT() { return {DT_FLOAT, DT_FLOAT16, DT_BF16}; }
  static TensorType NumberType() {
    return {DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,  DT_FLOAT16,
            DT_INT16,      DT_INT32,     DT_INT64,  DT_INT8,   DT_QINT32,
            DT_QINT8,      DT_QUINT8,    DT_UINT16, DT_UINT32, DT_UINT64,
            DT_UINT8,      DT_BF16};
  }
  static TensorType RealNumberType() {
    return {DT_DOUBLE, DT_FLOAT,  DT_FLOAT16, DT_INT16,  DT_INT32, DT_INT64,
            DT_INT8,   DT_UINT16, DT_UINT32,  DT_UINT64, DT_UINT8, DT_BF16};
  }
  static TensorType FloatingDataType() {
    return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16};
  }
  static TensorType IndexNumberType() { return {DT_INT32, DT_INT64}; }
  std::vector<DataType> types;
};

/// What a prototype declares, in order.
struct OpProto {
  enum Kind { Required, Optional, Dynamic };
  struct Param {
    const char *name;
    Kind kind;
    std::vector<DataType> types;
  };
  struct Attr {
    const char *name;
    const char *kind;
    bool required;
  };
  std::vector<Param> inputs, outputs;
  std::vector<Attr> attrs;

  // The end of a chain: N() makes the macros' `.` well-formed.
  OpProto &N() { return *this; }
};

// The C++ types of attribute kinds, for the check of default values.
namespace lossgrad_proto {
using Int = int64_t;
using Float = float;
using Bool = bool;
using String = std::string;
using Type = DataType;
using Tensor = int;
using ListInt = std::vector<int64_t>;
using ListFloat = std::vector<float>;
using ListBool = std::vector<bool>;
using ListString = std::vector<std::string>;
using ListType = std::vector<DataType>;
using ListListInt = std::vector<std::vector<int64_t>>;
} // namespace lossgrad_proto

} // namespace ge

#define REG_OP(x)                                                              \
  namespace op {                                                               \
  class x : public ::ge::Operator {                                            \
  public:                                                                      \
    x() : ::ge::Operator(#x) { declare(); }                                    \
    explicit x(const char *name) : ::ge::Operator(name, #x) { declare(); }     \
    const ::ge::OpProto &proto() const { return proto_; }                      \
                                                                               \
  private:                                                                     \
    ::ge::OpProto proto_;                                                      \
    void declare() {                                                           \
      using namespace ::ge::lossgrad_proto;                                    \
      proto_.N()

#define LOSSGRAD_PROTO_PARAM(list, x, kind, t)                                 \
  N();                                                                         \
  proto_.list.push_back({#x, ::ge::OpProto::kind, ::ge::TensorType(t).types}); \
  proto_.N()
#define INPUT(x, t) LOSSGRAD_PROTO_PARAM(inputs, x, Required, (t))
#define OPTIONAL_INPUT(x, t) LOSSGRAD_PROTO_PARAM(inputs, x, Optional, (t))
#define DYNAMIC_INPUT(x, t) LOSSGRAD_PROTO_PARAM(inputs, x, Dynamic, (t))
#define OUTPUT(x, t) LOSSGRAD_PROTO_PARAM(outputs, x, Required, (t))
#define DYNAMIC_OUTPUT(x, t) LOSSGRAD_PROTO_PARAM(outputs, x, Dynamic, (t))
#define ATTR(x, Kind, ...)                                                     \
  N();                                                                         \
  {                                                                            \
    const Kind checked = __VA_ARGS__;                                          \
    (void)checked;                                                             \
  }                                                                            \
  proto_.attrs.push_back({#x, #Kind, false});                                  \
  proto_.N()
#define REQUIRED_ATTR(x, Kind)                                                 \
  N();                                                                         \
  proto_.attrs.push_back({#x, #Kind, true});                                   \
  proto_.N()
#define OP_END_FACTORY_REG(x)                                                  \
  N();                                                                         \
  }                                                                            \
  }                                                                            \
  ;                                                                            \
  }

#endif // LOSSGRAD_GRAPH_OPERATOR_REG_H
