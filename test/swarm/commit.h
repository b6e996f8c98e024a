// SPDX-License-Identifier: Apache-2.0
// The commit of a source tree: a seed gives the same story only at the same commit.
#pragma once

#include <string>

namespace muster::sim {

// Empty: it cannot be read.
std::string commit_of(const std::string& source_folder);

}  // namespace muster::sim
