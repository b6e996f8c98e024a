// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/node_preparation.h"

namespace muster {

void NodePreparation::begin(SetupTask task, SetupStart start) {
  if (!task.gpus.empty())
    devices_ = std::make_unique<DeviceHold>(ports_.setup.loop, ports_.leases, task.gpus, seed_,
                                            [this] { handlers_.moved(*devices_); });
  setup_ = std::make_unique<NodeSetup>(ports_.setup, std::move(task), std::move(start), [this] { setup_changed(); });
  setup_->start();
}

void NodePreparation::setup_changed() {
  if (setup_->done() && devices_ && !stopped_) devices_->start();
  handlers_.changed();
}

void NodePreparation::stop() {
  stopped_ = true;
  if (setup_) setup_->stop();
}

SetupReport NodePreparation::report() const {
  if (!setup_) return {};
  const bool deprived = setup_->done() && devices_ && !devices_->held();
  return deprived ? SetupReport{SetupPhase::devices, devices_->waits_for(), ""} : setup_->report();
}

}  // namespace muster
