// The forms of --rdzv-endpoint and --rdzv-conf, as torch reads them. Pure: nothing is looked up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace muster {

// "", HOST, HOST:PORT, [V6], [V6]:PORT; else invalid_argument with what is wrong about it.
Status check_endpoint(const std::string& text);

struct HostPort {
  std::string host;  // without brackets; empty: none was typed
  std::optional<uint16_t> port;
};
// What check_endpoint() found right.
HostPort split_endpoint(const std::string& text);

// The pairs of what check_rendezvous_conf() found right.
std::map<std::string, std::string> rendezvous_conf(const std::string& text);

// "" or key=value pairs parted by commas, each with a value.
Status check_rendezvous_conf(const std::string& text);

}  // namespace muster
