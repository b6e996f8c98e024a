// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/admission.h"

#include <unistd.h>

namespace muster::tcpstore {

Admission::Admission(const std::vector<std::string>& addresses) : us_(geteuid()) {
  for (const std::string& text : addresses) {
    const std::optional<Address> address = address_of(text);
    if (!address) continue;
    addresses_.insert(*address);
    if (is_of_this_machine(text)) ours_.insert(*address);
  }
}

std::optional<Refusal> Admission::refuses(const SocketEnd& peer, const SocketEnd& here) const {
  const Owner owner = owners_.of(peer, here);
  if (judge(peer.address, owner, us_)) return std::nullopt;
  return why(peer.address, owner);
}

Refusal Admission::why(const Address& peer, const Owner& owner) {
  switch (owner.kind) {
    case Owner::Kind::process:
      return {Rule::user,
              "refused a connection from another user of this machine (user ID " + std::to_string(owner.user) + ")"};
    case Owner::Kind::gone: return {};
    case Owner::Kind::elsewhere:
      if (!is_loopback(peer))
        return {Rule::address,
                "refused a connection from " + text_of(peer) + ", which is not an address of the job's nodes"};
      [[fallthrough]];
    case Owner::Kind::unknown: break;
  }
  return {Rule::address,
          "refused a connection from " + text_of(peer) + ": the kernel does not report which user owns it"};
}

bool Admission::judge(const Address& peer, const Owner& owner, uid_t us) const {
  const bool loopback = is_loopback(peer);
  if (!loopback && !addresses_.contains(peer)) return false;
  switch (owner.kind) {
    case Owner::Kind::process: return owner.user == us || owner.user == 0;
    case Owner::Kind::gone: return false;
    case Owner::Kind::elsewhere:
    case Owner::Kind::unknown: return !loopback && !ours_.contains(peer);
  }
  return false;
}

}  // namespace muster::tcpstore
