//===- AclMemory.cpp - allocation, copies and fills -----------------------===//
//
// Sizes are rounded as the device rounds them; copies are checked against the
// table of allocations before a byte moves, and again when a deferred copy
// runs. The direction of a copy follows from the addresses; a kind that
// contradicts them is worth a warning, no more, as on the device.
//
//===----------------------------------------------------------------------===//
#include "Runtime.h"
#include "acl/acl_rt.h"
#include "lossgrad/sim/GlobalMemory.h"

#include <cstring>

using namespace lossgrad::acl;

namespace {

constexpr size_t Granule = 32;

size_t roundUp(size_t value) {
  return (value + Granule - 1) / Granule * Granule;
}

/// One end of a copy.
struct End {
  const void *address;
  AllocationRef allocation; // null: pageable host memory
  bool onDevice() const {
    return allocation && allocation->place == Place::Device;
  }
  bool pageable() const { return !allocation; }
};

/// Finds what `address` points into and checks that `count` bytes are there.
aclError checkRange(const char *call, const char *what, const void *address,
                    size_t count, End &end) {
  AllocationTable &table = AllocationTable::get();
  end = {address, table.find(address)};
  if (!end.allocation) {
    if (!table.inReservedRange(address))
      return ACL_SUCCESS;
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "%s %p is in no live allocation (freed, or out of bounds)",
                what, address);
  }
  const Allocation &memory = *end.allocation;
  const size_t offset = reinterpret_cast<uintptr_t>(address) - memory.base;
  if (offset <= memory.size && count <= memory.size - offset)
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID,
              "%zu bytes at %s %p exceed its allocation of %zu bytes at %p "
              "(offset %zu)",
              count, what, address, memory.size,
              reinterpret_cast<void *>(memory.base), offset);
}

bool kindFits(aclrtMemcpyKind kind, const End &dst, const End &src) {
  switch (kind) {
  case ACL_MEMCPY_HOST_TO_HOST:
    return !src.onDevice() && !dst.onDevice();
  case ACL_MEMCPY_HOST_TO_DEVICE:
  case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
    return !src.onDevice() && dst.onDevice();
  case ACL_MEMCPY_DEVICE_TO_HOST:
    return src.onDevice() && !dst.onDevice();
  case ACL_MEMCPY_DEVICE_TO_DEVICE:
    return src.onDevice() && dst.onDevice();
  default:
    return true;
  }
}

void warnAboutKind(const char *call, aclrtMemcpyKind kind, const End &dst,
                   const End &src) {
  if (kindFits(kind, dst, src))
    return;
  const std::string text =
      format("%s: kind %d does not fit the addresses (source on the %s, "
             "destination on the %s); the addresses decide",
             call, int(kind), src.onDevice() ? "device" : "host",
             dst.onDevice() ? "device" : "host");
  // The check mode is where one asks to be told.
  log(settings().check ? ACL_ERROR : ACL_WARNING, text);
}

/// What the synchronous and the deferred copy check alike.
aclError checkCopy(const char *call, void *dst, size_t destMax, const void *src,
                   size_t count, aclrtMemcpyKind kind, End &to, End &from) {
  if (!dst)
    return failNull(call, "dst");
  if (!src)
    return failNull(call, "src");
  if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
    return fail(call, ACL_ERROR_INVALID_PARAM, "kind %d is not in [0, 5]",
                int(kind));
  if (destMax == 0 || count > destMax)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "count %zu does not fit destMax %zu", count, destMax);
  if (!Runtime::get().currentContext())
    return failNoContext(call);
  if (aclError error = checkRange(call, "dst", dst, count, to))
    return error;
  return checkRange(call, "src", src, count, from);
}

/// Moves bytes and tells the checker which device bytes have a value now.
void moveBytes(void *dst, const void *src, size_t count) {
  std::memmove(dst, src, count);
  lossgrad::sim::globalWrittenByHost(dst, count);
}

void fillBytes(void *dst, int32_t value, size_t count) {
  std::memset(dst, value, count);
  lossgrad::sim::globalWrittenByHost(dst, count);
}

struct Copy2d {
  void *dst;
  size_t dpitch;
  const void *src;
  size_t spitch, width, height;

