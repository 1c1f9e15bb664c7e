// Where the text of a kernel's source lies.
//
// A compiler writes down the name under which it read a file. That may be
// relative to a folder that only the build knew, so that caches can share
// results; the library of the kernel then has its sources beside it
// (cmake/LossgradCustomOps.cmake).
#ifndef LOSSGRAD_RUNTIME_SIM_PROFILE_SOURCES_H
#define LOSSGRAD_RUNTIME_SIM_PROFILE_SOURCES_H

#include <string>

namespace lossgrad::sim::profile {

/// The file that a compiler called `file`: itself where it can be read, else
/// the one with the longest common end in a folder `sources` beside the library
/// that holds the string, or above it. `file` where there is none.
std::string findSource(const char *file);

} // namespace lossgrad::sim::profile

#endif // LOSSGRAD_RUNTIME_SIM_PROFILE_SOURCES_H
