// SPDX-License-Identifier: Apache-2.0
// The prefix of lines of --tee: torchrun's --log-line-prefix-template. Pure.
#pragma once

#include <map>
#include <string>

namespace muster {

// Replaces $name, ${name} and $$ in `text` like Python's string.Template.safe_substitute: names that are not in `values` stay.
std::string substitute_template(const std::string& text, const std::map<std::string, std::string>& values);

}  // namespace muster
