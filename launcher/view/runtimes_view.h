// SPDX-License-Identifier: Apache-2.0
// Runtimes as a table and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/submission/runtimes.h"
#include "core/client/view/style.h"

namespace muster {

// `wide` adds the paths of the files.
std::string runtimes_table(const std::vector<RuntimeFile>& files, const Style& style, bool wide);

std::string runtimes_json(const std::vector<RuntimeFile>& files);

// A runtime and the runtimes that it extends, its own template first.
std::string runtime_json(const std::string& name, const std::vector<ConfigLayer>& templates);

}  // namespace muster
