// SPDX-License-Identifier: Apache-2.0
// AttemptLog: the attempts of a job, for people: when each began and ended, which rank failed first and why, and how the other
// ranks ended. A part of JobFold. It makes no decisions. It may be large, so move it instead of copying it.
#pragma once

#include <string>
#include <vector>

#include "core/journal/journal_codec.h"
#include "core/machine/job/gangs.h"
#include "core/port/control_messages.h"

namespace muster {

// An attempt and the gang that began it (core/machine/job/gangs.h).
struct BegunAttempt {
  Attempt attempt = 0;
  uint32_t gang = 0;
};

// True if no process of the gang's newest attempt is alive.
bool has_ended(const job::State& gang);

class AttemptLog {
 public:
  // Takes the step of one gang that `event` caused. True: its next attempt began.
  bool take(TimePoint now, uint32_t gang, const job::Event& event, const job::State& before, const job::State& after);
  // A node of the newest attempt of `group` (a gang's name) is up; the delivery of its code began at `since`.
  void has_code(const std::string& group, TimePoint since, TimePoint now);
  // The ranks of the newest attempt of `group` have finished their imports. The clocks of node and coordinator may differ, so
  // times are clamped: imports come before the attempt runs, work while it runs.
  void works(const std::string& group, const Working& working, TimePoint now);
  // True if works() was called for that attempt.
  bool works(const std::string& group, Attempt attempt) const;

  // The first and the newest attempts; some in the middle are dropped if there are very many.
  const std::vector<AttemptView>& views() const { return views_; }
  // All attempts in the order in which they began, so that the output of every attempt is found.
  const std::vector<BegunAttempt>& begun() const { return begun_; }

 private:
  AttemptView* newest(const std::string& group);
  const AttemptView* newest(const std::string& group) const;
  void begin(TimePoint now, uint32_t gang, const job::State& state);
  void note_consequences(const job::State& before, const job::State& after);
  void note_last_exits(const job::Event& event, const job::State& before);

  std::vector<AttemptView> views_;
  std::vector<BegunAttempt> begun_;
};

}  // namespace muster
