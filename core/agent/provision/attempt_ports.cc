// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/attempt_ports.h"

#include <utility>

namespace muster {
namespace {

constexpr int kTries = 8;

}  // namespace

// Refused ports stay leased until this function returns, so that a later try does not get them again.
Status AttemptPorts::lease() {
  std::vector<Held> refused;
  Held held = std::exchange(next_, Held());
  for (int tried = 0; tried < kTries; ++tried) {
    if (const Status status = fill(held); !status.ok()) return status;
    if (reserve_(held.ports)) break;
    refused.push_back(std::exchange(held, Held()));
  }
  if (const Status status = fill(held); !status.ok()) return status;
  next_ = std::move(held);
  return Status();
}

void AttemptPorts::begin() { current_ = std::exchange(next_, Held()); }

Status AttemptPorts::fill(Held& held) {
  if (held.ports.meeting == 0) {
    if (const Status status = add(held, held.ports.meeting); !status.ok()) return status;
  }
  for (const auto& [owner, count] : counts_) {
    std::vector<uint16_t>& ports = held.ports.by_owner[owner];
    while (ports.size() < count) {
      ports.push_back(0);
      if (const Status status = add(held, ports.back()); !status.ok()) return status;
    }
  }
  return Status();
}

Status AttemptPorts::add(Held& held, uint16_t& place) {
  Result<LeasedPort> port = leases_.lease_port();
  if (!port.ok()) return port.status();
  place = port->port;
  held.leases.push_back(std::move(*port));
  return Status();
}

}  // namespace muster
