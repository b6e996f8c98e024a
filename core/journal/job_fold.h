// JobFold: a job as the fold of its journal: its machine's state, the events people see, and what each attempt came to.
// The same code folds live events and replays old ones, so a job looks the same to the controller that ran it and to
// one that reads its file later.
//
// Decides nothing and touches nothing. A resource only in size: moved, not copied.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/journal/attempt_log.h"
#include "core/journal/journal_codec.h"
#include "core/machine/job/gangs.h"
#include "core/machine/job/job.h"
#include "core/port/control_messages.h"

namespace muster {

class JobFold {
 public:
  // A job's first line; `actions` gets what the machine wants first.
  JobFold(Submission submission, TimePoint now, std::vector<job::Action>& actions);

  // data_loss when the first line is no submission. Lines after the first that cannot be read are skipped.
  static Result<JobFold> replay(const std::vector<std::string>& lines);

  // What `event` would change. An empty result: nothing, and then there is nothing to journal either.
  std::optional<job::Step> consider(TimePoint now, const job::Event& event) const;

  // Takes what consider() gave, after it was journaled.
  void take(TimePoint now, const job::Event& event, job::Step step);
  void take(TimePoint now, const AttemptEndpoints& endpoints);
  void take(TimePoint now, const Replanned& replanned);
  void take(TimePoint now, const Arranged& arranged);
  void take(TimePoint now, const Remark& remark);
  void take(TimePoint now, const CodeNoted& noted);
  void take(TimePoint now, const ProgressMade& made);
  void take(TimePoint now, const Working& working);
  // A line that another process decided and journaled.
  void take_entry(TimePoint now, const JournalEntry& entry);

  const Submission& submission() const { return submission_; }
  const job::State& state() const { return state_; }
  // In the queue, while it waits there.
  const queue::Place& place() const { return place_; }
  // Of a job that restarts for ever the first and the newest, and so with the attempts of the view: what is kept is bounded.
  const std::vector<JobEvent>& events() const { return events_; }
  const AttemptEndpoints& endpoints() const { return endpoints_; }
  // Whether it is fixed where the gang's services listen in that attempt.
  bool has_endpoints(uint32_t gang, Attempt attempt) const;
  // All that ever began, in that order, so that whatever a rank printed is found.
  const std::vector<BegunAttempt>& begun() const { return attempts_.begun(); }
  bool is_over(const BegunAttempt& attempt) const;
  // Whether it is known since when the attempt of that gang works.
  bool works(uint32_t gang, Attempt attempt) const;
  // The plan of an attempt, which is the submission's newest unless hosts came or went since.
  const Plan& plan_of(Attempt attempt) const;
  TimePoint last_time() const { return last_time_; }
  TimePoint submitted() const { return submitted_; }

  // Where the newest attempt of a node's gang runs, but for the nodes' addresses, which only a backend knows.
  AttemptPlace attempt_place(NodeIndex node) const;
  uint32_t restarts() const;

  // The job as people see it; live details (pids) are the caller's to add.
  JobView view() const;

 private:
  void take_some(const AttemptEndpoints& endpoints);
  void tell(TimePoint now, const std::string& kind, const std::string& sentence);
  void note_hosts(const job::State& before);
  std::vector<RankView> rank_views() const;
  void add_hangs(JobView& view) const;

  Submission submission_;
  TimePoint submitted_;
  job::State state_;
  queue::Place place_;
  AttemptEndpoints endpoints_;
  std::vector<Attempt> meets_in_;         // by gang: for which attempt they are, where there are several
  std::map<Attempt, Plan> former_plans_;  // by the last attempt that each was for
  std::vector<JobEvent> events_;
  uint64_t events_told_ = 0;
  AttemptLog attempts_;
  std::vector<std::string> troubles_;    // the newest few
  std::optional<JobProgress> progress_;  // of the newest attempt of a gang, once it has ended
  TimePoint last_time_;
};

// queued placing running stopping backoff succeeded failed cancelled.
std::string state_name(const job::State& state);

}  // namespace muster
