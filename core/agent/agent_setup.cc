// Agent, what comes before its ranks: the environment that they start from, and the setup of their node.
#include "core/agent/agent.h"

namespace muster {

// Names of hosts may stand for loopback there, which is where Gloo and torch's RPC would listen: they get the NIC that peers reach.
std::map<std::string, std::string> Agent::environment() const {
  if (!bind_->own_environment) return bind_->environment;
  std::map<std::string, std::string> environment = self_.environment;
  const auto nic = self_.nics.find(bind_->address);
  for (const char* name : {"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"})
    if (nic != self_.nics.end()) environment.emplace(name, nic->second);
  for (const auto& [name, value] : bind_->environment) environment[name] = value;
  return environment;
}

void Agent::begin_setup(SetupTask task) {
  if (host_output_) task = host_output_->begin_setup(std::move(task));
  SetupStart start{environment(), bind_->workdir, bind_->settings};
  for (const auto& [name, value] : task.environment) start.environment[name] = value;
  const NodeSetupPorts ports{ports_.loop, ports_.host, ports_.output, ports_.keeper, ports_.setups};
  if (!task.gpus.empty())
    devices_ = std::make_unique<DeviceHold>(ports_.loop, ports_.leases, task.gpus, self_.incarnation,
                                            [this] { devices_changed(); });
  setup_ = std::make_unique<NodeSetup>(ports, std::move(task), std::move(start), [this] {
    if (setup_->done() && devices_ && !leaving_) devices_->start();
    changed();
  });
  setup_->start();
}

bool Agent::prepared() const { return !setup_ || (setup_->done() && (!devices_ || devices_->held())); }

SetupReport Agent::setup_report() const {
  if (!setup_) return {};
  const bool deprived = setup_->done() && devices_ && !devices_->held();
  return deprived ? SetupReport{SetupPhase::devices, devices_->waits_for(), ""} : setup_->report();
}

}  // namespace muster
