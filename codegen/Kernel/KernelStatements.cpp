//===- KernelStatements.cpp - Statements of kernels as C++ ----------------===//
//
// What the printer of kernels writes for one op of a stage: calls of the API,
// views of tensors, and cases by element type. Classes and the kernel function
// around them are KernelPrinter.cpp's.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelPrinter.h"
#include "dialect/AscendC/IR/NameAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;
using cpp::Expression;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A scalar as an argument that must have exactly the element type.
std::string KernelPrinter::convertedScalar(Value value, Type element) {
  bool same = value.getType() == element;
  // A literal of the right type needs no conversion.
  if (same)
    return expression(value);
  return "static_cast<" + cppSpelling(element) + ">(" + expression(value) + ")";
}

std::string KernelPrinter::argument(const CallArgument &argument) {
  using Kind = CallArgument::Kind;
  auto converted = [&](std::string text, Value value) {
    // A non-negative literal fits; braces and overloads accept it.
    if (argument.text.empty() || matchPattern(value, m_Constant()))
      return text;
    return "static_cast<" + argument.text + ">(" + text + ")";
  };
  switch (argument.kind) {
  case Kind::Value:
    if (argument.type)
      return convertedScalar(argument.value, argument.type);
    return converted(expression(argument.value), argument.value);
  case Kind::Integer:
    return std::to_string(argument.integer);
  case Kind::Bytes: {
    std::string bytes = "sizeof(" + cppSpelling(argument.type) + ")";
    std::string count = expression(argument.value, cpp::Multiplicative);
    if (elementBits(argument.type) == 8)
      bytes = count;
    else if (!matchPattern(argument.value, m_One()))
      bytes = count + " * " + bytes;
    return "static_cast<" + argument.text + ">(" + bytes + ")";
  }
  case Kind::At: {
    std::string tensor = expression(argument.value, cpp::Primary);
    if (matchPattern(argument.offset, m_Zero()))
      return tensor;
    return tensor + "[" + expression(argument.offset) + "]";
  }
  case Kind::Type:
    return cppSpelling(argument.type);
  case Kind::Text:
    return argument.text;
  case Kind::Tiling:
    return "*tiling";
  case Kind::Braces: {
    std::string type = argument.text;
    if (argument.type)
      type += "<" + cppSpelling(argument.type) + ">";
    return type + "{" + list(argument.fields) + "}";
  }
  }
  llvm_unreachable("all kinds of arguments are handled");
}

std::string KernelPrinter::list(ArrayRef<CallArgument> arguments) {
  SmallVector<std::string> texts;
  for (const CallArgument &each : arguments)
    texts.push_back(argument(each));
  return llvm::join(texts, ", ");
}

std::string KernelPrinter::callText(ApiCallInterface call) {
  std::string text;
  if (Value receiver = call.getReceiver())
    text += expression(receiver, cpp::Primary) + ".";
  text += call.getCallee();
  CallArguments templateArguments, arguments;
  call.getTemplateArguments(templateArguments);
  if (!templateArguments.get().empty())
    text += "<" + list(templateArguments.get()) + ">";
  call.getCallArguments(arguments);
  return text + "(" + list(arguments.get()) + ")";
}

std::string KernelPrinter::viewText(ViewOp view) {
  std::string text = expression(view.getSource(), cpp::Primary);
  if (view.getOffset() && !matchPattern(view.getOffset(), m_Zero()))
    text += "[" + expression(view.getOffset()) + "]";
  Type from = view.getSource().getType().getElementType();
  std::string to = cppSpelling(view.getType().getElementType());
  // To C++, what a case knows of a type is still the parameter.
  auto instance = view.getSource().getDefiningOp<InstanceOp>();
  Value source = instance ? instance.getValue() : Value(view.getSource());
  Type declared = cast<LocalTensorType>(source.getType()).getElementType();
  if (to != cppSpelling(from))
    text += (isa<TypeParamType>(declared) ? ".template ReinterpretCast<"
                                          : ".ReinterpretCast<") +
            to + ">()";
  return text;
}

/// What a pass has to say about a statement.
static std::string trailingComment(Operation *op) {
  auto comment = op->getAttrOfType<StringAttr>(kCommentAttr);
  return comment ? " // " + comment.str() : "";
}

