//===- HostModel.cpp - What host emitters ask of an operator --------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/HostModel.h"

#include "dialect/AscendC/IR/AscendC.h"
#include "dialect/LossGrad/IR/Naming.h"
#include "lossgrad/Targets.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::host;

std::string host::spellReal(double value) {
  if (std::isnan(value))
    return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value))
    return value > 0 ? "std::numeric_limits<double>::infinity()"
                     : "-std::numeric_limits<double>::infinity()";
  char digits[40];
  for (int precision = 1; precision <= 17; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (std::strtod(digits, nullptr) == value)
      break;
  }
  std::string text = digits;
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string host::fitLine(StringRef head, ArrayRef<std::string> parts,
                          StringRef separator, StringRef tail,
                          StringRef indent) {
  constexpr size_t maxColumns = 120;
  std::string text = head.str();
  size_t column = head.size();
  for (auto [i, part] : llvm::enumerate(parts)) {
    std::string piece =
        part + (i + 1 < parts.size() ? separator : tail).rtrim().str();
    // A call may begin on the next line; `if (` keeps its condition.
    bool mayBreak = i > 0 || (head.ends_with("(") && !head.ends_with(" ("));
    if (mayBreak && column + (i > 0) + piece.size() > maxColumns) {
      text += "\n" + indent.str();
      column = indent.size();
    } else if (i > 0 && !separator.empty()) {
      text += ' ';
      ++column;
    }
    text += piece;
    column += piece.size();
  }
  return parts.empty() ? text + tail.str() : text;
}

StringRef host::dtypeSuffix(DType dtype) {
  switch (dtype) {
  case DType::Float32:
    return "FLOAT";
  case DType::Float16:
    return "FLOAT16";
  case DType::BFloat16:
    return "BF16";
  case DType::Float64:
    return "DOUBLE";
  case DType::Int8:
    return "INT8";
  case DType::Int16:
    return "INT16";
  case DType::Int32:
    return "INT32";
  case DType::Int64:
    return "INT64";
  case DType::UInt8:
    return "UINT8";
  case DType::UInt16:
    return "UINT16";
  case DType::UInt32:
    return "UINT32";
  case DType::UInt64:
    return "UINT64";
  case DType::Bool:
    return "BOOL";
  case DType::String:
    return "STRING";
  case DType::Complex64:
    return "COMPLEX64";
  case DType::Complex128:
    return "COMPLEX128";
  case DType::Undefined:
    break;
  }
  return "UNDEFINED";
}

StringRef ProductGroup::anyProduct() const { return families.front()->key; }

std::string HostModel::definitionName(ParamAttr param) {
  StringRef name = param.getName().getValue();
  // Generated functions add the suffix to optional parameters themselves.
  name.consume_back("Optional");
  return toSnakeCase(name);
}

//===----------------------------------------------------------------------===//
// Products and dtypes
//===----------------------------------------------------------------------===//

/// Families with a kernel in the module, or all products of the operator.
static llvm::SetVector<StringRef> findProducts(OperatorOp op) {
  llvm::SetVector<StringRef> products;
  if (auto module = op->getParentOfType<ModuleOp>())
    for (auto program : module.getOps<ascendc::ProgramOp>())
      if (program.getOpName() == op.getSymName())
        for (auto family : program.getFamilies().getAsRange<StringAttr>())
          products.insert(family.getValue());
  if (products.empty())
    for (auto product : op.getProducts().getAsRange<StringAttr>())
      products.insert(product.getValue());
  return products;
}

LogicalResult HostModel::groupProducts() {
  for (StringRef product : findProducts(op)) {
    const targets::Family *family =
        targets::findFamily({product.data(), product.size()});
    if (!family)
      return op.emitError("product '")
             << product << "' is not in the target records";
    for (ParamAttr tensor : tensors)
      if (tensor.getDTypesOn(product).empty())
        return op.emitError("parameter ")
               << tensor.getName() << " has no dtypes on " << product
               << ", so that no operator can be defined there";
    auto same = [&](const ProductGroup &group) {
      return llvm::all_of(tensors, [&](ParamAttr tensor) {
        return tensor.getDTypesOn(group.anyProduct()) ==
               tensor.getDTypesOn(product);
      });
    };
    auto group = llvm::find_if(groups, same);
    if (group == groups.end())
      groups.push_back({{family}});
    else
      group->families.push_back(family);
  }
  // The definition is that of the products with the most dtypes; the others are
  // exceptions.
  auto countDtypes = [&](const ProductGroup &group) {
    size_t count = 0;
    for (ParamAttr tensor : tensors)
      count += tensor.getDTypesOn(group.anyProduct()).size();
    return count;
  };
  llvm::stable_sort(groups, [&](const ProductGroup &a, const ProductGroup &b) {
    return countDtypes(a) > countDtypes(b);
  });
  return success();
}

