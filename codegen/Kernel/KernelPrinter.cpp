//===- KernelPrinter.cpp - kernels and entry as C++ -----------------------===//
//
// See the header. Statements are printed in KernelStatements.cpp.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernel/KernelPrinter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::ascendc;

std::string KernelPrinter::spellType(Type type) {
  if (auto local = dyn_cast<LocalTensorType>(type))
    return "LocalTensor<" + cppSpelling(local.getElementType()) + ">";
  if (auto global = dyn_cast<GlobalTensorType>(type))
    return "GlobalTensor<" + cppSpelling(global.getElementType()) + ">";
  if (auto queue = dyn_cast<QueueType>(type))
    return "TQue<QuePosition::" +
           StringRef(stringifyPosition(queue.getPosition())).upper() + ", 1>";
  if (isa<TBufType>(type))
    return "TBuf<QuePosition::VECCALC>";
  if (isa<EventType>(type))
    return "event_t";
  if (isa<GmAddrType>(type))
    return "GM_ADDR";
  if (isa<TileGridType>(type))
    return "TileGrid";
  if (isa<StepGridType>(type))
    return "StepGrid";
  if (isa<TileLayoutType>(type))
    return "TileLayout";
  if (isa<TilePositionType>(type))
    return "TilePosition";
  if (isa<CoreShareType>(type))
    return "CoreShare";
  return CppPrinter::spellType(type);
}

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

/// The label of a member; empty for anything else.
static StringRef memberLabel(Operation &op) {
  if (!isa<FieldOp, VariableOp, GlobalOp, QueueOp, TBufOp, TileGridOp,
           StepGridOp, TileLayoutOp>(op))
    return {};
  return op.getAttrOfType<StringAttr>("label").getValue();
}

void KernelPrinter::declareMembers(KernelOp kernel) {
  for (Operation &op : kernel.getBlock())
    if (StringRef label = memberLabel(op); !label.empty())
      names.declare(op.getResult(0), label);
}

void KernelPrinter::printMemberInit(Operation *op) {
  // What only becomes a member is written in its assignment.
  if (op->hasOneUse() && isa<FieldOp>(*op->user_begin()))
    return;
  if (auto field = dyn_cast<FieldOp>(op)) {
    os << names.lookup(field) << " = " << expression(field.getInit()) << ";\n";
  } else if (auto global = dyn_cast<GlobalOp>(op)) {
    std::string element = cppSpelling(global.getType().getElementType());
    os << names.lookup(global) << ".SetGlobalBuffer(reinterpret_cast<__gm__ "
       << element << " *>(" << expression(global.getAddress()) << ')';
    if (global.getOffset())
      os << " + " << expression(global.getOffset(), cpp::Multiplicative);
    os << ");\n";
  } else if (isa<TileGridOp, StepGridOp>(op)) {
    os << names.lookup(op->getResult(0)) << ".Init(*tiling);\n";
  } else if (auto layout = dyn_cast<TileLayoutOp>(op)) {
    os << names.lookup(layout) << ".Init(*tiling, " << layout.getTensor()
       << ", " << expression(layout.getDtype()) << ");\n";
  } else if (auto queue = dyn_cast<QueueOp>(op)) {
    if (queue.getBytes())
      printInitBuffer(queue, queue.getBytes(), op);
  } else if (auto buffer = dyn_cast<TBufOp>(op)) {
    if (buffer.getBytes())
      printInitBuffer(buffer, buffer.getBytes(), op);
  } else if (!isa<VariableOp>(op) && !printStatement(op)) {
    reportUnknown(op);
  }
}