void KernelPrinter::printCall(ApiCallInterface call) {
  std::string text = callText(call);
  // The id of an event is an integer that the flags take as event_t.
  if (isa<FetchEventIdOp>(call.getOperation()))
    text = "static_cast<event_t>(GetTPipePtr()->" + text + ")";
  if (call->getNumResults() == 0) {
    os << text << ';' << trailingComment(call) << '\n';
    return;
  }
  Value result = call->getResult(0);
  // A result of the branch around it is declared there.
  if (StringRef known = names.lookup(result); !known.empty()) {
    os << known << " = " << text << ";\n";
    return;
  }
  StringRef name = names.declare(result, cpp::nameOf(result));
  bool isTensor = isa<LocalTensorType>(result.getType());
  os << (isTensor ? "" : "const ") << spellType(result.getType()) << ' ' << name
     << " = " << text << ";\n";
}

void KernelPrinter::printInitBuffer(Value member, Value bytes, Operation *op) {
  os << "pipe->InitBuffer(" << names.lookup(member) << ", ";
  if (auto queue = member.getDefiningOp<QueueOp>())
    os << queue.getBlocks() << ", ";
  os << expression(bytes) << ");" << trailingComment(op) << '\n';
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Whether the next statement assigns the result and nothing else uses it.
static bool isAssignedNext(Operation *op) {
  return op->getNumResults() == 1 && op->hasOneUse() &&
         isa<AssignOp>(*op->user_begin()) &&
         op->getNextNode() == *op->user_begin();
}

std::optional<Expression> KernelPrinter::extraExpression(Operation *op) {
  if (auto view = dyn_cast<ViewOp>(op))
    return Expression{viewText(view)};
  if (auto instance = dyn_cast<InstanceOp>(op))
    return Expression{expression(instance.getValue(), cpp::Primary)};
  if (auto code = dyn_cast<ElementCodeOp>(op))
    return Expression{"ElementCode<" + cppSpelling(code.getElement()) + ">()"};
  if (auto size = dyn_cast<SizeOfOp>(op))
    return Expression{"sizeof(" + cppSpelling(size.getElement()) + ")"};
  if (auto field = dyn_cast<TilingFieldOp>(op)) {
    std::string text = "tiling->" + field.getMember().str();
    if (field.getIndex())
      text += "[" + expression(field.getIndex()) + "]";
    return Expression{text};
  }
  if (auto bound = dyn_cast<ShareBoundOp>(op))
    return Expression{expression(bound.getShare(), cpp::Primary) + "." +
                      stringifyShareBound(bound.getBound()).str()};
  if (auto extent = dyn_cast<TileExtentOp>(op))
    return Expression{expression(extent.getSource(), cpp::Primary) + "." +
                      stringifyTileExtent(extent.getExtent()).str()};
  if (auto read = dyn_cast<ReadOp>(op))
    return Expression{expression(read.getVariable())};
  if (auto call = dyn_cast<ApiCallInterface>(op))
    if (op->getNumResults() == 1 && (isPure(op) || isAssignedNext(op)))
      return Expression{callText(call)};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Cases by element type
//===----------------------------------------------------------------------===//

/// The types of a case as a condition.
static std::string spellCase(TypeParamType param, ArrayRef<Type> types) {
  std::string name = param.getName().str();
  auto isSame = [&](Type type) {
    return "IsSameType<" + name + ", " + cppSpelling(type) + ">::value";
  };
  if (types.size() == 1)
    return isSame(types.front());
  SmallVector<Type> others;
  for (Type type : param.getCandidates())
    if (!llvm::is_contained(types, type))
      others.push_back(type);
  if (others.size() == 1)
    return "!" + isSame(others.front());
  auto hasWidth = [&](Type type) {
    return elementBits(type) == elementBits(types.front());
  };
  std::string size = "sizeof(" + name + ")";
  if (llvm::all_of(types, hasWidth) && llvm::none_of(others, hasWidth))
    return size + " == sizeof(" + cppSpelling(types.front()) + ")";
  auto hasTheirs = [&](Type type) {
    return elementBits(type) == elementBits(others.front());
  };
  if (llvm::all_of(others, hasTheirs) && llvm::none_of(types, hasTheirs))
    return size + " != sizeof(" + cppSpelling(others.front()) + ")";
  SmallVector<std::string> texts;
  for (Type type : types)
    texts.push_back(isSame(type));
  return llvm::join(texts, " || ");
}

/// The statements of a case. A tensor that it makes for a result is the result.
void KernelPrinter::printCase(ByTypeOp byType, Block &block) {
  cpp::Names::Scope scope(names);
  indent();
  ValueRange given = cast<GiveOp>(block.getTerminator()).getValues();
  for (auto [value, result] : llvm::zip_equal(given, byType.getResults())) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &block && isa<ViewOp, TBufGetOp>(op) &&
        names.lookup(value).empty())
      names.alias(value, names.lookup(result));
  }
  for (Operation &op : block.without_terminator()) {
    if (!printStatement(&op))
      reportUnknown(&op);
    if (failed)
      return;
  }
  for (auto [value, result] : llvm::zip_equal(given, byType.getResults()))
    if (std::string text = expression(value); text != names.lookup(result))
      os << names.lookup(result) << " = " << text << ";\n";
  unindent();
}

