//===- AclnnCall.cpp - Calling an aclnn function by its record ------------===//

#include "AclnnCall.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <deque>
#include <ffi.h>

using namespace llvm;
using namespace lossgrad;
using namespace lossgrad::run;

namespace {

/// Bytes before and after each storage that nobody may touch. A multiple of
/// every alignment that a kernel may rely on.
constexpr size_t guardBytes = 512;

/// The arguments of one first-phase call, in C order, in the form that libffi
/// takes them: a type and the address of a value.
class ArgumentList {
public:
  template <typename T> void add(ffi_type &type, T value) {
    static_assert(sizeof(T) <= sizeof(Slot), "does not fit");
    slots.emplace_back();
    std::memcpy(&slots.back(), &value, sizeof value);
    types.push_back(&type);
    addresses.push_back(&slots.back());
  }
  void add(void *pointer) { add(ffi_type_pointer, pointer); }

  /// Calls a function that returns a status.
  Expected<int32_t> call(void *function) {
    ffi_cif interface;
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, types.size(),
                     &ffi_type_sint32, types.data()) != FFI_OK)
      return createStringError("libffi cannot make a call of %zu arguments",
                               types.size());
    ffi_arg result = 0;
    ffi_call(&interface, reinterpret_cast<void (*)()>(function), &result,
             addresses.data());
    return static_cast<int32_t>(result);
  }

  /// A string that lives as long as the list.
  char *keep(std::string text) {
    texts.push_back(std::move(text));
    return texts.back().data();
  }

private:
  union Slot {
    void *pointer;
    int64_t integer;
    double real;
  };
  std::deque<Slot> slots; // addresses stay
  std::deque<std::string> texts;
  std::vector<ffi_type *> types;
  std::vector<void *> addresses;
};

/// One call: its tensors on the device and its descriptors.
class Invocation {
public:
  Invocation(const AclRuntime &runtime, const CallArguments &arguments)
      : runtime(runtime), arguments(arguments) {}
  ~Invocation();

  Error createTensor(StringRef name, const View &view, void *data);
  Expected<int32_t> firstPhase();
  Expected<int32_t> secondPhase();
  Error place(StringRef name, const Storage &storage);
  Error createOver(StringRef name, const View &view);
  Error fetch(StringRef name, StringMap<Storage> &all, CallOutcome &outcome);
  void release(CallOutcome &outcome);
  void dropExecutor();

  /// The input in whose storage a tensor lies; its own name if it has one.
  StringRef getHome(StringRef name) const {
    const Tensor *tensor = arguments.call->find(name);
    return tensor && !tensor->over.empty() ? StringRef(tensor->over) : name;
  }

private:
  Error addAttribute(ParamAttr param, ArgumentList &list);

  const AclRuntime &runtime;
  const CallArguments &arguments;
  StringMap<aclTensor *> tensors;
  StringMap<DeviceMemory> memory;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
};

} // namespace

static std::string functionOf(OperatorOp op) {
  return ("aclnn" + op.getSymName()).str();
}

