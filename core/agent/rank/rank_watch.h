// SPDX-License-Identifier: Apache-2.0
// RankWatch: the watchdog over the ranks of an agent's attempt (machine/watchdog/rank.h). It samples the ranks with a RankProbe,
// examines those that were found stopped or stuck, and adds findings and locations to the report. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/watchdog/rank.h"
#include "core/port/agent_messages.h"
#include "core/port/loop.h"
#include "core/port/rank_probe.h"

namespace muster {

struct WatchedRank {
  uint32_t index = 0;
  int64_t pid = 0;
  std::vector<std::string> outputs;  // files
  uint64_t calls = 0;                // of libmuster, in this attempt
};

struct RankWatchPorts {
  Loop& loop;
  RankProbe& probe;
};

class RankWatch {
 public:
  struct Handlers {
    std::function<void()> look;                                 // look() should be called now, between two heartbeats
    std::function<void()> changed;                              // the report would differ
    std::function<std::string(uint32_t index)> exception = {};  // RankSet::printed_exception()
  };
  RankWatch(RankWatchPorts ports, Handlers handlers) : ports_(ports), handlers_(std::move(handlers)) {}
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // An attempt starts: forgets everything.
  void begin();
  // Samples the running ranks. Call it with every heartbeat.
  void look(const std::vector<WatchedRank>& ranks);
  // Whether to find the location of every rank. May be called repeatedly.
  void examine(bool wanted);
  // Whether to measure the CPU and memory use of every rank. May be called repeatedly.
  void measure(bool wanted);
  // The time between two thorough samples; 0: watchdog::kThorough. May be called repeatedly.
  void look_every(Duration time);

  // Adds what is known about the rank. A finding is added together with the location, or without it after 0.4 s.
  void tell(RankReport& report) const;
  // The ranks that were found stopped by a signal.
  std::vector<uint32_t> stopped() const;

 private:
  struct Watched {
    watchdog::RankState state;
    std::optional<RankFinding::Kind> told;
    std::optional<TimePoint> asked;  // when its location was asked for
    std::optional<RankLocation> location;
    bool examined = false;        // the location is complete
    std::optional<Duration> cpu;  // CPU time at the last measured sample …
    TimePoint measured;           // … and when that was
    std::optional<RankUse> use;
  };

  void look_at(const WatchedRank& rank);
  void examine(uint32_t index, int64_t pid);
  void measure(Watched& watched, const std::optional<RankActivity>& activity) const;
  bool ready(const Watched& rank) const;

  RankWatchPorts ports_;
  Handlers handlers_;
  std::map<uint32_t, Watched> ranks_;  // by plan index
  bool examine_all_ = false;
  bool measure_ = false;
  Duration look_every_ = watchdog::kThorough;
  uint64_t round_ = 0;  // rises with each attempt; answers for an earlier one are dropped
  TimerId timer_ = 0;
  TimerId tell_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