/// Two tensors are tied by a check without condition that their dtypes are
/// equal.
void HostModel::findTies() {
  std::vector<size_t> leader(tensors.size());
  for (size_t i = 0; i < leader.size(); ++i)
    leader[i] = i;
  auto position = [&](Value dtype) -> std::optional<size_t> {
    auto asking = dtype.getDefiningOp<DTypeOfOp>();
    if (!asking)
      return std::nullopt;
    auto it = llvm::find_if(tensors, [&](ParamAttr tensor) {
      return tensor.getName() == asking.getName();
    });
    return it - tensors.begin();
  };
  for (auto check : op.getContract().getOps<CheckOp>()) {
    auto compare = check.getCondition().getDefiningOp<CompareOp>();
    if (check.getWhen() || !compare || compare.getPredicate() != Predicate::eq)
      continue;
    auto lhs = position(compare.getLhs()), rhs = position(compare.getRhs());
    if (!lhs || !rhs)
      continue;
    size_t from = leader[*lhs], to = leader[*rhs];
    for (size_t &each : leader)
      if (each == from || each == to)
        each = std::min(from, to);
  }
  for (size_t i = 0; i < leader.size(); ++i) {
    if (leader[i] != i)
      continue;
    DTypeTie tie;
    for (size_t j = 0; j < leader.size(); ++j)
      if (leader[j] == i)
        tie.push_back(j);
    ties.push_back(tie);
  }
}

SmallVector<DType> HostModel::dtypesOf(const DTypeTie &tie,
                                       StringRef product) const {
  SmallVector<DType> dtypes(tensors[tie[0]].getDTypesOn(product));
  for (size_t other : ArrayRef(tie).drop_front())
    llvm::erase_if(dtypes, [&](DType dtype) {
      return !llvm::is_contained(tensors[other].getDTypesOn(product), dtype);
    });
  return dtypes;
}

DType HostModel::anyDType(ParamAttr tensor) const {
  auto isIn = [&](const DTypeTie &tie) {
    return llvm::any_of(tie, [&](size_t i) { return tensors[i] == tensor; });
  };
  const DTypeTie &tie = *llvm::find_if(ties, isIn);
  SmallVector<DType> first = dtypesOf(tie, groups.front().anyProduct());
  for (DType dtype : first)
    if (llvm::all_of(groups, [&](const ProductGroup &group) {
          return llvm::is_contained(dtypesOf(tie, group.anyProduct()), dtype);
        }))
      return dtype;
  return first.empty() ? tensor.getDTypesOn(groups.front().anyProduct()).front()
                       : first.front();
}

SmallVector<DType> HostModel::listedDTypes(ParamAttr tensor) const {
  SmallVector<DType> listed;
  for (const ProductGroup &group : groups)
    for (DType dtype : tensor.getDTypesOn(group.anyProduct()))
      if (!llvm::is_contained(listed, dtype))
        listed.push_back(dtype);
  return listed;
}

bool HostModel::mayHaveAnyDType(ParamAttr tensor) const {
  auto isOfTensor = [&](Value value) {
    auto asking = value.getDefiningOp<DTypeOfOp>();
    return asking && asking.getName() == tensor.getName();
  };
  OperatorOp record = op;
  for (auto check : record.getContract().getOps<CheckOp>()) {
    if (Value when = check.getWhen()) {
      auto present = when.getDefiningOp<PresentOp>();
      if (!present || present.getName() != tensor.getName())
        continue;
    }
    Operation *condition = check.getCondition().getDefiningOp();
    if (condition && llvm::any_of(condition->getOperands(), isOfTensor))
      return false;
  }
  return true;
}

