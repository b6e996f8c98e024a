// SPDX-License-Identifier: Apache-2.0
// Classifies environment variables by their names: those that are sent to other hosts, and those that hold secrets. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// The hosts that gRPC reaches without the proxy that http_proxy or one of its kind names, separated by commas.
inline constexpr const char* kNoProxyVariable = "no_grpc_proxy";

// Whether a variable of the submitting shell is sent to other hosts: it tunes the libraries of training programs, and is no
// folder and no secret.
bool is_carried(std::string_view name);

// Whether a variable with this name and value probably contains a secret. A guess, also by the formats of tokens.
bool looks_secret(const std::string& name, const std::string& value);

// Whether a variable describes a process to an MPI library, or belongs to the launcher of its job. A launcher inside a rank must not pass
// it on, because its ranks would take the place of that rank.
bool is_of_outer_launcher(std::string_view name);

}  // namespace muster
