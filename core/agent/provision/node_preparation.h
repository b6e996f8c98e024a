// NodePreparation: what an agent does before the first rank of its job starts on its node: the job's setup (NodeSetup), and then the
// node's GPUs, where they are leased for the whole job (DeviceHold). Loop thread only. Its owner stops it and waits for quiet() before
// it is destroyed.
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
    std::function<void(const DeviceHold& devices)> moved;  // the devices were taken, or given away
  };
  // `seed`: see DeviceHold.
  NodePreparation(NodePreparationPorts ports, uint64_t seed, Handlers handlers)
      : ports_(ports),
        seed_(seed),
        handlers_(std::move(handlers)) {}

  // Once. Without it there is nothing to prepare.
  void begin(SetupTask task, SetupStart start);
  // Kills what runs; devices are not waited for any more.
  void stop();

  bool done() const { return !setup_ || (setup_->done() && (!devices_ || devices_->held())); }
  bool quiet() const { return !setup_ || setup_->quiet(); }
  SetupReport report() const;

  // The virtual environment of the ranks, absolute; empty: none.
  std::string venv() const { return setup_ ? setup_->venv() : ""; }
  // Null: ranks lease theirs as they begin.
  DeviceHold* devices() const { return devices_.get(); }
  void let_devices_go() { devices_.reset(); }

 private:
  void setup_changed();

  NodePreparationPorts ports_;
  const uint64_t seed_;
  const Handlers handlers_;
  std::unique_ptr<NodeSetup> setup_;
  std::unique_ptr<DeviceHold> devices_;  // taken once the setup is done
  bool stopped_ = false;
};

}  // namespace muster
