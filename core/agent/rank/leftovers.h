// SPDX-License-Identifier: Apache-2.0
// Leftovers: the processes that ranks of this node have left running. Asks, kills and reports them as core/machine/worker/leftover.h
// decides. It lives as long as its agent: helpers of an ended attempt may finish beside the next one. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/machine/worker/leftover.h"
#include "core/port/leftover_host.h"
#include "core/port/loop.h"

namespace muster {

struct LeftoverHandlers {
  std::function<void()> settled;                          // settled() has become true
  std::function<void(const std::string& sentence)> tell;  // what was ended, for the user
  std::function<void()> changed;                          // the report would differ
};

class Leftovers {
 public:
  Leftovers(Loop& loop, LeftoverHost& host, LeftoverHandlers handlers);
  ~Leftovers();
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  // Once, before the first attempt. `place`: where the job's processes are, for sentences: " on a2"; empty: on the machine of the user.
  void bind(const LeftoverSpec& spec, const std::string& place);
  // Begins an attempt. Leftovers of earlier attempts keep their own deadlines.
  void begin(Attempt attempt);
  // The main process of a rank has ended. finished: by itself, with code 0.
  void rank_ended(int64_t pid, bool finished);
  // May be repeated, also with an earlier deadline.
  void stop(const leftover::Stop& stop);
  // All ranks of the attempt on this node have ended. May be repeated.
  void over();
  // After over(): no leftover keeps the attempt from being over, except those that ProcessHost::sweep kills now.
  bool settled() const { return situation_.over && !blocked_; }
  // The processes that may run when the ranks of the attempt have ended: leftovers that may run beside the next attempt, and what
  // service programs have started, which ranks of other nodes may use.
  std::set<int64_t> spared() const;
  // The same without those of service programs, for the time when the services have stopped.
  std::set<int64_t> spared_after_services() const;
  // The attempt is over: the others were killed. Tells which work may be lost.
  void swept();
  // No leftover was running when it was looked for last.
  bool empty() const { return known_.empty(); }
  // All leftovers were killed.
  void clear() { known_.clear(); }

 private:
  struct Known {
    int64_t pid = 0;
    LeftoverOrigin origin;
    std::optional<TimePoint> earlier;  // leftover::Facts
    bool reads = false;                // leftover::Facts
    std::optional<TimePoint> read;     // leftover::Facts
    std::optional<bool> holds;         // asked for once in an attempt
    int sent = 0;                      // the last signal
    leftover::Loss loss = leftover::Loss::none;
  };
  using Key = std::pair<int64_t, uint64_t>;  // ProcessIdentity

  void look();
  void look_soon();
  Known& know(const Leftover& leftover);
  leftover::Facts facts_of(const Leftover& leftover, const std::vector<Leftover>& all, Known& known);
  bool concerns(const Leftover& leftover, const Known& known) const;
  std::optional<TimePoint> treat(const Leftover& leftover, const std::vector<Leftover>& all);
  void tell_losses();
  std::string sentence_of(leftover::Loss loss, const std::vector<Known>& lost) const;

  Loop& loop_;
  LeftoverHost& host_;
  const LeftoverHandlers handlers_;
  std::string place_;
  leftover::Situation situation_;
  std::map<int64_t, bool> ended_;  // ranks of the attempt whose main process has ended, by its pid; finished
  std::optional<TimePoint> previous_over_;
  Attempt attempt_ = 0;
  std::map<Key, Known> known_;
  bool blocked_ = false;
  bool swept_ = false;
  std::map<leftover::Loss, std::vector<Known>> losses_;  // not told yet
  TimerId timer_ = 0;
  TimePoint looked_;
};

}  // namespace muster
