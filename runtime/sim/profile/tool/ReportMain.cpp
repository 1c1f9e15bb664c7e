// lossgrad-report: compares the JSON files of two profile runs.
#include "sim/profile/Profile.h"

#include <fstream>
#include <iostream>
#include <sstream>

static const char usage[] =
    R"(usage: lossgrad-report --compare FIRST.json SECOND.json

Compares two profiles launch by launch, in the order of the launches. The files
are the profile.json that a program writes under LOSSGRAD_MODE=profile. Times
are modelled; differences under 10 % are reported as none.

  --help    this text

Exit status: 0 compared, 1 a file cannot be read or is no profile, 2 usage.
)";

static bool read(const char *path, std::string &text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "lossgrad-report: cannot read '" << path << "'\n";
    return false;
  }
  std::ostringstream content;
  content << file.rdbuf();
  text = content.str();
  return true;
}

int main(int argc, char **argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h") {
    std::cout << usage;
    return 0;
  }
  if (first != "--compare" || argc != 4) {
    std::cerr << usage;
    return 2;
  }
  std::string before, after, error;
  if (!read(argv[2], before) || !read(argv[3], after))
    return 1;
  if (!lossgrad::sim::profile::compare(before, after, std::cout, error)) {
    std::cerr << "lossgrad-report: " << error << " (the files: '" << argv[2]
              << "', '" << argv[3] << "')\n";
    return 1;
  }
  return 0;
}
