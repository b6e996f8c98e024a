// SPDX-License-Identifier: Apache-2.0
// NodePreparation: prepares a node before the first rank of its job starts there. It opens the image of the ranks (NodeContainer), runs
// the job's setup (NodeSetup), and then leases the node's GPUs if they are leased for the whole job (DeviceHold). Loop thread only.
// The owner calls stop() and waits for quiet(), then close() and waits for closed(), before it destroys the object.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/agent/container/node_container.h"
#include "core/agent/provision/device_hold.h"
#include "core/agent/provision/node_setup.h"

namespace muster {

struct NodePreparationPorts {
  NodeSetupPorts setup;
  MachineLeases& leases;
  ContainerHost& containers;
};

class NodePreparation {
 public:
  struct Handlers {
    std::function<void()> changed;                         // a report would differ
    std::function<void(const DeviceHold& devices)> moved;  // the devices were leased or released
  };
  // `seed`: see DeviceHold; no other agent on this host has it.
  NodePreparation(NodePreparationPorts ports, uint64_t seed, Handlers handlers)
      : ports_(ports),
        seed_(seed),
        handlers_(std::move(handlers)) {}

  // Call it at most once. Without it, there is nothing to prepare and done() is true. `start` is without the variables of the task.
  void begin(SetupTask task, SetupStart start);
  // Kills the running command, and stops waiting for devices.
  void stop();

  // Ends the container. Call it when no process is left in it.
  void close();

  bool done() const;
  bool quiet() const { return !setup_ || setup_->quiet(); }
  bool closed() const { return !container_ || container_->closed(); }
  SetupReport report() const;

  // Why the setup waits until its output can be stored, or what of the container could not be removed; empty: neither.
  std::string trouble() const {
    if (setup_ && !setup_->trouble().empty()) return setup_->trouble();
    return container_ ? container_->trouble() : "";
  }

  // The container of the ranks, and their environment if it is `host` outside; null: they run on the host.
  std::shared_ptr<const ContainerEntry> container() const { return container_ ? container_->entry() : nullptr; }
  std::map<std::string, std::string> environment(std::map<std::string, std::string> host) const;
  // The virtual environment of the ranks, absolute; empty: none.
  std::string venv() const { return setup_ ? setup_->venv() : ""; }
  // Null: each attempt leases the devices of its ranks itself.
  DeviceHold* devices() const { return devices_.get(); }
  void let_devices_go() { devices_.reset(); }

 private:
  void container_changed();
  void begin_setup();
  void setup_changed();

  NodePreparationPorts ports_;
  const uint64_t seed_;
  const Handlers handlers_;
  SetupTask task_;
  SetupStart start_;
  std::unique_ptr<NodeContainer> container_;
  std::unique_ptr<NodeSetup> setup_;     // once the container is open
  std::unique_ptr<DeviceHold> devices_;  // leased once the setup is done
  bool stopped_ = false;
};

}  // namespace muster
