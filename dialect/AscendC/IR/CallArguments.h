//===- CallArguments.h - the arguments of an API call, as data --*- C++ -*-===//
//
// What an op hands to the printer: values and fixed text in the order of the
// C++ signature, with the conversions that the signature needs. No text is made
// here; spelling is the printer's.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIALECT_ASCENDC_IR_CALLARGUMENTS_H
#define LOSSGRAD_DIALECT_ASCENDC_IR_CALLARGUMENTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace lossgrad::ascendc {

/// One argument.
struct CallArgument {
  enum class Kind {
    Value,   ///< `value`, converted to `type` or to the C++ type `text` if set
    Integer, ///< a number
    Bytes,   ///< value * sizeof(type), converted to `text`
    At,      ///< value[offset]
    Type,    ///< a template argument
    Text,    ///< an enumerator
    Tiling,  ///< the tiling data as a whole
    Braces,  ///< text{fields}
  };
  Kind kind;
  mlir::Value value = {};
  mlir::Value offset = {};
  mlir::Type type = {};
  std::string text = {};
  int64_t integer = 0;
  std::vector<CallArgument> fields = {};
};

/// A list of arguments, built by the ops.
class CallArguments {
public:
  using Kind = CallArgument::Kind;

  CallArguments &value(mlir::Value value) { return add({Kind::Value, value}); }
  /// A scalar that must have exactly the element type of a tensor.
  CallArguments &scalar(mlir::Value value, mlir::Type element) {
    return add({Kind::Value, value, {}, element});
  }
  /// A scalar converted to a C++ type, where braces forbid narrowing.
  CallArguments &converted(mlir::Value value, llvm::StringRef cppType) {
    return add({Kind::Value, value, {}, {}, cppType.str()});
  }
  CallArguments &integer(int64_t number) {
    CallArgument argument{Kind::Integer};
    argument.integer = number;
    return add(std::move(argument));
  }
  /// A number as it is, or a value converted to `cppType`.
  CallArguments &mixed(mlir::OpFoldResult number, llvm::StringRef cppType);
  /// The bytes of `elements` elements.
  CallArguments &bytes(mlir::Value elements, mlir::Type element,
                       llvm::StringRef cppType) {
    return add({Kind::Bytes, elements, {}, element, cppType.str()});
  }
  CallArguments &at(mlir::Value tensor, mlir::Value offset) {
    return add({Kind::At, tensor, offset});
  }
  CallArguments &type(mlir::Type type) {
    return add({Kind::Type, {}, {}, type});
  }
  CallArguments &text(const llvm::Twine &text) {
    return add({Kind::Text, {}, {}, {}, text.str()});
  }
  CallArguments &tiling() { return add({Kind::Tiling}); }
  /// typeName{fields} or typeName<element>{fields}.
  CallArguments &braces(llvm::StringRef typeName, mlir::Type element,
                        CallArguments fields) {
    CallArgument argument{Kind::Braces, {}, {}, element, typeName.str()};
    argument.fields = std::move(fields.list);
    return add(std::move(argument));
  }

  llvm::ArrayRef<CallArgument> get() const { return list; }

private:
  CallArguments &add(CallArgument argument) {
    list.push_back(std::move(argument));
    return *this;
  }
  std::vector<CallArgument> list;
};

} // namespace lossgrad::ascendc

#endif // LOSSGRAD_DIALECT_ASCENDC_IR_CALLARGUMENTS_H
