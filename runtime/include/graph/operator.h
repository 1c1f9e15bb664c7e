//===- operator.h - the node type that check functions name -----*- C++ -*-===//
//
// Present for the signatures of OpDef's check functions and as the base of
// REG_OP classes. Building graphs is not part of the stand-in.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_GRAPH_OPERATOR_H
#define LOSSGRAD_GRAPH_OPERATOR_H

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"

namespace ge {

class Operator {
public:
  Operator() = default;
  explicit Operator(const char_t *type) : type_(type) {}
  Operator(const char_t *name, const char_t *type) : name_(name), type_(type) {}
  graphStatus GetName(AscendString &name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  graphStatus GetOpType(AscendString &type) const {
    type = type_;
    return GRAPH_SUCCESS;
  }

private:
  AscendString name_;
  AscendString type_;
};

} // namespace ge

#endif // LOSSGRAD_GRAPH_OPERATOR_H
