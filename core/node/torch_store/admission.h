// SPDX-License-Identifier: Apache-2.0
// Admission: decides which clients may connect to a store. One thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/node/torch_store/address.h"
#include "core/node/torch_store/peer_owner.h"
#include "core/node/torch_store/refusal.h"

namespace muster::tcpstore {

class Admission {
 public:
  // Addresses that are not numeric admit nobody.
  explicit Admission(const std::vector<std::string>& addresses);

  // nullopt: the client is admitted. A refusal with empty `words` is not reported (the client has already gone).
  std::optional<Refusal> refuses(const SocketEnd& peer, const SocketEnd& here) const;

  // Whether a client is admitted. Processes of this machine must belong to our user or root, and use loopback or an
  // admitted address. Clients of other machines must have an admitted address. A client with an address of this machine
  // whose process cannot be determined is refused.
  bool judge(const Address& peer, const Owner& owner, uid_t us) const;

  // The reason for refusing `peer`.
  static Refusal why(const Address& peer, const Owner& owner);

 private:
  std::set<Address> addresses_;
  std::set<Address> ours_;  // those of addresses_ that belong to this machine
  PeerOwner owners_;
  uid_t us_;
};

}  // namespace muster::tcpstore
