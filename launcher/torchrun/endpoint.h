// SPDX-License-Identifier: Apache-2.0
// Parses --rdzv-endpoint and --rdzv-conf like torch. Pure: resolves no names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace muster {

// Valid: "", HOST, HOST:PORT, [V6], [V6]:PORT. Otherwise invalid_argument with the reason.
Status check_endpoint(const std::string& text);

struct HostPort {
  std::string host;  // without brackets; empty: none was typed
  std::optional<uint16_t> port;
};
// `text` must have passed check_endpoint().
HostPort split_endpoint(const std::string& text);

// The key=value pairs. `text` must have passed check_rendezvous_conf().
std::map<std::string, std::string> rendezvous_conf(const std::string& text);

// Valid: "" or key=value pairs separated by commas, each with a value.
Status check_rendezvous_conf(const std::string& text);

}  // namespace muster