void KernelPrinter::printByType(ByTypeOp byType) {
  // Declarations of one type in one line.
  Type last;
  for (auto [result, name] : llvm::zip_equal(
           byType.getResults(), byType.getNames().getAsRange<StringAttr>())) {
    if (result.getType() != last)
      os << (last ? ";\n" : "") << spellType(result.getType()) << ' ';
    else
      os << ", ";
    os << names.declare(result, name);
    last = result.getType();
  }
  if (last)
    os << ";\n";
  auto param = cast<TypeParamType>(byType.getParam());
  size_t left = param.getCandidates().size();
  bool first = true;
  for (auto [list, body] : llvm::zip_equal(
           byType.getCases().getAsRange<ArrayAttr>(), byType.getBodies())) {
    SmallVector<Type> types(list.getAsValueRange<TypeAttr>());
    left -= types.size();
    os << (first ? "" : "} else ");
    if (first || left != 0)
      os << "if constexpr (" << spellCase(param, types) << ") ";
    os << "{\n";
    first = false;
    printCase(byType, body.front());
    if (failed)
      return;
  }
  os << "}\n";
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool KernelPrinter::printStatement(Operation *op) {
  if (auto byType = dyn_cast<ByTypeOp>(op)) {
    printByType(byType);
    return true;
  }
  if (isa<InstanceOp, ElementCodeOp>(op))
    return true;
  if (auto init = dyn_cast<InitBufferOp>(op)) {
    printInitBuffer(init.getMember(), init.getBytes(), op);
    return true;
  }
  if (auto run = dyn_cast<RunOp>(op)) {
    SmallVector<std::string> arguments;
    for (Value input : run.getInputs())
      arguments.push_back(expression(input));
    os << run.getStage() << '(' << llvm::join(arguments, ", ") << ");\n";
    return true;
  }
  if (auto assign = dyn_cast<AssignOp>(op)) {
    os << expression(assign.getVariable()) << " = "
       << expression(assign.getValue()) << ";\n";
    return true;
  }
  if (auto read = dyn_cast<ReadOp>(op)) {
    // A variable that does not change is written where it is used.
    if (cpp::nameOf(read.getResult()).empty())
      return true;
    StringRef name =
        names.declare(read.getResult(), cpp::nameOf(read.getResult()));
    os << "const " << spellType(read.getType()) << ' ' << name << " = "
       << expression(read.getVariable()) << ";\n";
    return true;
  }
  if (auto view = dyn_cast<ViewOp>(op)) {
    std::string text = viewText(view);
    if (StringRef known = names.lookup(view); !known.empty()) {
      os << known << " = " << text << ";\n";
      return true;
    }
    // An unnamed view is written where it is used.
    StringRef wanted = cpp::nameOf(view.getResult());
    if (wanted.empty())
      return true;
    StringRef name = names.declare(view.getResult(), wanted);
    os << spellType(view.getType()) << ' ' << name << " = " << text << ";\n";
    return true;
  }
  if (auto call = dyn_cast<ApiCallInterface>(op)) {
    if (op->getNumResults() == 1 && isPure(op) &&
        !isa<LocalTensorType>(op->getResult(0).getType()))
      return CppPrinter::printStatement(op);
    if (isAssignedNext(op))
      return true;
    // The unnamed tensor of a TBuf is written where it is used.
    if (isa<TBufGetOp>(op) && names.lookup(op->getResult(0)).empty() &&
        cpp::nameOf(op->getResult(0)).empty())
      return true;
    printCall(call);
    return true;
  }
  return CppPrinter::printStatement(op);
}