  size_t dstBytes() const { return dpitch * (height - 1) + width; }
  size_t srcBytes() const { return spitch * (height - 1) + width; }
  void run() const {
    for (size_t row = 0; row < height; ++row)
      moveBytes(static_cast<char *>(dst) + row * dpitch,
                static_cast<const char *>(src) + row * spitch, width);
  }
};

aclError checkCopy2d(const char *call, const Copy2d &copy, aclrtMemcpyKind kind,
                     End &to, End &from) {
  if (!copy.dst)
    return failNull(call, "dst");
  if (!copy.src)
    return failNull(call, "src");
  if (kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEVICE_TO_DEVICE)
    return fail(call, ACL_ERROR_INVALID_PARAM, "kind %d is not in [1, 3]",
                int(kind));
  if (copy.width == 0 || copy.height == 0 || copy.width > copy.dpitch ||
      copy.width > copy.spitch)
    return fail(
        call, ACL_ERROR_RT_PARAM_INVALID,
        "width %zu and height %zu must be positive and the width within "
        "dpitch %zu and spitch %zu",
        copy.width, copy.height, copy.dpitch, copy.spitch);
  const size_t rows = copy.height - 1, most = SIZE_MAX / 2;
  if (rows && (copy.dpitch > most / rows || copy.spitch > most / rows))
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "height %zu times the pitch exceeds the address space",
                copy.height);
  if (!Runtime::get().currentContext())
    return failNoContext(call);
  if (aclError error = checkRange(call, "dst", copy.dst, copy.dstBytes(), to))
    return error;
  return checkRange(call, "src", copy.src, copy.srcBytes(), from);
}

/// Defers `move`. The ends are held for as long as the task exists, so that a
/// free in between takes no memory away from it, but it is still reported.
aclError deferMove(const char *call, aclrtStream stream, const End &to,
                   const End &from, std::function<void()> move) {
  return Runtime::get().enqueue(
      call, stream, [=, name = std::string(call)]() -> TaskResult {
        for (const End *end : {&to, &from})
          if (end->allocation &&
              AllocationTable::get().find(end->address) != end->allocation)
            return {ACL_ERROR_RT_PARAM_INVALID,
                    format("%s: memory at %p was freed before the copy ran",
                           name.c_str(), end->address)};
        move();
        return {};
      });
}

aclError allocateDevice(const char *call, void **devPtr, size_t size,
                        aclrtMemMallocPolicy policy, bool pad) {
  if (!devPtr)
    return failNull(call, "devPtr");
  if (size == 0)
    return fail(call, ACL_ERROR_INVALID_PARAM, "size must not be 0");
  const unsigned flags = ACL_MEM_TYPE_LOW_BAND_WIDTH |
                         ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                         ACL_MEM_ACCESS_USER_SPACE_READONLY;
  const unsigned page = unsigned(policy) & ~flags;
  if (page > ACL_MEM_MALLOC_HUGE1G_ONLY_P2P)
    return fail(call, ACL_ERROR_INVALID_PARAM, "policy %#x is unknown",
                unsigned(policy));
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext(call);
  const auto *soc = settings().soc;
  const bool padded = pad && page < ACL_MEM_MALLOC_HUGE1G_ONLY &&
                      !(soc && soc->family->npuArch == 3510);
  // A size near the end of the address range must not wrap around.
  AllocationTable::Room room;
  room.limit = settings().deviceMemory;
  room.needed = size > room.limit ? SIZE_MAX : roundUp(size) + Granule;
  const size_t bytes =
      size > room.limit ? size : roundUp(size) + (padded ? Granule : 0);
  auto memory = AllocationTable::get().allocate(
      size, bytes, Place::Device, context->device, settings().check, room);
  if (!memory && room.exceeded)
    return fail(call, ACL_ERROR_RT_MEMORY_ALLOCATION,
                "device %d has %zu of %zu bytes in use; %zu more do not fit",
                context->device, room.used, room.limit, size);
  if (!memory)
    return fail(call, ACL_ERROR_RT_MEMORY_ALLOCATION,
                "the host cannot provide %zu bytes for device %d", size,
                context->device);
  *devPtr = reinterpret_cast<void *>(memory->base);
  return ACL_SUCCESS;
}