std::vector<ParamAttr> HostModel::dtypeSources(ParamAttr output) {
  for (StringAttr name : output.getShape().getDims())
    if (DimAttr dim = op.findDim(name);
        dim.getKind() == DimKind::Broadcast && output.getKind() == Kind::Real) {
      std::vector<ParamAttr> sources;
      for (StringAttr ref : dim.getRefs())
        if (ParamAttr param = op.findParam(ref);
            param.getRole() == Role::In && param.getKind() == Kind::Real)
          sources.push_back(param);
      return sources;
    }
  auto pick = [&](auto fits) -> std::vector<ParamAttr> {
    for (ParamAttr input : inputs)
      if (input.getRole() == Role::In && input.getKind() == output.getKind() &&
          fits(input))
        return {input};
    return {};
  };
  std::vector<ParamAttr> alike =
      pick([&](ParamAttr in) { return in.getShape() == output.getShape(); });
  return alike.empty() ? pick([](ParamAttr) { return true; }) : alike;
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// A declared shape has at most one pack, so that each of its dims is a fixed
/// number of axes away from one of the ends.
std::optional<AxisRange> HostModel::findRange(ParamAttr param, StringRef dim) {
  ShapeAttr shape = param.getShape();
  if (shape.getFlat() || shape.getConditionName())
    return std::nullopt;
  AxisRange range{param};
  int64_t packs = 0, before = 0, after = 0;
  bool found = false, isPack = false, packBefore = false;
  for (StringAttr name : shape.getDims()) {
    DimAttr declared = op.findDim(name);
    if (declared.getKind() == DimKind::Split)
      return std::nullopt;
    packs += declared.isPack();
    range.single += !declared.isPack();
    if (name == dim) {
      found = true;
      isPack = declared.isPack();
    } else if (found) {
      ++after;
    } else {
      ++before;
      packBefore |= declared.isPack();
    }
  }
  if (!found || packs > 1)
    return std::nullopt;
  range.pack = packs == 1;
  if (packBefore) {
    range.begin = -(after + 1);
    range.end = -after;
  } else {
    range.begin = before;
    range.end = isPack ? -after : before + 1;
  }
  return range;
}

FailureOr<std::vector<AxisRange>> HostModel::findDim(Operation *asking,
                                                     StringRef dim) {
  DimAttr declared = op.findDim(dim);
  std::vector<AxisRange> ranges;
  if (declared.getKind() == DimKind::Broadcast) {
    for (StringAttr ref : declared.getRefs()) {
      std::optional<AxisRange> range = findRange(op.findParam(ref), dim);
      if (!range)
        return asking->emitError("host code cannot tell dim '")
               << dim << "': the shape of " << ref
               << " is flat, conditional or split at an attribute";
      ranges.push_back(*range);
    }
    return ranges;
  }
  if (declared.getKind() != DimKind::Part)
    for (ParamAttr input : inputs)
      if (input.getRole() == Role::In)
        if (std::optional<AxisRange> range = findRange(input, dim))
          return std::vector<AxisRange>{*range};
  return asking->emitError("host code cannot tell dim '")
         << dim << "': no required input has it at a fixed place";
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// The toolkit has a row for every combination of independent dtypes, in its
/// tables and in what it generates.
bool HostModel::hasTooManyRows() const {
  return llvm::any_of(groups, [&](const ProductGroup &group) {
    size_t rows = 1;
    for (const DTypeTie &tie : ties)
      if (rows <= kMaxRows)
        rows *= std::max<size_t>(dtypesOf(tie, group.anyProduct()).size(), 1);
    return rows > kMaxRows;
  });
}

FailureOr<bool> host::handsOnBytes(OperatorOp op) {
  FailureOr<HostModel> model = HostModel::create(op);
  if (failed(model))
    return failure();
  return model->asBytes;
}

FailureOr<HostModel> HostModel::create(OperatorOp op) {
  HostModel model;
  model.op = op;
  StringRef name = op.getSymName();
  model.type = ("Lossgrad" + name).str();
  model.api = ("aclnn" + name).str();
  model.file = "lossgrad_" + toSnakeCase(name);
  model.header = "aclnn_" + toSnakeCase(name);
  if (std::optional<StringRef> header = op.getHeader())
    model.header = header->str();
  for (auto param : op.getParams().getAsRange<ParamAttr>()) {
    if (param.isInput())
      model.inputs.push_back(param);
    else if (param.isTensor())
      model.outputs.push_back(param);
    else
      model.attributes.push_back(param);
  }
  model.tensors = model.inputs;
  model.tensors.insert(model.tensors.end(), model.outputs.begin(),
                       model.outputs.end());
  static constexpr StringLiteral types[] = {
      "int64_t", "float", "double", "bool", "char *", "const char *"};
  for (ParamAttr attribute : model.attributes)
    if (!llvm::is_contained(types, attribute.getCType().getValue()))
      return op.emitError("attribute ")
             << attribute.getName() << " has C type " << attribute.getCType()
             << "; host code knows int64_t, float, double, bool and char *";
  if (model.tensors.size() > kMaxTensors)
    return op.emitError("has ")
           << model.tensors.size()
           << " tensors; tiling functions and kernels take at most "
           << kMaxTensors;
  if (failed(model.groupProducts()))
    return failure();
  model.findTies();
  model.asBytes = model.hasTooManyRows();
  return model;
}
