//===- DimBinding.cpp - The extents of dims in a call ---------------------===//

#include "dialect/LossGrad/Interpreter/DimBinding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace lossgrad;
using mlir::StringAttr;

//===----------------------------------------------------------------------===//
// Slicing a tensor's axes by its dims
//===----------------------------------------------------------------------===//

/// A tensor of rank 0 that is split at an attribute counts as rank 1.
Extents DimBinding::getActualShape(ParamAttr param) const {
  const Tensor *tensor = call.find(param.getName());
  Extents shape = tensor->shape;
  bool split = any_of(param.getShape().getDims(), [&](StringAttr name) {
    DimAttr dim = op.findDim(name);
    return dim && dim.getKind() == DimKind::Split;
  });
  if (split && shape.empty())
    shape.push_back(1);
  return shape;
}

/// Cuts the axes [begin, end) into consecutive dims. At most one of them may
/// have an unknown number of axes; every operand of a broadcast pack has its
/// own.
std::optional<DimBinding::Slices>
DimBinding::sliceRun(ArrayRef<StringAttr> dims, size_t begin,
                     size_t end) const {
  size_t known = 0, unknown = 0;
  SmallVector<std::optional<size_t>, 4> counts;
  for (StringAttr name : dims) {
    DimAttr dim = op.findDim(name);
    std::optional<size_t> count;
    if (!dim.isPack())
      count = 1;
    else if (auto it = extents.find(name.getValue());
             dim.getKind() == DimKind::Pack && it != extents.end())
      count = it->second.size();
    counts.push_back(count);
    count ? known += *count : ++unknown;
  }
  size_t total = end - begin;
  if (unknown > 1 || known > total || (unknown == 0 && known != total))
    return std::nullopt;
  Slices slices;
  for (std::optional<size_t> count : counts) {
    size_t length = count ? *count : total - known;
    slices.push_back({begin, begin + length});
    begin += length;
  }
  return slices;
}

