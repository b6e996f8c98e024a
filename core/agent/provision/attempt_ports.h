// AttemptPorts: the TCP ports that an agent leases on its node: those of the attempt that runs, and those of the next attempt, which the
// coordinator is told before it begins. A port stays leased for as long as its attempt is the newest. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/job/node_ports.h"
#include "core/port/machine_info.h"

namespace muster {

class AttemptPorts {
 public:
  // `reserve`: services take the ports of the next attempt. False: a program that leases none has one; others are leased.
  using Reserve = std::function<bool(const NodePorts& next)>;
  AttemptPorts(MachineLeases& leases, Reserve reserve) : leases_(leases), reserve_(std::move(reserve)) {}

  // Beside the port where ranks meet, which is always leased.
  void need(PortCounts counts) { counts_ = std::move(counts); }

  // Leases what the next attempt has not yet. resource_exhausted: too few are free, and none is held.
  Status lease();
  // The attempt begins: the next ports are its own.
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
