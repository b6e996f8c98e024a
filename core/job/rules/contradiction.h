// SPDX-License-Identifier: Apache-2.0
// A contradiction between values of a job, as a value.
#pragma once

#include <string>

namespace muster {

struct Contradiction {
  const char* code;
  std::string path;  // of the key, "restarts.always_on.0"
  std::string message;
  std::string help;
  std::string meant;  // suggested replacement; empty: none
};

}  // namespace muster
