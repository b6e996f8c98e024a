// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/gang_place.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/node/torch_store/address.h"
#include "core/system/linux/host_addresses.h"

namespace muster {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kEverywhere = "0.0.0.0";
constexpr const char* kEverywhere6 = "::";

Result<std::string> numeric(const std::string& name, const std::string& flag) {
  auto found = addresses_of(name);
  if (found.ok()) return found->front();
  return found.status().with_context(flag + " `" + escaped(name) + "`");
}

bool is_ours(const std::string& address) {
  return is_loopback_address(address) || tcpstore::is_of_this_machine(address);
}

// The address to listen on. A name may resolve to loopback only on this host (Debian's /etc/hosts), or to a gateway's address; then other
// hosts connect to another address of this host, so it listens on all.
std::string listen_at(const Meeting& meeting, const std::string& address) {
  const bool said_loopback = meeting.host == "localhost" || is_loopback_address(meeting.host);
  const bool own = is_ours(address) && (!is_loopback_address(address) || said_loopback);
  if (own) return address;
  return address.find(':') == std::string::npos ? kEverywhere : kEverywhere6;
}

GangPlace::Part part_of(const Meeting& meeting, const std::string& address) {
  using Part = GangPlace::Part;
  if (meeting.node_rank) return *meeting.node_rank == 0 ? Part::first : Part::other;
  if (meeting.is_host) return *meeting.is_host ? Part::first : Part::other;
  return is_ours(address) ? Part::whoever_listens : Part::other;
}

}  // namespace

Result<GangPlace> gang_place(const TorchrunSettings& settings, const CallerContext& caller) {
  const Meeting& meeting = *settings.meeting;
  const auto address = numeric(meeting.host, meeting.node_rank ? "the first host" : "--rdzv-endpoint");
  if (!address.ok()) return address.status();
  GangPlace place;
  place.part = part_of(meeting, *address);
  place.endpoint = meeting.text();
  place.dial = *address;
  place.foreign = place.part == GangPlace::Part::first && !is_ours(*address);
  place.listen = listen_at(meeting, *address);
  place.port = meeting.port;
  place.token = caller.variable(kTokenVariable);
  place.patience = meeting.patience;
  place.last_call = meeting.last_call;
  place.later_call = meeting.later_call;
  place.offer.run = meeting.run;
  place.offer.least_nodes = meeting.nodes.least;
  place.offer.most_nodes = meeting.nodes.most;
  place.offer.node_rank = meeting.node_rank;
  place.offer.ranks = settings.ranks;
  place.offer.role = settings.role;
  // For the first host, while it is alone; other hosts set the address that they dialled.
  place.offer.dialled = is_ours(*address) ? *address : kLoopback;
  if (!meeting.local_addr.empty()) {
    const auto local = numeric(meeting.local_addr, "--local-addr");
    if (!local.ok()) return local.status();
    place.offer.address = *local;
  }
  return place;
}

}  // namespace muster