std::optional<DimBinding::Slices> DimBinding::slice(ParamAttr param) const {
  ArrayRef<StringAttr> dims = param.getShape().getDims();
  size_t rank = getActualShape(param).size();
  for (auto [i, name] : enumerate(dims)) {
    DimAttr dim = op.findDim(name);
    if (dim.getKind() != DimKind::Split)
      continue;
    Expected<AttributeValue> value =
        call.getAttribute(op.findParam(dim.getRefs()[0]));
    if (!value)
      return consumeError(value.takeError()), std::nullopt;
    int64_t at = std::get<int64_t>(*value);
    if (at < -static_cast<int64_t>(rank) || at >= static_cast<int64_t>(rank))
      return std::nullopt;
    size_t axis = at < 0 ? at + rank : at;
    auto left = sliceRun(dims.take_front(i), 0, axis);
    auto right = sliceRun(dims.drop_front(i + 1), axis + 1, rank);
    if (!left || !right)
      return std::nullopt;
    left->push_back({axis, axis + 1});
    left->append(*right);
    return left;
  }
  return sliceRun(dims, 0, rank);
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// False where the condition of a shape does not hold: one element then.
bool DimBinding::isFull(ParamAttr param) const {
  Expected<bool> holds = call.holds(op, param.getShape());
  if (!holds)
    return consumeError(holds.takeError()), false;
  return *holds;
}

SmallVector<ParamAttr> DimBinding::getBindingOrder() const {
  auto priority = [&](ParamAttr param) {
    ShapeAttr shape = param.getShape();
    if (param.getRole() == Role::Out)
      return 3;
    if (shape.getFlat() || shape.getConditionName())
      return 2;
    return param.getRole() == Role::Optional ? 1 : 0;
  };
  SmallVector<ParamAttr> params;
  for (auto param : op.getParams().getAsRange<ParamAttr>())
    if (param.isTensor() && call.find(param.getName()) && isFull(param))
      params.push_back(param);
  stable_sort(params, [&](ParamAttr l, ParamAttr r) {
    return priority(l) < priority(r);
  });
  return params;
}

/// Binds the open dims of one tensor; true if there was one.
bool DimBinding::bindFrom(ParamAttr param) {
  ArrayRef<StringAttr> dims = param.getShape().getDims();
  Extents shape = getActualShape(param);
  if (param.getShape().getFlat()) {
    if (dims.size() != 1 || op.findDim(dims[0]).getKind() != DimKind::Axis)
      return false;
    return extents.try_emplace(dims[0], Extents{getNumElements(shape)}).second;
  }
  std::optional<Slices> slices = slice(param);
  if (!slices)
    return false;
  bool changed = false;
  for (auto [name, slice] : zip(dims, *slices)) {
    DimKind kind = op.findDim(name).getKind();
    if (kind == DimKind::Broadcast || kind == DimKind::Part)
      continue;
    Extents part(shape.begin() + slice.begin, shape.begin() + slice.end);
    changed |= extents.try_emplace(name, part).second;
  }
  return changed;
}

void DimBinding::bindBroadcast(DimAttr dim) {
  Extents result;
  for (StringAttr ref : dim.getRefs()) {
    ParamAttr param = op.findParam(ref);
    if (!call.find(ref)) {
      if (param.getRole() == Role::Optional)
        continue;
      return;
    }
    // One element broadcasts to anything.
    if (!isFull(param))
      continue;
    std::optional<Slices> slices = slice(param);
    if (!slices)
      return;
    size_t position = llvm::find(param.getShape().getDims(), dim.getName()) -
                      param.getShape().getDims().begin();
    Slice part = (*slices)[position];
    Extents shape = getActualShape(param);
    std::optional<Extents> common = broadcastShapes(
        result, ArrayRef(shape).slice(part.begin, part.end - part.begin));
    if (!common)
      return;
    result = *common;
  }
  extents[dim.getName()] = result;
}

/// A part has the axes of the whole, with extent 1 where the tensor was
/// broadcast.
void DimBinding::bindPart(DimAttr dim) {
  ParamAttr param = op.findParam(dim.getRefs()[1]);
  auto whole = extents.find(dim.getRefs()[0].getValue());
  if (whole == extents.end() || !call.find(param.getName()))
    return;
  std::optional<Slices> slices = slice(param);
  if (!slices)
    return;
  size_t position = llvm::find(param.getShape().getDims(), dim.getRefs()[0]) -
                    param.getShape().getDims().begin();
  Slice part = (*slices)[position];
  Extents shape = getActualShape(param);
  size_t length = part.end - part.begin, rank = whole->second.size();
  // A tensor that may not enlarge the pack can still be too long for it.
  if (length > rank)
    return;
  Extents result(rank, 1);
  for (size_t i = 0; i < length; ++i)
    result[rank - length + i] = shape[part.begin + i];
  extents[dim.getName()] = result;
}

DimBinding::DimBinding(OperatorOp op, const Call &call) : op(op), call(call) {
  SmallVector<ParamAttr> params = getBindingOrder();
  // A pack bound by one tensor may make another tensor's slices certain. Start
  // over after each success so that the order of priority is kept.
  while (any_of(params, [&](ParamAttr param) { return bindFrom(param); }))
    ;
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    if (dim.getKind() == DimKind::Broadcast)
      bindBroadcast(dim);
  for (auto dim : op.getDims().getAsRange<DimAttr>())
    if (dim.getKind() == DimKind::Part)
      bindPart(dim);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::optional<ArrayRef<int64_t>> DimBinding::find(StringRef dim) const {
  auto it = extents.find(dim);
  if (it == extents.end())
    return std::nullopt;
  return ArrayRef<int64_t>(it->second);
}

Expected<ArrayRef<int64_t>> DimBinding::get(StringRef dim) const {
  if (auto found = find(dim))
    return *found;
  return createStringError("the call does not say what the dim '" + dim +
                           "' is: no tensor of the declared rank has it, or "
                           "its operands do not broadcast");
}

Expected<Extents> DimBinding::getShape(ArrayRef<StringAttr> dims) const {
  Extents shape;
  for (StringAttr dim : dims) {
    Expected<ArrayRef<int64_t>> part = get(dim);
    if (!part)
      return part.takeError();
    shape.append(part->begin(), part->end());
  }
  return shape;
}

Expected<Extents> DimBinding::getOutputShape(ParamAttr param) const {
  for (StringAttr name : param.getShape().getDims()) {
    // A part alone is the shape of its tensor, without padding axes.
    DimAttr dim = op.findDim(name);
    if (dim.getKind() == DimKind::Part &&
        param.getShape().getDims().size() == 1)
      if (ParamAttr like = op.findParam(dim.getRefs()[1]);
          like.getShape().getDims().size() == 1)
        if (const Tensor *tensor = call.find(like.getName()))
          return tensor->shape;
  }
  if (!isFull(param))
    return Extents();
  // Rank 0 counts as rank 1 only inside; the tensor keeps the rank of those
  // that it is split like.
  Expected<Extents> shape = getShape(param.getShape().getDims());
  auto isSplit = [&](StringAttr name) {
    return op.findDim(name).getKind() == DimKind::Split;
  };
  if (!shape || !any_of(param.getShape().getDims(), isSplit))
    return shape;
  for (ParamAttr input : op.getInputs())
    if (input.getShape() == param.getShape())
      if (const Tensor *tensor = call.find(input.getName());
          tensor && tensor->shape.empty() && getNumElements(*shape) == 1)
        return Extents();
  return shape;
}

Error DimBinding::mismatch(ParamAttr param) const {
  StringRef name = param.getName();
  ShapeAttr shape = param.getShape();
  std::string actual = toString(call.find(name)->shape);
  if (!isFull(param))
    return createStringError("'" + name + "' has shape " + actual +
                             ", expected one element");
  Expected<Extents> wanted = getShape(shape.getDims());
  if (!wanted)
    return joinErrors(createStringError("'" + name + "' has shape " + actual),
                      wanted.takeError());
  return createStringError("'" + name + "' has shape " + actual +
                           ", which does not fit " + toString(*wanted));
}

/// The strides of the row-major tensor.
static Extents rowMajorStrides(ArrayRef<int64_t> shape) {
  Extents strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

Expected<TensorView> DimBinding::getView(ParamAttr param) const {
  ArrayRef<StringAttr> dims = param.getShape().getDims();
  Extents shape = getActualShape(param);
  Expected<Extents> full = getShape(dims);
  if (!full)
    return full.takeError();
  TensorView view{*full, Extents(full->size(), 0)};
  if (!isFull(param) || param.getShape().getFlat()) {
    int64_t wanted = isFull(param) ? getNumElements(*full) : 1;
    if (getNumElements(shape) != wanted)
      return mismatch(param);
    if (isFull(param))
      view.strides = rowMajorStrides(*full);
    return view;
  }
  std::optional<Slices> slices = slice(param);
  if (!slices)
    return mismatch(param);
  Extents strides = rowMajorStrides(shape);
  size_t position = 0;
  for (auto [name, part] : zip(dims, *slices)) {
    size_t rank = find(name)->size(), length = part.end - part.begin;
    bool broadcast = op.findDim(name).getKind() == DimKind::Broadcast;
    if (length > rank || (!broadcast && length != rank))
      return mismatch(param);
    for (size_t i = 0; i < length; ++i) {
      size_t to = position + rank - length + i, from = part.begin + i;
      if (shape[from] == view.extents[to])
        view.strides[to] = strides[from];
      else if (!broadcast || shape[from] != 1)
        return mismatch(param);
    }
    position += rank;
  }
  return view;
}
