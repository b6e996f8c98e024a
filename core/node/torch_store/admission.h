// Admission: who may connect to a store. One thread.
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

  // nullopt: it may come. Without words: there is nothing to tell, as of a client that has gone.
  std::optional<Refusal> refuses(const SocketEnd& peer, const SocketEnd& here) const;

  // Of this machine: processes of our user and of root, on loopback or an admitted address. Of others: admitted
  // addresses. Who comes from an address of this machine and whose process the kernel does not tell is refused.
  bool judge(const Address& peer, const Owner& owner, uid_t us) const;

  // Of somebody who is refused.
  static Refusal why(const Address& peer, const Owner& owner);

 private:
  std::set<Address> addresses_;
  std::set<Address> ours_;  // those of them that are this machine's
  PeerOwner owners_;
  uid_t us_;
};

}  // namespace muster::tcpstore
