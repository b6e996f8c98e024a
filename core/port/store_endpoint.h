// Where a store for torch's ranks listens, as agent and coordinator speak of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// How the sentence begins that tells a trouble of a store: "the ranks' store on node-a refused …".
constexpr std::string_view kStoreTrouble = "the ranks' store on ";

struct StoreEndpoint {
  std::string address;  // numeric, IPv4 or IPv6
  uint16_t port = 0;
  bool operator==(const StoreEndpoint&) const = default;
};

}  // namespace muster
