//===- OpModel.h - a checked operator description ---------------*- C++ -*-===//
//
// What generation needs of an OpDef: parameters in order, and per compute unit
// the expanded rows of types and formats with the binary that serves each.
// Everything that the description may get wrong is found while it is read.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_RUNTIME_OPBUILD_OPMODEL_H
#define LOSSGRAD_RUNTIME_OPBUILD_OPMODEL_H

#include "lossgrad/Targets.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lossgrad::opbuild {

struct Param {
  enum class Kind { Required, Optional, Dynamic };
  enum class Form { Tensor, Scalar, ScalarList, Value };
  std::string name;
  Kind kind = Kind::Required;
  Form form = Form::Tensor;
  bool ignoreContiguous = false, autoContiguous = false;
  bool isRef = false; // an input and an output of the same name
  int hostType = -1;  // element type of a scalar or value-dependent input
};

struct Attr {
  enum class Kind { Bool, Float, Int, String, ListBool, ListFloat, ListInt };
  std::string name;
  Kind kind = Kind::Int;
  bool required = true;
  std::string text;
  std::vector<int64_t> ints;
  std::vector<float> floats;
};

/// Types and formats of inputs, then outputs.
struct Combination {
  std::vector<int> dtypes, formats;
  bool operator<(const Combination &other) const {
    return std::tie(dtypes, formats) < std::tie(other.dtypes, other.formats);
  }
  bool operator==(const Combination &other) const {
    return dtypes == other.dtypes && formats == other.formats;
  }
};

struct Row {
  Combination declared;
  Combination binary; // what its kernel is compiled for
};

struct Unit {
  const targets::Family *family = nullptr;
  std::string file;     // kernel source without extension
  std::string function; // entry point
  std::vector<Row> rows;
};

struct Op {
  std::string type, snake;
  std::vector<Param> inputs, outputs;
  std::vector<Attr> attrs;
  std::vector<Unit> units;
  bool strictFormats = false;

  /// The parameter that a row entry belongs to.
  const Param &param(size_t index) const {
    return index < inputs.size() ? inputs[index]
                                 : outputs[index - inputs.size()];
  }
  std::string kernelName(const Unit &unit, const Combination &row) const;
};

/// All operators of the loaded library; errors name operator and parameter.
/// `onlyUnits` limits the compute units (empty: all that are configured).
std::vector<Op> readOps(const std::vector<std::string> &onlyUnits,
                        std::vector<std::string> &errors);

/// Upper camel case to snake case by op_build's rule.
std::string snakeCase(const std::string &name);
/// grad_loss to gradLoss.
std::string camelCase(const std::string &name);

const char *dtypeMacro(int dtype);    // DT_FLOAT16
const char *dtypeSpelling(int dtype); // half
const char *formatMacro(int format);  // FORMAT_ND

} // namespace lossgrad::opbuild

#endif // LOSSGRAD_RUNTIME_OPBUILD_OPMODEL_H
