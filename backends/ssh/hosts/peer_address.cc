// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/peer_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostNamed = 8;

bool is_numeric(const std::string& text) {
  in6_addr bytes{};
  return inet_pton(AF_INET, text.c_str(), &bytes) == 1 || inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

bool is_v4(const std::string& address) { return address.find(':') == std::string::npos; }

// Networks inside a host, for its containers and virtual machines. They have equal addresses on many hosts and connect no hosts.
bool is_inner(const std::string& nic) {
  constexpr std::array<std::string_view, 9> kInner = {"docker",  "br-", "virbr",  "veth", "cni",
                                                      "flannel", "lxc", "podman", "cali"};
  return std::any_of(kInner.begin(), kInner.end(), [&](std::string_view each) { return nic.starts_with(each); });
}

// A key of the network: family, prefix length and prefix. Empty: the prefix length is unknown.
std::string network_of(const HostAddress& address) {
  std::array<uint8_t, 16> bytes{};
  const bool four = is_v4(address.address);
  if (inet_pton(four ? AF_INET : AF_INET6, address.address.c_str(), bytes.data()) != 1) return "";
  if (address.prefix == 0 || address.prefix > (four ? 32u : 128u)) return "";
  for (uint32_t bit = address.prefix; bit < 128; ++bit) bytes[bit / 8] &= static_cast<uint8_t>(~(0x80u >> (bit % 8)));
  return (four ? "4/" : "6/") + std::to_string(address.prefix) + "/" +
         std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Fastest first; then IPv4 before IPv6; then in the host's order.
std::vector<HostAddress> by_speed(const HostFacts& facts) {
  std::vector<HostAddress> addresses = facts.addresses;
  std::erase_if(addresses, [](const HostAddress& each) { return !is_numeric(each.address) || is_inner(each.nic); });
  std::stable_sort(addresses.begin(), addresses.end(), [](const HostAddress& a, const HostAddress& b) {
    if (a.mbit != b.mbit) return a.mbit > b.mbit;
    return is_v4(a.address) && !is_v4(b.address);
  });
  return addresses;
}

// A network that several hosts may share.
struct Shared {
  size_t hosts = 0;
  uint32_t slowest = UINT32_MAX;
  std::set<std::string> addresses;  // if there are fewer than hosts, the hosts are not on one network
};

// The network that all hosts share and whose slowest NIC is fastest; empty: they share none.
std::string best_network(const std::vector<std::vector<HostAddress>>& all) {
  std::map<std::string, Shared> networks;
  for (const auto& addresses : all) {
    std::set<std::string> seen;  // addresses are sorted: the first in a network is the host's fastest
    for (const HostAddress& each : addresses) {
      const std::string network = network_of(each);
      if (network.empty() || !seen.insert(network).second) continue;
      Shared& shared = networks[network];
      ++shared.hosts;
      shared.slowest = std::min(shared.slowest, each.mbit);
      shared.addresses.insert(each.address);
    }
  }
  std::string best;
  for (const HostAddress& each : all.front()) {
    const std::string network = network_of(each);
    if (network.empty()) continue;
    const Shared& shared = networks[network];
    if (shared.hosts < all.size() || shared.addresses.size() < all.size()) continue;
    if (best.empty() || shared.slowest > networks[best].slowest) best = network;
  }
  return best;
}

Result<std::string> address_told(const HostSpec& host, const HostFacts& facts) {
  if (is_numeric(host.address)) return host.address;
  std::vector<std::string> nics;
  const HostAddress* found = nullptr;
  for (const HostAddress& each : facts.addresses) {
    nics.push_back(each.nic);
    const bool better = found == nullptr || (is_v4(each.address) && !is_v4(found->address));
    if (each.nic == host.address && better) found = &each;
  }
  if (found != nullptr) return found->address;
  nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
  return Status(Code::not_found, host.name + " has no NIC `" + escaped(host.address) + "` with an address: it has " +
                                     (nics.empty() ? "none" : short_list(nics, kMostNamed)));
}

}  // namespace

Result<std::vector<std::string>> peer_addresses(const std::vector<HostSpec>& hosts,
                                                const std::vector<HostReport>& reports) {
  std::vector<std::vector<HostAddress>> open;
  for (size_t i = 0; i < reports.size(); ++i) {
    if (hosts[i].address.empty()) open.push_back(by_speed(*reports[i].facts));
  }
  const std::string network = open.empty() ? "" : best_network(open);
  std::vector<std::string> chosen;
  size_t next = 0;
  for (size_t i = 0; i < reports.size(); ++i) {
    if (!hosts[i].address.empty()) {
      Result<std::string> told = address_told(hosts[i], *reports[i].facts);
      if (!told.ok()) return told.status();
      chosen.push_back(std::move(*told));
      continue;
    }
    const std::vector<HostAddress>& addresses = open[next++];
    const auto shared = std::find_if(addresses.begin(), addresses.end(),
                                     [&](const HostAddress& each) { return network_of(each) == network; });
    if (reports.size() == 1) {
      chosen.emplace_back("127.0.0.1");
    } else if (addresses.empty()) {
      return Status(Code::not_found, hosts[i].name +
                                         " has no address that other hosts can reach; check the output of "
                                         "`ip address` on it");
    } else {
      chosen.push_back(network.empty() || shared == addresses.end() ? addresses.front().address : shared->address);
    }
  }
  return chosen;
}

}  // namespace muster