aclError release(const char *call, void *pointer, Place place) {
  if (!pointer)
    return failNull(call, place == Place::Device ? "devPtr" : "hostPtr");
  AllocationTable &table = AllocationTable::get();
  AllocationRef found = table.find(pointer);
  if (!found || found->base != reinterpret_cast<uintptr_t>(pointer)) {
    const char *what = found ? "lies inside an allocation, not at its begin"
                       : table.inReservedRange(pointer)
                           ? "is no live allocation (freed twice?)"
                           : "was not allocated by this runtime";
    return fail(call, ACL_ERROR_RT_PARAM_INVALID, "%p %s", pointer, what);
  }
  if (found->place != place)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID, "%p is %s; use %s", pointer,
                place == Place::Device ? "pinned host memory" : "device memory",
                place == Place::Device ? "aclrtFreeHost" : "aclrtFree");
  if (!table.remove(pointer))
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "%p was freed by another thread at the same time", pointer);
  if (!AllocationTable::canaryIntact(*found))
    return fail(call, ACL_ERROR_RT_DEVICE_MEM_ERROR,
                "something wrote past the end of the %zu bytes at %p; the "
                "memory is freed",
                found->size, pointer);
  return ACL_SUCCESS;
}

} // namespace

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return allocateDevice("aclrtMalloc", devPtr, size, policy, true);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size,
                            aclrtMemMallocPolicy policy) {
  return allocateDevice("aclrtMallocAlign32", devPtr, size, policy, false);
}

aclError aclrtMallocCached(void **devPtr, size_t size,
                           aclrtMemMallocPolicy policy) {
  return allocateDevice("aclrtMallocCached", devPtr, size, policy, true);
}

static aclError cacheCall(const char *call, void *devPtr, size_t size) {
  if (!devPtr)
    return failNull(call, "devPtr");
  if (size == 0)
    return fail(call, ACL_ERROR_INVALID_PARAM, "size must not be 0");
  End end;
  if (aclError error = checkRange(call, "devPtr", devPtr, size, end))
    return error;
  if (end.onDevice())
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID, "%p is not device memory",
              devPtr);
}

aclError aclrtMemFlush(void *devPtr, size_t size) {
  return cacheCall("aclrtMemFlush", devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size) {
  return cacheCall("aclrtMemInvalidate", devPtr, size);
}

aclError aclrtFree(void *devPtr) {
  return release("aclrtFree", devPtr, Place::Device);
}

aclError aclrtMallocHost(void **hostPtr, size_t size) {
  const char *call = "aclrtMallocHost";
  if (!hostPtr)
    return failNull(call, "hostPtr");
  if (size == 0)
    return fail(call, ACL_ERROR_INVALID_PARAM, "size must not be 0");
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext(call);
  AllocationTable::Room room;
  auto memory = AllocationTable::get().allocate(
      size, size, Place::PinnedHost, context->device, settings().check, room);
  if (!memory)
    return fail(call, ACL_ERROR_RT_MEMORY_ALLOCATION,
                "the host cannot provide %zu bytes", size);
  *hostPtr = reinterpret_cast<void *>(memory->base);
  return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr) {
  return release("aclrtFreeHost", hostPtr, Place::PinnedHost);
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                     aclrtMemcpyKind kind) {
  if (count == 0)
    return ACL_SUCCESS;
  End to, from;
  if (aclError error =
          checkCopy("aclrtMemcpy", dst, destMax, src, count, kind, to, from))
    return error;
  if (dst == src)
    return ACL_SUCCESS;
  warnAboutKind("aclrtMemcpy", kind, to, from);
  lossgrad::sim::hostAccesses(src, count, "aclrtMemcpy");
  lossgrad::sim::hostAccesses(dst, count, "aclrtMemcpy");
  moveBytes(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
                          size_t count, aclrtMemcpyKind kind,
                          aclrtStream streamHandle) {
  const char *call = "aclrtMemcpyAsync";
  if (count == 0)
    return ACL_SUCCESS;
  End to, from;
  if (aclError error =
          checkCopy(call, dst, destMax, src, count, kind, to, from))
    return error;
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, streamHandle, stream))
    return error;
  if (!to.onDevice() && !from.onDevice())
    return fail(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "a copy from host to host cannot be deferred");
  const bool pageable = to.pageable() || from.pageable();
  if (pageable && !kindFits(kind, to, from))
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "kind %d is impossible with unregistered host memory at %p",
                int(kind), to.pageable() ? dst : src);
  warnAboutKind(call, kind, to, from);
  if (dst == src)
    return ACL_SUCCESS;
  if (!pageable)
    return deferMove(call, streamHandle, to, from,
                     [=] { moveBytes(dst, src, count); });
  // Pageable memory may be gone when a worker gets to it: the call waits.
  if (aclError error = Runtime::get().synchronize(call, stream, Deadline(-1)))
    return error;
  moveBytes(dst, src, count);
  return ACL_SUCCESS;
}

