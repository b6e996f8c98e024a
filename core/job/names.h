// Which texts may be a name, a variable, a text of a job at all. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster {

constexpr size_t kLongestKey = 256;  // of a variable or label: YAML readers end keys at 1024

// `[a-z]([a-z0-9-]{0,38}[a-z0-9])?`: names of jobs and groups (room for Kubernetes suffixes).
bool is_name(std::string_view text);

// A name that looks like `text`, for "did you mean": "My_Job" → "my-job". Empty when nothing of it can stay.
std::string nearest_name(std::string_view text);

// Valid UTF-8 without a zero byte.
bool is_text(std::string_view text);

bool has_control(std::string_view text);

// What execve can take as the name of a variable, and a job file as a key.
bool is_variable(std::string_view name);

}  // namespace muster
