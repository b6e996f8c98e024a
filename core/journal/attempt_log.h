// AttemptLog: what each attempt of a job came to, as people see it: when it began and ended, who failed first and why, and
// what the others died of then. A part of JobFold. Decides nothing. A resource only in size: moved, not copied.
#pragma once

#include <string>
#include <vector>

#include "core/journal/journal_codec.h"
#include "core/machine/job/gangs.h"
#include "core/port/control_messages.h"

namespace muster {

// By whom: the gang's number (machine/job/gangs.h).
struct BegunAttempt {
  Attempt attempt = 0;
  uint32_t gang = 0;
};

// Nobody of the gang's newest attempt is alive.
bool has_ended(const job::State& gang);

class AttemptLog {
 public:
  // The gang of that number went on. True: its next attempt began.
  bool take(TimePoint now, uint32_t gang, const job::State& before, const job::State& after);
  // A node of the newest attempt of `group` (a gang's name) is up, to which the job's code was on its way since then.
  void has_code(const std::string& group, TimePoint since, TimePoint now);
  // Of the newest attempt of `group`. Clocks of node and coordinator may differ: it works while it runs,
  // and imports before that.
  void works(const std::string& group, const Working& working, TimePoint now);
  // Whether it is known since when it works.
  bool works(const std::string& group, Attempt attempt) const;

  // Of a job that restarts for ever the first and the newest.
  const std::vector<AttemptView>& views() const { return views_; }
  // All that ever began, in that order, so that whatever a rank printed is found.
  const std::vector<BegunAttempt>& begun() const { return begun_; }

 private:
  AttemptView* newest(const std::string& group);
  const AttemptView* newest(const std::string& group) const;
  void begin(TimePoint now, uint32_t gang, const job::State& state);
  void note_consequences(const job::State& before, const job::State& after);

  std::vector<AttemptView> views_;
  std::vector<BegunAttempt> begun_;
};

}  // namespace muster
