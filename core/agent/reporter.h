// SPDX-License-Identifier: Apache-2.0
// Reporter: decides when an agent's reports are sent to its coordinator. All changes in one turn of the loop make one report.
// An unchanged report is repeated only every few heartbeats (attempt/repeats.h). Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/attempt/repeats.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

class Reporter {
 public:
  // `report` composes a report and calls send().
  Reporter(Loop& loop, std::function<void()> report) : loop_(loop), report_(std::move(report)) {}
  ~Reporter() { *alive_ = false; }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // The report would differ from the last one. A new one is composed in a later turn of the loop.
  void changed();
  bool pending() const { return pending_; }

  // The link is new: the next report is sent even if it is unchanged.
  void reset() { repeats_.reset(); }
  // Sets the time between two repeats of an unchanged report (DesiredState::look_every).
  void look_every(Duration time) { look_every_ = time; }

  // Sends the report, unless it is unchanged and no repeat is due. `leased`: each heartbeat renews a lease, so every report
  // is sent.
  void send(ChannelToCoordinator& channel, const Report& report, bool repeated, bool leased);

 private:
  Loop& loop_;
  const std::function<void()> report_;
  Repeats<Report> repeats_;
  Duration look_every_{0};
  bool pending_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
