// SPDX-License-Identifier: Apache-2.0
// Checks of names, variables and texts of a job. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster {

constexpr size_t kLongestKey = 256;  // of a variable or label; YAML limits keys to 1024 characters

// Whether `text` is a valid name for a job or group: `[a-z]([a-z0-9-]{0,38}[a-z0-9])?`. The length leaves space for the
// suffixes of Kubernetes.
bool is_name(std::string_view text);

// A valid name similar to `text`, for "did you mean": "My_Job" → "my-job". Empty if there is none.
std::string nearest_name(std::string_view text);

// Valid UTF-8 without a zero byte.
bool is_text(std::string_view text);

bool has_control(std::string_view text);

// Whether `name` is valid as the name of an environment variable and as a key of a job file.
bool is_variable(std::string_view name);

}  // namespace muster
