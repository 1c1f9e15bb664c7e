"""Calls aclnn functions of a built SDK through ctypes.

Signatures come from the installed headers, so a new operator needs no code
here. Only what the bench needs: dense tensors and plain attributes. Whether a
result is right is not judged here.
"""
import ctypes
import pathlib
import re

# acl/acl_base.h
ACL_TYPES = {"float32": 0, "float16": 1, "int32": 3, "uint8": 4, "int64": 9, "bool": 12, "bfloat16": 27}
TYPE_BYTES = {"float32": 4, "float16": 2, "int32": 4, "uint8": 1, "int64": 8, "bool": 1, "bfloat16": 2}
ACL_FORMAT_ND = 2
MALLOC_HUGE_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2

# C types of attributes, without their qualifiers.
ATTRIBUTES = {
    "int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32, "int8_t": ctypes.c_int8, "bool": ctypes.c_bool,
    "float": ctypes.c_float, "double": ctypes.c_double, "char*": ctypes.c_char_p,
}


class AclError(Exception):
    """A call that failed, with the library's own words."""


def numel(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def signatures(include):
    """First phases by function name: a list of (C type, parameter name)."""
    found = {}
    for header in sorted(pathlib.Path(include, "aclnnop").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)
        for name, arguments in re.findall(r"(aclnn\w+)GetWorkspaceSize\s*\(([^)]*)\)", text):
            parameters = []
            for argument in arguments.split(","):
                argument = re.sub(r"\bconst\b", "", argument).strip()
                kind, parameter = re.match(r"(.*?)\s*(\w+)$", argument, flags=re.S).groups()
                parameters.append((kind.replace(" ", ""), parameter))
            found[name] = parameters
    return found


class Library:
    """The SDK in one process: a device, a stream, and its operators."""

    def __init__(self, sdk, operators=None):
        lib = pathlib.Path(sdk, "lib")
        load = lambda name: ctypes.CDLL(str(lib / name), mode=ctypes.RTLD_GLOBAL)
        self.acl = load("libascendcl.so")
        self.nnopbase = load("libnnopbase.so")
        self.operators = load(operators or "libopapi.so")  # a path of its own stays as it is
        self.signatures = signatures(pathlib.Path(sdk, "include"))
        self.nnopbase.aclCreateTensor.restype = ctypes.c_void_p
        self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.check(self.acl.aclInit(None), "aclInit")
        self.check(self.acl.aclrtSetDevice(0), "aclrtSetDevice")
        self.stream = ctypes.c_void_p()
        self.check(self.acl.aclrtCreateStream(ctypes.byref(self.stream)), "aclrtCreateStream")

    def check(self, status, what):
        if status != 0:
            text = self.acl.aclGetRecentErrMsg()
            raise AclError(f"{what} returned {status}: {(text or b'').decode().strip()}")

    def has(self, function):
        return function in self.signatures and hasattr(self.operators, function)

    def allocate(self, size):
        address = ctypes.c_void_p()
        self.check(self.acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)), MALLOC_HUGE_FIRST),
                   f"aclrtMalloc of {size} bytes")
        return address

    def free(self, address):
        self.check(self.acl.aclrtFree(address), "aclrtFree")

    def upload(self, address, host, size):
        self.check(self.acl.aclrtMemcpy(address, ctypes.c_size_t(size), ctypes.c_void_p(host), ctypes.c_size_t(size),
                                        HOST_TO_DEVICE), "aclrtMemcpy")

    def download(self, host, address, size):
        self.check(self.acl.aclrtMemcpy(ctypes.c_void_p(host), ctypes.c_size_t(size), address, ctypes.c_size_t(size),
                                        DEVICE_TO_HOST), "aclrtMemcpy")

    def synchronize(self):
        self.check(self.acl.aclrtSynchronizeStream(self.stream), "aclrtSynchronizeStream")


class Tensor:
    """A dense tensor in device memory."""

    def __init__(self, library, shape, dtype):
        self.library, self.shape, self.dtype = library, shape, dtype
        self.size = numel(shape) * TYPE_BYTES[dtype]
        self.address = library.allocate(self.size)
        dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        strides = (ctypes.c_int64 * max(len(shape), 1))(*[numel(shape[i + 1:]) for i in range(len(shape))])
        self.handle = ctypes.c_void_p(library.nnopbase.aclCreateTensor(
            dims, ctypes.c_uint64(len(shape)), ACL_TYPES[dtype], strides, ctypes.c_int64(0), ACL_FORMAT_ND,
            dims, ctypes.c_uint64(len(shape)), self.address))

    def release(self):
        self.library.nnopbase.aclDestroyTensor(self.handle)
        self.library.free(self.address)


class Call:
    """One aclnn function with its arguments, ready to run any number of times."""

    def __init__(self, library, function, tensors, attributes):
        self.library, self.function = library, function
        self.first = getattr(library.operators, function + "GetWorkspaceSize")
        self.second = getattr(library.operators, function)
        self.arguments = []
        unused = set(tensors) | set(attributes)
        for kind, name in library.signatures[function][:-2]:
            unused.discard(name)
            if kind == "aclTensor*":
                self.arguments.append(tensors[name].handle if name in tensors else None)
            elif kind not in ATTRIBUTES:
                raise AclError(f"{function}: parameter '{name}' of type {kind} is not supported by the bench")
            elif name not in attributes:
                raise AclError(f"{function}: the table gives no value for '{name}'")
            else:
                value = attributes[name]
                self.arguments.append(ATTRIBUTES[kind](value.encode() if isinstance(value, str) else value))
        if unused:
            raise AclError(f"{function} has no parameter {', '.join(sorted(unused))}")
        self.workspace, self.workspace_size = None, 0

    def run(self):
        size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
        library = self.library
        library.check(self.first(*self.arguments, ctypes.byref(size), ctypes.byref(executor)),
                      self.function + "GetWorkspaceSize")
        if size.value > self.workspace_size:
            if self.workspace:
                library.free(self.workspace)
            self.workspace, self.workspace_size = library.allocate(size.value), size.value
        library.check(self.second(self.workspace, size, executor, library.stream), self.function)
        library.synchronize()
