#include "core/adapter/tcpstore/admission.h"

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
