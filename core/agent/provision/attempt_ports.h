// SPDX-License-Identifier: Apache-2.0
// AttemptPorts: the TCP ports that an agent leases on its node, for the running attempt and for the next one. The agent reports
// the next ports before the attempt starts. Ports stay leased while their attempt is the newest. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/job/node_ports.h"
#include "core/port/machine_info.h"

namespace muster {

class AttemptPorts {
 public:
  // `reserve` lets the node services take the ports of the next attempt. False: a program that leases no ports uses one of
  // them; other ports are leased instead.
  using Reserve = std::function<bool(const NodePorts& next)>;
  AttemptPorts(MachineLeases& leases, Reserve reserve) : leases_(leases), reserve_(std::move(reserve)) {}

  // The ports that are needed besides the meeting port, which is always leased.
  void need(PortCounts counts) { counts_ = std::move(counts); }

  // Leases the ports that the next attempt does not have yet. resource_exhausted: too few are free, and none is held.
  Status lease();
  // The next attempt starts: the next ports become the current ones.
  void begin();

  const NodePorts& next() const { return next_.ports; }
  const NodePorts& current() const { return current_.ports; }

 private:
  struct Held {
    NodePorts ports;
    std::vector<LeasedPort> leases;
  };
  Status fill(Held& held);
  Status add(Held& held, uint16_t& place);

  MachineLeases& leases_;
  const Reserve reserve_;
  PortCounts counts_;
  Held next_;
  Held current_;
};

}  // namespace muster