void KernelPrinter::printInit(KernelOp kernel) {
  cpp::Names::Scope scope(names);
  SmallVector<std::string> parameters;
  for (BlockArgument argument : kernel.getBlock().getArguments()) {
    StringRef wanted = cpp::nameOf(argument);
    if (wanted.empty()) // text that was printed without locations
      wanted = "address";
    parameters.push_back("GM_ADDR " + names.declare(argument, wanted).str());
  }
  parameters.push_back("const " + kernel.getTiling().str() + " *tilingData");
  parameters.push_back("TPipe *pipe");
  os << "__aicore__ inline void Init(" << llvm::join(parameters, ", ")
     << ")\n{\n";
  indent();
  os << "tiling = tilingData;\n";
  for (Operation &op : kernel.getBlock()) {
    if (failed)
      return;
    if (isa<StageOp, ProcessOp>(op))
      break;
    if (auto init = dyn_cast<InitOp>(op))
      (void)printBlock(init.getBody().front());
    else
      printMemberInit(&op);
  }
  unindent();
  os << "}\n";
}

void KernelPrinter::printStage(StageOp stage) {
  cpp::Names::Scope scope(names);
  if (stage.getDoc())
    os << "// " << *stage.getDoc() << '\n';
  SmallVector<std::string> parameters;
  for (BlockArgument argument : stage.getBody().getArguments()) {
    StringRef name = names.declare(argument, cpp::nameOf(argument));
    std::string type = spellType(argument.getType());
    bool isStruct = isa<TilePositionType>(argument.getType());
    parameters.push_back((isStruct ? "const " + type + " &" : type + " ") +
                         name.str());
  }
  os << "__aicore__ inline void " << stage.getSymName() << '('
     << llvm::join(parameters, ", ") << ")\n{\n";
  indent();
  (void)printBlock(stage.getBody().front());
  unindent();
  os << "}\n";
}

void KernelPrinter::printProcess(ProcessOp process) {
  os << "__aicore__ inline void Process()\n{\n";
  indent();
  (void)printBlock(process.getBody().front());
  unindent();
  os << "}\n";
}

/// Scalar members have a value from the start.
static StringRef initializer(Type type) {
  if (type.isInteger(1))
    return " = false";
  if (isa<FloatType>(type))
    return " = 0.0f";
  return isa<IntegerType>(type) ? " = 0" : "";
}

void KernelPrinter::printMembers(KernelOp kernel) {
  // UB, global memory, scalars: as one looks for them.
  SmallVector<Operation *> members;
  for (Operation &op : kernel.getBlock())
    if (!memberLabel(op).empty())
      members.push_back(&op);
  llvm::stable_sort(members, [](Operation *a, Operation *b) {
    auto rank = [](Operation *op) {
      return isa<QueueOp, TBufOp>(op)                        ? 0
             : isa<GlobalOp>(op)                             ? 1
             : isa<TileGridOp, StepGridOp, TileLayoutOp>(op) ? 2
                                                             : 3;
    };
    return rank(a) < rank(b);
  });
  // Those of one type without a value in one declaration.
  std::string declared;
  for (Operation *member : members) {
    Type type = member->getResult(0).getType();
    if (auto variable = dyn_cast<VariableType>(type))
      type = variable.getValueType();
    std::string spelled = spellType(type);
    StringRef value = initializer(type);
    bool goesOn = value.empty() && spelled == declared;
    if (!declared.empty())
      os << (goesOn ? ", " : ";\n");
    if (!goesOn)
      os << spelled << ' ';
    os << names.lookup(member->getResult(0));
    declared = value.empty() ? spelled : "";
    if (declared.empty())
      os << value << ";\n";
  }
  if (!declared.empty())
    os << ";\n";
  os << "const " << kernel.getTiling() << " *tiling = nullptr;\n";
}

std::string lossgrad::listKeys(KernelOp kernel) {
  SmallVector<std::string> keys;
  kernel->getParentOp()->walk([&](LaunchOp launch) {
    if (launch.getKernel() == kernel.getSymName())
      keys.push_back(
          std::to_string(cast<KeyOp>(launch->getParentOp()).getKey()));
  });
  return llvm::join(keys, ", ");
}

/// For which element types a kernel is, in the words of its comment.
static std::string describeTypes(Type element) {
  SmallVector<std::string> texts;
  bool mixes = false;
  for (Type type : candidateTypes(element)) {
    if (type.isUnsignedInteger(8))
      mixes = true;
    else
      texts.push_back(cppSpelling(type));
  }
  std::string text;
  for (auto [i, each] : llvm::enumerate(texts))
    text += (i == 0 ? "" : i + 1 == texts.size() ? " or " : ", ") + each;
  if (!mixes)
    return text;
  return text.empty() ? "mixed element types" : text + "; mixed: uint8_t";
}

