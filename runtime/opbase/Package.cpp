//===- Package.cpp - the kernels and host functions of a library ----------===//
//
// Finds the folder beside a library and loads from it.
//
//===----------------------------------------------------------------------===//
#include "Package.h"

#include "register/Registry.h"

#include <dlfcn.h>
#include <memory>
#include <unistd.h>

namespace lossgrad::aclnn {
namespace {

std::string libraryOf(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return "";
  // A relative name comes from the command line of the program itself.
  std::unique_ptr<char, decltype(&free)> real(realpath(info.dli_fname, nullptr),
                                              free);
  return real ? real.get() : info.dli_fname;
}

/// ".../libcust_opapi.so.1" -> ".../cust_opapi.ops"
std::string folderOf(const std::string &library) {
  const size_t slash = library.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : library.substr(0, slash);
  std::string stem =
      slash == std::string::npos ? library : library.substr(slash + 1);
  stem = stem.substr(0, stem.find(".so"));
  if (stem.compare(0, 3, "lib") == 0)
    stem.erase(0, 3);
  return folder + "/" + stem + ".ops";
}

} // namespace

Package &Package::of(const opapi::Operator &op) {
  static std::mutex mutex;
  static auto *packages = new std::map<std::string, std::unique_ptr<Package>>;
  static auto *known = new std::map<const opapi::Operator *, Package *>;
  std::lock_guard<std::mutex> lock(mutex);
  Package *&package = (*known)[&op];
  if (!package) {
    const std::string folder = folderOf(libraryOf(&op));
    std::unique_ptr<Package> &entry = (*packages)[folder];
    if (!entry)
      entry.reset(new Package(folder));
    package = entry.get();
  }
  return *package;
}

const std::string &Package::loadHost() {
  std::call_once(hostLoaded, [this] {
    OpRegistry::Loading scope(this);
    for (const char *name :
         {"libcust_opmaster_rt2.0.so", "libcust_opsproto_rt2.0.so"}) {
      const std::string path = folder + "/" + name;
      // A project may link its host functions into the library itself.
      if (access(path.c_str(), F_OK) != 0)
        continue;
      if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
        hostError = dlerror();
    }
  });
  return hostError;
}

void *Package::kernel(const char *architecture, const char *file,
                      const char *function, std::string &error) {
  const std::string path =
      folder + "/kernels/" + architecture + "/" + file + ".so";
  std::lock_guard<std::mutex> lock(mutex);
  void *&entry = kernels[path + ":" + function];
  if (entry)
    return entry;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = dlerror();
    return nullptr;
  }
  entry = dlsym(library, function);
  if (!entry)
    error = path + " has no kernel function " + function;
  return entry;
}

} // namespace lossgrad::aclnn
