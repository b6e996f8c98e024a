// SPDX-License-Identifier: Apache-2.0
// JobFold: the state of a job that follows from its journal: the machine's state, the events for people, and the attempts. The
// same code takes live events and replays old ones, so the controller that runs a job and one that reads its journal later see the
// same job.
//
// It makes no decisions and does no I/O. It may be large, so move it instead of copying it.
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
  // From the first line of a journal; `actions` gets the machine's first actions.
  JobFold(Submission submission, TimePoint now, std::vector<job::Action>& actions);

  // Replays a journal. data_loss: the first line is no submission. Later lines that cannot be read are skipped.
  static Result<JobFold> replay(const std::vector<std::string>& lines);

  // The step that `event` causes. Nothing: it changes nothing, so it need not be journaled.
  std::optional<job::Step> consider(TimePoint now, const job::Event& event) const;

  // Applies the step of consider(), after the event was journaled.
  void take(TimePoint now, const job::Event& event, job::Step step);
  void take(TimePoint now, const AttemptEndpoints& endpoints);
  void take(TimePoint now, const Replanned& replanned);
  void take(TimePoint now, const Arranged& arranged);
  void take(TimePoint now, const Remark& remark);
  void take(TimePoint now, const CodeNoted& noted);
  void take(TimePoint now, const ProgressMade& made);
  void take(TimePoint now, const Working& working);
  // Applies a line that another process journaled.
  void take_entry(TimePoint now, const JournalEntry& entry);

  const Submission& submission() const { return submission_; }
  const job::State& state() const { return state_; }
  // Its place in the queue, while it is queued.
  const queue::Place& place() const { return place_; }
  // The first and the newest events; some in the middle are dropped if there are very many. The same holds for the attempts of the
  // view.
  const std::vector<JobEvent>& events() const { return events_; }
  const AttemptEndpoints& endpoints() const { return endpoints_; }
  // True if the endpoints of the gang's services in that attempt are known.
  bool has_endpoints(uint32_t gang, Attempt attempt) const;
  // All attempts in the order in which they began, so that the output of every attempt is found.
  const std::vector<BegunAttempt>& begun() const { return attempts_.begun(); }
  bool is_over(const BegunAttempt& attempt) const;
  // True if the ranks of that attempt have finished their imports.
  bool works(uint32_t gang, Attempt attempt) const;
  // The plan of an attempt: that of the submission, unless hosts joined or left since.
  const Plan& plan_of(Attempt attempt) const;
  TimePoint last_time() const { return last_time_; }
  TimePoint submitted() const { return submitted_; }

  // The place of the newest attempt of a node's gang, without the addresses of nodes, which only a backend knows.
  AttemptPlace attempt_place(NodeIndex node) const;
  uint32_t restarts() const;

  // The job for people. The caller adds live details, such as pids.
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
  std::vector<Attempt> meets_in_;           // if there are several gangs: the attempt of each gang's endpoints
  std::map<NodeIndex, std::string> roles_;  // of hosts that joined; others have that of the plan
  std::map<Attempt, Plan> former_plans_;    // by the last attempt of each plan
  std::vector<JobEvent> events_;
  uint64_t events_told_ = 0;
  AttemptLog attempts_;
  struct Trouble {
    Attempt attempt = 0;
    std::string sentence;
  };
  std::vector<Trouble> troubles_;        // the newest few
  std::optional<JobProgress> progress_;  // of the newest attempt of a gang, once it has ended
  TimePoint last_time_;
};

// queued placing running stopping backoff succeeded failed cancelled.
std::string state_name(const job::State& state);

}  // namespace muster