static aclError checkFill(const char *call, void *devPtr, size_t count,
                          End &end) {
  if (!Runtime::get().currentContext())
    return failNoContext(call);
  if (aclError error = checkRange(call, "devPtr", devPtr, count, end))
    return error;
  if (!end.pageable())
    return ACL_SUCCESS;
  return fail(call, ACL_ERROR_RT_PARAM_INVALID,
              "%p is neither device memory nor from aclrtMallocHost", devPtr);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value,
                     size_t count) {
  const char *call = "aclrtMemset";
  if (!devPtr)
    return failNull(call, "devPtr");
  if (count == 0)
    return ACL_SUCCESS;
  End end; // a count beyond maxCount is judged by the allocation alone
  if (aclError error = checkFill(call, devPtr, count, end))
    return error;
  lossgrad::sim::hostAccesses(devPtr, count, call);
  fillBytes(devPtr, value, count);
  return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
                          size_t count, aclrtStream stream) {
  const char *call = "aclrtMemsetAsync";
  if (!devPtr)
    return failNull(call, "devPtr");
  if (count == 0)
    return ACL_SUCCESS;
  if (count > maxCount)
    return fail(call, ACL_ERROR_RT_PARAM_INVALID,
                "count %zu does not fit maxCount %zu", count, maxCount);
  End end;
  if (aclError error = checkFill(call, devPtr, count, end))
    return error;
  return deferMove(call, stream, end, end,
                   [=] { fillBytes(devPtr, value, count); });
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
                       size_t width, size_t height, aclrtMemcpyKind kind) {
  const Copy2d copy{dst, dpitch, src, spitch, width, height};
  End to, from;
  if (aclError error = checkCopy2d("aclrtMemcpy2d", copy, kind, to, from))
    return error;
  warnAboutKind("aclrtMemcpy2d", kind, to, from);
  copy.run();
  return ACL_SUCCESS;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src,
                            size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream streamHandle) {
  const char *call = "aclrtMemcpy2dAsync";
  const Copy2d copy{dst, dpitch, src, spitch, width, height};
  End to, from;
  if (aclError error = checkCopy2d(call, copy, kind, to, from))
    return error;
  std::shared_ptr<Stream> stream;
  if (aclError error = Runtime::get().resolveStream(call, streamHandle, stream))
    return error;
  warnAboutKind(call, kind, to, from);
  if (!to.pageable() && !from.pageable())
    return deferMove(call, streamHandle, to, from, [=] { copy.run(); });
  if (aclError error = Runtime::get().synchronize(call, stream, Deadline(-1)))
    return error;
  copy.run();
  return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total) {
  const char *call = "aclrtGetMemInfo";
  if (!free || !total)
    return failNull(call, free ? "total" : "free");
  if (attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G)
    return fail(call, ACL_ERROR_INVALID_PARAM, "attribute %d is unknown",
                int(attr));
  auto context = Runtime::get().currentContext();
  if (!context)
    return failNoContext(call);
  // First-generation inference products have DDR, all others HBM.
  const auto *soc = settings().soc;
  const bool ddrChip = soc && soc->family->npuArch == 2002;
  const bool asksDdr = attr == ACL_DDR_MEM || attr == ACL_DDR_MEM_HUGE ||
                       attr == ACL_DDR_MEM_NORMAL ||
                       attr == ACL_DDR_MEM_P2P_HUGE ||
                       attr == ACL_DDR_MEM_P2P_NORMAL;
  if (ddrChip != asksDdr) {
    *free = *total = 0;
    return ACL_SUCCESS;
  }
  *total = settings().deviceMemory;
  *free = *total - AllocationTable::get().usedOnDevice(context->device);
  return ACL_SUCCESS;
}
