// SPDX-License-Identifier: Apache-2.0
// The loader and the shared libraries of this program, as loaded here. A host with an older or different C library needs them to
// start it. Any thread.
#pragma once

#include <string>
#include <vector>

namespace muster::ssh {

struct OwnLibrary {
  std::string name;  // that the loader searches for; kLoader for the loader itself
  std::string path;
};

// The loader's name on every host, whatever its name is here.
constexpr const char* kLoader = "loader";

// The loader first, then all libraries that the program was linked with, and their dependencies. Libraries that were opened later
// (drivers, plugins) belong to the machine and are left out.
std::vector<OwnLibrary> own_libraries();

}  // namespace muster::ssh