LogicalResult KernelPrinter::printKernel(KernelOp kernel) {
  cpp::Names::Scope scope(names);
  declareMembers(kernel);
  os << '\n';
  std::string keys = listKeys(kernel);
  if (kernel.getSchedule())
    os << "// Key" << (keys.find(',') == std::string::npos ? " " : "s ") << keys
       << ": " << *kernel.getSchedule()
       << (kernel.getElement() ? "; " + describeTypes(*kernel.getElement())
                               : "")
       << ".\n";
  if (kernel.getTypeParams()) {
    SmallVector<std::string> params;
    for (TypeAttr param : kernel.getTypeParams()->getAsRange<TypeAttr>())
      params.push_back("typename " + cppSpelling(param.getValue()));
    os << "template <" << llvm::join(params, ", ") << ">\n";
  }
  os << "class " << kernel.getSymName() << " {\npublic:\n";
  indent();
  printInit(kernel);
  os << '\n';
  printProcess(kernel.getProcess());
  unindent();
  os << "\nprivate:\n";
  indent();
  for (StageOp stage : kernel.getBlock().getOps<StageOp>()) {
    printStage(stage);
    os << '\n';
  }
  printMembers(kernel);
  unindent();
  os << "};\n";
  return success(!failed);
}

//===----------------------------------------------------------------------===//
// The kernel function
//===----------------------------------------------------------------------===//

LogicalResult KernelPrinter::printEntry(EntryOp entry, StringRef nameSpace) {
  cpp::Names::Scope scope(names);
  SmallVector<std::string> parameters;
  for (BlockArgument argument : entry.getBody().getArguments()) {
    StringRef name = names.declare(argument, cpp::nameOf(argument));
    parameters.push_back("GM_ADDR " + name.str());
  }
  parameters.push_back("GM_ADDR tiling");
  os << "\nextern \"C\" __global__ __aicore__ void " << entry.getSymName()
     << '(' << llvm::join(parameters, ", ") << ")\n{\n";
  indent();
  const targets::Family &family = *familiesAround(entry).front();
  if (family.splitCores)
    os << "KERNEL_TASK_TYPE_DEFAULT("
       << (entry.getSyncs() ? "KERNEL_TYPE_MIX_AIV_1_0"
                            : "KERNEL_TYPE_AIV_ONLY")
       << ");\n";
  os << "REGISTER_TILING_DEFAULT(" << entry.getTiling() << ");\n"
     << "GET_TILING_DATA_WITH_STRUCT(" << entry.getTiling()
     << ", tilingData, tiling);\n"
     << "namespace kernels = " << nameSpace << ";\n";
  bool first = true;
  for (KeyOp key : entry.getBody().getOps<KeyOp>()) {
    os << (first ? "" : "} else ") << "if (TILING_KEY_IS(" << key.getKey()
       << ")) {\n";
    first = false;
    indent();
    for (Operation &op : key.getBody().getOps()) {
      auto launch = dyn_cast<LaunchOp>(op);
      if (!launch) {
        reportUnknown(&op);
        return failure();
      }
      SmallVector<std::string> arguments{"tilingData"}, types;
      for (Value input : launch.getInputs()) {
        bool isWorkspace = input == entry.getBody().getArguments().back();
        arguments.push_back(isWorkspace ? "AscendC::GetUserWorkspace(" +
                                              expression(input) + ")"
                                        : expression(input));
      }
      if (launch.getInstance())
        for (TypeAttr type : launch.getInstance()->getAsRange<TypeAttr>())
          types.push_back(cppSpelling(type.getValue()));
      os << "LossgradTile::Run<kernels::" << launch.getKernel();
      if (!types.empty())
        os << '<' << llvm::join(types, ", ") << '>';
      os << ">(" << llvm::join(arguments, ", ") << ");\n";
    }
    unindent();
  }
  os << "}\n";
  unindent();
  os << "}\n";
  return success(!failed);
}
