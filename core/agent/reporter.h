// Reporter: when an agent's reports go to its coordinator: many changes of one turn of the loop are one report, and a report that says
// nothing new is repeated every few beats only (attempt/repeats.h). Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/attempt/repeats.h"
#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster {

class Reporter {
 public:
  // `report`: compose a report and send it.
  Reporter(Loop& loop, std::function<void()> report) : loop_(loop), report_(std::move(report)) {}
  ~Reporter() { *alive_ = false; }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // A report would differ: one is composed in a turn of its own.
  void changed();
  bool pending() const { return pending_; }

  // Another coordinator listens: it has heard nothing yet.
  void reset() { repeats_.reset(); }
  void look_every(Duration time) { look_every_ = time; }

  // Sends it, unless it only repeats what was said and its beat is not due. `leased`: a lease is renewed by each beat.
  void send(ChannelToCoordinator& channel, const Report& report, bool repeated, bool leased);

 private:
  Loop& loop_;
  const std::function<void()> report_;
  Repeats<Report> repeats_;
  Duration look_every_{0};  // as last wished
  bool pending_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
