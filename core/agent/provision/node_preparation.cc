// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/node_preparation.h"

namespace muster {
namespace {

constexpr uint64_t kNames = 1'000'000;  // keeps names of containers short

// "…/JOB/attempt-1/worker-0.setup" → "…/JOB": the ranks of later attempts write beside it.
std::string folder_of_output(const std::string& path) {
  const std::string attempt = path.substr(0, path.rfind('/'));
  return attempt.substr(0, attempt.rfind('/'));
}

}  // namespace

void NodePreparation::begin(SetupTask task, SetupStart start) {
  task_ = std::move(task);
  start_ = std::move(start);
  if (!task_.gpus.empty())
    devices_ = std::make_unique<DeviceHold>(ports_.setup.loop, ports_.leases, task_.gpus, seed_,
                                            [this] { handlers_.moved(*devices_); });
  if (!task_.container) return begin_setup();
  const std::string name = "muster-" + task_.environment["MUSTER_JOB_ID"] + "-" + task_.environment["MUSTER_NODE"] +
                           "-" + std::to_string(seed_ % kNames);
  container_ = std::make_unique<NodeContainer>(
      ports_.setup.loop, ports_.containers, *task_.container,
      NodeContainerStart{name, task_.host, start_.workdir, folder_of_output(task_.output_path), start_.environment},
      [this] { container_changed(); });
  container_->open();
}

void NodePreparation::container_changed() {
  if (container_->entry() && !setup_ && !stopped_) return begin_setup();
  handlers_.changed();
}

void NodePreparation::begin_setup() {
  start_.environment = environment(std::move(start_.environment));
  for (const auto& [name, value] : task_.environment) start_.environment[name] = value;
  start_.container = container();
  setup_ = std::make_unique<NodeSetup>(ports_.setup, std::move(task_), std::move(start_), [this] { setup_changed(); });
  setup_->start();
}

std::map<std::string, std::string> NodePreparation::environment(std::map<std::string, std::string> host) const {
  return container_ ? container_->environment(host) : host;
}

bool NodePreparation::done() const {
  if (container_ && !container_->entry()) return false;
  return !setup_ || (setup_->done() && (!devices_ || devices_->held()));
}

void NodePreparation::setup_changed() {
  if (setup_->done() && devices_ && !stopped_) devices_->start();
  handlers_.changed();
}

void NodePreparation::stop() {
  stopped_ = true;
  if (setup_) setup_->stop();
}

void NodePreparation::close() {
  if (container_) container_->close();
}

SetupReport NodePreparation::report() const {
  if (container_ && !container_->entry() && !stopped_) return container_->report();
  if (!setup_) return {};
  const bool deprived = setup_->done() && devices_ && !devices_->held();
  return deprived ? SetupReport{SetupPhase::devices, devices_->waits_for(), ""} : setup_->report();
}

}  // namespace muster