bool run::hasFunction(const AclRuntime &runtime, StringRef function) {
  return runtime.findSymbol(function.str()) &&
         runtime.findSymbol((function + "GetWorkspaceSize").str());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static std::optional<aclFormat> findFormat(StringRef name) {
  return StringSwitch<std::optional<aclFormat>>(name)
      .Case("ND", ACL_FORMAT_ND)
      .Case("NCHW", ACL_FORMAT_NCHW)
      .Case("NHWC", ACL_FORMAT_NHWC)
      .Case("NC1HWC0", ACL_FORMAT_NC1HWC0)
      .Case("FRACTAL_Z", ACL_FORMAT_FRACTAL_Z)
      .Case("FRACTAL_NZ", ACL_FORMAT_FRACTAL_NZ)
      .Case("HWCN", ACL_FORMAT_HWCN)
      .Case("NDHWC", ACL_FORMAT_NDHWC)
      .Case("NCDHW", ACL_FORMAT_NCDHW)
      .Case("NDC1HWC0", ACL_FORMAT_NDC1HWC0)
      .Case("NC", ACL_FORMAT_NC)
      .Case("NCL", ACL_FORMAT_NCL)
      .Default(std::nullopt);
}

bool run::isKnownFormat(StringRef name) { return findFormat(name).has_value(); }

Error Invocation::createTensor(StringRef name, const View &view, void *data) {
  std::optional<aclFormat> format = findFormat(view.format);
  if (!format)
    return createStringError("tensor '" + name + "': unknown format '" +
                             view.format + "'");
  // The numbers of DType are those of aclDataType.
  auto dtype = view.dtype == DType::Undefined
                   ? ACL_DT_UNDEFINED
                   : static_cast<aclDataType>(view.dtype);
  aclTensor *tensor = runtime.aclCreateTensor(
      view.shape.data(), view.shape.size(), dtype, view.strides.data(),
      view.offset, *format, view.storageShape.data(), view.storageShape.size(),
      data);
  if (!tensor)
    return createStringError(
        "tensor '" + name +
        "': aclCreateTensor returns null: " + runtime.takeErrorText());
  tensors[name] = tensor;
  return Error::success();
}

static std::vector<uint8_t> makeGuard() {
  return std::vector<uint8_t>(guardBytes, Storage::canary);
}

Error Invocation::place(StringRef name, const Storage &storage) {
  Expected<DeviceMemory> space =
      DeviceMemory::allocate(runtime, storage.bytes.size() + 2 * guardBytes);
  if (!space)
    return space.takeError();
  uint8_t *data = space->get() + guardBytes;
  if (Error error = space->upload(0, makeGuard()))
    return error;
  if (Error error = space->upload(guardBytes, storage.bytes))
    return error;
  if (Error error =
          space->upload(guardBytes + storage.bytes.size(), makeGuard()))
    return error;
  memory.try_emplace(name, std::move(*space));
  return createTensor(name, storage.getView(), data);
}

Error Invocation::createOver(StringRef name, const View &view) {
  return createTensor(name, view,
                      memory.find(getHome(name))->second.get() + guardBytes);
}

/// What an output wrote into the storage of an input is no damage to it.
static void forgiveOutput(const Storage &output, ArrayRef<uint8_t> before,
                          std::vector<uint8_t> &now) {
  unsigned size = getElementBytes(output.getView().dtype);
  forEachElement(output.getView(), [&](int64_t, int64_t position) {
    std::memcpy(now.data() + position * size, before.data() + position * size,
                size);
  });
}

Error Invocation::fetch(StringRef name, StringMap<Storage> &all,
                        CallOutcome &outcome) {
  Storage &storage = all.find(name)->second;
  const DeviceMemory &space = memory.find(getHome(name))->second;
  if (getHome(name) != name)
    return space.download(guardBytes, storage.bytes);
  std::vector<uint8_t> before = makeGuard(), after = makeGuard();
  if (Error error = space.download(0, before))
    return error;
  if (Error error = space.download(guardBytes + storage.bytes.size(), after))
    return error;
  auto note = [&](const Twine &what) {
    outcome.damages.push_back(("tensor '" + name + "': " + what).str());
  };
  if (before != makeGuard())
    note("memory before its storage was written to");
  for (size_t i = 0; i < after.size(); ++i)
    if (after[i] != Storage::canary) {
      note("memory was written to " + Twine(i) +
           " bytes after the end of its storage");
      break;
    }
  ParamAttr param = arguments.op.findParam(name);
  std::vector<uint8_t> now(storage.bytes.size());
  if (Error error = space.download(guardBytes, now))
    return error;
  if (param && param.isInput()) {
    for (const auto &entry : all)
      if (entry.first() != name && getHome(entry.first()) == name)
        forgiveOutput(entry.second, storage.bytes, now);
    auto [was, is] =
        std::mismatch(storage.bytes.begin(), storage.bytes.end(), now.begin());
    if (is != now.end())
      note("an input was changed, first at byte " +
           Twine(was - storage.bytes.begin()) + " of its storage");
    return Error::success();
  }
  storage.bytes = std::move(now);
  if (std::optional<size_t> byte = storage.findTouchedByte())
    note("byte " + Twine(*byte) +
         " of its storage was written to, which the view does not show");
  return Error::success();
}

void Invocation::release(CallOutcome &outcome) {
  for (auto &entry : memory)
    if (Error error = entry.second.release())
      outcome.damages.push_back(("tensor '" + entry.first() +
                                 "': " + llvm::toString(std::move(error)))
                                    .str());
}

/// An executor that no second phase has taken over.
void Invocation::dropExecutor() {
  if (executor)
    runtime.aclDestroyAclOpExecutor(executor);
}

Invocation::~Invocation() {
  for (auto &entry : tensors)
    runtime.aclDestroyTensor(entry.second);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

Error Invocation::addAttribute(ParamAttr param, ArgumentList &list) {
  StringRef type = param.getCType().getValue();
  bool isText = type == "char *" || type == "const char *";
  // A string that the caller leaves out is a null pointer.
  if (isText && !arguments.call->attributes.count(param.getName())) {
    list.add(nullptr);
    return Error::success();
  }
  Expected<AttributeValue> value = arguments.call->getAttribute(param);
  if (!value)
    return value.takeError();
  if (isText)
    list.add(list.keep(std::get<std::string>(*value)));
  else if (type == "int64_t")
    list.add(ffi_type_sint64, std::get<int64_t>(*value));
  else if (type == "float")
    list.add(ffi_type_float, static_cast<float>(std::get<double>(*value)));
  else if (type == "double")
    list.add(ffi_type_double, std::get<double>(*value));
  else if (type == "bool")
    list.add(ffi_type_uint8, static_cast<uint8_t>(std::get<bool>(*value)));
  else
    return createStringError("parameter '" + param.getName().getValue() +
                             "' has C type '" + type +
                             "', which cannot be passed");
  return Error::success();
}

Expected<int32_t> Invocation::firstPhase() {
  ArgumentList list;
  for (auto param : arguments.op.getParams().getAsRange<ParamAttr>()) {
    if (param.isTensor())
      list.add(tensors.lookup(param.getName()));
    else if (Error error = addAttribute(param, list))
      return error;
  }
  list.add(arguments.call->hasWorkspaceSize ? &workspaceSize : nullptr);
  list.add(arguments.call->hasExecutor ? &executor : nullptr);
  return list.call(
      runtime.findSymbol(functionOf(arguments.op) + "GetWorkspaceSize"));
}

Expected<int32_t> Invocation::secondPhase() {
  std::optional<DeviceMemory> workspace;
  if (workspaceSize > 0) {
    Expected<DeviceMemory> space =
        DeviceMemory::allocate(runtime, workspaceSize);
    if (!space)
      return space.takeError();
    workspace.emplace(std::move(*space));
  }
  using SecondPhase =
      aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);
  auto function = reinterpret_cast<SecondPhase>(
      runtime.findSymbol(functionOf(arguments.op)));
  int32_t status = function(workspace ? workspace->get() : nullptr,
                            workspaceSize, executor, runtime.stream);
  if (status != 0)
    return status;
  // The workspace is needed until then.
  return runtime.aclrtSynchronizeStream(runtime.stream);
}

Expected<CallOutcome> run::callFirstPhase(const AclRuntime &runtime,
                                          const CallArguments &arguments) {
  Invocation call(runtime, arguments);
  // A description needs an address, but nothing is read from it. Those of
  // different tensors are further apart than any storage is long.
  constexpr uint64_t kApart = uint64_t(1) << 42;
  Expected<DeviceMemory> space = DeviceMemory::allocate(runtime, guardBytes);
  if (!space)
    return space.takeError();
  StringMap<uint64_t> addresses;
  auto next = reinterpret_cast<uint64_t>(space->get());
  for (const auto &entry : arguments.views) {
    auto [home, isNew] = addresses.try_emplace(call.getHome(entry.first()));
    if (isNew)
      home->second = next += kApart;
    if (Error error = call.createTensor(entry.first(), entry.second,
                                        reinterpret_cast<void *>(home->second)))
      return error;
  }
  Expected<int32_t> status = call.firstPhase();
  if (!status)
    return status.takeError();
  CallOutcome outcome;
  outcome.status = *status;
  outcome.errorText = runtime.takeErrorText();
  if (outcome.status == 0)
    call.dropExecutor();
  return outcome;
}

Expected<CallOutcome> run::callBothPhases(const AclRuntime &runtime,
                                          const CallArguments &arguments,
                                          StringMap<Storage> &storage) {
  Invocation call(runtime, arguments);
  for (const auto &entry : storage)
    if (call.getHome(entry.first()) == entry.first())
      if (Error error = call.place(entry.first(), entry.second))
        return error;
  for (const auto &entry : storage)
    if (call.getHome(entry.first()) != entry.first())
      if (Error error = call.createOver(entry.first(), entry.second.getView()))
        return error;
  CallOutcome outcome;
  Expected<int32_t> status = call.firstPhase();
  if (status && *status == 0)
    status = call.secondPhase();
  if (!status)
    return status.takeError();
  outcome.status = *status;
  if (outcome.status != 0)
    outcome.errorText = runtime.takeErrorText();
  for (auto &entry : storage)
    if (Error error = call.fetch(entry.first(), storage, outcome))
      return error;
  call.release(outcome);
  return outcome;
}
