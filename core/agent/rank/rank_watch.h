// RankWatch: an agent's watch over the ranks of its attempt (machine/watchdog/rank.h), carried out over a RankProbe: it looks, has
// those examined that were found stopped or stuck, and adds to the report what it knows. Loop thread only.
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
  uint64_t calls = 0;                // of libmuster
};

struct RankWatchPorts {
  Loop& loop;
  RankProbe& probe;
};

class RankWatch {
 public:
  struct Handlers {
    std::function<void()> look;     // look() should be called now, between two beats
    std::function<void()> changed;  // a report would differ
  };
  RankWatch(RankWatchPorts ports, Handlers handlers) : ports_(ports), handlers_(std::move(handlers)) {}
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // Another attempt: nothing is known.
  void begin();
  // Every beat: at those that run.
  void look(const std::vector<WatchedRank>& ranks);
  // Whether where every rank stands is wished to be known. Repeated.
  void examine(bool wished);
  // Whether what every rank uses is wished to be known. Repeated.
  void measure(bool wished);
  // How often ranks are looked at thoroughly; 0: watchdog::kThorough. Repeated.
  void look_every(Duration time);

  // Adds what is known of that rank. A finding is told with where the rank stands, or once that took too long.
  void tell(RankReport& report) const;
  std::vector<uint32_t> stopped() const;

 private:
  struct Watched {
    watchdog::RankState state;
    std::optional<RankFinding::Kind> told;
    std::optional<TimePoint> asked;  // where it stands
    std::optional<RankLocation> standing;
    bool examined = false;        // all of it
    std::optional<Duration> cpu;  // so far, at the last measured look …
    TimePoint measured;           // … which was then
    std::optional<RankUse> use;
  };

  void look_at(const WatchedRank& rank);
  void examine(uint32_t index, int64_t pid);
  void measure(Watched& watched, const std::optional<RankActivity>& life) const;
  bool ready(const Watched& rank) const;

  RankWatchPorts ports_;
  Handlers handlers_;
  std::map<uint32_t, Watched> ranks_;  // by plan index
  bool examine_all_ = false;
  bool measure_ = false;
  Duration look_every_ = watchdog::kThorough;
  uint64_t round_ = 0;  // of attempts: answers of an earlier one are dropped
  TimerId timer_ = 0;
  TimerId tell_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
