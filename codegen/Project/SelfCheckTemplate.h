//===- SelfCheckTemplate.h - Is the library found and called? ---*- C++ -*-===//
//
// A program that looks for the operators as torch_npu does, resolves both phases
// and calls them. {0} is filled in by llvm::formatv with includes, {1} with one
// line per operator.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_PROJECT_SELFCHECKTEMPLATE_H
#define LOSSGRAD_CODEGEN_PROJECT_SELFCHECKTEMPLATE_H

namespace lossgrad::project::templates {

constexpr char selfCheck[] = R"cpp(/*
 * Which library serves these operators in a process like PyTorch's? Looks for it in the
 * order of torch_npu, resolves both phases by name, calls them with nothing (which they
 * must refuse with 161001), and checks that the library brings no runtime of its own.
 * Prints one line per operator; exits with 0 where all is well.
 *
 *   g++ selfcheck.cpp -I <include> -I ../op_api -L <lib> -lascendcl -lnnopbase -ldl -o selfcheck
 */
#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"
{0}
namespace {{

std::string Environment(const char *name)
{{
    const char *value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> Split(const std::string &text, char separator)
{{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {{
        if (!part.empty()) {{
            parts.push_back(part);
        }
    }
    return parts;
}

/* Custom libraries are trusted only if root or the user owns them. */
bool Trusted(const std::string &file)
{{
    struct stat status;
    return stat(file.c_str(), &status) == 0 && (status.st_uid == 0 || status.st_uid == getuid());
}

void AddCustom(const std::string &folder, std::vector<std::string> &files)
{{
    const std::string file = folder + "/op_api/lib/libcust_opapi.so";
    if (Trusted(file)) {{
        files.push_back(file);
    }
}

void AddVendors(const std::string &opp, std::vector<std::string> &files)
{{
    std::ifstream config(opp + "/vendors/config.ini");
    for (std::string line; std::getline(config, line);) {{
        const std::string key = "load_priority=";
        if (line.compare(0, key.size(), key) == 0) {{
            for (const std::string &vendor : Split(line.substr(key.size()), ',')) {{
                AddCustom(opp + "/vendors/" + vendor, files);
            }
        }
    }
}

void AddSplitLibraries(const std::string &folder, std::vector<std::string> &files)
{{
    std::vector<std::string> names;
    if (DIR *directory = opendir(folder.c_str())) {{
        while (const dirent *entry = readdir(directory)) {{
            const std::string name = entry->d_name;
            const std::string ending = ".so";
            if (name.compare(0, 9, "libopapi_") == 0 && name.size() > ending.size() &&
                name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {{
                names.push_back(folder + "/" + name);
            }
        }
        closedir(directory);
    }
    std::sort(names.begin(), names.end());
    files.insert(files.end(), names.begin(), names.end());
}

/* Every library that is asked for a function, in order. */
std::vector<std::string> Candidates()
{{
    std::vector<std::string> files;
    for (const std::string &folder : Split(Environment("ASCEND_CUSTOM_OPP_PATH"), ':')) {{
        AddCustom(folder, files);
    }
    const std::string opp = Environment("ASCEND_OPP_PATH");
    if (!opp.empty()) {{
        AddVendors(opp, files);
    }
    const std::string home = Environment("ASCEND_HOME_PATH");
    if (!home.empty()) {{
        AddSplitLibraries(home + "/lib64", files);
    }
    files.push_back("libopapi.so"); // through the loader's own path
    return files;
}

void *Resolve(const std::string &name, std::string &from)
{{
    for (const std::string &file : Candidates()) {{
        void *library = dlopen(file.c_str(), RTLD_LAZY);
        void *function = library != nullptr ? dlsym(library, name.c_str()) : nullptr;
        if (function != nullptr) {{
            Dl_info info;
            from = dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : file;
            return function;
        }
    }
    return nullptr;
}

/* Null pointers and zeros, whatever the function takes. */
template <typename... Arguments>
int CallWithNothing(aclnnStatus (*function)(Arguments...))
{{
    return static_cast<int>(function(Arguments()...));
}

bool Fail(const std::string &what)
{{
    std::printf("  %s\n", what.c_str());
    return false;
}

/* Types are those of the declarations, so that the call is what a caller compiles. */
template <typename First, typename Second>
bool Check(const std::string &name, First, Second)
{{
    std::string from, fromSecond;
    void *first = Resolve(name + "GetWorkspaceSize", from);
    void *second = Resolve(name, fromSecond);
    std::printf("%s: %s\n", name.c_str(), first != nullptr ? from.c_str() : "not found");
    if (first == nullptr || second == nullptr) {{
        return Fail("not both phases are exported");
    }
    if (from != fromSecond) {{
        return Fail("the second phase comes from another library: " + fromSecond);
    }
    if (CallWithNothing(reinterpret_cast<First>(first)) != 161001 ||
        CallWithNothing(reinterpret_cast<Second>(second)) != 161001) {{
        return Fail("a call without arguments is not refused with 161001");
    }
    // A runtime of its own would take over the tensors of the whole process.
    void *library = dlopen(from.c_str(), RTLD_LAZY);
    Dl_info info;
    void *create = library != nullptr ? dlsym(library, "aclCreateTensor") : nullptr;
    if (create != nullptr && dladdr(create, &info) != 0 && from == info.dli_fname) {{
        return Fail("the library defines aclCreateTensor");
    }
    return true;
}

} // namespace

int main()
{{
    bool good = true;
{1}    return good ? 0 : 1;
}
)cpp";

} // namespace lossgrad::project::templates

#endif // LOSSGRAD_CODEGEN_PROJECT_SELFCHECKTEMPLATE_H
