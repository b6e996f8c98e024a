// What this program needs to start where the C library is older or another one: its loader and its shared libraries, as they are loaded
// here. Any thread.
#pragma once

#include <string>
#include <vector>

namespace muster::ssh {

struct OwnLibrary {
  std::string name;  // that it is looked for by; the loader's is kLoader
  std::string path;
};

// On a host the loader has this name whatever it is called here.
constexpr const char* kLoader = "loader";

// The loader first, then all that the program was linked with, and what those were. What was only opened later (drivers, plugins) is the
// machine's own, and no part of it.
std::vector<OwnLibrary> own_libraries();

}  // namespace muster::ssh
