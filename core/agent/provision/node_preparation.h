// SPDX-License-Identifier: Apache-2.0
// NodePreparation: prepares a node before the first rank of its job starts there. It runs the job's setup (NodeSetup), and
// then leases the node's GPUs if they are leased for the whole job (DeviceHold). Loop thread only. The owner calls stop()
// and waits for quiet() before it destroys the object.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/agent/provision/device_hold.h"
#include "core/agent/provision/node_setup.h"

namespace muster {

struct NodePreparationPorts {
  NodeSetupPorts setup;
  MachineLeases& leases;
};

class NodePreparation {
 public:
  struct Handlers {
    std::function<void()> changed;                         // a report would differ
    std::function<void(const DeviceHold& devices)> moved;  // the devices were leased or released
  };
  // `seed`: see DeviceHold.
  NodePreparation(NodePreparationPorts ports, uint64_t seed, Handlers handlers)
      : ports_(ports),
        seed_(seed),
        handlers_(std::move(handlers)) {}

  // Call it at most once. Without it, there is nothing to prepare and done() is true.
  void begin(SetupTask task, SetupStart start);
  // Kills the running command, and stops waiting for devices.
  void stop();

  bool done() const { return !setup_ || (setup_->done() && (!devices_ || devices_->held())); }
  bool quiet() const { return !setup_ || setup_->quiet(); }
  SetupReport report() const;

  // Why the setup waits until its output can be stored; empty: it does not.
  std::string trouble() const { return setup_ ? setup_->trouble() : ""; }

  // The virtual environment of the ranks, absolute; empty: none.
  std::string venv() const { return setup_ ? setup_->venv() : ""; }
  // Null: each attempt leases the devices of its ranks itself.
  DeviceHold* devices() const { return devices_.get(); }
  void let_devices_go() { devices_.reset(); }

 private:
  void setup_changed();

  NodePreparationPorts ports_;
  const uint64_t seed_;
  const Handlers handlers_;
  std::unique_ptr<NodeSetup> setup_;
  std::unique_ptr<DeviceHold> devices_;  // leased once the setup is done
  bool stopped_ = false;
};

}  // namespace muster
