// SPDX-License-Identifier: Apache-2.0
// Classifies environment variables by their names: those that are sent to other hosts, and those that hold secrets. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// Whether a variable of the submitting shell is sent to other hosts: it tunes the libraries of training programs, and is no
// folder and no secret.
bool is_carried(std::string_view name);

// Whether a variable with this name and value probably contains a secret. A guess, also by the formats of tokens.
bool looks_secret(const std::string& name, const std::string& value);

}  // namespace muster
